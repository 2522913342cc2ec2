//! Changes saved: what was there stays, what was wanted is there, nothing else happens.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use forelook_protocol::{Behavior, Destination, Mode, PermissionUpdate, RuleValue};
use forelook_settings::keys::{ADDITIONAL_DIRECTORIES, ALLOW, ASK, DEFAULT_MODE, DENY};
use forelook_settings::{Layer, SaveError, SaveOutcome, file_of, save};
use proptest::prelude::*;

use crate::world::{LOCAL, PROJECT, TestWorld, USER};

pub(crate) fn rule(text: &str) -> RuleValue {
    match text.split_once('(') {
        Some((tool, rest)) => RuleValue {
            tool_name: tool.into(),
            rule_content: Some(rest.strip_suffix(')').unwrap_or(rest).into()),
            examples: Vec::new(),
        },
        None => RuleValue { tool_name: text.into(), rule_content: None, examples: Vec::new() },
    }
}

fn add(behavior: Behavior, destination: Destination, rules: &[&str]) -> PermissionUpdate {
    PermissionUpdate::AddRules { rules: rules.iter().map(|text| rule(text)).collect(), behavior, destination }
}

fn saved(world: &TestWorld, update: &PermissionUpdate) -> SaveOutcome {
    save(update, &world.settings_paths(None)).unwrap().unwrap()
}

const ODD: &str = "// mine\r
{ /* a */ \"model\" : {\"main\":\"a/b\"}, // b\r
\t\"permissions\":{\r
\t\t// what I allow\r
\t\t\"allow\" :[\r
\t\t\t\"Bash(ls)\", // lists\r
\t\t\t{ \"rule\": \"Bash(pwd)\", \"match\": [ \"pwd\" ] } // where am I\r
\t\t\t// end of list\r
\t\t],\r
\t\t\"defaultMode\":\"plan\" /* careful */\r
\t}\r
}\r
// the end\r
";

#[test]
fn comments_and_odd_formatting_survive() {
    let world = TestWorld::new(&[(USER, ODD)]);
    let done = saved(
        &world,
        &add(Behavior::Allow, Destination::UserSettings, &["Bash(ls)", "Bash(id)", "Bash(pwd)"]),
    );
    assert_eq!(done.added, ["Bash(id)"]);
    let text = world.read(USER);
    for line in ODD.lines().filter(|line| !line.contains("where am I")) {
        assert!(text.contains(line), "{line:?} is gone from\n{text}");
    }
    assert!(text.contains("// where am I") && text.contains("\"Bash(id)\""), "{text}");
    let remove = PermissionUpdate::RemoveRules {
        rules: vec![rule("Bash(id)")],
        behavior: Behavior::Allow,
        destination: Destination::UserSettings,
    };
    assert_eq!(saved(&world, &remove).removed, ["Bash(id)"]);
    let mode = PermissionUpdate::SetMode { mode: Mode::AcceptEdits, destination: Destination::UserSettings };
    let done = saved(&world, &mode);
    assert_eq!((done.added, done.removed), (vec!["acceptEdits".to_owned()], vec!["plan".to_owned()]));
    let text = world.read(USER);
    assert!(text.contains("\"defaultMode\":\"acceptEdits\" /* careful */"), "{text}");
    assert!(world.load().problems.is_empty());
}

#[test]
fn nothing_to_do_leaves_the_file_alone() {
    let world = TestWorld::new(&[(USER, ODD)]);
    let modified = || fs::metadata(world.at(USER)).unwrap().modified().unwrap();
    let before = modified();
    let done = saved(&world, &add(Behavior::Allow, Destination::UserSettings, &["Bash(ls)"]));
    assert!(done.added.is_empty() && done.removed.is_empty());
    assert_eq!((world.read(USER).as_str(), modified()), (ODD, before));
}

