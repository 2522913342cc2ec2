//! The session task: the one owner of the state and the journal.
//!
//! It takes messages one after another, writes entries, folds them into the state, and only then tells the
//! front ends. It never waits for a model, a tool or a person: those are turns, with a handle of their own.

mod agents;
mod answers;
mod changes;
mod compaction;
mod context_usage;
mod conversation;
mod fences;
mod front_ends;
mod gaps;
mod host_requests;
mod images;
mod journal;
mod leftovers;
mod permission_state;
mod permissions;
mod plan_command;
mod plan_query_handler;
mod planning;
mod plans;
mod queries;
mod questions;
mod rehearsals;
mod repair;
mod requests;
mod reviewing;
mod rule_checks;
mod shell_exits;
mod size;
mod state;
mod tasks;
mod tool_changes;
mod turns;
mod user_shell;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use forelook_facts::{FactProbe, KernelProbe, ProjectGit};
use forelook_fences::{FenceSetup, Fences};
use forelook_permissions::{ModeTrigger, TransitionError};
use forelook_plan::{PlanSource, recover_plan};
use forelook_protocol::{
    AgentId, Command, CommandAccepted, CommandError, EndReason, Entry, EntryBody, EntryId, FORMAT,
    FrontEndId, LiveEvent, ModelChanged, Notice, NoticeLevel, PlanCommand, SessionHeader, SessionId,
    ToolCall,
};
use forelook_sessions::{Journal, SessionError};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use front_ends::FrontEnds;
use host_requests::HostRequests;
use permission_state::PermissionState;
use permissions::HookNotification;
use planning::PrePlanProcesses;
use queries::FileIndex;
use questions::QuestionWaiter;
use repair::{Repair, interrupted_agent, repair};
use reviewing::OpeningReview;
pub use state::{
    AgentThread, ClosedRequest, Conversation, PlanTracker, RefusedCall, RehearsalTracker, SessionState,
    Subagent, UserShellTracker,
};
use user_shell::UserShell;

use tasks::AgentAtWork;
use tool_changes::ToolPrefixes;

use crate::call::{LiveHooks, ProjectFolder, ToolRuntime};
use crate::client::Client;
use crate::config::{Config, SessionStart};
use crate::context::OpenPrompt;
use crate::handle::{CompactRequest, RecordError, SessionMessage};
use crate::hub::EventHub;
use crate::model::SmallRoute;
use crate::turn::Subagents;

/// Room for messages on their way to the session. Senders wait for a reply anyway, so this is at least the
/// number of calls that may run together.
const MESSAGES: usize = 64;

/// Entries that need not be on the disk at once are there after this time.
const SYNC_WITHIN: Duration = Duration::from_millis(200);

/// How long hooks may take when the session ends.
const EXIT_HOOK_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The journal could not be made or read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The journal could not be written.
    #[error("{0}")]
    Journal(String),
    /// The initial mode is not available.
    #[error(transparent)]
    Mode(#[from] TransitionError),
}

/// Opens a session and starts its task. It begins to work when the first front end attaches, which is told what opening
/// had to say.
pub async fn open(config: Config) -> Result<Client, OpenError> {
    let (sender, messages) = mpsc::channel(MESSAGES);
    let (mut session, loaded) = Session::load(config, sender.clone())?;
    session.begin(loaded).await?;
    session.runtime.prompt.ask_git(&session.runtime.fences, &session.config.tool_services);
    let hub = session.hub.clone();
    let task = tokio::spawn(session.run(messages));
    tokio::spawn(tell_failure(task, hub));
    Ok(Client::new(sender))
}

/// Tells everybody when the session's task broke off: a session that ends otherwise says so itself, and whoever waits for
/// its events would wait forever.
async fn tell_failure(task: JoinHandle<()>, hub: EventHub) {
    let Err(crash) = task.await else { return };
    let text = format!(
        "The session failed inside Forelook: {crash}\n\
         What was recorded is saved. Continue it with `--continue`, and please report this"
    );
    hub.live(LiveEvent::Failed(Notice { level: NoticeLevel::Error, text }));
    hub.live(LiveEvent::Closed);
}

/// What was found when a session was loaded.
struct LoadedSession {
    repair: Option<Repair>,
    /// The plan, as far as the journal can give it back.
    plan: Option<(PlanSource, String)>,
}

