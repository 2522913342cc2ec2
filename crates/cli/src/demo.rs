//! `forelook demo`: a whole session for a newcomer without a key. The model and the project are `host`'s.

use std::process::ExitCode;
use std::sync::Arc;

use forelook_host::{Failure, Host, SessionSpec, SessionStart, demo, ids};
use forelook_protocol::{AbsPath, IdGenerator, Mode, SessionId};

use crate::out::print_note;
use crate::run::SessionRun;
use crate::spec::RunRequest;

/// The sample project, in a folder of its own.
pub(crate) struct DemoProject {
    pub(crate) folder: AbsPath,
    ids: Arc<dyn IdGenerator>,
}

impl DemoProject {
    /// Makes it, and says what is going to happen.
    pub(crate) fn create(host: &Host) -> Result<Self, Failure> {
        let ids = ids(host.env());
        let folder = demo::make_project(&*ids)?;
        // Short lines, so that a narrow terminal breaks none of them.
        print_note(&format!(
            "Forelook demo: no API key, no network.\n\
             Only the model is scripted. It asks you\n\
             a question, then shows you a plan.\n\
             Nothing changes until you approve it.\n\
             The sample project is in\n\
             {folder}\n"
        ));
        Ok(Self { folder, ids })
    }

    /// Runs the session.
    pub(crate) fn run(self, host: Host, request: RunRequest) -> Result<ExitCode, Failure> {
        let RunRequest { spec, mut front } = request;
        front.prompt.get_or_insert_with(|| demo::PROMPT.to_owned());
        // Said below, however the session was shown.
        front.tells_way_back = false;
        let session = match spec.start {
            SessionStart::New(Some(id)) => id,
            _ => SessionId(self.ids.next()),
        };
        let spec =
            SessionSpec { folder: self.folder, start: SessionStart::New(Some(session)), ..demo_spec(spec) };
        let code = SessionRun::new(host, spec, front)?.run()?;
        print_note(&format!("\nSession saved. To continue it, run:\nforelook --resume {session}"));
        Ok(code)
    }
}

/// The same session with the demo's model; edits need no yes beside the plan's.
pub(crate) fn demo_spec(spec: SessionSpec) -> SessionSpec {
    let mode = spec.mode.or(Some(Mode::AcceptEdits));
    SessionSpec { mode, ..spec.with_demo_model() }
}