#[test]
fn files_and_folders_are_made() {
    for (destination, name) in [
        (Destination::UserSettings, USER),
        (Destination::ProjectSettings, PROJECT),
        (Destination::LocalSettings, LOCAL),
    ] {
        let world = TestWorld::new(&[]);
        let done = saved(&world, &add(Behavior::Deny, destination, &["Bash(rm:*)", "Edit"]));
        assert_eq!(done.file, world.at(name));
        assert_eq!(file_of(destination, &world.settings_paths(None)), Some(world.at(name)));
        assert_eq!(
            world.read(name),
            "{\n  \"permissions\": {\n    \"deny\": [\n      \"Bash(rm:*)\",\n      \"Edit\"\n    ]\n  }\n}\n"
        );
        assert_eq!(world.load().rules.len(), 2);
        assert!(!world.at("home/settings.lock").as_path().exists());
    }
    let world = TestWorld::new(&[]);
    saved(&world, &add(Behavior::Deny, Destination::UserSettings, &["Edit"]));
    assert_eq!(fs::metadata(world.at(USER)).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_is_kept_in_memory_is_not_saved() {
    let world = TestWorld::new(&[]);
    for destination in [Destination::Session, Destination::CliArg] {
        let update = add(Behavior::Allow, destination, &["Bash(ls)"]);
        assert_eq!(save(&update, &world.settings_paths(None)).unwrap(), None);
    }
    assert!(!world.at("home").as_path().exists());
}

#[test]
fn small_odd_files_take_a_change() {
    for text in [
        "",
        "\n",
        "{}",
        "// only a comment",
        "/* only a comment */\n",
        "\u{feff}{}",
        "{\"permissions\": {}}",
        "{\"permissions\": {\"allow\": []}}",
        "{\"permissions\": {\"allow\": [ // none\n]}}",
        "{\"permissions\": {\"allow\": [\"Bash(ls)\" // one\n]}}",
        "{\"permissions\": {\"allow\": [\"Bash(ls)\" /* one */]}}",
        "{\"permissions\": {\"allow\": [\n\n]} // x\n}",
        "{\"permissions\": { // x\n}}",
        "{ // x\n}",
    ] {
        let world = TestWorld::new(&[(USER, text)]);
        saved(&world, &add(Behavior::Allow, Destination::UserSettings, &["Bash(a \"b\" \\ \n🦀)"]));
        let settings = world.load();
        assert!(settings.problems.is_empty(), "{text:?} became {:?}", world.read(USER));
        assert_eq!(settings.rules.last().unwrap().origin.rule, "Bash(a \"b\" \\ \n🦀)");
        for piece in ["// only", "/* only", "// x", "// one", "/* one", "// none", "\u{feff}"] {
            assert_eq!(text.contains(piece), world.read(USER).contains(piece), "{text:?} {piece}");
        }
    }
}

/// What may not stand bare in a text is written as an escape, and comes back.
#[test]
fn control_characters_are_saved_as_escapes() {
    let controls: String = (1..32u8).map(char::from).collect();
    let rule = format!("Bash(a{controls}b)");
    let world = TestWorld::new(&[]);
    saved(&world, &add(Behavior::Deny, Destination::UserSettings, &[&rule]));
    let settings = world.load();
    assert!(settings.problems.is_empty(), "{:?}", settings.problems);
    assert_eq!(settings.rules[0].origin.rule, rule);
}

#[test]
fn a_broken_file_is_not_touched() {
    for text in [
        "{,}",
        "[]",
        "{\"permissions\": []}",
        "{\"permissions\": {\"allow\": \"Bash\"}}",
        "{\"permissions\": {}, \"permissions\": {}}",
        "{\"permissions\": {\"allow\": [], \"allow\": []}}",
        "{\"model\": {\"main\": \"a\tb\"}}",
        "{\u{a0}}",
    ] {
        let world = TestWorld::new(&[(PROJECT, text)]);
        let update = add(Behavior::Allow, Destination::ProjectSettings, &["Bash(ls)"]);
        let error = save(&update, &world.settings_paths(None)).unwrap_err();
        assert!(matches!(error, SaveError::Broken { .. }), "{text}: {error}");
        assert!(error.to_string().contains("was not changed"), "{error}");
        assert_eq!(world.read(PROJECT), text);
    }
}

#[test]
fn what_would_do_nothing_or_harm_is_not_saved() {
    let world = TestWorld::new(&[]);
    let broken = add(Behavior::Allow, Destination::UserSettings, &["Bash(ls)", "TodoWrite(x)"]);
    let error = save(&broken, &world.settings_paths(None)).unwrap_err().to_string();
    assert!(error.contains("`TodoWrite` does not accept a specifier in parentheses"), "{error}");
    for destination in [Destination::ProjectSettings, Destination::LocalSettings] {
        let mode = PermissionUpdate::SetMode { mode: Mode::BypassPermissions, destination };
        assert!(matches!(save(&mode, &world.settings_paths(None)), Err(SaveError::Mode(_))));
    }
    assert!(!world.at("home").as_path().exists() && !world.at(PROJECT).as_path().exists());
}

#[test]
fn folders_come_and_go() {
    let world = TestWorld::new(&[]);
    let destination = Destination::LocalSettings;
    let directories = vec!["/a".to_owned(), "~/b".to_owned()];
    saved(&world, &PermissionUpdate::AddDirectories { directories: directories.clone(), destination });
    assert_eq!(world.trusted().additional_directories.len(), 2);
    let directories = directories[..1].to_vec();
    saved(&world, &PermissionUpdate::RemoveDirectories { directories, destination });
    assert_eq!(world.trusted().additional_directories.len(), 1);
}

#[test]
fn many_sessions_save_at_once_and_none_is_lost() {
    let world = TestWorld::new(&[(PROJECT, "{}")]);
    std::thread::scope(|scope| {
        for at in 0..8 {
            let world = &world;
            scope.spawn(move || {
                for more in 0..5 {
                    let rule = format!("Bash(run {at} {more})");
                    saved(world, &add(Behavior::Allow, Destination::ProjectSettings, &[&rule]));
                }
            });
        }
    });
    assert_eq!(world.trusted().rules.len(), 40);
}

const FILLERS: [&str; 4] = ["", " ", "\n  ", " // c\n"];
const RULES: [&str; 6] = ["Bash(a)", "Bash(b:*)", "Edit", "Read(/x)", "mcp__s", "WebFetch(domain:a.b)"];

/// An editor saves the same file again and again, with all its heart and without our lock.
#[test]
fn what_an_editor_saves_meanwhile_is_not_undone() {
    let world = TestWorld::new(&[]);
    let path = file_of(Destination::UserSettings, &world.settings_paths(None)).unwrap();
    let path = path.as_path();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in 0..300 {
                let _ = save(
                    &add(Behavior::Allow, Destination::UserSettings, &[&format!("Bash(a{at})")]),
                    &world.settings_paths(None),
                );
            }
        });
        for version in 0..300 {
            let text = format!("{{\"model\": {{\"main\": \"a/{version}\"}}}}");
            fs::write(path.with_extension("new"), &text).unwrap();
            fs::rename(path.with_extension("new"), path).unwrap();
            // For an instant ours may be seen, until it is swapped back.
            let is_there = || fs::read_to_string(path).unwrap().contains(&format!("a/{version}\""));
            assert!((0..100_000).any(|_| is_there()), "version {version} was undone");
        }
    });
}

