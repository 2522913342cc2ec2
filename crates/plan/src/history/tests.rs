//! Numbers that never turn back, texts that are never overwritten.

use super::*;
use crate::testing::{World, at, names, put};
use proptest::prelude::*;
use std::collections::HashSet;

const SLUG: &str = "calm-weaving-otter";

#[test]
fn revisions_are_numbered_and_described() {
    let world = World::new();
    for plans in [world.plans(), world.plans_in("docs")] {
        assert_eq!(plans.revisions(SLUG).unwrap(), []);
        assert_eq!(plans.save_revision(SLUG, "# A cache\n\nWhy", at(10)).unwrap(), 1);
        assert_eq!(
            plans.save_revision(SLUG, "# A cache\n\nWhy", at(11)).unwrap(),
            1,
            "the same text is kept once"
        );
        assert_eq!(plans.save_revision(SLUG, "# No cache\n", at(12)).unwrap(), 2);
        assert_eq!(
            plans.save_revision(SLUG, "# A cache\n\nWhy", at(13)).unwrap(),
            3,
            "an older text is news again"
        );
        let expected = [(1, 10, "A cache", 3), (2, 12, "No cache", 1), (3, 13, "A cache", 3)];
        let expected = expected.map(|(number, time, title, lines)| PlanRevision {
            number,
            time: at(time),
            title: title.into(),
            lines,
        });
        assert_eq!(plans.revisions(SLUG).unwrap(), expected);
        assert_eq!(plans.revision(SLUG, 2).unwrap(), "# No cache\n");
        let folder = plans.history_folder(SLUG);
        assert_eq!(names(folder.as_path()), ["0001.md", "0002.md", "0003.md", "revisions.jsonl"]);
    }
}

#[test]
fn gaps_and_foreign_files_do_no_harm() {
    let world = World::new();
    let plans = world.plans();
    let file = |name: &str| plans.history_folder(SLUG).join(name);
    for name in ["0003.md", "1.md", "0000.md", "+005.md", "notes.md", "0009.txt", "1000000.md", "00012.md"] {
        put(file(name), "# Old\n");
    }
    std::fs::create_dir(file("0005.md")).unwrap();
    std::os::unix::fs::symlink("0003.md", file("0007.md")).unwrap();
    put(file("revisions.jsonl"), "nonsense\n{\"number\":3}\n\n{\"number\":8,");
    assert_eq!(plans.save_revision(SLUG, "new", at(1)).unwrap(), 8);
    assert_eq!(plans.save_revision(SLUG, "newer", at(2)).unwrap(), 9);
    forelook_disk::remove_file(file("0008.md")).unwrap();
    assert_eq!(plans.save_revision(SLUG, "newest", at(3)).unwrap(), 10, "a number is not used twice");
    let found: Vec<(u32, String)> = plans
        .revisions(SLUG)
        .unwrap()
        .into_iter()
        .map(|revision| (revision.number, revision.title))
        .collect();
    assert_eq!(found, [(3, "Old".into()), (9, "newer".into()), (10, "newest".into())]);
    put(file("12345.md"), "");
    assert_eq!(plans.save_revision(SLUG, "x", at(4)).unwrap(), 12_346, "five digits go on");
    put(file("999999.md"), "");
    assert!(matches!(plans.save_revision(SLUG, "x", at(5)), Err(PlanError::RevisionLimit { .. })));
}