/// What a loaded session has to do as soon as somebody is there.
enum Unfinished {
    /// Calls that waited for a person.
    Calls(Vec<ToolCall>),
    /// The next prompt, or the plan that a fresh conversation begins with.
    Prompts,
}

struct Session {
    config: Config,
    runtime: Arc<ToolRuntime>,
    tool_prefixes: ToolPrefixes,
    state: SessionState,
    permission_state: PermissionState,
    journal: Journal,
    /// The journal lost its place, and everybody was told.
    journal_lost: bool,
    hub: EventHub,
    /// For handles of turns. Weak, so that the session ends when every client and turn is gone.
    messages: mpsc::WeakSender<SessionMessage>,
    front_ends: FrontEnds,
    host_requests: HostRequests,
    waiters: Vec<QuestionWaiter>,
    turns: JoinSet<Result<(), EndReason>>,
    /// Hooks that only hear.
    listeners: JoinSet<()>,
    /// Lines of the person's own.
    user_shell: UserShell,
    /// Commands that run from before planning.
    pre_plan: PrePlanProcesses,
    /// A review of the person's that is about to open.
    opening_review: Option<OpeningReview>,
    /// Raises a fence ahead.
    fence_task: JoinSet<()>,
    files: FileIndex,
    /// Prompts that waited already when the session was loaded.
    left_over: Vec<EntryId>,
    /// Prompts that wait and are not begun in this process any more: their failure was told.
    given_up: Vec<EntryId>,
    /// The subagents that began in this process, as far as they have not ended.
    /// A summary that the person wants as soon as the turn that runs can be held up.
    compact_requested: Option<CompactRequest>,
    agents_at_work: HashMap<AgentId, AgentAtWork>,
    /// What is to be done when the first front end attaches.
    unfinished: Option<Unfinished>,
    /// What opening had to say, for the first front end.
    startup_notices: Vec<Notice>,
    /// Whether hooks have been told that the session began.
    session_start_fired: bool,
    cancel: CancellationToken,
    sync_due: Option<Instant>,
    closing: bool,
}

