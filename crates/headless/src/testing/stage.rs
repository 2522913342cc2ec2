//! What a scripted session does.

use std::collections::BTreeMap;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use forelook_protocol::*;

use super::Outbox;
use super::samples::{START, edits, path, question, review, reviewed, status, turn_ended, uuid};

/// What a scripted session can do.
pub(crate) struct Stage {
    outbox: Arc<Outbox>,
    stdin: Option<mpsc::Sender<String>>,
    /// The turn that runs.
    turn: Option<TurnId>,
    turns: u64,
    /// What the command that is being carried out started.
    accepted: CommandAccepted,
    pub(crate) mode: Mode,
    /// What there is to see of plans.
    pub(crate) shown: PlanReply,
    pub(crate) commands: Vec<Command>,
    pub(crate) model: String,
    /// What the model can call.
    pub(crate) tools: Vec<String>,
    /// What there is to choose from.
    pub(crate) models: Vec<ModelInfo>,
    pub(crate) spent: BTreeMap<String, ModelUsage>,
    /// What runs beside the conversation.
    pub(crate) tasks: Vec<Task>,
    /// What stood in the journal before a front end came.
    pub(crate) journal: Vec<Arc<Entry>>,
    /// How often that was read.
    pub(super) journal_reads: usize,
    entries: u64,
}

impl Stage {
    pub(super) fn new(outbox: Arc<Outbox>, stdin: mpsc::Sender<String>) -> Self {
        Self {
            outbox,
            stdin: Some(stdin),
            turn: None,
            turns: 0,
            accepted: CommandAccepted::Nothing,
            mode: Mode::Default,
            shown: PlanReply::Current {
                path: path(),
                plan: review().plan,
                problem: None,
                editor: Some("vi".into()),
            },
            commands: Vec::new(),
            model: "demo".into(),
            tools: vec!["Read".into(), "ExitPlanMode".into()],
            models: Vec::new(),
            spent: BTreeMap::new(),
            tasks: Vec::new(),
            journal: Vec::new(),
            journal_reads: 0,
            entries: 0x100,
        }
    }

    /// What was started since this was last asked.
    pub(super) fn accepted(&mut self) -> CommandAccepted {
        std::mem::replace(&mut self.accepted, CommandAccepted::Nothing)
    }

    pub(crate) fn live(&self, live: LiveEvent) {
        self.outbox.push(Event::Live(live));
    }

