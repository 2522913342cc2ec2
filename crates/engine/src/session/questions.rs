//! Questions: asked, answered once, withdrawn.

use forelook_protocol::{
    AgentId, Answer, Ask, Body, CallId, Choice, Opened, PersonQuestion, PlanAnswer, Question, QuestionId,
    Refused, Replied, Reviewer,
};
use tokio::sync::oneshot;

use super::permissions::HookNews;
use super::{Asked, Session, Waiting};
use crate::config::Answerer;
use crate::handle::{Given, NotRecorded};

/// Who asks, and under which state of the permissions.
pub(super) struct Asking {
    pub(super) agent: Option<AgentId>,
    pub(super) call: CallId,
    pub(super) revision: u64,
}

impl Session {
    pub(super) async fn answer(&mut self, question: QuestionId, answer: Answer) -> Result<(), Refused> {
        let open =
            self.state.open.iter().find(|open| open.id == question).ok_or(Refused::NotOpen(question))?;
        if !fits(&open.ask, &answer) {
            return Err(Refused::DoesNotFit(question));
        }
        if let Answer::Plan(answer) = answer {
            let by = if self.config.reviewer == Answerer::Lead { Reviewer::Lead } else { Reviewer::Person };
            return self.answer_review(question, answer, by).await;
        }
        // Looked at before the answer's own changes are made: those do not void it.
        let fresh = self.is_fresh(question);
        if let Answer::Allow { updates } = &answer {
            self.permit(updates.clone()).await?;
        }
        let closed = self.close(question, Given { answer, fresh, reviewed: None }).await;
        closed.map_err(|NotRecorded(message)| Refused::Journal(message))
    }

    /// Whether mode and rules are still as they were when this was asked.
    pub(super) fn is_fresh(&self, question: QuestionId) -> bool {
        self.waiting.iter().all(|it| it.question != question || it.revision == self.authority.revision)
    }

    pub(super) async fn close(&mut self, question: QuestionId, given: Given) -> Result<(), NotRecorded> {
        let running = |open: &Question| open.id == question && matches!(open.ask, Ask::Running { .. });
        let running = self.state.open.iter().any(running);
        self.record(vec![Body::Reply(Replied { question, answer: given.answer.clone() })]).await?;
        if running {
            self.running_answered(&given.answer);
        }
        self.hand_over(question, given);
        Ok(())
    }

    /// Gives the answer to the turn that waits for it.
    pub(super) fn hand_over(&mut self, question: QuestionId, given: Given) {
        if let Some(at) = self.waiting.iter().position(|waiting| waiting.question == question) {
            // The asker may have been interrupted in this very moment; then the answer has no use.
            let _ = self.waiting.swap_remove(at).sender.send(given);
        }
    }

    /// Closes a question whose turn was interrupted, unless an answer came first: it is closed once.
    pub(super) async fn withdraw(&mut self, question: QuestionId) -> Result<(), NotRecorded> {
        match self.state.open.iter().any(|open| open.id == question) {
            true => self.close(question, Given::plain(Answer::Interrupted)).await,
            false => Ok(()),
        }
    }

    /// The front end is gone: a person who is not there answers nothing, and never with a yes.
    pub(super) async fn unattended(&mut self) -> Result<(), NotRecorded> {
        for answerer in [&mut self.config.answerer, &mut self.config.reviewer] {
            if *answerer == Answerer::Person {
                *answerer = Answerer::Nobody;
            }
        }
        let open: Vec<QuestionId> = self
            .state
            .open
            .iter()
            .filter(|question| !self.answerer_of(&question.ask).waits())
            .map(|question| question.id)
            .collect();
        for question in open {
            self.close(question, Given::plain(Answer::Nobody)).await?;
        }
        Ok(())
    }

    /// Who answers this.
    pub(super) fn answerer_of(&self, ask: &Ask) -> Answerer {
        match ask {
            Ask::Review(_) | Ask::EnterPlan { .. } => self.config.reviewer,
            Ask::Permission { .. } | Ask::Choose { .. } | Ask::Running { .. } => self.config.answerer,
        }
    }

    pub(super) async fn ask(&mut self, asking: Asking, ask: Ask) -> Result<Asked, NotRecorded> {
        let id = QuestionId(self.config.ids.next());
        let (message, answerer) = (asked_for(&ask), self.answerer_of(&ask));
        let Asking { agent, call, revision } = asking;
        let question = Question { id, call, agent: agent.clone(), ask };
        self.record_for(agent, vec![Body::Question(Opened { question: question.clone() })]).await?;
        let (sender, receiver) = oneshot::channel();
        self.waiting.push(Waiting { question: id, revision, sender });
        match (answerer, &question.ask) {
            (Answerer::Person | Answerer::Lead, _) => self.tell_hooks(HookNews::Waits(message)),
            (Answerer::Policy(policy), Ask::Review(review)) => self.by_policy(id, policy, review).await?,
            (Answerer::Policy(_) | Answerer::Nobody, _) => {
                self.close(id, Given::plain(Answer::Nobody)).await?
            }
        }
        Ok((id, receiver))
    }
}

pub(super) fn asked_for(ask: &Ask) -> String {
    match ask {
        Ask::Permission { tool, .. } => format!("Forelook asks whether `{tool}` may run"),
        Ask::Choose { .. } => "Forelook has a question".to_owned(),
        Ask::EnterPlan { .. } => "Forelook would like to plan first".to_owned(),
        Ask::Review(_) => "A plan waits to be read".to_owned(),
        Ask::Running { .. } => "Something still runs while planning has begun".to_owned(),
    }
}

/// Whether this is a kind of answer that the question can have. Only a person's words come this way, so
/// what the program itself says (`Nobody`, `Interrupted`) never fits.
fn fits(ask: &Ask, answer: &Answer) -> bool {
    match (ask, answer) {
        (Ask::Permission { .. }, Answer::Allow { .. } | Answer::Deny { .. } | Answer::Dismissed) => true,
        (Ask::Choose { questions }, Answer::Chosen { choices }) => {
            choices.len() == questions.len()
                && questions.iter().zip(choices).all(|(it, choice)| offered(it, choice))
        }
        // Words instead of an answer; a bare no is to put the questions away.
        (Ask::Choose { .. }, Answer::Deny { message }) => message.is_some(),
        (Ask::EnterPlan { .. }, Answer::Allow { updates }) => updates.is_empty(),
        (Ask::EnterPlan { .. }, Answer::Deny { .. }) => true,
        (Ask::Running { .. }, Answer::Allow { updates }) => updates.is_empty(),
        (Ask::Running { .. }, Answer::Deny { .. } | Answer::Dismissed) => true,
        // What only a policy says is no answer of a person's.
        (Ask::Review(_), Answer::Plan(answer)) => *answer != PlanAnswer::HandOver,
        (Ask::Choose { .. } | Ask::EnterPlan { .. } | Ask::Review(_), Answer::Dismissed) => true,
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
