//! Background shells that ended: written down at once, and told to the agent whose they were with its next request.

use forelook_protocol::{AgentId, BackgroundShell, EntryBody, Reminder, ReminderKind, ShellEnded};
use forelook_tools::ShellExitNotice;

use super::{Session, SessionState};
use crate::config::SessionStart;
use crate::handle::RecordError;

impl Session {
    /// Writes down which shells run no more. Whatever ended them, front ends hear of it here.
    pub(super) async fn record_ended_shells(&mut self) -> Result<(), RecordError> {
        let shells = &self.runtime.shells;
        let ended = self.state.shells.iter().filter_map(|shell| {
            let how = shells.how_ended(&shell.id)?;
            Some(EntryBody::ShellEnded(ShellEnded { shell: shell.id.clone(), how }))
        });
        let ended = ended.collect();
        self.record(ended).await
    }

    /// The same, for whoever has nobody to report to.
    pub(super) async fn shell_ended(&mut self) {
        if let Err(RecordError(why)) = self.record_ended_shells().await {
            tracing::warn!(why, "the end of a shell could not be recorded");
        }
    }

    /// Tells this agent which of its shells have ended, one reminder each.
    pub(super) async fn remind_of_ended_shells(
        &mut self,
        agent: Option<&AgentId>,
    ) -> Result<(), RecordError> {
        let notices = self.runtime.shells.take_exit_notices(agent);
        let reminders = notices.into_iter().map(reminder).collect();
        self.record_for(agent.cloned(), reminders).await
    }
}

/// What closes the shells of an ended process, and tells the model that they are gone: they ended with it.
pub(super) fn lost_shells(state: &SessionState, start: SessionStart) -> Vec<EntryBody> {
    let lost = |shell: &BackgroundShell| {
        let BackgroundShell { id, command, .. } = shell;
        let (how, text) = match start {
            SessionStart::Fork(_) => (
                "left behind in the session that this one was forked from",
                format!(
                    "Background shell `{id}` (`{command}`) belongs to the session that this one was forked from"
                ),
            ),
            SessionStart::New(_) | SessionStart::Resume(_) => (
                "ended when Forelook exited",
                format!("Background shell `{id}` (`{command}`) ended when Forelook exited"),
            ),
        };
        let text = format!("{text}. It does not run here any more: start it again if you still need it.");
        let kind = ReminderKind::ShellEnded { shell: id.clone() };
        [
            EntryBody::ShellEnded(ShellEnded { shell: id.clone(), how: how.to_owned() }),
            EntryBody::Reminder(Reminder { kind, text }),
        ]
    };
    state.shells.iter().flat_map(lost).collect()
}

fn reminder(news: ShellExitNotice) -> EntryBody {
    let ShellExitNotice { id, command, how } = news;
    let text = format!(
        "Background shell `{id}` (`{command}`) has ended: {how}. Read the rest of its output with BashOutput."
    );
    EntryBody::Reminder(Reminder { kind: ReminderKind::ShellEnded { shell: id }, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_told_of_in_a_line() {
        let (id, command, how) = ("shell_1".to_owned(), "npm run dev".to_owned(), "exit code 1".to_owned());
        let EntryBody::Reminder(told) = reminder(ShellExitNotice { id, command, how }) else {
            panic!("no reminder")
        };
        assert_eq!(told.kind, ReminderKind::ShellEnded { shell: "shell_1".into() });
        assert_eq!(
            told.text,
            "Background shell `shell_1` (`npm run dev`) has ended: exit code 1. \
             Read the rest of its output with BashOutput."
        );
    }
}
