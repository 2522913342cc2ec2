//! The plan of a session: its name, its revisions, and its review.

use forelook_permissions::{Change, transition};
use forelook_plan::{
    About, Offer, PlanError, PlanSource, Rehearsed, fresh_start, is_slug, modes_on_offer, review,
};
use forelook_protocol::{
    AnsweredBy, Approval, Body, FileSnapshot, HostAnswer, HostAsk, Live, Notice, NoticeLevel, Origin,
    PLAN_KEY, PlanAnswer, PlanNamed, PlanState, PromptAccepted, Refused, Rehearsal, RequestId, Review,
    Reviewed, Reviewer, UserBlock,
};

use super::Session;
use super::permissions::HookNews;
use super::questions::WaitingCall;
use crate::config::{OnPlan, Start};
use crate::handle::{Asked, NotRecorded, Response, ReviewAnswer};

impl Session {
    /// Gives the plan a name, if it has none or the one before is done with.
    async fn name_plan(&mut self) -> Result<(), NotRecorded> {
        let named = self.plan_name();
        self.record(named.into_iter().collect()).await
    }

    /// The name that the plan gets, if it has none or the one before is done with. Still to be written down.
    pub(super) fn plan_name(&mut self) -> Option<Body> {
        if self.state.plan.named.is_some() && !self.state.plan.finished {
            return None;
        }
        let slug = self.config.planning.plans.fresh_slug(&*self.config.ids);
        Some(self.named(slug))
    }

    fn named(&mut self, slug: String) -> Body {
        let plans = &self.config.planning.plans;
        let path = plans.path_of(&slug);
        // The fence stands whether or not the plan can be written; that is said, and can be mended meanwhile.
        if let Err(error) = plans.prepare() {
            self.warn(&format!("The plan cannot be written: {error}"));
        }
        Body::PlanNamed(PlanNamed { slug, path })
    }

    async fn take_name(&mut self, slug: String) -> Result<(), NotRecorded> {
        let named = self.named(slug);
        self.record(vec![named]).await
    }

    /// After loading: a fork gets a plan of its own, and one that was lost comes back.
    pub(super) async fn plan_again(
        &mut self,
        found: Option<(PlanSource, String)>,
    ) -> Result<(), NotRecorded> {
        let Some(PlanNamed { slug, path }) = self.state.plan.named.clone() else { return Ok(()) };
        let plans = self.config.planning.plans.clone();
        if !is_slug(&slug) {
            // Nobody but us writes names, so this journal was tampered with; its file is not touched.
            return self.take_name(plans.fresh_slug(&*self.config.ids)).await;
        }
        let here = plans.path_of(&slug);
        if let Start::Fork(_) = self.config.start {
            let own = plans.fresh_slug(&*self.config.ids);
            self.take_name(own.clone()).await?;
            if let Err(error) = plans.copy(&slug, &own) {
                self.warn(&format!("The plan `{path}` could not be copied for this session: {error}"));
            }
        } else if here != path {
            // The folder of plans is another one now.
            self.take_name(slug.clone()).await?;
        }
        let path = self.plan_path().unwrap_or(here);
        if let (false, Some((origin, text))) = (plans.exists(&path), found) {
            match plans.write(&path, &text) {
                Ok(()) => {
                    self.tell(&format!("The plan file was gone; `{path}` is back, from {}", origin.name()))
                }
                Err(error) => self.warn(&format!("The plan file is gone and could not be written: {error}")),
            }
        }
        self.keep_plan().await
    }

    pub(super) fn plan_path(&self) -> Option<forelook_protocol::AbsPath> {
        self.state.plan.named.as_ref().map(|named| named.path.clone())
    }

    /// Keeps the plan as it stands in its file, if that is something new.
    pub(super) async fn keep_plan(&mut self) -> Result<(), NotRecorded> {
        let Some(PlanNamed { slug, path }) = self.state.plan.named.clone() else { return Ok(()) };
        let plans = self.config.planning.plans.clone();
        let known = self.state.plan.kept.as_ref().map(|kept| kept.text.clone());
        let (now, about) = (self.config.clock.now(), self.about());
        // Beside the session's own thread: it waits for the disk.
        let kept = tokio::task::spawn_blocking(move || -> Result<Option<(String, u32)>, PlanError> {
            let Some(text) = plans.read(&path).filter(|text| known.as_ref() != Some(text)) else {
                return Ok(None);
            };
            let number = plans.keep(&slug, &text, now)?;
            plans.describe(&slug, &about)?;
            Ok(Some((text, number)))
        });
        match kept.await {
            Ok(Ok(None)) => Ok(()),
            Ok(Ok(Some((text, number)))) => self.snapshot_plan(text, Some(number)).await,
            Ok(Err(error)) => {
                self.warn(&format!("This revision of the plan could not be kept: {error}"));
                Ok(())
            }
            Err(crash) => {
                self.warn(&format!("This revision of the plan could not be kept: {crash}"));
                Ok(())
            }
        }
    }

