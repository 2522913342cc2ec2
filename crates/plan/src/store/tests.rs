//! Whole or not at all, and never through a link.
#![expect(clippy::disallowed_methods, reason = "tests make the files that the crate must cope with")]

use super::*;
use crate::testing::{World, at, names, put, warnings};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const SLUG: &str = "calm-weaving-otter";

#[test]
fn what_is_written_is_read_and_nothing_is_left_over() {
    let world = World::new();
    for plans in [world.plans(), world.plans_in(".")] {
        let path = plans.path_of(SLUG);
        assert!(!plans.exists(&path));
        assert_eq!(
            warnings(|| assert_eq!(plans.read(&path), None)),
            0,
            "a missing plan is nothing to warn of"
        );
        for text in ["one", "", "zwei ü\n"] {
            plans.write(&path, text).unwrap();
            assert_eq!(plans.read(&path).as_deref(), Some(text));
        }
        assert!(plans.exists(&path));
        assert_eq!(names(plans.folder().as_path()), ["calm-weaving-otter.md"]);
    }
}

#[test]
fn what_cannot_be_read_is_logged_and_is_no_plan() {
    let world = World::new();
    let plans = world.plans();
    let file = |name: &str| plans.folder().join(name);
    put(file("bytes.md"), b"\xff\xfe");
    put(file("long.md"), vec![b'x'; MAX_BYTES as usize + 1]);
    put(file("most.md"), vec![b'x'; MAX_BYTES as usize]);
    std::fs::create_dir(file("folder.md")).unwrap();
    symlink(world.outside.join("kept"), file("link.md")).unwrap();
    symlink("most.md", file("link-inside.md")).unwrap();
    for name in ["bytes.md", "long.md", "folder.md", "link.md", "link-inside.md", "../config.md", "x.txt"] {
        assert_eq!(warnings(|| assert_eq!(plans.read(&file(name)), None, "{name}")), 1, "{name}");
    }
    assert!(plans.read(&file("most.md")).is_some());
    assert!(!plans.exists(&file("link.md")) && !plans.exists(&file("folder.md")));
}

#[test]
fn only_plans_in_the_folder_are_written() {
    let world = World::new();
    let plans = world.plans();
    let history = plans.folder().join("a.history/0001.md");
    for path in [world.home.join("x.md"), plans.folder().join("x.txt"), plans.folder().clone(), history] {
        assert!(matches!(plans.write(&path, "x"), Err(PlanError::OutsidePlanFolder { .. })), "{path}");
    }
    assert!(names(plans.folder().as_path()).is_empty());
}

#[test]
fn nothing_is_written_through_a_link() {
    let world = World::new();
    let plans = world.plans();
    put(plans.folder().join("inside.md"), "inside");
    for (at, target) in ["../../outside/kept", "../../outside/new", "inside.md", "nowhere"].iter().enumerate()
    {
        let path = plans.path_of(&format!("link-{at}"));
        symlink(target, &path).unwrap();
        let error = plans.write(&path, "x").unwrap_err();
        assert!(matches!(error, PlanError::Symlink { .. }), "{target}: {error}");
        assert!(plans.revise(&format!("link-{at}"), "x", at_zero()).is_err(), "{target}");
        assert!(path.as_path().is_symlink());
    }
    assert_eq!(std::fs::read(plans.folder().join("inside.md")).unwrap(), b"inside");
    world.assert_outside_untouched();
}

fn at_zero() -> Timestamp {
    at(0)
}

#[test]
fn a_folder_that_became_a_link_is_neither_read_nor_written() {
    let world = World::new();
    for plans in [world.plans(), world.plans_in("docs/plans"), world.plans_in("docs")] {
        forelook_disk::remove_tree(plans.folder()).unwrap();
        symlink(&world.outside, plans.folder()).unwrap();
        let path = plans.path_of(SLUG);
        let error = plans.write(&path, "x").unwrap_err();
        assert!(matches!(error, PlanError::Symlink { .. }), "{error}");
        assert!(plans.ensure_folder().is_err() && plans.save_revision(SLUG, "x", at(0)).is_err());
        assert!(plans.copy("kept", SLUG).is_err());
        assert_eq!(plans.read(&plans.folder().join("kept.md")), None);
        forelook_disk::remove_file(plans.folder()).unwrap();
    }
    // Nor when it is a folder above that was swapped.
    let plans = world.plans_in("docs/plans");
    forelook_disk::remove_tree(world.project.join("docs")).unwrap();
    std::fs::create_dir(world.outside.join("plans")).unwrap();
    symlink(&world.outside, world.project.join("docs")).unwrap();
    assert!(plans.write(&plans.path_of(SLUG), "x").is_err());
    assert!(names(&world.outside.as_path().join("plans")).is_empty());
    std::fs::remove_dir(world.outside.join("plans")).unwrap();
    world.assert_outside_untouched();
}

