//! What the kernel holds a call to, and what may run because of it.

use forelook_permissions::{AgentKind, FileVisibility, WorkspacePolicy};
use forelook_protocol::{
    ClassifierInPlan, Confinement, Decision, Mode, ModeState, PrePlanState, SandboxSupport,
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
        &world(Mode::Plan).held(),
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
            ("Bash(cat .env)", "ask 3 ReadOnly"),
            ("Bash(python x.py .env)", "ask 3 ReadOnly"),
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
        &world(Mode::Plan).held().with(&rules),
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
        &world(Mode::Plan),
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
    check(&judged, &[("Bash(./run.sh)", "judge 3 Off")]);
    check(&judged.held(), &[("Bash(./run.sh)", "allow 3 ReadOnly")]);
}

#[test]
fn declared_reads_have_the_network_and_nothing_else_has() {
    let world = World { network: vec!["gh pr view:*".into()], ..world(Mode::Plan).held() };
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
    let reads = World { agent: AgentKind::ReadOnly, ..world(Mode::Default).held() };
    check(&reads, &[("Rehearse(ls)", "deny 3 Off")]);
}

#[test]
fn rehearsals_belong_to_planning() {
    for mode in Mode::ALL.into_iter().filter(|mode| *mode != Mode::Plan) {
        check(&world(mode).held(), &[("Rehearse(ls)", "deny 5 Off"), ("Rehearse", "deny 5 Off")]);
    }
}

#[test]
fn in_the_workspace_what_stays_inside_is_not_asked_for() {
    let cases = [
        ("Bash(ls)", "allow 10 Workspace"),
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
        ("Bash(echo x > .git/hooks/pre-commit)", "ask 4 Workspace"),
        ("Bash(cat .env)", "ask 4 Workspace"),
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

proptest! {
    /// While planning nothing that is a child process runs unheld, whatever the rules say and whoever says yes.
    #[test]
    fn nothing_runs_unheld_while_planning(world in any_world(), call in proptest::sample::select(CALLS)) {
        let looks = world.mode_state.is_planning();
        let world = world.kept(&["docker:*", "rm:*"], true);
        if let Decision::Allow(reason) | Decision::Ask(reason) | Decision::Classify(reason) = world.decide(call)
            && looks && call.starts_with("Bash")
        {
            prop_assert!(matches!(reason.sandbox, Confinement::ReadOnly | Confinement::ReadOnlyOnline));
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
fn the_kernel_is_asked_where_something_comes_of_it() {
    let all = SandboxSupport { masked: true, read_only: true, rehearsal: true, workspace: true };
    let less = SandboxSupport { read_only: true, ..SandboxSupport::default() };
    let wanted = WorkspacePolicy::default();
    // In this mode, by whom, the home folder worked in, the workspace wanted; read-only, rehearsal, workspace.
    for (mode, agent, at_home, wants, holds, expected) in [
        (Mode::Plan, AgentKind::Main, false, false, all, [true, true, false]),
        (Mode::Plan, AgentKind::Sub, false, false, less, [true, false, false]),
        (Mode::Default, AgentKind::ReadOnly, false, false, all, [true, true, false]),
        (Mode::Default, AgentKind::Sub, false, false, all, [false, false, false]),
        (Mode::Default, AgentKind::Main, false, true, all, [true, true, true]),
        (Mode::Default, AgentKind::Main, false, true, less, [true, false, false]),
        // Nearly all that decides what runs later lies in the home folder.
        (Mode::Default, AgentKind::Main, true, true, all, [true, true, false]),
    ] {
        let mut policy = World { agent, ..world(mode) }.policy();
        policy.folders.extend(at_home.then(|| path("~/")));
        let mut asked = false;
        let holds = || {
            asked = true;
            holds
        };
        let kernel = policy.with_enforcement(wants.then_some(&wanted), holds).kernel;
        let case = format!("{mode:?} {agent:?}, at home: {at_home}, wanted: {wants}");
        assert_eq!([kernel.read_only, kernel.rehearsal, kernel.workspace.is_some()], expected, "{case}");
        assert_eq!(asked, expected.contains(&true), "{case}");
    }
}

#[test]
fn what_is_hidden_and_from_whom() {
    let policy = world(Mode::Plan).policy();
    assert!(policy.may_guard("pass") && !policy.may_guard("a.rs"));
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
