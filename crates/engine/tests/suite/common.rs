//! A home, a project, a scripted model that remembers what it was sent, and a front end that listens.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forelook_disk::Owners;
use forelook_engine::{
    AgentCatalog, AgentDefinition, BasePrompt, Client, CompactionConfig, Config, Environment, FixedClock,
    Instructions, ModelCatalog, PermissionConfig, PlanningConfig, PolicyStore, ResolvedModel, Responder,
    SeededIds, SessionStart, SystemPrompt, built_in_agents, open,
};
use forelook_hooks::Hooks;

use forelook_fences::FenceSetup;
use forelook_permissions::{ModeConditions, PatternBases, ProgramFiles, Rule, RuleEntry, Strictness};
use forelook_plan::{Eagerness, PlanStore, Workflow};
use forelook_protocol::{
    AbsPath, CallStatus, Command, CommandAccepted, CommandError, Cost, Delivery, EndReason, Entry, EntryBody,
    Event, EventPort, FrontEnd, HostAnswer, HostRequest, LiveEvent, Mode, NoServices, Origin,
    PermissionUpdate, PlanQuery, PlanReply, PlanSlashCommand, Price, Prompt, Query, Reply, RuleOrigin,
    SessionConnection, SessionId, SessionPort, SessionSnapshot, Source, TurnId, UserBlock,
};
use forelook_providers::scripted::{Script, ScriptedProvider};
use forelook_providers::{AnswerStream, ModelFacts, Provider, Request};
use forelook_sessions::SessionStore;
use forelook_tools::{BuiltinToolOptions, ChildEnv, ToolServices, Toolbox, WebAccess};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The session of every test; each has a home of its own.
pub(crate) const SESSION: SessionId = SessionId(Uuid::from_u128(0x0189_0a5d_ac96_774b_bcce_b302_099a_8057));

/// Long enough for a loaded machine. Nothing waits for it unless the engine hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// What every script ends in when the person says "go on", whatever came before.
pub(crate) const GO_ON: &str = "go on";

/// Runs one life of a session in a runtime of its own. When this returns, every task of it is gone, as after
/// a kill: what was open stays open.
pub(crate) fn life<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap().block_on(future)
}

