//! Where output goes, and in which form.

use std::io::{ErrorKind, Write};
use std::sync::Arc;

use forelook_protocol::{IdGenerator, Notice, NoticeLevel, SessionId};
use forelook_wording::visible;
use serde_json::Value;

use super::Output;
use crate::wire::outgoing;

/// Nobody reads our output any more.
#[derive(Debug)]
pub(super) struct OutputClosed;

pub(super) struct PrintOutput {
    pub(super) output: Output,
    pub(super) session: SessionId,
    pub(super) ids: Arc<dyn IdGenerator>,
    pub(super) stdout: Box<dyn Write + Send>,
    /// Why the output could not be written, if not for want of a reader.
    pub(super) unwritten: Option<String>,
    pub(super) stderr: Box<dyn Write + Send>,
}

impl PrintOutput {
    pub(super) fn streams(&self) -> bool {
        matches!(self.output, Output::Stream { .. })
    }

    /// An id for a line that stands in no journal.
    pub(super) fn id(&self) -> String {
        self.ids.next().to_string()
    }

    /// A line of the stream, if there is one.
    pub(super) fn stream(&mut self, line: impl FnOnce(SessionId) -> Value) -> Result<(), OutputClosed> {
        match self.streams() {
            true => self.write(&line(self.session).to_string()),
            false => Ok(()),
        }
    }

    pub(super) fn write(&mut self, line: &str) -> Result<(), OutputClosed> {
        writeln!(self.stdout, "{line}").and_then(|()| self.stdout.flush()).map_err(|error| {
            // A reader that went away has read enough. Any other failure lost what somebody waits for.
            if error.kind() != ErrorKind::BrokenPipe {
                self.unwritten.get_or_insert_with(|| error.to_string());
            }
            OutputClosed
        })
    }

    pub(super) fn complain(&mut self, text: &str) {
        // Names of a project's files are a stranger's words, and a terminal obeys what it is sent. If even this cannot be
        // written there is nobody to tell.
        let _ = writeln!(self.stderr, "{}", visible(text));
    }

    pub(super) fn notice(&mut self, notice: &Notice) -> Result<(), OutputClosed> {
        if self.streams() {
            let uuid = self.id();
            return self.stream(|session| outgoing::notice(uuid, session, notice));
        }
        self.complain(&notice.text);
        Ok(())
    }

    /// Something that a host should know. One that is gone will be noticed at the next event.
    pub(super) fn warn(&mut self, text: impl Into<String>) {
        let _ = self.notice(&Notice { level: NoticeLevel::Warning, text: text.into() });
    }
    /// Something that a host did wrong. Whoever looks after it reads standard error; the host itself reads the stream.
    pub(super) fn blame(&mut self, text: String) {
        if self.streams() {
            self.complain(&text);
        }
        self.warn(text);
    }
}
