//! What the kernel holds a call to, and what may run because of it.

use forelook_permissions::{AgentKind, FileVisibility, PermissionPolicy};
use forelook_protocol::{
    AbsPath, Action, ClassifierInPlan, Decision, Facts, FileRef, Mode, ModeState, PrePlanState,
};
use proptest::prelude::*;

use crate::laws::{CALLS, any_world};
use crate::world::{World, path, world};

fn check(world: &World, cases: &[(&str, &str)]) {
    for (call, expected) in cases {
        assert_eq!(world.says_sandbox(call), *expected, "{call}: {:?}", world.decide(call));
    }
}

#[test]
fn while_planning_what_nobody_can_judge_runs_where_it_can_change_nothing() {
    check(
        &world(Mode::Plan),
        &[
            ("Bash(ls)", "allow 3 ReadOnly"),
            ("Bash(./run.sh)", "allow 3 ReadOnly"),
            ("Bash(python -c 'import os')", "allow 3 ReadOnly"),
            ("Bash(cargo check --all)", "allow 3 ReadOnly"),
            ("Bash(cargo test)", "deny 3 Off"),
            ("Bash(echo 'not closed)", "allow 3 ReadOnly"),
            ("PowerShell(Get-ChildItem)", "allow 3 ReadOnly"),
            // What is known to change something is still refused, with its reason.
            ("Bash(rm src/a.rs)", "deny 3 Off"),
            ("Bash(./run.sh && rm src/a.rs)", "deny 3 Off"),
            ("Bash(echo hi > out.txt)", "deny 3 Off"),
            ("Edit(src/a.rs)", "deny 3 Off"),
            // A yes lets it run, and not elsewhere.
            ("Bash(cat .env)", "ask 3 InspectSecrets"),
            ("Bash(python x.py .env)", "ask 3 InspectSecrets"),
            ("WebFetch(example.com)", "ask 3 Off"),
            ("mcp__git__other", "ask 3 Off"),
            // Rehearsals may change what they like.
            ("Rehearse(rm src/a.rs)", "allow 3 Rehearsal"),
            ("Rehearse(rm -rf /)", "allow 3 Rehearsal"),
            ("Rehearse", "allow 3 Rehearsal"),
            ("Rehearse(cat .env)", "ask 3 Rehearsal"),
        ],
    );
}

#[test]
fn rules_hold_for_what_is_confined_too() {
    let rules = ["deny Bash(curl:*)", "ask Bash(./deploy.sh:*)", "deny Edit(src/**)", "allow Bash"];
    check(
        &world(Mode::Plan).with(&rules),
        &[
            ("Bash(curl example.com)", "deny 2 Off"),
            ("Rehearse(curl example.com)", "deny 2 Off"),
            ("Rehearse(ls)", "deny 2 Off"),
            ("Bash(./deploy.sh --dry)", "ask 3 ReadOnly"),
            ("Bash(./run.sh)", "allow 3 ReadOnly"),
            ("Bash(rm x)", "deny 3 Off"),
        ],
    );
}

#[test]
fn where_the_kernel_holds_nothing_somebody_is_asked() {
    check(
        &world(Mode::Plan).unfenced(),
        &[
            ("Bash(ls)", "allow 3 Off"),
            ("Bash(./run.sh)", "ask 3 Off"),
            ("Rehearse(ls)", "deny 3 Off"),
            ("Bash(rm x)", "deny 3 Off"),
        ],
    );
    let mode_state = ModeState::default()
        .with_pre_plan(PrePlanState { mode: Mode::Auto, classifier: ClassifierInPlan::On });
    let judged = World { mode_state, ..world(Mode::Plan) };
    check(&judged.clone().unfenced(), &[("Bash(./run.sh)", "judge 3 Off")]);
    check(&judged, &[("Bash(./run.sh)", "allow 3 ReadOnly")]);
}

