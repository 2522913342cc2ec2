//! The session task: the one owner of the state and the journal.
//!
//! It takes messages one after another, writes entries, folds them into the state, and only then tells the
//! front ends. It never waits for a model, a tool or a person: those are turns, with a handle of their own.

mod agents;
mod answers;
mod authority;
mod conversation;
mod front_ends;
mod host_requests;
mod journal;
mod own_lines;
mod permissions;
mod pictures;
mod plan_command;
mod plan_look;
mod planning;
mod plans;
mod queries;
mod questions;
mod rehearsals;
mod repair;
mod requests;
mod shell_news;
mod state;
mod tool_news;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use forelook_facts::FactProbe;
use forelook_fences::{FenceSetup, Fences};
use forelook_permissions::{Change, NotChanged};
use forelook_plan::{PlanSource, lost_plan};
use forelook_protocol::{
    Accepted, Body, Command, EndReason, Entry, EntryId, FORMAT, FrontEndId, Header, HostAnswer, Live,
    ModelSet, Notice, NoticeLevel, Refused, SessionId, ToolCall,
};
use forelook_providers::Kept;
use forelook_sessions::{Journal, SessionError};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use authority::Authority;
use front_ends::FrontEnds;
use host_requests::HostRequests;
use own_lines::OwnLines;
use permissions::HookNews;
use planning::FromBefore;
use queries::Files;
use questions::Waiting;
use repair::{Repair, never_ended, repair};
pub use state::{
    Closed, Conversation, LineTrack, PlanTrack, Refusal, RehearsalTrack, State, Subagent, Thread,
};

use tool_news::Offer;

use crate::call::{LiveHooks, ToolRuntime};
use crate::client::Client;
use crate::config::{Config, Start};
use crate::handle::{Message, NotRecorded};
use crate::hub::Hub;
use crate::model::SmallRoute;
use crate::turn::Subagents;

/// Room for messages on their way to the session. Senders wait for a reply anyway, so this is at least the
/// number of calls that may run together.
const MESSAGES: usize = 64;

/// Entries that need not be on the disk at once are there after this time.
const SYNC_WITHIN: Duration = Duration::from_millis(200);

/// How long hooks may take when the session ends.
const FAREWELL: Duration = Duration::from_secs(5);

/// Why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The journal could not be made or read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The journal could not be written.
    #[error("{0}")]
    NotRecorded(String),
    /// The mode to begin with cannot be had.
    #[error(transparent)]
    Mode(#[from] NotChanged),
}

/// Opens a session and starts its task. It begins to work when the first front end attaches, which is told what opening
/// had to say.
pub async fn open(config: Config) -> Result<Client, OpenError> {
    let (sender, messages) = mpsc::channel(MESSAGES);
    let (mut session, loaded) = Session::load(config, sender.clone())?;
    session.begin(loaded).await?;
    tokio::spawn(session.run(messages));
    Ok(Client::new(sender))
}

/// What was found when a session was loaded.
struct Loaded {
    fix: Option<Repair>,
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
    offer: Offer,
    system: Arc<Kept<Vec<String>>>,
    state: State,
    authority: Authority,
    journal: Journal,
    hub: Hub,
    /// For handles of turns. Weak, so that the session ends when every client and turn is gone.
    messages: mpsc::WeakSender<Message>,
    front_ends: FrontEnds,
    host_requests: HostRequests,
    waiting: Vec<Waiting>,
    turns: JoinSet<Result<(), EndReason>>,
    /// Hooks that only hear.
    listeners: JoinSet<()>,
    /// Lines of the person's own.
    lines: OwnLines,
    /// Commands that run from before planning.
    before: FromBefore,
    files: Files,
    /// What is to be done when the first front end attaches.
    unfinished: Option<Unfinished>,
    /// What opening had to say, for the first front end.
    opening: Vec<Notice>,
    /// Whether hooks have been told that the session began.
    greeted: bool,
    cancel: CancellationToken,
    sync_due: Option<Instant>,
    closing: bool,
}

