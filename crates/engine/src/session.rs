//! The session task: the one owner of the state and the journal.
//!
//! It takes messages one after another, writes entries, folds them into the state, and only then tells the
//! front ends. It never waits for a model, a tool or a person: those are turns, with a handle of their own.

use std::sync::Arc;
use std::time::Duration;

use forelook_permissions::Policy;
use forelook_protocol::{
    AgentId, Answer, Ask, Body, CallId, Choice, Command, Delivery, EndReason, Entry, EntryId, Event, FORMAT,
    Header, Live, Mode, ModeSet, ModelSet, Notice, NoticeLevel, Opened, PersonQuestion, Prompt, Query,
    Question, QuestionId, Queued, Refused, Replied, Reply, SessionId, Status, Taken, ToolSpec,
};
use forelook_providers::Request;
use forelook_sessions::{Journal, SessionError};
use forelook_tools::Place;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::carry_out::Hands;
use crate::client::Client;
use crate::config::{Answerer, Config, Start};
use crate::handle::{CallView, NotRecorded, SessionHandle, Snapshot};
use crate::hub::{EventStream, Hub};
use crate::repair::{Repair, ended, loose_ends, repair};
use crate::state::State;
use crate::turn::{Turn, TurnInput, run_turn};

/// Room for messages on their way to the session. Senders wait for a reply anyway, so this is at least the
/// number of calls that may run together.
const MESSAGES: usize = 64;

/// Entries that need not be on the disk at once are there after this time.
const SYNC_WITHIN: Duration = Duration::from_millis(200);

/// What the session is told. Each variant carries the way to answer.
pub(crate) enum Message {
    Command(Command, oneshot::Sender<Result<(), Refused>>),
    Query(Query, oneshot::Sender<Reply>),
    Record(Vec<Body>, oneshot::Sender<Result<(), NotRecorded>>),
    Ask { call: CallId, ask: Ask, reply: oneshot::Sender<Result<Asked, NotRecorded>> },
    Withdraw(QuestionId, oneshot::Sender<Result<(), NotRecorded>>),
    Snapshot(oneshot::Sender<Snapshot>),
    View(oneshot::Sender<CallView>),
    TakeSteering(oneshot::Sender<Result<bool, NotRecorded>>),
    FreshIds(Vec<CallId>, oneshot::Sender<Vec<CallId>>),
}

/// A question that was asked: its id, and where the answer will arrive.
pub(crate) type Asked = (QuestionId, oneshot::Receiver<Answer>);

/// Why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The journal could not be made or read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The journal could not be written.
    #[error("{0}")]
    NotRecorded(String),
}

/// Opens a session and starts its task. The events begin with what opening had to say.
pub async fn open(config: Config) -> Result<(Client, EventStream), OpenError> {
    let hub = Hub::default();
    let events = hub.attach();
    let (sender, messages) = mpsc::channel(MESSAGES);
    let (mut session, fix) = Session::load(config, hub.clone(), sender.clone())?;
    session.begin(fix).await.map_err(|NotRecorded(message)| OpenError::NotRecorded(message))?;
    tokio::spawn(session.run(messages));
    Ok((Client { messages: sender, hub }, events))
}

struct Session {
    config: Config,
    hands: Arc<Hands>,
    specs: Arc<[ToolSpec]>,
    system: Arc<[String]>,
    state: State,
    journal: Journal,
    hub: Hub,
    /// For handles of turns. Weak, so that the session ends when every client and turn is gone.
    messages: mpsc::WeakSender<Message>,
    waiting: Vec<(QuestionId, oneshot::Sender<Answer>)>,
    turns: JoinSet<Result<(), EndReason>>,
    cancel: CancellationToken,
    sync_due: Option<Instant>,
    closing: bool,
}

impl Session {
    fn load(
        config: Config,
        hub: Hub,
        messages: mpsc::Sender<Message>,
    ) -> Result<(Self, Option<Repair>), OpenError> {
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
        let fix = (config.start != Start::New(None)).then(|| repair(&state, config.answerer));
        let hands = Arc::new(Hands {
            tools: config.tools.clone(),
            env: Arc::clone(&config.env),
            scratch: config.scratch.clone(),
        });
        let session = Self {
            specs: hands.tools.specs().to_vec().into(),
            system: config.system.blocks().into(),
            hands,
            state,
            journal,
            hub,
            messages: messages.downgrade(),
            waiting: Vec::new(),
            turns: JoinSet::new(),
            cancel: CancellationToken::new(),
            sync_due: Some(Instant::now() + SYNC_WITHIN),
            closing: false,
            config,
        };
        Ok((session, fix))
    }

