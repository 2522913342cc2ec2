//! Settings that change while a session runs.

use std::fs;
use std::time::{Duration, Instant, SystemTime};

use forelook_protocol::{NoticeLevel, Source};
use forelook_settings::{LoadError, SettingsPaths, Trust, fingerprint, load, reload};
use rustix::fs::{CWD, FileType, Mode};

use crate::world::{LOCAL, MANAGED, PROJECT, TestWorld, USER};

const OFF: &str = r#"{"useAutoModeDuringPlan": false, "permissions": {"deny": ["Bash(rm:*)"]}}"#;

#[test]
fn a_change_of_any_file_is_seen_and_nothing_else() {
    let extra = "etc/managed-settings.d/1.json";
    let flag = "project/flag.json";
    let world = TestWorld::new(&[(flag, "{}")]);
    let settings_paths = world.settings_paths(Some("flag.json"));
    let mut before = fingerprint(&settings_paths);
    assert_eq!(fingerprint(&settings_paths), before);
    let mut changed = |what: &str| {
        let now = fingerprint(&settings_paths);
        assert_ne!(now, before, "{what}");
        assert_eq!(fingerprint(&settings_paths), now);
        before = now;
    };
    for name in [USER, PROJECT, LOCAL, MANAGED, extra, flag] {
        world.write(name, OFF.as_bytes());
        changed(&format!("{name} written"));
        // The same size and time, and another file in its place.
        let time = fs::metadata(world.at(name)).unwrap().modified().unwrap();
        world.write("new", OFF.replace("false", " true").as_bytes());
        let new = fs::File::options().write(true).open(world.at("new")).unwrap();
        new.set_modified(time).unwrap();
        fs::rename(world.at("new"), world.at(name)).unwrap();
        changed(&format!("{name} replaced"));
        let file = fs::File::options().write(true).open(world.at(name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(9)).unwrap();
        changed(&format!("{name} touched"));
        fs::remove_file(world.at(name)).unwrap();
        changed(&format!("{name} removed"));
    }
    world.write("project/other.json", b"{}");
    world.write("etc/managed-settings.d/readme.txt", b"no settings");
    assert_eq!(fingerprint(&settings_paths), before);
}

#[test]
fn what_is_not_read_is_not_looked_at() {
    let world = TestWorld::new(&[(USER, OFF)]);
    let settings_paths = SettingsPaths {
        setting_sources: Some(vec![Source::UserSettings]),
        ..world.settings_paths(Some("{}"))
    };
    let before = fingerprint(&settings_paths);
    world.write(PROJECT, OFF.as_bytes());
    assert_eq!(fingerprint(&settings_paths), before);
}

#[test]
fn settings_are_read_again_and_again() {
    let world = TestWorld::new(&[(USER, OFF)]);
    let first = world.load();
    assert!(!first.auto_during_plan);
    fs::remove_file(world.at(USER)).unwrap();
    let second = reload(&world.settings_paths(None), Trust::NotYet, &first).unwrap();
    assert!(second.auto_during_plan && second.rules.is_empty());
    world.write(PROJECT, OFF.as_bytes());
    let third = reload(&world.settings_paths(None), Trust::NotYet, &second).unwrap();
    assert_eq!((third.auto_during_plan, third.rules.len()), (false, 1));
}

#[test]
fn a_file_that_is_half_saved_goes_on_to_say_what_it_said() {
    for name in [USER, PROJECT, LOCAL] {
        let world = TestWorld::new(&[(name, OFF)]);
        let first = world.load();
        world.write(name, &OFF.as_bytes()[..40]);
        let second = reload(&world.settings_paths(None), Trust::NotYet, &first).unwrap();
        assert_eq!((second.auto_during_plan, second.rules.len()), (false, 1));
        let [problem] = &second.problems[..] else { panic!("{:?}", second.problems) };
        assert_eq!(problem.level, NoticeLevel::Error);
        assert!(problem.text.ends_with("\nIts previous contents apply until you fix it"), "{}", problem.text);
        // And the time after that, too.
        let third = reload(&world.settings_paths(None), Trust::NotYet, &second).unwrap();
        assert_eq!((third.auto_during_plan, third.layers), (false, second.layers));
        let started = world.load();
        assert!(started.auto_during_plan && started.problems[0].text.contains("The whole file is ignored"));
    }
}

#[test]
fn what_a_broken_file_said_is_judged_by_todays_trust() {
    let world = TestWorld::new(&[(PROJECT, r#"{"permissions": {"allow": ["Bash"], "deny": ["Edit"]}}"#)]);
    let first = world.trusted();
    assert_eq!(first.rules.len(), 2);
    world.write(PROJECT, b"{");
    let second = reload(&world.settings_paths(None), Trust::NotYet, &first).unwrap();
    assert_eq!((second.rules.len(), second.pending_trust.allow_rules), (1, 1));
}

#[test]
fn what_settings_of_the_command_line_said_holds_when_they_are_gone() {
    let world = TestWorld::new(&[("project/flag.json", OFF)]);
    let settings_paths = world.settings_paths(Some("flag.json"));
    let first = load(&settings_paths, Trust::NotYet).unwrap();
    fs::remove_file(world.at("project/flag.json")).unwrap();
    let second = reload(&settings_paths, Trust::NotYet, &first).unwrap();
    assert_eq!((second.auto_during_plan, second.rules.len(), second.problems.len()), (false, 1, 0));
    // A pipe gives what it has once; to open this one would wait for ever.
    rustix::fs::mknodat(CWD, world.at("project/flag.json").as_path(), FileType::Fifo, Mode::RUSR, 0).unwrap();
    let third = reload(&settings_paths, Trust::NotYet, &second).unwrap();
    assert!(!third.auto_during_plan);
    // A file that stays is read again.
    fs::remove_file(world.at("project/flag.json")).unwrap();
    world.write("project/flag.json", b"{}");
    assert!(reload(&settings_paths, Trust::NotYet, &third).unwrap().auto_during_plan);
}

#[test]
fn a_broken_managed_file_is_an_error_then_too() {
    let world = TestWorld::new(&[(MANAGED, OFF)]);
    let first = world.load();
    world.write(MANAGED, b"{,}");
    let error = reload(&world.settings_paths(None), Trust::NotYet, &first).unwrap_err();
    assert!(matches!(error, LoadError::Managed(_)), "{error}");
}

/// `cargo test --release a_look_costs -- --nocapture` shows the figures that count.
#[test]
fn a_look_costs_little() {
    let world = TestWorld::new(&[(USER, OFF), (PROJECT, OFF), (LOCAL, OFF), (MANAGED, OFF)]);
    let settings_paths = world.settings_paths(None);
    let times = |work: &dyn Fn()| {
        let start = Instant::now();
        (0..100).for_each(|_| work());
        start.elapsed() / 100
    };
    let look = times(&|| drop(fingerprint(&settings_paths)));
    let read = times(&|| drop(load(&settings_paths, Trust::NotYet)));
    println!("a look: {look:?}; reading: {read:?}");
    // Far above what it takes.
    assert!(look < Duration::from_millis(20), "{look:?}");
}
