//! What is heard, and what it means for the conversation.

use forelook_protocol::{
    AgentId, CallId, EditorState, EndReason, Entry, EntryBody, Event, HostAnswer, HostAsk, HostRequest,
    LiveEvent, Mode, PlanEditor, PlanReviewed, QuestionClosed,
};
use forelook_view::{ViewItem, user_text};

use super::ask::LineDialog;
use super::line_session::{LineSession, OpenQuestion};
use super::{agents, calls};
use crate::RunOutcome;
use crate::plan_view;
use crate::wire::outgoing;

/// The tool that starts subagents.
const AGENT: &str = "Agent";

impl LineSession {
    pub(super) fn event(&mut self, event: &Event) {
        self.withdrawn(event);
        // Nothing that is printed here depends on the time.
        self.view.apply(event, 0);
        self.tell();
        self.journal_lost |= matches!(event, Event::Live(LiveEvent::JournalLost(_)));
        self.failed |= matches!(event, Event::Live(LiveEvent::Failed(_)));
        if let Event::Recorded(entry) = event {
            self.has_conversation |= matches!(entry.body, EntryBody::PromptAccepted(_));
            self.questions_of(entry);
        }
        if let Event::Live(LiveEvent::Progress { agent, call, .. }) = event {
            self.progress(agent.as_ref(), call);
        }
    }

    /// Prompts that waited were taken back. There is no line to put them into, so they are said: they can be sent again.
    fn withdrawn(&mut self, event: &Event) {
        let Event::Recorded(entry) = event else { return };
        let EntryBody::PromptsWithdrawn(withdrawn) = &entry.body else { return };
        for queued in self.view.turns().withdrawn(withdrawn) {
            let words = user_text(&queued.prompt.content);
            self.renderer.note(&format!("Not sent to the model: {words}"));
        }
    }

    /// Prints what has happened.
    fn tell(&mut self) {
        for item in self.view.take_items() {
            match item {
                ViewItem::Editor(told) => self.editor(&told),
                ViewItem::TurnEnded { reason, partial_text } => self.turn_end(&reason, partial_text),
                item => self.renderer.item(&self.view, &item),
            }
        }
    }

    fn questions_of(&mut self, entry: &Entry) {
        match &entry.body {
            EntryBody::QuestionOpened(opened) if self.attended => self.question(&opened.question),
            EntryBody::QuestionClosed(replied) => self.replied(replied),
            EntryBody::PlanReviewed(reviewed) => self.reviewed(reviewed),
            _ => {}
        }
    }

    /// Takes up a question that is open.
    pub(super) fn question(&mut self, question: &HostRequest) {
        let from = question.agent.as_ref().map(|agent| agents::label(&self.view, agent));
        let dialog = match (&question.ask, self.outdated.take()) {
            (HostAsk::Review(_), Some(outdated)) => LineDialog::replacing(&question.ask, from, outdated),
            (ask, outdated) => {
                self.outdated = outdated;
                LineDialog::after(ask, from, self.view.questions().history())
            }
        };
        self.questions.push_back(OpenQuestion { id: question.id, call: question.call.clone(), dialog });
    }

    fn replied(&mut self, replied: &QuestionClosed) {
        let Some(open) = self.forget(replied.question) else {
            return self.nobody(&replied.answer);
        };
        self.renderer.running_shells(open.dialog.running(), &replied.answer);
        match &replied.answer {
            HostAnswer::Outdated => self.outdated = open.dialog.into_review(),
            HostAnswer::Interrupted => {
                if let Some(review) = open.dialog.review() {
                    self.renderer.unanswered(review.path());
                    self.stop_reported = true;
                    self.mark_reported(open.call);
                }
            }
            answer => self.nobody(answer),
        }
    }

    fn nobody(&mut self, answer: &HostAnswer) {
        if *answer == HostAnswer::Nobody {
            self.renderer.note("No one is available to answer; continuing without an answer.");
        }
    }

    fn reviewed(&mut self, reviewed: &PlanReviewed) {
        reviewed.question.and_then(|question| self.forget(question));
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        self.view.set_mode(mode);
        self.tell();
    }

    /// A call takes long. Not told while something is waited for from the person, who may be in the middle of a
    /// line; nor of a call that waits for an agent, whose own calls are told of.
    fn progress(&mut self, agent: Option<&AgentId>, call: &CallId) {
        let Some(running) = self.view.calls().get(agent, call) else { return };
        let Some(called) = running.call().filter(|called| called.name != AGENT) else { return };
        let text = calls::progress_line(called, running);
        if self.renderer.prompt_shown() || !self.view.progress_due(agent, call) {
            return;
        }
        self.tell();
        self.renderer.progress(&self.view, agent, text);
    }

    /// Whether a plan is up for review, or will be again in a moment.
    fn is_reviewing(&self) -> bool {
        self.outdated.is_some() || self.questions.iter().any(|open| open.dialog.review().is_some())
    }

    fn editor(&mut self, told: &PlanEditor) {
        self.editing = told.state == EditorState::Opening { in_terminal: true };
        match plan_view::editor(told) {
            // That it was about to open stands above.
            Ok(_) if told.state == EditorState::Opened => {}
            Ok(row) => self.renderer.rows(&[row]),
            Err(text) => self.renderer.problem(&text),
        }
        if matches!(told.state, EditorState::Opening { .. }) && self.is_reviewing() {
            self.renderer.note("If you change it, you will see it again before you approve anything");
        }
    }

    fn turn_end(&mut self, reason: &EndReason, partial_text: bool) {
        self.outdated = None;
        let told = std::mem::take(&mut self.stop_reported) && *reason == EndReason::Interrupted;
        if let Some(problem) = outgoing::explain(reason).filter(|_| !told) {
            self.renderer.problem(&problem);
        }
        self.renderer.turn_ends(reason, partial_text);
        self.ended = match RunOutcome::of(reason) {
            // The person goes on after an interrupt.
            RunOutcome::Interrupted => RunOutcome::Done,
            ended => ended,
        };
    }
}
