//! Walks every state and every change, and prints what comes of it: `docs/mode-transitions.md`.

#![expect(clippy::print_stdout, reason = "it prints a page")]

use std::collections::BTreeMap;

use forelook_permissions::{CYCLE, GateClosed, ModeConditions, ModeTrigger, transition};
use forelook_protocol::{ClassifierInPlan, Mode, ModeState, PrePlanState};

fn main() {
    println!("<!-- Made by `cargo xtask docs` from `crates/permissions/src/transition.rs`; edit that. -->\n");
    println!("# Mode transitions\n");
    println!(
        "Use this page to look up which mode a change leads to, from every mode and under all conditions. Each section is one \
         kind of change.\n\n\
         - Conditions: `gate` means that auto mode is available, `bypass` that `bypassPermissions` is available, and \
         `setting` that `useAutoModeDuringPlan` is on.\n\
         - Results: the resulting mode. `+c` means that the classifier is on, `+e` that the model will be told that planning \
         is over, and `+a` that it will be told that auto mode is over. `refused` means that nothing changes.\n"
    );
    for change in changes() {
        table(change);
    }
}

fn changes() -> Vec<(String, ModeTrigger)> {
    let mut all: Vec<(String, ModeTrigger)> =
        Mode::ALL.map(|mode| (format!("to `{mode}`"), ModeTrigger::To(mode))).to_vec();
    all.push(("Shift+Tab".to_owned(), ModeTrigger::Cycle));
    all.push(("plan approved".to_owned(), ModeTrigger::LeavePlan(None)));
    all.push(("plan approved into `auto`".to_owned(), ModeTrigger::LeavePlan(Some(Mode::Auto))));
    all.push(("conditions changed, or resumed".to_owned(), ModeTrigger::ConditionsChanged));
    all.push(("a subagent tries to plan".to_owned(), ModeTrigger::SubagentEntersPlan));
    all
}

fn table((name, change): (String, ModeTrigger)) {
    println!("## {}{}\n", name[..1].to_uppercase(), &name[1..]);
    println!("| from | classifier | conditions | result |");
    println!("|---|---|---|---|");
    for mode_state in mode_states() {
        // Conditions that lead to the same are told together.
        let mut outcomes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (words, conditions) in all_conditions() {
            outcomes.entry(outcome(&mode_state, change, &conditions)).or_default().push(words);
        }
        let only = outcomes.len() == 1;
        for (outcome, words) in outcomes {
            let words = if only { "any".to_owned() } else { words.join("; ") };
            println!("| {} | {} | {words} | {outcome} |", from(&mode_state), classifier(&mode_state));
        }
    }
    println!();
}

fn mode_states() -> Vec<ModeState> {
    let others = || Mode::ALL.into_iter().filter(|mode| !mode.is_plan());
    let mut all: Vec<ModeState> = others().map(ModeState::new).collect();
    for before in others() {
        let classifiers = [ClassifierInPlan::NeverOn, ClassifierInPlan::TurnedOff, ClassifierInPlan::On];
        all.extend(
            classifiers.map(|classifier| {
                ModeState::default().with_pre_plan(PrePlanState { mode: before, classifier })
            }),
        );
    }
    all
}

fn all_conditions() -> Vec<(String, ModeConditions)> {
    let mut all = Vec::new();
    for gate in [true, false] {
        for bypass in [true, false] {
            for during_plan in [true, false] {
                let yes = |on: bool, word: &str| format!("{}{word}", if on { "" } else { "no " });
                let words =
                    [yes(gate, "gate"), yes(bypass, "bypass"), yes(during_plan, "setting")].join(", ");
                let conditions = ModeConditions {
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

fn outcome(mode_state: &ModeState, change: ModeTrigger, conditions: &ModeConditions) -> String {
    let Ok(changed) = transition(mode_state, change, conditions) else { return "refused".to_owned() };
    let now = changed.mode_state;
    let mut text = format!("`{}`", now.mode());
    for (on, mark) in [
        (now.classifier_on(), " +c"),
        (now.exit_reminder_due, " +e"),
        (now.auto_exit_reminder_due, " +a"),
        (changed.notice.is_some(), ", with a notice"),
    ] {
        if on {
            text.push_str(mark);
        }
    }
    text
}

fn from(mode_state: &ModeState) -> String {
    match mode_state.pre_plan_mode() {
        Some(before) => format!("`plan` (before: `{before}`)"),
        None => format!("`{}`", mode_state.mode()),
    }
}

fn classifier(mode_state: &ModeState) -> &'static str {
    match mode_state.pre_plan() {
        _ if mode_state.classifier_on() => "on",
        Some(PrePlanState { classifier: ClassifierInPlan::TurnedOff, .. }) => "was on",
        _ => "off",
    }
}
