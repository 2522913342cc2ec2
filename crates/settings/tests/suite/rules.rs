//! What files say together: rules, folders, hooks, and what one voice is enough for.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use forelook_permissions::Strictness;
use forelook_protocol::{Behavior, HookEvent, Mode, NoticeLevel, Source};
use forelook_settings::{PendingTrust, Settings, SettingsPaths, Trust, command_line_rules, load};

use crate::world::{LOCAL, MANAGED, PROJECT, TestWorld, USER};

/// The rules as `deny Bash(x)`, in order.
fn said(settings: &Settings) -> Vec<String> {
    let one =
        |entry: &forelook_permissions::RuleEntry| format!("{} {}", entry.origin.behavior, entry.origin.rule);
    settings.rules.iter().map(one).collect()
}

const ALL: &str = r#"{"permissions": {
    "allow": ["Bash(ls)"],
    "ask": ["Bash(git push:*)"],
    "deny": [
        "Read(/secret)",
        {"rule": "Bash(rm:*)", "match": ["rm -r x"], "not_match": ["rmdir x"]}
    ]}}"#;

#[test]
fn rules_of_all_files_add_up_and_know_where_they_stand() {
    let world = TestWorld::new(&[(USER, ALL), (PROJECT, ALL), (LOCAL, ALL), (MANAGED, ALL)]);
    let settings_paths =
        SettingsPaths { working: world.at("project/sub"), ..world.settings_paths(Some(ALL)) };
    fs::create_dir_all(world.at("project/sub")).unwrap();
    let settings = load(&settings_paths, Trust::Trusted).unwrap();
    assert_eq!(settings.problems, []);
    assert_eq!(settings.rules.len(), 20);
    for (source, name, written) in [
        (Source::UserSettings, Some(USER), "home"),
        (Source::ProjectSettings, Some(PROJECT), "project"),
        (Source::LocalSettings, Some(LOCAL), "project"),
        (Source::FlagSettings, None, "project/sub"),
        (Source::PolicySettings, Some(MANAGED), "etc"),
    ] {
        let lines: Vec<_> = settings
            .rules
            .iter()
            .filter(|entry| entry.origin.source == source)
            .map(|entry| {
                assert_eq!(entry.origin.file, name.map(|name| world.at(name)));
                assert_eq!(entry.bases.written, world.at(written), "{source}");
                assert_eq!(entry.bases.working, world.at("project/sub"));
                assert_eq!(entry.bases.home, Some(world.at("person")));
                (entry.origin.behavior, entry.origin.line)
            })
            .collect();
        use Behavior::{Allow, Ask, Deny};
        assert_eq!(lines, [(Allow, Some(2)), (Ask, Some(3)), (Deny, Some(5)), (Deny, Some(6))], "{source}");
    }
}

#[test]
fn until_trusted_only_what_holds_back_counts() {
    let text = r#"{"permissions": {"allow": ["Bash", "Edit"], "deny": ["Bash(rm:*)"], "ask": ["WebFetch"],
        "additionalDirectories": ["/"]}, "env": {"A": "1"}, "disableAutoMode": "disable",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "evil"}]}]}}"#;
    let world = TestWorld::new(&[(PROJECT, text), (LOCAL, text)]);
    let settings = world.load();
    let strict = ["ask WebFetch", "deny Bash(rm:*)", "ask WebFetch", "deny Bash(rm:*)"];
    assert_eq!(said(&settings), strict);
    assert!(settings.additional_directories.is_empty() && settings.env.is_empty());
    assert!(settings.hooks.is_empty() && settings.auto_disabled.is_some());
    assert_eq!(
        settings.pending_trust,
        PendingTrust { allow_rules: 4, directories: 2, hooks: 2, variables: 2, ..PendingTrust::default() }
    );
    let [notice] = &settings.problems[..] else { panic!("{:?}", settings.problems) };
    assert!(
        notice.text.contains("4 allow rules, 2 additional working directories, 2 hooks, and 2 variables")
    );

    let settings = world.trusted();
    assert_eq!((settings.rules.len(), settings.hooks.len()), (8, 2));
    assert_eq!((settings.additional_directories.len(), settings.env.len()), (1, 1));
    assert!(settings.problems.is_empty() && settings.pending_trust.is_empty());
}

#[test]
fn a_broken_deny_asks_and_the_rest_still_loads() {
    let text = "{\"permissions\": {\"deny\": [\n\"Bash(rm:*\",\n\"Read(a/../b)\",\n3,\n\"Edit(/x)\"],\n\
                \"allow\": [\"Bash(ls\", \"Bash(pwd)\"]}}";
    let world = TestWorld::new(&[(USER, text)]);
    let settings = world.load();
    assert_eq!(said(&settings), ["allow Bash(pwd)", "ask Bash(rm:*", "ask Read(a/../b)", "deny Edit(/x)"]);
    let texts: Vec<_> = settings.problems.iter().map(|problem| problem.text.as_str()).collect();
    for (place, part) in [
        (":4`", "contains a number"),
        (":6`", "has no effect"),
        (":2`", "every use of `Bash`"),
        (":3`", "every use of `Read`"),
    ] {
        let place = format!("{}{place}", world.at(USER));
        assert!(
            texts.iter().any(|text| text.contains(&place) && text.contains(part)),
            "{place} in {texts:#?}"
        );
    }
    assert_eq!(texts.len(), 4);
}

