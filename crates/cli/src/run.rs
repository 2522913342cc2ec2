//! Runs a session: resolves what was asked for, opens the session, and hands it to a front end.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use forelook_engine::{
    Answerer, Client, Conduct, Config, Environment, EventStream, FixedClock, Instructions, Models, OpenError,
    Permissions, SeededIds, Start, SystemClock, SystemIds, SystemPrompt,
};
use forelook_headless::print::{Input, Output};
use forelook_headless::{Ended, InputLines, Stdin, lines, print};
use forelook_permissions::{Change, Conditions, NotChanged, transition};
use forelook_protocol::{AbsPath, Clock, Ids, Mode, Notice, NoticeLevel, Standing, UserBlock};
use forelook_sandbox::ChildEnv;
use forelook_sessions::{SessionError, Store};
use forelook_settings::{Env, Places, Settings, TrustStore};
use forelook_tools::Toolbox;

use crate::args::{InputFormat, OutputFormat, RunArgs};
use crate::failure::{Failure, Kind};
use crate::models::{DEMO, KnownModels};
use crate::{authority, demo, exit, log, signals, stdin};

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
    args.model = Some(DEMO.to_owned());
    args.permission_mode.get_or_insert(Mode::AcceptEdits);
    // The one command that the demo runs, and nothing else.
    args.rules.allowed_tools.push("Bash(sh tests/run.sh)".to_owned());
    args.prompt.get_or_insert_with(|| demo::PROMPT.to_owned());
    Plan::resolve(env, args, folder)?.run()
}

/// A session in the present folder.
pub(crate) fn run(env: &Env, args: RunArgs, unknown: &[String]) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let mut plan = Plan::resolve(env, args, folder)?;
    plan.notices.extend(
        unknown.iter().map(|flag| warning(format!("The flag `{flag}` is not known; it was passed over"))),
    );
    match plan.model {
        Some(_) => plan.run(),
        None if plan.args.print => Err(no_model(env)),
        None => {
            if has_key(env) {
                demo::no_providers_yet();
            }
            demo(env, plan.args)
        }
    }
}

fn has_key(env: &Env) -> bool {
    env.anthropic_key.is_some() || env.openai_key.is_some()
}

fn no_model(env: &Env) -> Failure {
    let failure = Failure::new(Kind::Usage, "No model is named");
    let failure = match has_key(env) {
        true => failure.hint("A key is set, but this version cannot speak to a provider yet"),
        false => failure,
    };
    failure.hint("Name one with --model scripted/FILE, or see a whole session with `forelook demo`")
}

fn warning(text: String) -> Notice {
    Notice { level: NoticeLevel::Warning, text }
}

fn ids(env: &Env) -> Arc<dyn Ids> {
    match env.test_ids {
        Some(seed) => Arc::new(SeededIds::new(seed)),
        None => Arc::new(SystemIds),
    }
}

/// Ids for lines of output that stand in no journal. In a test they are counted apart: which of two tasks takes the
/// next id first is chance.
fn line_ids(env: &Env) -> Arc<dyn Ids> {
    match env.test_ids {
        Some(seed) => Arc::new(SeededIds::new(seed + 0xffff)),
        None => Arc::new(SystemIds),
    }
}

/// Everything that was asked for, resolved.
struct Plan<'a> {
    env: &'a Env,
    args: RunArgs,
    folder: AbsPath,
    places: Places,
    settings: Settings,
    model: Option<String>,
    store: Store,
    start: Start,
    notices: Vec<Notice>,
}

impl<'a> Plan<'a> {
    fn resolve(env: &'a Env, args: RunArgs, folder: AbsPath) -> Result<Self, Failure> {
        let level = if args.debug { "debug" } else { env.log.as_deref().unwrap_or("warn") };
        log::start(&env.home, level);
        let store = Store::new(env.home.clone());
        let start = start(&args, &store, &folder)?;
        // A session goes on in its own folder, wherever it is called from; a fork begins here.
        let folder = match start {
            Start::Resume(id) => store.header(id).map_err(|error| session_failure(&error))?.folder,
            Start::New(_) | Start::Fork(_) => folder,
        };
        let places = authority::places(env, &args.rules, &folder)?;
        let settings = authority::load(env, &places)?;
        let said = args.model.clone().or_else(|| env.model.clone());
        let model = said.or_else(|| settings.model.as_ref().map(|model| model.value.clone()));
        let notices = settings.problems.clone();
        Ok(Self { env, args, folder, places, settings, model, store, start, notices })
    }

