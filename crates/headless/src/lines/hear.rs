//! What is heard, and what it means for the conversation.

use forelook_protocol::{
    AgentId, Body, CallId, EditorState, EndReason, Entry, Event, HostAnswer, HostAsk, HostRequest, Live,
    Mode, PlanEditor, Replied, Reviewed,
};
use forelook_view::Item;

use super::ask::Asking;
use super::talk::{Open, Talk};
use super::{agents, calls};
use crate::Ended;
use crate::plan_view;
use crate::wire::outgoing;

/// The tool that starts subagents.
const AGENT: &str = "Agent";

impl Talk {
    pub(super) fn event(&mut self, event: &Event) {
        // Nothing that is printed here depends on the time.
        self.view.apply(event, 0);
        self.tell();
        if let Event::Recorded(entry) = event {
            self.questions_of(entry);
        }
        if let Event::Live(Live::Progress { agent, call, .. }) = event {
            self.progress(agent.as_ref(), call);
        }
    }

    /// Prints what has happened.
    fn tell(&mut self) {
        for item in self.view.take_items() {
            match item {
                Item::Editor(told) => self.editor(&told),
                Item::TurnEnded { reason, half_said } => self.turn_end(&reason, half_said),
                item => self.show.item(&self.view, &item),
            }
        }
    }

    fn questions_of(&mut self, entry: &Entry) {
        match &entry.body {
            Body::Question(opened) if self.attended => self.question(&opened.question),
            Body::Reply(replied) => self.replied(replied),
            Body::Review(reviewed) => self.reviewed(reviewed),
            _ => {}
        }
    }

    /// Takes up a question that is open.
    pub(super) fn question(&mut self, question: &HostRequest) {
        let from = question.agent.as_ref().map(|agent| agents::label(&self.view, agent));
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
        self.show.of_running(open.asking.running(), &replied.answer);
        match &replied.answer {
            HostAnswer::Outdated => self.outdated = open.asking.into_review(),
            HostAnswer::Interrupted => {
                if let Some(review) = open.asking.review() {
                    self.show.unanswered(review.path());
                    self.told_stop = true;
                    self.told(open.call);
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
        reviewed.question.and_then(|question| self.forget(question));
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        self.view.mode_is(mode);
        self.tell();
    }

    /// A call takes long. Not told while something is waited for from the person, who may be in the middle of a
    /// line; nor of a call that waits for an agent, whose own calls are told of.
    fn progress(&mut self, agent: Option<&AgentId>, call: &CallId) {
        let Some(running) = self.view.calls().get(agent, call) else { return };
        let Some(called) = running.call().filter(|called| called.name != AGENT) else { return };
        let text = calls::still_running(called, running);
        if self.show.invited() || !self.view.progress_is_due(agent, call) {
            return;
        }
        self.tell();
        self.show.progress(&self.view, agent, text);
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

    fn turn_end(&mut self, reason: &EndReason, half_said: bool) {
        self.outdated = None;
        let told = std::mem::take(&mut self.told_stop) && *reason == EndReason::Interrupted;
        if let Some(problem) = outgoing::explain(reason).filter(|_| !told) {
            self.show.problem(&problem);
        }
        self.show.turn_ends(reason, half_said);
        self.ended = match Ended::of(reason) {
            // The person goes on after an interrupt.
            Ended::Interrupted => Ended::Done,
            ended => ended,
        };
    }
}
