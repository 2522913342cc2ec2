//! One call, one world, one expected verdict and the number of the step that spoke.

use forelook_permissions::{AgentKind, model_hint};
use forelook_protocol::{ClassifierInPlan, HookDecision, Mode, ModeState, PrePlanState};

use crate::world::{World, world};

fn check(world: &World, cases: &[(&str, &str)]) {
    for (call, expected) in cases {
        assert_eq!(
            world.says(call),
            *expected,
            "{call} with {:?} in {:?}: {:?}",
            world.rules,
            world.mode_state,
            world.decide(call)
        );
    }
}

#[test]
fn hints_for_the_model_are_not_in_the_reason() {
    for (world, call, hint) in [
        (world(Mode::Plan), "Bash(rm src/a.rs)", Some("`rehearse: true`")),
        (world(Mode::Plan).unfenced(), "Bash(rm src/a.rs)", None),
        (world(Mode::Plan).unfenced(), "Rehearse(make)", Some("Say in the plan")),
        (world(Mode::Plan), "EnterPlanMode", Some("Continue planning")),
        (world(Mode::Plan), "Edit(src/a.rs)", None),
        (world(Mode::Default), "Rehearse(make)", Some("without a rehearsal")),
        (world(Mode::Default), "ExitPlanMode", Some("implement it")),
        (world(Mode::Default).with(&["deny Bash"]), "Bash(rm src/a.rs)", None),
    ] {
        let (verdict, reason) = world.reason(call);
        let (_, action) = world.action(call);
        let said = model_hint(&world.policy(), &action, &reason, world.kernel.rehearsal);
        assert_eq!(verdict, "deny", "{call}: {}", reason.text);
        assert_eq!(said.is_some(), hint.is_some(), "{call}: {said:?}");
        assert!(said.unwrap_or_default().contains(hint.unwrap_or_default()), "{call}: {said:?}");
        assert!(hint.is_none_or(|hint| !reason.text.contains(hint)), "{call}: {}", reason.text);
    }
}

