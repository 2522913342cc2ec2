//! Starts children, and leaves nothing of them behind.
//!
//! A child runs in a process group of its own, with exactly the environment it was given, without a
//! terminal to wait at, and its group ends when the call ends ([`Child`] has the rule). The kernel
//! layers that hold a policy around it come to this crate too; `docs/architecture.md` has their place.
//! Only the person's own programs ([`run_in_terminal`], [`start_detached`]) are left to themselves.
#![expect(clippy::disallowed_methods, reason = "this is the one crate that starts processes")]

mod child;
mod ending;
mod env;
#[cfg(target_os = "linux")]
mod fence;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod fence;
mod machine;
mod person;
mod pipes;
mod policy;
mod program;
pub mod seatbelt;
mod spawn;

pub use child::{Child, Event, Killer};
pub use ending::Ending;
pub use env::{ChildEnv, is_secret_name};
pub use fence::{Fence, OPAQUE, can_layer, remove_layer, upper};
pub use machine::{in_container, is_root};
pub use person::{run_beside, run_in_terminal, start_detached};
pub use pipes::{Chunk, Stream};
pub use policy::{Available, Layers, Network, Policy};
pub use program::{Input, Output, Program, find_program, find_program_outside};
