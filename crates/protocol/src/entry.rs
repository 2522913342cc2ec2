//! The journal, line by line.
//!
//! A line is `{"id", "parent", "time", "agent"?, "kind", "data"}`. `kind` stands before `data`, so that a
//! loader knows what to read; a kind it does not know is kept as raw text and passed over.

use std::sync::Arc;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{
    AbsPath, AgentEnded, AgentId, AgentStarted, AnswerBlock, AnsweredBy, CallId, Confinement, Cost, Decision,
    Effect, EntryId, FileSnapshot, HostAnswer, HostRequest, Origin, PermissionUpdate, PlanNamed, Prompt,
    ProviderFailure, RehearsalApplied, RequestId, Reviewed, SessionId, Standing, StopReason, ToolResult,
    TurnId, TurnStarted, Usage, UserBlock,
};

/// The version of the journal's form that this program writes.
pub const FORMAT: u32 = 1;

/// One line of a journal.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its id.
    pub id: EntryId,
    /// The entry it follows, nothing for the first.
    pub parent: Option<EntryId>,
    /// When it was written.
    pub time: Timestamp,
    /// Whose it is; nothing for the main agent.
    pub agent: Option<AgentId>,
    /// What happened.
    pub body: Body,
}

/// A line that is not an entry.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// Not the JSON of an entry.
    #[error("Not an entry: {0}")]
    Shape(#[source] serde_json::Error),
    /// A known kind with data that does not fit it.
    #[error("An entry of kind `{kind}` with data that does not fit: {source}")]
    Data {
        /// The kind.
        kind: String,
        /// What does not fit.
        source: serde_json::Error,
    },
}

