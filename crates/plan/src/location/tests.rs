//! The folder is inside the project or it is the default; a path made here never leaves it.
#![expect(clippy::disallowed_methods, reason = "tests make the files that the crate must cope with")]

use super::*;
use crate::testing::{SequentialIds, World, names, put};
use forelook_disk::remove_tree;
use proptest::prelude::*;
use std::os::unix::fs::{PermissionsExt as _, symlink};

fn mode(path: impl AsRef<Path>) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_default_is_under_the_home_and_private() {
    let world = World::new();
    for setting in [None, Some(""), Some("  ")] {
        let (plans, error) = PlanStore::resolve(&world.home, &world.project, setting);
        assert!(error.is_none());
        assert_eq!(plans.folder(), &world.home.join("plans"));
    }
    let (plans, _) = PlanStore::resolve(&world.home.join("not/yet"), &world.project, None);
    plans.ensure_folder().unwrap();
    plans.ensure_folder().unwrap();
    assert_eq!(mode(world.home.join("not")), 0o700);
    assert_eq!(mode(plans.folder()), 0o700);
    plans.write(&plans.path_of("a"), "x").unwrap();
    assert_eq!(mode(plans.path_of("a")), 0o600);
}

#[test]
fn the_setting_must_end_inside_the_project() {
    let world = World::new();
    let project = &world.project;
    std::fs::create_dir_all(project.join("docs/deep")).unwrap();
    put(project.join("file"), "");
    symlink("docs", project.join("in")).unwrap();
    symlink(project.join("docs"), project.join("in_absolute")).unwrap();
    symlink("../outside", project.join("out")).unwrap();
    symlink("../outside/new", project.join("dead_out")).unwrap();
    symlink("docs/new", project.join("dead_in")).unwrap();
    symlink("round", project.join("round")).unwrap();
    let absolute = project.join("docs").to_string();
    for (setting, expected) in [
        (".", Some("")),
        ("./", Some("")),
        ("docs", Some("docs")),
        ("docs/plans/new", Some("docs/plans/new")),
        (" docs ", Some("docs")),
        (absolute.as_str(), Some("docs")),
        ("docs/../x", Some("x")),
        ("docs/deep/../../y", Some("y")),
        ("../project/docs", Some("docs")),
        ("in", Some("docs")),
        ("in/deep/new", Some("docs/deep/new")),
        ("in_absolute", Some("docs")),
        ("dead_in", Some("docs/new")),
        ("..", None),
        ("../outside", None),
        ("docs/../../outside", None),
        ("../projects", None),
        ("out", None),
        ("out/plans", None),
        ("out/../outside", None),
        ("dead_out", None),
        ("in/../../outside", None),
        ("round", None),
        ("file", None),
        ("file/x", None),
        ("/", None),
        ("/tmp", None),
        ("~", None),
        ("~/plans", None),
        ("a\0b", None),
    ] {
        let (plans, error) = PlanStore::resolve(&world.home, project, Some(setting));
        match expected {
            Some(expected) => {
                assert!(error.is_none(), "{setting}: {error:?}");
                assert_eq!(plans.folder(), &project.join(expected), "{setting}");
                plans.ensure_folder().unwrap();
                plans.write(&plans.path_of("a"), "x").unwrap();
                assert!(plans.exists(&plans.path_of("a")), "{setting}");
                assert_ne!(mode(plans.folder()), 0o700, "a folder of the project is not private: {setting}");
            }
            None => {
                let error = error.unwrap().to_string();
                assert!(error.contains("plansDirectory") && error.contains("instead"), "{setting}: {error}");
                assert_eq!(plans.folder(), &world.home.join("plans"), "{setting}");
            }
        }
    }
    world.assert_outside_untouched();
}

