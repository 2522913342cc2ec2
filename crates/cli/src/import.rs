//! `forelook import`: takes over rules, hooks and the sandbox from another agent.

use std::process::ExitCode;

use forelook_host::{Failure, Kind, RuleSpec};
use forelook_protocol::Destination;
use forelook_settings::{Env, Import, ImportedFile, ImportedSandbox, file_of, plan_import};

use crate::args::ImportCommand;
use crate::out::say;
use crate::run::here;

/// Shows what would be written, and writes it if that was asked for.
pub(crate) fn run(env: &Env, from: &ImportCommand) -> Result<ExitCode, Failure> {
    let ImportCommand::Claude { apply } = from;
    let folder = here()?;
    let places = forelook_host::places(env, &RuleSpec::default(), &folder)?;
    let home = env
        .user_home
        .as_ref()
        .ok_or_else(|| Failure::new(Kind::Usage, "There is no home folder to import from"))?;
    let import = plan_import(&home.join(".claude"), &places.project);
    if import.files.is_empty() && import.left_out.is_empty() {
        say!(
            "There is nothing to import: no settings of Claude Code in {home}/.claude or {}/.claude.",
            places.project
        );
        return Ok(ExitCode::SUCCESS);
    }
    for file in &import.files {
        let target = file_of(file.destination, &places).map_or_else(String::new, |path| path.to_string());
        print_file(file, &target);
    }
    print_left_out(&import);
    if !apply {
        say!("Nothing was written. To write it: forelook import claude --apply");
        return Ok(ExitCode::SUCCESS);
    }
    let saved = import.apply(&places).map_err(|error| Failure::of(Kind::Task, &error))?;
    for one in &saved {
        say!("Wrote {} to {}", count(one.added.len(), "setting"), one.file);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_file(file: &ImportedFile, target: &str) {
    say!("{} -> {target}{}", file.from, note(file.destination));
    for (word, rules) in [("allow", &file.allow), ("ask", &file.ask), ("deny", &file.deny)] {
        for rule in rules {
            say!("  {word:<6} {rule}");
        }
    }
    if let Some(mode) = file.mode {
        say!("  mode   {mode}");
    }
    for folder in &file.directories {
        say!("  folder {folder}");
    }
    if let Some(on) = file.sandbox.enabled {
        say!("  fence  {}", if on { "on" } else { "off" });
    }
    let ImportedSandbox { network, writable, outside, .. } = &file.sandbox;
    for (word, texts) in [("domain", network), ("write", writable), ("beyond", outside)] {
        for text in texts {
            say!("  {word:<6} {text}");
        }
    }
    for hook in &file.hooks {
        say!("  hook   {} {}", hook.event, hook.command);
    }
}

fn note(destination: Destination) -> &'static str {
    match destination {
        Destination::ProjectSettings => "  (for everybody who works on this project)",
        Destination::LocalSettings => "  (for you, in this project)",
        _ => "  (for you, everywhere)",
    }
}

fn print_left_out(import: &Import) {
    if !import.left_out.is_empty() {
        say!("Could not be taken:");
    }
    for one in &import.left_out {
        let line = one.line.map_or_else(String::new, |line| format!(":{line}"));
        say!("  {}  ({}{line}): {}", one.what, one.from, one.why);
    }
}

fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}
