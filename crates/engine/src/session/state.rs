//! The state of a session: the fold of its journal, and nothing else.
//!
//! [`SessionState::apply`] is the only mutation. Resuming is the same fold over the lines of a file, so what a
//! running session knows and what a resumed one knows cannot differ.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use forelook_permissions::{DenialCounts, PlanTransition, after_reminder, child_mode_state};
use forelook_plan::{RehearsalOutcome, ReminderState};
use forelook_protocol::{
    AbsPath, AgentId, AgentStarted, AnswerBlock, AnsweredBy, AttachOutcome, BackgroundShell, CallId,
    CallStatus, Compacted, Decision, DecisionStep, Entry, EntryBody, EntryId, FileSnapshot, FileVersion,
    FilesAttached, HostAnswer, HostAsk, HostRequest, Message, Mode, ModeState, ModelAnswered, ModelUsage,
    PLAN_KEY, PermissionDecided, PermissionUpdate, PlanAnswer, PlanNamed, PlanReviewed, Prompt,
    PromptAccepted, QuestionClosed, Reminder, ReminderKind, RequestId, SessionEffect, SessionHeader,
    SessionId, Todo, ToolCall, ToolFinished, TurnId, UserShellEnded, UserShellStarted,
};
use forelook_providers::WireCached;
use forelook_tools::SeenFiles;

pub use super::conversation::Conversation;
use super::gaps::narrowed;
use super::size::tokens;

/// What a session knows.
#[derive(Debug, Clone)]
pub struct SessionState {
    /// The session.
    pub session: SessionId,
    /// The folder it works in.
    pub folder: AbsPath,
    /// How the permission system stands.
    pub mode_state: ModeState,
    /// Whether the journal lost lines that may have changed the mode, and none after them says what it is.
    pub mode_unsure: bool,
    /// Changes to the permissions that were made in this session.
    pub updates: Vec<PermissionUpdate>,
    /// The model, if one was chosen in the session.
    pub model: Option<String>,
    /// What the main agent knows.
    pub main: AgentThread,
    /// Subagents that have begun and not ended.
    pub agents: BTreeMap<AgentId, Subagent>,
    /// How many subagents the present turn has begun.
    pub agents_started: usize,
    /// Prompts that wait.
    pub queue: VecDeque<(EntryId, Prompt)>,
    /// Questions that wait.
    pub open: Vec<HostRequest>,
    /// Questions that were closed last, and how: for whoever answers too late.
    pub closed: VecDeque<ClosedRequest>,
    /// Reviews that were answered and whose calls have no result yet.
    pub reviewed: HashMap<CallId, PlanReviewed>,
    /// The plan.
    pub plan: PlanTracker,
    /// What was rehearsed for it.
    pub rehearsal: RehearsalTracker,
    /// Lines of the person's own.
    pub user_shell: UserShellTracker,
    /// Files that were changed, or were about to be, and whose first state was written down.
    pub changed_files: Arc<BTreeSet<AbsPath>>,
    /// The background shells that run, whoever started them.
    pub shells: Vec<BackgroundShell>,
    /// The highest number that a shell had.
    pub newest_shell: usize,
    /// Tools whose schemas were held back at first, in the order in which they were found.
    pub loaded: Vec<String>,
    /// What was used, model by model, whoever asked.
    pub spent: BTreeMap<String, ModelUsage>,
    /// What the judge denied.
    pub denials: DenialCounts,
    /// The newest answers with calls, whosever they are, the newest last. They are shared with the conversations.
    pub recent_answers: VecDeque<Arc<WireCached<Message>>>,
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
pub struct ClosedRequest {
    /// Which.
    pub request: RequestId,
    /// By whom.
    pub by: AnsweredBy,
    /// How.
    pub answer: HostAnswer,
}

/// How many files are read again after a conversation was replaced by a summary.
const MAX_RECENT_FILES: usize = 5;

/// How many closed questions are remembered. An answer that is later than so many others is not worth more words.
const MAX_CLOSED: usize = 32;

/// How many answers with calls are remembered: whoever adds a rule wants to see what it would have been for.
const MAX_RECENT_ANSWERS: usize = 300;

/// A call that was refused.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusedCall {
    /// The call.
    pub call: ToolCall,
    /// How often in a row it was tried, with the same input.
    pub count: u32,
}

