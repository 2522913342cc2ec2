//! Exit codes: the only place that knows them.

use std::process::ExitCode;

use forelook_headless::Ended;

use forelook_host::Kind;

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
pub(crate) fn of_run(ended: &Ended) -> ExitCode {
    ExitCode::from(match ended {
        Ended::Done => DONE,
        Ended::Failed => FAILED,
        Ended::BadInput => USAGE,
        Ended::NobodyToAsk => NOBODY,
        Ended::Provider => PROVIDER,
        Ended::Interrupted => INTERRUPTED,
    })
}

/// The code for a failure.
pub(crate) fn of_failure(kind: Kind) -> ExitCode {
    ExitCode::from(match kind {
        Kind::Task => FAILED,
        Kind::Usage => USAGE,
    })
}
