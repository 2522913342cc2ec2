//! Starts child processes, and leaves nothing of them behind.
//!
//! A child runs in its own session, with exactly the environment it was given and without a terminal, and its session ends
//! when the call ends ([`Child`] has the rule). The kernel layers that enforce a policy around it are in this crate too;
//! `docs/architecture.md` explains them. Only the user's own programs ([`run_in_terminal`], [`start_detached`]) are not
//! confined or ended.
#![expect(clippy::disallowed_methods, reason = "this is the one crate that starts processes")]

mod child;
mod env;
mod exit;
#[cfg(target_os = "linux")]
mod fence;
#[cfg(not(target_os = "linux"))]
#[path = "unsupported.rs"]
mod fence;
#[cfg(target_os = "linux")]
mod guardian;
mod model_mark;
mod own_process;
mod pipes;
mod platform;
mod policy;
mod program;
pub mod seatbelt;
#[cfg(target_os = "linux")]
mod session_members;
mod spawn;
mod user_programs;
#[cfg(target_os = "linux")]
mod vfork;

pub use child::{Child, ChildEvent, KillHandle};
pub use env::{ChildEnv, is_secret_name};
pub use exit::ChildExit;
pub use fence::{Fence, OPAQUE, can_overlay, remove_overlay, upper};
pub use model_mark::{MODEL_MARK, runs_for_model};
pub use own_process::seal_process;
pub use pipes::{OutputChunk, OutputStream};
pub use platform::{in_container, is_root};
pub use policy::{AvailableLayers, FencePolicy, FenceScope, FileId, KernelLayers, NetworkAccess, is_stale};
pub use program::{Caller, ChildInput, ChildOutput, Program, find_program, find_program_outside};
pub use user_programs::{run_in_terminal, run_without_terminal, start_detached};
