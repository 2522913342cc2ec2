//! `forelook apply`: carries out a plan from before. The command is the approval.

use std::process::ExitCode;

use forelook_host::{Failure, FailureClass, PlanPolicy, Responder, SessionSpec};
use forelook_plan::{PlanMatch, PlanStore};
use forelook_protocol::{AbsPath, Command, ImplementPlan, Mode, PlanState, SessionPort};
use forelook_settings::Env;

use crate::args::ApplyArgs;
use crate::front::FrontOptions;
use crate::plans::failure;
use crate::run::{SessionRun, begin, here, warning};

/// Carries it out.
pub(crate) fn run(env: Env, args: ApplyArgs) -> Result<ExitCode, Failure> {
    let ApplyArgs { plan: name, note, print, output_format, permission_mode, session } = args;
    if permission_mode.is_some_and(Mode::is_plan) {
        return Err(Failure::new(
            FailureClass::Usage,
            "Plan mode changes nothing, so it cannot implement a plan",
        )
        .hint("Omit --permission-mode, or choose another mode"));
    }
    // With a person there every edit can be asked for; without one settings have their say.
    let mode = permission_mode.or((!print).then_some(Mode::Default));
    let host = begin(env, session.debug);
    let spec = SessionSpec { mode, ..session.spec(here()?) };
    let (spec, front) = match print {
        true => (
            spec.unattended(Responder::Policy(PlanPolicy::Exit)),
            FrontOptions::printing(None, output_format),
        ),
        false => (spec, FrontOptions::default()),
    };
    let mut session_run = SessionRun::new(host, spec, front)?.with_model()?;
    let plans = session_run.session.plans();
    let found = plans.find(&name, &session_run.session.spec().folder).map_err(|error| failure(&error))?;
    let plan = plans.text_of(&found).map_err(|error| failure(&error))?;
    if plan.trim().is_empty() {
        return Err(Failure::new(FailureClass::Usage, format!("The plan `{}` is empty", found.path())));
    }
    if let Some(text) = elsewhere(&found, &session_run.session.settings_paths().project) {
        session_run.session.add_notice(warning(text));
    }
    let note = note.filter(|note| !note.trim().is_empty());
    let implement = ImplementPlan { path: found.path().clone(), plan, note };
    session_run.approved = Some(ApprovedPlan { plans, found, implement });
    session_run.run()
}

/// What is said of a plan that was made for another project: its paths lead there.
fn elsewhere(found: &PlanMatch, project: &AbsPath) -> Option<String> {
    let PlanMatch::Plan(plan) = found else { return None };
    let made_for = plan.project.as_ref().filter(|made_for| !made_for.is_inside(project))?;
    Some(format!("The plan `{}` was written for `{made_for}`, but will be implemented here", plan.slug))
}

/// A plan that this command approves.
pub(crate) struct ApprovedPlan {
    plans: PlanStore,
    found: PlanMatch,
    implement: ImplementPlan,
}

impl ApprovedPlan {
    /// Begins with it.
    pub(crate) async fn begin(self, session: &dyn SessionPort) -> Result<(), Failure> {
        let Self { plans, found, implement } = self;
        let taken = session.send(Command::ImplementPlan(implement)).await;
        taken.map_err(|refused| Failure::of(FailureClass::Task, &refused))?;
        // The approval stands in the journal; this is for the list of plans.
        if let PlanMatch::Plan(plan) = found
            && let Err(error) = plans.set_state(&plan.slug, PlanState::Approved)
        {
            tracing::warn!(%error, "could not save the plan's state");
        }
        Ok(())
    }
}