/// A file with rules in it and other things around them, formatted at random.
fn file() -> impl Strategy<Value = String> {
    let list = proptest::collection::vec((proptest::sample::select(&RULES[..]), 0..4usize), 0..4);
    (list.clone(), list, 0..4usize, 0..4usize, any::<bool>()).prop_map(|(allow, deny, one, two, more)| {
        let list = |rules: &[(&str, usize)]| {
            let items: Vec<String> = rules
                .iter()
                .enumerate()
                .map(|(at, (rule, filler))| {
                    let item = if at % 2 == 1 { format!("{{\"rule\": \"{rule}\"}}") } else { format!("\"{rule}\"") };
                    format!("{0}{item}{0}", FILLERS[*filler])
                })
                .collect();
            format!("[{}{}]", items.join(","), FILLERS[one])
        };
        let more = if more { ", // more\n \"env\": {\"A\": \"x\\ty\"}" } else { "" };
        format!(
            "/* top */{{{0}\"model\": {{\"main\": \"m/n\"}},{1}\"permissions\":{0}{{\"deny\":{1}{deny},{0}\"allow\": {allow}{1}}}{more}{0}}}// end\n",
            FILLERS[one], FILLERS[two], allow = list(&allow), deny = list(&deny)
        )
    })
}

fn update() -> impl Strategy<Value = PermissionUpdate> {
    let behavior = proptest::sample::select(vec![Behavior::Allow, Behavior::Ask, Behavior::Deny]);
    let rules = proptest::collection::vec(proptest::sample::select(&RULES[..]), 0..4);
    let folders = proptest::collection::vec("/[a-c]", 0..3);
    (0..6u8, behavior, rules, folders, proptest::sample::select(&Mode::ALL[..])).prop_map(
        |(kind, behavior, rules, directories, mode)| {
            let rules = rules.into_iter().map(rule).collect();
            let destination = Destination::UserSettings;
            match kind {
                0 => PermissionUpdate::AddRules { rules, behavior, destination },
                1 => PermissionUpdate::ReplaceRules { rules, behavior, destination },
                2 => PermissionUpdate::RemoveRules { rules, behavior, destination },
                3 => PermissionUpdate::SetMode { mode, destination },
                4 => PermissionUpdate::AddDirectories { directories, destination },
                _ => PermissionUpdate::RemoveDirectories { directories, destination },
            }
        },
    )
}

