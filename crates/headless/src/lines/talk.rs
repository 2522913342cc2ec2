//! What is said, by whom, and to whom it goes.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use forelook_protocol::{
    Answer, Ask, Body, CallId, Command, Delivery, EndReason, Entry, Event, Live, Mode, Notice, NoticeLevel,
    PlanShown, Prompt, Question, QuestionId, Refused, Replied, SessionPort, Status, UserBlock,
};

use super::ask::{Asking, Step};
use super::review::Reviewing;
use super::show::Show;
use crate::Ended;
use crate::slash;
use crate::turns::{Heard, Turns};
use crate::wire::outgoing;

pub(super) struct Talk {
    pub(super) session: Arc<dyn SessionPort>,
    pub(super) show: Show,
    pub(super) turns: Turns,
    pub(super) ended: Ended,
    mode: Mode,
    questions: VecDeque<Open>,
    /// Lines of the person's own that run.
    own_lines: HashSet<CallId>,
    /// A review whose plan has changed; another one takes its place.
    outdated: Option<Reviewing>,
    /// That the turn was interrupted is told already.
    told_stop: bool,
    /// Whether somebody may still type.
    attended: bool,
    /// An editor has the terminal: nobody else may read from it.
    editing: bool,
}

/// A question that waits for the person.
struct Open {
    id: QuestionId,
    call: CallId,
    asking: Asking,
}

impl Talk {
    pub(super) fn new(session: Arc<dyn SessionPort>, show: Show, status: &Status) -> Self {
        Self {
            session,
            show,
            turns: Turns::new(status),
            ended: Ended::Done,
            mode: status.mode,
            questions: VecDeque::new(),
            own_lines: HashSet::new(),
            outdated: None,
            told_stop: false,
            attended: true,
            editing: false,
        }
    }

    /// A line is read only when it is wanted, so that an answer typed (or piped) ahead meets its question.
    pub(super) fn listens(&self) -> bool {
        self.attended
            && !self.editing
            && self.turns.settled()
            && self.own_lines.is_empty()
            && (self.turns.idle() || !self.questions.is_empty())
    }

    pub(super) fn over(&self) -> bool {
        self.turns.idle() && self.own_lines.is_empty() && !self.attended
    }

    /// Says what is waited for, unless that stands there already.
    pub(super) fn invite(&mut self) {
        if !self.listens() || self.show.invited() {
            return;
        }
        match self.questions.front_mut() {
            Some(open) => self.show.question(&open.asking.rows()),
            None => self.show.invite(self.mode),
        }
    }

    /// A wish to stop: the turn, or all. True if all is to end.
    pub(super) async fn interrupt(&mut self) -> bool {
        if self.editing {
            return false;
        }
        if self.turns.idle() && self.own_lines.is_empty() {
            self.ended = Ended::Interrupted;
            return true;
        }
        let _ = self.session.send(Command::Interrupt).await;
        false
    }

    /// What the command line said. It may come from a script, which may have it from anybody: it is never run.
    pub(super) async fn first(&mut self, words: &str) {
        match words.trim().starts_with('!') {
            true => self.prompt(words.trim()).await,
            false => self.line(words).await,
        }
    }