/// What one agent knows.
#[derive(Debug, Clone)]
pub struct AgentThread {
    /// What was said.
    pub conversation: Conversation,
    /// What it was reminded of.
    pub reminders: ReminderState,
    /// The todo list.
    pub todos: Vec<Todo>,
    /// Where shell commands run.
    pub shell_folder: AbsPath,
    /// Files the model has seen; shared with running tools.
    pub seen: SeenFiles,
    /// How many tokens its last request and the answer to it had; nothing if the provider did not say, or if the
    /// conversation was made shorter since.
    pub context_tokens: u64,
    /// How many tokens the first request after the last summary had; 0 until it is answered.
    pub compacted_to: Option<u64>,
    /// The files that it had in view last, the newest at the end.
    pub recent_files: VecDeque<AbsPath>,
    /// The last call of the turn, if it was refused.
    pub refused: Option<RefusedCall>,
}

/// A subagent that has begun and not ended.
#[derive(Debug, Clone)]
pub struct Subagent {
    /// How it began.
    pub started: AgentStarted,
    /// What it knows.
    pub thread: AgentThread,
}

/// What is known of the plan.
#[derive(Debug, Clone, Default)]
pub struct PlanTracker {
    /// Its name and file.
    pub named: Option<PlanNamed>,
    /// Whether the next planning gets a name of its own: this plan is done with.
    pub finished: bool,
    /// Its newest revision that was kept.
    pub snapshot: Option<FileSnapshot>,
    /// The text that was last reviewed.
    pub reviewed: Option<String>,
    /// The call that last put the plan up, and the hash of what it put up first.
    pub proposed: Option<(CallId, String)>,
    /// A review that leads to a turn, or to a conversation that begins anew: it has not yet.
    pub pending_start: Option<Box<PlanReviewed>>,
}

impl PlanTracker {
    /// What a call put up first stays: asked again, it is about what the person made of it.
    fn on_review_opened(&mut self, question: &HostRequest) {
        let HostAsk::Review(review) = &question.ask else { return };
        let Some(by) = &question.call else { return };
        if self.proposed.as_ref().is_none_or(|(call, _)| call != by) {
            self.proposed = Some((by.clone(), review.hash.clone()));
        }
    }
}

/// What is known of a rehearsal that was shown beside a plan.
#[derive(Debug, Clone, Default)]
pub struct RehearsalTracker {
    /// What was approved to be made real, and is not yet as far as is known.
    pub to_apply: Option<ApprovedRehearsal>,
    /// What became of it.
    pub outcome: RehearsalOutcome,
}

/// A rehearsal that was approved to be made real.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedRehearsal {
    /// Its hash.
    pub hash: String,
    /// Whether that counts for files that decide what runs later.
    pub with_protected: bool,
}

impl RehearsalTracker {
    fn reviewed(reviewed: &PlanReviewed, shown: bool) -> Self {
        let to_apply = match &reviewed.answer {
            PlanAnswer::Approve(approval) => approval
                .apply
                .clone()
                .map(|hash| ApprovedRehearsal { hash, with_protected: approval.apply_protected }),
            _ => None,
        };
        Self {
            to_apply,
            outcome: if shown { RehearsalOutcome::Discarded } else { RehearsalOutcome::NotShown },
        }
    }
}

/// What is known of lines of the person's own.
#[derive(Debug, Clone, Default)]
pub struct UserShellTracker {
    /// Begun, and not ended.
    pub running: Vec<UserShellStarted>,
    /// Ended, and not told to the model.
    pub unreported: Vec<UserShellEnded>,
}

