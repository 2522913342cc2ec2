//! The plan of a session: its name, its revisions, and its review.

use forelook_permissions::{ModeTrigger, transition};
use forelook_plan::{
    PlanError, PlanMetadata, PlanSource, RehearsalOutcome, ReviewOptions, approval_modes, build_review,
    fresh_start, is_slug,
};
use forelook_protocol::{
    AnsweredBy, Approval, CommandError, EntryBody, FileSnapshot, HostAnswer, HostAsk, LiveEvent, Notice,
    NoticeLevel, Origin, PLAN_KEY, PlanAnswer, PlanNamed, PlanReview, PlanReviewed, PlanState,
    PromptAccepted, Rehearsal, RequestId, Reviewer, UserBlock,
};

use super::Session;
use super::permissions::HookNotification;
use super::questions::WaitingCall;
use crate::config::{PlanPolicy, SessionStart};
use crate::handle::{PendingQuestion, QuestionResponse, RecordError, ReviewAnswer};

impl Session {
    /// Gives the plan a name, if it has none or the one before is done with.
    async fn name_plan(&mut self) -> Result<(), RecordError> {
        let named = self.next_plan_name();
        self.record(named.into_iter().collect()).await
    }

    /// The name that the plan gets, if it has none or the one before is done with. Still to be written down.
    pub(super) fn next_plan_name(&mut self) -> Option<EntryBody> {
        if self.state.plan.named.is_some() && !self.state.plan.finished {
            return None;
        }
        let slug = self.config.planning.plans.fresh_slug(&*self.config.ids);
        Some(self.plan_named_entry(slug))
    }

    fn plan_named_entry(&mut self, slug: String) -> EntryBody {
        let plans = &self.config.planning.plans;
        let path = plans.path_of(&slug);
        // The fence stands whether or not the plan can be written; that is said, and can be mended meanwhile.
        if let Err(error) = plans.ensure_folder() {
            self.warn(&format!("The plan cannot be written: {error}"));
        }
        EntryBody::PlanNamed(PlanNamed { slug, path })
    }

    async fn assign_name(&mut self, slug: String) -> Result<(), RecordError> {
        let named = self.plan_named_entry(slug);
        self.record(vec![named]).await
    }

    /// After loading: a fork gets a plan of its own, and one that was lost comes back.
    pub(super) async fn restore_plan(
        &mut self,
        found: Option<(PlanSource, String)>,
    ) -> Result<(), RecordError> {
        let Some(PlanNamed { slug, path }) = self.state.plan.named.clone() else { return Ok(()) };
        let plans = self.config.planning.plans.clone();
        if !is_slug(&slug) {
            // Nobody but us writes names, so this journal was tampered with; its file is not touched.
            return self.assign_name(plans.fresh_slug(&*self.config.ids)).await;
        }
        let here = plans.path_of(&slug);
        if let SessionStart::Fork(_) = self.config.start {
            let own = plans.fresh_slug(&*self.config.ids);
            self.assign_name(own.clone()).await?;
            if let Err(error) = plans.copy(&slug, &own) {
                self.warn(&format!("The plan `{path}` could not be copied for this session: {error}"));
            }
        } else if here != path {
            // The folder of plans is another one now.
            self.assign_name(slug.clone()).await?;
        }
        let path = self.plan_path().unwrap_or(here);
        if let (false, Some((origin, text))) = (plans.exists(&path), found) {
            match plans.write(&path, &text) {
                Ok(()) => self.notify(&format!(
                    "The plan file was missing; `{path}` was restored from {}",
                    origin.name()
                )),
                Err(error) => {
                    self.warn(&format!("The plan file is missing and could not be written: {error}"))
                }
            }
        }
        self.save_plan_revision().await
    }

    pub(super) fn plan_path(&self) -> Option<forelook_protocol::AbsPath> {
        self.state.plan.named.as_ref().map(|named| named.path.clone())
    }

