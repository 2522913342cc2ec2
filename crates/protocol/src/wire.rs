//! The protocol between processes: what a front end elsewhere and a session say to each other, one JSON object a line.
//!
//! The first line of a front end is [`ClientFrame::Attach`]; the first line back is [`SessionFrame::Attached`] or
//! [`SessionFrame::Closed`]. Then each side speaks when it has something to say. Answers name the id of what they answer;
//! an event that a command caused stands before the answer to the command.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Accepted, Command, Event, FrontEnd, Query, Refused, Reply, Snapshot};

/// The version of the protocol that this program speaks.
pub const WIRE_VERSION: WireVersion = WireVersion { major: 1, minor: 0 };

/// A version. Another major number cannot be understood; a larger minor one has fields and kinds that may be passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireVersion {
    /// Changes with everything that an older program would misunderstand.
    pub major: u32,
    /// Changes with everything else.
    pub minor: u32,
}

impl WireVersion {
    /// Whether the two can speak with each other.
    pub fn understands(self, other: Self) -> bool {
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
    /// Who it is. Always the first line.
    Attach {
        /// The version that it speaks.
        version: WireVersion,
        /// What it is called and can answer.
        front_end: FrontEnd,
        /// Whether it does without the pieces of answers while they arrive.
        #[serde(default)]
        whole_answers: bool,
    },
    /// Something to do.
    Command {
        /// Chosen by the front end; the answer has the same.
        id: u64,
        /// What.
        command: Command,
    },
    /// Something to be told.
    Query {
        /// Chosen by the front end; the answer has the same.
        id: u64,
        /// What.
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
        /// How things stand; every event comes later.
        snapshot: Box<Snapshot>,
    },
    /// A command was accepted.
    Accepted {
        /// Which.
        id: u64,
        /// What it started.
        accepted: Accepted,
    },
    /// The answer to a query.
    Reply {
        /// Which.
        id: u64,
        /// The answer.
        reply: Reply,
    },
    /// A command or query was refused.
    Refused {
        /// Which.
        id: u64,
        /// Why, in words.
        message: String,
        /// Why.
        refused: Refused,
    },
    /// Something happened.
    Event(Event),
    /// A line was not understood; nothing was done about it.
    NotUnderstood {
        /// Why.
        message: String,
    },
    /// Nothing follows.
    Closed {
        /// Why, where it is not the end of the session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Delivery, EntryId, HostAnswer, Live, Origin, Prompt, RequestId, TurnId, UserBlock};
    use serde_json::json;

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    #[test]
    fn lines_of_a_front_end() {
        let prompt = Prompt {
            content: vec![UserBlock::text("hi")],
            delivery: Delivery::NextTurn,
            origin: Origin::Person,
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
        let queued = Accepted::Queued { prompt: EntryId(ID.parse().unwrap()), behind: TurnId(2) };
        for (frame, line) in [
            (
                SessionFrame::Accepted { id: 1, accepted: Accepted::Turn(TurnId(3)) },
                json!({"accepted": {"id": 1, "accepted": {"turn": 3}}}),
            ),
            (
                SessionFrame::Accepted { id: 1, accepted: queued },
                json!({"accepted": {"id": 1, "accepted": {"queued": {"prompt": ID, "behind": 2}}}}),
            ),
            (SessionFrame::Event(Event::Live(Live::Closed)), json!({"event": {"live": "closed"}})),
            (SessionFrame::Closed { message: None }, json!({"closed": {}})),
        ] {
            assert_eq!(serde_json::to_value(&frame).unwrap(), line);
            let again: SessionFrame = serde_json::from_value(line.clone()).unwrap();
            assert_eq!(serde_json::to_value(&again).unwrap(), line);
        }
    }
}
