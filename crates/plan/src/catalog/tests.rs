//! What is listed, and what is found.

use super::*;
use crate::testing::{World, at, names, put, warnings};
use forelook_protocol::AgentId;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

/// A plan that was last changed so many seconds after the beginning of time.
fn plan(plans: &PlanStore, slug: &str, text: &str, second: u64) {
    plans.write(&plans.path_of(slug), text).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test sets the time of its file")]
    let file = std::fs::File::options().append(true).open(plans.path_of(slug)).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(second)).unwrap();
}

fn slugs(plans: &PlanStore) -> Vec<String> {
    plans.list().into_iter().map(|plan| plan.slug).collect()
}

#[test]
fn the_newest_comes_first_with_all_that_is_known() {
    let world = World::new();
    let plans = world.plans();
    assert_eq!(plans.list(), []);
    plan(&plans, "old-plan", "# Old\n", 10);
    plan(&plans, "new-plan", "# New\n", 30);
    plan(&plans, "same-age", "", 10);
    let session = SessionId("01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap());
    let metadata = PlanMetadata {
        project: Some(world.project.clone()),
        session: Some(session),
        state: PlanState::Parked,
    };
    plans.write_metadata("old-plan", &metadata).unwrap();
    plans.set_state("old-plan", PlanState::Approved).unwrap();
    plans.set_state("same-age", PlanState::Abandoned).unwrap();
    assert_eq!(plans.metadata("old-plan"), PlanMetadata { state: PlanState::Approved, ..metadata });
    let shown: Vec<_> = plans
        .list()
        .into_iter()
        .map(|plan| (plan.slug, plan.title, plan.time, plan.state, plan.project))
        .collect();
    let expected = [
        ("new-plan", "New", 30, PlanState::Draft, None),
        ("old-plan", "Old", 10, PlanState::Approved, Some(world.project.clone())),
        ("same-age", "(empty)", 10, PlanState::Abandoned, None),
    ];
    let expected = expected.map(|(slug, title, time, state, project)| {
        (slug.to_owned(), title.to_owned(), at(time), state, project)
    });
    assert_eq!(shown, expected);
}

#[test]
fn a_plan_that_cannot_be_read_is_listed_as_that() {
    let world = World::new();
    let plans = world.plans();
    for slug in ["a-folder", "a-link", "some-bytes"] {
        plans.save_revision(slug, "# Before\n", at(1)).unwrap();
    }
    put(plans.path_of("some-bytes"), "");
    #[expect(clippy::disallowed_methods, reason = "a test makes what nobody should")]
    {
        std::fs::write(plans.path_of("some-bytes"), b"# Caf\xe9\n").unwrap();
        std::fs::create_dir(plans.path_of("a-folder")).unwrap();
        std::fs::create_dir(plans.path_of("no-plan-ever")).unwrap();
    }
    symlink("/etc/passwd", plans.path_of("a-link")).unwrap();
    let mut shown: Vec<_> = plans.list().into_iter().map(|plan| (plan.slug, plan.title)).collect();
    shown.sort();
    let unreadable = |slug: &str| (slug.to_owned(), "(unreadable)".to_owned());
    assert_eq!(shown, ["a-folder", "a-link", "some-bytes"].map(unreadable));
    let found = plans.find("a-folder", &world.project).unwrap();
    assert!(plans.text_of(&found).unwrap_err().to_string().contains("not a regular file"));
}

#[test]
fn foreign_files_and_agents_plans_are_not_listed() {
    let world = World::new();
    let plans = world.plans();
    plan(&plans, "calm-weaving-otter", "x", 1);
    put(plans.agent_path("calm-weaving-otter", &AgentId("a1".into())), "x");
    put(plans.folder().join("README.md"), "x");
    put(plans.folder().join("notes.txt"), "x");
    put(plans.folder().join("a b.md"), "x");
    put(plans.folder().join(".hidden.md"), "x");
    std::fs::create_dir(plans.folder().join("folder.md")).unwrap();
    symlink(world.outside.join("kept"), plans.folder().join("link.md")).unwrap();
    std::fs::create_dir(plans.folder().join("gone.history")).unwrap();
    put(plans.folder().join("bytes.md"), b"\xff");
    assert_eq!(slugs(&plans), ["bytes", "calm-weaving-otter"]);

    let plans = world.plans_in(".");
    put(plans.folder().join("readme.md"), "x");
    put(plans.folder().join("calm-weaving-otter.md"), "x");
    plan(&plans, "renamed", "x", 1);
    plans.save_revision("renamed", "x", at(1)).unwrap();
    assert_eq!(slugs(&plans), ["calm-weaving-otter", "renamed"], "in a project, a readme is no plan");
}

#[test]
fn a_broken_description_is_logged_and_counts_as_a_draft() {
    let world = World::new();
    let plans = world.plans();
    plan(&plans, "broken", "# Broken\n", 1);
    plans
        .write_metadata("broken", &PlanMetadata { state: PlanState::Approved, ..PlanMetadata::default() })
        .unwrap();
    let file = plans.history_folder("broken").join("metadata.json");
    for text in ["{", "7", "{\"state\":\"eaten\"}", "\u{feff}{}"] {
        put(&file, text);
        let logged = warnings(|| {
            let list = plans.list();
            assert_eq!((list[0].state, list[0].title.as_str()), (PlanState::Draft, "Broken"));
        });
        assert_eq!(logged, 1, "{text}");
    }
    put(&file, "{\"state\":\"parked\",\"later\":1}");
    assert_eq!(plans.metadata("broken").state, PlanState::Parked, "fields of a later version do no harm");
    plans.set_state("broken", PlanState::Rejected).unwrap();
    assert_eq!(plans.metadata("broken").state, PlanState::Rejected);
    assert_eq!(names(plans.history_folder("broken").as_path()), ["metadata.json"]);
}

#[test]
fn a_name_that_is_none_is_not_described() {
    let plans = World::new().plans();
    assert!(matches!(plans.write_metadata("../x", &PlanMetadata::default()), Err(PlanError::NotASlug(_))));
    assert!(matches!(plans.set_state("..", PlanState::Parked), Err(PlanError::NotASlug(_))));
}

#[test]
fn plans_are_found_by_name_by_its_beginning_and_by_path() {
    let world = World::new();
    let plans = world.plans();
    for slug in ["calm-weaving-otter", "calm-singing-owl", "brave-baking-fox", "brave"] {
        plan(&plans, slug, "x", 1);
    }
    put(plans.agent_path("calm-weaving-otter", &AgentId("a1".into())), "agent");
    put(world.project.join("docs/plan.md"), "mine");
    put(world.project.join("TODO"), "mine too");
    put(world.project.join("brave"), "a plan's name goes first");
    let by_path = plans.path_of("calm-singing-owl").to_string();
    let agent = plans.folder().join("calm-weaving-otter-agent-a1.md").to_string();
    for (name, expected) in [
        ("calm-weaving-otter", Ok("calm-weaving-otter")),
        ("calm-weaving-otter.md", Ok("calm-weaving-otter")),
        (" calm-w ", Ok("calm-weaving-otter")),
        ("brave-", Ok("brave-baking-fox")),
        ("brave", Ok("brave")),
        (&by_path, Ok("calm-singing-owl")),
        ("../home/plans/brave.md", Ok("brave")),
        ("docs/plan.md", Err("docs/plan.md")),
        ("TODO", Err("TODO")),
        ("./brave", Err("brave")),
        (&agent, Err(&agent)),
    ] {
        match (plans.find(name, &world.project).unwrap(), expected) {
            (PlanMatch::Plan(plan), Ok(slug)) => assert_eq!(plan.slug, slug, "{name}"),
            (PlanMatch::File(path), Err(file)) => assert_eq!(path, world.project.join(file), "{name}"),
            (found, _) => panic!("{name}: {found:?}"),
        }
    }
}

#[test]
fn what_is_not_found_is_told_with_what_is_near() {
    let world = World::new();
    let plans = world.plans();
    let find = |name: &str| plans.find(name, &world.project).unwrap_err().to_string();
    assert!(find("x").ends_with("use a name from there or a file path"), "{}", find("x"));
    for slug in ["calm-weaving-otter", "calm-singing-owl", "brave-baking-fox"] {
        plan(&plans, slug, "x", 1);
    }
    insta::assert_snapshot!(find("calm"), @r"
    Several plans start with `calm`: `calm-singing-owl`, `calm-weaving-otter`
    Type more of the name
    ");
    insta::assert_snapshot!(find("clam-weaving-oter"), @r"
    No plan is named `clam-weaving-oter`
    Did you mean `calm-weaving-otter`?
    ");
    for name in ["", "docs", "no/such/file.md", "/", ".."] {
        assert!(find(name).starts_with(&format!("No plan is named `{name}`\n")), "{}", find(name));
    }
}

#[test]
fn the_text_of_what_was_found_or_why_not() {
    let world = World::new();
    let plans = world.plans();
    plan(&plans, "brave", "the plan", 1);
    put(world.project.join("real.md"), "mine");
    symlink("real.md", world.project.join("link.md")).unwrap();
    put(world.project.join("bytes.md"), b"\xff");
    let text = |name: &str| plans.text_of(&plans.find(name, &world.project).unwrap());
    assert_eq!(text("brave").unwrap(), "the plan");
    assert_eq!(text("link.md").unwrap(), "mine", "a link that the person names is followed");
    assert!(matches!(text("bytes.md"), Err(PlanError::NotText { .. })));
    let found = plans.find("brave", &world.project).unwrap();
    assert_eq!(found.path(), &plans.path_of("brave"));
    forelook_disk::remove_file(found.path()).unwrap();
    assert!(matches!(plans.text_of(&found), Err(PlanError::Disk(DiskError::Missing { .. }))));
}
