//! HTTP clients: proxies, certificates, private addresses.
//!
//! [`Connections`] makes the clients of the program, when they are first needed. Whoever fetches for a model what a
//! stranger's text may have named takes [`Purpose::PublicPages`]: its clients reach nothing but the public internet, and
//! that is checked on the very addresses that are connected to. [`addresses`] says which those are. [`gate`] is the way
//! out for programs that a fence lets reach us and nobody else.

pub mod addresses;
mod connections;
pub mod gate;
mod names;
mod proxy;
mod trouble;

pub use connections::{CONNECT, Connections, Network, NotReady, Purpose};
pub use names::{NameNotFound, Names, NotPublicName, SystemNames};
pub use proxy::is_loopback;
pub use trouble::{Trouble, root, trouble};
