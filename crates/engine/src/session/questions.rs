//! Questions: asked, answered once, withdrawn.

use forelook_protocol::{
    AgentId, AnsweredBy, CallId, CommandError, EntryBody, FrontEndId, HostAnswer, HostAsk, HostRequest,
    PersonQuestion, PlanAnswer, QuestionAnswer, QuestionClosed, QuestionOpened, RequestId, RequestState,
    Reviewer,
};
use forelook_tools::is_too_deep;
use tokio::sync::oneshot;

use super::Session;
use super::permissions::HookNotification;
use crate::config::Responder;
use crate::handle::{PendingQuestion, QuestionRequest, QuestionResponse, QuestionSubject, RecordError};

/// A turn that waits for an answer.
pub(super) struct QuestionWaiter {
    pub(super) question: RequestId,
    /// The state of the permissions that the question was asked under.
    pub(super) revision: u64,
    pub(super) sender: oneshot::Sender<QuestionResponse>,
}

/// A call that asks, and under which state of the permissions.
pub(super) struct WaitingCall {
    pub(super) agent: Option<AgentId>,
    /// Nothing where the person asked for the question themselves.
    pub(super) call: Option<CallId>,
    pub(super) revision: u64,
}

impl Session {
    /// Takes the first answer to a request; a later one is told how the request stands.
    pub(super) async fn answer(
        &mut self,
        from: FrontEndId,
        request: RequestId,
        answer: HostAnswer,
    ) -> Result<(), CommandError> {
        if self.host_requests.open().any(|open| open.id == request) {
            let answered = self.host_answered(from, request, answer);
            return answered.unwrap_or(Err(CommandError::NotOpen { request, now: RequestState::Unknown }));
        }
        let Some(open) = self.state.open.iter().find(|open| open.id == request) else {
            return Err(self.not_open(request));
        };
        // What a lead says comes through its mailbox, whatever this front end can show.
        let by_lead = self.responder_for(&open.ask) == Responder::Lead;
        if !by_lead && !self.front_ends.can(from, open.ask.kind()) {
            return Err(CommandError::NotDeclared(open.ask.kind()));
        }
        if !fits(&open.ask, &answer) {
            return Err(CommandError::DoesNotFit(request));
        }
        let by = self.front_ends.answered_by(from);
        if let HostAnswer::Plan(answer) = answer {
            let lead = self.config.reviewer == Responder::Lead;
            let who = if lead { Reviewer::Lead } else { Reviewer::Person };
            return self.answer_review(request, answer, (who, by)).await;
        }
        // Looked at before the answer's own changes are made: those do not void it.
        let fresh = self.is_fresh(request);
        if let HostAnswer::Allow { updates, .. } = &answer {
            self.apply_updates(updates.clone()).await?;
        }
        let closed = self.close(request, QuestionResponse::Answer { answer, fresh }, by).await;
        closed.map_err(|RecordError(message)| CommandError::Journal(message))
    }

    /// How a request stands that is not open.
    pub(super) fn not_open(&self, request: RequestId) -> CommandError {
        let closed = self.state.closed.iter().rev().find(|closed| closed.request == request);
        let now = closed.map_or(RequestState::Unknown, |closed| RequestState::Closed {
            by: closed.by.clone(),
            answer: Box::new(closed.answer.clone()),
        });
        CommandError::NotOpen { request, now }
    }

    /// Whether mode and rules are still as they were when this was asked.
    pub(super) fn is_fresh(&self, question: RequestId) -> bool {
        self.waiters
            .iter()
            .all(|it| it.question != question || it.revision == self.permission_state.revision())
    }

    pub(super) async fn close(
        &mut self,
        question: RequestId,
        response: QuestionResponse,
        by: AnsweredBy,
    ) -> Result<(), RecordError> {
        let QuestionResponse::Answer { answer, .. } = &response else { return Ok(()) };
        let running = |open: &HostRequest| open.id == question && matches!(open.ask, HostAsk::Running { .. });
        let running = self.state.open.iter().any(running);
        let answer = answer.clone();
        self.record(vec![EntryBody::QuestionClosed(QuestionClosed { question, answer: answer.clone(), by })])
            .await?;
        if running {
            self.running_answered(&answer);
        }
        self.deliver(question, response);
        Ok(())
    }

    /// Closes a question that no front end answered.
    pub(super) async fn close_unanswered(
        &mut self,
        question: RequestId,
        answer: HostAnswer,
    ) -> Result<(), RecordError> {
        self.close(question, QuestionResponse::plain(answer), AnsweredBy::Session).await
    }

    /// Gives the answer to the turn that waits for it.
    pub(super) fn deliver(&mut self, question: RequestId, response: QuestionResponse) {
        if let Some(at) = self.waiters.iter().position(|waiting| waiting.question == question) {
            // The waiting may have been interrupted in this very moment; then the answer has no use.
            let _ = self.waiters.swap_remove(at).sender.send(response);
        }
    }

