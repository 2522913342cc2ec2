//! What is taken over from another agent, what is not, and that nothing happens before it is wanted.

use std::fs;

use forelook_protocol::{Destination, HookEvent, Mode};
use forelook_settings::plan_import;

use crate::world::{LOCAL, PROJECT, TestWorld, USER};

const CLAUDE_USER: &str = r#"{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "model": "opus",
  "enabledMcpjsonServers": ["github"],
  "permissions": {
    "allow": ["Bash(npm run test:*)", "WebSearch", "Read(/notes/**)", "Read(~/x)", "mcp__github__*", "Bash(oops"],
    "deny": ["Read(./.env)", "WebSearch", "LSP(x)"],
    "defaultMode": "bypassPermissions",
    "disableBypassPermissionsMode": "disable",
    "additionalDirectories": ["../docs/"]
  },
  "hooks": {
    "PreToolUse": [{"matcher": "Bash", "hooks": [
      {"type": "command", "command": "check.sh", "timeout": 30},
      {"type": "prompt", "prompt": "ok?"}
    ]}],
    "WorktreeCreate": [{"hooks": [{"type": "command", "command": "x"}]}]
  }
}"#;

#[test]
fn a_plan_says_what_goes_where_and_what_does_not() {
    let world = TestWorld::new(&[
        ("claude/settings.json", CLAUDE_USER),
        (
            "project/.claude/settings.json",
            r#"{"permissions": {"ask": ["Bash(git push:*)", "Edit(/src/**)"], "defaultMode": "auto"}}"#,
        ),
        (
            "project/.claude/settings.local.json",
            r#"{"permissions": {"allow": ["Bash(ls:*)"], "defaultMode": "plan"}}"#,
        ),
    ]);
    let import = plan_import(&world.at("claude"), &world.at("project"));
    let [user, project, local] = &import.files[..] else { panic!("{import:#?}") };
    let notes = format!("Read(/{}/notes/**)", world.at("claude"));
    assert_eq!(user.allow, ["Bash(npm run test:*)", &notes, "Read(~/x)", "mcp__github__*"]);
    assert_eq!(user.deny, ["Read(./.env)", "WebSearch"]);
    assert_eq!(
        (user.mode, &user.directories[..]),
        (Some(Mode::BypassPermissions), &["../docs/".to_owned()][..])
    );
    assert_eq!((user.hooks.len(), user.hooks[0].event), (1, HookEvent::PreToolUse));
    assert_eq!((project.destination, project.mode), (Destination::ProjectSettings, None));
    assert_eq!(project.ask, ["Bash(git push:*)", "Edit(/src/**)"]);
    assert_eq!((local.destination, local.mode), (Destination::LocalSettings, Some(Mode::Plan)));

    let left: Vec<_> = import.skipped.iter().map(|left| format!("{}: {}", left.what, left.why)).collect();
    for part in [
        "`model`: only rules",
        "`enabledMcpjsonServers`: MCP servers",
        "allow `WebSearch`: Forelook has no tool `WebSearch`",
        "allow `Bash(oops`: rule `Bash(oops` must end",
        "deny `LSP(x)`: rule",
        "`permissions.disableBypassPermissionsMode`: ",
        "of type `prompt`",
        "`hooks.WorktreeCreate`",
        "the mode `auto`: a project cannot",
    ] {
        assert!(left.iter().any(|left| left.contains(part)), "{part} in {left:#?}");
    }
    assert_eq!(left.len(), 9, "{left:#?}");
    for name in [USER, PROJECT, LOCAL] {
        assert!(!world.at(name).as_path().exists());
    }
}

#[test]
fn applying_writes_what_was_planned_and_again_nothing() {
    let world = TestWorld::new(&[
        ("claude/settings.json", CLAUDE_USER),
        ("project/.claude/settings.json", r#"{"permissions": {"ask": ["Bash(git push:*)"]}}"#),
        (USER, "{\n  // mine\n  \"permissions\": {\"allow\": [\"mcp__github__*\"]}\n}"),
    ]);
    let import = plan_import(&world.at("claude"), &world.at("project"));
    let saved = import.apply(&world.settings_paths(None)).unwrap();
    assert_eq!(saved.iter().map(|saved| saved.added.len()).collect::<Vec<_>>(), [8, 1]);
    assert!(world.read(USER).contains("// mine"));
    let settings = world.load();
    assert_eq!(settings.problems, []);
    assert_eq!((settings.rules.len(), settings.hooks.len()), (7, 1));
    assert_eq!(settings.hooks[0].timeout, Some(std::time::Duration::from_secs(30)));
    assert_eq!(settings.default_mode.unwrap().value, Mode::BypassPermissions);

    let before = world.read(USER);
    let again = import.apply(&world.settings_paths(None)).unwrap();
    assert!(again.iter().all(|saved| saved.added.is_empty() && saved.removed.is_empty()), "{again:?}");
    assert_eq!(world.read(USER), before);
}

const CLAUDE_SANDBOX: &str = r#"{"sandbox": {
  "enabled": true,
  "autoAllowBashIfSandboxed": true,
  "excludedCommands": ["docker", "git push *", "*"],
  "network": {"allowedDomains": ["Crates.io", "*.npmjs.org", "https://a.org", "a*"], "allowLocalBinding": true},
  "filesystem": {"allowWrite": ["~/.kube", "//opt/build", "/srv/x", "out"], "denyRead": ["~/.aws"]}
}}"#;

