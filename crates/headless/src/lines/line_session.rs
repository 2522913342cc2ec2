//! What is said, by whom, and to whom it goes.

use std::collections::VecDeque;
use std::sync::Arc;

use forelook_protocol::{
    CallId, Command, CommandError, Delivery, Entry, EntryBody, HostAnswer, Mentions, PermissionsCommand,
    Prompt, Query, Reply, RequestId, SessionPort, SessionSnapshot, UserBlock,
};
use forelook_view::SessionView;
use forelook_wording::{counted, parse_mentions};

use super::ask::{AnswerStep, LineDialog};
use super::renderer::LineRenderer;
use super::review::LineReview;
use crate::RunOutcome;
use crate::slash::{self, SlashLine};

pub(super) struct LineSession {
    pub(super) session: Arc<dyn SessionPort>,
    pub(super) renderer: LineRenderer,
    pub(super) view: SessionView,
    pub(super) ended: RunOutcome,
    /// Nothing is saved any more: the run is no success, whatever its turns were.
    pub(super) journal_lost: bool,
    /// The session broke off.
    pub(super) failed: bool,
    pub(super) questions: VecDeque<OpenQuestion>,
    /// A review whose plan has changed; another one takes its place.
    pub(super) outdated: Option<LineReview>,
    /// That the turn was interrupted is told already.
    pub(super) stop_reported: bool,
    /// Whether somebody may still type.
    pub(super) attended: bool,
    /// An editor has the terminal: nobody else may read from it.
    pub(super) editing: bool,
    /// Whether a prompt was taken, now or before.
    pub(super) has_conversation: bool,
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
            _ if self.failed => RunOutcome::Failed,
            RunOutcome::Done if self.journal_lost => RunOutcome::Failed,
            ended => ended,
        }
    }

    #[cfg(test)]
    pub(super) fn new(
        session: Arc<dyn SessionPort>,
        renderer: LineRenderer,
        snapshot: &SessionSnapshot,
    ) -> Self {
        Self::after(&[], session, renderer, snapshot)
    }

    /// `before` is what stands in the journal.
    pub(super) fn after(
        before: &[Arc<Entry>],
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
            failed: false,
            questions: VecDeque::new(),
            outdated: None,
            stop_reported: false,
            attended: true,
            editing: false,
            has_conversation: before.iter().any(|entry| matches!(entry.body, EntryBody::PromptAccepted(_))),
        };
        line_session.view.remember_reviews(before.iter().map(|entry| &**entry));
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
        if self.is_idle() && self.questions.is_empty() {
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
            true => self.prompt(words.trim(), false).await,
            false => self.said(words, false).await,
        }
    }

    async fn prompt(&mut self, words: &str, typed: bool) {
        let content = vec![UserBlock::text(words)];
        let paths = parse_mentions(words);
        let mentions = if typed { Mentions::typed(paths) } else { Mentions::given(paths) };
        self.send(Command::Prompt(Prompt::person(content, Delivery::NextTurn).naming(mentions))).await;
    }

    pub(super) async fn line(&mut self, line: &str) {
        self.said(line, true).await;
    }

    /// A line, and whether it was typed just now.
    async fn said(&mut self, line: &str, typed: bool) {
        match slash::parse(line) {
            Some(SlashLine::Permissions(rest)) if !typed && PermissionsCommand::changes_rules(rest) => {
                self.renderer.problem(forelook_wording::RULES_ARE_TYPED);
            }
            Some(command) => self.command(command).await,
            None if !self.questions.is_empty() => self.answer(line).await,
            None if line.trim().is_empty() => {}
            None if forelook_wording::is_exit_word(line) => self.leave().await,
            None => match line.trim().strip_prefix('!') {
                Some(line) => self.send(Command::UserShell(line.trim().to_owned())).await,
                None => self.prompt(line.trim(), typed).await,
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
            AnswerStep::Noted(what) => {
                // A killed program must not lose it.
                let draft = open.dialog.review().map(LineReview::draft);
                self.renderer.note(&what);
                if let Some(draft) = draft {
                    self.send(Command::SaveReviewDraft { request: id, draft }).await;
                }
            }
            AnswerStep::Look(rows) => self.renderer.rows(&rows),
            AnswerStep::Unclear(why) => self.renderer.problem(&why),
            AnswerStep::Check(rules) => self.check_rules(id, rules).await,
            AnswerStep::Edit => self.open_plan().await,
            AnswerStep::Done(answer) => self.close(id, answer).await,
        }
    }

    /// Rules that were typed are offered once the session knows what they would do.
    async fn check_rules(&mut self, request: RequestId, rules: Vec<String>) {
        match self.session.query(Query::CheckRules { request, rules }).await {
            Ok(Reply::CheckRules(check)) => match &check.problem {
                Some(problem) => self.renderer.problem(problem),
                None => {
                    if !check.covers {
                        self.renderer.note("It does not cover this call: you would be asked about it again");
                    }
                    let calls = counted(check.total as u64, "earlier call", "earlier calls");
                    self.renderer.note(&format!("It matches {calls} of this session"));
                    if let Some(open) = self.questions.front_mut().filter(|open| open.id == request) {
                        open.dialog.use_rules(check.suggested);
                    }
                }
            },
            Ok(_) => {}
            Err(refused) => self.renderer.problem(&refused.to_string()),
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