    fn run(self) -> Result<ExitCode, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| Failure::of(Kind::Task, &error))?;
        let ended = runtime.block_on(self.talk())?;
        // A thread may still wait for standard input; it must not keep us.
        runtime.shutdown_background();
        Ok(exit::of_run(&ended))
    }

    async fn talk(self) -> Result<Ended, Failure> {
        let printing = self.args.print || self.args.input_format == InputFormat::StreamJson;
        if printing { self.print().await } else { self.lines().await }
    }

    async fn print(self) -> Result<Ended, Failure> {
        let input = match self.args.input_format {
            InputFormat::StreamJson => Input::Stream(Stdin::lines()),
            InputFormat::Text => Input::Prompt(vec![UserBlock::text(prompt(self.args.prompt.as_deref())?)]),
        };
        let output = match self.args.output_format {
            OutputFormat::Text => Output::Text,
            OutputFormat::Json => Output::Json,
            OutputFormat::StreamJson => Output::Stream { partial: self.args.include_partial_messages },
        };
        let (ids, line_ids) = (ids(self.env), line_ids(self.env));
        let signals = signals::wishes_to_stop();
        let notices = self.all_notices();
        let (client, events) = self.open(Answerer::Nobody, &ids).await?;
        let run = print::Run {
            session: Arc::new(client),
            events: Box::new(events),
            input,
            output,
            notices,
            stdout: Box::new(std::io::stdout()),
            stderr: Box::new(std::io::stderr()),
            ids: line_ids,
            signals,
        };
        Ok(print::run(run).await)
    }

    async fn lines(mut self) -> Result<Ended, Failure> {
        let signals = signals::wishes_to_stop();
        let mut input = Stdin::lines();
        self.ask_for_trust(&mut input).await?;
        let prompt = self.args.prompt.clone();
        let colour = std::io::stdout().is_terminal() && !self.env.no_color;
        let notices = self.all_notices();
        let ids = ids(self.env);
        let (client, events) = self.open(Answerer::Person, &ids).await?;
        let run = lines::Run {
            session: Arc::new(client),
            events: Box::new(events),
            input,
            prompt,
            notices,
            stdout: Box::new(std::io::stdout()),
            colour,
            signals,
        };
        Ok(lines::run(run).await)
    }

    fn permissions(&self) -> (Permissions, Vec<Notice>) {
        authority::permissions(self.env, &self.args, &self.places, &self.settings)
    }

    /// The mode to begin with. One that the command line names must be had; one that settings name is left, if it cannot be.
    fn mode(&self, conditions: &Conditions) -> Option<Mode> {
        let set = self.settings.default_mode.as_ref().map(|mode| mode.value);
        self.args.permission_mode.or(set.filter(|mode| available(*mode, conditions).is_ok()))
    }

    /// Everything that the person should hear before anything else.
    fn all_notices(&self) -> Vec<Notice> {
        let mut notices = self.notices.clone();
        let (permissions, wrong) = self.permissions();
        notices.extend(wrong);
        let child = child_env(self.env, &self.settings);
        notices.extend(authority::hooks(&self.settings, &child, &self.folder).1);
        let set = self.settings.default_mode.as_ref().filter(|_| self.args.permission_mode.is_none());
        if let Some(Err(why)) = set.map(|mode| available(mode.value, &permissions.conditions)) {
            notices.push(warning(format!("The settings' mode is not used: {why}")));
        }
        notices
    }

    /// A project's own settings are a stranger's until the person says otherwise. Only somebody at a terminal is asked.
    async fn ask_for_trust(&mut self, input: &mut InputLines) -> Result<(), Failure> {
        let Some(waiting) = self.settings.waiting.words().filter(|_| std::io::stdin().is_terminal()) else {
            return Ok(());
        };
        let project = &self.places.project;
        let text = format!("Do you trust {project}? Its settings bring {waiting}.");
        if !lines::confirm(input, &mut std::io::stdout(), &text).await {
            return Ok(());
        }
        let mut store = TrustStore::load(&self.env.home);
        store.trust(project).map_err(|error| Failure::of(Kind::Task, &error))?;
        self.settings = authority::load(self.env, &self.places)?;
        self.notices = self.settings.problems.clone();
        Ok(())
    }

    async fn open(self, answerer: Answerer, ids: &Arc<dyn Ids>) -> Result<(Client, EventStream), Failure> {
        let models = KnownModels::new(self.folder.clone(), self.env.test_requests.clone());
        let model = self.model.clone().ok_or_else(|| no_model(self.env))?;
        models
            .find(&model)
            .map_err(|why| Failure::new(Kind::Usage, format!("Model `{model}` cannot be used: {why}")))?;
        let clock: Arc<dyn Clock> = match self.env.test_clock {
            Some(instant) => Arc::new(FixedClock(instant)),
            None => Arc::new(SystemClock),
        };
        let (permissions, _) = self.permissions();
        if let Some(mode) = self.args.permission_mode {
            // Before there is a journal: a run that cannot begin leaves nothing behind.
            available(mode, &permissions.conditions).map_err(|error| Failure::of(Kind::Usage, &error))?;
        }
        let mode = self.mode(&permissions.conditions);
        let child = child_env(self.env, &self.settings);
        let (hooks, _) = authority::hooks(&self.settings, &child, &self.folder);
        let scratch = self.env.home.join("scratch");
        forelook_disk::make_private(&scratch).map_err(|error| Failure::of(Kind::Task, &error))?;
        let system = SystemPrompt {
            conduct: self.args.system_prompt.map_or(Conduct::Ours, Conduct::Replaced),
            environment: Environment::look(&self.folder, &*clock),
            instructions: Instructions::load(Some(&self.env.home), &self.folder),
            append: self.args.append_system_prompt,
        };
        let config = Config {
            start: self.start,
            folder: self.folder,
            store: self.store,
            scratch,
            mode,
            permissions,
            hooks: Arc::new(hooks),
            model,
            model_named: self.args.model.is_some(),
            models: Arc::new(models),
            tools: Toolbox::built(),
            env: Arc::new(child),
            system,
            max_turns: self.args.max_turns,
            answerer,
            clock,
            ids: Arc::clone(ids),
        };
        forelook_engine::open(config).await.map_err(|error| match &error {
            OpenError::Session(session) => session_failure(session),
            OpenError::NotRecorded(_) => Failure::of(Kind::Task, &error),
            OpenError::Mode(_) => Failure::of(Kind::Usage, &error),
        })
    }
}

