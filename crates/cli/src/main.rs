//! The program: reads the command line, puts the parts together, and turns the end into an exit code.

mod apply;
mod args;
mod completions;
mod demo;
mod doctor;
mod exit;
mod failure;
mod front;
mod import;
mod interaction;
mod list_models;
mod log;
mod out;
mod permissions;
mod person;
mod plan;
mod plans;
mod resume;
mod run;
mod screen;
mod serve;
mod sessions;
mod signals;
mod spec;
mod stdin;

use std::io::Write;
use std::process::ExitCode;

use forelook_host::{Failure, FailureClass};

use args::{Args, Parsed, Subcommands};
use out::say;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    // Scripts ask for the version all the time; it must not cost a runtime nor the parser.
    if let [_, only] = words.as_slice()
        && (only == "--version" || only == "-v")
    {
        return version();
    }
    match args::parse(words) {
        Ok(parsed) => finish(run_command(parsed)),
        Err(error) => {
            // `--help` is an error to the parser and none to us; its own exit code says which.
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            match error.print().and_then(|()| std::io::stdout().flush()) {
                // Where not even standard error takes it, there is nobody to tell.
                Err(unwritten) if !error.use_stderr() => out::unwritten(&unwritten),
                _ => ExitCode::from(code),
            }
        }
    }
}

fn run_command(parsed: Parsed) -> Result<ExitCode, Failure> {
    if parsed.args.version {
        return Ok(version());
    }
    // Before anything else, and before there are threads: from here on nobody finds a key in this process.
    let env =
        forelook_settings::Env::from_process().map_err(|error| Failure::of(FailureClass::Usage, &error))?;
    person::must_be_person(&parsed.args, env.runs_for_model)?;
    let Args { command, run, .. } = parsed.args;
    match command {
        Some(Subcommands::Sessions { command }) => sessions::run(&env, &command),
        Some(Subcommands::Permissions { command }) => permissions::run(&env, command),
        Some(Subcommands::Import { from }) => import::run(&env, &from),
        Some(Subcommands::Plan(args)) => plan::run(env, *args),
        Some(Subcommands::Apply(args)) => apply::run(env, *args),
        Some(Subcommands::Plans { command }) => plans::run(&env, command),
        Some(Subcommands::Models { json }) => list_models::run(&env, json),
        Some(Subcommands::Doctor { json }) => doctor::run(&env, json),
        Some(Subcommands::Completions { shell }) => Ok(completions::run(shell)),
        Some(Subcommands::Demo) => run::demo(env, run),
        Some(Subcommands::Serve(args)) => serve::run(env, *args),
        None => run::run(env, run, &parsed.unknown),
    }
}

fn version() -> ExitCode {
    say!("forelook {}", env!("CARGO_PKG_VERSION"));
    ExitCode::SUCCESS
}

fn finish(result: Result<ExitCode, Failure>) -> ExitCode {
    result.unwrap_or_else(|failure| {
        failure::print(&failure, &mut std::io::stderr());
        exit::of_failure(failure.kind())
    })
}
