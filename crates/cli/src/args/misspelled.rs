//! A mistyped subcommand must not become a prompt: a model would make something of `plnas list`, and somebody would pay for
//! it.

use std::ffi::{OsStr, OsString};

use clap::CommandFactory;
use clap::error::ErrorKind;
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
    let more = words.get(2).is_some_and(|word| !word.to_string_lossy().starts_with('-'));
    let Some(given) = first(words).filter(|_| is_about_words && more) else { return error };
    if Args::command().find_subcommand(given).is_some() {
        return error;
    }
    let quote = || "A prompt is one argument\n\n  Put it in quotes: `forelook \"fix the bug\"`".to_owned();
    Args::command().error(ErrorKind::InvalidSubcommand, unknown(given).unwrap_or_else(quote))
}

/// The first word, if it could be the name of a subcommand.
fn first(words: &[OsString]) -> Option<&str> {
    let word = words.get(1).map(OsString::as_os_str).and_then(OsStr::to_str)?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.chars().all(is_letter)).then_some(word)
}

fn unknown(given: &str) -> Option<String> {
    let command = Args::command();
    let near = nearest(given, command.get_subcommands().map(clap::Command::get_name))?;
    Some(format!("There is no command `{given}`\n\n  Did you mean `forelook {near}`?"))
}