/// A session that is not there was named wrongly; whatever else is wrong with one is no fault of the command line.
fn session_failure(error: &SessionError) -> Failure {
    let kind = if matches!(error, SessionError::NotFound { .. }) { Kind::Usage } else { Kind::Task };
    Failure::of(kind, error)
}

/// Whether a session could begin in this mode.
fn available(mode: Mode, conditions: &Conditions) -> Result<(), NotChanged> {
    transition(&Standing::default(), Change::To(mode), conditions).map(drop)
}

fn child_env(env: &Env, settings: &Settings) -> ChildEnv {
    let mut child = ChildEnv::from_process_without_secrets(env.all().iter().cloned());
    for (name, said) in &settings.env {
        child.set(name, &said.value);
    }
    child
}

/// The prompt of the command line, and after it what was piped in.
fn prompt(words: Option<&str>) -> Result<String, Failure> {
    let piped = stdin::piped(words.is_some())?;
    let parts: Vec<&str> =
        words.into_iter().chain([piped.trim_end()]).filter(|part| !part.trim().is_empty()).collect();
    if parts.is_empty() {
        return Err(Failure::new(Kind::Usage, "There is no prompt")
            .hint("Give one: forelook -p \"what to do\", or pipe it in"));
    }
    Ok(parts.join("\n\n"))
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
