//! Prompts, and those of them that are `/plan`: what they show is their result.

use forelook_protocol::{
    Command, CommandAccepted, CommandError, EditorState, EndReason, Notice, NoticeLevel, PlanEditor,
    PlanReply, Prompt,
};

use super::{Output, Printer};
use crate::plan_line::{self, PlanLineOutcome};
use crate::plan_view::{self, PlanReader};
use crate::print::out::OutputClosed;
use crate::slash;
use crate::style::bare;
use crate::wire::plan;

impl Printer {
    pub(in crate::print) async fn prompt(&mut self, prompt: Prompt) -> Result<(), OutputClosed> {
        self.spoken = true;
        // Only a person gives commands; the words of one reach the model as theirs.
        if prompt.origin.is_person()
            && let Some(rest) = slash::plan(&prompt.content)
        {
            return self.plan(rest).await;
        }
        match self.session.send(Command::Prompt(prompt)).await {
            Ok(accepted) => self.accepted(accepted, String::new()),
            Err(refused) => {
                // A host that counts results waits for one to each prompt.
                let reason = self.refused(&refused);
                self.ready(reason, String::new())
            }
        }
    }

    async fn plan(&mut self, argument: &str) -> Result<(), OutputClosed> {
        match plan_line::run(&*self.session, argument, self.view.mode()).await {
            Ok(PlanLineOutcome::Shown(shown)) => {
                let words = self.shown(&shown)?;
                self.accepted(CommandAccepted::Nothing, words)
            }
            Ok(PlanLineOutcome::Done(accepted, shown)) => {
                let words = shown.map_or(Ok(String::new()), |shown| self.shown(&shown))?;
                self.accepted(accepted, words)
            }
            Ok(PlanLineOutcome::Opens) => {
                self.owed.edits();
                Ok(())
            }
            Ok(PlanLineOutcome::Reviews) => {
                self.owed.reviews();
                Ok(())
            }
            Err(refused) => {
                let reason = self.refused(&refused);
                self.ready(reason, String::new())
            }
        }
    }

    fn refused(&mut self, refused: &CommandError) -> EndReason {
        self.out.complain(&refused.to_string());
        EndReason::Internal { message: refused.to_string() }
    }

    /// A prompt was taken. What it showed is its result, unless a turn comes of it: then it is told beside, before the
    /// turn's own.
    fn accepted(&mut self, accepted: CommandAccepted, shown: String) -> Result<(), OutputClosed> {
        match accepted {
            CommandAccepted::Nothing => return self.ready(EndReason::Done, shown),
            CommandAccepted::Turn(turn) => self.owed.answered_by(turn),
            CommandAccepted::Queued { prompt, .. } => self.owed.queued(prompt),
        }
        self.view.accepted(accepted);
        if self.out.output == Output::Text && !shown.is_empty() {
            self.out.complain(&shown);
        }
        Ok(())
    }

    /// Something to see about plans: a line of the stream, and words.
    fn shown(&mut self, shown: &PlanReply) -> Result<String, OutputClosed> {
        let uuid = self.out.id();
        self.out.stream(|session| plan::line(uuid, session, shown))?;
        Ok(bare(&plan_view::rows(shown, self.clock.now(), PlanReader::Program)))
    }

    /// The plan in the person's editor. Whoever asked for it wants to know it at once, and gets a result at the end.
    pub(super) fn editor(&mut self, told: &PlanEditor) -> Result<(), OutputClosed> {
        let told_at_once = self.out.output == Output::Text && self.owed.awaits_editor();
        let (reason, words) = match plan_view::editor(told) {
            Ok(row) => {
                let words = bare(&[row]);
                let line = plan::editor(self.out.id(), self.out.session, told);
                self.tell(line)?;
                if told_at_once {
                    self.out.write(&words)?;
                }
                (EndReason::Done, if told_at_once { String::new() } else { words })
            }
            Err(text) => {
                self.out.notice(&Notice { level: NoticeLevel::Error, text: text.clone() })?;
                (EndReason::Internal { message: text }, String::new())
            }
        };
        if matches!(told.state, EditorState::Opening { .. }) || !self.owed.edited((reason, words)) {
            return Ok(());
        }
        self.flush_ready()
    }
}