/// A home and a project in a temporary folder.
pub(crate) struct Home {
    _folder: TempDir,
    pub(crate) root: AbsPath,
    pub(crate) project: AbsPath,
    sent: Arc<Mutex<Vec<Request>>>,
    /// Ids of one process must not come again in the next.
    lives: AtomicU64,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().canonicalize().unwrap()).unwrap();
        Self::at(folder, root)
    }

    /// A home in this folder.
    pub(crate) fn at(folder: TempDir, root: AbsPath) -> Self {
        let project = root.join("project");
        for name in ["project", "home", "scratch"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        Self { _folder: folder, root, project, sent: Arc::default(), lives: AtomicU64::new(1) }
    }

    /// The same project with another home, and so another set of journals.
    pub(crate) fn beside(&self) -> Self {
        let mut other = Self::new();
        other.project = self.project.clone();
        // Entries that were copied from here keep their ids.
        other.lives = AtomicU64::new(self.lives.load(Ordering::Relaxed) + 100);
        other
    }

    pub(crate) fn file(&self, name: &str, text: &str) {
        std::fs::write(self.project.join(name), text).unwrap();
    }

    /// What is in a file of the project, if it is there.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.project.join(name)).ok()
    }

    pub(crate) fn store(&self) -> SessionStore {
        SessionStore::new(self.root.join("home"))
    }

    /// Where plans are.
    pub(crate) fn plans(&self) -> PlanStore {
        PlanStore::resolve(&self.root.join("home"), &self.project, None).0
    }

    pub(crate) fn journal(&self) -> AbsPath {
        self.store().path_of(&self.project, SESSION)
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        let read = self.store().read(SESSION).unwrap();
        assert_eq!(read.problems, []);
        read.entries
    }

    /// What the model was sent so far, as the testkit's checks want it.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.sent.lock().unwrap().iter().map(|request| serde_json::to_value(request).unwrap()).collect()
    }

    /// The messages of the last request, checked: a provider would accept them.
    pub(crate) fn last_request(&self) -> Vec<Value> {
        let requests = self.requests();
        let messages = |request: &Value| request["messages"].as_array().unwrap().clone();
        requests.iter().for_each(|request| forelook_testkit::check::conversation(&messages(request)));
        // A session that was resumed here may have sent its first requests elsewhere.
        if messages(&requests[0]).iter().all(|message| message["role"] == "user") {
            forelook_testkit::check::requests(&requests);
        }
        requests.last().unwrap()["messages"].as_array().unwrap().clone()
    }

    /// A session that plays this script in mode `bypassPermissions`, with a person there.
    pub(crate) fn config(&self, start: SessionStart, script: &str) -> Config {
        let clock = Arc::new(FixedClock("2026-01-02T03:04:05Z".parse().unwrap()));
        let env = Arc::new(ChildEnv::from_process_without_secrets(std::env::vars_os()));
        let services = ToolServices::new(env, self.root.join("scratch"));
        Config {
            start,
            folder: self.project.clone(),
            store: self.store(),
            fences: FenceSetup::plain(&self.root.join("fences")),
            permissions: self.permissions(&[]),
            hooks: Arc::new(Hooks::new(Vec::new(), ChildEnv::default(), self.project.clone())),
            fallback: None,
            mode: Some(Mode::BypassPermissions),
            model: "scripted/main".to_owned(),
            model_named: false,
            models: Arc::new(Recorded::playing(script, Arc::clone(&self.sent), false)),
            tools: tools_on(&built_in_agents(), WebAccess::default(), &services).into(),
            tool_services: services,
            system: SystemPrompt {
                base: BasePrompt::BuiltIn,
                environment: Environment::detect(&self.project, &*clock, None, &Owners::of_process(None)),
                instructions: Instructions::default(),
                append: None,
            },
            max_turns: None,
            planning: PlanningConfig { plans: self.plans(), workflow: Workflow::default(), model: None },
            compaction: CompactionConfig::default(),
            agent_catalog: AgentCatalog { kinds: built_in_agents(), at_once: 10, small: None },
            services: Arc::new(NoServices),
            responder: Responder::Person,
            reviewer: Responder::Person,
            question_wait: Duration::from_secs(3600),
            classifier: None,
            startup_notices: Vec::new(),
            clock,
            ids: Arc::new(SeededIds::new(self.lives.fetch_add(1, Ordering::Relaxed))),
        }
    }

    /// The same, with models that can be sent tools later without losing their cache.
    pub(crate) fn deferring(&self, start: SessionStart, script: &str) -> Config {
        let models = Arc::new(Recorded::playing(script, Arc::clone(&self.sent), true));
        Config { models, ..self.config(start, script) }
    }

    /// Permissions with these rules, such as `deny Bash(rm:*)`, and every mode available.
    pub(crate) fn permissions(&self, rules: &[&str]) -> PermissionConfig {
        let entry = |text: &&str| {
            let (behavior, rule) = text.split_once(' ').unwrap();
            let behavior = serde_json::from_value(serde_json::json!(behavior)).unwrap();
            let source = Source::UserSettings;
            let bases =
                PatternBases { home: None, working: self.project.clone(), written: self.project.clone() };
            let origin = RuleOrigin { rule: rule.to_owned(), behavior, source, file: None, line: None };
            RuleEntry { rule: Rule::parse(rule).unwrap(), origin, bases }
        };
        PermissionConfig {
            rules: rules.iter().map(entry).collect(),
            folders: Vec::new(),
            user_home: None,
            trusted: false,
            own: ProgramFiles {
                home: self.root.join("home"),
                managed: self.root.join("managed"),
                keys: Vec::new(),
                runs: Vec::new(),
                links: Vec::new(),
            },
            conditions: ModeConditions {
                gate: Ok(()),
                bypass: Ok(()),
                auto_during_plan: false,
                cycle: forelook_permissions::CYCLE.to_vec(),
            },
            strictness: Strictness::Runners,
            workspace: None,
            network_commands: Vec::new(),
            policy_store: Arc::new(NoPolicyStore),
        }
    }

    /// A new session with this script.
    pub(crate) async fn begin(&self, script: &str) -> Front {
        Front::open(self.config(SessionStart::New(Some(SESSION)), script)).await
    }

    /// The session again, in a new process so to speak.
    pub(crate) async fn resume(&self, script: &str, responder: Responder) -> Front {
        let reviewer = responder;
        Front::open(Config { responder, reviewer, ..self.config(SessionStart::Resume(SESSION), script) })
            .await
    }
}

/// All tools, with these agents to start. They are made with nothing of a session's, so they start no programs.
pub(crate) fn tools(kinds: &[AgentDefinition]) -> Toolbox {
    tools_with(kinds, WebAccess::default())
}

/// All tools, with these agents to start and this way to the web.
pub(crate) fn tools_with(kinds: &[AgentDefinition], web: WebAccess) -> Toolbox {
    tools_on(kinds, web, &ToolServices::new(Arc::default(), AbsPath::new("/nowhere").unwrap()))
}