#[test]
fn wrong_examples_are_named_with_rule_file_and_example() {
    let text = "{\"permissions\": {\"allow\": [\n{\"rule\": \"Bash(git log:*)\", \"match\": [\"git show\"]},\n\
                {\"rule\": \"Bash(ls)\", \"matches\": [\"x\"]}]}}";
    let world = TestWorld::new(&[(USER, text)]);
    let settings = world.load();
    assert_eq!(said(&settings), ["allow Bash(ls)"]);
    let texts: Vec<_> = settings.problems.iter().map(|problem| problem.text.as_str()).collect();
    assert!(texts[0].contains("Did you mean `match`?"), "{texts:?}");
    let place = format!(
        "`{}:2` is invalid: rule `Bash(git log:*)` does not match its example `git show`",
        world.at(USER)
    );
    assert!(texts[1].contains(&place), "{texts:?}");
}

#[test]
fn a_policy_can_leave_only_its_own_rules() {
    let only = r#"{"permissions": {"managedRulesOnly": true, "deny": ["Bash(curl:*)"]}}"#;
    let world = TestWorld::new(&[(USER, ALL), (PROJECT, ALL), (MANAGED, only)]);
    let settings = world.trusted();
    assert_eq!(said(&settings), ["deny Bash(curl:*)"]);
    assert_eq!(settings.managed_rules_only.map(|only| only.source), Some(Source::PolicySettings));
    assert!(settings.problems[0].text.starts_with("8 rules were ignored"), "{:?}", settings.problems);
    // Nobody else can.
    let world = TestWorld::new(&[(USER, only)]);
    let settings = world.load();
    assert!(settings.managed_rules_only.is_none() && settings.rules.len() == 1);
    assert!(settings.problems[0].text.contains("only in managed settings"), "{:?}", settings.problems);
}

#[test]
fn one_strict_voice_is_enough() {
    let strict = r#"{"permissions": {"disableBypassPermissionsMode": "disable"}, "disableAutoMode": "disable",
        "useAutoModeDuringPlan": false}"#;
    let loose = r#"{"useAutoModeDuringPlan": true, "autoMode": {"classifyAllShell": false}}"#;
    let nothing = TestWorld::new(&[]).load();
    assert!(nothing.bypass_disabled.is_none() && nothing.auto_disabled.is_none());
    assert!(nothing.auto_during_plan && nothing.strictness == Strictness::Runners);
    for (name, source) in
        [(USER, Source::UserSettings), (PROJECT, Source::ProjectSettings), (LOCAL, Source::LocalSettings)]
    {
        let settings = TestWorld::new(&[(name, strict), (MANAGED, loose)]).load();
        assert_eq!(settings.bypass_disabled.map(|said| said.source), Some(source));
        assert_eq!(settings.auto_disabled.map(|said| said.source), Some(source));
        assert!(!settings.auto_during_plan);
    }
    let both = TestWorld::new(&[(USER, strict), (MANAGED, strict)]).load();
    assert_eq!(both.auto_disabled.unwrap().source, Source::PolicySettings);
    let on = r#"{"autoMode": {"classifyAllShell": true}}"#;
    let shell = TestWorld::new(&[(USER, on), (MANAGED, loose)]).load();
    assert_eq!((shell.strictness, shell.problems.len()), (Strictness::AllShell, 0));
    let project = TestWorld::new(&[(PROJECT, on)]).trusted();
    assert_eq!((project.strictness, project.problems.len()), (Strictness::Runners, 1));
}

