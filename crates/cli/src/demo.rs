//! `forelook demo`: a whole session for a newcomer without a key. The model and the project are `host`'s.
#![expect(clippy::print_stderr, reason = "a word to the newcomer, beside the session's own output")]

use std::process::ExitCode;
use std::sync::Arc;

use forelook_host::{Failure, Host, SessionSpec, Start, demo, ids};
use forelook_protocol::{AbsPath, Ids, Mode, SessionId};

use crate::run::Task;
use crate::spec::Asked;

/// The sample project, in a folder of its own.
pub(crate) struct Stage {
    pub(crate) folder: AbsPath,
    ids: Arc<dyn Ids>,
}

impl Stage {
    /// Makes it, and says what is going to happen.
    pub(crate) fn set(host: &Host) -> Result<Self, Failure> {
        let ids = ids(host.env());
        let folder = demo::make_project(&*ids)?;
        eprintln!("Forelook demo: a scripted model, no key and no network needed. All else is real.");
        eprintln!("It plans first: it looks around, asks what only you can tell, and shows a plan.");
        eprintln!("Nothing is changed before you say yes. The sample project is in");
        eprintln!("{folder}\n");
        Ok(Self { folder, ids })
    }

    /// Runs the session.
    pub(crate) fn play(self, host: Host, asked: Asked) -> Result<ExitCode, Failure> {
        let Asked { spec, mut front } = asked;
        front.prompt.get_or_insert_with(|| demo::PROMPT.to_owned());
        let session = match spec.start {
            Start::New(Some(id)) => id,
            _ => SessionId(self.ids.next()),
        };
        let spec = SessionSpec { folder: self.folder, start: Start::New(Some(session)), ..acted(spec) };
        let code = Task::new(host, spec, front)?.run()?;
        eprintln!("\nThe session is kept. Go on with it:");
        eprintln!("forelook --resume {session}");
        Ok(code)
    }
}

/// The same session with the demo's model; edits need no yes beside the plan's.
pub(crate) fn acted(spec: SessionSpec) -> SessionSpec {
    let mode = spec.mode.or(Some(Mode::AcceptEdits));
    SessionSpec { mode, ..spec.with_demo_model() }
}
