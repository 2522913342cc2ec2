//! Things to talk about.

use forelook_protocol::*;
use jiff::Timestamp;
use uuid::Uuid;

/// An answer of the main agent's, by itself.
pub(crate) fn answer(blocks: Vec<AnswerBlock>) -> Entry {
    let (message, model, stop) = ("m".to_owned(), "demo".to_owned(), StopReason::ToolUse);
    let answered = ModelAnswered {
        message,
        model,
        blocks,
        wrapped: Vec::new(),
        stop,
        usage: Usage::default(),
        cost: None,
        took_ms: 1,
    };
    entry(1, EntryBody::ModelAnswered(answered))
}

/// An entry of the main agent's, by itself.
pub(crate) fn entry(number: u64, body: EntryBody) -> Entry {
    Entry { id: EntryId(uuid(number)), parent: None, time: START, agent: None, body }
}

pub(super) const START: Timestamp = Timestamp::UNIX_EPOCH;

pub(crate) fn turn_ended(turn: TurnId, reason: EndReason) -> TurnEnded {
    let (usage, cost) = (Usage::default(), Cost::default());
    TurnEnded { turn, reason, answers: 1, usage, cost, took_ms: 1, model_ms: 1 }
}

pub(crate) fn edits(editor: &str, state: EditorState) -> LiveEvent {
    LiveEvent::PlanEditor(PlanEditor { path: path(), editor: editor.into(), state })
}

pub(crate) fn uuid(number: u64) -> Uuid {
    Uuid::from_u128(u128::from(number))
}

pub(crate) fn question(number: u64, ask: HostAsk) -> HostRequest {
    HostRequest {
        id: RequestId(uuid(number)),
        call: Some(CallId(format!("call_{number}"))),
        agent: None,
        ask,
    }
}

/// The third attempt of ten.
pub(crate) fn retry(message: &str, wait_ms: u64) -> Retry {
    let failure = ProviderFailure::new(FailureKind::Overloaded, message);
    Retry {
        failure: ProviderFailure { status: Some(529), ..failure },
        attempt: 3,
        max_attempts: 10,
        wait_ms,
        fallback: None,
    }
}

/// A model with a window of 200,000 tokens; what a token costs, read and written.
pub(crate) fn model(name: &str, price: Option<(u64, u64)>) -> ModelInfo {
    let price = price.map(|(input, output)| Price {
        input: Cost(input),
        output: Cost(output),
        cache_read: Cost(input / 10),
        cache_write: Cost(input),
    });
    let title = name.split('/').next_back().unwrap().to_uppercase();
    let (name, window) = (name.to_owned(), Some(200_000));
    ModelInfo { name, title, window, output: None, price, missing: None }
}

pub(crate) fn status() -> Status {
    Status {
        session: SessionId(uuid(0)),
        folder: AbsPath::new("/w").unwrap(),
        mode: Mode::Default,
        model: "demo".into(),
        window: None,
        tools: vec!["Read".into()],
        spent: Default::default(),
        todos: Vec::new(),
        plan: Some(path()),
        agents: vec![AgentInfo { name: "Explore".into(), description: "Finds out".into() }],
        unavailable_modes: [(Mode::Auto, "this version has no classifier".to_owned())].into(),
    }
}

/// A session in which nothing happens.
pub(crate) fn snapshot() -> SessionSnapshot {
    SessionSnapshot {
        front_end: FrontEndId(1),
        status: status(),
        last: None,
        turn: None,
        queue: Vec::new(),
        shells: Vec::new(),
        requests: Vec::new(),
    }
}

pub(crate) fn path() -> AbsPath {
    AbsPath::new("/plans/calm-weaving-otter.md").unwrap()
}

pub(crate) fn review() -> PlanReview {
    PlanReview {
        path: path(),
        plan: Some("# Add a flag\n\n1. Read the arguments\n2. Act on the flag, which is a long step and needs more than one line\n".into()),
        hash: "abc123".into(),
        length: PlanLength { characters: 1_830, lines: 4, rejected_percent: 20 },
        changes: Some("@@ -3 +3 @@\n-1. Guess\n+1. Read the arguments\n".into()),
        before: Mode::Default,
        modes: vec![Mode::Default, Mode::AcceptEdits],
        unavailable: Vec::new(),
        problem: None,
        from: None,
        rehearsal: None,
    }
}

/// Three files that were tried.
pub(crate) fn rehearsal() -> Rehearsal {
    let file = |path: &str, change, added, removed| RehearsedFile {
        path: AbsPath::new(path).unwrap(),
        change,
        added,
        removed,
        protected: false,
    };
    Rehearsal {
        files: vec![
            file("/w/src/main.rs", FileChange::Changed, 1, 1),
            file("/w/src/new.rs", FileChange::Added, 12, 0),
            file("/w/old.txt", FileChange::Removed, 0, 3),
        ],
        ignored: 2,
        diff: "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1 +1 @@\n-a\n+b\n".into(),
        hash: "r1".into(),
    }
}

pub(crate) fn reviewed(answer: PlanAnswer) -> PlanReviewed {
    let mut mode_state = ModeState::default();
    if matches!(answer, PlanAnswer::KeepPlanning { .. }) {
        mode_state = ModeState::new(Mode::Plan);
    }
    PlanReviewed {
        question: Some(RequestId(uuid(1))),
        call: Some(CallId("call_1".into())),
        by: Reviewer::Person,
        through: AnsweredBy::Session,
        answer,
        path: path(),
        proposed: None,
        shown: "abc123".into(),
        plan: review().plan,
        mode_state,
        why: None,
    }
}
