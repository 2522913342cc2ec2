//! Prints to standard output. `println!` panics when whoever reads has gone away, which `| head` does all the time.

use std::fmt::Arguments;
use std::io::{Error, ErrorKind, Write};

/// Prints a line.
pub(crate) fn line(text: Arguments<'_>) {
    if let Err(error) = writeln!(std::io::stdout(), "{text}") {
        unwritten(&error);
    }
}

/// Ends the program, since its output could not be written. A reader that went away has read enough: the program ends as
/// others do then. A disk that is full has not.
pub(crate) fn unwritten(error: &Error) -> ! {
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    print_note(&format!("forelook: Cannot write the output: {error}"));
    std::process::exit(1);
}

/// `println!`, without the panic.
macro_rules! say {
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}

pub(crate) use say;

/// Prints something that a person should know beside the answer. It may quote a stranger's files, and a terminal obeys what
/// it is sent.
pub(crate) fn print_note(text: &str) {
    // Not `eprintln!`: that panics where nobody can read it.
    let _ = writeln!(std::io::stderr(), "{}", forelook_wording::visible(text));
}
