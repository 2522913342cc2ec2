//! Runs a session: resolves what was asked for. `open.rs` puts the parts together, `front.rs` has the front ends.

use std::process::ExitCode;
use std::sync::Arc;

use forelook_engine::{FixedClock, SeededIds, Start, SystemClock, SystemIds};
use forelook_headless::Ended;
use forelook_protocol::{AbsPath, Clock, Ids, Mode, Notice, NoticeLevel, SessionId};
use forelook_sessions::{SessionError, Store};
use forelook_settings::{Env, Places, Settings};
use forelook_tui::Borrower;

use crate::apply::Approved;
use crate::args::RunArgs;
use crate::audience::{Audience, audience};
use crate::authority::{self, Loaded};
use crate::choose::{self, Choice};
use crate::failure::{Failure, Kind};
use crate::machine::Tips;
use crate::models::DEMO;
use crate::servers::Servers;
use crate::{demo, exit, log};

/// The present folder.
pub(crate) fn here() -> Result<AbsPath, Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::new(Kind::Usage, format!("The present folder cannot be used: {error}"))
            .hint("Change to a folder that exists")
    })?;
    AbsPath::new(folder).map_err(|error| Failure::of(Kind::Usage, &error))
}

/// The demo, in a folder that it makes.
pub(crate) fn demo(env: &Env, mut args: RunArgs) -> Result<ExitCode, Failure> {
    let ids = ids(env);
    let folder = demo::make_project(&*ids)?;
    demo::welcome(&folder);
    args.prompt.get_or_insert_with(|| demo::PROMPT.to_owned());
    let session = *args.session_id.get_or_insert_with(|| SessionId(ids.next()));
    let code = demo_task(env, args, folder)?.run()?;
    demo::farewell(session);
    Ok(code)
}

/// The demo's model on its project.
pub(crate) fn demo_task(env: &Env, mut args: RunArgs, folder: AbsPath) -> Result<Task<'_>, Failure> {
    demo_model(&mut args);
    args.permission_mode.get_or_insert(Mode::AcceptEdits);
    Task::resolve(env, args, folder)
}

fn demo_model(args: &mut RunArgs) {
    args.session.model = Some(DEMO.to_owned());
    // The one command that the demo runs, and nothing else.
    args.session.rules.allowed_tools.push("Bash(sh tests/run.sh)".to_owned());
}

/// A session in the present folder.
pub(crate) fn run(env: &Env, args: RunArgs, unknown: &[String]) -> Result<ExitCode, Failure> {
    let mut task = Task::resolve(env, args, here()?)?;
    task.notices.extend(
        unknown.iter().map(|flag| warning(format!("The flag `{flag}` is not known; it was passed over"))),
    );
    match task.model {
        Some(_) => task.run(),
        None if task.args.print => Err(no_model()),
        // A session from before goes on in its own folder, with nothing said for the person.
        None if !matches!(task.start, Start::New(_)) => {
            demo_model(&mut task.args);
            Task::resolve(env, task.args, task.folder)?.run()
        }
        None => demo(env, task.args),
    }
}

/// Nothing was named and nothing found: all the ways there are.
pub(crate) fn no_model() -> Failure {
    Failure::new(Kind::Usage, "No model is named, and none was found")
        .hint("With a key: set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or `keyFile` or `keyHelper` in your settings")
        .hint("On this machine: start Ollama and fetch a model, or name a server in `OPENAI_BASE_URL`")
        .hint("By name: --model provider/name, `FORELOOK_MODEL` or `model.main`; `forelook models` lists them")
        .hint("Without any: `forelook demo` is a whole session with a scripted model")
}

pub(crate) fn warning(text: String) -> Notice {
    Notice { level: NoticeLevel::Warning, text }
}

pub(crate) fn ids(env: &Env) -> Arc<dyn Ids> {
    match env.test_ids {
        Some(seed) => Arc::new(SeededIds::new(seed)),
        None => Arc::new(SystemIds),
    }
}

/// Ids for lines of output that stand in no journal. In a test they are counted apart: which of two tasks takes the
/// next id first is chance.
pub(crate) fn line_ids(env: &Env) -> Arc<dyn Ids> {
    match env.test_ids {
        Some(seed) => Arc::new(SeededIds::new(seed + 0xffff)),
        None => Arc::new(SystemIds),
    }
}

pub(crate) fn clock(env: &Env) -> Arc<dyn Clock> {
    match env.test_clock {
        Some(instant) => Arc::new(FixedClock(instant)),
        None => Arc::new(SystemClock),
    }
}

