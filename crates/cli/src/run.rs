//! Runs a session: from what was asked for to its end. `front.rs` has the front ends; `host` opens the session.

use std::process::ExitCode;

use forelook_host::{
    Failure, FailureClass, Host, PreparedSession, SessionSpec, SessionStart, Tips, no_model,
};
use forelook_protocol::{AbsPath, Notice, NoticeLevel};
use forelook_settings::Env;

use crate::apply::ApprovedPlan;
use crate::args::RunArgs;
use crate::demo::DemoProject;
use crate::front::FrontOptions;
use crate::resume::{self, ResumeChoice};
use crate::spec::RunRequest;
use crate::{exit, log};

/// How many files must be allowed to be open at once: a session with a few calls at work.
const MIN_OPEN_FILES: u64 = 64;

/// The present folder.
pub(crate) fn here() -> Result<AbsPath, Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::new(FailureClass::Usage, format!("Cannot use the current folder: {error}"))
            .hint("Change to a folder that exists")
    })?;
    AbsPath::new(folder).map_err(|error| Failure::of(FailureClass::Usage, &error))
}

/// Begins the log, and makes the host of this process.
pub(crate) fn begin(env: Env, debug: bool) -> Host {
    let level = if debug { "debug" } else { env.log.as_deref().unwrap_or("warn") };
    log::start(&env.home, level);
    Host::new(env)
}

/// The demo, in a folder that it makes.
pub(crate) fn demo(env: Env, args: RunArgs) -> Result<ExitCode, Failure> {
    let host = begin(env, args.session.debug);
    let demo_project = DemoProject::create(&host)?;
    let request = args.request(&host, demo_project.folder.clone())?;
    demo_project.run(host, request)
}

/// A session in the present folder.
pub(crate) fn run(env: Env, args: RunArgs, unknown: &[String]) -> Result<ExitCode, Failure> {
    let host = begin(env, args.session.debug);
    let ResumeChoice::Run(args) = resume::choose(&host, &here()?, args)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let RunRequest { spec, front } = args.request(&host, here()?)?;
    let mut session_run = SessionRun::new(host.clone(), spec, front.clone())?;
    for flag in unknown {
        session_run.session.add_notice(warning(format!("Unknown flag `{flag}` was ignored")));
    }
    if session_run.session.model().is_some() {
        return session_run.run();
    }
    // Who reads results has nothing from a demo.
    if !front.conversation {
        return Err(no_model());
    }
    let spec = session_run.session.spec().clone();
    match spec.start {
        SessionStart::New(_) => DemoProject::create(&host)?.run(host, RunRequest { spec, front }),
        // The demo's goes on in its own folder, with nothing said for the person.
        SessionStart::Resume(_) | SessionStart::Fork(_) if session_run.session.continues_demo()? => {
            SessionRun::new(host, spec.with_demo_model(), front)?.run()
        }
        SessionStart::Resume(_) | SessionStart::Fork(_) => Err(no_model()),
    }
}

pub(crate) fn warning(text: String) -> Notice {
    Notice { level: NoticeLevel::Warning, text }
}

/// A session that is to be run, and how it is shown.
pub(crate) struct SessionRun {
    pub(crate) host: Host,
    pub(crate) front: FrontOptions,
    pub(crate) session: PreparedSession,
    /// A plan to begin with, in place of a prompt.
    pub(crate) approved: Option<ApprovedPlan>,
    /// Counts this session, if it is to be counted.
    pub(crate) tips: Option<Tips>,
}

impl SessionRun {
    pub(crate) fn new(host: Host, spec: SessionSpec, front: FrontOptions) -> Result<Self, Failure> {
        let session = host.prepare(spec)?;
        Ok(Self { host, front, session, approved: None, tips: None })
    }

    /// The same, if there is a model for it.
    pub(crate) fn with_model(self) -> Result<Self, Failure> {
        match self.session.model() {
            Some(_) => Ok(self),
            None => Err(no_model()),
        }
    }

    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let ended = finish(self.talk())?;
        Ok(exit::of_run(&ended))
    }
}

/// Runs a front end to its end.
///
/// All tasks share this one thread. They are light: whatever waits for a disk or works for long is given a thread of its
/// own. With several threads the pieces of an answer wander between them, which costs more than what is done with them.
///
/// The front end is a task like the others. What a runtime is told to wait for gets its turn only once in 61 steps of tasks,
/// and while an answer streams a step takes up to a millisecond: a key would wait for all of them. To ask for a turn more
/// often (`event_interval`) costs a system call each time, and made streams half as fast.
pub(crate) fn finish<T: Send + 'static>(
    talk: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    needs_open_files()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::of(FailureClass::Task, &error))?;
    let ended = runtime.block_on(async { tokio::spawn(talk).await });
    let ended = ended.map_err(|error| Failure::of(FailureClass::Task, &error))??;
    // A thread may still wait for standard input; it must not keep us.
    runtime.shutdown_background();
    Ok(ended)
}

/// The runtime opens files before it can say that it may not, and panics. What a session needs beside is said here too,
/// before anything is begun.
fn needs_open_files() -> Result<(), Failure> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    match limit.filter(|limit| *limit < MIN_OPEN_FILES) {
        None => Ok(()),
        Some(limit) => Err(Failure::new(
            FailureClass::Usage,
            format!("Forelook may open only {limit} files at once, and needs {MIN_OPEN_FILES}"),
        )
        .hint("Raise the limit, for example with `ulimit -n 1024`")),
    }
}
