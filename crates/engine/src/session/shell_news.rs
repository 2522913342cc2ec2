//! What the model is told of shells that ended beside the conversation.

use forelook_protocol::{Body, Reminder, ReminderKind};
use forelook_tools::ShellNews;

use super::Session;
use crate::handle::NotRecorded;

/// Characters of a command that name a shell well enough.
const MAX_COMMAND: usize = 80;

impl Session {
    /// Writes down which shells have ended, one reminder each. The main agent hears of all of them: it outlives whoever
    /// started one, and news that a subagent took along would be lost with it.
    pub(super) async fn tell_of_shells(&mut self) -> Result<(), NotRecorded> {
        let news: Vec<Body> = self.hands.shells.news().into_iter().map(reminder).collect();
        match news.is_empty() {
            true => Ok(()),
            false => self.record_for(None, news).await,
        }
    }
}

fn reminder(news: ShellNews) -> Body {
    let ShellNews { id, command, ended } = news;
    let command = brief(&command);
    let text = format!(
        "Background shell `{id}` (`{command}`) {ended}. Read the rest of its output with BashOutput."
    );
    Body::Reminder(Reminder { kind: ReminderKind::ShellEnded { shell: id }, text })
}

/// A command on one line, cut where it is long.
fn brief(command: &str) -> String {
    let line: String = command.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_COMMAND) {
        None => line,
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shell_is_told_of_in_a_line() {
        for (command, shown) in [
            ("npm run dev", "npm run dev"),
            ("cat <<E\n  a\nE", "cat <<E a E"),
            (&"é ".repeat(100), &format!("{}…", "é ".repeat(40))),
        ] {
            let (id, ended) = ("shell_1".to_owned(), "exited with code 1".to_owned());
            let Body::Reminder(told) = reminder(ShellNews { id, command: command.to_owned(), ended }) else {
                panic!("no reminder")
            };
            assert_eq!(told.kind, ReminderKind::ShellEnded { shell: "shell_1".into() });
            assert_eq!(
                told.text,
                format!(
                    "Background shell `shell_1` (`{shown}`) exited with code 1. \
                     Read the rest of its output with BashOutput."
                )
            );
        }
    }
}
