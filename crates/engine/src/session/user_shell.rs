//! Lines of the person's own for the shell: run beside everything else, and told to the model with the next prompt.

use std::panic::AssertUnwindSafe;

use forelook_protocol::{
    CallId, CommandError, EntryBody, LiveEvent, Notice, NoticeLevel, Reminder, ReminderKind, UserShellEnded,
    UserShellStarted,
};
use forelook_tools::{CallLocation, OutputSink, ShellLineOutput, ToolContext, run_shell_line};
use futures::FutureExt;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Session;
use crate::handle::RecordError;

/// Lines that run.
#[derive(Default)]
pub(super) struct UserShell {
    tasks: JoinSet<UserShellEnded>,
    /// Ends all of them.
    cancel: CancellationToken,
}

impl UserShell {
    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Ends all that run; later ones are not meant.
    pub(super) fn end(&mut self) {
        std::mem::take(&mut self.cancel).cancel();
    }

    /// The next that ended. A task that was taken down with the runtime leaves nothing to write.
    pub(super) async fn next(&mut self) -> Option<UserShellEnded> {
        loop {
            match self.tasks.join_next().await? {
                Ok(ended) => return Some(ended),
                Err(error) => tracing::error!(%error, "A user's shell command was lost"),
            }
        }
    }
}

impl Session {
    /// Starts a line. Nobody judges it: the person typed it.
    pub(super) async fn run_user_shell(&mut self, line: String) -> Result<(), CommandError> {
        if line.trim().is_empty() {
            return Err(CommandError::EmptyLine);
        }
        if self.closing {
            return Err(CommandError::Closed);
        }
        let call = CallId(format!("line-{}", self.config.ids.next().simple()));
        let started = UserShellStarted { call: call.clone(), command: line.clone() };
        self.record(vec![EntryBody::UserShellStarted(started)])
            .await
            .map_err(|RecordError(message)| CommandError::Journal(message))?;
        let (services, context) = (self.runtime.services.clone(), self.user_shell_context(&call));
        self.user_shell.tasks.spawn(async move {
            let ran = AssertUnwindSafe(run_shell_line(&line, &services, &context)).catch_unwind().await;
            let ShellLineOutput { output, failed, folder } = ran.unwrap_or_else(|_| ShellLineOutput {
                output: String::new(),
                failed: Some("failed inside Forelook".to_owned()),
                folder: None,
            });
            UserShellEnded { call, command: line, output, failed, folder }
        });
        Ok(())
    }

    fn user_shell_context(&self, call: &CallId) -> ToolContext {
        let (hub, told) = (self.hub.clone(), call.clone());
        let project = self.state.folder.clone();
        let folder = self.state.main.shell_folder.clone();
        ToolContext {
            call: call.clone(),
            cancel: self.user_shell.cancel.clone(),
            output: OutputSink::new(move |text: &str| {
                hub.live(LiveEvent::Output { call: told.clone(), text: text.to_owned() })
            }),
            place: CallLocation { project: project.clone(), folder, agent: None },
            ..ToolContext::alone(&project)
        }
    }

    /// Writes down how a line ended.
    pub(super) async fn user_shell_over(&mut self, ended: UserShellEnded) {
        let line = ended.command.trim().to_owned();
        if let Err(RecordError(why)) = self.record(vec![EntryBody::UserShellEnded(ended)]).await {
            let text = format!(
                "{why}\nYour command `{line}` had already run; only its output could not be recorded"
            );
            self.hub.live(LiveEvent::Notice(Notice { level: NoticeLevel::Error, text }));
        }
    }

    /// Ends what still runs, and writes it down.
    pub(super) async fn end_user_shell(&mut self) {
        self.user_shell.end();
        while let Some(ended) = self.user_shell.next().await {
            self.user_shell_over(ended).await;
        }
    }

    /// What the person ran since the model was told last, to be written down for it.
    pub(super) fn user_shell_reminders(&self) -> Vec<EntryBody> {
        self.state.user_shell.unreported.iter().map(reminder).collect()
    }
}

fn reminder(ended: &UserShellEnded) -> EntryBody {
    let mut text = format!(
        "The user ran this in their shell. It is for your information; do nothing about it unless they ask.\n\
         $ {}\n",
        ended.command.trim()
    );
    text.push_str(if ended.output.is_empty() { "(no output)" } else { &ended.output });
    if let Some(failed) = &ended.failed {
        text.push_str(&format!("\n[{failed}]"));
    }
    EntryBody::Reminder(Reminder { kind: ReminderKind::UserShell { call: ended.call.clone() }, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(command: &str, output: &str, failed: Option<&str>) -> String {
        let failed = failed.map(str::to_owned);
        let (command, output) = (command.to_owned(), output.to_owned());
        let call = CallId("line-1".into());
        let body = reminder(&UserShellEnded { call: call.clone(), command, output, failed, folder: None });
        let EntryBody::Reminder(told) = body else { panic!("no reminder") };
        assert_eq!(told.kind, ReminderKind::UserShell { call });
        told.text.split_once('\n').unwrap().1.to_owned()
    }

    #[test]
    fn the_model_hears_the_line_and_what_came_of_it() {
        for (command, output, failed, expected) in [
            ("ls", "a\nb", None, "$ ls\na\nb"),
            (" true ", "", None, "$ true\n(no output)"),
            ("false", "", Some("exit code 1"), "$ false\n(no output)\n[exit code 1]"),
        ] {
            assert_eq!(told(command, output, failed), expected);
        }
    }
}
