//! The session task: the one owner of the state and the journal.
//!
//! It takes messages one after another, writes entries, folds them into the state, and only then tells the
//! front ends. It never waits for a model, a tool or a person: those are turns, with a handle of their own.

mod agents;
mod journal;
mod own_lines;
mod permissions;
mod plan_command;
mod planning;
mod plans;
mod queries;
mod questions;
mod rehearsals;
mod requests;
mod shell_news;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use forelook_permissions::{Change, NotChanged};
use forelook_plan::{Origin, lost_plan};
use forelook_protocol::{
    AgentId, AgentStarted, Answer, Ask, Body, CallId, Command, EndReason, Entry, EntryId, FORMAT, Header,
    Live, Mode, ModelSet, Notice, NoticeLevel, Query, QuestionId, Refused, Rehearsal, Reply, SessionId,
    Started,
};
use forelook_providers::Kept;
use forelook_sessions::{Journal, SessionError};
use forelook_tools::{FenceSetup, Fences, Finder};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use own_lines::OwnLines;
use permissions::HookNews;
use planning::FromBefore;
use plans::begins_with;
use queries::Files;
use questions::Asking;
use requests::Offer;
use turns::says_nothing;

use crate::authority::Authority;
use crate::carry_out::Hands;
use crate::client::Client;
use crate::config::{Config, Start};
use crate::handle::{AgentRun, CallView, Given, NotRecorded, Snapshot};
use crate::hub::{EventStream, Hub};
use crate::repair::{Repair, never_ended, repair};
use crate::state::State;
use crate::subagent::AgentsAtWork;
use crate::turn::TurnInput;

/// Room for messages on their way to the session. Senders wait for a reply anyway, so this is at least the
/// number of calls that may run together.
const MESSAGES: usize = 64;

/// Entries that need not be on the disk at once are there after this time.
const SYNC_WITHIN: Duration = Duration::from_millis(200);

/// How long hooks may take when the session ends.
const FAREWELL: Duration = Duration::from_secs(5);

/// What the session is told. Each variant carries the way to answer.
pub(crate) enum Message {
    Command(Command, oneshot::Sender<Result<(), Refused>>),
    Query(Query, oneshot::Sender<Reply>),
    Record { agent: Option<AgentId>, bodies: Vec<Body>, reply: Recorded<()> },
    Begin { agent: Option<AgentId>, started: Started, mode: Mode, reply: Recorded<bool> },
    Ask { agent: Option<AgentId>, call: CallId, ask: Ask, revision: u64, reply: Recorded<Asked> },
    AskToPlan { call: CallId, revision: u64, reply: Recorded<Asked> },
    AskForReview { call: CallId, revision: u64, rehearsal: Option<Box<Rehearsal>>, reply: Recorded<Asked> },
    Withdraw(QuestionId, Recorded<()>),
    Snapshot(Option<Arc<AgentRun>>, Recorded<Snapshot>),
    View(Option<AgentId>, Recorded<CallView>),
    TakeSteering(Recorded<bool>),
    FreshIds(Option<AgentId>, Vec<CallId>, oneshot::Sender<Vec<CallId>>),
    EnterPlan(Recorded<Result<(), String>>),
    KeepPlan(Recorded<()>),
    PlanEdited(Recorded<()>),
    BeginAgent { started: AgentStarted, prompt: String, reply: Recorded<Result<AgentId, String>> },
}

/// The way to answer where the journal may fail.
pub(crate) type Recorded<T> = oneshot::Sender<Result<T, NotRecorded>>;

/// A question that was asked: its id, and where the answer will arrive.
pub(crate) type Asked = (QuestionId, oneshot::Receiver<Given>);

/// A turn that waits for an answer.
struct Waiting {
    question: QuestionId,
    /// The state of the permissions that the question was asked under.
    revision: u64,
    sender: oneshot::Sender<Given>,
}

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

/// Opens a session and starts its task. The events begin with what opening had to say.
pub async fn open(config: Config) -> Result<(Client, EventStream), OpenError> {
    let hub = Hub::default();
    let events = hub.attach();
    let (sender, messages) = mpsc::channel(MESSAGES);
    let (mut session, loaded) = Session::load(config, hub.clone(), sender.clone())?;
    session.begin(loaded).await?;
    tokio::spawn(session.run(messages));
    Ok((Client { messages: sender, hub }, events))
}

