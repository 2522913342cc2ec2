//! Questions to the user: which are open, what the user can answer, and who answered.

mod answer_options;
mod selection;
#[cfg(test)]
mod tests;
mod typed_rules;

use forelook_protocol::{
    AnsweredBy, Command, CommandError, EntryBody, Event, FrontEndId, HostAnswer, HostAsk, HostRequest,
    PlanReviewed, QuestionClosed, RequestId, RequestState, SessionSnapshot,
};
use forelook_wording::answered_in;

use crate::review::{ReviewHistory, ReviewState};
pub use answer_options::{
    AnswerOption, EDIT_RULES_KEY, INSTEAD_KEY, answer_options, denial, rule_options, suggestions,
};
pub use selection::{QuestionSequence, Selection, SelectionError, choice_by_label, choice_by_number};
pub use typed_rules::{join_rules, split_rules};

/// The open questions to the user, in the order in which they were asked, and the earlier plan reviews.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Questions {
    /// Our own ID; `None` if nothing is known about the session.
    front_end: Option<FrontEndId>,
    open: Vec<HostRequest>,
    history: ReviewHistory,
}

/// What an event changed.
#[derive(Debug, Clone, PartialEq)]
pub enum QuestionChange {
    /// This question is open now.
    Opened(RequestId),
    /// A question is no longer open.
    Closed(Box<ClosedQuestion>),
}

/// How a question was closed.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedQuestion {
    /// The question, if it was open here.
    pub question: Option<HostRequest>,
    /// Who closed it.
    pub by: AnsweredBy,
    /// The answer.
    pub answer: HostAnswer,
    /// The name of the front end that answered, if it was a different one.
    pub elsewhere: Option<String>,
}

impl ClosedQuestion {
    /// Who answered and how, to show when the question disappears; `None` if it was answered here or not at all.
    pub fn words(&self) -> Option<String> {
        self.elsewhere.as_ref().map(|name| answered_in(name, &self.answer))
    }
}

impl Questions {
    /// The questions that are open when a front end attaches.
    pub fn new(snapshot: &SessionSnapshot) -> Self {
        let mut questions =
            Self { front_end: Some(snapshot.front_end), open: Vec::new(), history: ReviewHistory::default() };
        snapshot.requests.iter().for_each(|request| questions.opened(request));
        questions
    }

    /// Handles an event.
    pub fn apply(&mut self, event: &Event) -> Option<QuestionChange> {
        let Event::Recorded(entry) = event else { return None };
        self.history.read(entry);
        match &entry.body {
            EntryBody::QuestionOpened(opened) => {
                self.opened(&opened.question);
                self.get(opened.question.id).map(|question| QuestionChange::Opened(question.id))
            }
            EntryBody::QuestionClosed(replied) => {
                Some(QuestionChange::Closed(Box::new(self.replied(replied))))
            }
            EntryBody::PlanReviewed(reviewed) => {
                Some(QuestionChange::Closed(Box::new(self.reviewed(reviewed))))
            }
            _ => None,
        }
    }

    /// Adds a question. Requests for programs are ignored.
    fn opened(&mut self, request: &HostRequest) {
        self.history.opened(request);
        if request.ask.kind().is_for_person() && self.get(request.id).is_none() {
            self.open.push(request.clone());
        }
    }

    /// A question was closed.
    fn replied(&mut self, replied: &QuestionClosed) -> ClosedQuestion {
        self.close(Some(replied.question), &replied.by, replied.answer.clone())
    }

    /// A review was answered.
    fn reviewed(&mut self, reviewed: &PlanReviewed) -> ClosedQuestion {
        self.close(reviewed.question, &reviewed.through, HostAnswer::Plan(reviewed.answer.clone()))
    }

    fn close(&mut self, id: Option<RequestId>, by: &AnsweredBy, answer: HostAnswer) -> ClosedQuestion {
        let at = id.and_then(|id| self.open.iter().position(|open| open.id == id));
        let question = at.map(|at| self.open.remove(at));
        let elsewhere = self.elsewhere(by).map(str::to_owned);
        ClosedQuestion { question, by: by.clone(), answer, elsewhere }
    }

    /// The open questions, oldest first.
    pub fn open(&self) -> &[HostRequest] {
        &self.open
    }

    /// The open question with this ID.
    pub fn get(&self, id: RequestId) -> Option<&HostRequest> {
        self.open.iter().find(|open| open.id == id)
    }

    /// The earlier plan reviews.
    pub fn history(&self) -> &ReviewHistory {
        &self.history
    }

    /// The earlier plan reviews, to add those from before this front end attached.
    pub fn history_mut(&mut self) -> &mut ReviewHistory {
        &mut self.history
    }

    /// Starts the open review with this ID, including comments from earlier reviews of the plan; `from` is the agent
    /// that asks. If the review closes without an answer, pass it to [`ReviewHistory::keep_open`] to keep its comments.
    pub fn review(&self, id: RequestId, from: Option<&str>) -> Option<ReviewState> {
        match &self.get(id)?.ask {
            HostAsk::Review(request) => Some(ReviewState::new(request, from, self.history.of(&request.path))),
            _ => None,
        }
    }

    /// The name of the front end that answered, if it was a different one.
    pub fn elsewhere<'by>(&self, by: &'by AnsweredBy) -> Option<&'by str> {
        match by {
            AnsweredBy::FrontEnd { id, name } if self.front_end.is_some_and(|own| own != *id) => Some(name),
            AnsweredBy::FrontEnd { .. } | AnsweredBy::Session | AnsweredBy::Policy => None,
        }
    }

    /// Whether an answer was refused because another front end answered first.
    pub fn lost_race(&self, refused: &CommandError) -> bool {
        matches!(refused, CommandError::NotOpen { now: RequestState::Closed { by, .. }, .. }
            if self.elsewhere(by).is_some())
    }
}

/// The command that gives this answer to a question.
pub fn command(request: RequestId, answer: HostAnswer) -> Command {
    Command::Answer { request, answer }
}