#[test]
fn declared_reads_have_the_network_and_nothing_else_has() {
    let world = World { network: vec!["gh pr view:*".into()], ..world(Mode::Plan) };
    check(
        &world,
        &[
            ("Bash(gh pr view 12)", "allow 3 ReadOnlyOnline"),
            ("Bash(gh pr view 12 | head)", "allow 3 ReadOnlyOnline"),
            ("Bash(gh pr view 12 | ./send.sh)", "allow 3 ReadOnly"),
            ("Bash(gh pr view 12 > x)", "deny 3 Off"),
            ("Bash(ls)", "allow 3 ReadOnly"),
        ],
    );
}

#[test]
fn an_agent_that_only_reads_is_held_in_every_mode() {
    for mode in Mode::ALL {
        let world = World { agent: AgentKind::ReadOnly, ..world(mode).kept(&["docker:*"], true) };
        check(&world, &[("Bash(./run.sh)", "allow 3 ReadOnly"), ("Bash(docker ps)", "allow 3 ReadOnly")]);
    }
    let reads = World { agent: AgentKind::ReadOnly, ..world(Mode::Default) };
    check(&reads, &[("Rehearse(ls)", "deny 3 Off")]);
}

#[test]
fn rehearsals_belong_to_planning() {
    for mode in Mode::ALL.into_iter().filter(|mode| *mode != Mode::Plan) {
        check(&world(mode), &[("Rehearse(ls)", "deny 5 Off"), ("Rehearse", "deny 5 Off")]);
    }
}

#[test]
fn in_the_workspace_what_stays_inside_is_not_asked_for() {
    let cases = [
        ("Bash(ls)", "allow 10 Inspect"),
        ("Bash(./run.sh)", "allow 10 Workspace"),
        ("Bash(rm src/a.rs)", "allow 10 Workspace"),
        ("Bash(echo hi > out.txt)", "allow 10 Workspace"),
        ("Bash(echo hi > /tmp/x)", "allow 10 Workspace"),
        ("Bash(touch ~/.cache/x)", "allow 10 Workspace"),
        ("PowerShell(Get-ChildItem)", "allow 10 Workspace"),
        // What is known to leave.
        ("Bash(touch ~/x)", "ask 12 Off"),
        ("Bash(echo hi > /etc/x)", "ask 12 Off"),
        ("Bash(docker run x | head)", "ask 12 Off"),
        ("Bash(git commit -m x)", "ask 12 Off"),
        // Only a part of it leaves: then all of it stays.
        ("Bash(docker ps -a && ./run.sh)", "allow 10 Workspace"),
        ("Bash(git commit -m x; ./run.sh)", "allow 10 Workspace"),
        ("Bash(curl example.com)", "ask 12 Off"),
        // Walls stand inside too.
        ("Bash(rm -rf ~)", "ask 4 Off"),
        ("Bash(echo x > .git/hooks/pre-commit)", "ask 4 Off"),
        // Whoever says yes to this wants it read, and the fence would hide it.
        ("Bash(cat .env)", "ask 4 InspectSecrets"),
        // It is no child process.
        ("Edit(src/a.rs)", "ask 12 Off"),
    ];
    check(&world(Mode::Default).kept(&["docker:*"], false), &cases);
    let accepted: Vec<_> =
        cases.iter().filter(|(call, _)| call.contains("run.sh") || call.contains("~/x")).collect();
    for (call, expected) in accepted {
        assert_eq!(world(Mode::AcceptEdits).kept(&["docker:*"], false).says_sandbox(call), *expected);
    }
    check(
        &world(Mode::Default).kept(&[], true),
        &[
            ("Bash(curl example.com)", "allow 10 Workspace"),
            ("Bash(npm install)", "allow 10 Workspace"),
            ("Bash(git fetch)", "ask 12 Off"),
            ("Bash(git push)", "ask 12 Off"),
            ("Bash(cargo publish)", "ask 12 Off"),
        ],
    );
}

#[test]
fn the_workspace_policy_holds_in_other_modes_and_lets_nothing_more_through() {
    for (mode, unknown, elsewhere) in [
        (Mode::DontAsk, "deny 12 Off", "deny 12 Off"),
        (Mode::Auto, "judge 11 Workspace", "judge 11 Off"),
        (Mode::BypassPermissions, "allow 7 Off", "allow 7 Off"),
    ] {
        let world = world(mode).kept(&[], false);
        check(&world, &[("Bash(./run.sh)", unknown), ("Bash(touch ~/x)", elsewhere)]);
    }
    check(
        &world(Mode::DontAsk)
            .kept(&["docker:*"], false)
            .with(&["allow Bash(./run.sh)", "allow Bash(docker:*)"]),
        &[("Bash(./run.sh)", "allow 8 Workspace"), ("Bash(docker ps)", "allow 8 Off")],
    );
}