    /// Keeps the plan as it stands in its file, if that is something new.
    pub(super) async fn save_plan_revision(&mut self) -> Result<(), RecordError> {
        let Some(PlanNamed { slug, path }) = self.state.plan.named.clone() else { return Ok(()) };
        let plans = self.config.planning.plans.clone();
        let known = self.state.plan.snapshot.as_ref().map(|kept| kept.text.clone());
        let (now, metadata) = (self.config.clock.now(), self.plan_metadata());
        // Beside the session's own thread: it waits for the disk.
        let kept = tokio::task::spawn_blocking(move || -> Result<Option<(String, u32)>, PlanError> {
            let Some(text) = plans.read(&path).filter(|text| known.as_ref() != Some(text)) else {
                return Ok(None);
            };
            let number = plans.save_revision(&slug, &text, now)?;
            plans.write_metadata(&slug, &metadata)?;
            Ok(Some((text, number)))
        });
        match kept.await {
            Ok(Ok(None)) => Ok(()),
            Ok(Ok(Some((text, number)))) => self.snapshot_plan(text, Some(number)).await,
            Ok(Err(error)) => {
                self.warn(&format!("This revision of the plan could not be saved: {error}"));
                Ok(())
            }
            Err(crash) => {
                self.warn(&format!("This revision of the plan could not be saved: {crash}"));
                Ok(())
            }
        }
    }

    /// The person's editor has closed: what is under review is put to them again, if it is not what they have now.
    pub(super) async fn plan_edited(&mut self) -> Result<(), RecordError> {
        self.save_plan_revision().await?;
        let now = self.review().hash;
        match self.open_review() {
            Some((question, shown)) if shown.hash != now => {
                self.close_unanswered(question, HostAnswer::Outdated).await
            }
            _ => Ok(()),
        }
    }

    /// Closes the review when planning ends without an answer to it: there is nothing left to approve. The waiting call is
    /// decided again, and the model learns that planning is over.
    pub(super) async fn withdraw_review(&mut self) -> Result<(), RecordError> {
        match self.open_review() {
            Some((question, _)) => self.close_unanswered(question, HostAnswer::Outdated).await,
            None => Ok(()),
        }
    }

    fn open_review(&self) -> Option<(RequestId, &PlanReview)> {
        self.state.open.iter().find_map(|open| match &open.ask {
            HostAsk::Review(shown) => Some((open.id, &**shown)),
            _ => None,
        })
    }

    async fn snapshot_plan(&mut self, text: String, revision: Option<u32>) -> Result<(), RecordError> {
        let Some(path) = self.plan_path() else { return Ok(()) };
        let snapshot = FileSnapshot { key: PLAN_KEY.to_owned(), path, text, revision };
        self.record(vec![EntryBody::FileSnapshot(snapshot)]).await
    }

    fn plan_metadata(&self) -> PlanMetadata {
        PlanMetadata {
            project: Some(self.state.folder.clone()),
            session: Some(self.state.session),
            state: PlanState::Draft,
        }
    }

    /// Plan mode begins because the model asked and the person agreed.
    pub(super) async fn enter_plan(&mut self) -> Result<Result<(), String>, RecordError> {
        Ok(self.change_mode(ModeTrigger::ENTER_PLAN).await?.map_err(|not| not.to_string()))
    }

    pub(super) async fn ask_enter_plan(
        &mut self,
        waiting: WaitingCall,
    ) -> Result<PendingQuestion, RecordError> {
        self.name_plan().await?;
        let path = self.plan_path().unwrap_or_else(|| self.config.planning.plans.folder().clone());
        self.ask(waiting, HostAsk::EnterPlan { path }).await
    }

    pub(super) async fn ask_for_review(
        &mut self,
        waiting: WaitingCall,
        rehearsal: Option<Box<Rehearsal>>,
    ) -> Result<PendingQuestion, RecordError> {
        self.name_plan().await?;
        self.save_plan_revision().await?;
        let review = PlanReview { rehearsal, ..self.review() };
        self.ask(waiting, HostAsk::Review(Box::new(review))).await
    }

