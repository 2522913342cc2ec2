//! How the terminal program looks and behaves: who says it, who may, and how the theme is saved.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use forelook_settings::{SaveError, ScreenSettings, StatusLine, save_theme};

use crate::world::{LOCAL, PROJECT, TestWorld, USER};

#[test]
fn nothing_said_is_the_default() {
    let expected = ScreenSettings { theme: None, status_line: None, vi: false, notifications: "bell" };
    assert_eq!(TestWorld::new(&[]).load().screen, expected);
}

#[test]
fn the_heaviest_word_counts_and_a_projects_command_waits_for_trust() {
    let world = TestWorld::new(&[
        (USER, r#"{"theme": "light", "keys": {"vi": true}, "statusLine": "mine"}"#),
        (PROJECT, r#"{"theme": "color-blind", "statusLine": {"command": "theirs", "timeoutMs": 200}}"#),
        (LOCAL, r#"{"notifications": "desktop"}"#),
    ]);
    let line = |command: &str, millis| {
        Some(StatusLine { command: command.into(), time_limit: Duration::from_millis(millis) })
    };
    let stranger = world.load();
    let expected = ScreenSettings {
        theme: Some("color-blind"),
        status_line: line("mine", 1000),
        vi: true,
        notifications: "desktop",
    };
    assert_eq!(stranger.screen, expected);
    assert_eq!(stranger.pending_trust.status_lines, 1);
    assert_eq!(world.trusted().screen, ScreenSettings { status_line: line("theirs", 200), ..expected });
}

#[test]
fn a_word_that_is_none_is_told_with_the_nearest() {
    for (text, nearest) in [
        (r#"{"theme": "drak"}"#, "did you mean `dark`?"),
        (r#"{"theme": "colour-blind"}"#, "did you mean `color-blind`?"),
        (r#"{"notifications": "destop"}"#, "did you mean `desktop`?"),
        (r#"{"keys": {"vim": true}}"#, "Did you mean `keys.vi`?"),
    ] {
        let settings = TestWorld::new(&[(USER, text)]).load();
        assert_eq!(settings.problems.len(), 1, "{text}");
        assert!(settings.problems[0].text.contains(nearest), "{text}: {}", settings.problems[0].text);
    }
}

#[test]
fn a_theme_is_saved_and_the_rest_of_the_file_stays() {
    let world = TestWorld::new(&[(
        USER,
        "// mine\n{\n  \"theme\": \"dark\", // at night\n  \"keys\": {\"vi\": true}\n}\n",
    )]);
    save_theme("light", &world.settings_paths(None)).unwrap();
    assert_eq!(
        world.read(USER),
        "// mine\n{\n  \"theme\": \"light\", // at night\n  \"keys\": {\"vi\": true}\n}\n"
    );
    assert_eq!(save_theme("light", &world.settings_paths(None)).unwrap().added, [""; 0]);
    assert!(matches!(save_theme("pink", &world.settings_paths(None)), Err(SaveError::Theme(_))));
    let empty = TestWorld::new(&[]);
    let saved = save_theme("high-contrast", &empty.settings_paths(None)).unwrap();
    assert_eq!(empty.load().screen.theme, Some("high-contrast"));
    assert_eq!(fs::metadata(saved.file).unwrap().permissions().mode() & 0o777, 0o600);
    let broken = TestWorld::new(&[(USER, "{ \"theme\": ")]);
    assert!(matches!(save_theme("light", &broken.settings_paths(None)), Err(SaveError::Broken { .. })));
    assert_eq!(broken.read(USER), "{ \"theme\": ");
}