/// What was found when a session was loaded.
struct Loaded {
    fix: Option<Repair>,
    /// The plan, as far as the journal can give it back.
    plan: Option<(Origin, String)>,
}

struct Session {
    config: Config,
    hands: Arc<Hands>,
    offer: Offer,
    system: Arc<Kept<Vec<String>>>,
    state: State,
    authority: Authority,
    journal: Journal,
    hub: Hub,
    /// For handles of turns. Weak, so that the session ends when every client and turn is gone.
    messages: mpsc::WeakSender<Message>,
    waiting: Vec<Waiting>,
    turns: JoinSet<Result<(), EndReason>>,
    /// Hooks that only hear.
    listeners: JoinSet<()>,
    /// Lines of the person's own.
    lines: OwnLines,
    /// Commands that run from before planning.
    before: FromBefore,
    files: Files,
    /// Whether hooks have been told that the session began.
    greeted: bool,
    cancel: CancellationToken,
    sync_due: Option<Instant>,
    closing: bool,
}

impl Session {
    fn load(config: Config, hub: Hub, messages: mpsc::Sender<Message>) -> Result<(Self, Loaded), OpenError> {
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
        for problem in problems {
            hub.live(Live::Notice(Notice { level: NoticeLevel::Warning, text: problem.to_string() }));
        }
        let fix = (config.start != Start::New(None)).then(|| repair(&state, &config));
        let own = entries.iter().filter(|entry| entry.agent.is_none());
        let plan = state.plan.named.as_ref().and_then(|_| lost_plan(own.map(|entry| &entry.body)));
        let hands = Arc::new(hands(&config, state.session));
        let authority = Authority::new(config.permissions.clone(), &state.folder, &state.updates);
        let session = Self {
            offer: Offer::default(),
            system: Arc::new(config.system.blocks().into()),
            hands,
            authority,
            state,
            journal,
            hub,
            messages: messages.downgrade(),
            waiting: Vec::new(),
            turns: JoinSet::new(),
            listeners: JoinSet::new(),
            lines: OwnLines::default(),
            before: FromBefore::default(),
            files: Files::default(),
            greeted: false,
            cancel: CancellationToken::new(),
            sync_due: Some(Instant::now() + SYNC_WITHIN),
            closing: false,
            config,
        };
        Ok((session, Loaded { fix, plan }))
    }

