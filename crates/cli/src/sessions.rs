//! `forelook sessions`.

use std::process::ExitCode;

use forelook_host::{Failure, FailureClass};
use forelook_protocol::AbsPath;
use forelook_sessions::{SessionStore, SessionSummary};
use forelook_settings::Env;
use serde_json::json;

use crate::args::SessionsCommand;
use crate::out::{print_note, say};
use crate::run::here;

/// Carries out a subcommand.
pub(crate) fn run(env: &Env, command: &SessionsCommand) -> Result<ExitCode, Failure> {
    match command {
        SessionsCommand::List { all, json } => list(env, *all, *json),
    }
}

fn list(env: &Env, all: bool, as_json: bool) -> Result<ExitCode, Failure> {
    let store = SessionStore::new(env.home.clone());
    let folder = here()?;
    let mut listing =
        store.list((!all).then_some(&folder)).map_err(|error| Failure::of(FailureClass::Task, &error))?;
    listing.sessions.retain(SessionSummary::has_conversation);
    for problem in &listing.problems {
        print_note(&problem.to_string());
    }
    if as_json {
        say!("{}", json!(listing.sessions.iter().map(object).collect::<Vec<_>>()));
    } else if listing.sessions.is_empty() {
        say!("No sessions{} yet.", if all { "" } else { " in this folder" });
    } else {
        for session in &listing.sessions {
            say!("{}", line(session, all.then_some(&session.folder)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn line(session: &SessionSummary, folder: Option<&AbsPath>) -> String {
    let when = session.last_written.strftime("%Y-%m-%d %H:%M");
    let prompts =
        if session.prompts == 1 { "1 prompt".to_owned() } else { format!("{} prompts", session.prompts) };
    let place = folder.map_or_else(String::new, |folder| format!("  {folder}"));
    format!("{}  {when}  {prompts:>10}  {}{place}", session.id, session.title)
}

fn object(session: &SessionSummary) -> serde_json::Value {
    json!({
        "id": session.id, "folder": session.folder, "title": session.title, "started": session.started,
        "last_written": session.last_written, "prompts": session.prompts, "forked_from": session.forked_from,
    })
}
