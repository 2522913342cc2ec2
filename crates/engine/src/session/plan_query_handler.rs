//! What there is to see of plans. Read beside the session: it waits for no disk.

use std::sync::Arc;

use forelook_fences::Fences;
use forelook_plan::{PlanError, PlanFile, PlanStore, diff};
use forelook_protocol::{AbsPath, CommandError, PlanQuery, PlanReply, Reply};
use tokio::sync::Mutex;

use super::Session;

/// Everything that an answer is made of.
pub(super) struct PlanQueryHandler {
    plans: PlanStore,
    /// Empty before there is a plan.
    slug: String,
    path: AbsPath,
    /// The text that was last reviewed.
    reviewed: Option<String>,
    editor: Option<String>,
    fences: Arc<Fences>,
    /// Held while a rehearsal is thrown away.
    discarding: Arc<Mutex<()>>,
}

impl Session {
    pub(super) fn plan_query_handler(&self) -> PlanQueryHandler {
        let plans = self.config.planning.plans.clone();
        PlanQueryHandler {
            slug: self.state.plan.named.as_ref().map(|named| named.slug.clone()).unwrap_or_default(),
            path: self.plan_path().unwrap_or_else(|| plans.folder().clone()),
            reviewed: self.state.plan.reviewed.clone(),
            editor: self.config.services.editor().map(|editor| editor.name),
            fences: Arc::clone(&self.runtime.fences),
            discarding: Arc::clone(&self.pre_plan.discarding),
            plans,
        }
    }
}

impl PlanQueryHandler {
    pub(super) fn answer(self, query: PlanQuery) -> Result<Reply, CommandError> {
        let shown = match query {
            PlanQuery::Current => Ok(self.current()),
            // A session that never planned has nothing to compare.
            PlanQuery::Diff if self.slug.is_empty() => {
                return Err(CommandError::Plan("There is no plan yet\nStart one with `/plan`".to_owned()));
            }
            PlanQuery::Diff => self.difference(),
            PlanQuery::History if self.slug.is_empty() => Ok(PlanReply::History(Vec::new())),
            PlanQuery::History => self.plans.revisions(&self.slug).map(PlanReply::History),
            PlanQuery::List => Ok(PlanReply::List(self.plans.list())),
            PlanQuery::Rehearsal => {
                drop(self.discarding.blocking_lock());
                Ok(PlanReply::Rehearsal(self.fences.rehearsal().map(Box::new)))
            }
        };
        shown.map(Reply::Plan).map_err(|error| CommandError::Plan(error.to_string()))
    }

    fn current(self) -> PlanReply {
        // Before there is a plan, its path is that of the folder.
        let file = if self.slug.is_empty() { PlanFile::Missing } else { self.plans.look(&self.path) };
        let problem = file.problem().map(str::to_owned);
        let plan = forelook_plan::non_blank_plan(file.text());
        PlanReply::Current { path: self.path, plan, problem, editor: self.editor }
    }

    /// What changed since the last review, or else since the revision before.
    fn difference(&self) -> Result<PlanReply, PlanError> {
        let now = self.plans.load(&self.path)?.unwrap_or_default();
        let mut older = None;
        for revision in self.plans.revisions(&self.slug)?.into_iter().rev() {
            let text = self.plans.revision(&self.slug, revision.number)?;
            let wanted = match &self.reviewed {
                Some(reviewed) => text == *reviewed,
                None => text != now,
            };
            if wanted {
                older = Some((revision.number, text));
                break;
            }
        }
        let (from, old) = older.map_or((None, now.clone()), |(number, text)| (Some(number), text));
        Ok(PlanReply::Diff { from, to: None, diff: diff(&old, &now) })
    }
}