/// One thread swaps the folder for a link to the outside and back as fast as it can, another writes.
#[test]
fn a_folder_swapped_for_a_link_in_between_leads_nowhere() {
    let world = World::new();
    let plans = world.plans_in("docs/plans");
    let (folder, aside) = (plans.folder().clone(), world.project.join("docs/aside"));
    let link = world.project.join("docs/link");
    symlink(&world.outside, &link).unwrap();
    let stop = AtomicBool::new(false);
    let (mut written, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                std::fs::rename(&folder, &aside).unwrap();
                // The writer may have made the folder anew meanwhile; then there is nothing to swap.
                if std::fs::rename(&link, &folder).is_ok() {
                    std::fs::rename(&folder, &link).unwrap();
                } else {
                    std::fs::remove_dir_all(&folder).unwrap_or_default();
                }
                while std::fs::rename(&aside, &folder).is_err() {
                    std::fs::remove_dir_all(&folder).unwrap_or_default();
                }
            }
        });
        // On a busy machine one thread may do all of its work before the other has a turn.
        let patience = Instant::now() + Duration::from_secs(60);
        let mut turn = 0;
        while turn < 1000 || ((written == 0 || refused == 0) && Instant::now() < patience) {
            turn += 1;
            let results = [
                plans.write(&plans.path_of(SLUG), "x"),
                plans.write(&plans.path_of("kept"), "x"),
                plans.save_revision(SLUG, &turn.to_string(), at(0)).map(drop),
                plans.ensure_folder(),
            ];
            written += results.iter().filter(|result| result.is_ok()).count();
            refused += results.iter().filter(|result| result.is_err()).count();
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(written > 0 && refused > 0, "the race was not run: {written} written, {refused} refused");
    world.assert_outside_untouched();
}

#[test]
fn revising_loses_nothing_that_stood_there() {
    let world = World::new();
    let plans = world.plans();
    let path = plans.path_of(SLUG);
    assert_eq!(plans.revise(SLUG, "one", at(1)).unwrap(), 1);
    put(&path, "the person's own words");
    assert_eq!(plans.revise(SLUG, "two", at(2)).unwrap(), 3);
    put(&path, b"no text \xff");
    assert_eq!(plans.revise(SLUG, "three", at(3)).unwrap(), 5);
    assert_eq!(plans.revise(SLUG, "three", at(4)).unwrap(), 5);
    assert_eq!(plans.read(&path).as_deref(), Some("three"));
    let kept: Vec<String> = (1..=5).map(|number| plans.revision(SLUG, number).unwrap()).collect();
    assert_eq!(kept, ["one", "the person's own words", "two", "no text \u{fffd}", "three"]);
    let raw = std::fs::read(plans.folder().join(format!("{SLUG}.history/0004.md"))).unwrap();
    assert_eq!(raw, b"no text \xff");

    put(&path, vec![b'x'; MAX_BYTES as usize + 1]);
    assert!(matches!(plans.revise(SLUG, "four", at(5)), Err(PlanError::TooLong { .. })));
    assert_eq!(std::fs::metadata(&path).unwrap().len(), MAX_BYTES + 1, "what cannot be kept is not replaced");
}

#[test]
fn a_copy_is_a_file_of_its_own() {
    let world = World::new();
    let plans = world.plans();
    assert!(!plans.copy(SLUG, "copy").unwrap(), "there is nothing to copy");
    plans.write(&plans.path_of(SLUG), "one").unwrap();
    assert!(plans.copy(SLUG, "copy").unwrap());
    plans.write(&plans.path_of("copy"), "two").unwrap();
    assert_eq!(plans.read(&plans.path_of(SLUG)).as_deref(), Some("one"));
    let again = plans.copy(SLUG, "copy").unwrap_err();
    assert!(matches!(again, PlanError::Disk(DiskError::Exists { .. })), "{again}");
    for (from, to) in [("..", "copy"), (SLUG, "../x"), (SLUG, "")] {
        assert!(matches!(plans.copy(from, to), Err(PlanError::NotASlug(_))));
    }
}

/// Whoever looks at a plan and then replaces it undoes nothing that came in between.
#[test]
fn a_plan_that_changed_meanwhile_is_not_replaced() {
    let world = World::new();
    let plans = world.plans();
    let path = plans.path_of(SLUG);
    for before in [None, Some("one")] {
        if let Some(before) = before {
            plans.write(&path, before).unwrap();
        }
        let meanwhile = |found: Option<Vec<u8>>| {
            assert_eq!(found.as_deref(), before.map(str::as_bytes));
            std::fs::write(&path, "theirs").unwrap();
            Ok(())
        };
        assert!(matches!(plans.write_over(&path, "ours", meanwhile), Err(PlanError::Changed { .. })));
        assert_eq!(plans.read(&path).as_deref(), Some("theirs"));
        std::fs::remove_file(&path).unwrap();
    }
    plans.write(&path, "one").unwrap();
    plans.write_over(&path, "two", |_| Ok(())).unwrap();
    let refused = plans.write_over(&path, "three", |_| Err(PlanError::Changed { path: path.clone() }));
    assert!(refused.is_err());
    assert_eq!(plans.read(&path).as_deref(), Some("two"));
    assert_eq!(names(plans.folder().as_path()), ["calm-weaving-otter.md"]);
}