impl Session {
    fn load(config: Config, messages: mpsc::Sender<Message>) -> Result<(Self, Loaded), OpenError> {
        let header = |session: SessionId, forked_from| Header {
            format: FORMAT,
            session,
            folder: config.folder.clone(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            forked_from,
        };
        let entry = |header: Header| Entry {
            id: EntryId(config.ids.next()),
            parent: None,
            time: config.clock.now(),
            agent: None,
            body: Body::Session(header),
        };
        let (journal, entries, problems) = match config.start {
            Start::New(id) => {
                let id = id.unwrap_or_else(|| SessionId(config.ids.next()));
                let first = entry(header(id, None));
                (config.store.create(&first)?, vec![first], Vec::new())
            }
            Start::Resume(id) => {
                let opened = config.store.open(id)?;
                (opened.journal, opened.entries, opened.problems)
            }
            Start::Fork(from) => {
                let id = SessionId(config.ids.next());
                let opened = config.store.fork(from, &entry(header(id, Some(from))))?;
                (opened.journal, opened.entries, opened.problems)
            }
        };
        let state = fold(&entries, &config);
        let warning = |text| Notice { level: NoticeLevel::Warning, text };
        let problems = problems.iter().map(|problem| warning(problem.to_string()));
        let opening = config.opening.iter().cloned().chain(problems).collect();
        let fix = (config.start != Start::New(None)).then(|| repair(&state, &config));
        let own = entries.iter().filter(|entry| entry.agent.is_none());
        let plan = state.plan.named.as_ref().and_then(|_| lost_plan(own.map(|entry| &entry.body)));
        let runtime = Arc::new(runtime(&config, state.session));
        let authority = Authority::new(config.permissions.clone(), &state.folder, &state.updates);
        let session = Self {
            offer: Offer::default(),
            system: Arc::new(config.system.blocks().into()),
            runtime,
            authority,
            state,
            journal,
            hub: Hub::default(),
            messages: messages.downgrade(),
            front_ends: FrontEnds::default(),
            host_requests: HostRequests::default(),
            waiting: Vec::new(),
            turns: JoinSet::new(),
            listeners: JoinSet::new(),
            lines: OwnLines::default(),
            before: FromBefore::default(),
            files: Files::default(),
            unfinished: Some(Unfinished::Prompts),
            opening,
            greeted: false,
            cancel: CancellationToken::new(),
            sync_due: Some(Instant::now() + SYNC_WITHIN),
            closing: false,
            config,
        };
        Ok((session, Loaded { fix, plan }))
    }

    /// Makes a loaded session whole, and sets the mode it starts in.
    async fn begin(&mut self, loaded: Loaded) -> Result<(), OpenError> {
        let journal = |NotRecorded(message)| OpenError::NotRecorded(message);
        let Repair { ended, bodies, again } = loaded.fix.unwrap_or_default();
        for agent in ended {
            self.record_for(Some(agent), vec![Body::AgentEnded(never_ended())]).await.map_err(journal)?;
        }
        self.record(bodies).await.map_err(journal)?;
        self.plan_again(loaded.plan).await.map_err(journal)?;
        self.rehearsal_again().await.map_err(journal)?;
        let planned = self.state.standing.is_planning();
        // What was possible then may not be now.
        self.change_mode(Change::Resumed).await.map_err(journal)??;
        if let Some(mode) = self.config.mode {
            self.change_mode(Change::To(mode)).await.map_err(journal)??;
        }
        self.settle_in(planned).await.map_err(journal)?;
        if self.config.model_named
            && self.state.model.as_ref().is_some_and(|model| *model != self.config.model)
        {
            let model = self.config.model.clone();
            self.record(vec![Body::Model(ModelSet { model })]).await.map_err(journal)?;
        }
        if !again.is_empty() {
            self.unfinished = Some(Unfinished::Calls(again));
        }
        Ok(())
    }

    async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        loop {
            let sync = self.sync_due.unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
            tokio::select! {
                message = messages.recv() => match message {
                    Some(message) => self.handle(message).await,
                    None => break,
                },
                Some(ended) = self.turns.join_next() => self.turn_over(ended).await,
                Some(_) = self.listeners.join_next() => {}
                Some(ended) = self.lines.next() => self.line_over(ended).await,
                () = tokio::time::sleep_until(sync), if self.sync_due.is_some() => self.sync().await,
                () = self.front_ends.waited(), if self.waits_for_nobody() => self.nobody_came().await,
            }
            if self.closing && self.turns.is_empty() && self.lines.is_empty() {
                break;
            }
        }
        self.end_lines().await;
        self.tell_hooks(HookNews::End);
        // A hook that hangs must not keep the program; its own time-out is longer than anybody waits at an exit.
        let _ = tokio::time::timeout(FAREWELL, self.farewell(&mut messages)).await;
        self.sync().await;
        let hub = self.hub.clone();
        // The lock goes before the word, so that whoever hears it can open the session again.
        drop(self);
        hub.live(Live::Closed);
    }

    /// Waits for hooks that only hear. Those of a front end need it to be heard meanwhile.
    async fn farewell(&mut self, messages: &mut mpsc::Receiver<Message>) {
        loop {
            tokio::select! {
                ended = self.listeners.join_next() => if ended.is_none() { return },
                Some(message) = messages.recv() => self.handle(message).await,
            }
        }
    }

