//! The state of a session: the fold of its journal, and nothing else.
//!
//! [`State::apply`] is the only mutation. Resuming is the same fold over the lines of a file, so what a
//! running session knows and what a resumed one knows cannot differ.

use std::collections::{BTreeMap, HashMap, VecDeque};

use forelook_permissions::{Denials, Turning, reminded};
use forelook_plan::{Rehearsed, Reminded};
use forelook_protocol::{
    AbsPath, AgentId, AgentStarted, Answered, AnsweredBy, Body, CallId, Decided, Decision, Effect, Entry,
    EntryId, FileSnapshot, Finished, Header, HostAnswer, HostAsk, HostRequest, Mode, PLAN_KEY,
    PermissionUpdate, PlanAnswer, PlanNamed, Prompt, PromptAccepted, Reminder, ReminderKind, Replied,
    RequestId, Reviewed, SessionId, ShellEnded, ShellStarted, Spent, Standing, Step, Todo, ToolCall, TurnId,
    Usage, Verdict,
};
use forelook_tools::SeenFiles;

pub use super::conversation::Conversation;

/// What a session knows.
#[derive(Debug, Clone)]
pub struct State {
    /// The session.
    pub session: SessionId,
    /// The folder it works in.
    pub folder: AbsPath,
    /// How the permission system stands.
    pub standing: Standing,
    /// Changes to the permissions that were made in this session.
    pub updates: Vec<PermissionUpdate>,
    /// The model, if one was chosen in the session.
    pub model: Option<String>,
    /// What the main agent knows.
    pub main: Thread,
    /// Subagents that have begun and not ended.
    pub agents: BTreeMap<AgentId, Subagent>,
    /// How many subagents the present turn has begun.
    pub agents_begun: usize,
    /// Prompts that wait.
    pub queue: VecDeque<(EntryId, Prompt)>,
    /// Questions that wait.
    pub open: Vec<HostRequest>,
    /// Questions that were closed last, and how: for whoever answers too late.
    pub closed: VecDeque<Closed>,
    /// Reviews that were answered and whose calls have no result yet.
    pub reviewed: HashMap<CallId, Reviewed>,
    /// The plan.
    pub plan: PlanTrack,
    /// What was rehearsed for it.
    pub rehearsal: RehearsalTrack,
    /// Lines of the person's own.
    pub lines: LineTrack,
    /// Tools whose schemas were held back at first, in the order in which they were found.
    pub loaded: Vec<String>,
    /// What was used, model by model, whoever asked.
    pub spent: BTreeMap<String, Spent>,
    /// What the judge denied.
    pub denials: Denials,
    /// The newest turn.
    pub newest_turn: TurnId,
    /// The turn that was begun and has not ended.
    pub turn: Option<TurnId>,
    /// The newest entry: the parent of the next.
    pub last: Option<EntryId>,
    /// How many entries it is made of.
    pub entries: u64,
}

/// A question that was closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// Which.
    pub request: RequestId,
    /// By whom.
    pub by: AnsweredBy,
    /// How.
    pub answer: HostAnswer,
}

/// How many closed questions are remembered. An answer that is later than so many others is not worth more words.
const MAX_CLOSED: usize = 32;

/// A call that was refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The call.
    pub call: ToolCall,
    /// How often in a row it was tried, with the same input.
    pub count: u32,
}

/// What one agent knows.
#[derive(Debug, Clone)]
pub struct Thread {
    /// What was said.
    pub conversation: Conversation,
    /// What it was reminded of.
    pub reminded: Reminded,
    /// The todo list.
    pub todos: Vec<Todo>,
    /// Where shell commands run.
    pub shell_folder: AbsPath,
    /// Files the model has seen; shared with running tools.
    pub seen: SeenFiles,
    /// How many tokens its last request and the answer to it had.
    pub context_tokens: u64,
    /// The last call of the turn, if it was refused.
    pub refused: Option<Refusal>,
}

/// A subagent that has begun and not ended.
#[derive(Debug, Clone)]
pub struct Subagent {
    /// How it began.
    pub started: AgentStarted,
    /// What it knows.
    pub thread: Thread,
}

