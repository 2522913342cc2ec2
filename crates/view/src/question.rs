//! Questions to the person: which are open, what can be said to them, and who said it.

mod choose;
mod offers;
#[cfg(test)]
mod tests;

use forelook_protocol::{
    AnsweredBy, Body, Command, Event, FrontEndId, HostAnswer, HostAsk, HostRequest, Refused, Replied,
    RequestId, RequestState, Reviewed, Snapshot,
};
use forelook_wording::answered_in;

use crate::review::{Review, ReviewHistory};
pub use choose::{Answers, NotChosen, Picked, named, numbered};
pub use offers::{Offer, no, offers, suggestions};

/// The questions to the person that wait, in the order in which they were asked, and what was said of plans before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Questions {
    /// Who we are; nothing where nothing is known of the session.
    front_end: Option<FrontEndId>,
    open: Vec<HostRequest>,
    history: ReviewHistory,
}

/// What an event changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// This question waits now.
    Opened(RequestId),
    /// A question does not wait any more.
    Closed(Box<Closed>),
}

/// How a question was closed.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    /// The question, if it was open here.
    pub question: Option<HostRequest>,
    /// By whom.
    pub by: AnsweredBy,
    /// How.
    pub answer: HostAnswer,
    /// The name of the front end that answered, if it was another one.
    pub elsewhere: Option<String>,
}

impl Closed {
    /// Who answered and how, for whoever sees the question go; nothing if it was answered here or by nobody.
    pub fn words(&self) -> Option<String> {
        self.elsewhere.as_ref().map(|name| answered_in(name, &self.answer))
    }
}

impl Questions {
    /// Those that are open when a front end attaches.
    pub fn new(snapshot: &Snapshot) -> Self {
        let mut questions =
            Self { front_end: Some(snapshot.front_end), open: Vec::new(), history: ReviewHistory::default() };
        snapshot.requests.iter().for_each(|request| questions.opened(request));
        questions
    }

    /// Something happened.
    pub fn apply(&mut self, event: &Event) -> Option<Change> {
        let Event::Recorded(entry) = event else { return None };
        match &entry.body {
            Body::Question(opened) => {
                self.opened(&opened.question);
                self.get(opened.question.id).map(|question| Change::Opened(question.id))
            }
            Body::Reply(replied) => Some(Change::Closed(Box::new(self.replied(replied)))),
            Body::Review(reviewed) => Some(Change::Closed(Box::new(self.reviewed(reviewed)))),
            _ => None,
        }
    }

    /// Something is asked. What is asked of programs is passed over.
    fn opened(&mut self, request: &HostRequest) {
        if request.ask.kind().is_for_person() && self.get(request.id).is_none() {
            self.open.push(request.clone());
        }
    }

    /// A question was closed.
    fn replied(&mut self, replied: &Replied) -> Closed {
        self.close(Some(replied.question), &replied.by, replied.answer.clone())
    }

    /// A review was answered.
    fn reviewed(&mut self, reviewed: &Reviewed) -> Closed {
        self.history.answered(reviewed);
        self.close(reviewed.question, &reviewed.through, HostAnswer::Plan(reviewed.answer.clone()))
    }

    fn close(&mut self, id: Option<RequestId>, by: &AnsweredBy, answer: HostAnswer) -> Closed {
        let at = id.and_then(|id| self.open.iter().position(|open| open.id == id));
        let question = at.map(|at| self.open.remove(at));
        let elsewhere = self.elsewhere(by).map(str::to_owned);
        Closed { question, by: by.clone(), answer, elsewhere }
    }

    /// Those that wait, the oldest first.
    pub fn open(&self) -> &[HostRequest] {
        &self.open
    }

    /// The one with this id, while it waits.
    pub fn get(&self, id: RequestId) -> Option<&HostRequest> {
        self.open.iter().find(|open| open.id == id)
    }

    /// What was said of plans before.
    pub fn history(&self) -> &ReviewHistory {
        &self.history
    }

    /// The same, for what the journal had before this front end attached.
    pub fn history_mut(&mut self) -> &mut ReviewHistory {
        &mut self.history
    }

    /// Begins the review that waits under this id, with what was said of the plan before; `from` is who asks. If it is
    /// closed unanswered, what was said in it goes back with [`ReviewHistory::left_open`].
    pub fn review(&self, id: RequestId, from: Option<&str>) -> Option<Review> {
        match &self.get(id)?.ask {
            HostAsk::Review(asked) => Some(Review::new(asked, from, self.history.of(&asked.path))),
            _ => None,
        }
    }

    /// The name of the front end that answered, if it was another one.
    pub fn elsewhere<'by>(&self, by: &'by AnsweredBy) -> Option<&'by str> {
        match by {
            AnsweredBy::FrontEnd { id, name } if self.front_end.is_some_and(|own| own != *id) => Some(name),
            AnsweredBy::FrontEnd { .. } | AnsweredBy::Session | AnsweredBy::Policy => None,
        }
    }

    /// Whether an answer was refused because one from elsewhere came first.
    pub fn came_late(&self, refused: &Refused) -> bool {
        matches!(refused, Refused::NotOpen { now: RequestState::Closed { by, .. }, .. }
            if self.elsewhere(by).is_some())
    }
}

/// The command that gives this answer to a question.
pub fn command(request: RequestId, answer: HostAnswer) -> Command {
    Command::Answer { request, answer }
}
