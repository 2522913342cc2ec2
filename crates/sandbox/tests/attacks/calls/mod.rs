//! Attacks by raw system calls.

mod descriptors;
mod files;
mod folders;
mod machine;
mod metadata;
mod mounts;
mod processes;
mod refused;
mod ring;
mod shared;
pub(crate) mod sockets;
mod terminals;

use crate::attack::Attack;

/// All of them.
pub(crate) fn tables() -> [&'static [Attack]; 13] {
    [
        descriptors::ATTACKS,
        files::ATTACKS,
        folders::ATTACKS,
        machine::ATTACKS,
        metadata::ATTACKS,
        mounts::ATTACKS,
        processes::ATTACKS,
        refused::ATTACKS,
        refused::OLD,
        ring::ATTACKS,
        shared::ATTACKS,
        sockets::ATTACKS,
        terminals::ATTACKS,
    ]
}