/// What is known of the plan.
#[derive(Debug, Clone, Default)]
pub struct PlanTrack {
    /// Its name and file.
    pub named: Option<PlanNamed>,
    /// Whether the next planning gets a name of its own: this plan is done with.
    pub finished: bool,
    /// Its newest revision that was kept.
    pub kept: Option<FileSnapshot>,
    /// The text that was last reviewed.
    pub reviewed: Option<String>,
    /// The call that last put the plan up, and the hash of what it put up first.
    pub proposed: Option<(CallId, String)>,
    /// Approved with a fresh context: the conversation is to begin with this, and has not yet.
    pub begins: Option<Box<Reviewed>>,
}

impl PlanTrack {
    /// What a call put up first stays: asked again, it is about what the person made of it.
    fn put_up(&mut self, question: &HostRequest) {
        let HostAsk::Review(review) = &question.ask else { return };
        let Some(by) = &question.call else { return };
        if self.proposed.as_ref().is_none_or(|(call, _)| call != by) {
            self.proposed = Some((by.clone(), review.hash.clone()));
        }
    }
}

/// What is known of a rehearsal that was shown beside a plan.
#[derive(Debug, Clone, Default)]
pub struct RehearsalTrack {
    /// The hash of what was approved to be made real, and is not yet as far as is known.
    pub to_apply: Option<String>,
    /// What became of it.
    pub became: Rehearsed,
}

impl RehearsalTrack {
    fn reviewed(reviewed: &Reviewed, shown: bool) -> Self {
        let to_apply = match &reviewed.answer {
            PlanAnswer::Approve(approval) => approval.apply.clone(),
            _ => None,
        };
        Self { to_apply, became: if shown { Rehearsed::Dropped } else { Rehearsed::Nothing } }
    }
}

/// What is known of lines of the person's own.
#[derive(Debug, Clone, Default)]
pub struct LineTrack {
    /// Begun, and not ended.
    pub running: Vec<ShellStarted>,
    /// Ended, and not told to the model.
    pub untold: Vec<ShellEnded>,
}

impl Thread {
    fn new(folder: &AbsPath) -> Self {
        Self {
            conversation: Conversation::default(),
            reminded: Reminded::default(),
            todos: Vec::new(),
            shell_folder: folder.clone(),
            seen: SeenFiles::default(),
            context_tokens: 0,
            refused: None,
        }
    }

    fn finish(&mut self, finished: &Finished) {
        let refused =
            self.conversation.call(&finished.result.call).filter(|_| finished.verdict != Verdict::Ran);
        let before = self.refused.take();
        self.refused = refused.cloned().map(|call| {
            let same = |it: &Refusal| it.call.name == call.name && it.call.input == call.input;
            let count = before.filter(same).map_or(0, |it| it.count) + 1;
            Refusal { call, count }
        });
        self.conversation.finish(&finished.result);
        for effect in &finished.effects {
            match effect {
                Effect::SetTodos { todos } => self.todos.clone_from(todos),
                Effect::SetFolder { folder } => self.shell_folder = folder.clone(),
                Effect::Saw(seen) => self.seen.add(seen),
                Effect::LoadTools { .. } => {}
            }
        }
    }

    fn answer(&mut self, answered: &Answered) {
        self.conversation.push_answer(answered);
        let Usage { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
            answered.usage;
        self.context_tokens =
            input_tokens + output_tokens + cache_read_input_tokens + cache_creation_input_tokens;
    }

    fn mode(&mut self, from: Mode, to: Mode) {
        match Turning::between(from, to) {
            Turning::Begins => self.reminded.entered(),
            Turning::Ends => self.reminded.left(),
            Turning::Stays => {}
        }
    }
}

impl State {
    /// The state before the first line.
    pub fn new(header: &Header) -> Self {
        Self {
            session: header.session,
            folder: header.folder.clone(),
            standing: Standing::default(),
            updates: Vec::new(),
            model: None,
            main: Thread::new(&header.folder),
            agents: BTreeMap::new(),
            agents_begun: 0,
            queue: VecDeque::new(),
            open: Vec::new(),
            closed: VecDeque::new(),
            reviewed: HashMap::new(),
            plan: PlanTrack::default(),
            rehearsal: RehearsalTrack::default(),
            lines: LineTrack::default(),
            loaded: Vec::new(),
            spent: BTreeMap::new(),
            denials: Denials::default(),
            newest_turn: TurnId::default(),
            turn: None,
            last: None,
            entries: 0,
        }
    }

