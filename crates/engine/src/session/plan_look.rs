//! What there is to see of plans. Read beside the session: it waits for no disk.

use std::sync::Arc;

use forelook_fences::Fences;
use forelook_plan::{PlanError, Plans, diff};
use forelook_protocol::{AbsPath, PlanQuery, PlanShown, Refused, Reply};

use super::Session;

/// Everything that an answer is made of.
pub(super) struct PlanLook {
    plans: Plans,
    /// Empty before there is a plan.
    slug: String,
    path: AbsPath,
    /// The text that was last reviewed.
    reviewed: Option<String>,
    editor: Option<String>,
    fences: Arc<Fences>,
}

impl Session {
    pub(super) fn plan_look(&self) -> PlanLook {
        let plans = self.config.planning.plans.clone();
        PlanLook {
            slug: self.state.plan.named.as_ref().map(|named| named.slug.clone()).unwrap_or_default(),
            path: self.plan_path().unwrap_or_else(|| plans.folder().clone()),
            reviewed: self.state.plan.reviewed.clone(),
            editor: self.config.services.editor().map(|editor| editor.name),
            fences: Arc::clone(&self.runtime.fences),
            plans,
        }
    }
}

impl PlanLook {
    pub(super) fn answer(self, query: PlanQuery) -> Result<Reply, Refused> {
        let shown = match query {
            PlanQuery::Current => Ok(self.current()),
            PlanQuery::Diff => self.difference(),
            PlanQuery::History => self.plans.revisions(&self.slug).map(PlanShown::History),
            PlanQuery::List => Ok(PlanShown::List(self.plans.list())),
            PlanQuery::Rehearsal => Ok(PlanShown::Rehearsal(self.fences.rehearsal().map(Box::new))),
        };
        shown.map(Reply::Plan).map_err(|error| Refused::Plan(error.to_string()))
    }

    fn current(self) -> PlanShown {
        let plan = forelook_plan::plan_in(self.plans.read(&self.path));
        PlanShown::Current { path: self.path, plan, editor: self.editor }
    }

    /// What changed since the last review, or else since the revision before.
    fn difference(&self) -> Result<PlanShown, PlanError> {
        let now = self.plans.read(&self.path).unwrap_or_default();
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
        Ok(PlanShown::Diff { from, to: None, diff: diff(&old, &now) })
    }
}