    /// Closes a question whose turn was interrupted, or that is none any more, unless an answer came first: it is closed
    /// once.
    pub(super) async fn withdraw(
        &mut self,
        question: RequestId,
        answer: HostAnswer,
    ) -> Result<(), RecordError> {
        match self.state.open.iter().any(|open| open.id == question) {
            true => self.close_unanswered(question, answer).await,
            false => Ok(()),
        }
    }

    /// Who answers this.
    pub(super) fn responder_for(&self, ask: &HostAsk) -> Responder {
        let responder = match ask {
            HostAsk::Review(_) | HostAsk::EnterPlan { .. } => self.config.reviewer,
            _ => self.config.responder,
        };
        match responder {
            Responder::Person if self.is_unattended(ask) => Responder::Nobody,
            responder => responder,
        }
    }

    /// Opens the question that a call of an agent's leads to, after the decision that led to it.
    pub(super) async fn ask_about(
        &mut self,
        agent: Option<AgentId>,
        question: QuestionRequest,
    ) -> Result<PendingQuestion, RecordError> {
        let QuestionRequest { call, decided, subject, revision } = question;
        self.record_for(agent.clone(), decided.map(EntryBody::PermissionDecided).into_iter().collect())
            .await?;
        let waiting = WaitingCall { agent, call: Some(call), revision };
        match subject {
            QuestionSubject::Plain(ask) => self.ask(waiting, ask).await,
            QuestionSubject::EnterPlan => self.ask_enter_plan(waiting).await,
            QuestionSubject::Review(rehearsal) => self.ask_for_review(waiting, rehearsal).await,
        }
    }

    pub(super) async fn ask(
        &mut self,
        waiting: WaitingCall,
        ask: HostAsk,
    ) -> Result<PendingQuestion, RecordError> {
        let (question, receiver) = self.write_question(waiting, ask).await?;
        let id = question.id;
        match (self.responder_for(&question.ask), &question.ask) {
            (Responder::Person | Responder::Lead, _) => self.wait_for_answer(&question.ask),
            (Responder::Policy(policy), HostAsk::Review(review)) => {
                self.answer_by_policy(id, policy, review).await?
            }
            (Responder::Policy(_) | Responder::Nobody, _) => {
                self.close_unanswered(id, HostAnswer::Nobody).await?
            }
        }
        Ok((id, receiver))
    }

    /// Opens a question that the person themselves wished for: no policy answers it.
    pub(super) async fn ask_person(&mut self, waiting: WaitingCall, ask: HostAsk) -> Result<(), RecordError> {
        // Nobody waits for the answer: it is in the journal, and what follows from it begins there.
        let (question, _) = self.write_question(waiting, ask).await?;
        match self.responder_for(&question.ask).waits() {
            true => self.wait_for_answer(&question.ask),
            false => self.close_unanswered(question.id, HostAnswer::Nobody).await?,
        }
        Ok(())
    }

    fn wait_for_answer(&mut self, ask: &HostAsk) {
        self.update_wait_deadline();
        self.notify_hooks(HookNotification::Waiting(notification_text(ask)));
    }

    /// Writes down that a question is open; where the answer will arrive.
    async fn write_question(
        &mut self,
        waiting: WaitingCall,
        ask: HostAsk,
    ) -> Result<(HostRequest, oneshot::Receiver<QuestionResponse>), RecordError> {
        let id = RequestId(self.config.ids.next());
        let WaitingCall { agent, call, revision } = waiting;
        let question = HostRequest { id, call, agent: agent.clone(), ask };
        self.record_for(
            agent,
            vec![EntryBody::QuestionOpened(QuestionOpened { question: question.clone() })],
        )
        .await?;
        let (sender, receiver) = oneshot::channel();
        self.waiters.push(QuestionWaiter { question: id, revision, sender });
        Ok((question, receiver))
    }
}

pub(super) fn notification_text(ask: &HostAsk) -> String {
    match ask {
        HostAsk::Permission { tool, .. } => format!("Forelook wants to run `{tool}`"),
        HostAsk::Choose { .. } => "Forelook has a question".to_owned(),
        HostAsk::EnterPlan { .. } => "Forelook wants to plan first".to_owned(),
        HostAsk::Review(_) => "A plan is waiting for review".to_owned(),
        HostAsk::Running { .. } => "Commands are still running as planning starts".to_owned(),
        // No person is asked.
        _ => String::new(),
    }
}

/// Whether this is a kind of answer that the question can have. Only a person's words come this way, so
/// what the program itself says (`Nobody`, `Interrupted`) never fits.
fn fits(ask: &HostAsk, answer: &HostAnswer) -> bool {
    match (ask, answer) {
        // It is recorded with the answer, and an entry with it could not be loaded again.
        (_, HostAnswer::Allow { input: Some(input), .. }) if is_too_deep(input) => false,
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
fn offered(question: &PersonQuestion, choice: &QuestionAnswer) -> bool {
    let QuestionAnswer::Options(labels) = choice else { return true };
    let known = |label: &String| question.options.iter().any(|option| option.label == *label);
    let twice = (1..labels.len()).any(|at| labels[..at].contains(&labels[at]));
    (labels.len() <= 1 || question.multi_select) && !twice && labels.iter().all(known)
}
