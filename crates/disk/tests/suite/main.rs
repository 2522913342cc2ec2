//! What only shows with other processes, other users and small disks.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make what the crate must cope with: raw files, other processes; helpers stop at the first surprise"
)]

mod again;
mod full;
mod killed;
mod locked;
mod replaced;
mod unprivileged;
