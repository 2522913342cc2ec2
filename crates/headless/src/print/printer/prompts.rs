//! Prompts, and those of them that are `/plan`: what they show is their result.

use forelook_protocol::{
    Command, CommandAccepted, CommandError, Delivery, EditorState, EndReason, Notice, NoticeLevel, Origin,
    PlanEditor, PlanReply, Prompt, UserBlock,
};

use super::{Output, Printer};
use crate::plan_line::{self, PlanLineOutcome};
use crate::plan_view::{self, PlanReader};
use crate::print::out::OutputClosed;
use crate::slash;
use crate::style::bare;
use crate::wire::plan;

impl Printer {
    pub(in crate::print) async fn prompt(
        &mut self,
        content: Vec<UserBlock>,
        origin: Origin,
    ) -> Result<(), OutputClosed> {
        // Only a person gives commands; the words of one reach the model as theirs.
        if origin.is_person()
            && let Some(rest) = slash::plan(&content)
        {
            return self.plan(rest).await;
        }
        let prompt = Prompt { content, delivery: Delivery::NextTurn, origin };
        match self.session.send(Command::Prompt(prompt)).await {
            Ok(accepted) => self.accepted(accepted, String::new()),
            Err(refused) => {
                // A host that counts results waits for one to each prompt.
                let reason = self.refused(&refused);
                self.defer_result(reason, String::new())
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
                self.editors += 1;
                Ok(())
            }
            Err(refused) => {
                let reason = self.refused(&refused);
                self.defer_result(reason, String::new())
            }
        }
    }

    fn refused(&mut self, refused: &CommandError) -> EndReason {
        self.out.complain(&refused.to_string());
        let reason = EndReason::Internal { message: refused.to_string() };
        self.last = Some(reason.clone());
        reason
    }

    /// A prompt was taken. What it showed is its result, unless a turn comes of it: then it is told beside, before the
    /// turn's own.
    fn accepted(&mut self, accepted: CommandAccepted, shown: String) -> Result<(), OutputClosed> {
        if accepted == CommandAccepted::Nothing {
            return self.defer_result(EndReason::Done, shown);
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
        let told_at_once = self.out.output == Output::Text && self.editors > 0;
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
        if matches!(told.state, EditorState::Opening { .. }) || self.editors == 0 {
            return Ok(());
        }
        self.editors -= 1;
        if reason != EndReason::Done {
            self.last = Some(reason.clone());
        }
        self.defer_result(reason, words)
    }
}
