//! Settings: read in layers that keep their source, resolved to one value where one is needed, and
//! held back where a stranger's text asks for too much. Also the one reader of the environment.
//!
//! [`load`] is the entry: it takes the [`Places`] where settings may lie and gives [`Settings`] with
//! everything that a person should hear about them. Only a broken managed file or a `--settings` file
//! that is not there stops the program; any other broken file is named and left out.
//!
//! Where is what: every environment variable in [`env`], every key in [`keys`], what a project's
//! settings may not do in [`trust`], which value wins in [`layers`].

pub mod env;
mod file;
pub mod keys;
pub mod layers;
mod load;
mod nearest;
pub mod pages;
mod read_keys;
mod shown;
pub mod trust;

pub use env::{Env, EnvError};
pub use layers::{Layer, Layered, heaviest};
pub use load::{LoadError, MANAGED, Places, Settings, load};
pub use trust::Trust;
