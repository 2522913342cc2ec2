//! Walks every state and every change, and prints what comes of it: `docs/mode-transitions.md`.

#![expect(clippy::print_stdout, reason = "it prints a page")]

use std::collections::BTreeMap;

use forelook_permissions::{CYCLE, Change, Conditions, GateClosed, transition};
use forelook_protocol::{Interrupted, Judge, Mode, Standing};

fn main() {
    println!("<!-- Made by `cargo xtask docs` from `crates/permissions/src/transition.rs`; edit that. -->\n");
    println!("# Changes of mode\n");
    println!(
        "Every mode, every mode before planning and every state of the classifier, against every change, with the auto gate \
         open or closed, bypass available or not, and `useAutoModeDuringPlan` on or off. A cell is the mode afterwards; \
         `+c` means that the classifier is on, `+e` that the model is to be told that planning is over, `+a` that auto mode \
         is over. `refused` leaves everything as it was.\n"
    );
    for change in changes() {
        table(change);
    }
}

fn changes() -> Vec<(String, Change)> {
    let mut all: Vec<(String, Change)> =
        Mode::ALL.map(|mode| (format!("to `{mode}`"), Change::To(mode))).to_vec();
    all.push(("Shift+Tab".to_owned(), Change::Cycle));
    all.push(("plan approved".to_owned(), Change::LeavePlan(None)));
    all.push(("plan approved into `auto`".to_owned(), Change::LeavePlan(Some(Mode::Auto))));
    all.push(("conditions changed, or resumed".to_owned(), Change::ConditionsChanged));
    all.push(("a subagent wants to plan".to_owned(), Change::SubagentPlans));
    all
}

fn table((name, change): (String, Change)) {
    println!("## {}{}\n", name[..1].to_uppercase(), &name[1..]);
    println!("| from | classifier | conditions | afterwards |");
    println!("|---|---|---|---|");
    for standing in standings() {
        // Conditions that lead to the same are told together.
        let mut outcomes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (words, conditions) in all_conditions() {
            outcomes.entry(outcome(&standing, change, &conditions)).or_default().push(words);
        }
        let only = outcomes.len() == 1;
        for (outcome, words) in outcomes {
            let words = if only { "any".to_owned() } else { words.join("; ") };
            println!("| {} | {} | {words} | {outcome} |", from(&standing), classifier(&standing));
        }
    }
    println!();
}

fn standings() -> Vec<Standing> {
    let others = || Mode::ALL.into_iter().filter(|mode| !mode.is_plan());
    let mut all: Vec<Standing> = others().map(Standing::at).collect();
    for before in others() {
        let judges = [Judge::Never, Judge::Was, Judge::Is];
        all.extend(judges.map(|judge| Standing::default().planning(Interrupted { before, judge })));
    }
    all
}

fn all_conditions() -> Vec<(String, Conditions)> {
    let mut all = Vec::new();
    for gate in [true, false] {
        for bypass in [true, false] {
            for during_plan in [true, false] {
                let yes = |on: bool, word: &str| format!("{}{word}", if on { "" } else { "no " });
                let words =
                    [yes(gate, "gate"), yes(bypass, "bypass"), yes(during_plan, "setting")].join(", ");
                let conditions = Conditions {
                    gate: if gate { Ok(()) } else { Err(GateClosed::Breaker) },
                    bypass: if bypass { Ok(()) } else { Err(String::new()) },
                    auto_during_plan: during_plan,
                    cycle: CYCLE.to_vec(),
                };
                all.push((words, conditions));
            }
        }
    }
    all
}

fn outcome(standing: &Standing, change: Change, conditions: &Conditions) -> String {
    let Ok(changed) = transition(standing, change, conditions) else { return "refused".to_owned() };
    let now = changed.standing;
    let mut text = format!("`{}`", now.mode());
    for (on, mark) in [
        (now.classifier_on(), " +c"),
        (now.exit_reminder_due, " +e"),
        (now.auto_exit_reminder_due, " +a"),
        (changed.said.is_some(), ", said aloud"),
    ] {
        if on {
            text.push_str(mark);
        }
    }
    text
}

fn from(standing: &Standing) -> String {
    match standing.pre_plan_mode() {
        Some(before) => format!("`plan` (before: `{before}`)"),
        None => format!("`{}`", standing.mode()),
    }
}

fn classifier(standing: &Standing) -> &'static str {
    match standing.interrupted() {
        _ if standing.classifier_on() => "on",
        Some(Interrupted { judge: Judge::Was, .. }) => "was on",
        _ => "off",
    }
}
