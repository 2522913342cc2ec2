//! The store from outside: files as they come, other processes, other users, small disks.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make what the crate must cope with: raw files, other processes; helpers stop at the first surprise"
)]

#[path = "../../../disk/tests/suite/again.rs"]
mod again;
mod broken;
mod everyday;
mod hostile;
mod make;
mod property;
mod todos;
