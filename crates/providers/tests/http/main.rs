//! The transport, from outside: real sockets on this machine, every way in which a server can be odd.
#![expect(clippy::panic, clippy::unwrap_used, reason = "helpers stop at the first surprise")]
#![expect(clippy::disallowed_methods, reason = "it is measured how long things take")]

mod client;
mod connecting;
mod cut;
mod keys;
mod limits;
mod reuse;
mod secure;
mod server;
mod statuses;
mod streaming;
mod tunnel;
