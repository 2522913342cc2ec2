//! Prints to standard output. `println!` panics when whoever reads has gone away, which `| head` does all the time.

use std::fmt::Arguments;
use std::io::Write;

/// Prints a line. A reader that went away has read enough: the program ends as others do then.
pub(crate) fn line(text: Arguments<'_>) {
    if writeln!(std::io::stdout(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// `println!`, without the panic.
macro_rules! say {
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}

pub(crate) use say;

/// Prints something that a person should know beside the answer. It may quote a stranger's files, and a terminal obeys what
/// it is sent.
#[expect(clippy::print_stderr, reason = "problems belong beside the answer, not into it")]
pub(crate) fn print_note(text: &str) {
    eprintln!("{}", forelook_wording::visible(text));
}
