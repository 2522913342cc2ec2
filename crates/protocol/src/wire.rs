//! The protocol between a session and a front end in another process, with one JSON object per line.
//!
//! A front end's first line is [`ClientFrame::Attach`]; the first line back is [`SessionFrame::Attached`] or
//! [`SessionFrame::Closed`]. After that, each side sends lines at any time. An answer repeats the ID of what it
//! answers; events that a command caused come before the answer to the command.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Command, CommandAccepted, CommandError, Event, FrontEnd, Query, Reply, SessionSnapshot};

/// The protocol version of this program.
pub const WIRE_VERSION: WireVersion = WireVersion { major: 1, minor: 0 };

/// A protocol version. A different major version is incompatible; a higher minor version adds fields and kinds that can
/// be ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireVersion {
    /// Changes when an older program would misunderstand something.
    pub major: u32,
    /// Changes for everything else.
    pub minor: u32,
}

impl WireVersion {
    /// Whether the two versions are compatible.
    pub fn is_compatible_with(self, other: Self) -> bool {
        self.major == other.major
    }
}

impl std::fmt::Display for WireVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A line from a front end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClientFrame {
    /// The first line: attaches the front end.
    Attach {
        /// The version that the front end speaks.
        version: WireVersion,
        /// Its name, and the requests it can answer.
        front_end: FrontEnd,
        /// Whether it wants only complete responses, not partial ones.
        #[serde(default)]
        whole_answers: bool,
    },
    /// Sends a command.
    Command {
        /// Chosen by the front end; the answer repeats it.
        id: u64,
        /// The command.
        command: Command,
    },
    /// Sends a query.
    Query {
        /// Chosen by the front end; the answer repeats it.
        id: u64,
        /// The query.
        query: Query,
    },
}

/// A line from a session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionFrame {
    /// The front end is attached.
    Attached {
        /// The version that the session speaks.
        version: WireVersion,
        /// The current state; every event after it is newer.
        snapshot: Box<SessionSnapshot>,
    },
    /// A command was accepted.
    Accepted {
        /// The ID of the command.
        id: u64,
        /// What it started.
        accepted: CommandAccepted,
    },
    /// The answer to a query.
    Reply {
        /// The ID of the query.
        id: u64,
        /// The answer.
        reply: Reply,
    },
    /// A command or query was refused.
    Refused {
        /// The ID of the command or query.
        id: u64,
        /// The reason, as a message for people.
        message: String,
        /// The reason, as data.
        refused: CommandError,
    },
    /// An event.
    Event(Event),
    /// A line could not be understood and was ignored.
    NotUnderstood {
        /// The reason.
        message: String,
    },
    /// The connection is closed; nothing follows.
    Closed {
        /// The reason, if the session has not ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Delivery, EntryId, HostAnswer, LiveEvent, Origin, Prompt, RequestId, TurnId, UserBlock};
    use serde_json::json;

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    #[test]
    fn lines_of_a_front_end() {
        let prompt = Prompt {
            content: vec![UserBlock::text("hi")],
            delivery: Delivery::NextTurn,
            origin: Origin::Person,
            mentions: crate::Mentions::default(),
        };
        let request: RequestId = ID.parse().unwrap();
        for (frame, line) in [
            (
                ClientFrame::Attach {
                    version: WIRE_VERSION,
                    front_end: FrontEnd::watching("log"),
                    whole_answers: true,
                },
                json!({"attach": {"version": {"major": 1, "minor": 0},
                    "front_end": {"name": "log", "answers": []}, "whole_answers": true}}),
            ),
            (
                ClientFrame::Command { id: 1, command: Command::Prompt(prompt) },
                json!({"command": {"id": 1, "command": {"prompt": {"content": [{"type": "text", "text": "hi"}],
                    "delivery": "next_turn", "origin": {"type": "person"}}}}}),
            ),
            (
                ClientFrame::Command { id: 2, command: Command::Interrupt },
                json!({"command": {"id": 2, "command": "interrupt"}}),
            ),
            (
                ClientFrame::Command {
                    id: 3,
                    command: Command::Answer { request, answer: HostAnswer::yes() },
                },
                json!({"command": {"id": 3, "command": {"answer": {"request": ID, "answer": {"type": "allow"}}}}}),
            ),
            (
                ClientFrame::Query { id: 4, query: Query::Plan(crate::PlanQuery::Diff) },
                json!({"query": {"id": 4, "query": {"plan": "diff"}}}),
            ),
        ] {
            assert_eq!(serde_json::to_value(&frame).unwrap(), line);
            assert_eq!(serde_json::from_value::<ClientFrame>(line).unwrap(), frame);
        }
    }

    #[test]
    fn an_entry_survives_the_wire_to_the_letter() {
        let entry = format!(
            r#"{{"id":"{ID}","parent":null,"time":"2026-01-02T03:04:05Z","kind":"telepathy","data":{{"x": [1,  2.50]}}}}"#
        );
        let line = format!(r#"{{"event":{{"recorded":{entry}}}}}"#);
        let frame: SessionFrame = serde_json::from_str(&line).unwrap();
        let SessionFrame::Event(Event::Recorded(read)) = &frame else { panic!("{frame:?}") };
        assert_eq!(read.body.kind(), "telepathy");
        assert_eq!(serde_json::to_string(&frame).unwrap(), line);
    }

    #[test]
    fn lines_of_a_session() {
        let queued = CommandAccepted::Queued { prompt: EntryId(ID.parse().unwrap()), behind: TurnId(2) };
        for (frame, line) in [
            (
                SessionFrame::Accepted { id: 1, accepted: CommandAccepted::Turn(TurnId(3)) },
                json!({"accepted": {"id": 1, "accepted": {"turn": 3}}}),
            ),
            (
                SessionFrame::Accepted { id: 1, accepted: queued },
                json!({"accepted": {"id": 1, "accepted": {"queued": {"prompt": ID, "behind": 2}}}}),
            ),
            (SessionFrame::Event(Event::Live(LiveEvent::Closed)), json!({"event": {"live": "closed"}})),
            (SessionFrame::Closed { message: None }, json!({"closed": {}})),
        ] {
            assert_eq!(serde_json::to_value(&frame).unwrap(), line);
            let again: SessionFrame = serde_json::from_value(line.clone()).unwrap();
            assert_eq!(serde_json::to_value(&again).unwrap(), line);
        }
    }
}