/// The same, made with what a session has.
fn tools_on(kinds: &[AgentDefinition], web: WebAccess, services: &ToolServices) -> Toolbox {
    let agents = kinds.iter().map(AgentDefinition::listing).collect();
    let options = BuiltinToolOptions { eagerness: Eagerness::default(), agents, channels: false, web };
    Toolbox::builtin(options, services)
}

/// Saves nothing, and says so.
struct NoPolicyStore;

impl PolicyStore for NoPolicyStore {
    fn save(&self, _: &PermissionUpdate) -> Result<(), String> {
        Err("the disk is read-only".to_owned())
    }
}

/// Knows the models `scripted/main` and `scripted/other`, which play the same script, and keeps what they
/// were sent.
struct Recorded {
    provider: Arc<dyn Provider>,
}

impl Recorded {
    fn playing(script: &str, sent: Arc<Mutex<Vec<Request>>>, defers: bool) -> Self {
        let script = ScriptedProvider::new(Script::parse(script).unwrap());
        Self { provider: Arc::new(Recorder { script, sent, defers }) }
    }
}

impl ModelCatalog for Recorded {
    fn resolve(&self, model: &str) -> Result<ResolvedModel, String> {
        match model.strip_prefix("scripted/") {
            Some(name @ ("main" | "other")) => {
                let window = Some(if name == "main" { 400_000 } else { 200_000 });
                // One of them has a price.
                let [input, output, cache_read, cache_write] = [5, 10, 1, 2].map(Cost);
                let price = Price { input, output, cache_read, cache_write };
                let price = (name == "other").then_some(price);
                let facts = ModelFacts { window, price, ..ModelFacts::default() };
                let provider = Arc::clone(&self.provider);
                Ok(ResolvedModel { id: model.to_owned(), name: name.to_owned(), provider, facts })
            }
            _ => Err("there is none of that name".to_owned()),
        }
    }
}

struct Recorder {
    script: ScriptedProvider,
    sent: Arc<Mutex<Vec<Request>>>,
    defers: bool,
}

impl Provider for Recorder {
    fn defers_tools(&self) -> bool {
        self.defers
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> AnswerStream {
        self.sent.lock().unwrap().push(request.clone());
        self.script.stream(request, cancel)
    }
}

/// A front end: sends commands, and hears what comes of them.
pub(crate) struct Front {
    /// The session, for other front ends to attach to.
    pub(crate) client: Client,
    pub(crate) session: Arc<dyn SessionPort>,
    /// Locked by nobody: it makes a front end something that tasks can share.
    events: Mutex<Box<dyn EventPort>>,
    pub(crate) snapshot: SessionSnapshot,
    /// Everything recorded that was heard so far.
    pub(crate) heard: Vec<Arc<Entry>>,
}

impl Front {
    pub(crate) async fn open(config: Config) -> Self {
        let client = open(config).await.unwrap();
        Self::attach(&client, FrontEnd::attended("test")).await
    }

    pub(crate) async fn attach(client: &Client, front_end: FrontEnd) -> Self {
        let SessionConnection { session, events, snapshot } = client.attach(front_end).await.unwrap();
        let (client, events) = (client.clone(), Mutex::new(events));
        Self { client, session, events, snapshot, heard: Vec::new() }
    }

    pub(crate) async fn send(&self, command: Command) -> Result<CommandAccepted, CommandError> {
        self.session.send(command).await
    }

    pub(crate) async fn query(&self, query: Query) -> Reply {
        self.session.query(query).await.unwrap()
    }

    /// What there is to see of plans.
    pub(crate) async fn look(&self, query: PlanQuery) -> PlanReply {
        match self.query(Query::Plan(query)).await {
            Reply::Plan(shown) => shown,
            other => panic!("{other:?}"),
        }
    }

    /// `/plan`, as a front end reads it.
    pub(crate) async fn plan(&self, argument: &str) -> Result<Option<PlanReply>, CommandError> {
        let Reply::Status(status) = self.query(Query::Status).await else { panic!("no status") };
        match PlanSlashCommand::parse(argument, status.mode).map_err(CommandError::Plan)? {
            PlanSlashCommand::Show(query) => match self.session.query(Query::Plan(query)).await? {
                Reply::Plan(shown) => Ok(Some(shown)),
                other => panic!("{other:?}"),
            },
            PlanSlashCommand::Run(command) => {
                self.send(Command::Plan(command.clone())).await?;
                let Reply::Status(status) = self.query(Query::Status).await else { panic!("no status") };
                Ok(status.plan.and_then(|path| command.shown(path)))
            }
        }
    }

