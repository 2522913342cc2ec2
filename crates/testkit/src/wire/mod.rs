//! A server for tests that speaks as the real ones do: Anthropic Messages, OpenAI Responses, OpenAI Chat Completions.
//!
//! It reads a request with a reader of its own ([`decode`]), strictly: a second opinion on what the program sends. It
//! lets the scripted model answer, and writes the answer as the stream of the asked dialect ([`encode`]). What a
//! script calls a failure becomes the real thing here: a status, an error in the stream, a cut connection.
//!
//! The model's name says which script is played: the absolute path of a file, or `demo`, or whatever
//! [`ServerOptions::script`] is for. The address may have a path before `/v1/…`; failures of a script are counted for each
//! such path anew.

mod answer;
mod body;
pub mod decode;
mod encode;
mod fault;
mod log;
mod pairs;
mod refusal;
mod scripts;
mod seal;
mod server;
mod tls;
mod verify;

pub use fault::Fault;
pub use forelook_providers::WireFormat;
pub use log::{KeySeen, LoggedRequest};
pub use server::{ScriptedServer, ServerOptions};
pub use verify::verify;

/// All forms of wire.
pub const WIRE_FORMATS: [WireFormat; 3] = [WireFormat::Anthropic, WireFormat::Responses, WireFormat::Chat];