#[test]
fn whoever_is_asked_hears_that_it_runs_outside() {
    let world = world(Mode::Default).kept(&["docker:*"], false);
    for (call, why) in [
        ("Bash(docker run x)", "`sandbox.outside` lists it"),
        ("Bash(git push)", "it changes something on another machine"),
        ("Bash(npm install)", "it needs the network, which the fence blocks"),
        ("Bash(curl example.com)", "it needs the network, which the fence blocks"),
        ("Bash(touch ~/x)", "it writes outside the working directories"),
    ] {
        let (_, reason) = world.reason(call);
        assert!(reason.text.ends_with(&format!("It would run outside the fence: {why}")), "{}", reason.text);
    }
    assert!(!world.reason("Edit(src/a.rs)").1.text.contains("fence"));
}

#[test]
fn what_only_reads_is_held_in_every_mode_but_bypass() {
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::DontAsk] {
        check(
            &world(mode),
            &[
                ("Bash(ls)", "allow 10 Inspect"),
                ("Bash(git log -3 | head)", "allow 10 Inspect"),
                // What the text does not tell, the kernel holds.
                ("Bash(cat $(git ls-files))", "allow 10 Inspect"),
                ("Bash(ls -A | xargs tail)", "allow 10 Inspect"),
                ("Bash(cd \"$x\" && git status)", "allow 10 Inspect"),
            ],
        );
        // A rule for what only reads does not take it out of the fence.
        let ruled = world(mode).with(&["allow Bash(cat:*)", "allow Bash(git log:*)"]);
        check(&ruled, &[("Bash(cat *)", "allow 8 Inspect"), ("Bash(git log)", "allow 8 Inspect")]);
    }
    check(&world(Mode::BypassPermissions), &[("Bash(ls)", "allow 7 Off"), ("Bash(cat *)", "allow 7 Off")]);
}

#[test]
fn without_a_fence_the_text_must_tell_everything() {
    for (mode, other) in [
        (Mode::Default, "ask 12 Off"),
        (Mode::AcceptEdits, "ask 12 Off"),
        (Mode::DontAsk, "deny 12 Off"),
        (Mode::Plan, "ask 3 Off"),
    ] {
        let world = world(mode).unfenced();
        let reads = if mode == Mode::Plan { "allow 3 Off" } else { "allow 10 Off" };
        check(
            &world,
            &[
                ("Bash(ls -la src)", reads),
                ("Bash(head -3 src/a.rs | wc -l)", reads),
                // Configuration in the folder.
                ("Bash(git status)", other),
                ("Bash(cargo metadata)", other),
                // A folder that the text does not tell.
                ("Bash(cd \"$x\" && ls)", other),
                // Files that it does not tell.
                ("Bash(cat \"$f\")", other),
                ("Bash(cat *)", other),
                ("Bash(ls -A | xargs tail)", other),
                ("Bash(cat /proc/self/cwd/a)", other),
            ],
        );
    }
    // What a rule allows says nothing about a part that it does not cover.
    let ruled = world(Mode::Default).unfenced().with(&["allow Bash(npm test:*)"]);
    check(
        &ruled,
        &[
            ("Bash(npm test)", "allow 8 Off"),
            ("Bash(npm test | head -3)", "allow 8 Off"),
            ("Bash(npm test; git status)", "ask 12 Off"),
        ],
    );
    // The line runs unfenced because of the rule, so the fence does not speak for the rest of it.
    let fenced = world(Mode::Default).with(&["allow Bash(npm test:*)"]);
    check(&fenced, &[("Bash(npm test; git status)", "ask 12 Off"), ("Bash(npm test)", "allow 8 Off")]);
}