    async fn handle(&mut self, message: Message) {
        // A reply that nobody waits for any more is no failure: the asker was interrupted.
        match message {
            Message::Attach(front_end, reply) => _ = reply.send(self.attach(front_end).await),
            Message::Detach(front_end) => self.detach(front_end),
            Message::Command(from, command, reply) => _ = reply.send(self.command(from, command).await),
            Message::Query(query, reply) => self.query(query, reply),
            Message::Record { agent, bodies, reply } => _ = reply.send(self.record_for(agent, bodies).await),
            Message::Request { agent, steer, reply } => {
                _ = reply.send(self.next_request(agent.as_deref(), steer).await)
            }
            Message::Answered { agent, answered, reply } => {
                _ = reply.send(self.answered(agent, answered).await)
            }
            Message::Begin { agent, begin, reply } => _ = reply.send(self.begin_call(agent, begin).await),
            Message::Finish { agent, finish, reply } => _ = reply.send(self.finish_call(agent, finish).await),
            Message::Ask { agent, asking, reply } => _ = reply.send(self.ask_about(agent, asking).await),
            Message::Withdraw(question, reply) => _ = reply.send(self.withdraw(question).await),
            Message::View(agent, reply) => _ = reply.send(self.view(agent.as_ref())),
            Message::Conversation(agent, reply) => _ = reply.send(self.projection(agent.as_ref())),
            Message::TakeSteering(most, reply) => _ = reply.send(self.take_steering(most).await),
            Message::EnterPlan(reply) => _ = reply.send(self.enter_plan().await),
            Message::PlanEdited(reply) => _ = reply.send(self.plan_edited().await),
            Message::BeginAgent { started, prompt, reply } => {
                _ = reply.send(self.begin_agent(started, prompt).await)
            }
            Message::AskHost { to, call, ask, reply } => _ = reply.send(self.ask_host(to, call, ask)),
            Message::WithdrawHost(request) => self.withdraw_from_host(request),
        }
    }

    async fn command(&mut self, from: FrontEndId, command: Command) -> Result<Accepted, Refused> {
        let journal = |NotRecorded(message)| Refused::Journal(message);
        let nothing = |()| Accepted::Nothing;
        if self.closing && !matches!(command, Command::Answer { .. } | Command::Unattended | Command::Close) {
            return Err(Refused::Closed);
        }
        if !matches!(command, Command::DefineHooks(_) | Command::DefineAgents(_)) {
            self.take_up_now().await;
        }
        match command {
            Command::Prompt(prompt) if !prompt.origin.is_from_outside() => Err(Refused::Origin),
            Command::Prompt(prompt) => self.prompt(prompt).await,
            Command::Answer { request, answer } => self.answer(from, request, answer).await.map(nothing),
            Command::Unattended => self.unattended(from).await.map(nothing).map_err(journal),
            Command::Shell(line) => self.run_own_line(line).await.map(nothing),
            Command::Interrupt => {
                self.cancel.cancel();
                self.lines.end();
                self.close_running(HostAnswer::Interrupted).await.map(nothing).map_err(journal)
            }
            Command::SetMode(mode) => self.set_mode(Change::To(mode)).await.map(nothing),
            Command::CycleMode => self.set_mode(Change::Cycle).await.map(nothing),
            Command::Plan(command) => self.plan_command(command).await,
            Command::Implement(task) => self.implement(task).await,
            Command::DefineAgents(agents) => self.define_agents(&agents).map(nothing),
            Command::DefineHooks(hooks) => {
                self.define_hooks(from, hooks)?;
                self.take_up_now().await;
                Ok(Accepted::Nothing)
            }
            Command::Permit(update) => self.permit(vec![update]).await.map(nothing),
            Command::SetModel(model) => self.set_model(model).await.map(nothing),
            Command::Close => {
                self.closing = true;
                self.cancel.cancel();
                self.lines.end();
                Ok(Accepted::Nothing)
            }
        }
    }

    fn model(&self) -> &str {
        self.state.model.as_deref().unwrap_or(&self.config.model)
    }
}

/// What calls are carried out with.
fn runtime(config: &Config, session: SessionId) -> ToolRuntime {
    // What fences keep on the disk is this session's: two that plan in one project share no layer.
    let folder = config.fences.folder.join(session.to_string());
    let fences = Arc::new(Fences::new(FenceSetup { folder, ..config.fences.clone() }));
    ToolRuntime {
        tools: config.tools.clone(),
        facts: FactProbe {
            env: Arc::clone(&config.tool_services.env),
            home: config.permissions.user_home.clone(),
            fence: Some(fences.lookup()),
        },
        hooks: LiveHooks::new(Arc::clone(&config.hooks)),
        services: config.tool_services.clone(),
        allowed: Arc::default(),
        agents: Arc::new(Subagents::new(config)),
        small: SmallRoute { models: Arc::clone(&config.models), small: config.crew.small.clone() },
        shells: Arc::clone(&config.tool_services.shells),
        fences,
        workflow: config.planning.workflow.clone(),
        judge: config.judge.clone(),
    }
}

fn fold(entries: &[Entry], config: &Config) -> State {
    let header = entries.iter().find_map(|entry| match &entry.body {
        Body::Session(header) => Some(header.clone()),
        _ => None,
    });
    let header = header.unwrap_or_else(|| Header {
        format: FORMAT,
        session: SessionId(config.ids.next()),
        folder: config.folder.clone(),
        program: String::new(),
        forked_from: None,
    });
    let mut state = State::new(&header);
    for entry in entries {
        state.apply(entry);
    }
    state
}
