//! Questions: asked, answered once, withdrawn.

use forelook_protocol::{
    AgentId, AnsweredBy, Body, CallId, Choice, FrontEndId, HostAnswer, HostAsk, HostRequest, Opened,
    PersonQuestion, PlanAnswer, Refused, Replied, RequestId, RequestState, Reviewer,
};
use tokio::sync::oneshot;

use super::Session;
use super::permissions::HookNews;
use crate::config::Answerer;
use crate::handle::{Asked, Asking, NotRecorded, Response, Subject};

/// A turn that waits for an answer.
pub(super) struct Waiting {
    pub(super) question: RequestId,
    /// The state of the permissions that the question was asked under.
    pub(super) revision: u64,
    pub(super) sender: oneshot::Sender<Response>,
}

/// A call that asks, and under which state of the permissions.
pub(super) struct WaitingCall {
    pub(super) agent: Option<AgentId>,
    pub(super) call: CallId,
    pub(super) revision: u64,
}

impl Session {
    /// Takes the first answer to a request; a later one is told how the request stands.
    pub(super) async fn answer(
        &mut self,
        from: FrontEndId,
        request: RequestId,
        answer: HostAnswer,
    ) -> Result<(), Refused> {
        if self.host_requests.open().any(|open| open.id == request) {
            let answered = self.host_answered(from, request, answer);
            return answered.unwrap_or(Err(Refused::NotOpen { request, now: RequestState::Unknown }));
        }
        let Some(open) = self.state.open.iter().find(|open| open.id == request) else {
            return Err(self.not_open(request));
        };
        // What a lead says comes through its mailbox, whatever this front end can show.
        let by_lead = self.answerer_of(&open.ask) == Answerer::Lead;
        if !by_lead && !self.front_ends.can(from, open.ask.kind()) {
            return Err(Refused::NotDeclared(open.ask.kind()));
        }
        if !fits(&open.ask, &answer) {
            return Err(Refused::DoesNotFit(request));
        }
        let by = self.front_ends.named(from);
        if let HostAnswer::Plan(answer) = answer {
            let lead = self.config.reviewer == Answerer::Lead;
            let who = if lead { Reviewer::Lead } else { Reviewer::Person };
            return self.answer_review(request, answer, (who, by)).await;
        }
        // Looked at before the answer's own changes are made: those do not void it.
        let fresh = self.is_fresh(request);
        if let HostAnswer::Allow { updates, .. } = &answer {
            self.permit(updates.clone()).await?;
        }
        let closed = self.close(request, Response::Answer { answer, fresh }, by).await;
        closed.map_err(|NotRecorded(message)| Refused::Journal(message))
    }

    /// How a request stands that is not open.
    pub(super) fn not_open(&self, request: RequestId) -> Refused {
        let closed = self.state.closed.iter().rev().find(|closed| closed.request == request);
        let now = closed.map_or(RequestState::Unknown, |closed| RequestState::Closed {
            by: closed.by.clone(),
            answer: Box::new(closed.answer.clone()),
        });
        Refused::NotOpen { request, now }
    }

    /// Whether mode and rules are still as they were when this was asked.
    pub(super) fn is_fresh(&self, question: RequestId) -> bool {
        self.waiting.iter().all(|it| it.question != question || it.revision == self.authority.revision)
    }

    pub(super) async fn close(
        &mut self,
        question: RequestId,
        response: Response,
        by: AnsweredBy,
    ) -> Result<(), NotRecorded> {
        let Response::Answer { answer, .. } = &response else { return Ok(()) };
        let running = |open: &HostRequest| open.id == question && matches!(open.ask, HostAsk::Running { .. });
        let running = self.state.open.iter().any(running);
        let answer = answer.clone();
        self.record(vec![Body::Reply(Replied { question, answer: answer.clone(), by })]).await?;
        if running {
            self.running_answered(&answer);
        }
        self.hand_over(question, response);
        Ok(())
    }

    /// Closes a question that no front end answered.
    pub(super) async fn close_unanswered(
        &mut self,
        question: RequestId,
        answer: HostAnswer,
    ) -> Result<(), NotRecorded> {
        self.close(question, Response::plain(answer), AnsweredBy::Session).await
    }

    /// Gives the answer to the turn that waits for it.
    pub(super) fn hand_over(&mut self, question: RequestId, response: Response) {
        if let Some(at) = self.waiting.iter().position(|waiting| waiting.question == question) {
            // The waiting may have been interrupted in this very moment; then the answer has no use.
            let _ = self.waiting.swap_remove(at).sender.send(response);
        }
    }

    /// Closes a question whose turn was interrupted, unless an answer came first: it is closed once.
    pub(super) async fn withdraw(&mut self, question: RequestId) -> Result<(), NotRecorded> {
        match self.state.open.iter().any(|open| open.id == question) {
            true => self.close_unanswered(question, HostAnswer::Interrupted).await,
            false => Ok(()),
        }
    }

