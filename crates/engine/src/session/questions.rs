//! Questions: asked, answered once, withdrawn.

use forelook_protocol::{
    Answer, Ask, Body, CallId, Choice, Opened, PersonQuestion, Question, QuestionId, Refused, Replied,
};
use tokio::sync::oneshot;

use super::permissions::HookNews;
use super::{Asked, Session, Waiting};
use crate::config::Answerer;
use crate::handle::{Given, NotRecorded};

impl Session {
    pub(super) async fn answer(&mut self, question: QuestionId, answer: Answer) -> Result<(), Refused> {
        let open =
            self.state.open.iter().find(|open| open.id == question).ok_or(Refused::NotOpen(question))?;
        if !fits(&open.ask, &answer) {
            return Err(Refused::DoesNotFit(question));
        }
        // Looked at before the answer's own changes are made: those do not void it.
        let fresh =
            self.waiting.iter().all(|it| it.question != question || it.revision == self.authority.revision);
        if let Answer::Allow { updates } = &answer {
            self.permit(updates.clone()).await?;
        }
        let closed = self.close(question, Given { answer, fresh }).await;
        closed.map_err(|NotRecorded(message)| Refused::Journal(message))
    }

    pub(super) async fn close(&mut self, question: QuestionId, given: Given) -> Result<(), NotRecorded> {
        self.record(vec![Body::Reply(Replied { question, answer: given.answer.clone() })]).await?;
        if let Some(at) = self.waiting.iter().position(|waiting| waiting.question == question) {
            // The asker may have been interrupted in this very moment; then the answer has no use.
            let _ = self.waiting.swap_remove(at).sender.send(given);
        }
        Ok(())
    }

    /// Closes a question whose turn was interrupted, unless an answer came first: it is closed once.
    pub(super) async fn withdraw(&mut self, question: QuestionId) -> Result<(), NotRecorded> {
        match self.state.open.iter().any(|open| open.id == question) {
            true => self.close(question, Given { answer: Answer::Interrupted, fresh: true }).await,
            false => Ok(()),
        }
    }

    pub(super) async fn unattended(&mut self) -> Result<(), NotRecorded> {
        self.config.answerer = Answerer::Nobody;
        let open: Vec<QuestionId> = self.state.open.iter().map(|question| question.id).collect();
        for question in open {
            self.close(question, Given { answer: Answer::Nobody, fresh: true }).await?;
        }
        Ok(())
    }

    pub(super) async fn ask(&mut self, call: CallId, ask: Ask, revision: u64) -> Result<Asked, NotRecorded> {
        let id = QuestionId(self.config.ids.next());
        let message = asked_for(&ask);
        self.record(vec![Body::Question(Opened { question: Question { id, call, ask } })]).await?;
        if self.config.answerer == Answerer::Person {
            self.tell_hooks(HookNews::Waits(message));
        }
        let (sender, receiver) = oneshot::channel();
        self.waiting.push(Waiting { question: id, revision, sender });
        if self.config.answerer == Answerer::Nobody {
            self.close(id, Given { answer: Answer::Nobody, fresh: true }).await?;
        }
        Ok((id, receiver))
    }
}

fn asked_for(ask: &Ask) -> String {
    match ask {
        Ask::Permission { tool, .. } => format!("Forelook asks whether `{tool}` may run"),
        Ask::Choose { .. } => "Forelook has a question".to_owned(),
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
        (Ask::Choose { .. }, Answer::Dismissed) => true,
        _ => false,
    }
}

/// Whether a choice is one that the question offers. Words are always possible; labels must be its own, or
/// the model would read as chosen what the person was never shown.
fn offered(question: &PersonQuestion, choice: &Choice) -> bool {
    let Choice::Options(labels) = choice else { return true };
    let known = |label: &String| question.options.iter().any(|option| option.label == *label);
    (labels.len() <= 1 || question.multi_select) && labels.iter().all(known)
}
