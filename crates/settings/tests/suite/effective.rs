//! Every setting, and where it comes from.

use forelook_protocol::{SettingOrigin, Source};
use forelook_settings::{effective, keys};

use crate::world::{LOCAL, MANAGED, PROJECT, TestWorld, USER};

/// Value, source and line, and whether it counts.
type Said = (String, Option<(Source, usize)>, bool);

/// What is said of a key.
fn said(world: &TestWorld, key: &str) -> Vec<Said> {
    let report = effective(&world.trusted());
    let rows = report.into_iter().filter(|row| row.key == key);
    let row = rows.map(|row| {
        let place = match row.origin {
            SettingOrigin::Settings { source, line, file } => {
                assert!(file.is_some_and(|file| file.as_path().exists()));
                Some((source, line))
            }
            _ => None,
        };
        (row.value, place, row.counts)
    });
    row.collect()
}

#[test]
fn every_key_has_a_row_and_a_default_says_so() {
    let world = TestWorld::new(&[]);
    let report = effective(&world.load());
    let names: Vec<&str> = report.iter().map(|row| row.key.as_str()).collect();
    assert_eq!(names, keys::KEYS.iter().map(|key| key.name).collect::<Vec<_>>());
    assert!(report.iter().all(|row| row.origin == SettingOrigin::Default && row.counts));
}

#[test]
fn what_counts_comes_first_with_its_file_and_line() {
    use Source::{LocalSettings, PolicySettings, ProjectSettings, UserSettings};
    let world = TestWorld::new(&[
        (
            USER,
            r#"{
  "theme": "light",
  "permissions": {"allow": ["Read", "Edit"]},
  "useAutoModeDuringPlan": false,
  "env": {"TOKEN_FILE": "hidden value"},
  "plan": {"networkCommands": ["gh pr view:*"]}
}"#,
        ),
        (
            PROJECT,
            r#"{"theme": "dark", "permissions": {"allow": ["Bash(make:*)"]}, "disableAutoMode": "disable"}"#,
        ),
        (LOCAL, r#"{"theme": "color-blind", "useAutoModeDuringPlan": true}"#),
        (MANAGED, r#"{"permissions": {"deny": ["WebFetch"]}, "disableAutoMode": "disable"}"#),
    ]);
    let row = |value: &str, source, line, counts| (value.to_owned(), Some((source, line)), counts);
    for (key, expected) in [
        (
            "theme",
            vec![
                row("color-blind", LocalSettings, 1, true),
                row("dark", ProjectSettings, 1, false),
                row("light", UserSettings, 2, false),
            ],
        ),
        (
            "permissions.allow",
            vec![row("Bash(make:*)", ProjectSettings, 1, true), row("Read, Edit", UserSettings, 3, true)],
        ),
        ("permissions.deny", vec![row("WebFetch", PolicySettings, 1, true)]),
        // Of these the stricter word counts, and one voice is enough.
        (
            "useAutoModeDuringPlan",
            vec![row("false", UserSettings, 4, true), row("true", LocalSettings, 1, false)],
        ),
        (
            "disableAutoMode",
            vec![row("disable", PolicySettings, 1, true), row("disable", ProjectSettings, 1, true)],
        ),
        ("env", vec![row("TOKEN_FILE", UserSettings, 5, true)]),
        ("plan.networkCommands", vec![row("gh pr view:*", UserSettings, 6, true)]),
    ] {
        assert_eq!(said(&world, key), expected, "{key}");
    }
}

#[test]
fn rules_that_only_the_administrator_may_give_do_not_count() {
    let world = TestWorld::new(&[
        (USER, r#"{"permissions": {"allow": ["Read"]}}"#),
        (MANAGED, r#"{"permissions": {"allow": ["Edit"], "managedRulesOnly": true}}"#),
    ]);
    let counts: Vec<bool> = said(&world, "permissions.allow").into_iter().map(|row| row.2).collect();
    assert_eq!(counts, [true, false]);
}

/// An administrator's list is the whole list, with and without a word about rules.
#[test]
fn what_is_shown_of_the_fence_is_what_holds() {
    let user = r#"{"sandbox": {"network": ["a.org"], "writable": ["/a"], "outside": ["docker:*"]}}"#;
    for (managed, expected) in [
        (r#"{}"#, [&[true][..], &[true], &[true]]),
        (r#"{"sandbox": {"network": ["b.org"]}}"#, [&[true, false], &[true], &[true]]),
        (r#"{"sandbox": {"outside": []}}"#, [&[true], &[true], &[true, false]]),
        (r#"{"permissions": {"managedRulesOnly": true}}"#, [&[false], &[false], &[false]]),
    ] {
        let world = TestWorld::new(&[(USER, user), (MANAGED, managed)]);
        let sandbox = world.trusted().sandbox;
        let held = [
            sandbox.network.iter().any(|it| it.value == "a.org"),
            sandbox.writable.iter().any(|it| it.value.as_path().ends_with("a")),
            !sandbox.outside.is_empty(),
        ];
        let keys = ["sandbox.network", "sandbox.writable", "sandbox.outside"];
        for ((key, expected), held) in keys.into_iter().zip(expected).zip(held) {
            let counts: Vec<bool> = said(&world, key).into_iter().map(|row| row.2).collect();
            assert_eq!(counts, expected, "{key}: {managed}");
            assert_eq!(counts.last(), Some(&held), "{key}: {managed}");
        }
    }
}

#[test]
fn rules_of_the_command_line_count_unless_a_policy_says_otherwise() {
    use forelook_protocol::Behavior::{Allow, Deny};
    for (managed, allow) in [(r#"{}"#, true), (r#"{"permissions": {"managedRulesOnly": true}}"#, false)] {
        let settings = TestWorld::new(&[(MANAGED, managed)]).load();
        assert_eq!((settings.flag_rules_count(Allow), settings.flag_rules_count(Deny)), (allow, true));
    }
}
