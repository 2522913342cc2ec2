//! `forelook plans`: plans from before.

use std::process::ExitCode;

use forelook_host::{Failure, FailureClass, RuleSpec, clock};
use forelook_plan::{PlanError, PlanMatch, PlanStore, diff};
use forelook_protocol::{AbsPath, PlanSummary};
use forelook_settings::Env;
use jiff::Timestamp;
use serde_json::json;

use crate::args::PlansCommand;
use crate::out::{print_note, say};
use crate::run::here;

/// Carries out a subcommand.
pub(crate) fn run(env: &Env, command: PlansCommand) -> Result<ExitCode, Failure> {
    let runner = PlansCommandRunner::new(env)?;
    match command {
        PlansCommand::List { all, json } => runner.list((!all).then_some(&runner.project), json),
        PlansCommand::Show { name, path } => runner.show(&name, path)?,
        PlansCommand::Diff { name, from, to } => runner.diff(&name, from, to)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What is wrong with a name is wrong usage; all else is no fault of the command line.
pub(crate) fn failure(error: &PlanError) -> Failure {
    let kind = match error {
        PlanError::NotFound { .. }
        | PlanError::Ambiguous { .. }
        | PlanError::NotASlug(_)
        | PlanError::NotText { .. }
        | PlanError::RevisionNotFound { .. } => FailureClass::Usage,
        _ => FailureClass::Task,
    };
    let failure = Failure::of(kind, error);
    match error {
        PlanError::NotFound { .. } => failure.hint("`forelook plans list --all` shows all plans"),
        _ => failure,
    }
}

struct PlansCommandRunner {
    plans: PlanStore,
    folder: AbsPath,
    project: AbsPath,
    now: Timestamp,
}

impl PlansCommandRunner {
    fn new(env: &Env) -> Result<Self, Failure> {
        let folder = here()?;
        let settings_paths = forelook_host::settings_paths(env, &RuleSpec::default(), &folder)?;
        let settings = forelook_host::load(env, &settings_paths)?.settings;
        let (plans, problem) = forelook_host::plans(env, &settings_paths, &settings);
        if let Some(problem) = problem {
            print_note(&problem.to_string());
        }
        Ok(Self { plans, folder, project: settings_paths.project, now: clock(env).now() })
    }

    fn list(&self, project: Option<&AbsPath>, as_json: bool) {
        let mut found = self.plans.list();
        found.retain(|plan| project.is_none_or(|project| self.is_for(plan, project)));
        if as_json {
            return say!("{}", json!(found));
        }
        if found.is_empty() {
            let hint =
                if project.is_some() { " for this project; --all lists plans from all projects" } else { "" };
            return say!("No plans{hint}.");
        }
        for plan in &found {
            say!("{}", line(plan, self.now, project));
        }
    }

    /// Whether a plan is for this project: it says so, or it says nothing and lies in it.
    fn is_for(&self, plan: &PlanSummary, project: &AbsPath) -> bool {
        plan.project.as_ref().unwrap_or(&plan.path).is_inside(project)
    }

    fn show(&self, name: &str, only_path: bool) -> Result<(), Failure> {
        let found = self.find(name)?;
        if only_path {
            say!("{}", found.path());
            return Ok(());
        }
        let text = self.plans.text_of(&found).map_err(|error| failure(&error))?;
        say!("{}", text.trim_end_matches('\n'));
        Ok(())
    }

    fn diff(&self, name: &str, from: Option<u32>, to: Option<u32>) -> Result<(), Failure> {
        let slug = match self.find(name)? {
            PlanMatch::Plan(plan) => plan.slug,
            PlanMatch::File(path) => {
                return Err(Failure::new(
                    FailureClass::Usage,
                    format!("`{path}` is not a saved plan, so it has no revisions"),
                ));
            }
        };
        let new = match to {
            Some(number) => self.revision(&slug, number)?,
            None => self.present(&slug)?,
        };
        let old = match from {
            Some(number) => Some(self.revision(&slug, number)?),
            None => self.before(&slug, &new)?,
        };
        let Some(old) = old else {
            say!("`{slug}` has no earlier revision to compare with.");
            return Ok(());
        };
        let changes = diff(&old.text, &new.text);
        match changes.is_empty() {
            true => say!("No changes from {} to {}.", old.name, new.name),
            false => say!("--- {}\n+++ {}\n{}", old.name, new.name, changes.trim_end_matches('\n')),
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Result<PlanMatch, Failure> {
        self.plans.find(name, &self.folder).map_err(|error| failure(&error))
    }

    fn revision(&self, slug: &str, number: u32) -> Result<PlanVersion, Failure> {
        let text = self.plans.revision(slug, number).map_err(|error| failure(&error))?;
        Ok(PlanVersion { name: format!("revision {number}"), text })
    }

    /// The plan as it stands, by its number if it was kept.
    fn present(&self, slug: &str) -> Result<PlanVersion, Failure> {
        let path = self.plans.path_of(slug);
        let text = self.plans.load(&path).map_err(|error| failure(&error))?.unwrap_or_default();
        let newest =
            self.plans.revisions(slug).map_err(|error| failure(&error))?.last().map(|newest| newest.number);
        let kept =
            newest.map(|number| self.revision(slug, number)).transpose()?.filter(|kept| kept.text == text);
        Ok(kept.unwrap_or(PlanVersion { name: "the current plan".to_owned(), text }))
    }

    /// The newest revision with another text.
    fn before(&self, slug: &str, new: &PlanVersion) -> Result<Option<PlanVersion>, Failure> {
        let revisions = self.plans.revisions(slug).map_err(|error| failure(&error))?;
        for revision in revisions.iter().rev() {
            let old = self.revision(slug, revision.number)?;
            if old.text != new.text {
                return Ok(Some(old));
            }
        }
        Ok(None)
    }
}

/// A text that the plan has or had, and what it is called.
struct PlanVersion {
    name: String,
    text: String,
}

/// One plan; its project too, where that is not `here`.
fn line(plan: &PlanSummary, now: Timestamp, here: Option<&AbsPath>) -> String {
    let elsewhere = plan.project.as_ref().filter(|project| Some(*project) != here);
    let project = elsewhere.map_or_else(String::new, |project| format!("  {project}"));
    format!("{:<9}  {:<11}  {}  {}{project}", plan.state.name(), age(now, plan.time), plan.slug, plan.title)
}

/// How long ago something was, in a word or two.
fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = u64::try_from(now.duration_since(then).as_secs()).unwrap_or(0);
    let (number, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3_600 => (seconds / 60, "min"),
        3_600..86_400 => (seconds / 3_600, "h"),
        86_400..172_800 => (1, "day"),
        _ => (seconds / 86_400, "days"),
    };
    format!("{number} {unit} ago")
}
