//! `forelook import`: takes over rules, hooks and the sandbox from another agent.

use std::process::ExitCode;

use forelook_host::{Failure, FailureClass, RuleSpec};
use forelook_protocol::Destination;
use forelook_settings::{Env, Import, ImportedFile, ImportedSandbox, file_of, plan_import};

use crate::args::ImportCommand;
use crate::out::say;
use crate::run::here;

/// Shows what would be written, and writes it if that was asked for.
pub(crate) fn run(env: &Env, from: &ImportCommand) -> Result<ExitCode, Failure> {
    let ImportCommand::Claude { apply } = from;
    let folder = here()?;
    let settings_paths = forelook_host::settings_paths(env, &RuleSpec::default(), &folder)?;
    let home = env.user_home.as_ref().ok_or_else(|| {
        Failure::new(FailureClass::Usage, "Cannot find your home folder: set `HOME` to an absolute path")
    })?;
    let import = plan_import(&home.join(".claude"), &settings_paths.project);
    if import.files.is_empty() && import.skipped.is_empty() {
        say!(
            "Nothing to import: no Claude Code settings in {home}/.claude or {}/.claude.",
            settings_paths.project
        );
        return Ok(ExitCode::SUCCESS);
    }
    for file in &import.files {
        let target =
            file_of(file.destination, &settings_paths).map_or_else(String::new, |path| path.to_string());
        print_file(file, &target);
    }
    print_skipped(&import);
    if !apply {
        say!("Nothing was written. To write it, run: forelook import claude --apply");
        return Ok(ExitCode::SUCCESS);
    }
    let saved = import.apply(&settings_paths).map_err(|error| Failure::of(FailureClass::Task, &error))?;
    for one in &saved {
        say!("Wrote {} to {}", count(one.added.len(), "setting"), one.file);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_file(file: &ImportedFile, target: &str) {
    say!("{} -> {target}{}", file.from, note(file.destination));
    for (word, rules) in [("allow", &file.allow), ("ask", &file.ask), ("deny", &file.deny)] {
        for rule in rules {
            say!("  {word:<7} {rule}");
        }
    }
    if let Some(mode) = file.mode {
        say!("  mode    {mode}");
    }
    for folder in &file.directories {
        say!("  folder  {folder}");
    }
    if let Some(on) = file.sandbox.enabled {
        say!("  sandbox {}", if on { "on" } else { "off" });
    }
    let ImportedSandbox { network, writable, outside, .. } = &file.sandbox;
    for (word, texts) in [("domain", network), ("write", writable), ("outside", outside)] {
        for text in texts {
            say!("  {word:<7} {text}");
        }
    }
    for hook in &file.hooks {
        say!("  hook    {} {}", hook.event, hook.command);
    }
}

fn note(destination: Destination) -> &'static str {
    match destination {
        Destination::ProjectSettings => "  (shared with everyone on this project)",
        Destination::LocalSettings => "  (for you, in this project)",
        _ => "  (for you, in all projects)",
    }
}

fn print_skipped(import: &Import) {
    if !import.skipped.is_empty() {
        say!("Not imported:");
    }
    for one in &import.skipped {
        let line = one.line.map_or_else(String::new, |line| format!(":{line}"));
        say!("  {}  ({}{line}): {}", one.what, one.from, one.why);
    }
}

fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}