#[test]
fn a_setting_outside_says_what_is_used_and_what_to_do() {
    let path = |path| AbsPath::new(path).unwrap();
    let (_, error) = PlanStore::resolve(&path("/no-home"), &path("/no-project"), Some("../x"));
    insta::assert_snapshot!(error.unwrap(), @r"
    `plansDirectory` is `../x`, which is outside the project `/no-project`; plans are saved in `/no-home/plans` instead
    Use a folder inside the project, as a path relative to its root
    ");
}

#[test]
fn the_paths_are_real_when_the_home_and_the_project_are_links() {
    let world = World::new();
    let link = |name: &str, target: &AbsPath| {
        let path = world.home.parent().unwrap().join(name);
        symlink(target, &path).unwrap();
        path
    };
    let (home, project) = (link("home_link", &world.home), link("project_link", &world.project));
    let (plans, error) = PlanStore::resolve(&home, &project, None);
    assert!(error.is_none() && plans.folder() == &world.home.join("plans"), "{plans:?}");
    let (plans, error) = PlanStore::resolve(&home, &project, Some("docs"));
    assert!(error.is_none() && plans.folder() == &world.project.join("docs"), "{plans:?}");
    plans.write(&plans.path_of("a"), "x").unwrap();

    // The person keeps the plans elsewhere.
    let kept = world.project.join("kept");
    symlink(&kept, world.home.join("plans")).unwrap();
    let (plans, error) = PlanStore::resolve(&home, &project, None);
    assert!(error.is_none() && plans.folder() == &kept, "{plans:?}");
    plans.ensure_folder().unwrap();
    plans.write(&plans.path_of("a"), "x").unwrap();
    assert_eq!(mode(&kept), 0o700);
}

#[test]
fn a_home_that_leads_nowhere_is_told() {
    let world = World::new();
    symlink("plans", world.home.join("plans")).unwrap();
    let (plans, error) = PlanStore::resolve(&world.home, &world.project, None);
    assert!(matches!(error, Some(PlanError::Symlink { .. })), "{error:?}");
    assert!(plans.ensure_folder().is_err());
}

#[test]
fn names_are_the_same_for_a_plan_and_others_for_agents() {
    let world = World::new();
    let plans = world.plans();
    let slug = "calm-weaving-otter";
    assert_eq!(plans.path_of(slug), plans.folder().join("calm-weaving-otter.md"));
    let agent = |id: &str| plans.agent_path(slug, &AgentId(id.into()));
    assert_eq!(agent("a1-b2"), plans.folder().join("calm-weaving-otter-agent-a1-b2.md"));
    assert_ne!(agent("a/b"), agent("ab"));
    assert_ne!(agent(""), plans.path_of(slug));
    // A spoilt journal does not get at an agent's plan, nor at anything else.
    assert_ne!(plans.path_of("calm-weaving-otter-agent-a1-b2"), agent("a1-b2"));
}

#[test]
fn a_fresh_name_is_nobody_elses() {
    let world = World::new();
    let plans = world.plans();
    let first: Vec<String> = {
        let ids = SequentialIds::default();
        (0..10).map(|_| plans.fresh_slug(&ids)).collect()
    };
    assert_eq!(plans.fresh_slug(&SequentialIds::default()), first[0]);
    put(plans.path_of(&first[0]), "");
    assert_eq!(plans.fresh_slug(&SequentialIds::default()), first[1]);
    std::fs::create_dir(plans.history_folder(&first[1])).unwrap();
    assert_eq!(plans.fresh_slug(&SequentialIds::default()), first[2]);
    symlink("nowhere", plans.path_of(&first[2])).unwrap();
    assert_eq!(plans.fresh_slug(&SequentialIds::default()), first[3]);
    for slug in &first[3..] {
        put(plans.path_of(slug), "");
    }
    let suffixed = plans.fresh_slug(&SequentialIds::default());
    assert_eq!(suffixed.split('-').count(), 4, "{suffixed}");
    put(plans.path_of(&suffixed), "");
    let long = plans.fresh_slug(&SequentialIds::default());
    assert!(!plans.exists(&plans.path_of(&long)) && crate::is_slug(&long), "{long}");
}

#[test]
fn a_folder_that_was_removed_is_made_again() {
    let world = World::new();
    for plans in [world.plans(), world.plans_in("docs/plans")] {
        remove_tree(plans.folder()).unwrap();
        assert_eq!(plans.read(&plans.path_of("a")), None);
        plans.write(&plans.path_of("a"), "x").unwrap();
        assert_eq!(names(plans.folder().as_path()), ["a.md"]);
    }
}

proptest! {
    #[test]
    fn every_path_is_in_the_folder(slug in "\\PC{0,40}|[./a-]{0,12}", id in "\\PC{0,300}|[./a-]{0,12}") {
        let path = |path| AbsPath::new(path).unwrap();
        let (plans, _) = PlanStore::resolve(&path("/no-home"), &path("/no-project"), None);
        for path in [plans.path_of(&slug), plans.agent_path(&slug, &AgentId(id)), plans.history_folder(&slug)] {
            prop_assert_eq!(path.parent(), Some(plans.folder().clone()));
            prop_assert!(path.as_path().file_name().unwrap().len() < 200);
        }
    }
}