/// What a file should say: the lists as they are read, without their examples.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Model {
    lists: [Vec<String>; 4],
    mode: Option<Mode>,
}

impl Model {
    fn of(layer: Option<&Layer>) -> Self {
        let Some(layer) = layer else { return Self::default() };
        let lists = [&ALLOW, &ASK, &DENY].map(|key| {
            let rules = layer.get(key).and_then(|found| found.value.as_rules()).unwrap_or_default();
            rules.iter().map(|rule| rule.text.clone()).collect()
        });
        let folders = layer.get(&ADDITIONAL_DIRECTORIES).and_then(|found| found.value.as_folders());
        let folders = folders.unwrap_or_default().iter().map(|folder| folder.text.clone()).collect();
        let [allow, ask, deny] = lists;
        let mode = layer.get(&DEFAULT_MODE).and_then(|found| found.value.as_mode());
        Self { lists: [allow, ask, deny, folders], mode }
    }

    fn apply(&mut self, update: &PermissionUpdate) {
        let texts = |rules: &[RuleValue]| rules.iter().map(ToString::to_string).collect::<Vec<String>>();
        match update {
            PermissionUpdate::AddRules { rules, behavior, .. } => self.add(*behavior as usize, texts(rules)),
            PermissionUpdate::ReplaceRules { rules, behavior, .. } => {
                let texts = texts(rules);
                self.lists[*behavior as usize].retain(|text| texts.contains(text));
                self.add(*behavior as usize, texts);
            }
            PermissionUpdate::RemoveRules { rules, behavior, .. } => {
                let texts = texts(rules);
                self.lists[*behavior as usize].retain(|text| !texts.contains(text));
            }
            PermissionUpdate::SetMode { mode, .. } => self.mode = Some(*mode),
            PermissionUpdate::AddDirectories { directories, .. } => self.add(3, directories.clone()),
            PermissionUpdate::RemoveDirectories { directories, .. } => {
                self.lists[3].retain(|text| !directories.contains(text));
            }
        }
    }

    fn add(&mut self, list: usize, texts: Vec<String>) {
        for text in texts {
            if !self.lists[list].contains(&text) {
                self.lists[list].push(text);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_file_and_a_list_agree_after_any_updates(
        text in file(),
        updates in proptest::collection::vec(update(), 1..8),
    ) {
        let world = TestWorld::new(&[(USER, &text)]);
        let before = world.load();
        prop_assert!(before.problems.is_empty(), "{:?}", before.problems);
        let mut model = Model::of(before.layers.first());
        for update in &updates {
            saved(&world, update);
            model.apply(update);
        }
        let after = world.load();
        prop_assert!(after.problems.is_empty(), "{:?}\n{}", after.problems, world.read(USER));
        prop_assert_eq!(Model::of(after.layers.first()), model);
        prop_assert_eq!(after.model.map(|said| said.value), before.model.map(|said| said.value));
        let values = |env: std::collections::BTreeMap<String, forelook_settings::Layered<String>>| {
            env.into_iter().map(|(name, said)| (name, said.value)).collect::<Vec<_>>()
        };
        prop_assert_eq!(values(after.env), values(before.env));
        let written = world.read(USER);
        for piece in ["/* top */", "// end"] {
            prop_assert!(written.contains(piece), "{}", written);
        }
    }
}

/// What a rule was made from is saved with it, and is true when it is read again.
#[test]
fn a_rule_is_saved_with_what_it_was_made_from() {
    let world = TestWorld::new(&[(LOCAL, "{}\n")]);
    let made = |text: &str, example: &str| RuleValue { examples: vec![example.into()], ..rule(text) };
    let update = PermissionUpdate::AddRules {
        rules: vec![
            made("Bash(git commit:*)", "git commit -m x"),
            // Changed by hand to something else: what does not fit is left out, or the rule would be invalid.
            made("Bash(npm test:*)", "make"),
            rule("Bash(ls)"),
        ],
        behavior: Behavior::Allow,
        destination: Destination::LocalSettings,
    };
    assert_eq!(saved(&world, &update).added.len(), 3);
    let text: serde_json::Value = serde_json::from_str(&world.read(LOCAL)).unwrap();
    let expected = serde_json::json!([
        {"rule": "Bash(git commit:*)", "match": ["git commit -m x"]}, "Bash(npm test:*)", "Bash(ls)"
    ]);
    assert_eq!(text["permissions"]["allow"], expected);
    let problems = world.load().problems;
    assert!(problems.iter().all(|problem| !problem.text.contains("example")), "{problems:?}");
    assert!(saved(&world, &update).added.is_empty(), "they are there now");
}