    /// Later, when the front end has heard everything else.
    pub(crate) fn live_after(&self, wait: Duration, live: LiveEvent) {
        let outbox = Arc::clone(&self.outbox);
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            outbox.push(Event::Live(live));
        });
    }

    /// Records an entry of the main agent's, or of a subagent's.
    pub(crate) fn record(&mut self, agent: Option<&str>, body: EntryBody) {
        self.entries += 1;
        let id = EntryId(uuid(self.entries));
        match (&body, agent, self.turn) {
            (EntryBody::TurnStarted(started), None, _) => {
                self.turn = Some(started.turn);
                self.accepted = CommandAccepted::Turn(started.turn);
            }
            (EntryBody::PromptQueued(_), None, Some(behind)) => {
                self.accepted = CommandAccepted::Queued { prompt: id, behind }
            }
            (EntryBody::TurnEnded(_), None, _) => self.turn = None,
            (EntryBody::PlanReviewed(reviewed), None, _) => self.mode = reviewed.mode_state.mode(),
            (EntryBody::ModeChanged(set), None, _) => self.mode = set.mode_state.mode(),
            (EntryBody::ModelChanged(set), None, _) => self.model.clone_from(&set.model),
            _ => {}
        }
        let entry = Entry {
            id,
            parent: None,
            time: START + Duration::from_secs(self.entries),
            agent: agent.map(|id| AgentId(id.into())),
            body,
        };
        self.outbox.push(Event::Recorded(Arc::new(entry)));
    }

    pub(super) fn status(&self) -> Status {
        let (model, spent, tools) = (self.model.clone(), self.spent.clone(), self.tools.clone());
        Status { mode: self.mode, model, spent, tools, ..status() }
    }

    /// Where events wait.
    pub(super) fn outbox(&self) -> Arc<Outbox> {
        Arc::clone(&self.outbox)
    }

    /// A piece of an answer, of the main agent's or of a subagent's.
    pub(crate) fn piece(&self, agent: Option<&str>, event: AnswerEvent) {
        self.live(LiveEvent::Answer { agent: agent.map(|id| AgentId(id.into())), event });
    }

    /// The host, or the person, writes a line.
    pub(crate) fn types(&self, line: impl ToString) {
        if let Some(stdin) = &self.stdin {
            let _ = stdin.send(line.to_string());
        }
    }

    /// Standard input ends.
    pub(crate) fn hangs_up(&mut self) {
        self.stdin = None;
    }

    pub(crate) fn begins(&mut self, words: &str) {
        self.begins_with(words, None);
    }

    /// A turn has been running for a while.
    pub(crate) fn runs(&mut self, turn: TurnId) {
        (self.turn, self.turns) = (Some(turn), turn.0);
    }

    /// A turn begins with a prompt that waited.
    pub(crate) fn begins_with(&mut self, words: &str, queued: Option<EntryId>) {
        self.turns += 1;
        self.record(None, EntryBody::TurnStarted(TurnStarted { turn: TurnId(self.turns) }));
        let prompt = PromptAccepted::person(vec![UserBlock::text(words)]);
        self.record(None, EntryBody::PromptAccepted(PromptAccepted { queued, ..prompt }));
    }

    /// A prompt waits.
    pub(crate) fn queues(&mut self, prompt: &Prompt) -> EntryId {
        self.record(None, EntryBody::PromptQueued(PromptQueued { prompt: prompt.clone() }));
        EntryId(uuid(self.entries))
    }

    pub(crate) fn ends(&mut self, reason: EndReason) {
        let turn = self.turn.expect("a turn ends that never began");
        self.record(None, EntryBody::TurnEnded(turn_ended(turn, reason)));
    }

    /// The plan in the person's editor.
    pub(crate) fn edits(&mut self, editor: &str, state: EditorState) {
        self.live(edits(editor, state));
    }

    pub(crate) fn says(&mut self, agent: Option<&str>, words: &str) {
        self.answers(agent, vec![AnswerBlock::Text { text: words.into() }]);
    }

    pub(crate) fn calls(&mut self, agent: Option<&str>, id: &str, name: &str, input: serde_json::Value) {
        let call = ToolCall { id: CallId(id.into()), name: name.into(), input };
        self.answers(agent, vec![AnswerBlock::ToolUse(call)]);
    }

    /// Several calls in one answer, each with its id, name and input.
    pub(crate) fn calls_all(&mut self, agent: Option<&str>, calls: &[(&str, &str, serde_json::Value)]) {
        let call = |(id, name, input): &(&str, &str, serde_json::Value)| {
            AnswerBlock::ToolUse(ToolCall {
                id: CallId((*id).into()),
                name: (*name).into(),
                input: input.clone(),
            })
        };
        self.answers(agent, calls.iter().map(call).collect());
    }

    fn answers(&mut self, agent: Option<&str>, blocks: Vec<AnswerBlock>) {
        let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
        let (message, model, stop) = ("m".to_owned(), "demo".to_owned(), StopReason::EndTurn);
        let answered = ModelAnswered {
            message,
            model,
            blocks,
            wrapped: Vec::new(),
            stop,
            usage,
            cost: None,
            took_ms: 1,
        };
        self.record(agent, EntryBody::ModelAnswered(answered));
    }

    pub(crate) fn finishes(&mut self, agent: Option<&str>, id: &str, status: CallStatus) {
        let mut result = ToolResult::ok(CallId(id.into()), "the result");
        result.is_error = status != CallStatus::Ran;
        let output = (status == CallStatus::Ran).then(|| serde_json::json!({"lines": 1}));
        self.record(
            agent,
            EntryBody::ToolFinished(ToolFinished { result, status, effects: Vec::new(), output }),
        );
    }

    pub(crate) fn finishes_with(&mut self, agent: Option<&str>, id: &str, words: &str) {
        let result = ToolResult::ok(CallId(id.into()), words);
        let (status, effects, output) = (CallStatus::Ran, Vec::new(), None);
        self.record(agent, EntryBody::ToolFinished(ToolFinished { result, status, effects, output }));
    }

    pub(crate) fn starts_agent(&mut self, agent: &str, call: &str) {
        let started = AgentStarted {
            call: CallId(call.into()),
            kind: "Explore".into(),
            description: format!("Look for {agent}"),
            model: "demo".into(),
            mode: None,
            read_only: true,
        };
        self.record(Some(agent), EntryBody::AgentStarted(started));
    }

    pub(crate) fn asks(&mut self, number: u64, ask: HostAsk) {
        self.record(None, EntryBody::QuestionOpened(QuestionOpened { question: question(number, ask) }));
    }

    pub(crate) fn closes(&mut self, number: u64, answer: HostAnswer) {
        self.record(
            None,
            EntryBody::QuestionClosed(QuestionClosed::by_session(RequestId(uuid(number)), answer)),
        );
    }

    /// Another front end answers.
    pub(crate) fn answers_elsewhere(&mut self, number: u64, answer: HostAnswer) {
        let by = AnsweredBy::FrontEnd { id: FrontEndId(9), name: "web page".into() };
        self.record(
            None,
            EntryBody::QuestionClosed(QuestionClosed { question: RequestId(uuid(number)), answer, by }),
        );
    }

    pub(crate) fn reviews(&mut self, number: u64, answer: PlanAnswer) {
        let (question, call) = (Some(RequestId(uuid(number))), Some(CallId(format!("call_{number}"))));
        self.record(None, EntryBody::PlanReviewed(PlanReviewed { question, call, ..reviewed(answer) }));
    }
}