impl AgentThread {
    fn new(folder: &AbsPath) -> Self {
        Self {
            conversation: Conversation::default(),
            reminders: ReminderState::default(),
            todos: Vec::new(),
            shell_folder: folder.clone(),
            seen: SeenFiles::default(),
            context_tokens: 0,
            compacted_to: None,
            recent_files: VecDeque::new(),
            refused: None,
        }
    }

    fn finish(&mut self, finished: &ToolFinished) {
        let refused =
            self.conversation.call(&finished.result.call).filter(|_| finished.status != CallStatus::Ran);
        let before = self.refused.take();
        self.refused = refused.cloned().map(|call| {
            let same = |it: &RefusedCall| it.call.name == call.name && it.call.input == call.input;
            let count = before.filter(same).map_or(0, |it| it.count) + 1;
            RefusedCall { call, count }
        });
        self.conversation.finish(&finished.result);
        for effect in &finished.effects {
            match effect {
                SessionEffect::SetTodos { todos } => self.todos.clone_from(todos),
                SessionEffect::SetFolder { folder } => self.shell_folder = folder.clone(),
                SessionEffect::FileSeen(seen) => self.see(seen),
                SessionEffect::LoadTools { .. } | SessionEffect::ShellStarted(_) => {}
            }
        }
    }

    fn attach(&mut self, attached: &FilesAttached) {
        self.conversation.push_attached(attached);
        for file in &attached.files {
            if let AttachOutcome::Attached { seen: Some(seen), .. } = &file.outcome {
                self.see(seen);
            }
        }
    }

    fn see(&mut self, seen: &FileVersion) {
        self.seen.add(seen);
        self.recent_files.retain(|path| *path != seen.path);
        self.recent_files.push_back(seen.path.clone());
        if self.recent_files.len() > MAX_RECENT_FILES {
            self.recent_files.pop_front();
        }
    }

    fn compact(&mut self, compacted: &Compacted) {
        self.conversation.compact(compacted);
        self.reminders.on_compacted();
        // What it saw of files is gone from the conversation, so an edit must read again; what was in view last is read for it.
        self.seen = SeenFiles::default();
        self.context_tokens = 0;
        self.compacted_to = Some(0);
    }

    fn answer(&mut self, answered: &ModelAnswered) {
        self.conversation.push_answer(answered);
        self.context_tokens = answered.usage.total();
        if self.compacted_to == Some(0) {
            self.compacted_to = Some(self.context_tokens);
        }
    }

    fn mode(&mut self, from: Mode, to: Mode) {
        match PlanTransition::between(from, to) {
            PlanTransition::Enters => self.reminders.on_plan_entered(),
            PlanTransition::Leaves => self.reminders.on_plan_left(),
            PlanTransition::Unchanged => {}
        }
    }
}

impl SessionState {
    /// The state before the first line.
    pub fn new(header: &SessionHeader) -> Self {
        Self {
            session: header.session,
            folder: header.folder.clone(),
            mode_state: ModeState::default(),
            mode_unsure: false,
            updates: Vec::new(),
            model: None,
            main: AgentThread::new(&header.folder),
            agents: BTreeMap::new(),
            agents_started: 0,
            queue: VecDeque::new(),
            open: Vec::new(),
            closed: VecDeque::new(),
            reviewed: HashMap::new(),
            plan: PlanTracker::default(),
            rehearsal: RehearsalTracker::default(),
            user_shell: UserShellTracker::default(),
            changed_files: Arc::default(),
            shells: Vec::new(),
            newest_shell: 0,
            loaded: Vec::new(),
            spent: BTreeMap::new(),
            denials: DenialCounts::default(),
            recent_answers: VecDeque::new(),
            newest_turn: TurnId::default(),
            turn: None,
            last: None,
            entries: 0,
        }
    }

