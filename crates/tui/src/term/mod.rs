//! The terminal: what is written to it, and what comes from it. `ratatui` draws into buffers; its own terminal is not
//! used, because its inline area loses and doubles lines when the window becomes narrower, and has a fixed height.

mod ansi;
mod guard;
mod keys;
mod parser;
mod reader;
mod screen;
mod writer;

pub(crate) use ansi::ColorDepth;
#[cfg(test)]
pub(crate) use ansi::of_palette;
pub(crate) use guard::{TerminalGuard, WRITE_TIMEOUT, output};
pub(crate) use keys::{Code, Input, Key};
pub(crate) use reader::{HangUpWatch, InputReader};
pub(crate) use screen::{Reflow, Screen};
pub(crate) use writer::TerminalWriter;
