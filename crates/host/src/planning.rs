//! How a session plans: settings and environment, put together for the engine.

use forelook_disk::ProjectFiles;
use forelook_engine::{ModelCatalog, PlanningConfig};
use forelook_permissions::{ShellPattern, is_run_or_obeyed};
use forelook_plan::{Eagerness, PlanError, PlanStore, Workflow, WorkflowStyle};
use forelook_protocol::{AbsPath, Notice, Source};
use forelook_settings::{Env, Layered, PlanSettings, Settings, SettingsPaths};

use crate::authority::LoadedSettings;
use crate::warning;

/// A longer skeleton would be half of what the model reads.
const MAX_TEMPLATE: u64 = 64 * 1024;

/// How a session plans.
pub(crate) struct PlanningSetup {
    pub(crate) planning: PlanningConfig,
    pub(crate) eagerness: Eagerness,
}

/// Puts it together, with what the person should hear about it.
pub(crate) fn planning_setup(
    env: &Env,
    settings_paths: &SettingsPaths,
    loaded: &LoadedSettings,
    models: &dyn ModelCatalog,
    files: &ProjectFiles,
) -> (PlanningSetup, Vec<Notice>) {
    let settings = &loaded.settings;
    let (configured, mut notices) = forelook_settings::planning(settings, env);
    let (plans, problem) = plans(env, settings_paths, settings);
    notices.extend(problem.map(|error| warning(error.to_string())));
    let workflow = Workflow {
        style: match configured.interview {
            true => WorkflowStyle::Interview,
            false => WorkflowStyle::FivePhases {
                explore: configured.explore_agents,
                design: configured.plan_agents,
            },
        },
        // Settings know these words from one list, and a test holds it against the other.
        length: configured.length.parse().unwrap_or_default(),
        template: template(&configured, files, &mut notices),
    };
    let model = usable(value(&settings.model_plan), "`model.plan`", models, &mut notices);
    let eagerness = configured.eagerness.parse().unwrap_or_default();
    (PlanningSetup { planning: PlanningConfig { plans, workflow, model }, eagerness }, notices)
}

/// Where plans are.
pub fn plans(
    env: &Env,
    settings_paths: &SettingsPaths,
    settings: &Settings,
) -> (PlanStore, Option<PlanError>) {
    let resolve = |setting| PlanStore::resolve(&env.home, &settings_paths.project, setting);
    let setting = value(&settings.plans_directory);
    match (resolve(setting), setting) {
        // Plans are written without asking, so none may become something that runs.
        ((plans, None), Some(setting))
            if runs_later(plans.folder(), &settings_paths.project, env.user_home.as_ref()) =>
        {
            let (plans, _) = resolve(None);
            let used = plans.folder().clone();
            (plans, Some(PlanError::RunsLater { setting: setting.to_owned(), used }))
        }
        (resolved, _) => resolved,
    }
}

/// Whether what is in this folder, whose links are followed, decides what runs later, or what an agent does. The project's
/// own links are followed here: by another name, nothing would seem to lie in it.
fn runs_later(folder: &AbsPath, project: &AbsPath, home: Option<&AbsPath>) -> bool {
    forelook_disk::resolve(project).map_or(true, |project| is_run_or_obeyed(folder, &project, home))
}

/// Commands that the person declared to be reads that need the network.
pub fn network_commands(settings: &Settings) -> Vec<ShellPattern> {
    settings.network_commands.iter().map(|layered| layered.value.clone()).collect()
}

/// What a setting says, without who says it.
pub(crate) fn value(configured: &Option<Layered<String>>) -> Option<&str> {
    configured.as_ref().map(|layered| layered.value.as_str())
}

/// A model that settings name, if it can be had. If not, that is told and the session does without.
pub(crate) fn usable(
    named: Option<&str>,
    setting: &str,
    models: &dyn ModelCatalog,
    notices: &mut Vec<Notice>,
) -> Option<String> {
    let model = named?;
    match models.resolve(model) {
        Ok(_) => Some(model.to_owned()),
        Err(why) => {
            notices.push(warning(format!(
                "{setting} is `{model}`, which cannot be used: {why}\nForelook uses the session's model instead"
            )));
            None
        }
    }
}

/// The skeleton of a plan. One that cannot be read is told, and plans do without.
fn template(configured: &PlanSettings, files: &ProjectFiles, notices: &mut Vec<Notice>) -> Option<String> {
    let named = configured.template.as_ref()?;
    let path = &named.value;
    let read = match named.source {
        Source::ProjectSettings | Source::LocalSettings => read(files, path),
        // The user may keep it anywhere; a secret is a mistake there, too.
        _ => read(&files.clone().anywhere(), path),
    };
    match read {
        Ok(text) => Some(text),
        Err(why) => {
            notices.push(warning(format!(
                "`plan.template` is `{path}`, which cannot be used: {why}\nPlans are written without a template"
            )));
            None
        }
    }
}

fn read(files: &ProjectFiles, path: &AbsPath) -> Result<String, String> {
    files.text(path, MAX_TEMPLATE).map_err(|error| error.to_string())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out their files by hand")]
mod tests {
    use forelook_plan::LengthStyle;
    use forelook_settings::keys::{EAGERNESS, LENGTHS};

    use super::*;

    #[test]
    fn a_project_with_a_second_name_is_the_same_project() {
        let folder = tempfile::tempdir().unwrap();
        let root = forelook_disk::resolve(folder.path()).unwrap();
        let (real, link) = (root.join("real"), root.join("link"));
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        for (name, expected) in [("agents", true), ("tools/bin", true), ("docs/plans", false)] {
            for project in [&real, &link] {
                assert_eq!(runs_later(&real.join(name), project, None), expected, "{name}");
            }
        }
        assert!(runs_later(&root.join("elsewhere"), &link, None));
    }

    #[test]
    fn settings_and_plans_know_the_same_words() {
        let lengths: Vec<&str> = LengthStyle::ALL.iter().map(|length| length.name()).collect();
        assert_eq!(lengths, LENGTHS);
        let eagerness: Vec<&str> = Eagerness::ALL.iter().map(|eagerness| eagerness.name()).collect();
        assert_eq!(eagerness, EAGERNESS);
        assert_eq!(
            (LENGTHS[0].parse(), EAGERNESS[0].parse()),
            (Ok(LengthStyle::default()), Ok(Eagerness::default()))
        );
    }

    #[test]
    fn a_skeleton_is_a_short_text_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| AbsPath::new(folder.path().join(name)).unwrap();
        std::fs::write(path("good.md"), "# Why\n").unwrap();
        std::fs::write(path("long.md"), "x".repeat(MAX_TEMPLATE as usize + 1)).unwrap();
        std::fs::write(path("bytes.md"), [0xff]).unwrap();
        let files = ProjectFiles::new(&path("."), forelook_disk::Owners::of_process(None));
        assert_eq!(read(&files, &path("good.md")), Ok("# Why\n".to_owned()));
        for (name, part) in
            [("long.md", "64 KiB"), ("bytes.md", "UTF-8"), ("none.md", "does not exist"), (".", "regular")]
        {
            let why = read(&files, &path(name)).unwrap_err();
            assert!(why.contains(part), "{name}: {why}");
        }
    }
}