#[test]
fn the_cycle_is_the_heaviest_ones_and_never_has_dont_ask() {
    let world = TestWorld::new(&[
        (USER, r#"{"modeCycle": ["plan", "auto", "plan"]}"#),
        (LOCAL, r#"{"modeCycle": ["default", "dontAsk"]}"#),
        (PROJECT, r#"{"modeCycle": ["default", "auto"]}"#),
    ]);
    let settings = world.trusted();
    assert_eq!(settings.mode_cycle, Some(vec![Mode::Plan, Mode::Auto]));
    assert_eq!(settings.problems.len(), 2, "{:?}", settings.problems);
}

#[test]
fn folders_start_where_they_are_written() {
    let text =
        r#"{"permissions": {"additionalDirectories": ["~/notes", "../up", "/abs", "in", "~", "/abs"]}}"#;
    let world = TestWorld::new(&[(USER, text), (PROJECT, text)]);
    let settings_paths = SettingsPaths { working: world.at("project/sub"), ..world.settings_paths(None) };
    fs::create_dir_all(world.at("project/sub")).unwrap();
    let settings = load(&settings_paths, Trust::Trusted).unwrap();
    let found: Vec<_> = settings
        .additional_directories
        .iter()
        .map(|folder| (folder.value.to_string(), folder.source))
        .collect();
    let at = |name: &str| world.at(name).to_string();
    let expected = [
        (at("person/notes"), Source::UserSettings),
        (at("project/up"), Source::UserSettings),
        ("/abs".to_owned(), Source::UserSettings),
        (at("project/sub/in"), Source::UserSettings),
        (at("person"), Source::UserSettings),
        (at("up"), Source::ProjectSettings),
        (at("project/in"), Source::ProjectSettings),
    ];
    assert_eq!(found, expected);
    let homeless = load(&SettingsPaths { user_home: None, ..settings_paths }, Trust::NotYet).unwrap();
    assert!(homeless.problems.iter().any(|problem| problem.text.contains("Set `HOME`")));
}

#[test]
fn hooks_of_all_files_add_up() {
    let hook = |command: &str| {
        format!(
            "{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"Bash\", \"hooks\": [\n\
                 {{\"type\": \"command\", \"command\": \"{command}\", \"timeout\": 5, \"failClosed\": true}}]}}]}}}}"
        )
    };
    let world = TestWorld::new(&[(USER, &hook("mine")), (MANAGED, &hook("theirs"))]);
    let settings = world.load();
    let [mine, theirs] = &settings.hooks[..] else { panic!("{:?}", settings.hooks) };
    assert_eq!((mine.event, mine.matcher.as_deref()), (HookEvent::PreToolUse, Some("Bash")));
    assert_eq!((mine.command.as_str(), theirs.command.as_str()), ("mine", "theirs"));
    assert_eq!((mine.timeout, mine.fail_closed, mine.line), (Some(Duration::from_secs(5)), true, 2));
    assert_eq!((theirs.source, theirs.file.clone()), (Source::PolicySettings, Some(world.at(MANAGED))));
}

#[test]
fn only_the_sources_that_are_wanted_are_read() {
    use Source::{LocalSettings, PolicySettings, ProjectSettings, UserSettings};
    let world = TestWorld::new(&[(USER, ALL), (PROJECT, ALL), (LOCAL, ALL), (MANAGED, ALL)]);
    for wanted in [vec![], vec![UserSettings], vec![ProjectSettings, LocalSettings]] {
        let settings_paths =
            SettingsPaths { setting_sources: Some(wanted.clone()), ..world.settings_paths(Some("{}")) };
        let settings = load(&settings_paths, Trust::Trusted).unwrap();
        let read: Vec<_> = settings.layers.iter().map(|layer| layer.source).collect();
        let always = [Source::FlagSettings, PolicySettings];
        assert_eq!(read, [&wanted[..], &always].concat());
    }
}

#[test]
fn in_the_home_folder_the_file_is_not_read_when_the_users_is_not_wanted() {
    let world = TestWorld::new(&[(PROJECT, ALL)]);
    let home = world.at("project/.forelook");
    let settings_paths = SettingsPaths {
        home,
        setting_sources: Some(vec![Source::ProjectSettings]),
        ..world.settings_paths(None)
    };
    assert!(load(&settings_paths, Trust::Trusted).unwrap().layers.is_empty());
}

#[test]
fn a_project_that_is_a_link_is_judged_where_it_lies() {
    let world = TestWorld::new(&[(PROJECT, ALL)]);
    symlink(world.at("project"), world.at("link")).unwrap();
    let settings_paths =
        SettingsPaths { project: world.at("link"), working: world.at("link"), ..world.settings_paths(None) };
    let settings = load(&settings_paths, Trust::Trusted).unwrap();
    for entry in &settings.rules {
        assert_eq!(
            (&entry.bases.written, &entry.bases.working),
            (&world.at("project"), &world.at("project"))
        );
        assert_eq!(entry.origin.file, Some(world.at("link/.forelook/settings.json")));
    }
}

#[test]
fn rules_of_the_command_line() {
    let world = TestWorld::new(&[]);
    let texts = ["Bash(ls:*)".to_owned(), "Bash(x".to_owned()];
    let settings_paths = world.settings_paths(None);
    let (allowed, problems) = command_line_rules("--allowedTools", Behavior::Allow, &texts, &settings_paths);
    assert_eq!((allowed.len(), problems.len()), (1, 1));
    assert_eq!((allowed[0].origin.source, allowed[0].origin.line), (Source::CliArg, None));
    assert!(
        problems[0].text.starts_with("`--allowedTools` is invalid: rule `Bash(x`"),
        "{}",
        problems[0].text
    );
    let (denied, _) = command_line_rules("--disallowedTools", Behavior::Deny, &texts, &settings_paths);
    assert_eq!(denied.len(), 2);
    assert_eq!(denied[1].origin.behavior, Behavior::Ask);
}

#[test]
fn a_deny_that_stands_twice_holds_twice() {
    let text = r#"{"permissions": {"deny": ["Bash(a)"], "allow": ["Bash(x)"], "deny": ["Bash(b)"], "allow": ["Bash(y)"]}}"#;
    let settings = TestWorld::new(&[(USER, text)]).load();
    assert_eq!(said(&settings), ["allow Bash(y)", "deny Bash(a)", "deny Bash(b)"]);
    assert_eq!(settings.problems.len(), 2);
    assert!(settings.problems.iter().all(|problem| problem.level == NoticeLevel::Warning));
}