    async fn prompt(&mut self, words: &str) {
        let content = vec![UserBlock::text(words)];
        self.send(Command::Prompt(Prompt { content, delivery: Delivery::NextTurn })).await;
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
            Ok(()) => self.turns.sent(),
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
            Step::Edit => self.send(Command::Plan("open".to_owned())).await,
            Step::Done(answer) => self.close(id, answer).await,
        }
    }

    async fn close(&mut self, question: QuestionId, answer: Answer) {
        match self.session.send(Command::Answer { question, answer: answer.clone() }).await {
            Ok(()) => match (self.forget(question), &answer) {
                (Some(open), Answer::Chosen { choices }) => self.show.chosen(open.call, choices),
                (Some(open), answer) => self.show.of_running(open.asking.running(), answer),
                (None, _) => {}
            },
            Err(refused) => {
                self.show.problem(&refused.to_string());
                match refused {
                    Refused::NotOpen(_) | Refused::Closed => _ = self.forget(question),
                    // It is still open, so it is asked again; one whose plan has changed is closed by the session.
                    _ => {
                        if let Some(open) = self.questions.front_mut() {
                            open.asking.reset();
                        }
                    }
                }
            }
        }
        // What follows from the answer is printed before anything else is asked.
        self.turns.sent();
    }

    fn forget(&mut self, question: QuestionId) -> Option<Open> {
        let at = self.questions.iter().position(|open| open.id == question)?;
        self.questions.remove(at)
    }

    /// Whether a plan is up for review, or will be again in a moment.
    fn reviewing(&self) -> bool {
        self.outdated.is_some() || self.questions.iter().any(|open| open.asking.review().is_some())
    }

    pub(super) async fn leave(&mut self) {
        self.attended = false;
        self.questions.clear();
        let _ = self.session.send(Command::Unattended).await;
    }

    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::Recorded(entry) => self.recorded(entry),
            Event::Live(Live::Unrecorded(reason)) => {
                self.turns.end();
                self.turn_end(reason);
            }
            Event::Live(Live::Answer { agent, event }) => self.show.piece(agent.as_ref(), event),
            Event::Live(Live::Notice(notice)) => self.notice(notice),
            Event::Live(Live::Plan(shown)) => self.plan(shown),
            Event::Live(Live::Progress { agent, call, elapsed_ms, note }) => {
                self.show.progress((agent.as_ref(), call), *elapsed_ms, note.as_deref());
            }
            Event::Live(Live::Output { .. } | Live::Closed) => {}
        }
    }

    fn notice(&mut self, notice: &Notice) {
        self.show.notice(notice);
        // An editor that could not be opened, or failed, reports so.
        if self.editing && notice.level == NoticeLevel::Error {
            self.edited();
        }
    }

    fn plan(&mut self, shown: &PlanShown) {
        match shown {
            PlanShown::Opening { in_terminal, .. } => {
                self.editing = *in_terminal;
                self.show.plan(shown);
                if self.reviewing() {
                    self.show.note("If you change it, it is shown again before anything is approved");
                }
            }
            PlanShown::Opened { .. } => {
                // The review says how the plan stands.
                if !self.reviewing() {
                    self.show.plan(shown);
                }
                self.edited();
            }
            _ => self.show.plan(shown),
        }
    }

    /// The editor is closed. If the plan is another now, the session asks again by itself: that is waited for.
    fn edited(&mut self) {
        self.editing = false;
        self.turns.sent();
    }

    fn recorded(&mut self, entry: &Entry) {
        let heard = match entry.agent {
            None => self.turns.hear(&entry.body),
            Some(_) => Heard::Inside,
        };
        match &entry.body {
            Body::Question(opened) if self.attended => self.question(&opened.question),
            Body::Reply(replied) => self.replied(replied),
            Body::Review(reviewed) => {
                let _ = reviewed.question.and_then(|question| self.forget(question));
                self.show.review(reviewed);
                self.set_mode(reviewed.standing.mode());
            }
            Body::Mode(set) if entry.agent.is_none() => self.set_mode(set.standing.mode()),
            Body::ShellStarted(started) => _ = self.own_lines.insert(started.call.clone()),
            Body::ShellEnded(ended) => {
                self.own_lines.remove(&ended.call);
                self.show.own_line(ended);
            }
            Body::RehearsalApplied(applied) => self.show.rehearsal_applied(applied),
            Body::TurnEnd(ended) if heard == Heard::Ends => self.turn_end(&ended.reason),
            _ => self.show.entry(entry),
        }
    }

    fn question(&mut self, question: &Question) {
        let from = self.show.label(question.agent.as_ref());
        let asking = match (&question.ask, self.outdated.take()) {
            (Ask::Review(_), Some(outdated)) => Asking::anew(&question.ask, from, outdated),
            (ask, outdated) => {
                self.outdated = outdated;
                Asking::new(ask, from)
            }
        };
        self.questions.push_back(Open { id: question.id, call: question.call.clone(), asking });
    }

    fn replied(&mut self, replied: &Replied) {
        let open = self.forget(replied.question);
        // Answered elsewhere, or by nobody.
        self.show.of_running(open.as_ref().and_then(|open| open.asking.running()), &replied.answer);
        match (&replied.answer, open) {
            (Answer::Nobody, _) => self.show.note("Nobody is here to answer; going on without."),
            (Answer::Outdated, Some(open)) => self.outdated = open.asking.into_review(),
            (Answer::Interrupted, Some(Open { call, asking, .. })) => {
                if let Some(review) = asking.review() {
                    self.show.unanswered(call, review.path());
                    self.told_stop = true;
                }
            }
            _ => {}
        }
    }

    fn set_mode(&mut self, mode: Mode) {
        if self.mode != mode {
            self.mode = mode;
            self.show.mode(mode);
        }
    }

    fn turn_end(&mut self, reason: &EndReason) {
        self.outdated = None;
        let told = std::mem::take(&mut self.told_stop) && *reason == EndReason::Interrupted;
        if let Some(problem) = outgoing::explain(reason).filter(|_| !told) {
            self.show.problem(&problem);
        }
        self.show.turn_ends(reason);
        self.ended = match Ended::of(reason) {
            // The person goes on after an interrupt.
            Ended::Interrupted => Ended::Done,
            ended => ended,
        };
    }
}
