//! HTTP clients: proxies, certificates, private addresses.
//!
//! [`Connections`] makes the clients of the program, when they are first needed. Whoever fetches for a model what a
//! stranger's text may have named takes [`Purpose::PublicPages`]: its clients reach nothing but the public internet, and
//! that is checked on the very addresses that are connected to. [`addresses`] says which those are. [`gate`] is the way
//! out for programs that a fence lets reach us and nobody else.

pub mod addresses;
mod connections;
pub mod gate;
mod proxy;
mod resolver;
mod transport_error;

pub use connections::{CONNECT_TIMEOUT, ClientSetupError, Connections, NetworkConfig, Purpose};
pub use proxy::is_loopback;
pub use resolver::{NameNotFound, NameResolver, NotPublicName, SystemResolver};
pub use transport_error::{TransportError, classify_error, root_cause};