#[test]
fn accepted_edits_by_commands_stay_inside_by_the_kernel() {
    let cases = ["Bash(touch a)", "Bash(mv a b)", "Bash(ln -s ~/notes x)", "Bash(echo hi > out.txt)"];
    for call in cases {
        check(&world(Mode::AcceptEdits), &[(call, "allow 10 Workspace")]);
        check(&world(Mode::AcceptEdits).unfenced(), &[(call, "ask 12 Off")]);
        check(&World { workspace: None, ..world(Mode::AcceptEdits) }, &[(call, "ask 12 Off")]);
        check(&world(Mode::Default), &[(call, "ask 12 Off")]);
    }
    let mut at_home = world(Mode::AcceptEdits);
    at_home.folders.push(path("~/"));
    check(&at_home, &[("Bash(touch a)", "ask 12 Off"), ("Edit(src/a.rs)", "allow 9 Off")]);
}

#[test]
fn a_place_that_is_not_known_matches_every_rule_and_wall() {
    let bare = |rules: &[&str]| world(Mode::Default).unfenced().with(rules);
    let denied = ["deny Read(private/**)", "deny Edit(locked/**)", "allow Bash(cp:*)", "allow Bash(tee:*)"];
    check(
        &bare(&denied),
        &[
            ("Bash(cat \"$f\")", "deny 2 Off"),
            ("Bash(cat private/../private/a)", "deny 2 Off"),
            ("Bash(cat src/../private/a)", "deny 2 Off"),
            ("Bash(cat src/../README.md)", "allow 10 Off"),
            ("Bash(cp a \"./$f\")", "deny 2 Off"),
            ("Bash(cp a src/../locked/b)", "deny 2 Off"),
            ("Bash(echo x | tee \"./$f\")", "deny 2 Off"),
            ("Bash(cp a b)", "allow 8 Off"),
        ],
    );
    // With a fence, reads are held. What is written by an approved command is not.
    check(
        &world(Mode::Default).with(&denied),
        &[
            ("Bash(cat \"$f\")", "allow 10 Inspect"),
            ("Bash(cp a \"./$f\")", "deny 2 Off"),
            ("Bash(cp a b)", "allow 8 Masked"),
            ("Bash(sudo cp a b)", "ask 12 Off"),
        ],
    );
    check(
        &world(Mode::AcceptEdits).with(&denied),
        &[("Bash(cp a \"./$f\")", "allow 8 Workspace"), ("Bash(cp a locked/b)", "deny 2 Off")],
    );
    // Walls: a rule for the command does not speak for files that it does not name.
    let ruled = ["allow Bash(cp:*)", "allow Bash(tee:*)", "allow Bash(sed:*)"];
    for world in [bare(&ruled), world(Mode::Default).with(&ruled)] {
        check(
            &world,
            &[
                ("Bash(cp a \"./$f\")", "ask 4 Off"),
                ("Bash(cat src/a.rs | tee \"./$f\")", "ask 4 Off"),
                ("Bash(cp a b)", "allow 8 Off"),
            ],
        );
    }
    let asks = world(Mode::Default).with(&["ask Read(docs/**)"]);
    check(&asks, &[("Bash(cat \"$f\")", "ask 6 Inspect"), ("Bash(cat src/a.rs)", "allow 10 Inspect")]);
}

#[test]
fn a_path_that_climbs_is_followed_as_the_kernel_does() {
    let mut linked = world(Mode::Default);
    linked.links.insert("lib".into(), "/usr/share/lib".into());
    check(
        &linked,
        &[
            ("Bash(sed -n 1p src/../.env.production)", "ask 4 InspectSecrets"),
            ("Bash(cat ./src/./../src/../.env)", "ask 4 InspectSecrets"),
            ("Bash(cat ~/project/../.ssh/id_rsa)", "ask 4 InspectSecrets"),
            // The link leads elsewhere, where it is no secret of ours to know.
            ("Bash(cat lib/../.env)", "ask 4 InspectSecrets"),
            ("Bash(cat src/../a)", "allow 10 Inspect"),
        ],
    );
}

