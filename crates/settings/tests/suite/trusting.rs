//! What trust is bound to, what stands in its way, and what is the person's own without it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::{Duration, Instant};

use forelook_protocol::{AbsPath, Behavior, Destination, PermissionUpdate};
use forelook_settings::{
    PowerItem, ProjectContents, ProjectSnapshot, ProjectTrust, Settings, SettingsPaths, Trust, TrustState,
    TrustStore, load_snapshot, own_command, save,
};

use crate::saving::rule;
use crate::world::{LOCAL, PROJECT, TestWorld};

fn hooks(command: &str) -> String {
    let command = serde_json::Value::from(command);
    format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": {command}}}]}}]}}}}"#)
}

fn state_in(world: &TestWorld, paths: &SettingsPaths) -> TrustState {
    TrustStore::load(&world.at("home")).state(&world.at("project"), &ProjectContents::read(paths))
}

/// What the trust store makes of the project now.
fn state(world: &TestWorld) -> TrustState {
    state_in(world, &world.settings_paths(None))
}

fn trust_in(world: &TestWorld, paths: &SettingsPaths) {
    let contents = ProjectContents::read(paths);
    TrustStore::load(&world.at("home")).trust(&world.at("project"), &contents).unwrap();
}

fn trust(world: &TestWorld) {
    trust_in(world, &world.settings_paths(None));
}

fn words(world: &TestWorld) -> Vec<String> {
    ProjectContents::read(&world.settings_paths(None)).items().map(PowerItem::words).collect()
}

