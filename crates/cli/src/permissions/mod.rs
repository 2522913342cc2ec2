//! `forelook permissions`: what may be done, and why.

mod audit;
mod call;
mod confinement;
mod explain;
mod journal_state;
mod replay;
mod restore;
mod shell;

use std::process::ExitCode;

use forelook_host::Failure;
use forelook_settings::Env;

use crate::args::PermissionsCommand;

/// Carries out a subcommand.
pub(crate) fn run(env: &Env, command: PermissionsCommand) -> Result<ExitCode, Failure> {
    match command {
        PermissionsCommand::Explain(args) => explain::run(env, args),
        PermissionsCommand::Shell { line, json } => shell::run(env, line.as_deref(), json),
        PermissionsCommand::Audit { session, json } => audit::run(env, session, json),
        PermissionsCommand::Replay { rules, sessions } => replay::run(env, rules, sessions),
        PermissionsCommand::Restore { ids, all } => restore::run(env, &ids, all),
    }
}