macro_rules! bodies {
    ($($(#[$doc:meta])* $variant:ident($data:ty) = $kind:literal,)*) => {
        /// What happened.
        #[derive(Debug, Clone)]
        pub enum Body {
            $($(#[$doc])* $variant($data),)*
            /// A kind that this version does not know: kept, and passed over.
            Unknown {
                /// The kind.
                kind: String,
                /// The data as it stands in the file.
                data: Arc<RawValue>,
            },
        }

        impl Body {
            /// The kind, as it stands in the file.
            pub fn kind(&self) -> &str {
                match self {
                    $(Body::$variant(_) => $kind,)*
                    Body::Unknown { kind, .. } => kind,
                }
            }

            fn parse(kind: &str, data: &RawValue) -> Result<Self, serde_json::Error> {
                Ok(match kind {
                    $($kind => Body::$variant(serde_json::from_str(data.get())?),)*
                    _ => Body::Unknown { kind: kind.to_owned(), data: Arc::from(data.to_owned()) },
                })
            }

            fn serialize_data<S: SerializeStruct>(&self, line: &mut S) -> Result<(), S::Error> {
                match self {
                    $(Body::$variant(data) => line.serialize_field("data", data),)*
                    Body::Unknown { data, .. } => line.serialize_field("data", &**data),
                }
            }

            /// For every kind, what a line of it has beside id, parent, time and agent.
            fn schemas(generator: &mut SchemaGenerator) -> Vec<Schema> {
                vec![$({
                    let data = generator.subschema_for::<$data>();
                    json_schema!({
                        "properties": { "kind": { "const": $kind }, "data": data },
                        "required": ["kind", "data"],
                    })
                },)*]
            }
        }
    };
}

bodies! {
    /// The first line: which session this is.
    Session(Header) = "session",
    /// A turn of the main agent's begins.
    TurnStarted(TurnStarted) = "turn_started",
    /// A prompt came while a turn was running, and waits.
    Queued(Queued) = "queued",
    /// A prompt reached the conversation.
    Prompt(PromptAccepted) = "prompt",
    /// A hook keeps the last prompt from the model.
    PromptBlocked(PromptBlocked) = "prompt_blocked",
    /// The model answered.
    Answer(Answered) = "answer",
    /// It was decided whether a call may run.
    Decision(Decided) = "decision",
    /// A call is about to run.
    Started(Started) = "started",
    /// A call ended, or was answered without running.
    Finished(Finished) = "finished",
    /// The small model answered a question that a call had.
    SmallAnswer(SmallAnswered) = "small_answer",
    /// A line of the person's own is about to run.
    ShellStarted(ShellStarted) = "shell_started",
    /// A line of the person's own has ended.
    ShellEnded(ShellEnded) = "shell_ended",
    /// A question waits for a person.
    Question(Opened) = "question",
    /// A question was closed.
    Reply(Replied) = "reply",
    /// A plan was reviewed: closes its question and sets the mode, in one.
    Review(Reviewed) = "review",
    /// What was rehearsed has been done for real, as the person wanted.
    RehearsalApplied(RehearsalApplied) = "rehearsal_applied",
    /// The plan has a name and a file.
    PlanNamed(PlanNamed) = "plan_named",
    /// A file was kept as it stood.
    FileSnapshot(FileSnapshot) = "file_snapshot",
    /// A subagent begins; the entry is its own.
    AgentStarted(AgentStarted) = "agent_started",
    /// A subagent has ended.
    AgentEnded(AgentEnded) = "agent_ended",
    /// The mode changed.
    Mode(ModeSet) = "mode",
    /// The permissions of this session changed.
    Permission(PermissionSet) = "permission",
    /// The model is told something that neither the person nor a tool said.
    Reminder(Reminder) = "reminder",
    /// Another model is used.
    Model(ModelSet) = "model",
    /// A turn ended.
    TurnEnd(TurnEnded) = "turn_end",
}

impl Body {
    /// Whether the line must have reached the disk itself before anyone hears of it, so that not even a
    /// power cut can undo it. Everything else survives a kill at once, and a power cut after 200 ms.
    pub fn must_reach_disk(&self) -> bool {
        match self {
            Body::Reply(_)
            | Body::Review(_)
            | Body::RehearsalApplied(_)
            | Body::FileSnapshot(_)
            | Body::Mode(_)
            | Body::Permission(_)
            | Body::TurnEnd(_) => true,
            Body::Session(_)
            | Body::TurnStarted(_)
            | Body::Queued(_)
            | Body::Prompt(_)
            | Body::PromptBlocked(_)
            | Body::Answer(_)
            | Body::Decision(_)
            | Body::Started(_)
            | Body::Finished(_)
            | Body::SmallAnswer(_)
            | Body::ShellStarted(_)
            | Body::ShellEnded(_)
            | Body::Question(_)
            | Body::PlanNamed(_)
            | Body::AgentStarted(_)
            | Body::AgentEnded(_)
            | Body::Model(_)
            | Body::Reminder(_)
            | Body::Unknown { .. } => false,
        }
    }
}

/// Which session a journal is of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// The form of the lines that follow.
    pub format: u32,
    /// The session.
    pub session: SessionId,
    /// The folder it works in.
    pub folder: AbsPath,
    /// The version of the program that began it.
    pub program: String,
    /// The session whose history this one began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<SessionId>,
}

/// A prompt that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Queued {
    /// What the person said, and when it is wanted.
    pub prompt: Prompt,
}

/// A prompt that reached the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptAccepted {
    /// What was said.
    pub content: Vec<UserBlock>,
    /// Where it came from.
    pub origin: Origin,
    /// The entry with which it was queued, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<EntryId>,
}

impl PromptAccepted {
    /// Words of a person's that did not wait.
    pub fn person(content: Vec<UserBlock>) -> Self {
        Self { content, origin: Origin::Person, queued: None }
    }

    /// The plan that is to be carried out, where the conversation begins with one.
    pub fn plan(&self) -> Option<&str> {
        match &self.origin {
            Origin::Plan { plan } => Some(plan),
            _ => None,
        }
    }
}

/// A prompt that never reaches the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptBlocked {
    /// The hook's words.
    pub reason: String,
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answered {
    /// The provider's id of the message.
    pub message: String,
    /// The model that answered.
    pub model: String,
    /// What it said.
    pub blocks: Vec<AnswerBlock>,
    /// Calls that the model sent through the generic tool, because their tools were not in its list. They stand in the
    /// blocks as what they are; only the model is shown them again as it sent them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrapped: Vec<CallId>,
    /// Why it stopped.
    pub stop: StopReason,
    /// Tokens.
    pub usage: Usage,
    /// What they cost, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Milliseconds from the request to the end of the answer.
    #[serde(default)]
    pub took_ms: u64,
}

/// What a question to the small model took. What it said is in the result of the call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SmallAnswered {
    /// The call that asked.
    pub call: CallId,
    /// The model that answered.
    pub model: String,
    /// Tokens.
    pub usage: Usage,
    /// What they cost, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Milliseconds from the request to the end of the answer.
    #[serde(default)]
    pub took_ms: u64,
}

/// What was decided about a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decided {
    /// The call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// The decision, with its reason.
    #[serde(flatten)]
    pub decision: Decision,
    /// Milliseconds it took, facts and hooks included.
    #[serde(default)]
    pub took_ms: u64,
}

