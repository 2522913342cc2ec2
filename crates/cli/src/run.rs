//! Runs a session: from what was asked for to its end. `front.rs` has the front ends; `host` opens the session.

use std::process::ExitCode;

use forelook_headless::Ended;
use forelook_host::{Failure, Host, Kind, Prepared, SessionSpec, Start, Tips, no_model};
use forelook_protocol::{AbsPath, Notice, NoticeLevel};
use forelook_settings::Env;

use crate::apply::Approved;
use crate::args::RunArgs;
use crate::demo::Stage;
use crate::front::Front;
use crate::spec::Asked;
use crate::{exit, log};

/// The present folder.
pub(crate) fn here() -> Result<AbsPath, Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::new(Kind::Usage, format!("The present folder cannot be used: {error}"))
            .hint("Change to a folder that exists")
    })?;
    AbsPath::new(folder).map_err(|error| Failure::of(Kind::Usage, &error))
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
    let stage = Stage::set(&host)?;
    let asked = args.asked(&host, stage.folder.clone())?;
    stage.play(host, asked)
}

/// A session in the present folder.
pub(crate) fn run(env: Env, args: RunArgs, unknown: &[String]) -> Result<ExitCode, Failure> {
    let host = begin(env, args.session.debug);
    let print = args.print;
    let Asked { spec, front } = args.asked(&host, here()?)?;
    let mut task = Task::new(host.clone(), spec, front.clone())?;
    for flag in unknown {
        task.session.tell(warning(format!("The flag `{flag}` is not known; it was passed over")));
    }
    if task.session.model().is_some() {
        return task.run();
    }
    if print {
        return Err(no_model());
    }
    let spec = task.session.spec().clone();
    match spec.start {
        Start::New(_) => Stage::set(&host)?.play(host, Asked { spec, front }),
        // A session from before goes on in its own folder, with nothing said for the person.
        Start::Resume(_) | Start::Fork(_) => Task::new(host, spec.with_demo_model(), front)?.run(),
    }
}

pub(crate) fn warning(text: String) -> Notice {
    Notice { level: NoticeLevel::Warning, text }
}

/// A session that is to be run, and how it is shown.
pub(crate) struct Task {
    pub(crate) host: Host,
    pub(crate) front: Front,
    pub(crate) session: Prepared,
    /// A plan to begin with, in place of a prompt.
    pub(crate) approved: Option<Approved>,
    /// Counts this session, if it is to be counted.
    pub(crate) tips: Option<Tips>,
}

impl Task {
    pub(crate) fn new(host: Host, spec: SessionSpec, front: Front) -> Result<Self, Failure> {
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
pub(crate) fn finish(talk: impl Future<Output = Result<Ended, Failure>>) -> Result<Ended, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // The front end itself is looked at once in so many steps of tasks, usually 61. While an answer streams, a step is
        // a millisecond, and a key would wait for all of them.
        .event_interval(4)
        .build()
        .map_err(|error| Failure::of(Kind::Task, &error))?;
    let ended = runtime.block_on(talk)?;
    // A thread may still wait for standard input; it must not keep us.
    runtime.shutdown_background();
    Ok(ended)
}
