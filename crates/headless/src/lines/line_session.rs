//! What is said, by whom, and to whom it goes.

use std::collections::VecDeque;
use std::sync::Arc;

use forelook_protocol::{
    CallId, Command, CommandError, Delivery, HostAnswer, Prompt, RequestId, SessionPort, SessionSnapshot,
    UserBlock,
};
use forelook_view::SessionView;

use super::ask::{AnswerStep, LineDialog};
use super::renderer::LineRenderer;
use super::review::LineReview;
use crate::RunOutcome;
use crate::slash;

pub(super) struct LineSession {
    pub(super) session: Arc<dyn SessionPort>,
    pub(super) renderer: LineRenderer,
    pub(super) view: SessionView,
    pub(super) ended: RunOutcome,
    /// Nothing is saved any more: the run is no success, whatever its turns were.
    pub(super) journal_lost: bool,
    pub(super) questions: VecDeque<OpenQuestion>,
    /// A review whose plan has changed; another one takes its place.
    pub(super) outdated: Option<LineReview>,
    /// That the turn was interrupted is told already.
    pub(super) stop_reported: bool,
    /// Whether somebody may still type.
    pub(super) attended: bool,
    /// An editor has the terminal: nobody else may read from it.
    pub(super) editing: bool,
}

/// A question that waits for the person.
pub(super) struct OpenQuestion {
    pub(super) id: RequestId,
    pub(super) call: Option<CallId>,
    pub(super) dialog: LineDialog,
}

impl LineSession {
    /// How the run ended.
    pub(super) fn outcome(self) -> RunOutcome {
        match self.ended {
            RunOutcome::Done if self.journal_lost => RunOutcome::Failed,
            ended => ended,
        }
    }

    pub(super) fn new(
        session: Arc<dyn SessionPort>,
        renderer: LineRenderer,
        snapshot: &SessionSnapshot,
    ) -> Self {
        let mut line_session = Self {
            session,
            renderer,
            view: SessionView::new(snapshot),
            ended: RunOutcome::Done,
            journal_lost: false,
            questions: VecDeque::new(),
            outdated: None,
            stop_reported: false,
            attended: true,
            editing: false,
        };
        for request in snapshot.requests.iter().filter(|request| request.ask.kind().is_for_person()) {
            line_session.question(request);
        }
        line_session
    }

    /// A line is read only when it is wanted, so that an answer typed (or piped) ahead meets its question.
    pub(super) fn wants_line(&self) -> bool {
        self.attended
            && !self.editing
            && !self.view.calls().has_user_shell()
            && (self.view.turns().is_idle() || !self.questions.is_empty())
    }

    pub(super) fn over(&self) -> bool {
        self.is_idle() && !self.attended
    }

    fn is_idle(&self) -> bool {
        self.view.turns().is_idle() && !self.view.calls().has_user_shell()
    }

    /// Whether it has to be said that a line is waited for.
    pub(super) fn needs_prompt(&self) -> bool {
        self.wants_line() && !self.renderer.prompt_shown()
    }

    /// Says what is waited for.
    pub(super) fn show_prompt(&mut self) {
        match self.questions.front_mut() {
            Some(open) => self.renderer.question(&open.dialog.rows()),
            None => self.renderer.show_prompt(self.view.mode()),
        }
    }

    /// A wish to stop: the turn, or all. True if all is to end.
    pub(super) async fn interrupt(&mut self) -> bool {
        if self.editing {
            return false;
        }
        if self.is_idle() {
            self.ended = RunOutcome::Interrupted;
            return true;
        }
        let _ = self.session.send(Command::Interrupt).await;
        false
    }

    /// What the command line said. It may come from a script, which may have it from anybody: it is never run.
    pub(super) async fn first(&mut self, words: &str) {
        self.renderer.person(words);
        match words.trim().starts_with('!') {
            true => self.prompt(words.trim()).await,
            false => self.line(words).await,
        }
    }

    async fn prompt(&mut self, words: &str) {
        let content = vec![UserBlock::text(words)];
        self.send(Command::Prompt(Prompt::person(content, Delivery::NextTurn))).await;
    }

    pub(super) async fn line(&mut self, line: &str) {
        match slash::parse(line) {
            Some(command) => self.command(command).await,
            None if !self.questions.is_empty() => self.answer(line).await,
            None if line.trim().is_empty() => {}
            None => match line.trim().strip_prefix('!') {
                Some(line) => self.send(Command::UserShell(line.trim().to_owned())).await,
                None => self.prompt(line.trim()).await,
            },
        }
    }

    pub(super) async fn send(&mut self, command: Command) {
        match self.session.send(command).await {
            Ok(accepted) => self.view.accepted(accepted),
            Err(refused) => self.renderer.problem(&refused.to_string()),
        }
    }

    async fn answer(&mut self, line: &str) {
        let Some(open) = self.questions.front_mut() else { return };
        let id = open.id;
        match open.dialog.answer(line) {
            AnswerStep::More | AnswerStep::Again => {}
            AnswerStep::Noted(what) => self.renderer.note(&what),
            AnswerStep::Look(rows) => self.renderer.rows(&rows),
            AnswerStep::Unclear(why) => self.renderer.problem(&why),
            AnswerStep::Edit => self.open_plan().await,
            AnswerStep::Done(answer) => self.close(id, answer).await,
        }
    }

    async fn close(&mut self, request: RequestId, answer: HostAnswer) {
        match self.session.send(Command::Answer { request, answer: answer.clone() }).await {
            Ok(accepted) => {
                self.view.accepted(accepted);
                match (self.forget(request), &answer) {
                    (Some(open), HostAnswer::Chosen { choices }) => {
                        self.mark_reported(open.call);
                        self.renderer.chosen(choices);
                    }
                    (Some(open), answer) => self.renderer.running_shells(open.dialog.running(), answer),
                    (None, _) => {}
                }
            }
            Err(refused) => {
                self.renderer.problem(&refused.to_string());
                match refused {
                    CommandError::NotOpen { .. } | CommandError::Closed => _ = self.forget(request),
                    // It is still open, so it is asked again; one whose plan has changed is closed by the session.
                    _ => {
                        if let Some(open) = self.questions.front_mut() {
                            open.dialog.reset();
                        }
                    }
                }
            }
        }
    }

    /// What was told stands for the call that asked.
    pub(super) fn mark_reported(&mut self, call: Option<CallId>) {
        call.into_iter().for_each(|call| self.view.suppress_call(call));
    }

    pub(super) fn forget(&mut self, question: RequestId) -> Option<OpenQuestion> {
        let at = self.questions.iter().position(|open| open.id == question)?;
        self.questions.remove(at)
    }

    pub(super) async fn leave(&mut self) {
        self.attended = false;
        self.questions.clear();
        let _ = self.session.send(Command::Unattended).await;
    }
}
