//! A review that the person opens themselves: of a plan that was parked, whose review was interrupted, or that is being made.
//!
//! No call waits for its answer. What the answer leads to is a turn of its own, which begins with the answer.

use forelook_permissions::plan_gate;
use forelook_protocol::{
    CommandError, EntryBody, FrontEndId, HostAnswer, HostAsk, HostRequest, PlanAnswer, PlanReview, PlanState,
    RequestId, ReviewDraft, ReviewDrafted,
};

use super::Session;
use super::questions::WaitingCall;
use crate::call::read_rehearsal;
use crate::handle::RecordError;

impl Session {
    /// Puts the session's plan up for review. If a review is open, that is the one.
    pub(super) async fn open_own_review(&mut self) -> Result<(), CommandError> {
        let journal = |RecordError(message)| CommandError::Journal(message);
        self.reap_turns().await;
        if self.open_review().is_some() {
            return Ok(());
        }
        if !self.turns.is_empty() {
            return Err(CommandError::TurnRunning);
        }
        self.refresh_conditions().await.map_err(journal)?;
        let slug = self.state.plan.named.as_ref().map(|named| named.slug.clone());
        let state = slug.map(|slug| self.config.planning.plans.metadata(&slug).state);
        if self.state.plan.finished && state == Some(PlanState::Abandoned) {
            return Err(CommandError::Plan(
                "The plan of this session was abandoned\nStart a new one with `/plan`, or see `/plan list`"
                    .to_owned(),
            ));
        }
        let review = self.review();
        if review.plan.is_none() {
            return Err(CommandError::Plan(match review.problem {
                Some(why) => format!("The plan cannot be read, so there is nothing to review\n{why}"),
                None => "There is no plan to review\nStart one with `/plan`, or see `/plan list`".to_owned(),
            }));
        }
        if !self.responder_for(&HostAsk::Review(Box::new(review))).waits() {
            return Err(CommandError::Plan("No one can review the plan here".to_owned()));
        }
        self.put_up().await.map_err(journal)
    }

    /// Opens the review of the plan as it is now.
    async fn put_up(&mut self) -> Result<(), RecordError> {
        self.save_plan_revision().await?;
        let tried = plan_gate::allows_rehearsal(&self.state.mode_state);
        let rehearsal = if tried { read_rehearsal(&self.runtime).await.map(Box::new) } else { None };
        let review = PlanReview { rehearsal, ..self.review() };
        let waiting = WaitingCall { agent: None, call: None, revision: self.permission_state.revision() };
        self.ask_person(waiting, HostAsk::Review(Box::new(review))).await
    }

    /// What a review shows is not what there is any more: it is closed. A waiting call asks again by itself; a review that
    /// the person opened is opened again here.
    pub(super) async fn put_up_again(&mut self, question: RequestId) -> Result<(), RecordError> {
        if !self.is_own(question) {
            return self.close_unanswered(question, HostAnswer::Outdated).await;
        }
        if self.review().plan.is_none() {
            return self.close_unanswered(question, HostAnswer::Dismissed).await;
        }
        self.close_unanswered(question, HostAnswer::Outdated).await?;
        self.put_up().await
    }

    /// Whether it is a review that the person opened.
    pub(super) fn is_own(&self, question: RequestId) -> bool {
        self.state.open.iter().any(|open| open.id == question && is_own_review(open))
    }

    /// Closes a review that the person opened: they wish to stop.
    pub(super) async fn close_own_review(&mut self) -> Result<(), RecordError> {
        let own = self.state.open.iter().find(|open| is_own_review(open)).map(|open| open.id);
        match own {
            Some(question) => self.close_unanswered(question, HostAnswer::Interrupted).await,
            None => Ok(()),
        }
    }

    /// Refuses an answer that leads to a turn while another one runs.
    pub(super) async fn check_no_turn(&mut self, answer: &PlanAnswer) -> Result<(), CommandError> {
        self.reap_turns().await;
        match answer.gives_work() && !self.turns.is_empty() {
            true => Err(CommandError::TurnRunning),
            false => Ok(()),
        }
    }

    /// Begins the turn that follows from a review, if one does.
    pub(super) async fn start_reviewed(&mut self) -> Result<(), RecordError> {
        if self.state.plan.pending_start.is_none() || !self.turns.is_empty() {
            return Ok(());
        }
        if let Some(input) = self.take_next_prompt().await? {
            self.start_turn(input);
        }
        Ok(())
    }

    /// Records what is written in a review and not sent yet.
    pub(super) async fn save_review_draft(
        &mut self,
        from: FrontEndId,
        question: RequestId,
        draft: ReviewDraft,
    ) -> Result<(), CommandError> {
        let Some(open) = self.state.open.iter().find(|open| open.id == question) else {
            return Err(self.not_open(question));
        };
        let kind = open.ask.kind();
        if !matches!(open.ask, HostAsk::Review(_)) {
            return Err(CommandError::DoesNotFit(question));
        }
        if !self.front_ends.can(from, kind) {
            return Err(CommandError::NotDeclared(kind));
        }
        let drafted = EntryBody::ReviewDrafted(ReviewDrafted { question, draft });
        self.record(vec![drafted]).await.map_err(|RecordError(message)| CommandError::Journal(message))
    }
}

/// Whether it is a review that no call waits for.
pub(super) fn is_own_review(request: &HostRequest) -> bool {
    request.call.is_none() && matches!(request.ask, HostAsk::Review(_))
}