    /// What this agent knows; nothing if it has ended.
    pub fn thread(&self, agent: Option<&AgentId>) -> Option<&Thread> {
        match agent {
            None => Some(&self.main),
            Some(agent) => self.agents.get(agent).map(|it| &it.thread),
        }
    }

    fn thread_mut(&mut self, agent: Option<&AgentId>) -> Option<&mut Thread> {
        match agent {
            None => Some(&mut self.main),
            Some(agent) => self.agents.get_mut(agent).map(|it| &mut it.thread),
        }
    }

    /// Folds one more entry in.
    pub fn apply(&mut self, entry: &Entry) {
        self.last = Some(entry.id);
        self.entries += 1;
        let agent = entry.agent.as_ref();
        match &entry.body {
            Body::Session(_) | Body::Unknown { .. } => {}
            Body::Decision(decided) => self.decided(decided),
            Body::TurnStarted(started) => self.turn_started(started.turn),
            Body::RehearsalApplied(applied) => {
                self.rehearsal =
                    RehearsalTrack { to_apply: None, became: Rehearsed::Applied(applied.clone()) };
            }
            Body::ShellStarted(started) => self.lines.running.push(started.clone()),
            Body::ShellEnded(ended) => self.line_ended(ended),
            Body::Queued(queued) => self.queue.push_back((entry.id, queued.prompt.clone())),
            Body::Prompt(accepted) => self.prompt(agent, accepted),
            Body::PromptBlocked(_) => self.on(agent, |thread| thread.conversation.drop_last_prompt()),
            Body::Answer(answered) => {
                *self.spent.entry(answered.model.clone()).or_default() +=
                    Spent::on(answered.usage, answered.cost);
                self.on(agent, |thread| thread.answer(answered));
            }
            Body::SmallAnswer(answered) => {
                let used = Spent::on(answered.usage, answered.cost);
                *self.spent.entry(answered.model.clone()).or_default() += used;
            }
            Body::Started(started) => {
                self.on(agent, |thread| thread.conversation.mark_started(&started.call));
            }
            Body::Finished(finished) => self.finish(agent, finished),
            Body::Question(opened) => {
                self.plan.put_up(&opened.question);
                self.open.push(opened.question.clone());
            }
            Body::Reply(replied) => self.replied(replied),
            Body::Review(reviewed) => self.review(reviewed),
            Body::PlanNamed(named) => {
                // A plan that is to begin begins, whatever its file is called by then.
                let begins = self.plan.begins.take();
                self.plan = PlanTrack { named: Some(named.clone()), begins, ..PlanTrack::default() }
            }
            Body::FileSnapshot(snapshot) if snapshot.key == PLAN_KEY => {
                self.plan.kept = Some(snapshot.clone())
            }
            Body::FileSnapshot(_) => {}
            Body::AgentStarted(started) => self.agent_started(agent, started),
            Body::AgentEnded(_) => _ = agent.map(|agent| self.agents.remove(agent)),
            Body::Mode(set) => self.stand(set.standing),
            Body::Permission(set) => self.updates.push(set.update.clone()),
            Body::Reminder(reminder) => self.remind(agent, reminder),
            Body::Model(set) => self.model = Some(set.model.clone()),
            Body::TurnEnd(_) if agent.is_none() => self.turn = None,
            Body::TurnEnd(_) => {}
        }
    }

    /// An agent that has ended is past: what is written of it later changes nothing.
    fn on(&mut self, agent: Option<&AgentId>, change: impl FnOnce(&mut Thread)) {
        if let Some(thread) = self.thread_mut(agent) {
            change(thread);
        }
    }

    fn turn_started(&mut self, turn: TurnId) {
        self.newest_turn = turn;
        self.turn = Some(turn);
        self.agents_begun = 0;
        self.main.refused = None;
    }