    /// The person's editor has closed: what is under review is put to them again, if it is not what they have now.
    pub(super) async fn plan_edited(&mut self) -> Result<(), NotRecorded> {
        self.keep_plan().await?;
        let now = self.review().hash;
        let open = self.state.open.iter().find_map(|open| match &open.ask {
            HostAsk::Review(shown) if shown.hash != now => Some(open.id),
            _ => None,
        });
        match open {
            Some(question) => self.close_unanswered(question, HostAnswer::Outdated).await,
            None => Ok(()),
        }
    }

    async fn snapshot_plan(&mut self, text: String, revision: Option<u32>) -> Result<(), NotRecorded> {
        let Some(path) = self.plan_path() else { return Ok(()) };
        let snapshot = FileSnapshot { key: PLAN_KEY.to_owned(), path, text, revision };
        self.record(vec![Body::FileSnapshot(snapshot)]).await
    }

    fn about(&self) -> About {
        About {
            project: Some(self.state.folder.clone()),
            session: Some(self.state.session),
            state: PlanState::Draft,
        }
    }

    /// Plan mode begins because the model asked and the person agreed.
    pub(super) async fn enter_plan(&mut self) -> Result<Result<(), String>, NotRecorded> {
        Ok(self.change_mode(Change::ENTER_PLAN).await?.map_err(|not| not.to_string()))
    }

    pub(super) async fn ask_to_plan(&mut self, waiting: WaitingCall) -> Result<Asked, NotRecorded> {
        self.name_plan().await?;
        let path = self.plan_path().unwrap_or_else(|| self.config.planning.plans.folder().clone());
        self.ask(waiting, HostAsk::EnterPlan { path }).await
    }

    pub(super) async fn ask_for_review(
        &mut self,
        waiting: WaitingCall,
        rehearsal: Option<Box<Rehearsal>>,
    ) -> Result<Asked, NotRecorded> {
        self.name_plan().await?;
        self.keep_plan().await?;
        let review = Review { rehearsal, ..self.review() };
        self.ask(waiting, HostAsk::Review(Box::new(review))).await
    }

    /// The plan as it is now, for a reviewer.
    fn review(&self) -> Review {
        let plans = &self.config.planning.plans;
        let path = self.plan_path().unwrap_or_else(|| plans.folder().clone());
        let conditions = self.authority.conditions();
        let offer = Offer {
            before: self.state.standing.pre_plan_mode().unwrap_or_default(),
            modes: modes_on_offer(&conditions.gate, &conditions.bypass),
            from: None,
            rehearsal: None,
        };
        review(path.clone(), plans.read(&path), self.state.plan.reviewed.as_deref(), offer)
    }