    /// Who answers this.
    pub(super) fn answerer_of(&self, ask: &HostAsk) -> Answerer {
        let answerer = match ask {
            HostAsk::Review(_) | HostAsk::EnterPlan { .. } => self.config.reviewer,
            _ => self.config.answerer,
        };
        match answerer {
            Answerer::Person if self.is_unattended(ask) => Answerer::Nobody,
            answerer => answerer,
        }
    }

    /// Opens the question that a call of an agent's leads to, after the decision that led to it.
    pub(super) async fn ask_about(
        &mut self,
        agent: Option<AgentId>,
        asking: Asking,
    ) -> Result<Asked, NotRecorded> {
        let Asking { call, decided, subject, revision } = asking;
        self.record_for(agent.clone(), decided.map(Body::Decision).into_iter().collect()).await?;
        let waiting = WaitingCall { agent, call, revision };
        match subject {
            Subject::Plain(ask) => self.ask(waiting, ask).await,
            Subject::EnterPlan => self.ask_to_plan(waiting).await,
            Subject::Review(rehearsal) => self.ask_for_review(waiting, rehearsal).await,
        }
    }

    pub(super) async fn ask(&mut self, waiting: WaitingCall, ask: HostAsk) -> Result<Asked, NotRecorded> {
        let id = RequestId(self.config.ids.next());
        let (message, answerer) = (asked_for(&ask), self.answerer_of(&ask));
        let WaitingCall { agent, call, revision } = waiting;
        let question = HostRequest { id, call: Some(call), agent: agent.clone(), ask };
        self.record_for(agent, vec![Body::Question(Opened { question: question.clone() })]).await?;
        let (sender, receiver) = oneshot::channel();
        self.waiting.push(Waiting { question: id, revision, sender });
        match (answerer, &question.ask) {
            (Answerer::Person | Answerer::Lead, _) => {
                self.look_for_answerers();
                self.tell_hooks(HookNews::Waits(message));
            }
            (Answerer::Policy(policy), HostAsk::Review(review)) => self.by_policy(id, policy, review).await?,
            (Answerer::Policy(_) | Answerer::Nobody, _) => {
                self.close_unanswered(id, HostAnswer::Nobody).await?
            }
        }
        Ok((id, receiver))
    }
}

pub(super) fn asked_for(ask: &HostAsk) -> String {
    match ask {
        HostAsk::Permission { tool, .. } => format!("Forelook asks whether `{tool}` may run"),
        HostAsk::Choose { .. } => "Forelook has a question".to_owned(),
        HostAsk::EnterPlan { .. } => "Forelook would like to plan first".to_owned(),
        HostAsk::Review(_) => "A plan waits to be read".to_owned(),
        HostAsk::Running { .. } => "Something still runs while planning has begun".to_owned(),
        // No person is asked.
        _ => String::new(),
    }
}

/// Whether this is a kind of answer that the question can have. Only a person's words come this way, so
/// what the program itself says (`Nobody`, `Interrupted`) never fits.
fn fits(ask: &HostAsk, answer: &HostAnswer) -> bool {
    match (ask, answer) {
        (
            HostAsk::Permission { .. },
            HostAnswer::Allow { .. } | HostAnswer::Deny { .. } | HostAnswer::Dismissed,
        ) => true,
        (HostAsk::Choose { questions }, HostAnswer::Chosen { choices }) => {
            choices.len() == questions.len()
                && questions.iter().zip(choices).all(|(it, choice)| offered(it, choice))
        }
        // Words instead of an answer; a bare no is to put the questions away.
        (HostAsk::Choose { .. }, HostAnswer::Deny { message }) => message.is_some(),
        (HostAsk::EnterPlan { .. }, HostAnswer::Allow { updates, .. }) => updates.is_empty(),
        (HostAsk::EnterPlan { .. }, HostAnswer::Deny { .. }) => true,
        (HostAsk::Running { .. }, HostAnswer::Allow { updates, .. }) => updates.is_empty(),
        (HostAsk::Running { .. }, HostAnswer::Deny { .. } | HostAnswer::Dismissed) => true,
        // What only a policy says is no answer of a person's.
        (HostAsk::Review(_), HostAnswer::Plan(answer)) => *answer != PlanAnswer::HandOver,
        (HostAsk::Choose { .. } | HostAsk::EnterPlan { .. } | HostAsk::Review(_), HostAnswer::Dismissed) => {
            true
        }
        _ => false,
    }
}

/// Whether a choice is one that the question offers. Words are always possible; labels must be its own, or
/// the model would read as chosen what the person was never shown.
fn offered(question: &PersonQuestion, choice: &Choice) -> bool {
    let Choice::Options(labels) = choice else { return true };
    let known = |label: &String| question.options.iter().any(|option| option.label == *label);
    let twice = (1..labels.len()).any(|at| labels[..at].contains(&labels[at]));
    (labels.len() <= 1 || question.multi_select) && !twice && labels.iter().all(known)
}