    /// Makes a loaded session whole, sets the mode it starts in, and takes up what waited.
    async fn begin(&mut self, loaded: Loaded) -> Result<(), OpenError> {
        let journal = |NotRecorded(message)| OpenError::NotRecorded(message);
        let Repair { ended, bodies, again } = loaded.fix.unwrap_or_default();
        for agent in ended {
            self.record_for(Some(agent), vec![Body::AgentEnded(never_ended())]).await.map_err(journal)?;
        }
        self.record(bodies).await.map_err(journal)?;
        self.plan_again(loaded.plan).await.map_err(journal)?;
        self.rehearsal_again().await.map_err(journal)?;
        let planned = self.state.standing.mode() == Mode::Plan;
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
            self.start_turn(TurnInput::Again(again));
            return Ok(());
        }
        if let Some(reviewed) = self.state.plan.begins.clone() {
            return self
                .begin_turn(begins_with(&reviewed, &self.state.rehearsal.became))
                .await
                .map_err(journal);
        }
        self.next_turn().await.map_err(journal)
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
            }
            if self.closing && self.turns.is_empty() && self.lines.is_empty() {
                break;
            }
        }
        self.end_lines().await;
        self.tell_hooks(HookNews::End);
        // A hook that hangs must not keep the program; its own time-out is longer than anybody waits at an exit.
        let _ = tokio::time::timeout(FAREWELL, async { while self.listeners.join_next().await.is_some() {} })
            .await;
        self.sync().await;
        let hub = self.hub.clone();
        // The lock goes before the word, so that whoever hears it can open the session again.
        drop(self);
        hub.live(Live::Closed);
    }

    async fn handle(&mut self, message: Message) {
        // A reply that nobody waits for any more is no failure: the asker was interrupted.
        match message {
            Message::Command(command, reply) => _ = reply.send(self.command(command).await),
            Message::Query(query, reply) => self.query(query, reply),
            Message::Record { agent, bodies, reply } => _ = reply.send(self.record_for(agent, bodies).await),
            Message::Begin { agent, started, mode, reply } => {
                _ = reply.send(self.begin_call(agent, started, mode).await)
            }
            Message::Ask { agent, call, ask, revision, reply } => {
                _ = reply.send(self.ask(Asking { agent, call, revision }, ask).await)
            }
            Message::AskToPlan { call, revision, reply } => {
                _ = reply.send(self.ask_to_plan(Asking { agent: None, call, revision }).await)
            }
            Message::AskForReview { call, revision, rehearsal, reply } => {
                let asking = Asking { agent: None, call, revision };
                _ = reply.send(self.ask_for_review(asking, rehearsal).await)
            }
            Message::Withdraw(question, reply) => _ = reply.send(self.withdraw(question).await),
            Message::Snapshot(agent, reply) => _ = reply.send(self.snapshot(agent.as_deref()).await),
            Message::View(agent, reply) => _ = reply.send(self.view(agent.as_ref())),
            Message::TakeSteering(reply) => _ = reply.send(self.take_steering().await),
            Message::FreshIds(agent, given, reply) => _ = reply.send(self.fresh_ids(agent.as_ref(), given)),
            Message::EnterPlan(reply) => _ = reply.send(self.enter_plan().await),
            Message::KeepPlan(reply) => _ = reply.send(self.keep_plan().await),
            Message::PlanEdited(reply) => _ = reply.send(self.plan_edited().await),
            Message::BeginAgent { started, prompt, reply } => {
                _ = reply.send(self.begin_agent(started, prompt).await)
            }
        }
    }

    async fn command(&mut self, command: Command) -> Result<(), Refused> {
        let journal = |NotRecorded(message)| Refused::Journal(message);
        match command {
            Command::Prompt(prompt) if says_nothing(&prompt) => Err(Refused::EmptyPrompt),
            Command::Prompt(prompt) => self.prompt(prompt).await.map_err(journal),
            Command::Answer { question, answer } => self.answer(question, answer).await,
            Command::Unattended => self.unattended().await.map_err(journal),
            Command::Shell(line) => self.run_own_line(line).await,
            Command::Interrupt => {
                self.cancel.cancel();
                self.lines.end();
                self.close_running(Answer::Interrupted).await.map_err(journal)
            }
            Command::SetMode(mode) => self.set_mode(Change::To(mode)).await,
            Command::CycleMode => self.set_mode(Change::Cycle).await,
            Command::Plan(argument) => self.plan_command(&argument).await,
            Command::Implement(task) => self.implement(task).await,
            Command::DefineAgents(agents) => self.define_agents(&agents),
            Command::Permit(update) => self.permit(vec![update]).await,
            Command::SetModel(model) => self.set_model(model).await,
            Command::Close => {
                self.closing = true;
                self.cancel.cancel();
                self.lines.end();
                Ok(())
            }
        }
    }

    fn model(&self) -> &str {
        self.state.model.as_deref().unwrap_or(&self.config.model)
    }
}

/// What calls are carried out with.
fn hands(config: &Config, session: SessionId) -> Hands {
    // What fences keep on the disk is this session's: two that plan in one project share no layer.
    let folder = config.fences.folder.join(session.to_string());
    let fences = Arc::new(Fences::new(FenceSetup { folder, ..config.fences.clone() }));
    Hands {
        tools: config.tools.clone(),
        finder: Finder {
            env: Arc::clone(&config.env),
            home: config.permissions.user_home.clone(),
            fences: Some(Arc::clone(&fences)),
        },
        hooks: Arc::clone(&config.hooks),
        env: Arc::clone(&config.env),
        scratch: config.scratch.clone(),
        crew: Arc::new(AgentsAtWork::new(config)),
        shells: Arc::default(),
        fences,
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
