//! A review that the person opens themselves: of a plan that was parked, whose review was interrupted, or that is being made.
//!
//! No call waits for its answer. What the answer leads to is a turn of its own, which begins with the answer.

use std::sync::Arc;

use forelook_permissions::plan_gate;
use forelook_protocol::{
    CommandAccepted, CommandError, EntryBody, FrontEndId, HostAnswer, HostAsk, HostRequest, PlanAnswer,
    PlanReview, PlanState, Rehearsal, RequestId, ReviewDraft, ReviewDrafted,
};

use super::Session;
use super::questions::WaitingCall;
use crate::call::read_rehearsal;
use crate::handle::{CommandReply, RecordError, SessionMessage};

/// A review that opens as soon as it is known what was rehearsed.
pub(super) struct OpeningReview {
    /// The person's review whose place it takes. One that was answered meanwhile is not put up again.
    replaces: Option<RequestId>,
    /// The commands that wait until it is open.
    asked_by: Vec<CommandReply>,
}

impl Session {
    /// Answers a command. One that opens a review is answered when that is open: then whoever asked finds it.
    pub(super) fn reply_to_command(
        &mut self,
        accepted: Result<CommandAccepted, CommandError>,
        reply: CommandReply,
        opens_review: bool,
    ) {
        match &mut self.opening_review {
            Some(opening) if opens_review && accepted.is_ok() => opening.asked_by.push(reply),
            _ => _ = reply.send(accepted),
        }
    }

    /// Puts the session's plan up for review. If a review is open, that is the one.
    pub(super) async fn open_own_review(&mut self) -> Result<(), CommandError> {
        self.reap_turns().await;
        if self.open_review().is_some() || self.opening_review.is_some() {
            return Ok(());
        }
        self.check_reviewable().await?;
        self.put_up(None).await.map_err(|RecordError(message)| CommandError::Journal(message))
    }

    /// Refuses a review of the person's where there is nothing to review, or nobody who could.
    async fn check_reviewable(&mut self) -> Result<(), CommandError> {
        if !self.turns.is_empty() {
            return Err(CommandError::TurnRunning);
        }
        let journal = |RecordError(message)| CommandError::Journal(message);
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
        Ok(())
    }

    /// Opens the review of the plan as it is now, in the place of this one. What was rehearsed may take long to read, so
    /// that is done beside the session, which waits for no disk.
    async fn put_up(&mut self, replaces: Option<RequestId>) -> Result<(), RecordError> {
        if !self.may_have_rehearsed() {
            return self.open_in_place_of(replaces, None).await;
        }
        if self.opening_review.is_some() {
            return Ok(());
        }
        self.opening_review = Some(OpeningReview { replaces, asked_by: Vec::new() });
        let (runtime, messages) = (Arc::clone(&self.runtime), self.messages.clone());
        tokio::spawn(async move {
            let rehearsal = read_rehearsal(&runtime).await.map(Box::new);
            let Some(messages) = messages.upgrade() else { return };
            // A session that is over opens nothing any more.
            let _ = messages.send(SessionMessage::RehearsalRead(rehearsal)).await;
        });
        Ok(())
    }

    fn may_have_rehearsed(&self) -> bool {
        plan_gate::allows_rehearsal(&self.state.mode_state) && self.runtime.fences.may_have_overlay()
    }

    /// It is known what was rehearsed, so the review opens that waited for this. Unless somebody stopped it meanwhile.
    pub(super) async fn rehearsal_read(&mut self, rehearsal: Option<Box<Rehearsal>>) {
        let Some(OpeningReview { replaces, asked_by }) = self.opening_review.take() else { return };
        let opened = self.open_read(replaces, rehearsal).await;
        if let (Err(CommandError::Journal(why)), true) = (&opened, asked_by.is_empty()) {
            self.warn(&format!("The review could not be opened again: {why}"));
        }
        for reply in asked_by {
            // Nobody waits any more: that is no failure.
            let _ = reply.send(opened.clone().map(|()| CommandAccepted::Nothing));
        }
    }

    /// Opens what still is to be opened: the session did other things meanwhile.
    async fn open_read(
        &mut self,
        replaces: Option<RequestId>,
        rehearsal: Option<Box<Rehearsal>>,
    ) -> Result<(), CommandError> {
        let rehearsal = rehearsal.filter(|_| self.may_have_rehearsed());
        match replaces {
            _ if self.closing => return Err(CommandError::Closed),
            Some(question) if !self.is_own(question) => return Ok(()),
            None if self.open_review().is_some() => return Ok(()),
            Some(_) => {}
            None => {
                self.reap_turns().await;
                self.check_reviewable().await?;
            }
        }
        let opened = self.open_in_place_of(replaces, rehearsal).await;
        opened.map_err(|RecordError(message)| CommandError::Journal(message))
    }

    async fn open_in_place_of(
        &mut self,
        replaces: Option<RequestId>,
        rehearsal: Option<Box<Rehearsal>>,
    ) -> Result<(), RecordError> {
        if let Some(question) = replaces {
            self.close_unanswered(question, HostAnswer::Outdated).await?;
        }
        self.save_plan_revision().await?;
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
        self.put_up(Some(question)).await
    }

    /// Whether it is a review that the person opened.
    pub(super) fn is_own(&self, question: RequestId) -> bool {
        self.state.open.iter().any(|open| open.id == question && is_own_review(open))
    }

    /// Closes a review that the person opened, or does not open it any more: they wish to stop.
    pub(super) async fn close_own_review(&mut self) -> Result<(), RecordError> {
        for reply in self.opening_review.take().into_iter().flat_map(|opening| opening.asked_by) {
            let why = "The review was not opened: it was interrupted before".to_owned();
            let _ = reply.send(Err(CommandError::Plan(why)));
        }
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
