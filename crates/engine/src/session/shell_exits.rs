//! What the model is told of shells that ended beside the conversation.

use forelook_protocol::{EntryBody, Reminder, ReminderKind};
use forelook_tools::ShellExitNotice;

use super::Session;
use crate::handle::RecordError;

impl Session {
    /// Writes down which shells have ended, one reminder each. The main agent hears of all of them: it outlives whoever
    /// started one, and news that a subagent took along would be lost with it.
    pub(super) async fn remind_of_ended_shells(&mut self) -> Result<(), RecordError> {
        let news: Vec<EntryBody> =
            self.runtime.shells.take_exit_notices().into_iter().map(reminder).collect();
        match news.is_empty() {
            true => Ok(()),
            false => self.record_for(None, news).await,
        }
    }
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