    /// The plan as it is now, for a reviewer.
    fn review(&self) -> PlanReview {
        let plans = &self.config.planning.plans;
        let path = self.plan_path().unwrap_or_else(|| plans.folder().clone());
        let conditions = self.permission_state.conditions();
        let options = ReviewOptions {
            before: self.state.mode_state.pre_plan_mode().unwrap_or_default(),
            modes: approval_modes(&conditions.gate, &conditions.bypass),
            from: None,
            rehearsal: None,
        };
        build_review(path.clone(), plans.read(&path), self.state.plan.reviewed.as_deref(), options)
    }

    /// What was said beforehand should be done with plans.
    pub(super) async fn answer_by_policy(
        &mut self,
        question: RequestId,
        policy: PlanPolicy,
        review: &PlanReview,
    ) -> Result<(), RecordError> {
        let answer = match policy {
            PlanPolicy::Exit => PlanAnswer::HandOver,
            PlanPolicy::Approve => {
                PlanAnswer::Approve(Approval { hash: review.hash.clone(), ..Approval::default() })
            }
        };
        match self.answer_review(question, answer, (Reviewer::Policy, AnsweredBy::Policy)).await {
            Ok(()) | Err(CommandError::PlanChanged { .. } | CommandError::StateChanged) => Ok(()),
            Err(CommandError::Journal(message)) => Err(RecordError(message)),
            Err(refused) => {
                self.warn(&refused.to_string());
                self.close_unanswered(question, HostAnswer::Nobody).await
            }
        }
    }

    /// Takes the answer to a review, if it is one to what was shown and to the mode it was shown in.
    pub(super) async fn answer_review(
        &mut self,
        question: RequestId,
        answer: PlanAnswer,
        (by, through): (Reviewer, AnsweredBy),
    ) -> Result<(), CommandError> {
        let journal = |RecordError(message)| CommandError::Journal(message);
        let open = self.state.open.iter().find(|open| open.id == question).cloned();
        let Some((call, HostAsk::Review(shown))) = open.map(|open| (open.call, open.ask)) else {
            return Err(self.not_open(question));
        };
        let plans = self.config.planning.plans.clone();
        let now = self.review();
        let changed = now.hash != shown.hash;
        if !self.is_fresh(question) || (changed && matches!(answer, PlanAnswer::Approve(_))) {
            self.close_unanswered(question, HostAnswer::Outdated).await.map_err(journal)?;
            return Err(match changed {
                true => CommandError::PlanChanged { now: Box::new(now) },
                false => CommandError::StateChanged,
            });
        }
        let mut plan = shown.plan.clone();
        if let PlanAnswer::Approve(approval) = &answer {
            let rehearsed = shown.rehearsal.as_ref().map(|rehearsal| &rehearsal.hash);
            if approval.hash != shown.hash || !approval.apply.iter().all(|hash| Some(hash) == rehearsed) {
                return Err(CommandError::DoesNotFit(question));
            }
            if let Some(mode) =
                approval.mode.filter(|mode| !shown.modes.contains(mode) && *mode != shown.before)
            {
                return Err(CommandError::Mode(format!(
                    "Mode `{mode}` is not available now; choose another"
                )));
            }
            if let Some(edited) = approval.edited.as_ref().filter(|text| Some(*text) != plan.as_ref()) {
                // Written before anything is approved: if that fails nothing is.
                let is_shown = |found: Option<Vec<u8>>| {
                    let found = found.and_then(|bytes| String::from_utf8(bytes).ok());
                    match forelook_plan::non_blank_plan(found) == shown.plan {
                        true => Ok(()),
                        false => Err(PlanError::Changed { path: shown.path.clone() }),
                    }
                };
                plans
                    .write_over(&shown.path, edited, is_shown)
                    .map_err(|error| CommandError::Plan(error.to_string()))?;
                self.save_plan_revision().await.map_err(journal)?;
                plan = forelook_plan::non_blank_plan(Some(edited.clone()));
            }
        }
        let (mode_state, why) = self.mode_after(&answer)?;
        let proposed = self
            .state
            .plan
            .proposed
            .clone()
            .filter(|(put_up, hash)| Some(put_up) == call.as_ref() && *hash != shown.hash);
        let reviewed = PlanReviewed {
            question: Some(question),
            call,
            proposed: proposed.map(|(_, hash)| hash),
            by,
            through,
            answer,
            path: shown.path.clone(),
            shown: shown.hash.clone(),
            plan,
            mode_state,
            why,
        };
        self.record_review(reviewed.clone()).await.map_err(journal)?;
        let rehearsed = self.state.rehearsal.outcome.clone();
        let response = QuestionResponse::Reviewed(Box::new(ReviewAnswer { reviewed, rehearsed }));
        self.deliver(question, response);
        Ok(())
    }

