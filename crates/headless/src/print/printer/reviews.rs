//! Reviews that a prompt opened: its result is what becomes of them.

use forelook_protocol::{
    EndReason, HostAnswer, HostAsk, HostRequest, PlanAnswer, PlanReviewed, QuestionClosed,
};

use super::Printer;
use crate::print::out::OutputClosed;

impl Printer {
    pub(super) fn review_opened(&mut self, request: &HostRequest) {
        if let HostAsk::Review(_) = request.ask {
            self.review = Some((request.id, request.call.is_none()));
        }
    }

    /// A review was answered. What it leads to is the next turn, or the one that waited for it.
    pub(super) fn reviewed(&mut self, reviewed: &PlanReviewed) -> Result<(), OutputClosed> {
        if reviewed.question.is_none() {
            return Ok(());
        }
        self.review = None;
        match &reviewed.answer {
            _ if reviewed.call.is_some() => self.review_of_turn(),
            answer if answer.gives_work() => {
                self.owed.review_begins();
                Ok(())
            }
            PlanAnswer::Abandon => self.review_over(EndReason::Abandoned, ""),
            _ => self.review_over(EndReason::Parked, ""),
        }
    }

    /// A review was closed without an answer. One that is outdated is put up again.
    pub(super) fn review_closed(&mut self, closed: &QuestionClosed) -> Result<(), OutputClosed> {
        let review =
            self.review.filter(|(id, _)| *id == closed.question && closed.answer != HostAnswer::Outdated);
        let Some((_, own)) = review else { return Ok(()) };
        self.review = None;
        match &closed.answer {
            _ if !own => self.review_of_turn(),
            HostAnswer::Interrupted => self.review_over(EndReason::Interrupted, ""),
            HostAnswer::Nobody => {
                let message = "No one is available to review the plan".to_owned();
                self.review_over(EndReason::Internal { message }, "")
            }
            _ => self.review_over(EndReason::Done, "The review was closed without an answer"),
        }
    }

    fn review_of_turn(&mut self) -> Result<(), OutputClosed> {
        self.turn.into_iter().for_each(|turn| self.owed.review_joins(turn));
        Ok(())
    }

    fn review_over(&mut self, reason: EndReason, words: &str) -> Result<(), OutputClosed> {
        self.owed.review_over(&(reason, words.to_owned()));
        self.flush_ready()
    }
}
