//! What plan mode costs: entering it, leaving it, and a reminder in a turn. Prints figures as JSON; `cargo xtask bench`
//! runs it.
//!
//! The journal is forced to the disk when the mode changes, and that is awaited; it is measured by itself, in the same
//! folder (in memory where there is such a file system), and taken off.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a measurement says what it found, or stops"
)]

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_engine::{
    AgentCatalog, BasePrompt, Config, Environment, Instructions, ModelCatalog, PermissionConfig,
    PlanningConfig, PolicyStore, ResolvedModel, Responder, SessionStart, SystemClock, SystemIds,
    SystemPrompt, built_in_agents, open,
};
use forelook_fences::FenceSetup;
use forelook_hooks::Hooks;
use forelook_permissions::{CYCLE, GateClosed, ModeConditions, ProgramFiles, Strictness};
use forelook_plan::{PlanStore, Workflow};
use forelook_protocol::{
    AbsPath, Command, Delivery, EntryBody, Event, FrontEnd, Mode, NoServices, PermissionUpdate, Prompt,
    SessionConnection, UserBlock,
};
use forelook_providers::scripted::{Script, ScriptedProvider};
use forelook_sessions::SessionStore;
use forelook_tools::{ChildEnv, ToolServices, Toolbox};

const SCRIPT: &str =
    "chunk = 1000\n[[answer]]\nname = \"end\"\ntext = \"Done.\"\nnext = [{ goto = \"end\" }]\n";
const SESSIONS: usize = 60;
const TURNS: usize = 4;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let root = AbsPath::new(folder.path().canonicalize().unwrap()).unwrap();
    let mut spent = Spent::default();
    for _ in 0..SESSIONS {
        session(&root, &mut spent).await;
    }
    let reminded = median(&mut spent.with) - median(&mut spent.without);
    let forced = median(&mut spent.forced);
    println!(
        "{{\"first_enter_us\": {:.1}, \"enter_us\": {:.1}, \"leave_us\": {:.1}, \"reminder_us\": {:.1}, \"forced_us\": {forced:.1}}}",
        median(&mut spent.first) - forced,
        median(&mut spent.enter) - forced,
        median(&mut spent.leave) - forced,
        reminded.max(0.0),
    );
}

/// What it takes to force a written line to the disk and to wait for that, as the session does it.
async fn forced(file: &mut File) -> f64 {
    file.write_all(b"line\n").unwrap();
    let copy = file.try_clone().unwrap();
    let began = Instant::now();
    tokio::task::spawn_blocking(move || copy.sync_data()).await.unwrap().unwrap();
    began.elapsed().as_secs_f64() * 1e6
}

/// Microseconds, one for each time.
#[derive(Default)]
struct Spent {
    first: Vec<f64>,
    enter: Vec<f64>,
    leave: Vec<f64>,
    with: Vec<f64>,
    without: Vec<f64>,
    forced: Vec<f64>,
}

async fn session(root: &AbsPath, spent: &mut Spent) {
    let client = open(config(root)).await.unwrap();
    let mut front = client.attach(FrontEnd::watching("bench")).await.unwrap();
    // Before the turn: a change of mode comes right after one, the first time too.
    let mut file = tempfile::tempfile_in(root).unwrap();
    // A session that has just been opened is still settling; what planning costs shows after a turn.
    talk(&mut front).await;
    for turn in 0..TURNS {
        let entered = change(&front, Mode::Plan).await;
        if turn == 0 { &mut spent.first } else { &mut spent.enter }.push(entered);
        spent.with.push(talk(&mut front).await);
        spent.without.push(talk(&mut front).await);
        spent.leave.push(change(&front, Mode::Default).await);
        // The word that planning is over.
        talk(&mut front).await;
        // After a turn too, as the changes are: in a loop of its own the thread that waits for the disk never sleeps,
        // and waking it is most of the wait.
        spent.forced.push(forced(&mut file).await);
        talk(&mut front).await;
    }
    front.session.send(Command::Close).await.unwrap();
}

async fn change(front: &SessionConnection, mode: Mode) -> f64 {
    let began = Instant::now();
    front.session.send(Command::SetMode(mode)).await.unwrap();
    began.elapsed().as_secs_f64() * 1e6
}

async fn talk(front: &mut SessionConnection) -> f64 {
    let began = Instant::now();
    let prompt = Prompt::person(vec![UserBlock::text("go")], Delivery::NextTurn);
    front.session.send(Command::Prompt(prompt)).await.unwrap();
    loop {
        match front.events.next().await {
            Event::Recorded(entry) if matches!(entry.body, EntryBody::TurnEnded(_)) => break,
            _ => {}
        }
    }
    began.elapsed().as_secs_f64() * 1e6
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn config(root: &AbsPath) -> Config {
    let conditions = ModeConditions {
        gate: Err(GateClosed::Model),
        bypass: Err("not here".to_owned()),
        auto_during_plan: false,
        cycle: CYCLE.to_vec(),
    };
    let services = ToolServices::new(Arc::default(), root.join("scratch"));
    Config {
        start: SessionStart::New(None),
        folder: root.clone(),
        store: SessionStore::new(root.join("home")),
        fences: FenceSetup::plain(&root.join("fences")),
        permissions: PermissionConfig {
            rules: Vec::new(),
            folders: Vec::new(),
            user_home: None,
            trusted: false,
            own: ProgramFiles {
                home: root.join("home"),
                managed: root.join("managed"),
                keys: Vec::new(),
                runs: Vec::new(),
                links: Vec::new(),
            },
            conditions,
            strictness: Strictness::Runners,
            workspace: None,
            network_commands: Vec::new(),
            policy_store: Arc::new(Nothing),
        },
        hooks: Arc::new(Hooks::new(Vec::new(), ChildEnv::default(), root.clone())),
        mode: None,
        model: "scripted/x".to_owned(),
        model_named: false,
        fallback: None,
        models: Arc::new(Nothing),
        tools: Toolbox::plain(&services).into(),
        tool_services: services,
        system: SystemPrompt {
            base: BasePrompt::BuiltIn,
            environment: Environment::detect(
                root,
                &SystemClock,
                None,
                &forelook_disk::Owners::of_process(None),
            ),
            instructions: Instructions::default(),
            append: None,
        },
        max_turns: None,
        planning: PlanningConfig {
            plans: PlanStore::resolve(&root.join("home"), root, None).0,
            workflow: Workflow::default(),
            model: None,
        },
        compaction: Default::default(),
        agent_catalog: AgentCatalog { kinds: built_in_agents(), at_once: 1, small: None },
        services: Arc::new(NoServices),
        responder: Responder::Nobody,
        reviewer: Responder::Nobody,
        question_wait: Duration::from_secs(60),
        classifier: None,
        startup_notices: Vec::new(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
    }
}

/// Does nothing of what it could be asked for, but for one model.
struct Nothing;

impl PolicyStore for Nothing {
    fn save(&self, _: &PermissionUpdate) -> Result<(), String> {
        Ok(())
    }
}

impl ModelCatalog for Nothing {
    fn resolve(&self, name: &str) -> Result<ResolvedModel, String> {
        let provider = Arc::new(ScriptedProvider::new(Script::parse(SCRIPT).unwrap()));
        Ok(ResolvedModel { id: name.to_owned(), name: name.to_owned(), provider, facts: Default::default() })
    }
}