impl Session {
    fn load(
        config: Config,
        messages: mpsc::Sender<SessionMessage>,
    ) -> Result<(Self, LoadedSession), OpenError> {
        let header = |session: SessionId, forked_from| SessionHeader {
            format: FORMAT,
            session,
            folder: config.folder.clone(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            forked_from,
        };
        let entry = |header: SessionHeader| Entry {
            id: EntryId(config.ids.next()),
            parent: None,
            time: config.clock.now(),
            agent: None,
            body: EntryBody::SessionHeader(header),
        };
        let (journal, entries, gaps, problems) = match config.start {
            SessionStart::New(id) => {
                let id = id.unwrap_or_else(|| SessionId(config.ids.next()));
                let first = entry(header(id, None));
                (config.store.create(&first)?, vec![first], Vec::new(), Vec::new())
            }
            SessionStart::Resume(id) => {
                let opened = config.store.open(id)?;
                (opened.journal, opened.entries, opened.gaps, opened.problems)
            }
            SessionStart::Fork(from) => {
                let id = SessionId(config.ids.next());
                let opened = config.store.fork(from, &entry(header(id, Some(from))))?;
                (opened.journal, opened.entries, opened.gaps, opened.problems)
            }
        };
        let state = fold(&entries, &gaps, &config);
        let warning = |text| Notice { level: NoticeLevel::Warning, text };
        let problems = problems.iter().map(|problem| warning(problem.to_string()));
        let startup_notices = config.startup_notices.iter().cloned().chain(problems).collect();
        let repair = (config.start != SessionStart::New(None)).then(|| repair(&state, &config));
        let own = entries.iter().filter(|entry| entry.agent.is_none());
        let plan = state.plan.named.as_ref().and_then(|_| recover_plan(own.map(|entry| &entry.body)));
        let runtime = Arc::new(runtime(&config, &state));
        let permission_state =
            PermissionState::new(config.permissions.clone(), &state.folder, &state.updates);
        let left_over = state.queue.iter().map(|(id, _)| *id).collect();
        let session = Self {
            tool_prefixes: ToolPrefixes::default(),
            runtime,
            permission_state,
            state,
            journal,
            journal_lost: false,
            hub: EventHub::default(),
            messages: messages.downgrade(),
            front_ends: FrontEnds::default(),
            host_requests: HostRequests::default(),
            waiters: Vec::new(),
            turns: JoinSet::new(),
            listeners: JoinSet::new(),
            user_shell: UserShell::default(),
            pre_plan: PrePlanProcesses::default(),
            opening_review: None,
            fence_task: JoinSet::new(),
            files: FileIndex::default(),
            left_over,
            given_up: Vec::new(),
            agents_at_work: HashMap::new(),
            compact_requested: None,
            unfinished: Some(Unfinished::Prompts),
            startup_notices,
            session_start_fired: false,
            cancel: CancellationToken::new(),
            sync_due: Some(Instant::now() + SYNC_WITHIN),
            closing: false,
            config,
        };
        let hub = session.hub.clone();
        session.runtime.fences.on_notice(move |text| {
            hub.live(LiveEvent::Notice(Notice { level: NoticeLevel::Warning, text: text.to_owned() }));
        });
        Ok((session, LoadedSession { repair, plan }))
    }

    /// Makes a loaded session whole, and sets the mode it starts in.
    async fn begin(&mut self, loaded: LoadedSession) -> Result<(), OpenError> {
        let journal = |RecordError(message)| OpenError::Journal(message);
        self.runtime.shells.continue_after(self.state.newest_shell);
        let Repair { ended, bodies, retry } = loaded.repair.unwrap_or_default();
        for agent in ended {
            self.record_for(Some(agent), vec![EntryBody::AgentEnded(interrupted_agent())])
                .await
                .map_err(journal)?;
        }
        self.record(bodies).await.map_err(journal)?;
        self.settle_unsure_mode().await.map_err(journal)?;
        self.restore_plan(loaded.plan).await.map_err(journal)?;
        self.resume_rehearsal().await.map_err(journal)?;
        let planned = self.state.mode_state.is_planning();
        // What was possible then may not be now.
        self.change_mode(ModeTrigger::Resumed).await.map_err(journal)??;
        if let Some(mode) = self.config.mode {
            self.change_mode(ModeTrigger::To(mode)).await.map_err(journal)??;
        }
        self.resume_planning(planned).await.map_err(journal)?;
        if self.config.model_named
            && self.state.model.as_ref().is_some_and(|model| *model != self.config.model)
        {
            let model = self.config.model.clone();
            self.record(vec![EntryBody::ModelChanged(ModelChanged { model })]).await.map_err(journal)?;
        }
        if !retry.is_empty() {
            self.unfinished = Some(Unfinished::Calls(retry));
        }
        Ok(())
    }

    async fn run(mut self, mut messages: mpsc::Receiver<SessionMessage>) {
        let shells = Arc::clone(&self.runtime.shells);
        loop {
            let sync = self.sync_due.unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
            tokio::select! {
                message = messages.recv() => match message {
                    Some(message) => self.handle(message).await,
                    None => break,
                },
                Some(ended) = self.turns.join_next() => self.turn_over(ended).await,
                Some(_) = self.listeners.join_next() => {}
                Some(ended) = self.user_shell.next() => self.user_shell_over(ended).await,
                () = shells.changed() => self.shell_ended().await,
                () = tokio::time::sleep_until(sync), if self.sync_due.is_some() => self.sync().await,
                () = self.front_ends.wait_expired(), if self.has_wait_deadline() => self.on_wait_expired().await,
            }
            if self.closing && self.turns.is_empty() && self.user_shell.is_empty() {
                break;
            }
        }
        self.end_user_shell().await;
        self.end_fences().await;
        self.notify_hooks(HookNotification::End);
        // A hook that hangs must not keep the program; its own time-out is longer than anybody waits at an exit.
        let _ = tokio::time::timeout(EXIT_HOOK_TIMEOUT, self.drain_listeners(&mut messages)).await;
        self.sync().await;
        let hub = self.hub.clone();
        // The lock goes before the word, so that whoever hears it can open the session again.
        drop(self);
        hub.live(LiveEvent::Closed);
    }

    /// Waits for hooks that only hear. Those of a front end need it to be heard meanwhile.
    async fn drain_listeners(&mut self, messages: &mut mpsc::Receiver<SessionMessage>) {
        loop {
            tokio::select! {
                ended = self.listeners.join_next() => if ended.is_none() { return },
                Some(message) = messages.recv() => self.handle(message).await,
            }
        }
    }

    async fn handle(&mut self, message: SessionMessage) {
        // A reply that nobody waits for any more is no failure: the asker was interrupted.
        match message {
            SessionMessage::Attach(front_end, reply) => _ = reply.send(self.attach(front_end).await),
            SessionMessage::Detach(front_end) => self.detach(front_end),
            SessionMessage::Command(from, command, reply) => {
                let opens_review = matches!(command, Command::Plan(PlanCommand::Review));
                let accepted = self.command(from, command).await;
                self.reply_to_command(accepted, reply, opens_review);
            }
            SessionMessage::Query(query, reply) => self.query(query, reply),
            SessionMessage::Record { agent, bodies, reply } => {
                let ends = bodies.iter().any(|body| matches!(body, EntryBody::AgentEnded(_)));
                let recorded = self.record_for(agent, bodies).await;
                if ends {
                    self.agent_over().await;
                }
                _ = reply.send(recorded)
            }
            SessionMessage::Request { agent, steer, reply } => {
                _ = reply.send(self.next_request(agent.as_deref(), steer).await)
            }
            SessionMessage::Answered { agent, answered, reply } => {
                _ = reply.send(self.answered(agent, answered).await)
            }
            SessionMessage::CallStart { agent, begin, reply } => {
                _ = reply.send(self.begin_call(agent, begin).await)
            }
            SessionMessage::CallFinish { agent, finish, reply } => {
                _ = reply.send(self.finish_call(agent, finish).await)
            }
            SessionMessage::Ask { agent, question, reply } => {
                _ = reply.send(self.ask_about(agent, question).await)
            }
            SessionMessage::Withdraw { question, answer, reply } => {
                _ = reply.send(self.withdraw(question, answer).await)
            }
            SessionMessage::Compacted { agent, summary, reply } => {
                _ = reply.send(self.compacted(agent.as_deref(), *summary).await)
            }
            SessionMessage::View(agent, reply) => _ = reply.send(self.view(agent.as_ref())),
            SessionMessage::Conversation(agent, reply) => {
                _ = reply.send(self.authored_messages(agent.as_ref()))
            }
            SessionMessage::TakeSteering(reply) => {
                let taken = self.take_steering(1).await;
                _ = reply.send(taken.map(|taken| taken.into_iter().next()));
            }
            SessionMessage::EnterPlan(reply) => _ = reply.send(self.enter_plan().await),
            SessionMessage::PlanEdited(reply) => _ = reply.send(self.plan_edited().await),
            SessionMessage::RehearsalRead(rehearsal) => self.rehearsal_read(rehearsal).await,
            SessionMessage::BeginAgent { started, prompt, cancel, reply } => {
                _ = reply.send(self.begin_agent(started, prompt, cancel).await)
            }
            SessionMessage::AskHost { to, call, ask, reply } => _ = reply.send(self.ask_host(to, call, ask)),
            SessionMessage::WithdrawHost(request) => self.withdraw_from_host(request),
        }
    }

    async fn command(&mut self, from: FrontEndId, command: Command) -> Result<CommandAccepted, CommandError> {
        let journal = |RecordError(message)| CommandError::Journal(message);
        let nothing = |()| CommandAccepted::Nothing;
        if self.closing && !matches!(command, Command::Answer { .. } | Command::Unattended | Command::Close) {
            return Err(CommandError::Closed);
        }
        // A prompt takes up what was left undone itself.
        let waits =
            matches!(command, Command::DefineHooks(_) | Command::DefineAgents(_) | Command::Prompt(_));
        if !waits && !self.front_ends.prompts_first(from) {
            self.resume_now().await;
        }
        match command {
            Command::Prompt(prompt) if !prompt.origin.is_from_outside() => Err(CommandError::Origin),
            Command::Prompt(prompt) => self.prompt(prompt).await,
            Command::Answer { request, answer } => self.answer(from, request, answer).await.map(nothing),
            Command::SaveReviewDraft { request, draft } => {
                self.save_review_draft(from, request, draft).await.map(nothing)
            }
            Command::Unattended => self.unattended(from).await.map(nothing).map_err(journal),
            Command::UserShell(line) => self.run_user_shell(line).await.map(nothing),
            Command::Interrupt => self.interrupt(from).await.map(nothing).map_err(journal),
            Command::TakeBack { prompt } => self.take_back(from, prompt).await.map(nothing),
            Command::EndTask(task) => self.end_task(&task).map(nothing),
            Command::SetMode(mode) => self.set_mode(ModeTrigger::To(mode)).await.map(nothing),
            Command::Compact { focus } => self.compact(focus).await,
            Command::CycleMode => self.set_mode(ModeTrigger::Cycle).await.map(nothing),
            Command::Plan(command) => self.plan_command(command).await,
            Command::ImplementPlan(task) => self.implement(task).await,
            Command::DefineAgents(agents) => self.define_agents(&agents).map(nothing),
            Command::DefineHooks(hooks) => {
                self.define_hooks(from, hooks)?;
                if !self.front_ends.prompts_first(from) {
                    self.resume_now().await;
                }
                Ok(CommandAccepted::Nothing)
            }
            Command::UpdatePermissions(update) => self.apply_updates(vec![update]).await.map(nothing),
            Command::RestoreSetAside { id } => {
                self.restore_set_aside(id);
                Ok(CommandAccepted::Nothing)
            }
            Command::SetModel(model) => self.set_model(model).await.map(nothing),
            Command::Close => {
                self.closing = true;
                self.cancel.cancel();
                self.user_shell.end();
                Ok(CommandAccepted::Nothing)
            }
        }
    }

    fn model(&self) -> &str {
        self.state.model.as_deref().unwrap_or(&self.config.model)
    }
}

/// What calls are carried out with.
fn runtime(config: &Config, state: &SessionState) -> ToolRuntime {
    // What fences keep on the disk is this session's: two that plan in one project share no layer.
    let session = state.session;
    let folder = config.fences.folder.join(session.to_string());
    let set_aside = config.fences.set_aside.join(session.to_string());
    let fences = Arc::new(Fences::new(FenceSetup { folder, set_aside, ..config.fences.clone() }));
    config.tool_services.begin_session(session.to_string());
    let prompt = Arc::new(OpenPrompt::new(config.system.clone()));
    ToolRuntime {
        folder: Arc::new(ProjectFolder::new(state.folder.clone())),
        tools: config.tools.clone(),
        facts: FactProbe {
            env: Arc::clone(&config.tool_services.env),
            home: config.permissions.user_home.clone(),
            kernel: Some(Arc::clone(&fences) as Arc<dyn KernelProbe>),
            git: ProjectGit::new(
                config.folder.clone(),
                config.permissions.user_home.clone(),
                config.permissions.trusted,
            ),
        },
        hooks: LiveHooks::new(Arc::clone(&config.hooks)),
        services: config.tool_services.clone(),
        policy_cache: Arc::default(),
        agents: Arc::new(Subagents::new(config, Arc::clone(&prompt))),
        prompt,
        small: SmallRoute { models: Arc::clone(&config.models), small: config.agent_catalog.small.clone() },
        shells: Arc::clone(&config.tool_services.shells),
        fences,
        workflow: config.planning.workflow.clone(),
        classifier: config.classifier.clone(),
    }
}

/// The state that these entries lead to. `gaps` are where some are missing: before the entry with this index.
fn fold(entries: &[Entry], gaps: &[usize], config: &Config) -> SessionState {
    let header = entries.iter().find_map(|entry| match &entry.body {
        EntryBody::SessionHeader(header) => Some(header.clone()),
        _ => None,
    });
    let header = header.unwrap_or_else(|| SessionHeader {
        format: FORMAT,
        session: SessionId(config.ids.next()),
        folder: config.folder.clone(),
        program: String::new(),
        forked_from: None,
    });
    let mut state = SessionState::new(&header);
    let mut gaps = gaps.iter().peekable();
    for (at, entry) in entries.iter().enumerate() {
        if gaps.next_if_eq(&&at).is_some() {
            state.apply_gap();
        }
        state.apply(entry);
    }
    if gaps.next().is_some() {
        state.apply_gap();
    }
    state
}