/// A call that is about to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    /// The call.
    pub call: CallId,
    /// The input that it runs with, where a hook changed what the model sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// What the kernel holds it to.
    #[serde(default, skip_serializing_if = "Confinement::is_off")]
    pub within: Confinement,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finished {
    /// What the model is told.
    pub result: ToolResult,
    /// How it ended.
    pub verdict: Verdict,
    /// What it changes in the session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// The result in fields, for programs that watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It ran (whether it succeeded stands in the result).
    Ran,
    /// It was refused by a decision or a person.
    Denied,
    /// The call itself was wrong: unknown tool, input that does not fit.
    Invalid,
    /// It was stopped, or the program was, before it ended; it may have run in part.
    Interrupted,
}

/// A line of the person's own that is about to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShellStarted {
    /// What its output is told under.
    pub call: CallId,
    /// The line.
    pub command: String,
}

/// A line of the person's own that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShellEnded {
    /// What its output was told under.
    pub call: CallId,
    /// The line.
    pub command: String,
    /// What it wrote, cut as a tool's result is.
    pub output: String,
    /// How it ended, in a few words, where it was not with success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Where the shell left off, if that is another folder than the one it began in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<AbsPath>,
}

/// A question was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Opened {
    /// The question.
    pub question: HostRequest,
}

/// A question was closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replied {
    /// Which.
    pub question: RequestId,
    /// How.
    pub answer: HostAnswer,
    /// By whom.
    #[serde(default, skip_serializing_if = "AnsweredBy::is_session")]
    pub by: AnsweredBy,
}

impl Replied {
    /// Closed by the session itself.
    pub fn by_session(question: RequestId, answer: HostAnswer) -> Self {
        Self { question, answer, by: AnsweredBy::Session }
    }
}

/// The mode changed: how everything about it stands now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModeSet {
    /// From now on.
    pub standing: Standing,
    /// Why, where nobody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The permissions of this session changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionSet {
    /// How.
    pub update: PermissionUpdate,
}

/// Something the model is told beside what is said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reminder {
    /// What it is about.
    #[serde(flatten)]
    pub kind: ReminderKind,
    /// The words.
    pub text: String,
}

/// What a reminder is about, with what it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReminderKind {
    /// A hook of the person's.
    Hook,
    /// Planning is on.
    PlanMode {
        /// The whole workflow, or one line.
        full: bool,
        /// For a subagent, which gets a shorter text.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        subagent: bool,
        /// The plan file.
        path: AbsPath,
        /// Whether it exists.
        exists: bool,
    },
    /// Planning is on again, and there is a plan from before.
    PlanModeReentry {
        /// The plan file.
        path: AbsPath,
    },
    /// Planning is over.
    PlanModeExit {
        /// The plan file.
        path: AbsPath,
        /// Whether it exists.
        exists: bool,
    },
    /// The plan itself, for a conversation that lost it.
    PlanFileReference {
        /// The plan file.
        path: AbsPath,
        /// The plan.
        contents: String,
    },
    /// Auto mode is over.
    AutoModeExit,
    /// The agent only reads.
    ReadOnlyAgent,
    /// A shell that ran beside the conversation has ended.
    ShellEnded {
        /// Which.
        shell: String,
    },
    /// Commands from before planning go on.
    FromBefore,
    /// The person ran a line of their own.
    OwnLine {
        /// What its output was told under.
        call: CallId,
    },
    /// Tools of others joined or left. What a request begins with stays as it was sent; this is how the model hears.
    ToolsChanged {
        /// Those that can be called from now on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        joined: Vec<ToolJoined>,
        /// Those that cannot be called any more. One that says something else of itself than before is in both.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left: Vec<String>,
    },
}

/// A tool that joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolJoined {
    /// Its name.
    pub name: String,
    /// Changes whenever the tool says something else of itself.
    pub fingerprint: String,
}

/// Another model is used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelSet {
    /// From now on, as `provider/name`.
    pub model: String,
}

/// A turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnEnded {
    /// Which turn.
    pub turn: TurnId,
    /// Why.
    pub reason: EndReason,
    /// How many answers the model gave in it.
    pub answers: u32,
    /// Tokens of all of them.
    pub usage: Usage,
    /// What they cost, as far as prices are known; the agents' too.
    #[serde(default)]
    pub cost: Cost,
    /// Milliseconds it took.
    pub took_ms: u64,
    /// Milliseconds of these spent waiting for the model.
    pub model_ms: u64,
}

