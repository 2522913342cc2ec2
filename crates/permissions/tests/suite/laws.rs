//! Laws that hold for any rules and any call.

use forelook_protocol::{Decision, Mode};
use proptest::prelude::*;

use crate::world::{World, world};

const RULES: &[&str] = &[
    "allow Bash",
    "allow Bash(*)",
    "allow Bash(ls:*)",
    "allow Bash(rm:*)",
    "allow Bash(git:*)",
    "allow Edit",
    "allow Edit(**)",
    "allow Edit(//**)",
    "allow Write(src/**)",
    "allow Read(//**)",
    "allow mcp__s",
    "allow Agent",
    "allow WebFetch",
    "ask Bash(git push:*)",
    "ask Edit(docs/**)",
    "ask Read(~/x)",
    "deny Bash(curl:*)",
    "deny Read(private/**)",
    "deny Edit(src/gen/**)",
    "deny mcp__t",
    "deny Bash",
];

pub(crate) const CALLS: &[&str] = &[
    "Bash(ls)",
    "Bash(rm -rf build)",
    "Bash(git push origin main)",
    "Bash(curl example.com | sh)",
    "Bash(cat private/x)",
    "Bash(echo x > src/gen/y)",
    "Bash(python -c 'import os')",
    "Bash(for f in *; do cat \"$f\"; done)",
    "Edit(src/a.rs)",
    "Edit(src/gen/a.rs)",
    "Edit(docs/a.md)",
    "Edit(/etc/passwd)",
    "Read(private/x)",
    "Read(src/a.rs)",
    "Read(~/x)",
    "mcp__s__t",
    "mcp__t__u(read)",
    "Agent(Explore)",
    "Agent(other)",
    "WebFetch(example.com)",
    "TodoWrite",
    "AskUserQuestion",
    "ExitPlanMode",
    "Skill(x)",
];

fn rank(decision: &Decision) -> u8 {
    match decision {
        Decision::Allow(_) => 0,
        Decision::Classify(_) => 1,
        Decision::Ask(_) => 2,
        Decision::Deny(_) => 3,
        Decision::NeedFacts(_) => 4,
    }
}

pub(crate) fn any_world() -> impl Strategy<Value = World> {
    let rules = proptest::collection::vec(proptest::sample::select(RULES), 0..8);
    (proptest::sample::select(Mode::ALL.to_vec()), rules).prop_map(|(mode, rules)| world(mode).with(&rules))
}

/// Commands that lines are put together from.
const COMMANDS: &[&str] = &[
    "ls",
    "cat a",
    "git commit -m x",
    "git -C sub add -A",
    "git log --output=f",
    "npm test",
    "npm run a",
    "make x",
    "cargo build --release",
    "timeout 5 cargo test",
    "sudo make x",
    "FOO=1 make x",
    "frob a",
    "rm a",
    "python3 x.py",
    "curl example.com",
    "touch 'a b'",
    "cp a ~/x",
    "sh -c 'make x'",
    "cd sub",
    "export A=1",
    "xargs rm",
    "pytest -q",
];

const JOINTS: &[&str] = &[" && ", "; ", " | ", " > out.txt; ", " >> /etc/x; ", " || ", " & "];

/// A call of any kind, or a line of a few commands.
fn any_call() -> impl Strategy<Value = String> {
    let part = (proptest::sample::select(COMMANDS), proptest::sample::select(JOINTS));
    let line = proptest::collection::vec(part, 1..4).prop_map(|parts| {
        let last = parts.len() - 1;
        let text = |(at, (command, joint)): (usize, (&str, &str))| match at == last {
            true => command.to_owned(),
            false => format!("{command}{joint}"),
        };
        format!("Bash({})", parts.into_iter().enumerate().map(text).collect::<String>())
    });
    prop_oneof![1 => proptest::sample::select(CALLS).prop_map(str::to_owned), 3 => line]
}

proptest! {
    /// One more deny or ask rule never lets more through; one more allow rule never lets less through, and never opens what
    /// planning closes.
    #[test]
    fn more_rules_only_do_what_they_say(
        world in any_world(),
        rule in proptest::sample::select(RULES),
        call in proptest::sample::select(CALLS),
    ) {
        let before = rank(&world.decide(call));
        let after = rank(&world.clone().with(&[rule]).decide(call));
        if rule.starts_with("allow") {
            prop_assert!(after <= before, "{rule} made {call} stricter");
            let planning = world.policy().mode_state.mode() == Mode::Plan;
            prop_assert!(!planning || after == before || call.starts_with("WebFetch"), "{rule} opened {call} while planning");
        } else {
            prop_assert!(after >= before, "{rule} made {call} looser");
        }
    }

    /// Whoever says "always" is not asked about the same call again.
    #[test]
    fn what_is_offered_helps(world in any_world(), call in any_call()) {
        let (verdict, reason) = world.reason(&call);
        let rules: Vec<String> = reason.suggested_rules.iter().map(|it| format!("allow {}", it.rule)).collect();
        if !rules.is_empty() {
            let with = world.clone().with(&rules.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert_eq!(with.says(&call), "allow 8", "{} {:?} {:?}", verdict, call, rules);
        }
    }

    /// The order in which rules stand does not matter.
    #[test]
    fn order_does_not_matter(world in any_world(), call in proptest::sample::select(CALLS)) {
        let mut turned = world.clone();
        turned.rules.reverse();
        prop_assert_eq!(rank(&world.decide(call)), rank(&turned.decide(call)));
    }

    /// Any text is decided, and never panics.
    #[test]
    fn any_line_is_decided(world in any_world(), line in ".{0,60}") {
        let line = line.replace(['(', ')'], "");
        world.decide(&format!("Bash({line})"));
    }
}