/// Everything that was asked for, resolved.
pub(crate) struct Task<'a> {
    pub(crate) env: &'a Env,
    pub(crate) args: RunArgs,
    pub(crate) folder: AbsPath,
    pub(crate) places: Places,
    pub(crate) loaded: Loaded,
    pub(crate) audience: Audience,
    pub(crate) model: Option<String>,
    pub(crate) store: Store,
    pub(crate) start: Start,
    /// How a prompt is given, for who gave none.
    pub(crate) example: &'static str,
    /// A plan to begin with, in place of a prompt.
    pub(crate) approved: Option<Approved>,
    pub(crate) notices: Vec<Notice>,
    /// Whom the terminal is borrowed from, if somebody draws on it.
    pub(crate) borrower: Option<Borrower>,
    /// Counts this session, if it is to be counted.
    pub(crate) tips: Option<Tips>,
}

impl<'a> Task<'a> {
    pub(crate) fn resolve(env: &'a Env, args: RunArgs, folder: AbsPath) -> Result<Self, Failure> {
        let level = if args.session.debug { "debug" } else { env.log.as_deref().unwrap_or("warn") };
        log::start(&env.home, level);
        let audience = audience(&args)?;
        let store = Store::new(env.home.clone());
        let start = start(&args, &store, &folder)?;
        // A session goes on in its own folder, wherever it is called from; a fork begins here.
        let folder = match start {
            Start::Resume(id) => store.header(id).map_err(|error| session_failure(&error))?.folder,
            Start::New(_) | Start::Fork(_) => folder,
        };
        let places = authority::places(env, &args.session.rules, &folder)?;
        let loaded = authority::load(env, &places)?;
        let mut notices = loaded.settings.problems.clone();
        let model = model(env, &args, &loaded.settings, &mut notices)?;
        Ok(Self {
            env,
            args,
            folder,
            places,
            loaded,
            audience,
            model,
            store,
            start,
            example: "forelook -p \"what to do\"",
            approved: None,
            notices,
            borrower: None,
            tips: None,
        })
    }

    /// Chooses the model again: a project that is trusted by now may name one.
    pub(crate) fn choose_model(&mut self) -> Result<(), Failure> {
        let settings = &self.loaded.settings;
        self.model = model(self.env, &self.args, settings, &mut self.notices)?.or(self.model.take());
        Ok(())
    }

    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let ended = finish(self.talk())?;
        Ok(exit::of_run(&ended))
    }
}

/// The model that is named, else the one that is found.
fn model(
    env: &Env,
    args: &RunArgs,
    settings: &Settings,
    notices: &mut Vec<Notice>,
) -> Result<Option<String>, Failure> {
    let said = args.session.model.clone().or_else(|| env.model.clone());
    if let Some(model) = said.or_else(|| settings.model.as_ref().map(|model| model.value.clone())) {
        return Ok(Some(model));
    }
    let servers = Servers::new(env, &settings.models);
    let choice = choose::found(&servers).map_err(|why| {
        Failure::new(Kind::Usage, format!("No model is named, and none could be looked for: {why}"))
    })?;
    if let Some(Choice::Local(model)) = &choice {
        let text = format!("No model is named; `{model}` runs on this machine and is used");
        notices.push(Notice { level: NoticeLevel::Info, text });
    }
    Ok(choice.map(Choice::model))
}

/// Runs a front end to its end.
///
/// All tasks share this one thread. They are light: whatever waits for a disk or works for long is given a thread of its
/// own. With several threads the pieces of an answer wander between them, which costs more than what is done with them.
pub(crate) fn finish(talk: impl Future<Output = Result<Ended, Failure>>) -> Result<Ended, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::of(Kind::Task, &error))?;
    let ended = runtime.block_on(talk)?;
    // A thread may still wait for standard input; it must not keep us.
    runtime.shutdown_background();
    Ok(ended)
}

/// A session that is not there was named wrongly; whatever else is wrong with one is no fault of the command line.
pub(crate) fn session_failure(error: &SessionError) -> Failure {
    let kind = if matches!(error, SessionError::NotFound { .. }) { Kind::Usage } else { Kind::Task };
    Failure::of(kind, error)
}

fn start(args: &RunArgs, store: &Store, folder: &AbsPath) -> Result<Start, Failure> {
    let from = match args.resume {
        Some(Some(id)) => Some(id),
        Some(None) => {
            return Err(Failure::new(Kind::Usage, "--resume needs the id of a session")
                .hint("`forelook sessions list` shows them; --continue takes the newest of this folder"));
        }
        None if args.go_on => {
            let newest = store.newest(folder).map_err(|error| Failure::of(Kind::Task, &error))?;
            Some(newest.ok_or_else(|| {
                Failure::new(Kind::Usage, format!("There is no session in `{folder}` to continue"))
                    .hint("Start one without --continue, or see all with `forelook sessions list --all`")
            })?)
        }
        None => None,
    };
    Ok(match from {
        Some(id) if args.fork_session => Start::Fork(id),
        Some(id) => Start::Resume(id),
        None if args.fork_session => {
            return Err(Failure::new(Kind::Usage, "--fork-session needs --continue or --resume"));
        }
        None => Start::New(args.session_id),
    })
}