    /// Makes a loaded session whole, sets the mode it starts in, and takes up what waited.
    async fn begin(&mut self, fix: Option<Repair>) -> Result<(), NotRecorded> {
        let Repair { bodies, again } = fix.unwrap_or(Repair { bodies: Vec::new(), again: Vec::new() });
        self.record(bodies).await?;
        let mode = self.config.mode.unwrap_or(self.state.mode);
        if mode != self.state.mode {
            self.record(vec![Body::Mode(ModeSet { mode })]).await?;
        }
        if !again.is_empty() {
            self.start_turn(TurnInput::Again(again));
            return Ok(());
        }
        self.next_turn().await
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
                () = tokio::time::sleep_until(sync), if self.sync_due.is_some() => self.sync().await,
            }
            if self.closing && self.turns.is_empty() {
                break;
            }
        }
        self.sync().await;
        self.hub.live(Live::Closed);
    }

    async fn handle(&mut self, message: Message) {
        // A reply that nobody waits for any more is no failure: the asker was interrupted.
        match message {
            Message::Command(command, reply) => _ = reply.send(self.command(command).await),
            Message::Query(Query::Status, reply) => _ = reply.send(Reply::Status(self.status())),
            Message::Record(bodies, reply) => _ = reply.send(self.record(bodies).await),
            Message::Ask { call, ask, reply } => _ = reply.send(self.ask(call, ask).await),
            Message::Withdraw(question, reply) => _ = reply.send(self.withdraw(question).await),
            Message::Snapshot(reply) => _ = reply.send(self.snapshot()),
            Message::View(reply) => _ = reply.send(self.view()),
            Message::TakeSteering(reply) => _ = reply.send(self.take_steering().await),
            Message::FreshIds(given, reply) => _ = reply.send(self.state.conversation.fresh_ids(given)),
        }
    }

    async fn command(&mut self, command: Command) -> Result<(), Refused> {
        let journal = |NotRecorded(message)| Refused::Journal(message);
        match command {
            Command::Prompt(prompt) => self.prompt(prompt).await.map_err(journal),
            Command::Answer { question, answer } => self.answer(question, answer).await,
            Command::Unattended => self.unattended().await.map_err(journal),
            Command::Interrupt => {
                self.cancel.cancel();
                Ok(())
            }
            Command::SetMode(mode) => self.set_mode(mode).await,
            Command::SetModel(model) => self.set_model(model).await,
            Command::Close => {
                self.closing = true;
                self.cancel.cancel();
                Ok(())
            }
        }
    }

    async fn prompt(&mut self, prompt: Prompt) -> Result<(), NotRecorded> {
        if !self.turns.is_empty() {
            return self.record(vec![Body::Queued(Queued { prompt })]).await;
        }
        self.begin_turn(Body::Prompt(Taken { content: prompt.content, queued: None })).await
    }

    async fn answer(&mut self, question: QuestionId, answer: Answer) -> Result<(), Refused> {
        let open =
            self.state.open.iter().find(|open| open.id == question).ok_or(Refused::NotOpen(question))?;
        if !fits(&open.ask, &answer) {
            return Err(Refused::DoesNotFit(question));
        }
        self.close(question, answer).await.map_err(|NotRecorded(message)| Refused::Journal(message))
    }

    async fn close(&mut self, question: QuestionId, answer: Answer) -> Result<(), NotRecorded> {
        self.record(vec![Body::Reply(Replied { question, answer: answer.clone() })]).await?;
        if let Some(at) = self.waiting.iter().position(|(id, _)| *id == question) {
            // The asker may have been interrupted in this very moment; then the answer has no use.
            let _ = self.waiting.swap_remove(at).1.send(answer);
        }
        Ok(())
    }

    /// Closes a question whose turn was interrupted, unless an answer came first: it is closed once.
    async fn withdraw(&mut self, question: QuestionId) -> Result<(), NotRecorded> {
        match self.state.open.iter().any(|open| open.id == question) {
            true => self.close(question, Answer::Interrupted).await,
            false => Ok(()),
        }
    }

    async fn unattended(&mut self) -> Result<(), NotRecorded> {
        self.config.answerer = Answerer::Nobody;
        let open: Vec<QuestionId> = self.state.open.iter().map(|question| question.id).collect();
        for question in open {
            self.close(question, Answer::Nobody).await?;
        }
        Ok(())
    }

    async fn set_mode(&mut self, mode: Mode) -> Result<(), Refused> {
        if mode == self.state.mode {
            return Ok(());
        }
        let recorded = self.record(vec![Body::Mode(ModeSet { mode })]).await;
        recorded.map_err(|NotRecorded(message)| Refused::Journal(message))
    }

    async fn set_model(&mut self, model: String) -> Result<(), Refused> {
        if let Err(why) = self.config.models.find(&model) {
            return Err(Refused::Model { model, why });
        }
        let recorded = self.record(vec![Body::Model(ModelSet { model })]).await;
        recorded.map_err(|NotRecorded(message)| Refused::Journal(message))
    }

    async fn ask(&mut self, call: CallId, ask: Ask) -> Result<Asked, NotRecorded> {
        let id = QuestionId(self.config.ids.next());
        self.record(vec![Body::Question(Opened { question: Question { id, call, ask } })]).await?;
        let (sender, receiver) = oneshot::channel();
        self.waiting.push((id, sender));
        if self.config.answerer == Answerer::Nobody {
            self.close(id, Answer::Nobody).await?;
        }
        Ok((id, receiver))
    }

    async fn take_steering(&mut self) -> Result<bool, NotRecorded> {
        let steering = self.state.queue.iter().filter(|(_, prompt)| prompt.delivery == Delivery::Steer);
        let taken: Vec<Body> = steering.map(|(id, prompt)| taken(*id, prompt)).collect();
        let any = !taken.is_empty();
        self.record(taken).await?;
        Ok(any)
    }

    fn snapshot(&self) -> Snapshot {
        let model = self.config.models.find(self.model());
        let name = model.as_ref().map_or_else(|_| String::new(), |choice| choice.name.clone());
        Snapshot {
            request: Request {
                model: name,
                system: Arc::clone(&self.system),
                tools: Arc::clone(&self.specs),
                messages: self.state.conversation.messages().to_vec(),
            },
            model,
        }
    }

    fn view(&self) -> CallView {
        CallView {
            policy: Policy { mode: self.state.mode },
            place: Place { project: self.state.folder.clone(), folder: self.state.shell_folder.clone() },
            seen: Arc::clone(&self.state.seen),
        }
    }

    fn status(&self) -> Status {
        Status {
            session: self.state.session,
            folder: self.state.folder.clone(),
            mode: self.state.mode,
            model: self.model().to_owned(),
            tools: self.specs.iter().map(|spec| spec.name.clone()).collect(),
            todos: self.state.todos.clone(),
            turns_due: self.turns.len() + self.state.queue.len(),
        }
    }

    fn model(&self) -> &str {
        self.state.model.as_deref().unwrap_or(&self.config.model)
    }

    fn start_turn(&mut self, input: TurnInput) {
        let Some(messages) = self.messages.upgrade() else { return };
        self.cancel = CancellationToken::new();
        let session = SessionHandle { messages, hub: self.hub.clone(), cancel: self.cancel.clone() };
        let turn = Turn { session, hands: Arc::clone(&self.hands), max_turns: self.config.max_turns };
        self.turns.spawn(run_turn(turn, input));
    }

    async fn turn_over(&mut self, ended: Result<Result<(), EndReason>, JoinError>) {
        let unwritten = match ended {
            Ok(Ok(())) => None,
            Ok(Err(reason)) => Some(reason),
            // Nobody aborts a turn but a runtime that shuts down. What is open and what waits stays as it
            // is in the journal, for whoever resumes the session.
            Err(gone) if gone.is_cancelled() => {
                self.closing = true;
                return;
            }
            Err(crash) => {
                Some(EndReason::Internal { message: format!("The turn failed inside Forelook: {crash}") })
            }
        };
        if self.tie_up(unwritten.clone()).await.is_err()
            && let Some(reason) = unwritten
        {
            self.hub.live(Live::Unrecorded(reason));
        }
        if !self.closing
            && let Err(NotRecorded(text)) = self.next_turn().await
        {
            self.hub.live(Live::Notice(Notice { level: NoticeLevel::Error, text }));
        }
    }

    /// Starts a turn with the next prompt that waits, if one does.
    async fn next_turn(&mut self) -> Result<(), NotRecorded> {
        let Some(body) = self.state.queue.front().map(|(id, prompt)| taken(*id, prompt)) else {
            return Ok(());
        };
        self.begin_turn(body).await
    }

    async fn begin_turn(&mut self, prompt: Body) -> Result<(), NotRecorded> {
        // Where the turn before broke off because nothing could be written, this is the first chance.
        self.tie_up(None).await?;
        self.record(vec![prompt]).await?;
        self.start_turn(TurnInput::Prompt);
        Ok(())
    }

    /// Closes what a turn left open that crashed or could not write: a call without a result would spoil
    /// every later request. Writes the turn's end if it did not do so itself.
    async fn tie_up(&mut self, end: Option<EndReason>) -> Result<(), NotRecorded> {
        self.record(loose_ends(&self.state)).await?;
        match end {
            Some(reason) => self.record(vec![ended(reason)]).await,
            None => Ok(()),
        }
    }

    /// Writes entries, folds them, tells of them: in this order, one by one.
    async fn record(&mut self, bodies: Vec<Body>) -> Result<(), NotRecorded> {
        for body in bodies {
            let entry = Entry {
                id: EntryId(self.config.ids.next()),
                parent: self.state.last,
                time: self.config.clock.now(),
                agent: None,
                body,
            };
            self.journal.append(&entry).map_err(|error| NotRecorded(error.to_string()))?;
            if entry.body.must_reach_disk() {
                self.sync().await;
            } else {
                self.sync_due.get_or_insert_with(|| Instant::now() + SYNC_WITHIN);
            }
            self.state.apply(&entry);
            self.keep_todos(&entry.body);
            self.hub.publish(Event::Recorded(Arc::new(entry)));
        }
        Ok(())
    }

    /// The todo file is a copy for other programs; the journal has the truth, so a failure is only told.
    fn keep_todos(&self, body: &Body) {
        let Body::Finished(finished) = body else { return };
        if !finished.effects.iter().any(|effect| matches!(effect, forelook_protocol::Effect::SetTodos { .. }))
        {
            return;
        }
        let agent = AgentId::from(self.state.session);
        if let Err(error) = self.config.store.write_todos(self.state.session, &agent, &self.state.todos) {
            self.hub.live(Live::Notice(Notice { level: NoticeLevel::Warning, text: error.to_string() }));
        }
    }

    /// Waits until everything written is on the disk itself.
    async fn sync(&mut self) {
        self.sync_due = None;
        let done = match self.journal.syncer() {
            Ok(syncer) => {
                tokio::task::spawn_blocking(move || syncer.sync_data()).await.map_err(|it| it.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = done.and_then(|synced| synced.map_err(|error| error.to_string())) {
            let text = format!(
                "The journal could not be forced to the disk ({error}); a power cut now may lose its end"
            );
            self.hub.live(Live::Notice(Notice { level: NoticeLevel::Warning, text }));
        }
    }
}

fn taken(id: EntryId, prompt: &Prompt) -> Body {
    Body::Prompt(Taken { content: prompt.content.clone(), queued: Some(id) })
}

/// Whether this is a kind of answer that the question can have. Only a person's words come this way, so
/// what the program itself says (`Nobody`, `Interrupted`) never fits.
fn fits(ask: &Ask, answer: &Answer) -> bool {
    match (ask, answer) {
        (Ask::Permission { .. }, Answer::Allow | Answer::Deny { .. } | Answer::Dismissed) => true,
        (Ask::Choose { questions }, Answer::Chosen { choices }) => {
            choices.len() == questions.len()
                && questions.iter().zip(choices).all(|(it, choice)| offered(it, choice))
        }
        (Ask::Choose { .. }, Answer::Dismissed) => true,
        _ => false,
    }
}

/// Whether a choice is one that the question offers. Words are always possible; labels must be its own, or
/// the model would read as chosen what the person was never shown.
fn offered(question: &PersonQuestion, choice: &Choice) -> bool {
    let Choice::Options(labels) = choice else { return true };
    let known = |label: &String| question.options.iter().any(|option| option.label == *label);
    (labels.len() <= 1 || question.multi_select) && labels.iter().all(known)
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
