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