    /// What this agent knows; nothing if it has ended.
    pub fn thread(&self, agent: Option<&AgentId>) -> Option<&AgentThread> {
        match agent {
            None => Some(&self.main),
            Some(agent) => self.agents.get(agent).map(|it| &it.thread),
        }
    }

    fn thread_mut(&mut self, agent: Option<&AgentId>) -> Option<&mut AgentThread> {
        match agent {
            None => Some(&mut self.main),
            Some(agent) => self.agents.get_mut(agent).map(|it| &mut it.thread),
        }
    }

    /// Folds in that entries are missing here: what they took from the session must not come back.
    pub fn apply_gap(&mut self) {
        self.mode_unsure = true;
        self.updates = std::mem::take(&mut self.updates).into_iter().filter_map(narrowed).collect();
    }

    /// Folds one more entry in.
    pub fn apply(&mut self, entry: &Entry) {
        self.last = Some(entry.id);
        self.entries += 1;
        let agent = entry.agent.as_ref();
        match &entry.body {
            EntryBody::SessionHeader(_) | EntryBody::Unknown { .. } => {}
            EntryBody::PermissionDecided(decided) => self.decided(decided),
            EntryBody::TurnStarted(started) => self.turn_started(started.turn),
            EntryBody::RehearsalApplied(applied) => {
                self.rehearsal =
                    RehearsalTracker { to_apply: None, outcome: RehearsalOutcome::Applied(applied.clone()) };
            }
            EntryBody::UserShellStarted(started) => self.user_shell.running.push(started.clone()),
            EntryBody::UserShellEnded(ended) => self.user_shell_ended(ended),
            EntryBody::ShellEnded(ended) => self.shells.retain(|shell| shell.id != ended.shell),
            EntryBody::PromptQueued(queued) => self.queue.push_back((entry.id, queued.prompt.clone())),
            EntryBody::PromptsWithdrawn(withdrawn) => {
                self.queue.retain(|(id, _)| !withdrawn.prompts.contains(id))
            }
            EntryBody::PromptAccepted(accepted) => self.prompt(agent, accepted),
            EntryBody::FilesAttached(attached) => self.with_thread(agent, |thread| thread.attach(attached)),
            EntryBody::PromptBlocked(_) => {
                self.with_thread(agent, |thread| thread.conversation.drop_last_prompt())
            }
            EntryBody::ModelAnswered(answered) => {
                *self.spent.entry(answered.model.clone()).or_default() +=
                    ModelUsage::new(answered.usage, answered.cost);
                self.with_thread(agent, |thread| thread.answer(answered));
                self.remember_calls(agent, answered);
            }
            EntryBody::SmallModelAnswered(answered) => {
                let used = ModelUsage::new(answered.usage, answered.cost);
                *self.spent.entry(answered.model.clone()).or_default() += used;
            }
            EntryBody::ToolStarted(started) => {
                self.with_thread(agent, |thread| thread.conversation.mark_started(&started.call));
            }
            EntryBody::FileBefore(before) => {
                Arc::make_mut(&mut self.changed_files).insert(before.path.clone());
            }
            EntryBody::ToolFinished(finished) => self.finish(agent, finished),
            EntryBody::QuestionOpened(opened) => {
                self.plan.on_review_opened(&opened.question);
                self.open.push(opened.question.clone());
            }
            // For front ends: what is not sent is no part of the session.
            EntryBody::ReviewDrafted(_) => {}
            EntryBody::QuestionClosed(replied) => self.replied(replied),
            EntryBody::PlanReviewed(reviewed) => self.review(reviewed),
            EntryBody::PlanNamed(named) => {
                // A plan that is to begin begins, whatever its file is called by then.
                let pending_start = self.plan.pending_start.take();
                self.plan =
                    PlanTracker { named: Some(named.clone()), pending_start, ..PlanTracker::default() }
            }
            EntryBody::FileSnapshot(snapshot) if snapshot.key == PLAN_KEY => {
                self.plan.snapshot = Some(snapshot.clone())
            }
            EntryBody::FileSnapshot(_) => {}
            EntryBody::AgentStarted(started) => self.agent_started(agent, started),
            EntryBody::AgentEnded(_) => _ = agent.map(|agent| self.agents.remove(agent)),
            EntryBody::ModeChanged(set) => self.set_mode_state(set.mode_state),
            EntryBody::PermissionsChanged(set) => self.updates.push(set.update.clone()),
            EntryBody::Reminder(reminder) => self.remind(agent, reminder),
            EntryBody::ResultsCleared(cleared) => self.with_thread(agent, |thread| {
                let saved = thread.conversation.clear_results(&cleared.results);
                thread.context_tokens = thread.context_tokens.saturating_sub(tokens(saved));
            }),
            EntryBody::Compacted(compacted) => self.compacted(agent, compacted),
            EntryBody::ModelChanged(set) => self.model = Some(set.model.clone()),
            EntryBody::TurnEnded(_) if agent.is_none() => self.turn = None,
            EntryBody::TurnEnded(_) => {}
        }
    }