    /// What was said beforehand should be done with plans.
    pub(super) async fn by_policy(
        &mut self,
        question: RequestId,
        policy: OnPlan,
        review: &Review,
    ) -> Result<(), NotRecorded> {
        let answer = match policy {
            OnPlan::Exit => PlanAnswer::HandOver,
            OnPlan::Approve => {
                PlanAnswer::Approve(Approval { hash: review.hash.clone(), ..Approval::default() })
            }
        };
        match self.answer_review(question, answer, (Reviewer::Policy, AnsweredBy::Policy)).await {
            Ok(()) | Err(Refused::PlanChanged { .. } | Refused::StateChanged) => Ok(()),
            Err(Refused::Journal(message)) => Err(NotRecorded(message)),
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
    ) -> Result<(), Refused> {
        let journal = |NotRecorded(message)| Refused::Journal(message);
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
                true => Refused::PlanChanged { now: Box::new(now) },
                false => Refused::StateChanged,
            });
        }
        let mut plan = shown.plan.clone();
        if let PlanAnswer::Approve(approval) = &answer {
            let rehearsed = shown.rehearsal.as_ref().map(|rehearsal| &rehearsal.hash);
            if approval.hash != shown.hash || !approval.apply.iter().all(|hash| Some(hash) == rehearsed) {
                return Err(Refused::DoesNotFit(question));
            }
            if let Some(mode) =
                approval.mode.filter(|mode| !shown.modes.contains(mode) && *mode != shown.before)
            {
                return Err(Refused::Mode(format!("Mode `{mode}` cannot be had now; choose another")));
            }
            if let Some(edited) = approval.edited.as_ref().filter(|text| Some(*text) != plan.as_ref()) {
                // Written before anything is approved: if that fails nothing is.
                plans.write(&shown.path, edited).map_err(|error| Refused::Plan(error.to_string()))?;
                self.keep_plan().await.map_err(journal)?;
                plan = forelook_plan::plan_in(Some(edited.clone()));
            }
        }
        let (standing, why) = self.after(&answer)?;
        let proposed = self
            .state
            .plan
            .proposed
            .clone()
            .filter(|(put_up, hash)| Some(put_up) == call.as_ref() && *hash != shown.hash);
        let reviewed = Reviewed {
            question: Some(question),
            call,
            proposed: proposed.map(|(_, hash)| hash),
            by,
            through,
            answer,
            path: shown.path.clone(),
            shown: shown.hash.clone(),
            plan,
            standing,
            why,
        };
        self.record_review(reviewed.clone()).await.map_err(journal)?;
        let rehearsed = self.state.rehearsal.became.clone();
        let response = Response::Reviewed(Box::new(ReviewAnswer { reviewed, rehearsed }));
        self.hand_over(question, response);
        Ok(())
    }

    /// The mode after this answer, and what the person should hear about it.
    pub(super) fn after(
        &self,
        answer: &PlanAnswer,
    ) -> Result<(forelook_protocol::Standing, Option<String>), Refused> {
        let change = match answer {
            PlanAnswer::Approve(approval) => Change::LeavePlan(approval.mode),
            PlanAnswer::Park | PlanAnswer::Abandon => Change::LeavePlan(None),
            PlanAnswer::KeepPlanning { .. } | PlanAnswer::HandOver => {
                return Ok((self.state.standing, None));
            }
        };
        let changed = transition(&self.state.standing, change, self.authority.conditions())
            .map_err(|not| Refused::Mode(not.to_string()))?;
        Ok((changed.standing, changed.said.map(|said| said.text)))
    }

    /// One entry has it all: the answer, the text, the mode. What the hooks, the screen and the list of plans are told
    /// follows from it.
    async fn record_review(&mut self, reviewed: Reviewed) -> Result<(), NotRecorded> {
        let (from, to) = (self.state.standing.mode(), reviewed.standing.mode());
        self.record(vec![Body::Review(reviewed.clone())]).await?;
        self.authority.touch();
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
        self.mode_changed(from, to).await?;
        if let PlanAnswer::Approve(Approval { fresh_context: true, .. }) = &reviewed.answer {
            let prompt = begins_with(&reviewed, &self.state.rehearsal.became);
            self.record(vec![Body::Prompt(prompt)]).await?;
        }
        if from != to {
            self.tell_hooks(HookNews::Mode { from, to, why: reviewed.why.clone().unwrap_or_default() });
        }
        self.tell_hooks(HookNews::Reviewed(Box::new(reviewed)));
        Ok(())
    }

    pub(super) fn warn(&mut self, text: &str) {
        self.notice(Notice { level: NoticeLevel::Warning, text: text.to_owned() });
    }

    fn tell(&mut self, text: &str) {
        self.notice(Notice { level: NoticeLevel::Info, text: text.to_owned() });
    }

    /// Tells whoever is there; before anybody is, it waits for the first one.
    pub(super) fn notice(&mut self, notice: Notice) {
        match self.front_ends.had_any() {
            true => self.hub.live(Live::Notice(notice)),
            false => self.opening.push(notice),
        }
    }
}

/// The first message of a conversation that begins with an approved plan.
pub(super) fn begins_with(reviewed: &Reviewed, rehearsed: &Rehearsed) -> PromptAccepted {
    let content = vec![UserBlock::text(fresh_start(reviewed, rehearsed))];
    let origin = Origin::Plan { plan: reviewed.plan.clone().unwrap_or_default() };
    PromptAccepted { content, origin, queued: None }
}