    pub(crate) async fn event(&mut self) -> Event {
        let events = self.events.get_mut().unwrap();
        let event = tokio::time::timeout(PATIENCE, events.next()).await;
        let event = event.unwrap_or_else(|_| panic!("nothing more came after {:#?}", self.heard.last()));
        if let Event::Recorded(entry) = &event {
            self.heard.push(Arc::clone(entry));
        }
        event
    }

    /// The next entry of which `pick` makes something.
    pub(crate) async fn until<T>(&mut self, mut pick: impl FnMut(&EntryBody) -> Option<T>) -> T {
        loop {
            if let Event::Recorded(entry) = self.event().await
                && let Some(found) = pick(&entry.body)
            {
                return found;
            }
        }
    }

    pub(crate) async fn question(&mut self) -> HostRequest {
        self.until(
            |body| if let EntryBody::QuestionOpened(it) = body { Some(it.question.clone()) } else { None },
        )
        .await
    }

    pub(crate) async fn turn_end(&mut self) -> EndReason {
        self.until(|body| if let EntryBody::TurnEnded(it) = body { Some(it.reason.clone()) } else { None })
            .await
    }

    pub(crate) async fn closed(&mut self) {
        while !matches!(self.event().await, Event::Live(LiveEvent::Closed)) {}
    }

    /// Ends the session and hears all of it.
    pub(crate) async fn close(mut self) -> Vec<Arc<Entry>> {
        self.send(Command::Close).await.unwrap();
        self.closed().await;
        self.heard
    }

    pub(crate) async fn say(&self, words: &str) {
        self.say_for(words, Delivery::NextTurn).await;
    }

    pub(crate) async fn say_for(&self, words: &str, delivery: Delivery) {
        let prompt = Prompt::person(vec![UserBlock::text(words)], delivery);
        self.send(Command::Prompt(prompt)).await.unwrap();
    }

    /// Says something as somebody, after the running turn; what it started.
    pub(crate) async fn say_as(&self, words: &str, origin: Origin) -> Result<CommandAccepted, CommandError> {
        let content = vec![UserBlock::text(words)];
        self.send(Command::Prompt(Prompt { origin, ..Prompt::person(content, Delivery::NextTurn) })).await
    }

    pub(crate) async fn answer(
        &self,
        question: &HostRequest,
        answer: HostAnswer,
    ) -> Result<CommandAccepted, CommandError> {
        self.send(Command::Answer { request: question.id, answer }).await
    }

    /// Sends a last prompt, puts every question away on the way, and waits until it was answered.
    pub(crate) async fn go_on(&mut self) -> EndReason {
        self.say(GO_ON).await;
        let mut reached = false;
        loop {
            let Event::Recorded(entry) = self.event().await else { continue };
            match &entry.body {
                EntryBody::QuestionOpened(opened) => {
                    // Taken back in this very moment, it needs no answer.
                    let _ = self.answer(&opened.question, HostAnswer::Dismissed).await;
                }
                EntryBody::PromptAccepted(taken) => reached |= taken.content == [UserBlock::text(GO_ON)],
                EntryBody::TurnEnded(ended) if reached => return ended.reason.clone(),
                _ => {}
            }
        }
    }
}

/// All words in a message: of the person, of the model, of results.
pub(crate) fn words(message: &Value) -> String {
    let blocks = message["blocks"].as_array().unwrap();
    let text = |block: &Value| block["text"].as_str().map(str::to_owned);
    let result = |block: &Value| Some(text(&block["content"][0]).unwrap_or_default());
    let all = blocks.iter().filter_map(|block| text(block).or_else(|| result(block)));
    all.collect::<Vec<_>>().join("\n")
}

/// How the turns ended that are over, as it stands in the journal.
pub(crate) fn ends(home: &Home) -> Vec<(TurnId, EndReason)> {
    let ends = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::TurnEnded(ended) => Some((ended.turn, ended.reason)),
        _ => None,
    });
    ends.collect()
}

/// The kinds of these entries, in order.
pub(crate) fn kinds<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<&'a str> {
    entries.into_iter().map(|entry| entry.body.kind()).collect()
}

/// What came of every call, in the order of the journal.
pub(crate) fn results(home: &Home) -> Vec<(CallStatus, String)> {
    let finished = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::ToolFinished(finished) => Some((finished.status, finished.result.text())),
        _ => None,
    });
    finished.collect()
}
