//! What is heard, and what it means for the conversation.

use forelook_protocol::{
    AnsweredBy, Body, EditorState, EndReason, Entry, Event, HostAnswer, HostAsk, HostRequest, Live, Mode,
    PlanEditor, Replied, Reviewed,
};

use super::ask::Asking;
use super::talk::{Open, Talk};
use crate::Ended;
use crate::plan_view;
use crate::wire::outgoing;

impl Talk {
    pub(super) fn event(&mut self, event: &Event) {
        self.work.hear(event);
        match event {
            Event::Recorded(entry) => self.recorded(entry),
            Event::Live(Live::Unrecorded { reason, .. }) => self.turn_end(reason),
            Event::Live(Live::Answer { agent, event }) => self.show.piece(agent.as_ref(), event),
            Event::Live(Live::Notice(notice)) => self.show.notice(notice),
            Event::Live(Live::PlanEditor(told)) => self.editor(told),
            Event::Live(Live::Progress { agent, call, elapsed_ms, note }) => {
                self.show.progress((agent.as_ref(), call), *elapsed_ms, note.as_deref());
            }
            // What is no entry is asked of programs, and not of a person.
            Event::Live(Live::Request(_) | Live::RequestClosed { .. }) => {}
            Event::Live(Live::Output { .. } | Live::Closed) => {}
        }
    }

    fn recorded(&mut self, entry: &Entry) {
        match &entry.body {
            Body::Question(opened) if self.attended => self.question(&opened.question),
            Body::Reply(replied) => self.replied(replied),
            Body::Review(reviewed) => self.reviewed(reviewed),
            Body::Mode(set) if entry.agent.is_none() => self.set_mode(set.standing.mode()),
            Body::ShellStarted(started) => _ = self.own_lines.insert(started.call.clone()),
            Body::ShellEnded(ended) => {
                self.own_lines.remove(&ended.call);
                self.show.own_line(ended);
            }
            Body::RehearsalApplied(applied) => self.show.rehearsal_applied(applied),
            Body::TurnEnd(ended) if entry.agent.is_none() => self.turn_end(&ended.reason),
            _ => self.show.entry(entry),
        }
    }

    /// Takes up a question that is open.
    pub(super) fn question(&mut self, question: &HostRequest) {
        let from = self.show.label(question.agent.as_ref());
        let asking = match (&question.ask, self.outdated.take()) {
            (HostAsk::Review(_), Some(outdated)) => Asking::anew(&question.ask, from, outdated),
            (ask, outdated) => {
                self.outdated = outdated;
                Asking::new(ask, from)
            }
        };
        self.questions.push_back(Open { id: question.id, call: question.call.clone(), asking });
    }

    fn replied(&mut self, replied: &Replied) {
        let Some(open) = self.forget(replied.question) else {
            return self.nobody(&replied.answer);
        };
        self.answered_elsewhere(&replied.by);
        self.show.of_running(open.asking.running(), &replied.answer);
        match &replied.answer {
            HostAnswer::Outdated => self.outdated = open.asking.into_review(),
            HostAnswer::Interrupted => {
                if let Some(review) = open.asking.review() {
                    self.show.unanswered(open.call, review.path());
                    self.told_stop = true;
                }
            }
            answer => self.nobody(answer),
        }
    }

    fn nobody(&mut self, answer: &HostAnswer) {
        if *answer == HostAnswer::Nobody {
            self.show.note("Nobody is here to answer; going on without.");
        }
    }

    fn reviewed(&mut self, reviewed: &Reviewed) {
        if reviewed.question.and_then(|question| self.forget(question)).is_some() {
            self.answered_elsewhere(&reviewed.through);
        }
        self.show.review(reviewed);
        self.set_mode(reviewed.standing.mode());
    }

    /// Whoever is asked here should know why the question is gone.
    fn answered_elsewhere(&mut self, by: &AnsweredBy) {
        if let AnsweredBy::FrontEnd { id, name } = by
            && *id != self.front_end
        {
            self.show.note(&format!("Answered by {name}"));
        }
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        if self.mode != mode {
            self.mode = mode;
            self.show.mode(mode);
        }
    }

    /// Whether a plan is up for review, or will be again in a moment.
    fn reviewing(&self) -> bool {
        self.outdated.is_some() || self.questions.iter().any(|open| open.asking.review().is_some())
    }

    fn editor(&mut self, told: &PlanEditor) {
        self.editing = told.state == EditorState::Opening { in_terminal: true };
        match plan_view::editor(told) {
            // The review says how the plan stands.
            Ok(_) if told.state == EditorState::Opened && self.reviewing() => {}
            Ok(row) => self.show.rows(&[row]),
            Err(text) => self.show.problem(&text),
        }
        if matches!(told.state, EditorState::Opening { .. }) && self.reviewing() {
            self.show.note("If you change it, it is shown again before anything is approved");
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