proptest! {
    /// While planning nothing that is a child process runs unheld, whatever the rules say and whoever says yes.
    #[test]
    fn nothing_runs_unheld_while_planning(world in any_world(), call in proptest::sample::select(CALLS)) {
        let looks = world.mode_state.is_planning();
        let world = world.kept(&["docker:*", "rm:*"], true);
        if let Decision::Allow(reason) | Decision::Ask(reason) | Decision::Classify(reason) = world.decide(call)
            && looks && call.starts_with("Bash")
        {
            prop_assert!(reason.sandbox.is_read_only());
        }
    }

    /// What the kernel holds never makes more run that is not held by it.
    #[test]
    fn a_fence_opens_only_what_it_holds(world in any_world(), call in proptest::sample::select(CALLS)) {
        let held = world.clone().kept(&[], false);
        if let (Decision::Allow(reason), before) = (held.decide(call), world.decide(call))
            && reason.sandbox.is_off()
        {
            prop_assert!(matches!(before, Decision::Allow(_)), "{call} was {before:?}");
        }
    }
}

#[test]
fn what_is_hidden_and_from_whom() {
    let policy = world(Mode::Plan).policy();
    assert!(policy.guarded_names().may_guard("pass") && !policy.guarded_names().may_guard("a.rs"));
    let places = policy.guarded_paths();
    assert!(
        ["deploy/pass", "~/.netrc", "~/.aws"].iter().all(|place| places.contains(&path(place))),
        "{places:?}"
    );
    for (file, expected) in [
        ("deploy/pass", FileVisibility::Hidden),
        (".env", FileVisibility::Hidden),
        ("~/.netrc", FileVisibility::Hidden),
        ("~/.ssh/id_rsa", FileVisibility::Hidden),
        ("~/.kube/config", FileVisibility::Credentials),
        ("~/.aws/credentials", FileVisibility::Credentials),
        ("~/.aws/config", FileVisibility::Visible),
        ("src/a.rs", FileVisibility::Visible),
    ] {
        assert_eq!(policy.visibility(&path(file)), expected, "{file}");
    }
    let folders =
        world(Mode::Plan).with(&["deny Read(private/**)", "deny Edit(locked/**)", "deny Edit(some/*.txt)"]);
    let folders = folders.policy();
    assert_eq!(folders.visibility(&path("private")), FileVisibility::Denied, "so is what comes later");
    assert!(folders.denies_editing(&path("locked")) && !folders.denies_editing(&path("some")));
    assert_eq!(folders.visibility(&path("locked")), FileVisibility::Visible);
    let denied = world(Mode::Plan).with(&["deny Read(~/.kube/**)"]).policy();
    assert_eq!(denied.visibility(&path("~/.kube/config")), FileVisibility::Denied, "a rule says more");
}

/// A rule that names files denies more than one that turns off a tool.
#[test]
fn what_rules_deny_to_fences() {
    use FileVisibility::{Credentials, Denied, Hidden, Visible};
    for (rules, file, visibility, denies_editing, read_denials) in [
        (&[][..], "src/a.rs", Visible, false, false),
        (&["deny Read(src/**)"], "src/a.rs", Denied, true, true),
        (&["deny Read(src/**)"], "b.rs", Visible, false, true),
        (&["deny Grep(src/**)"], "src/a.rs", Denied, true, true),
        (&["ask Read(src/**)", "allow Read(src/**)"], "src/a.rs", Visible, false, false),
        (&["deny Read(.env)"], ".env", Denied, true, true),
        (&["deny Read(~/.aws/**)"], "~/.aws/credentials", Denied, true, true),
        (&["deny Edit(~/.aws/**)"], "~/.aws/credentials", Credentials, true, false),
        (&["deny Edit(src/**)"], "src/a.rs", Visible, true, false),
        (&["deny Write(src/**)"], ".env", Hidden, false, false),
        (&["deny Read"], "src/a.rs", Hidden, false, false),
        (&["deny Read", "deny Read(src/**)"], "src/a.rs", Denied, true, true),
        (&["deny Read(src/**)", "deny Grep"], "src/a.rs", Denied, true, true),
        (&["deny Grep", "deny Edit", "deny Bash"], "src/a.rs", Visible, false, false),
        (&["deny Edit", "deny Edit(src/**)"], "src/a.rs", Visible, true, false),
    ] {
        let policy = world(Mode::Default).with(rules).policy();
        let file = path(file);
        assert_eq!(policy.visibility(&file), visibility, "{rules:?} {file}");
        assert_eq!(policy.denies_editing(&file), denies_editing, "{rules:?} {file}");
        assert_eq!(policy.has_read_denials(), read_denials, "{rules:?}");
    }
}

