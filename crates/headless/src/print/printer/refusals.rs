//! Calls that did not run, for whoever reads standard error: the model's last words may not say it.

use forelook_protocol::CallStatus;
use forelook_view::{CallEnded, ReportedAs};
use forelook_wording::{call_summary, how_to_allow, truncate};

use super::Printer;

/// Characters that are shown of what a call is about.
const SUMMARY: usize = 200;

impl Printer {
    /// Says which call was refused, why, and how to allow it. A stream has its result, and a host its question.
    pub(super) fn call_refused(&mut self, ended: &CallEnded) {
        let is_told = ended.verdict == CallStatus::Denied && ended.reported_as == ReportedAs::Call;
        let Some(reason) = ended.reason.as_deref().filter(|_| is_told && !self.out.streams()) else { return };
        let about = truncate(&call_summary(&ended.call.input), SUMMARY);
        let mut text = format!("{}({about}) was not run\n{}", ended.call.name, ended.text());
        if let Some(how) = how_to_allow(reason) {
            text += &format!("\n{how}");
        }
        self.out.complain(&text);
    }
}