#[test]
fn the_sandbox_is_taken_as_far_as_it_means_the_same() {
    let world = TestWorld::new(&[
        ("claude/settings.json", CLAUDE_SANDBOX),
        (
            "project/.claude/settings.json",
            r#"{"sandbox": {"enabled": false, "filesystem": {"allowWrite": ["out"]}}}"#,
        ),
        (USER, "{\n  // mine\n  \"sandbox\": {\"enabled\": false, \"network\": [\"crates.io\"]}\n}"),
    ]);
    let import = plan_import(&world.at("claude"), &world.at("project"));
    let [user, project] = &import.files[..] else { panic!("{import:#?}") };
    assert_eq!(user.sandbox.enabled, Some(true));
    assert_eq!(user.sandbox.network, ["crates.io", "*.npmjs.org"]);
    assert_eq!(user.sandbox.writable, ["~/.kube", "/opt/build", "/srv/x"]);
    assert_eq!(user.sandbox.outside, ["docker:*", "git push *"]);
    assert_eq!((project.sandbox.enabled, &project.sandbox.writable[..]), (None, &["out".to_owned()][..]));
    let left: Vec<_> = import.skipped.iter().map(|left| format!("{}: {}", left.what, left.why)).collect();
    for part in [
        "`sandbox.autoAllowBashIfSandboxed`: commands in the fence",
        "`*` of `sandbox.excludedCommands`: it must be",
        "`https://a.org` of `sandbox.network.allowedDomains`: it must be the domain alone",
        "`a*` of `sandbox.network.allowedDomains`: it must be a domain",
        "`sandbox.network.allowLocalBinding`: Forelook has no such setting",
        "`out` of `sandbox.filesystem.allowWrite`: its path is relative",
        "`sandbox.filesystem.denyRead`: Forelook has no such setting",
        "`sandbox.enabled`: a project cannot turn off the fence",
    ] {
        assert!(left.iter().any(|left| left.starts_with(part)), "{part} in {left:#?}");
    }
    assert_eq!(left.len(), 8, "{left:#?}");

    import.apply(&world.settings_paths(None)).unwrap();
    assert!(world.read(USER).contains("// mine"));
    let settings = world.trusted();
    assert_eq!(settings.problems, []);
    assert_eq!(settings.sandbox.enabled, Some(true));
    assert_eq!((settings.sandbox.network.len(), settings.sandbox.outside.len()), (2, 2));
    assert_eq!(settings.sandbox.writable.len(), 4);
    let before = world.read(USER);
    import.apply(&world.settings_paths(None)).unwrap();
    assert_eq!(world.read(USER), before, "importing again is harmless");
}

#[test]
fn nothing_there_is_nothing_to_do_and_a_broken_file_is_named() {
    let world = TestWorld::new(&[]);
    let import = plan_import(&world.at("claude"), &world.at("project"));
    assert!(import.files.is_empty() && import.skipped.is_empty());
    assert!(import.apply(&world.settings_paths(None)).unwrap().is_empty());
    world.write("claude/settings.json", b"{\"a\": \xff}");
    world.write("project/.claude/settings.json", b"{,}");
    fs::create_dir_all(world.at("project/.claude/settings.local.json")).unwrap();
    let import = plan_import(&world.at("claude"), &world.at("project"));
    assert!(import.files.is_empty());
    let why: Vec<_> = import.skipped.iter().map(|left| left.why.as_str()).collect();
    assert!(
        why[0].contains("not UTF-8") && why[1].contains("extra comma") && why[2].contains("a folder"),
        "{why:?}"
    );
}

#[test]
fn in_the_home_folder_the_persons_file_is_taken_once() {
    let world =
        TestWorld::new(&[("project/.claude/settings.json", r#"{"permissions": {"allow": ["Bash(ls)"]}}"#)]);
    let import = plan_import(&world.at("project/.claude"), &world.at("project"));
    assert_eq!(import.files.len(), 1);
    assert_eq!(import.files[0].destination, Destination::UserSettings);
}