#[test]
fn times_survive_a_copy_of_the_folder_and_the_loss_of_the_index() {
    let world = World::new();
    let plans = world.plans();
    plans.save_revision(SLUG, "one", at(10)).unwrap();
    plans.save_revision(SLUG, "two", at(20)).unwrap();
    let (from, to) = (plans.history_folder(SLUG), plans.history_folder("copy"));
    for name in names(from.as_path()) {
        put(to.join(&name), std::fs::read(from.join(&name)).unwrap());
    }
    assert_eq!(plans.revisions("copy").unwrap(), plans.revisions(SLUG).unwrap());
    forelook_disk::remove_file(to.join("revisions.jsonl")).unwrap();
    let found = plans.revisions("copy").unwrap();
    assert_eq!(found.iter().map(|revision| revision.number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(Some(found[0].time), modified(&to.join("0001.md")));
}

#[test]
fn a_number_that_is_not_there_says_which_are() {
    let world = World::new();
    let plans = world.plans();
    let error = plans.revision(SLUG, 1).unwrap_err().to_string();
    assert!(error.ends_with("It has no revisions yet; each write to the plan saves one"), "{error}");
    for text in ["a", "b", "c"] {
        plans.save_revision(SLUG, text, at(0)).unwrap();
    }
    for number in [0, 4, 999_999] {
        let error = plans.revision(SLUG, number).unwrap_err().to_string();
        let expected = format!("Plan `{SLUG}` has no revision {number}\nAvailable: 1–3");
        assert_eq!(error, expected);
    }
}

#[test]
fn a_name_that_is_none_touches_nothing() {
    let world = World::new();
    let plans = world.plans();
    for slug in ["..", "../outside", "", "a/b", "A"] {
        assert!(matches!(plans.save_revision(slug, "x", at(0)), Err(PlanError::NotASlug(_))), "{slug}");
        assert!(matches!(plans.save_current(slug, at(0)), Err(PlanError::NotASlug(_))), "{slug}");
        assert!(matches!(plans.revision(slug, 1), Err(PlanError::NotASlug(_))), "{slug}");
        assert!(matches!(plans.revisions(slug), Err(PlanError::NotASlug(_))), "{slug}");
    }
    assert!(names(plans.folder().as_path()).is_empty());
}

#[test]
fn a_history_that_is_a_link_is_not_written() {
    let world = World::new();
    let plans = world.plans();
    std::os::unix::fs::symlink(&world.outside, plans.history_folder(SLUG)).unwrap();
    assert!(matches!(plans.save_revision(SLUG, "x", at(0)), Err(PlanError::Symlink { .. })));
    assert!(plans.revision(SLUG, 1).is_err());
    world.assert_outside_untouched();
}

#[test]
fn many_at_once_overwrite_nothing() {
    let world = World::new();
    let plans = world.plans();
    let kept: Vec<(String, u32)> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let plans = plans.clone();
                scope.spawn(move || {
                    let texts = (0..25).map(|turn| format!("{writer} {turn}"));
                    texts
                        .map(|text| {
                            let number = plans.save_revision(SLUG, &text, at(0)).unwrap();
                            (text, number)
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let numbers: HashSet<u32> = kept.iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers.len(), 200);
    for (text, number) in kept {
        assert_eq!(plans.revision(SLUG, number).unwrap(), text);
    }
    let revisions = plans.revisions(SLUG).unwrap();
    assert_eq!(revisions.len(), 200);
    assert!(revisions.iter().all(|revision| revision.time == at(0)), "every line of the index is whole");
}

#[test]
fn titles_are_the_first_heading() {
    let long = format!("# {}", "wörd ".repeat(30));
    for (text, expected) in [
        ("# A cache\nmore", "A cache"),
        ("Words first\n\n## Then a heading ##\n", "Then a heading"),
        ("\n\n  Only words  \nmore", "Only words"),
        ("```sh\n# a comment\n```\n# Real\n", "Real"),
        ("```sh\n# a comment\n", "```sh"),
        ("#hashtag\n", "#hashtag"),
        ("####### seven\n", "####### seven"),
        ("#\n# Second\n", "Second"),
        ("# \u{1b}[31mRed\u{7}\n", "[31mRed"),
        ("", "(empty)"),
        (" \n\n", "(empty)"),
        (&long, "wörd wörd wörd wörd wörd wörd wörd wörd wörd wörd wörd wörd wörd wörd wörd wörd…"),
    ] {
        assert_eq!(title(text), expected, "{text}");
    }
}

#[test]
fn diffs_read_as_usual() {
    let changed = diff("# Plan\n\n1. Look\n2. Act\n", "# Plan\n\n1. Look\n2. Think\n3. Act");
    let expected = [
        "@@ -1,4 +1,5 @@",
        " # Plan",
        " ",
        " 1. Look",
        "-2. Act",
        "+2. Think",
        "+3. Act",
        "\\ No newline at end of file",
        "",
    ];
    assert_eq!(changed, expected.join("\n"));
    assert_eq!(diff("same\n", "same\n"), "");
}

proptest! {
    #[test]
    fn a_title_is_one_short_line(text in "[#` \n\t\u{1b}aé]{0,200}") {
        let title = title(&text);
        prop_assert!(!title.contains(char::is_control) && title.chars().count() <= MAX_TITLE);
        prop_assert!(!title.trim().is_empty());
    }

    #[test]
    fn a_diff_is_empty_only_for_the_same(old in "[ab\n]{0,30}", new in "[ab\n]{0,30}") {
        prop_assert_eq!(diff(&old, &new).is_empty(), old == new);
    }
}