    fn compacted(&mut self, agent: Option<&AgentId>, compacted: &Compacted) {
        let used = ModelUsage::new(compacted.usage, compacted.cost);
        *self.spent.entry(compacted.model.clone()).or_default() += used;
        self.with_thread(agent, |thread| thread.compact(compacted));
    }

    /// An agent that has ended is past: what is written of it later changes nothing.
    fn with_thread(&mut self, agent: Option<&AgentId>, change: impl FnOnce(&mut AgentThread)) {
        if let Some(thread) = self.thread_mut(agent) {
            change(thread);
        }
    }

    fn turn_started(&mut self, turn: TurnId) {
        self.newest_turn = turn;
        self.turn = Some(turn);
        self.agents_started = 0;
        self.main.refused = None;
    }

    /// Only the judge's denials count, and what it allows ends the row.
    fn decided(&mut self, decided: &PermissionDecided) {
        match &decided.decision {
            Decision::Deny(reason) if reason.step == DecisionStep::Classifier => {
                self.denials = self.denials.denied()
            }
            Decision::Allow(reason) if reason.step == DecisionStep::Classifier => {
                self.denials = self.denials.approved()
            }
            _ => {}
        }
    }

    fn replied(&mut self, replied: &QuestionClosed) {
        self.open.retain(|question| question.id != replied.question);
        if matches!(replied.answer, HostAnswer::Allow { .. }) {
            self.denials = self.denials.approved();
        }
        self.close(replied.question, replied.by.clone(), replied.answer.clone());
    }

    fn close(&mut self, request: RequestId, by: AnsweredBy, answer: HostAnswer) {
        self.closed.push_back(ClosedRequest { request, by, answer });
        if self.closed.len() > MAX_CLOSED {
            self.closed.pop_front();
        }
    }

    fn remember_calls(&mut self, agent: Option<&AgentId>, answered: &ModelAnswered) {
        if !answered.blocks.iter().any(|block| matches!(block, AnswerBlock::ToolUse(_))) {
            return;
        }
        let answer = self.thread(agent).and_then(|thread| thread.conversation.messages().last()).cloned();
        self.recent_answers.extend(answer);
        if self.recent_answers.len() > MAX_RECENT_ANSWERS {
            self.recent_answers.pop_front();
        }
    }

    fn prompt(&mut self, agent: Option<&AgentId>, accepted: &PromptAccepted) {
        if agent.is_none() {
            self.queue.retain(|(id, _)| Some(*id) != accepted.queued);
        }
        // Nothing comes before the prompt that a review leads to, so this is it.
        if agent.is_none() {
            self.plan.pending_start = None;
        }
        self.with_thread(agent, |thread| {
            thread.conversation.push_prompt(accepted.origin.clone(), accepted.content.clone());
            // What anybody else says is no human turn.
            if accepted.origin.is_person() {
                thread.reminders.on_user_prompt();
            }
        });
    }

