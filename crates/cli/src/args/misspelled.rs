//! A mistyped subcommand must not become a prompt: a model would make something of `plnas list`, and somebody would pay for
//! it.

use std::ffi::{OsStr, OsString};

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use forelook_protocol::nearest;

use super::Args;

/// The error for a prompt that is most likely a mistyped subcommand: the first word of the command line, alone, and near to
/// the name of one. Behind a flag or behind `--`, and with more words in the same argument, it is what the person says.
pub(super) fn check(args: &Args, words: &[OsString]) -> Option<clap::Error> {
    if args.command.is_some() || args.run.prompt.as_deref() != first(words) {
        return None;
    }
    let given = first(words)?;
    let text = format!("{}\n\n  To send it to the model, run `forelook -- {given}`", unknown(given)?);
    Some(Args::command().error(ErrorKind::InvalidSubcommand, text))
}

/// The same where more words follow, which the parser could make nothing of: that the first of them is no subcommand says
/// more than that the second was not expected.
pub(super) fn explain(error: clap::Error, words: &[OsString]) -> clap::Error {
    // Where the second word is the name of a subcommand, the parser takes it for one.
    let is_about_words = matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::ArgumentConflict);
    if !is_about_words || !is_second_word(&error) {
        return error;
    }
    let given = first(words);
    if given.is_some_and(|given| Args::command().find_subcommand(given).is_some()) {
        return error;
    }
    let prints = words.iter().any(|word| word == "-p" || word == "--print");
    let print = if prints { "-p " } else { "" };
    let quote =
        || format!("A prompt is one argument\n\n  Put it in quotes: `forelook {print}\"fix the bug\"`");
    Args::command().error(ErrorKind::InvalidSubcommand, given.and_then(unknown).unwrap_or_else(quote))
}

/// Whether what was not expected is a word, and no flag: then it is one of a prompt, or of a subcommand that is none.
fn is_second_word(error: &clap::Error) -> bool {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => !word.starts_with('-'),
        _ => true,
    }
}

/// The first word, if it could be the name of a subcommand.
fn first(words: &[OsString]) -> Option<&str> {
    let word = words.get(1).map(OsString::as_os_str).and_then(OsStr::to_str)?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.chars().all(is_letter)).then_some(word)
}

fn unknown(given: &str) -> Option<String> {
    let command = Args::command();
    let hint = match ELSEWHERE.iter().find(|(names, _)| names.contains(&given)) {
        Some((_, hint)) => (*hint).to_owned(),
        None => {
            // The parser adds its own `help` only when it is built.
            let names = command.get_subcommands().map(clap::Command::get_name).chain(["help"]);
            let near = nearest(given, names)?;
            format!("Did you mean `forelook {near}`?")
        }
    };
    Some(format!("There is no command `{given}`\n\n  {hint}"))
}

/// Names of subcommands that other agents have, or that are planned for this one, and what to do instead.
const ELSEWHERE: [(&[&str], &str); 9] = [
    (
        &["login", "logout", "auth", "setup-token", "keys"],
        "Keys come from the environment or from a file: `forelook models` lists what needs one",
    ),
    (&["resume", "session"], "To continue a session, run `forelook -c` or `forelook -r`"),
    (&["config", "settings", "schema"], "Settings are in files: `/config` in a session shows them"),
    (&["init", "agents", "hooks", "tasks", "trust", "cost", "status"], "In a session, type it behind a `/`"),
    (&["exec", "run", "chat", "ask", "print"], "For a prompt, run `forelook -p \"fix the bug\"`"),
    (&["update", "upgrade", "install", "uninstall"], "Update Forelook the way you installed it"),
    (&["version"], "Run `forelook --version`"),
    (&["review", "reviews"], "Plans are reviewed in a session: `forelook plans list` lists them"),
    (
        &["mcp", "acp", "web", "remote", "auto-mode", "teammate", "plugin", "plugins", "migrate-installer"],
        "`forelook --help` lists the commands of this version",
    ),
];