    /// Only the judge's denials count, and what it allows ends the row.
    fn decided(&mut self, decided: &Decided) {
        match &decided.decision {
            Decision::Deny(reason) if reason.step == Step::Classifier => self.denials = self.denials.denied(),
            Decision::Allow(reason) if reason.step == Step::Classifier => {
                self.denials = self.denials.approved()
            }
            _ => {}
        }
    }

    fn replied(&mut self, replied: &Replied) {
        self.open.retain(|question| question.id != replied.question);
        if matches!(replied.answer, HostAnswer::Allow { .. }) {
            self.denials = self.denials.approved();
        }
        self.close(replied.question, replied.by.clone(), replied.answer.clone());
    }

    fn close(&mut self, request: RequestId, by: AnsweredBy, answer: HostAnswer) {
        self.closed.push_back(Closed { request, by, answer });
        if self.closed.len() > MAX_CLOSED {
            self.closed.pop_front();
        }
    }

    fn prompt(&mut self, agent: Option<&AgentId>, accepted: &PromptAccepted) {
        if agent.is_none() {
            self.queue.retain(|(id, _)| Some(*id) != accepted.queued);
        }
        if accepted.plan().is_some() {
            self.plan.begins = None;
        }
        self.on(agent, |thread| {
            thread.conversation.push_prompt(accepted.origin.clone(), accepted.content.clone());
            // What anybody else says is no human turn.
            if accepted.origin.is_person() {
                thread.reminded.human_turn();
            }
        });
    }

    fn finish(&mut self, agent: Option<&AgentId>, finished: &Finished) {
        self.reviewed.remove(&finished.result.call);
        for effect in &finished.effects {
            if let (Effect::LoadTools { names }, None) = (effect, agent) {
                let new = names.iter().filter(|name| !self.loaded.contains(name)).cloned();
                let new: Vec<String> = new.collect();
                self.loaded.extend(new);
            }
        }
        self.on(agent, |thread| thread.finish(finished));
    }

    fn review(&mut self, reviewed: &Reviewed) {
        let mut shown = self.open.iter().filter(|question| Some(question.id) == reviewed.question);
        let shown = shown.any(|it| matches!(&it.ask, HostAsk::Review(review) if review.rehearsal.is_some()));
        self.rehearsal = RehearsalTrack::reviewed(reviewed, shown);
        self.open.retain(|question| Some(question.id) != reviewed.question);
        if let Some(question) = reviewed.question {
            self.close(question, reviewed.through.clone(), HostAnswer::Plan(reviewed.answer.clone()));
        }
        if let Some(call) = &reviewed.call {
            self.reviewed.insert(call.clone(), reviewed.clone());
        }
        self.plan.reviewed.clone_from(&reviewed.plan);
        if let PlanAnswer::Approve(approval) = &reviewed.answer
            && approval.fresh_context
        {
            self.main.conversation.clear();
            self.reviewed.clear();
            self.plan.finished = true;
            self.plan.begins = Some(Box::new(reviewed.clone()));
        }
        self.stand(reviewed.standing);
    }

    fn agent_started(&mut self, agent: Option<&AgentId>, started: &AgentStarted) {
        let Some(agent) = agent else { return };
        self.agents_begun += 1;
        let thread = Thread::new(&self.main.shell_folder);
        self.agents.insert(agent.clone(), Subagent { started: started.clone(), thread });
    }

    fn line_ended(&mut self, ended: &ShellEnded) {
        self.lines.running.retain(|line| line.call != ended.call);
        self.lines.untold.push(ended.clone());
        if let Some(folder) = &ended.folder {
            self.main.shell_folder = folder.clone();
        }
    }

    fn stand(&mut self, standing: Standing) {
        let (from, to) = (self.standing.mode(), standing.mode());
        self.main.mode(from, to);
        self.agents.values_mut().for_each(|agent| agent.thread.mode(from, to));
        self.standing = standing;
    }

    fn remind(&mut self, agent: Option<&AgentId>, reminder: &Reminder) {
        if agent.is_none() {
            self.standing = reminded(self.standing, &reminder.kind);
            if let ReminderKind::OwnLine { call } = &reminder.kind {
                self.lines.untold.retain(|line| line.call != *call);
            }
        }
        self.on(agent, |thread| {
            thread.conversation.push_reminder(reminder);
            thread.reminded.sent(&reminder.kind);
        });
    }
}
