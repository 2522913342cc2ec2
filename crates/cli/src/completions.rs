//! `forelook completions`: what a shell needs to complete our command line.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::generate;
use clap_complete::shells::{Bash, Fish, Zsh};

use crate::args::{Args, CompletionShell};
use crate::out::say;

/// How a shell is told.
pub(crate) const INSTALL: &str = "\
How to turn them on:
  bash: add `source <(forelook completions bash)` to ~/.bashrc
  zsh:  add `source <(forelook completions zsh)` to ~/.zshrc, below `compinit`
  fish: forelook completions fish > ~/.config/fish/completions/forelook.fish";

/// Prints the script for this shell.
pub(crate) fn run(shell: CompletionShell) -> ExitCode {
    let (mut command, mut script) = (Args::command(), Vec::new());
    // Each by itself: what can make all of them would bring shells along that nobody can ask for.
    match shell {
        CompletionShell::Bash => generate(Bash, &mut command, "forelook", &mut script),
        CompletionShell::Zsh => generate(Zsh, &mut command, "forelook", &mut script),
        CompletionShell::Fish => generate(Fish, &mut command, "forelook", &mut script),
    }
    say!("{}", String::from_utf8_lossy(&script).trim_end());
    ExitCode::SUCCESS
}
