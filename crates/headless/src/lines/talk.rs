//! What is said, by whom, and to whom it goes.

use std::collections::VecDeque;
use std::sync::Arc;

use forelook_protocol::{
    CallId, Command, Delivery, HostAnswer, Prompt, Refused, RequestId, SessionPort, Snapshot, UserBlock,
};
use forelook_view::SessionView;

use super::ask::{Asking, Step};
use super::review::Reviewing;
use super::show::Show;
use crate::Ended;
use crate::slash;

pub(super) struct Talk {
    pub(super) session: Arc<dyn SessionPort>,
    pub(super) show: Show,
    pub(super) view: SessionView,
    pub(super) ended: Ended,
    pub(super) questions: VecDeque<Open>,
    /// A review whose plan has changed; another one takes its place.
    pub(super) outdated: Option<Reviewing>,
    /// That the turn was interrupted is told already.
    pub(super) told_stop: bool,
    /// Whether somebody may still type.
    pub(super) attended: bool,
    /// An editor has the terminal: nobody else may read from it.
    pub(super) editing: bool,
}

/// A question that waits for the person.
pub(super) struct Open {
    pub(super) id: RequestId,
    pub(super) call: Option<CallId>,
    pub(super) asking: Asking,
}

impl Talk {
    pub(super) fn new(session: Arc<dyn SessionPort>, show: Show, snapshot: &Snapshot) -> Self {
        let mut talk = Self {
            session,
            show,
            view: SessionView::new(snapshot),
            ended: Ended::Done,
            questions: VecDeque::new(),
            outdated: None,
            told_stop: false,
            attended: true,
            editing: false,
        };
        for request in snapshot.requests.iter().filter(|request| request.ask.kind().is_for_person()) {
            talk.question(request);
        }
        talk
    }

    /// A line is read only when it is wanted, so that an answer typed (or piped) ahead meets its question.
    pub(super) fn listens(&self) -> bool {
        self.attended
            && !self.editing
            && !self.view.calls().has_own()
            && (self.view.turns().is_idle() || !self.questions.is_empty())
    }

    pub(super) fn over(&self) -> bool {
        self.at_rest() && !self.attended
    }

    fn at_rest(&self) -> bool {
        self.view.turns().is_idle() && !self.view.calls().has_own()
    }

    /// Whether it has to be said that a line is waited for.
    pub(super) fn is_to_invite(&self) -> bool {
        self.listens() && !self.show.invited()
    }

    /// Says what is waited for.
    pub(super) fn invite(&mut self) {
        match self.questions.front_mut() {
            Some(open) => self.show.question(&open.asking.rows()),
            None => self.show.invite(self.view.mode()),
        }
    }

    /// A wish to stop: the turn, or all. True if all is to end.
    pub(super) async fn interrupt(&mut self) -> bool {
        if self.editing {
            return false;
        }
        if self.at_rest() {
            self.ended = Ended::Interrupted;
            return true;
        }
        let _ = self.session.send(Command::Interrupt).await;
        false
    }

    /// What the command line said. It may come from a script, which may have it from anybody: it is never run.
    pub(super) async fn first(&mut self, words: &str) {
        self.show.person(words);
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
                Some(line) => self.send(Command::Shell(line.trim().to_owned())).await,
                None => self.prompt(line.trim()).await,
            },
        }
    }

    pub(super) async fn send(&mut self, command: Command) {
        match self.session.send(command).await {
            Ok(accepted) => self.view.accepted(accepted),
            Err(refused) => self.show.problem(&refused.to_string()),
        }
    }

    async fn answer(&mut self, line: &str) {
        let Some(open) = self.questions.front_mut() else { return };
        let id = open.id;
        match open.asking.answer(line) {
            Step::More | Step::Again => {}
            Step::Noted(what) => self.show.note(&what),
            Step::Look(rows) => self.show.rows(&rows),
            Step::Unclear(why) => self.show.problem(&why),
            Step::Edit => self.open_plan().await,
            Step::Done(answer) => self.close(id, answer).await,
        }
    }

    async fn close(&mut self, request: RequestId, answer: HostAnswer) {
        match self.session.send(Command::Answer { request, answer: answer.clone() }).await {
            Ok(accepted) => {
                self.view.accepted(accepted);
                match (self.forget(request), &answer) {
                    (Some(open), HostAnswer::Chosen { choices }) => {
                        self.told(open.call);
                        self.show.chosen(choices);
                    }
                    (Some(open), answer) => self.show.of_running(open.asking.running(), answer),
                    (None, _) => {}
                }
            }
            Err(refused) => {
                self.show.problem(&refused.to_string());
                match refused {
                    Refused::NotOpen { .. } | Refused::Closed => _ = self.forget(request),
                    // It is still open, so it is asked again; one whose plan has changed is closed by the session.
                    _ => {
                        if let Some(open) = self.questions.front_mut() {
                            open.asking.reset();
                        }
                    }
                }
            }
        }
    }

    /// What was told stands for the call that asked.
    pub(super) fn told(&mut self, call: Option<CallId>) {
        call.into_iter().for_each(|call| self.view.tell_as_another(call));
    }

    pub(super) fn forget(&mut self, question: RequestId) -> Option<Open> {
        let at = self.questions.iter().position(|open| open.id == question)?;
        self.questions.remove(at)
    }

    pub(super) async fn leave(&mut self) {
        self.attended = false;
        self.questions.clear();
        let _ = self.session.send(Command::Unattended).await;
    }
}
