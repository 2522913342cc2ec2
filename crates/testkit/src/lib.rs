//! For tests: the whole program in a temporary home.
//!
//! - [`Lab`] is a home and a project on the disk, and runs the real binary in them;
//! - [`scenario`] runs a folder with a script, files and what is expected;
//! - [`check`] holds what must be true of every request and every journal, whatever the test is about;
//! - [`attack`] is a hostile model in real sessions, and what it left behind;
//! - [`kill`] kills the program at random instants;
//! - [`tree`] is what a folder holds, to be compared with what it held before;
//! - [`wire`] is a server that speaks as the real ones do, and plays scripts;
//! - [`HOSTILE`] are texts that do something to a terminal;
//! - [`fuzz`] is the frame of the fuzzers, which are examples of the crates that they test.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "this is part of tests: whatever goes wrong here is a failed test"
)]

pub mod attack;
pub mod check;
pub mod fuzz;
mod hostile;
pub mod kill;
mod lab;
mod privilege;
pub mod scenario;
pub mod tree;
pub mod wire;

pub use hostile::HOSTILE;
pub use lab::{CLOCK, Lab, PLANTED_KEY, RunOutput};
pub use privilege::{copy_program, is_root, passed_as_nobody, small_disk, tests_as_nobody, unprivileged};