#[test]
fn without_rules_in_every_mode() {
    // plan, dontAsk, default, acceptEdits, auto, bypassPermissions
    for (call, expected) in [
        ("Read(src/a.rs)", ["allow 3", "allow 10", "allow 10", "allow 10", "allow 10", "allow 7"]),
        ("TodoWrite", ["allow 3", "allow 10", "allow 10", "allow 10", "allow 10", "allow 7"]),
        ("Edit(src/a.rs)", ["deny 3", "deny 12", "ask 12", "allow 9", "allow 9", "allow 7"]),
        ("Edit(/etc/hosts)", ["deny 3", "deny 12", "ask 12", "ask 12", "judge 11", "allow 7"]),
        ("Bash(ls -la)", ["allow 3", "allow 10", "allow 10", "allow 10", "allow 10", "allow 7"]),
        ("Bash(rm src/a.rs)", ["deny 3", "deny 12", "ask 12", "allow 10", "judge 11", "allow 7"]),
        ("Bash(npm install)", ["deny 3", "deny 12", "ask 12", "ask 12", "judge 11", "allow 7"]),
        ("Bash(./run.sh)", ["allow 3", "deny 12", "ask 12", "allow 10", "judge 11", "allow 7"]),
        ("Bash(echo hi > out.txt)", ["deny 3", "deny 12", "ask 12", "allow 10", "judge 11", "allow 7"]),
        ("Bash(echo hi > /etc/x)", ["deny 3", "deny 12", "ask 12", "ask 12", "judge 11", "allow 7"]),
        ("AskUserQuestion", ["ask 3", "ask 5", "ask 5", "ask 5", "ask 5", "ask 5"]),
        ("EnterPlanMode", ["deny 3", "ask 5", "ask 5", "ask 5", "ask 5", "ask 5"]),
        ("ExitPlanMode", ["ask 3", "deny 5", "deny 5", "deny 5", "deny 5", "deny 5"]),
        ("WebFetch(example.com)", ["ask 3", "deny 12", "ask 12", "ask 12", "judge 11", "allow 7"]),
        ("Agent(Explore)", ["allow 3", "allow 10", "allow 10", "allow 10", "allow 10", "allow 7"]),
        ("Agent(general-purpose)", ["allow 3", "allow 10", "allow 10", "allow 10", "judge 11", "allow 7"]),
        ("Skill(review)", ["allow 3", "allow 10", "allow 10", "allow 10", "allow 10", "allow 7"]),
        ("mcp__git__status(read)", ["allow 3", "deny 12", "ask 12", "ask 12", "judge 11", "allow 7"]),
        ("mcp__git__reset(destroy)", ["deny 3", "deny 12", "ask 12", "ask 12", "judge 11", "allow 7"]),
        ("mcp__git__other", ["ask 3", "deny 12", "ask 12", "ask 12", "judge 11", "allow 7"]),
        ("PowerShell(Get-ChildItem)", ["allow 3", "deny 12", "ask 12", "allow 10", "judge 11", "allow 7"]),
        // Walls.
        ("Bash(rm -rf /)", ["deny 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
        ("Bash(rm -rf ~)", ["deny 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
        ("Bash(rm -rf ../project)", ["deny 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
        ("Edit(~/.forelook/settings.json)", ["deny 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
        ("Edit(.forelook/settings.local.json)", ["deny 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
        (
            "Edit(/etc/forelook/managed-settings.json)",
            ["deny 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"],
        ),
        (
            "Bash(echo x >> ~/.forelook/settings.json)",
            ["deny 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"],
        ),
        ("Edit(.git/hooks/pre-commit)", ["deny 3", "deny 4", "ask 4", "ask 4", "judge 4", "allow 7"]),
        ("Bash(cp x .git/hooks/pre-commit)", ["deny 3", "deny 4", "ask 4", "ask 4", "judge 4", "allow 7"]),
        ("Read(.env)", ["ask 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
        ("Bash(cat .env)", ["ask 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
        ("Read(deploy/pass)", ["ask 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
        ("Bash(wc -l deploy/pass)", ["ask 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
        ("Bash(cat ~/.ssh/id_rsa | wc -l)", ["ask 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
        ("Bash(git push --force)", ["deny 3", "deny 4", "ask 4", "ask 4", "ask 4", "ask 4"]),
    ] {
        for (mode, expected) in Mode::ALL.into_iter().zip(expected) {
            check(&world(mode), &[(call, expected)]);
        }
    }
}

#[test]
fn irreversible_git_asks_where_there_is_work_to_lose() {
    let clean = world(Mode::BypassPermissions);
    let dirty = World { uncommitted: true, ..clean.clone() };
    check(&clean, &[("Bash(git reset --hard)", "allow 7"), ("Bash(git clean -fd)", "allow 7")]);
    check(
        &dirty,
        &[
            ("Bash(git reset --hard)", "ask 4"),
            ("Bash(git clean -fd)", "ask 4"),
            ("Bash(git checkout -- .)", "ask 4"),
        ],
    );
}

#[test]
fn deny_wins_over_everything() {
    for mode in Mode::ALL {
        let world = world(mode).with(&[
            "allow Bash(rm:*)",
            "ask Bash(rm:*)",
            "deny Bash(rm:*)",
            "allow Edit(**)",
            "deny Edit(src/**)",
        ]);
        check(
            &World { hook: Some(HookDecision::Allow(String::new())), ..world },
            &[
                ("Bash(rm x)", "deny 2"),
                ("Bash(ls && rm x)", "deny 2"),
                ("Bash(echo $(rm x))", "deny 2"),
                ("Bash(timeout 5 rm x)", "deny 2"),
                ("Bash(FOO=1 rm x)", "deny 2"),
                ("Bash(/bin/rm x)", "deny 2"),
                ("Bash(bash -c 'rm x')", "deny 2"),
                ("Bash(find . -exec rm {} \\;)", "deny 2"),
                ("Edit(src/a.rs)", "deny 2"),
                ("Bash(echo x > src/a.rs)", "deny 2"),
            ],
        );
    }
}

#[test]
fn a_deny_of_reading_also_denies_changing_and_the_shell() {
    let world = world(Mode::BypassPermissions).with(&["deny Read(secret/**)"]);
    check(
        &world,
        &[
            ("Read(secret/a)", "deny 2"),
            ("Edit(secret/a)", "deny 2"),
            ("Bash(cat secret/a)", "deny 2"),
            ("Bash(cd secret && cat a)", "deny 2"),
            ("Bash(grep x < secret/a)", "deny 2"),
            ("Read(open/a)", "allow 7"),
        ],
    );
}

#[test]
fn links_an_allow_needs_both_a_deny_either() {
    let mut linked = world(Mode::Default).with(&["allow Edit(out/**)", "deny Read(~/private/**)"]);
    linked.links.insert("out/link".into(), "/etc".into());
    linked.links.insert("notes".into(), "~/private".into());
    check(
        &linked,
        &[
            ("Edit(out/plain)", "allow 8"),
            ("Edit(out/link/hosts)", "ask 12"),
            ("Read(notes/diary)", "deny 2"),
            ("Bash(cat notes/diary)", "deny 2"),
            ("Bash(echo x > out/plain)", "ask 12"),
        ],
    );
    let mut accepting = world(Mode::AcceptEdits);
    accepting.links.insert("link".into(), "/etc".into());
    check(
        &accepting,
        &[("Edit(link/hosts)", "ask 12"), ("Bash(touch link/x)", "ask 12"), ("Bash(touch x)", "allow 10")],
    );
}

#[test]
fn an_allow_must_cover_every_part() {
    let world = world(Mode::Default).with(&["allow Bash(npm test:*)", "allow Bash(make build)"]);
    check(
        &world,
        &[
            ("Bash(npm test)", "allow 8"),
            ("Bash(npm test -- --watch)", "allow 8"),
            ("Bash(npm test && make build)", "allow 8"),
            ("Bash(cd sub && npm test | head)", "allow 8"),
            ("Bash(npm test && npm publish)", "ask 12"),
            ("Bash(npm test; rm x)", "ask 12"),
            ("Bash(npm test $(rm x))", "ask 12"),
            ("Bash(npm test > out.txt)", "ask 12"),
            ("Bash(npm testing)", "ask 12"),
            ("Bash(make build x)", "ask 12"),
            ("Bash(LD_PRELOAD=x npm test)", "ask 12"),
            ("Bash(npm test 'unclosed)", "ask 12"),
        ],
    );
}

#[test]
fn whole_tools_and_other_kinds_of_rules() {
    let world = world(Mode::Default).with(&[
        "allow Bash",
        "allow WebFetch(domain:*.example.com)",
        "allow mcp__github__get_*",
        "deny mcp__evil",
        "ask Skill(deploy)",
        "deny TodoWrite",
        "allow Write(docs/**)",
    ]);
    check(
        &world,
        &[
            ("Bash(anything --at all)", "allow 8"),
            ("Bash(rm -rf /)", "ask 4"),
            ("WebFetch(a.example.com)", "allow 8"),
            ("WebFetch(example.org)", "ask 12"),
            ("mcp__github__get_issue", "allow 8"),
            ("mcp__github__delete_repo", "ask 12"),
            ("mcp__evil__anything", "deny 2"),
            ("Skill(deploy)", "ask 6"),
            ("TodoWrite", "deny 2"),
            // An allow for Write is for Write alone.
            ("Write(docs/a.md)", "allow 8"),
            ("Edit(docs/a.md)", "ask 12"),
        ],
    );
}

#[test]
fn plan_mode_is_opened_by_nothing() {
    for before in Mode::ALL.into_iter().filter(|mode| *mode != Mode::Plan) {
        for classifier in [ClassifierInPlan::NeverOn, ClassifierInPlan::On] {
            let mut open = world(Mode::Plan).unfenced().with(&[
                "allow Bash",
                "allow Edit",
                "allow Write",
                "allow mcp__git",
                "allow Agent",
            ]);
            open.mode_state = ModeState::default().with_pre_plan(PrePlanState { mode: before, classifier });
            open.hook = Some(HookDecision::Allow("go on".into()));
            let unknown = if classifier == ClassifierInPlan::On { "judge 3" } else { "ask 3" };
            check(
                &open,
                &[
                    ("Edit(src/a.rs)", "deny 3"),
                    ("Write(src/a.rs)", "deny 3"),
                    ("Edit(~/.forelook/plans/other.md)", "deny 3"),
                    ("Edit(~/.forelook/plans/plan.md)", "allow 3"),
                    ("Bash(rm x)", "deny 3"),
                    ("Bash(echo x > ~/.forelook/plans/plan.md)", "deny 3"),
                    ("Bash(python3 x.py)", unknown),
                    ("Bash(git status)", unknown),
                    ("mcp__git__reset(destroy)", "deny 3"),
                    ("mcp__git__log", "ask 3"),
                ],
            );
        }
    }
    let mut linked = world(Mode::Plan);
    linked.links.insert("~/.forelook/plans/plan.md".into(), "src/a.rs".into());
    check(&linked, &[("Edit(~/.forelook/plans/plan.md)", "deny 3")]);
}

#[test]
fn a_read_only_agent_reads_in_every_mode() {
    for mode in Mode::ALL {
        let agent = World { agent: AgentKind::ReadOnly, ..world(mode).with(&["allow Bash", "allow Edit"]) };
        check(
            &agent,
            &[
                ("Read(a)", "allow 3"),
                ("Bash(ls)", "allow 3"),
                ("Edit(a)", "deny 3"),
                ("Bash(touch a)", "deny 3"),
            ],
        );
    }
    let sub = World { agent: AgentKind::Sub, ..world(Mode::Plan) };
    check(&sub, &[("EnterPlanMode", "deny 3"), ("ExitPlanMode", "allow 3")]);
    let sub = World { agent: AgentKind::Sub, ..world(Mode::Default) };
    check(&sub, &[("EnterPlanMode", "deny 5"), ("ExitPlanMode", "deny 5")]);
}

#[test]
fn declared_reads_go_through_the_gate_and_nothing_with_them() {
    let declared = World {
        network: vec!["gh pr view:*".into(), "kubectl get:*".into(), "git push:*".into(), "*".into()],
        ..world(Mode::Plan).unfenced()
    };
    check(
        &declared,
        &[
            ("Bash(gh pr view 7)", "allow 3"),
            ("Bash(gh pr view 7 | head -3)", "allow 3"),
            ("Bash(gh pr view 7 --json body && kubectl get pods)", "allow 3"),
            ("Bash(gh pr view 7 > out.txt)", "deny 3"),
            ("Bash(gh pr view 7; rm x)", "deny 3"),
            ("Bash(gh pr view \"$(touch x)\")", "deny 3"),
            ("Bash(gh pr merge 7)", "ask 3"),
            // What is known to change something is no read, whoever says so.
            ("Bash(git push)", "deny 3"),
            ("Bash(python3 x.py)", "ask 3"),
        ],
    );
    // Elsewhere the list says nothing.
    let elsewhere = World { mode_state: ModeState::default(), ..declared };
    check(&elsewhere, &[("Bash(gh pr view 7)", "ask 12")]);
}

#[test]
fn ask_rules_and_secrets_turn_the_gates_allow_into_an_ask() {
    check(
        &world(Mode::Plan).with(&["ask Read(docs/**)", "ask Bash(git log:*)"]),
        &[
            ("Read(docs/a)", "ask 3"),
            ("Bash(git log)", "ask 3"),
            ("Bash(git status)", "allow 3"),
            ("Read(.env)", "ask 3"),
        ],
    );
}

#[test]
fn the_classifier_is_not_dodged_by_wide_rules() {
    let rules = ["allow Bash(python:*)", "allow Bash(ls:*)", "allow Bash(cargo test:*)", "allow Agent(x)"];
    check(
        &world(Mode::Auto).with(&rules),
        &[("Bash(python x.py)", "judge 11"), ("Bash(cargo test)", "allow 8"), ("Agent(x)", "judge 11")],
    );
    check(&world(Mode::Default).with(&rules), &[("Bash(python x.py)", "allow 8"), ("Agent(x)", "allow 8")]);
}

#[test]
fn hooks() {
    let says = |hook| World { hook: Some(hook), ..world(Mode::BypassPermissions).with(&["allow Bash"]) };
    check(&says(HookDecision::Deny("no".into())), &[("Bash(ls)", "deny 2")]);
    check(&says(HookDecision::Ask("hm".into())), &[("Bash(ls)", "ask 6")]);
    check(
        &says(HookDecision::Allow("ok".into())),
        &[("Bash(rm -rf /)", "ask 4"), ("AskUserQuestion", "ask 5")],
    );
    let allowed = World { hook: Some(HookDecision::Allow("ok".into())), ..world(Mode::Default) };
    check(&allowed, &[("Bash(make)", "allow 8"), ("Edit(src/a.rs)", "allow 8"), ("Read(.env)", "ask 4")]);
    // While planning it makes things stricter, and opens nothing.
    let plans = |hook| World { hook: Some(hook), ..world(Mode::Plan) };
    check(&plans(HookDecision::Ask("hm".into())), &[("Bash(ls)", "ask 3"), ("Edit(src/a.rs)", "deny 3")]);
    check(&plans(HookDecision::Allow("ok".into())), &[("Bash(ls)", "allow 3"), ("Edit(src/a.rs)", "deny 3")]);
}

#[test]
fn a_hostile_repository_makes_git_unknown() {
    let hostile =
        World { hazard: Some("`.git/config` defines `diff.x.textconv`".into()), ..world(Mode::Default) };
    check(
        &hostile,
        &[("Bash(git diff)", "ask 12"), ("Bash(git status)", "ask 12"), ("Bash(ls)", "allow 10")],
    );
    let planning = World { mode_state: ModeState::new(Mode::Plan), ..hostile };
    check(&planning, &[("Bash(git diff)", "allow 3")]);
    check(&planning.unfenced(), &[("Bash(git diff)", "ask 3")]);
}

#[test]
fn what_a_line_does_not_tell_is_denied_where_a_rule_may_be_meant() {
    let world = world(Mode::BypassPermissions).with(&["deny Read(private/**)", "deny Bash(curl:*)"]);
    check(
        &world,
        &[("Bash(cat pri*/x)", "deny 2"), ("Bash(cat 'unclosed)", "ask 6"), ("Bash(cat src/a)", "allow 7")],
    );
}