#[test]
fn whoever_approves_a_guarded_file_gets_it() {
    let world = world(Mode::AcceptEdits).kept(&[], true);
    check(
        &world,
        &[
            ("Bash(echo x > .git/hooks/pre-commit)", "ask 4 Off"),
            ("Bash(echo x >> ~/.forelook/settings.json)", "ask 4 Off"),
            ("Bash(cat .env)", "ask 4 InspectSecrets"),
        ],
    );
}

#[test]
fn what_a_fence_would_not_show_is_asked_for() {
    for mode in [Mode::Default, Mode::AcceptEdits] {
        check(
            &world(mode),
            &[
                ("Bash(ps aux)", "ask 12 Off"),
                ("Bash(docker ps)", "ask 12 Off"),
                ("Bash(lsof -i :80 | head)", "ask 12 Off"),
                // Secrets of other projects, which no fence looks for.
                ("Bash(grep -r KEY ~/other)", "ask 4 InspectSecrets"),
                ("Bash(rg KEY /)", "ask 4 InspectSecrets"),
                ("Bash(cat ~/other/*/k)", "ask 4 InspectSecrets"),
                ("Bash(grep -r fn ~/.cargo/registry/src)", "allow 10 Inspect"),
                ("Bash(grep -r fn /usr/include)", "allow 10 Inspect"),
                ("Bash(grep -r fn src)", "allow 10 Inspect"),
            ],
        );
    }
}

#[test]
fn masks_are_not_dropped_by_a_part_that_cannot_have_them() {
    let rules = [
        "deny Read(private/**)",
        "allow Bash(python3:*)",
        "allow Bash(git push:*)",
        "allow Bash(/usr/bin/git push:*)",
    ];
    check(
        &world(Mode::Default).with(&rules),
        &[
            ("Bash(python3 x.py)", "allow 8 Masked"),
            ("Bash(git push)", "allow 8 Off"),
            ("Bash(/usr/bin/git push)", "allow 8 Off"),
            ("Bash(git push; python3 x.py)", "allow 8 Masked"),
        ],
    );
}

#[test]
fn what_no_fence_looks_for_and_no_text_tells() {
    // The name of a program that the text does not tell may be the one that a rule denies.
    let denies = world(Mode::AcceptEdits).with(&["deny Bash(rm:*)"]);
    check(
        &denies,
        &[
            ("Bash($(echo rm) -r src)", "deny 2 Off"),
            ("Bash(x=$(echo rm); $x -r src)", "deny 2 Off"),
            ("Bash(eval \"$(echo rm -r src)\")", "deny 2 Off"),
            ("Bash(echo \"$(ls)\")", "allow 10 Inspect"),
        ],
    );
    // Without a fence: variables, and languages that name files in their own way.
    check(
        &world(Mode::Default).unfenced(),
        &[
            ("Bash(GREP=./g.sh zgrep x README.md)", "ask 12 Off"),
            ("Bash(LC_ALL=C sort a)", "allow 10 Off"),
            ("Bash(awk '{ print $1 }' a)", "ask 12 Off"),
            ("Bash(jq . a.json)", "ask 12 Off"),
            ("Bash(grep -d recurse X .)", "ask 12 Off"),
            ("Bash(grep --rec X .)", "ask 12 Off"),
            ("Bash(diff a private)", "ask 12 Off"),
        ],
    );
    // Other parts do not see what a declared command signs in with.
    let declared = World { network: vec!["gh pr view:*".into()], ..world(Mode::Plan) };
    check(
        &declared,
        &[
            ("Bash(gh pr view 1 | head -3)", "allow 3 ReadOnlyOnline"),
            ("Bash(gh pr view 1; grep -rh . ~/.aw?)", "ask 3 InspectSecrets"),
            ("Bash(gh pr view 1; cat a)", "allow 3 ReadOnly"),
        ],
    );
    check(
        &world(Mode::Default).with(&["allow Bash(ssh build:*)"]),
        &[
            ("Bash(ssh build ls -la)", "allow 8 Off"),
            ("Bash(ssh build -o ProxyCommand=./x true)", "ask 12 Off"),
        ],
    );
    // A folder is all that is in it, and what is copied into one is there under its own name.
    let rules = [
        "deny Read(private/**)",
        "deny Edit(locked/**)",
        "allow Bash(mv:*)",
        "allow Bash(cp:*)",
        "allow Bash(make test:*)",
    ];
    check(
        &world(Mode::Default).with(&rules),
        &[
            ("Bash(mv private p2)", "deny 2 Off"),
            ("Bash(cp a/keep.txt locked)", "deny 2 Off"),
            ("Bash(cp a/.bashrc ~)", "ask 4 Masked"),
            ("Bash(cp a b)", "allow 8 Masked"),
            ("Bash(make test -C ../other)", "ask 12 Masked"),
        ],
    );
    check(&world(Mode::Default), &[("Bash(find . -name x -exec wc -l {} +)", "allow 10 Inspect")]);
}

