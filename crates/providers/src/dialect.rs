//! What the three kinds of servers have in common: a request is bytes, an answer is a stream of events.

use bytes::Bytes;
use forelook_protocol::{AnswerEvent, ProviderFailure, Secret};

use crate::{ModelFacts, Request, WireFormat};

/// How one kind of server is spoken to. Pure: no connection, no clock.
pub(crate) trait Dialect: Send + Sync {
    /// Its form.
    fn wire_format(&self) -> WireFormat;

    /// Where answers are asked for, below the server's base address.
    fn path(&self) -> &'static str;

    /// What must stand in the head of a request; nothing of it is ever printed.
    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)>;

    /// The body of a request for a streamed answer.
    fn body(&self, request: &Request, facts: &ModelFacts) -> Bytes;

    /// Reads one answer.
    fn parser(&self) -> Box<dyn StreamParser>;

    /// What the server means by an answer that is no stream. `text` is its body as far as it is JSON of some kind;
    /// `status` and the time to wait are set by whoever has the headers. Nothing: the body says nothing, and the status
    /// alone counts.
    fn failure_of(&self, status: u16, text: &str) -> Option<ProviderFailure>;

    /// Where tokens are counted, below the server's base address, and the body that asks for it. Nothing: such a server
    /// counts no tokens.
    fn count_request(&self, _request: &Request, _facts: &ModelFacts) -> Option<(&'static str, Bytes)> {
        None
    }

    /// The number in the answer to that.
    fn parse_count(&self, _text: &str) -> Option<u64> {
        None
    }
}

/// Reads the events of one answer.
pub(crate) trait StreamParser: Send {
    /// Takes one event: its name (empty where it has none) and its data. What it means is added to `out`; a failure is
    /// an [`AnswerEvent::Failed`], the end an [`AnswerEvent::Done`], and after either nothing more is read.
    fn event(&mut self, name: &str, data: &str, out: &mut Vec<AnswerEvent>);

    /// Whether the answer is complete, though the server may still say what it cost. If it says nothing more, this was all.
    fn is_complete(&self) -> bool {
        false
    }

    /// The server has closed the stream, and neither end nor failure was seen: adds the `Done` if the answer is whole
    /// all the same, else a `Failed` of kind `Connection`.
    fn closed(&mut self, out: &mut Vec<AnswerEvent>);
}
