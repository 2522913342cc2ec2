//! Questions to the program that drives us: put as `can_use_tool` requests, answered once, taken back when something
//! else closes them.

use forelook_protocol::{Ask, Command, Question, QuestionId, Refused, SessionPort};
use serde_json::Value;

use super::Asks;
use super::out::Out;
use crate::wire::ask;

/// The questions that wait for the host.
pub(super) struct Host {
    asks: Asks,
    open: Vec<Question>,
}

impl Host {
    pub(super) fn new(asks: Asks) -> Self {
        Self { asks, open: Vec::new() }
    }

    /// Whether the host answers anything.
    pub(super) fn answers(&self) -> bool {
        self.asks != Asks::Nobody
    }

    /// The request for a question that was opened, if it is the host's to answer.
    pub(super) fn opened(&mut self, question: &Question) -> Option<Value> {
        let its = match self.asks {
            Asks::Nobody => false,
            Asks::Plans => matches!(question.ask, Ask::Review(_) | Ask::EnterPlan { .. }),
            Asks::AllButReviews => !matches!(question.ask, Ask::Review(_)),
            Asks::Everything => true,
        };
        if !its {
            return None;
        }
        self.open.push(question.clone());
        Some(ask::request(question))
    }

    /// The line that takes the request back, if the host had not answered when its question was closed.
    pub(super) fn closed(&mut self, question: QuestionId) -> Option<Value> {
        let at = self.open.iter().position(|open| open.id == question)?;
        self.open.remove(at);
        Some(ask::cancel(question))
    }

    /// Takes a response of the host's. Every question that it names is closed by this, with a yes or with a no.
    pub(super) async fn response(
        &mut self,
        out: &mut Out,
        session: &dyn SessionPort,
        id: &str,
        response: Result<Value, String>,
    ) {
        let Some(at) = self.open.iter().position(|open| open.id.to_string() == id) else {
            return out.warn(format!(
                "An answer came to request `{id}`, which is not open: it was answered or taken back before. It was passed over"
            ));
        };
        let question = self.open.remove(at);
        let said = ask::read(&question, response);
        if let Some(problem) = said.problem {
            out.warn(problem);
        }
        let answer = Command::Answer { question: question.id, answer: said.answer };
        if let Err(refused) = session.send(answer).await {
            out.warn(refused.to_string());
            no_instead(session, &question, &refused).await;
        }
        if said.interrupt
            && let Err(refused) = session.send(Command::Interrupt).await
        {
            out.warn(refused.to_string());
        }
    }
}

/// The host believes that it has answered; a question that its answer did not close must not wait forever.
async fn no_instead(session: &dyn SessionPort, question: &Question, refused: &Refused) {
    match refused {
        // Closed already; where the plan has changed, the session asks anew by itself.
        Refused::NotOpen(_) | Refused::PlanChanged | Refused::Closed => {}
        _ => {
            let answer = ask::no(&question.ask, Some(refused.to_string()));
            // If this is refused too, the session is ending or cannot write; it says so itself.
            let _ = session.send(Command::Answer { question: question.id, answer }).await;
        }
    }
}
