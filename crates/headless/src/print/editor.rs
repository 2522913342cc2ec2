//! The editor that `/plan open` opens.

use forelook_protocol::EndReason;

/// How the opening went, and what there is to say.
pub(super) type Report = (EndReason, String);

/// The editor, and the result that waits for it: the same whether it reports at once or much later.
///
/// `Closed` → [`Editor::opens`] → `Open` → [`Editor::closes`] → `Closed`, or `Reported` while it is not known yet whether
/// somebody waits for a result.
#[derive(Debug, Default)]
pub(super) enum Editor {
    #[default]
    Closed,
    Open {
        /// Whether somebody waits for a result.
        awaited: bool,
    },
    Reported(Report),
}

impl Editor {
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Editor::Open { .. })
    }

    pub(super) fn opens(&mut self) {
        if !self.is_open() {
            *self = Editor::Open { awaited: false };
        }
    }

    /// Whether it was opened by the last command, which has no other result than its report: that is owed then.
    pub(super) fn owes(&mut self) -> bool {
        let new = matches!(self, Editor::Open { awaited: false });
        if new {
            *self = Editor::Open { awaited: true };
        }
        new
    }

    /// It has reported back. Returns the result that is owed now; one that somebody will ask for is kept.
    pub(super) fn closes(&mut self, report: Report, keep: bool) -> Option<Report> {
        let awaited = matches!(self, Editor::Open { awaited: true });
        *self = if keep && !awaited { Editor::Reported(report.clone()) } else { Editor::Closed };
        awaited.then_some(report)
    }

    /// What it has reported, once.
    pub(super) fn report(&mut self) -> Option<Report> {
        match std::mem::take(self) {
            Editor::Reported(report) => Some(report),
            other => {
                *self = other;
                None
            }
        }
    }
}