fn chmod(path: &AbsPath, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Where every user comes as far as the project.
fn open_world(files: &[(&str, &str)]) -> TestWorld {
    let world = TestWorld::new(files);
    let project = world.at("project");
    for above in project.as_path().ancestors().take_while(|above| *above != std::env::temp_dir()) {
        chmod(&AbsPath::new(above).unwrap(), 0o755);
    }
    world
}

/// However the command reaches a file, and however large the file is: another one in its place is not trusted.
#[test]
fn a_script_that_is_swapped_is_not_trusted() {
    let large = "x".repeat(10 << 20);
    for (command, file, text) in [
        ("sh tools/x.sh", "project/tools/x.sh", "true"),
        ("tools/large", "project/tools/large", &*large),
        ("cd \"$CLAUDE_PROJECT_DIR\"/tools && ./x.sh", "project/tools/x.sh", "true"),
        ("\"my tools/x.sh\"", "project/my tools/x.sh", "true"),
        (&format!("echo {} && tools/x.sh", "a ".repeat(300)), "project/tools/x.sh", "true"),
        ("../shared/x.sh", "shared/x.sh", "true"),
        ("sh tools/link.sh", "shared/x.sh", "true"),
        ("env -C tools ./x.sh", "project/tools/x.sh", "true"),
        ("node tools/x", "project/tools/x", "1"),
    ] {
        let world = TestWorld::new(&[(PROJECT, &hooks(command)), (file, text), ("project/tools/y", "")]);
        symlink(world.at("shared/x.sh"), world.at("project/tools/link.sh")).unwrap();
        trust(&world);
        assert_eq!(state(&world), TrustState::Trusted, "{command}");
        world.write(file, format!("{text}.").as_bytes());
        let TrustState::Changed(differences) = state(&world) else { panic!("{command}: still trusted") };
        assert!(differences.len() == 1 && differences[0].starts_with("changed: script"), "{differences:?}");
    }
}

/// A file that others can change has no hash that means anything.
#[test]
fn a_script_that_cannot_be_checked_keeps_the_folder_from_being_trusted() {
    let world = open_world(&[(PROJECT, &hooks("sh x.sh")), ("project/x.sh", "true")]);
    assert_eq!(state(&world), TrustState::NotYet);
    trust(&world);
    chmod(&world.at("project/x.sh"), 0o666);
    let TrustState::Impossible(reasons) = state(&world) else { panic!("{:?}", state(&world)) };
    assert!(reasons[0].starts_with("`x.sh`: every user can write to it"), "{reasons:?}");
    let contents = ProjectContents::read(&world.settings_paths(None));
    assert!(TrustStore::load(&world.at("home")).trust(&world.at("project"), &contents).is_err());
}

#[test]
fn what_runs_unnamed_files_says_so() {
    for (command, item) in [
        ("make -C tools", "tools"),
        ("python3 tools", "tools"),
        // Node would find `x.js`.
        ("node tools/x", "node tools/x"),
        ("git -C tools status", "git -C tools status"),
        ("$(git rev-parse --show-toplevel)/tools/x.sh", "$(git rev-parse --show-toplevel)/tools/x.sh"),
    ] {
        let world = TestWorld::new(&[(PROJECT, &hooks(command)), ("project/tools/x.sh", "true")]);
        let expected = format!("runs files that Forelook cannot check: `{item}`");
        assert!(words(&world).contains(&expected), "{command}: {:?}", words(&world));
    }
}

/// A changed file would run while trust stays: so the question must say that it is not checked.
#[test]
fn what_leads_to_other_code_says_so_for_both_kinds_of_hooks() {
    for (command, taken_from) in [
        ("node lib/tools/check", "project/lib/tools/check.js"),
        ("cd lib && node tools/check", "project/lib/tools/check.js"),
        ("sh -c \"exec node lib/tools/check\"", "project/lib/tools/check.js"),
        ("node -r ./lib/tools/check main.js", "project/lib/tools/check.js"),
        ("NODE_OPTIONS=--require=./lib/tools/check node main.js", "project/lib/tools/check.js"),
        ("PYTHONPATH=lib/tools python3 lib/a.py", "project/lib/tools"),
        ("PYTHONPATH=lib/tools python3 -c 'import a'", "project/lib/tools"),
        ("perl -Ilib/tools lib/p.pl", "project/lib/tools"),
        ("PERL5LIB=lib/tools perl lib/p.pl", "project/lib/tools"),
        ("perl -Ilib/tools -Mx lib/p.pl", "project/lib/tools"),
        ("git -C lib/sub status --short", ""),
        ("cd lib/sub && git status --short", ""),
        ("git --git-dir=lib/gd status", "project/lib/gd"),
        ("GIT_DIR=lib/gd git status", "project/lib/gd"),
        ("HOME=$PWD/lib git status", "project/lib"),
        ("XDG_CONFIG_HOME=$PWD/lib/conf HOME=/nonexistent git status", "project/lib/conf"),
        ("PATH=\"$FORELOOK_PROJECT_DIR/lib/tools:$PATH\" check.sh", "project/lib/tools"),
        ("for f in lib/tools/*.sh; do sh $f; done", "project/lib/tools"),
        ("run-parts lib/tools", "project/lib/tools"),
        ("awk -f lib/new.awk", "project/lib/new.awk"),
        ("make -f lib/new.mk", "project/lib/new.mk"),
    ] {
        let files =
            ["lib/tools/check.js", "lib/a.py", "lib/p.pl", "main.js"].map(|it| format!("project/{it}"));
        let hook = hooks(command);
        let mut all: Vec<(&str, &str)> = files.iter().map(|file| (file.as_str(), "1")).collect();
        all.push((PROJECT, &hook));
        let world = TestWorld::new(&all);
        let said = words(&world).iter().any(|it| it.starts_with("runs files that Forelook cannot check"));
        assert!(said, "{command}: {:?}", words(&world));
        let own = own_command(command, &world.settings_paths(None));
        assert!(!own.unchecked.is_empty(), "{command}: {own:?}");
        assert!(taken_from.is_empty() || own.files.contains(&world.at(taken_from)), "{command}: {own:?}");
    }
    let world = TestWorld::new(&[(PROJECT, &hooks("env -C lib ./x.sh")), ("project/lib/x.sh", "true")]);
    let own = own_command("env -C lib ./x.sh", &world.settings_paths(None));
    assert!(own.unchecked.is_empty() && own.files.contains(&world.at("project/lib/x.sh")), "{own:?}");
}

/// A clone that nobody trusts is read at each start.
#[test]
fn a_start_takes_no_longer_than_it_may() {
    let timed = |world: &TestWorld| {
        let began = Instant::now();
        let contents = ProjectContents::read(&world.settings_paths(None));
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        contents
    };
    let hook = |at: usize| format!(r#"{{"type": "command", "command": "sh large {at}"}}"#);
    let many = (0..30_000).map(hook).collect::<Vec<_>>().join(",");
    let settings = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{many}]}}]}}}}"#);
    let world = TestWorld::new(&[(PROJECT, &settings)]);
    fs::File::create(world.at("project/large")).unwrap().set_len(4 << 20).unwrap();
    assert!(!timed(&world).obstacles().is_empty());

    let world = TestWorld::new(&[]);
    fs::create_dir_all(world.at("project/.claude/agents")).unwrap();
    for name in 0..100 {
        let file = world.at(&format!("project/.claude/agents/{name}.md"));
        fs::File::create(file).unwrap().set_len(4 << 20).unwrap();
    }
    assert_eq!(timed(&world).obstacles(), ["there are too many files, or too large ones"]);

    let world = TestWorld::new(&[]);
    fs::create_dir_all(world.at("project/.claude/commands")).unwrap();
    for name in 0..10_001 {
        fs::File::create(world.at(&format!("project/.claude/commands/{name}"))).unwrap();
    }
    assert_eq!(timed(&world).obstacles(), ["there are too many files, or too large ones"]);
}