/// A hook runs outside of every fence: what it runs is not the model's to write.
#[test]
fn what_hooks_run_is_protected() {
    let mut policy = world(Mode::AcceptEdits).policy();
    let (script, other) = (path("tools/check.sh"), path("tools/other.sh"));
    let before = policy.guard_fingerprint();
    let edit = |policy: &PermissionPolicy, file: &AbsPath| {
        let action = Action::Edit { file: FileRef::plain(file.clone()) };
        let governs_git = [(file.clone(), false)].into();
        forelook_permissions::decide(policy, "Edit", &action, &Facts { governs_git, ..Facts::default() })
    };
    assert!(matches!(edit(&policy, &script), Decision::Allow(_)));
    policy.own.runs = vec![script.clone()];
    assert!(matches!(edit(&policy, &script), Decision::Ask(_)));
    assert!(matches!(edit(&policy, &other), Decision::Allow(_)));
    assert!(policy.is_protected(&script) && policy.guarded_names().may_guard("check.sh"));
    assert_ne!(policy.guard_fingerprint(), before);
    // A folder that a hook takes code from.
    policy.own.runs = vec![path("tools")];
    assert!(matches!(edit(&policy, &other), Decision::Ask(_)));
    assert!(matches!(edit(&policy, &path("toolsmith.sh")), Decision::Allow(_)));
}

/// Git runs what is in the folder of a repository, whatever that is called.
#[test]
fn what_lies_in_a_folder_of_git_is_protected() {
    let world = |mode| World { git_folders: vec![path("store")], ..world(mode) };
    for call in [
        "Write(store/hooks/update)",
        "Edit(store/config)",
        "Bash(echo x > store/config)",
        "Bash(rm store/HEAD)",
    ] {
        assert_eq!(world(Mode::AcceptEdits).says(call), "ask 4", "{call}");
        assert_eq!(world(Mode::DontAsk).says(call), "deny 4", "{call}");
        assert_eq!(world(Mode::BypassPermissions).says(call), "allow 7", "{call}");
    }
    assert_eq!(world(Mode::AcceptEdits).says("Write(stores/x)"), "allow 9");
}

#[test]
fn what_a_protected_link_leads_to_is_protected() {
    let mut policy = world(Mode::AcceptEdits).policy();
    let before = policy.guard_fingerprint();
    let link = |named: &str, real: &str| FileRef { named: path(named), real: path(real) };
    policy.own.links = vec![link(".envrc", "build/envrc"), link(".github", "gh"), link(".vscode", "vs")];
    for (file, expected) in [
        ("build/envrc", true),
        ("build/other", false),
        ("vs/tasks.json", true),
        ("gh/workflows/ci.yml", true),
        ("gh/README.md", false),
    ] {
        assert_eq!(policy.is_protected(&path(file)), expected, "{file}");
    }
    assert!(policy.guarded_names().may_guard("envrc") && policy.guarded_names().may_guard("vs"));
    assert_ne!(policy.guard_fingerprint(), before);
}
