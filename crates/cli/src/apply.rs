//! `forelook apply`: carries out a plan from before. The command is the approval.

use std::process::ExitCode;

use forelook_host::{Answerer, Failure, Kind, OnPlan, SessionSpec};
use forelook_plan::{Found, Plans};
use forelook_protocol::{AbsPath, Command, Implement, Mode, PlanState, SessionPort};
use forelook_settings::Env;

use crate::args::ApplyArgs;
use crate::front::Front;
use crate::plans::failure;
use crate::run::{Task, begin, here, warning};

/// Carries it out.
pub(crate) fn run(env: Env, args: ApplyArgs) -> Result<ExitCode, Failure> {
    let ApplyArgs { plan: name, note, print, output_format, permission_mode, session } = args;
    if permission_mode.is_some_and(Mode::is_plan) {
        return Err(Failure::new(
            Kind::Usage,
            "In plan mode nothing is changed, so no plan can be carried out",
        )
        .hint("Leave --permission-mode out, or name another mode"));
    }
    // With a person there every edit can be asked for; without one settings have their say.
    let mode = permission_mode.or((!print).then_some(Mode::Default));
    let host = begin(env, session.debug);
    let spec = SessionSpec { mode, ..session.spec(here()?) };
    let (spec, front) = match print {
        true => (spec.unattended(Answerer::Policy(OnPlan::Exit)), Front::printing(None, output_format)),
        false => (spec, Front::default()),
    };
    let mut task = Task::new(host, spec, front)?.with_model()?;
    let plans = task.session.plans();
    let found = plans.find(&name, &task.session.spec().folder).map_err(|error| failure(&error))?;
    let plan = plans.text_of(&found).map_err(|error| failure(&error))?;
    if plan.trim().is_empty() {
        return Err(Failure::new(Kind::Usage, format!("The plan `{}` is empty", found.path())));
    }
    if let Some(text) = elsewhere(&found, &task.session.places().project) {
        task.session.tell(warning(text));
    }
    let note = note.filter(|note| !note.trim().is_empty());
    let implement = Implement { path: found.path().clone(), plan, note };
    task.approved = Some(Approved { plans, found, implement });
    task.run()
}

/// What is said of a plan that was made for another project: its paths lead there.
fn elsewhere(found: &Found, project: &AbsPath) -> Option<String> {
    let Found::Plan(plan) = found else { return None };
    let made_for = plan.project.as_ref().filter(|made_for| !made_for.is_inside(project))?;
    Some(format!("The plan `{}` was made for `{made_for}`, and is carried out here", plan.slug))
}

/// A plan that this command approves.
pub(crate) struct Approved {
    plans: Plans,
    found: Found,
    implement: Implement,
}

impl Approved {
    /// Begins with it.
    pub(crate) async fn begin(self, session: &dyn SessionPort) -> Result<(), Failure> {
        let Self { plans, found, implement } = self;
        let taken = session.send(Command::Implement(implement)).await;
        taken.map_err(|refused| Failure::of(Kind::Task, &refused))?;
        // The approval stands in the journal; this is for the list of plans.
        if let Found::Plan(plan) = found
            && let Err(error) = plans.set_state(&plan.slug, PlanState::Approved)
        {
            tracing::warn!(%error, "the state of a plan could not be noted");
        }
        Ok(())
    }
}