#[test]
fn what_nobody_would_read_cannot_be_trusted() {
    let long = hooks(&format!("echo {}; evil", "x".repeat(5_000)));
    let world = TestWorld::new(&[(PROJECT, &long)]);
    let TrustState::Impossible(reasons) = state(&world) else { panic!("{:?}", state(&world)) };
    assert_eq!(reasons, ["`.forelook/settings.json:1` has a value of more than 4000 characters"]);
    let rules = (0..2_000).map(|at| format!("\"Bash(x{at})\"")).collect::<Vec<_>>().join(",");
    let world = TestWorld::new(&[(PROJECT, &format!(r#"{{"permissions": {{"allow": [{rules}]}}}}"#))]);
    assert!(matches!(state(&world), TrustState::Impossible(_)));
}

/// A hook runs in the folder that a session starts in, and nowhere else.
#[test]
fn a_yes_in_one_folder_of_a_project_stays_one_in_another() {
    let world = TestWorld::new(&[
        (PROJECT, &hooks("sh scripts/check.js")),
        ("project/scripts/check.js", "1"),
        ("project/packages/a/scripts/check.js", "2"),
    ]);
    let root = world.settings_paths(None);
    let below = SettingsPaths { working: world.at("project/packages/a"), ..world.settings_paths(None) };
    let above = SettingsPaths { working: world.at("project/packages"), ..world.settings_paths(None) };
    trust_in(&world, &root);
    assert_eq!(state_in(&world, &above), TrustState::Trusted, "nothing runs here that runs not there");
    let expected = vec!["new: script `packages/a/scripts/check.js`".to_owned()];
    assert_eq!(state_in(&world, &below), TrustState::Changed(expected));
    trust_in(&world, &below);
    for paths in [&root, &below, &above] {
        assert_eq!(state_in(&world, paths), TrustState::Trusted);
    }
    world.write("project/scripts/check.js", b"3");
    assert!(matches!(state_in(&world, &root), TrustState::Changed(_)));
}

fn add(destination: Destination, text: &str) -> PermissionUpdate {
    let rules = vec![rule(text)];
    PermissionUpdate::AddRules { rules, behavior: Behavior::Allow, destination }
}

/// The settings as the program loads them.
fn loaded(world: &TestWorld) -> Settings {
    let paths = world.settings_paths(None);
    let (snapshot, store) = (ProjectSnapshot::read(&paths), TrustStore::load(&paths.home));
    let trust = store.state(&paths.project, &snapshot.contents).trust();
    let own = store.own(&paths.project);
    load_snapshot(&paths, &ProjectTrust { trust, own }, &snapshot).unwrap()
}

fn allowed(world: &TestWorld) -> Vec<String> {
    let rules = loaded(world).rules;
    let allow = rules.iter().filter(|entry| entry.origin.behavior == Behavior::Allow);
    allow.map(|entry| entry.origin.rule.to_string()).collect()
}

#[test]
fn what_the_person_saves_is_theirs_whether_or_not_they_trust_the_rest() {
    let theirs = r#"{"permissions": {"allow": ["Bash(make)"], "defaultMode": "acceptEdits"}}"#;
    for destination in [Destination::LocalSettings, Destination::ProjectSettings] {
        let world = TestWorld::new(&[(PROJECT, theirs), ("project/.mcp.json", "{}")]);
        let save = |update: &PermissionUpdate| save(update, &world.settings_paths(None)).unwrap().unwrap();
        save(&add(destination, "Bash(ls:*)"));
        assert_eq!(allowed(&world), ["Bash(ls:*)"], "it counts, and the rest does not");
        assert_eq!(loaded(&world).default_mode, None);
        assert_eq!(loaded(&world).pending_trust.words().as_deref(), Some("1 allow rule"));

        trust(&world);
        save(&add(destination, "Bash(id)"));
        assert_eq!(state(&world), TrustState::Trusted);
        assert_eq!(allowed(&world).len(), 3);

        // What others bring is asked about, by its name alone; theirs still counts.
        world.write("project/.claude/agents/x.md", b"x");
        let expected = vec!["new: agent `.claude/agents/x.md`".to_owned()];
        assert_eq!(state(&world), TrustState::Changed(expected));
        let mut rules = allowed(&world);
        rules.sort();
        assert_eq!(rules, ["Bash(id)", "Bash(ls:*)"]);

        // A rule that the project has already is theirs once they save it; and no longer once they take it away.
        save(&add(Destination::ProjectSettings, "Bash(make)"));
        assert!(allowed(&world).contains(&"Bash(make)".to_owned()));
        let remove = PermissionUpdate::RemoveRules {
            rules: vec![rule("Bash(make)")],
            behavior: Behavior::Allow,
            destination: Destination::ProjectSettings,
        };
        save(&remove);
        let again = world.read(PROJECT).replace("\"allow\": [", "\"allow\": [\"Bash(make)\", ");
        world.write(PROJECT, again.replace(", ]", "]").as_bytes());
        assert!(!allowed(&world).contains(&"Bash(make)".to_owned()));
    }
}

#[test]
fn what_is_taken_away_by_the_person_is_no_change_either() {
    let world = TestWorld::new(&[(PROJECT, r#"{"permissions": {"allow": ["Bash(make)", "Bash(ls)"]}}"#)]);
    trust(&world);
    let remove = PermissionUpdate::RemoveRules {
        rules: vec![rule("Bash(ls)")],
        behavior: Behavior::Allow,
        destination: Destination::ProjectSettings,
    };
    save(&remove, &world.settings_paths(None)).unwrap();
    assert_eq!(state(&world), TrustState::Trusted);
}

/// To ignore a file that others can change would be to ignore what it forbids.
#[test]
fn a_file_that_is_not_believed_still_forbids() {
    const RULES: &str = r#"{"permissions": {"allow": ["Bash(a)"], "ask": ["Bash(b)"], "deny": ["Bash(c)"]}}"#;
    let writable = open_world(&[(PROJECT, RULES)]);
    chmod(&writable.at(PROJECT), 0o666);
    let linked = TestWorld::new(&[("shared.json", RULES), ("project/.forelook/x", "")]);
    symlink(linked.at("shared.json"), linked.at(LOCAL)).unwrap();
    for world in [writable, linked] {
        for settings in [world.load(), world.trusted()] {
            let rules: Vec<String> =
                settings.rules.iter().map(|entry| entry.origin.rule.to_string()).collect();
            assert_eq!(rules, ["Bash(b)", "Bash(c)"]);
            let text = &settings.problems[0].text;
            assert!(text.starts_with("Only the deny and ask rules in the settings file"), "{text}");
        }
    }
}

/// To read a file a second time would be to trust one version and to use another.
#[test]
fn what_is_used_is_what_was_judged() {
    let agent = "project/.claude/agents/a.md";
    let world = TestWorld::new(&[(PROJECT, &hooks("sh x.sh")), ("project/x.sh", "true"), (agent, "mine")]);
    let paths = world.settings_paths(None);
    trust(&world);
    let snapshot = ProjectSnapshot::read(&paths);
    let state = TrustStore::load(&paths.home).state(&paths.project, &snapshot.contents);
    assert_eq!(state, TrustState::Trusted);
    // Swapped in between.
    world.write(PROJECT, hooks("sh evil.sh").as_bytes());
    let settings = load_snapshot(&paths, &Trust::Trusted.into(), &snapshot).unwrap();
    let commands: Vec<&str> = settings.hooks.iter().map(|hook| hook.command.as_str()).collect();
    assert_eq!(commands, ["sh x.sh"]);
    let real = |name: &str| AbsPath::new(world.at(name).as_path().canonicalize().unwrap()).unwrap();
    assert_eq!(snapshot.bound.refuses(&real(agent), b"mine"), None);
    assert!(snapshot.bound.refuses(&real(agent), b"evil").is_some());
    world.write("project/.claude/agents/b.md", b"new");
    assert!(snapshot.bound.refuses(&real("project/.claude/agents/b.md"), b"new").is_some());
    assert_eq!(snapshot.bound.refuses(&real("project/x.sh"), b"anything"), None, "it is not read later");

    let files = snapshot.bound.command("sh x.sh").unwrap();
    assert_eq!(files.verify(), Ok(()));
    world.write("project/x.sh", b"evil");
    assert!(files.verify().unwrap_err().contains("x.sh` changed"));
}

#[test]
fn trust_is_withdrawn_and_what_was_saved_stays_the_persons() {
    let world = TestWorld::new(&[(PROJECT, &hooks("make check"))]);
    trust(&world);
    let update = PermissionUpdate::AddRules {
        rules: vec![rule("Bash(ls)")],
        behavior: Behavior::Allow,
        destination: Destination::LocalSettings,
    };
    save(&update, &world.settings_paths(None)).unwrap();
    assert_eq!(state(&world), TrustState::Trusted);
    TrustStore::load(&world.at("home")).withdraw(&world.at("project")).unwrap();
    assert_eq!(state(&world), TrustState::NotYet);
    let paths = world.settings_paths(None);
    let own = TrustStore::load(&world.at("home")).own(&world.at("project"));
    let project_trust = ProjectTrust { trust: Trust::NotYet, own };
    let settings = load_snapshot(&paths, &project_trust, &ProjectSnapshot::read(&paths)).unwrap();
    let rules: Vec<&str> = settings.rules.iter().map(|entry| entry.origin.rule.as_str()).collect();
    assert_eq!((rules, settings.hooks.len()), (vec!["Bash(ls)"], 0));
    // Where there was no trust there is none to withdraw.
    TrustStore::load(&world.at("home")).withdraw(&world.at("home")).unwrap();
}
