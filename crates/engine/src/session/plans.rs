//! The plan of a session: its name, its revisions, and its review.

use forelook_permissions::{ModeTrigger, transition};
use forelook_plan::{
    PlanError, PlanFile, PlanMetadata, PlanSource, ReaderTools, RehearsalOutcome, ReviewOptions,
    approval_modes, build_review, fresh_start, is_slug, outcome,
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
    pub(super) async fn name_plan(&mut self) -> Result<(), RecordError> {
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
        match (plans.look(&path), found) {
            (PlanFile::Missing, Some((origin, text))) => match plans.write(&path, &text) {
                Ok(()) => self.notify(&format!(
                    "The plan file was missing; `{path}` was restored from {}",
                    origin.name()
                )),
                Err(error) => {
                    self.warn(&format!("The plan file is missing and could not be written: {error}"))
                }
            },
            // Whatever is there is somebody's, and not ours to replace.
            (PlanFile::Unreadable(why), _) => self.warn(&format!(
                "The plan of this session cannot be read: {why}\n\
                 `/plan restore` lists the revisions that you can bring back"
            )),
            (PlanFile::Missing, None) | (PlanFile::Text(_), _) => {}
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
            Some((question, shown)) if shown.hash != now => self.put_up_again(question).await,
            _ => Ok(()),
        }
    }

    /// Closes the review when planning ends without an answer to it: there is nothing left to approve. The waiting call is
    /// decided again, and the model learns that planning is over. A review that the person opened is not put up again, so
    /// it does not count as outdated: front ends would wait for the next one.
    pub(super) async fn withdraw_review(&mut self) -> Result<(), RecordError> {
        match self.open_review() {
            Some((question, _)) => {
                let own = self.is_own(question);
                let answer = if own { HostAnswer::Dismissed } else { HostAnswer::Outdated };
                self.close_unanswered(question, answer).await
            }
            None => Ok(()),
        }
    }

    pub(super) fn open_review(&self) -> Option<(RequestId, &PlanReview)> {
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
        self.refresh_conditions().await?;
        // One review at a time: the call's is about the plan as it is now.
        self.withdraw_review().await?;
        self.name_plan().await?;
        self.save_plan_revision().await?;
        let review = PlanReview { rehearsal, ..self.review() };
        self.ask(waiting, HostAsk::Review(Box::new(review))).await
    }

    /// The plan as it is now, for a reviewer.
    pub(super) fn review(&self) -> PlanReview {
        let plans = &self.config.planning.plans;
        let path = self.plan_path().unwrap_or_else(|| plans.folder().clone());
        let conditions = self.permission_state.conditions();
        let mode_state = &self.state.mode_state;
        let options = ReviewOptions {
            before: mode_state.pre_plan_mode().unwrap_or_else(|| mode_state.mode()),
            modes: approval_modes(&conditions.gate, &conditions.bypass),
            from: None,
            rehearsal: None,
        };
        // Before there is a plan, its path is that of the folder.
        let file = if self.state.plan.named.is_some() { plans.look(&path) } else { PlanFile::Missing };
        build_review(path, file, self.state.plan.reviewed.as_deref(), options)
    }

    /// What was said beforehand should be done with plans.
    pub(super) async fn answer_by_policy(
        &mut self,
        question: RequestId,
        policy: PlanPolicy,
        review: &PlanReview,
    ) -> Result<(), RecordError> {
        let answer = match policy {
            // Where there is no plan there is nothing to approve; that ends the turn, and says so.
            PlanPolicy::Approve if review.plan.is_none() => PlanAnswer::HandOver,
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
        self.refresh_conditions().await.map_err(journal)?;
        if call.is_none() {
            self.check_no_turn(&answer).await?;
        }
        let now = self.review();
        let changed = now.hash != shown.hash;
        if !self.is_fresh(question) || (changed && matches!(answer, PlanAnswer::Approve(_))) {
            self.put_up_again(question).await.map_err(journal)?;
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
            if let Some(edited) = approval.edited.as_ref().filter(|text| Some(*text) != plan.as_ref()) {
                // Written before anything is approved: if that fails nothing is.
                self.write_edited(&shown, edited).await?;
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
        let problem = shown.problem.clone();
        let response = QuestionResponse::Reviewed(Box::new(ReviewAnswer { reviewed, rehearsed, problem }));
        self.deliver(question, response);
        self.start_reviewed().await.map_err(journal)
    }

    /// Puts the reviewer's text in the place of the plan that they were shown. What is no text was shown to nobody, and no
    /// revision has it: it becomes one first.
    async fn write_edited(&mut self, shown: &PlanReview, edited: &str) -> Result<(), CommandError> {
        let plans = self.config.planning.plans.clone();
        let slug = self.state.plan.named.as_ref().map(|named| named.slug.clone()).unwrap_or_default();
        let now = self.config.clock.now();
        let mut kept = None;
        let is_shown = |found: Option<Vec<u8>>| {
            let found = found.map(String::from_utf8);
            if let Some(Err(_)) = found {
                kept = plans.save_current(&slug, now)?;
            }
            match forelook_plan::non_blank_plan(found.and_then(Result::ok)) == shown.plan {
                true => Ok(()),
                false => Err(PlanError::Changed { path: shown.path.clone() }),
            }
        };
        let written = plans.write_over(&shown.path, edited, is_shown);
        written.map_err(|error| CommandError::Plan(error.to_string()))?;
        if let Some(number) = kept {
            self.notify(&format!("What was in `{}` is kept as revision {number}", shown.path));
        }
        self.save_plan_revision().await.map_err(|RecordError(message)| CommandError::Journal(message))
    }

    /// The mode after this answer, and what the person should hear about it.
    pub(super) fn mode_after(
        &self,
        answer: &PlanAnswer,
    ) -> Result<(forelook_protocol::ModeState, Option<String>), CommandError> {
        let planning = self.state.mode_state.is_planning();
        let change = match answer {
            PlanAnswer::Approve(approval) if planning => Some(ModeTrigger::LeavePlan(approval.mode)),
            PlanAnswer::Approve(approval) => approval.mode.map(ModeTrigger::Approved),
            PlanAnswer::Park | PlanAnswer::Abandon => planning.then_some(ModeTrigger::LeavePlan(None)),
            // A plan that the person sends back is worked on while planning.
            PlanAnswer::KeepPlanning { .. } => (!planning).then_some(ModeTrigger::ENTER_PLAN),
            PlanAnswer::HandOver => None,
        };
        let Some(change) = change else { return Ok((self.state.mode_state, None)) };
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
        if reviewed.answer.starts_fresh() && reviewed.call.is_some() {
            // The turn of the call goes on with this; where no call waits, a turn begins with it.
            let prompt = self.prompt_after_review(&reviewed);
            self.record(vec![EntryBody::PromptAccepted(prompt)]).await?;
        }
        if from != to {
            self.notify_hooks(HookNotification::Mode {
                from,
                to,
                why: reviewed.why.clone().unwrap_or_default(),
            });
        }
        // Where there was no plan, none was handed over.
        if reviewed.plan.is_some() || reviewed.answer != PlanAnswer::HandOver {
            self.notify_hooks(HookNotification::reviewed(reviewed));
        }
        Ok(())
    }

    /// The message that a turn begins with after this review.
    pub(super) fn prompt_after_review(&self, reviewed: &PlanReviewed) -> PromptAccepted {
        let (rehearsed, tools) = (&self.state.rehearsal.outcome, self.runtime.reader_tools());
        if reviewed.answer.starts_fresh() {
            return plan_prompt(reviewed, rehearsed, &tools);
        }
        let text = outcome::review_result(reviewed, rehearsed, &tools);
        PromptAccepted {
            content: vec![UserBlock::text(text)],
            origin: Origin::Review,
            queued: None,
            mentions: forelook_protocol::Mentions::default(),
        }
    }

    pub(super) fn warn(&mut self, text: &str) {
        self.notice(Notice { level: NoticeLevel::Warning, text: text.to_owned() });
    }

    pub(super) fn notify(&mut self, text: &str) {
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
pub(super) fn plan_prompt(
    reviewed: &PlanReviewed,
    rehearsed: &RehearsalOutcome,
    tools: &ReaderTools,
) -> PromptAccepted {
    let content = vec![UserBlock::text(fresh_start(reviewed, rehearsed, tools))];
    let origin = Origin::Plan { plan: reviewed.plan.clone().unwrap_or_default() };
    PromptAccepted { origin, ..PromptAccepted::person(content) }
}