    fn finish(&mut self, agent: Option<&AgentId>, finished: &ToolFinished) {
        self.reviewed.remove(&finished.result.call);
        for effect in &finished.effects {
            match (effect, agent) {
                (SessionEffect::LoadTools { names }, None) => {
                    let new = names.iter().filter(|name| !self.loaded.contains(name)).cloned();
                    let new: Vec<String> = new.collect();
                    self.loaded.extend(new);
                }
                (SessionEffect::ShellStarted(shell), _) => {
                    let number = shell.id.rsplit('_').next().and_then(|number| number.parse().ok());
                    self.newest_shell = self.newest_shell.max(number.unwrap_or_default());
                    self.shells.push(shell.clone());
                }
                _ => {}
            }
        }
        self.with_thread(agent, |thread| thread.finish(finished));
    }

    fn review(&mut self, reviewed: &PlanReviewed) {
        let mut shown = self.open.iter().filter(|question| Some(question.id) == reviewed.question);
        let shown = shown.any(|it| matches!(&it.ask, HostAsk::Review(review) if review.rehearsal.is_some()));
        self.rehearsal = RehearsalTracker::reviewed(reviewed, shown);
        self.open.retain(|question| Some(question.id) != reviewed.question);
        if let Some(question) = reviewed.question {
            self.close(question, reviewed.through.clone(), HostAnswer::Plan(reviewed.answer.clone()));
        }
        if let Some(call) = &reviewed.call {
            self.reviewed.insert(call.clone(), reviewed.clone());
        }
        self.plan.reviewed.clone_from(&reviewed.plan);
        let afresh = reviewed.answer.starts_fresh();
        if afresh {
            self.main.conversation.clear();
            self.reviewed.clear();
        }
        // Abandoned, it must not be what the next plan is written over.
        self.plan.finished = afresh || reviewed.answer == PlanAnswer::Abandon;
        let own = reviewed.call.is_none() && reviewed.question.is_some();
        if afresh || (own && reviewed.answer.gives_work()) {
            self.plan.pending_start = Some(Box::new(reviewed.clone()));
        }
        self.set_mode_state(reviewed.mode_state);
    }

    fn agent_started(&mut self, agent: Option<&AgentId>, started: &AgentStarted) {
        let Some(agent) = agent else { return };
        self.agents_started += 1;
        let thread = AgentThread::new(&self.main.shell_folder);
        self.agents.insert(agent.clone(), Subagent { started: started.clone(), thread });
    }

    fn user_shell_ended(&mut self, ended: &UserShellEnded) {
        self.user_shell.running.retain(|line| line.call != ended.call);
        self.user_shell.unreported.push(ended.clone());
        if let Some(folder) = &ended.folder {
            self.main.shell_folder = folder.clone();
        }
    }

    fn set_mode_state(&mut self, mode_state: ModeState) {
        let (from, to) = (self.mode_state.mode(), mode_state.mode());
        self.main.mode(from, to);
        for agent in self.agents.values_mut() {
            // One that was started to plan goes on planning, whatever the session does.
            let own = |of: ModeState| child_mode_state(of, agent.started.mode).mode();
            let (from, to) = (own(self.mode_state), own(mode_state));
            agent.thread.mode(from, to);
        }
        self.mode_state = mode_state;
        self.mode_unsure = false;
    }

    fn remind(&mut self, agent: Option<&AgentId>, reminder: &Reminder) {
        if agent.is_none() {
            self.mode_state = after_reminder(self.mode_state, &reminder.kind);
            if let ReminderKind::UserShell { call } = &reminder.kind {
                self.user_shell.unreported.retain(|line| line.call != *call);
            }
        }
        self.with_thread(agent, |thread| {
            thread.conversation.push_reminder(reminder);
            thread.reminders.on_sent(&reminder.kind);
        });
    }
}