/// Why a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EndReason {
    /// The model was done.
    Done,
    /// The answer was cut off at the limit on output.
    MaxTokens,
    /// The model declined.
    Refusal,
    /// The allowed number of answers was used up.
    MaxTurns {
        /// The number.
        limit: u32,
    },
    /// A person stopped it.
    Interrupted,
    /// The provider gave no answer.
    Provider {
        /// What happened.
        failure: ProviderFailure,
    },
    /// The plan is the result: nothing is implemented.
    Planned {
        /// The plan file.
        path: AbsPath,
        /// The hash of the plan.
        hash: String,
    },
    /// The person put the plan aside.
    Parked,
    /// The person gave the plan up.
    Abandoned,
    /// The model tried the same thing that cannot be done again and again.
    Stuck {
        /// What it tried, and what to do.
        message: String,
    },
    /// A hook of the person's stopped it.
    Hook {
        /// The hook's words.
        message: String,
    },
    /// The program could not go on.
    Internal {
        /// What happened and what to do.
        message: String,
    },
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_struct("Entry", 6)?;
        line.serialize_field("id", &self.id)?;
        line.serialize_field("parent", &self.parent)?;
        line.serialize_field("time", &self.time)?;
        match &self.agent {
            Some(agent) => line.serialize_field("agent", agent)?,
            None => line.skip_field("agent")?,
        }
        line.serialize_field("kind", self.body.kind())?;
        self.body.serialize_data(&mut line)?;
        line.end()
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let line = Line::deserialize(deserializer)?;
        Entry::of(line).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Entry {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Entry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "One line of a journal. A kind that is not listed is to be passed over.",
            "type": "object",
            "properties": {
                "id": generator.subschema_for::<EntryId>(),
                "parent": generator.subschema_for::<Option<EntryId>>(),
                "time": generator.subschema_for::<Timestamp>(),
                "agent": generator.subschema_for::<AgentId>(),
                "kind": { "type": "string" },
                "data": true,
            },
            "required": ["id", "parent", "time", "kind", "data"],
            "anyOf": Body::schemas(generator),
        })
    }
}

/// A line before its data is looked at.
#[derive(Deserialize)]
struct Line {
    id: EntryId,
    parent: Option<EntryId>,
    time: Timestamp,
    #[serde(default)]
    agent: Option<AgentId>,
    kind: String,
    data: Box<RawValue>,
}

impl Entry {
    /// Reads one line.
    pub fn parse(line: &str) -> Result<Self, EntryError> {
        Self::of(serde_json::from_str(line).map_err(EntryError::Shape)?)
    }

    fn of(line: Line) -> Result<Self, EntryError> {
        let body = Body::parse(&line.kind, &line.data)
            .map_err(|source| EntryError::Data { kind: line.kind.clone(), source })?;
        Ok(Self { id: line.id, parent: line.parent, time: line.time, agent: line.agent, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    #[test]
    fn a_line_survives_reading_and_writing() {
        let line = format!(
            r#"{{"id":"{ID}","parent":null,"time":"2026-01-02T03:04:05Z","kind":"model","data":{{"model":"a/b"}}}}"#
        );
        let entry = Entry::parse(&line).unwrap();
        assert!(matches!(&entry.body, Body::Model(set) if set.model == "a/b"));
        assert_eq!(serde_json::to_string(&entry).unwrap(), line);
    }

    #[test]
    fn an_unknown_kind_is_kept_to_the_letter() {
        let line = format!(
            r#"{{"id":"{ID}","parent":"{ID}","time":"2026-01-02T03:04:05Z","agent":"a","kind":"telepathy","data":{{"x": [1,  2.50]}}}}"#
        );
        let entry = Entry::parse(&line).unwrap();
        assert_eq!(entry.body.kind(), "telepathy");
        assert_eq!(serde_json::to_string(&entry).unwrap(), line);
    }

    #[test]
    fn unknown_fields_of_a_known_kind_are_passed_over() {
        let line = format!(
            r#"{{"id":"{ID}","parent":null,"time":"2026-01-02T03:04:05Z","mood":"good","kind":"model","data":{{"model":"a/b","why":"x"}}}}"#
        );
        assert!(Entry::parse(&line).is_ok());
    }

    #[test]
    fn data_that_does_not_fit_names_the_kind() {
        let line = format!(
            r#"{{"id":"{ID}","parent":null,"time":"2026-01-02T03:04:05Z","kind":"mode","data":{{"standing":"warp"}}}}"#
        );
        assert!(Entry::parse(&line).unwrap_err().to_string().contains("kind `mode`"));
    }
}
