//! Files that nobody would write on purpose, and some that somebody would.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use forelook_protocol::{NoticeLevel, PermissionUpdate};
use forelook_settings::{LoadError, ProjectContents, SaveError, Trust, TrustStore, load, plan_import, save};
use rustix::fs::{CWD, FileType, Mode};

use crate::world::{LOCAL, MANAGED, PROJECT, TestWorld, USER};

fn pipe(world: &TestWorld, name: &str) {
    fs::create_dir_all(world.at(name).parent().unwrap()).unwrap();
    rustix::fs::mknodat(CWD, world.at(name).as_path(), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn a_pipe_in_the_place_of_any_file_makes_nobody_wait() {
    let world = TestWorld::new(&[]);
    for name in [USER, PROJECT, LOCAL, "home/trust.json", "claude/settings.json"] {
        pipe(&world, name);
    }
    let settings = world.load();
    assert_eq!(settings.problems.len(), 3);
    assert!(settings.problems.iter().all(|problem| problem.text.contains("a pipe or a device")));
    let mut store = TrustStore::load(&world.at("home"));
    assert!(
        store.problem().is_some() && store.trust(&world.at("project"), &ProjectContents::default()).is_err()
    );
    let import = plan_import(&world.at("claude"), &world.at("project"));
    assert!(import.files.is_empty() && import.skipped.len() == 1);
    let update = r#"{"type": "setMode", "mode": "plan", "destination": "userSettings"}"#;
    let update: PermissionUpdate = serde_json::from_str(update).unwrap();
    assert!(matches!(save(&update, &world.settings_paths(None)), Err(SaveError::Broken { .. })));
}

#[test]
fn lists_that_are_none() {
    for (list, rules, problems) in [
        (r#""deny": "Bash(rm:*)""#, 1, 1),
        (r#""deny": "Bash(rm:*""#, 1, 2),
        (r#""allow": "Bash(rm:*)""#, 0, 1),
        (r#""deny": {"rule": "Bash"}"#, 0, 1),
        (r#""deny": [1, 2.5, null, true, [], ["Bash"], {}]"#, 0, 7),
        (r#""deny": [{"rule": 3}]"#, 0, 2),
        (r#""deny": [{"rule": "Bash(x)", "match": "x"}]"#, 1, 1),
        (r#""deny": [{"rule": "Bash(x)", "match": [1, "x"]}]"#, 1, 1),
        (r#""deny": [""]"#, 0, 1),
        (r#""allow": []"#, 0, 0),
    ] {
        let settings = TestWorld::new(&[(USER, &format!("{{\"permissions\": {{{list}}}}}"))]).load();
        assert_eq!(
            (settings.rules.len(), settings.problems.len()),
            (rules, problems),
            "{list}: {:?}",
            settings.problems
        );
    }
}

#[test]
fn not_utf8_and_deep_nesting_are_named() {
    let world = TestWorld::new(&[]);
    world.write(USER, b"{\"permissions\": {\"deny\": [\"Bash(\xff)\"]}}");
    let deep = format!("{{\"permissions\": {{\"deny\": {}", "[".repeat(100_000));
    world.write(PROJECT, deep.as_bytes());
    let nested = format!("{{\"permissions\": {{\"deny\": {}{}}}}}", "[".repeat(400), "]".repeat(400));
    world.write(LOCAL, nested.as_bytes());
    let texts: Vec<_> = world.load().problems.into_iter().map(|problem| problem.text).collect();
    assert!(texts[0].contains("not UTF-8") && texts[1].contains("depth"), "{texts:?}");
    assert!(texts[2].contains("contains a list"), "{texts:?}");
}

/// Other parsers let these pass, each in its way; here nobody has to guess what such a file says.
#[test]
fn what_json_does_not_have_breaks_a_file() {
    for (text, said) in [
        ("{\"permissions\": {\"allow\": [\"Bash(a\tb)\"]}}", "1:35`: a tab inside a string; write"),
        ("{\"permissions\": {\n\"allow\": [\"Bash(\u{1b}[2J)\"]}}", "2:17`: U+001B inside a string"),
        ("{\"permissions\": {\"allow\": [\"Bash(a,\n\"Read\"]}}", "1:36`: the line ends inside"),
        ("{\"permissions\":\u{b}{\"allow\": [\"Bash\"]}}", "1:16`: U+000B is not valid whitespace; use"),
        ("{\"permissions\": {\"allow\":\u{a0}[\"Bash\"]}}", "1:26`: U+00A0 is not valid whitespace"),
        ("// none\r{\"permissions\": {\"allow\": [\"Bash\"]}}", "1:8`: not every parser"),
    ] {
        let settings = TestWorld::new(&[(USER, text)]).load();
        let [problem] = &settings.problems[..] else { panic!("{text:?}: {:?}", settings.problems) };
        assert!(settings.rules.is_empty() && problem.level == NoticeLevel::Error, "{text:?}");
        assert!(problem.text.contains(&format!("/{USER}:{said}")), "{}", problem.text);
        assert!(problem.text.ends_with("\nThe whole file is ignored until you fix it"), "{}", problem.text);

        let managed = TestWorld::new(&[(MANAGED, text)]);
        let error = load(&managed.settings_paths(None), Trust::NotYet).unwrap_err();
        assert!(matches!(&error, LoadError::Managed(why) if why.contains(said)), "{error}");
    }
}

#[test]
fn a_rule_with_anything_in_it_is_a_rule_or_a_warning() {
    for text in [
        "Bash(\\u0000)",
        "Read(\\u0000)",
        "Read(../../x)",
        "Read(/../x)",
        "Read(~/../x)",
        "Bash(\\u001b[2J)",
        "mcp__",
        "\\ud83d\\ude00",
        "Bash(🦀:*)",
        "Read([[[)",
        "Read({a,{b,{c}}})",
    ] {
        let text = format!("{{\"permissions\": {{\"deny\": [\"{text}\", \"{}\"]}}}}", "(".repeat(5000));
        let settings = TestWorld::new(&[(USER, &text)]).load();
        for problem in &settings.problems {
            assert_eq!(problem.level, NoticeLevel::Warning);
            assert!(
                problem.text.len() < 1000 && !problem.text.contains(['\u{1b}', '\0']),
                "{}",
                problem.text
            );
        }
    }
}

/// `cargo test --release ten_thousand -- --nocapture` shows the figures that count.
#[test]
fn ten_thousand_rules_load_at_once() {
    let count = if cfg!(debug_assertions) { 1_000 } else { 10_000 };
    for (kind, rule) in [("Bash", "Bash(tool-N run:*)"), ("Read", "Read(/src/N/**)"), ("foreign", "ForeignN")]
    {
        let rules: Vec<String> =
            (0..count).map(|at| format!("\"{}\"", rule.replace('N', &at.to_string()))).collect();
        let text = format!("{{\"permissions\": {{\"allow\": [\n{}]}}}}", rules.join(",\n"));
        let world = TestWorld::new(&[(USER, &text)]);
        let start = Instant::now();
        let settings = world.load();
        let took = start.elapsed();
        println!("{count} {kind} rules: {took:?}");
        assert_eq!((settings.rules.len(), settings.problems.len()), (count, 0));
        assert_eq!(settings.rules.last().unwrap().origin.line, Some(count + 1));
        // Far above what it takes: this is for what would grow with the square.
        assert!(took < Duration::from_secs(10), "{took:?}");
    }
}

/// Each was once compared with the name of every tool, letter by letter: a hundred times the work of any other rule.
#[test]
fn rules_for_plain_tools_load_as_quickly_as_others() {
    let quickest = |rule: &str| {
        let rules = vec![format!("\"{rule}\""); 1000].join(", ");
        let world = TestWorld::new(&[(USER, &format!("{{\"permissions\": {{\"deny\": [{rules}]}}}}"))]);
        let times = (0..5).map(|_| {
            let start = Instant::now();
            assert_eq!(world.load().rules.len(), 1000);
            start.elapsed()
        });
        times.min().unwrap()
    };
    for (plain, other) in [("TodoWrite", "Bash(ls)"), ("TodoWrite(x)", "Bash(ls")] {
        let (plain, other) = (quickest(plain), quickest(other));
        assert!(plain < other * 10, "{plain:?}, but {other:?}");
    }
}

#[test]
fn a_link_to_the_persons_file_does_not_make_it_the_projects() {
    let world = TestWorld::new(&[(USER, r#"{"permissions": {"allow": ["Bash(ls)"]}}"#)]);
    fs::create_dir_all(world.at("project/.forelook")).unwrap();
    symlink(world.at(USER), world.at(LOCAL)).unwrap();
    assert_eq!(world.load().rules.len(), 1);
    let update = r#"{"type": "addRules", "behavior": "allow", "destination": "localSettings",
        "rules": [{"toolName": "Bash", "ruleContent": "make"}]}"#;
    let error = save(&serde_json::from_str(update).unwrap(), &world.settings_paths(None)).unwrap_err();
    assert!(matches!(error, SaveError::Disk(_)), "{error}");
    assert!(!world.read(USER).contains("make"));
}
