//! Exit codes: the only place that knows them.

use std::process::ExitCode;

use forelook_headless::RunOutcome;

use forelook_host::FailureClass;

/// All is done.
const DONE: u8 = 0;
/// The task failed.
const FAILED: u8 = 1;
/// Bad usage or settings.
const USAGE: u8 = 2;
/// A permission was needed and nobody was there to ask.
const NOBODY: u8 = 3;
/// The model could not be reached or gave no answer.
const PROVIDER: u8 = 4;
/// Interrupted, as shells report it.
const INTERRUPTED: u8 = 130;

/// The code for the end of a run.
pub(crate) fn of_run(ended: &RunOutcome) -> ExitCode {
    ExitCode::from(match ended {
        RunOutcome::Done => DONE,
        RunOutcome::Failed => FAILED,
        RunOutcome::BadInput => USAGE,
        RunOutcome::NobodyToAsk => NOBODY,
        RunOutcome::Provider => PROVIDER,
        RunOutcome::Interrupted => INTERRUPTED,
    })
}

/// The code for a failure.
pub(crate) fn of_failure(kind: FailureClass) -> ExitCode {
    ExitCode::from(match kind {
        FailureClass::Task => FAILED,
        FailureClass::Usage => USAGE,
    })
}