    /// The mode after this answer, and what the person should hear about it.
    pub(super) fn mode_after(
        &self,
        answer: &PlanAnswer,
    ) -> Result<(forelook_protocol::ModeState, Option<String>), CommandError> {
        let change = match answer {
            PlanAnswer::Approve(approval) => ModeTrigger::LeavePlan(approval.mode),
            PlanAnswer::Park | PlanAnswer::Abandon => ModeTrigger::LeavePlan(None),
            PlanAnswer::KeepPlanning { .. } | PlanAnswer::HandOver => {
                return Ok((self.state.mode_state, None));
            }
        };
        let changed = transition(&self.state.mode_state, change, self.permission_state.conditions())
            .map_err(|not| CommandError::Mode(not.to_string()))?;
        Ok((changed.mode_state, changed.notice.map(|notice| notice.text)))
    }

    /// One entry has it all: the answer, the text, the mode. What the hooks, the screen and the list of plans are told
    /// follows from it.
    async fn record_review(&mut self, reviewed: PlanReviewed) -> Result<(), RecordError> {
        let (from, to) = (self.state.mode_state.mode(), reviewed.mode_state.mode());
        self.record(vec![EntryBody::PlanReviewed(reviewed.clone())]).await?;
        self.permission_state.bump_revision();
        if let Some(text) = &reviewed.why {
            self.warn(text);
        }
        let state = match reviewed.answer {
            PlanAnswer::Approve(_) => PlanState::Approved,
            PlanAnswer::KeepPlanning { .. } => PlanState::Rejected,
            PlanAnswer::Park => PlanState::Parked,
            PlanAnswer::Abandon => PlanState::Abandoned,
            PlanAnswer::HandOver => PlanState::Draft,
        };
        if let Some(named) = self.state.plan.named.clone()
            && let Err(error) = self.config.planning.plans.set_state(&named.slug, state)
        {
            // Only the list of plans is poorer for it.
            tracing::warn!(%error, "the state of a plan could not be noted");
        }
        self.apply_rehearsal().await?;
        self.on_mode_changed(from, to).await?;
        if let PlanAnswer::Approve(Approval { fresh_context: true, .. }) = &reviewed.answer {
            let prompt = plan_prompt(&reviewed, &self.state.rehearsal.outcome);
            self.record(vec![EntryBody::PromptAccepted(prompt)]).await?;
        }
        if from != to {
            self.notify_hooks(HookNotification::Mode {
                from,
                to,
                why: reviewed.why.clone().unwrap_or_default(),
            });
        }
        self.notify_hooks(HookNotification::Reviewed(Box::new(reviewed)));
        Ok(())
    }

    pub(super) fn warn(&mut self, text: &str) {
        self.notice(Notice { level: NoticeLevel::Warning, text: text.to_owned() });
    }

    fn notify(&mut self, text: &str) {
        self.notice(Notice { level: NoticeLevel::Info, text: text.to_owned() });
    }

    /// Tells whoever is there; before anybody is, it waits for the first one.
    pub(super) fn notice(&mut self, notice: Notice) {
        match self.front_ends.had_any() {
            true => self.hub.live(LiveEvent::Notice(notice)),
            false => self.startup_notices.push(notice),
        }
    }
}

/// The first message of a conversation that begins with an approved plan.
pub(super) fn plan_prompt(reviewed: &PlanReviewed, rehearsed: &RehearsalOutcome) -> PromptAccepted {
    let content = vec![UserBlock::text(fresh_start(reviewed, rehearsed))];
    let origin = Origin::Plan { plan: reviewed.plan.clone().unwrap_or_default() };
    PromptAccepted { content, origin, queued: None }
}
