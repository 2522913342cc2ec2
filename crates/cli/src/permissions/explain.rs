//! `forelook permissions explain`: every step of a decision, with what it found and who said so.

use std::process::ExitCode;
use std::sync::Arc;

use forelook_host::offline::BlockingProbe;
use forelook_host::{Failure, FailureClass, FenceConfig, NamedFolders};
use forelook_permissions::{
    AgentKind, Explanation, ModeTrigger, PermissionPolicy, RuleSet, explain_decision, transition,
};
use forelook_protocol::{Action, Decision, DecisionStep, Facts, Mode, ModeState, Reason};
use forelook_settings::{Env, Settings};
use serde_json::{Value, json};

use super::{call, confinement};
use crate::args::ExplainArgs;
use crate::out::{print_note, say};
use crate::run::here;

/// Explains.
pub(crate) fn run(env: &Env, args: ExplainArgs) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let rule_spec = args.rules.spec();
    let settings_paths = forelook_host::settings_paths(env, &rule_spec, &folder)?;
    let loaded = forelook_host::load(env, &settings_paths)?;
    let own = forelook_host::own_files(env, &settings_paths, &loaded);
    let settings = &loaded.settings;
    let (tool, action) = call::parse(&args.call, &folder, env.user_home.as_ref())?;
    let (rules, notices) = forelook_host::all_rules(&rule_spec, &settings_paths, settings);
    let named = NamedFolders::find(env, &rule_spec, &settings_paths, settings);
    for notice in settings.problems.iter().chain(&notices).chain(&named.notices) {
        print_note(&notice.text);
    }
    let folders: Vec<_> = [folder.clone()].into_iter().chain(named.working).collect();
    // There is no session, so the plan has no name; which file a refusal would name can be said all the same.
    let plan_file = forelook_host::plans(env, &settings_paths, settings).0.folder().join("….md");
    let rules = RuleSet::new(rules, settings.strictness)
        .with_network_commands(forelook_host::network_commands(settings));
    let mode_state =
        mode_state(args.mode.or(settings.default_mode.as_ref().map(|mode| mode.value)), settings);
    let agent = agent(args.agent.as_deref())?;
    let fence_config = FenceConfig::new(&settings.sandbox, named.writable, env);
    if let Some(notice) = fence_config.unenforceable_notice(env, &folders) {
        print_note(&notice.text);
    }
    let policy = PermissionPolicy {
        mode_state,
        rules: Arc::new(rules),
        folders,
        user_home: env.user_home.clone(),
        own,
        agent,
        plan_file: Some(plan_file),
        workspace: fence_config.workspace(),
    };
    let probe = BlockingProbe::new(env, &folder, &loaded, fence_config.probe_machine(env))?;
    let explanation = explained(&policy, &tool, &action, &probe)?;
    match args.json {
        true => say!("{}", object(&args.call, &policy, &action, &explanation)),
        false => print(&args.call, &policy, &action, &explanation),
    }
    Ok(ExitCode::SUCCESS)
}

/// How things would stand in this mode. Whether it can be had is another question than what it would decide.
fn mode_state(mode: Option<Mode>, settings: &Settings) -> ModeState {
    let conditions = forelook_permissions::ModeConditions {
        gate: Ok(()),
        bypass: Ok(()),
        auto_during_plan: settings.auto_during_plan
            && settings.auto_disabled.is_none()
            && mode == Some(Mode::Auto),
        cycle: Vec::new(),
    };
    let start = ModeState::default();
    let changed = mode.and_then(|mode| transition(&start, ModeTrigger::To(mode), &conditions).ok());
    changed.map_or(start, |changed| changed.mode_state)
}

fn agent(name: Option<&str>) -> Result<AgentKind, Failure> {
    match name {
        None | Some("main") => Ok(AgentKind::Main),
        Some("Explore" | "Plan") => Ok(AgentKind::ReadOnly),
        Some("general-purpose") => Ok(AgentKind::Sub),
        Some(other) => Err(Failure::new(FailureClass::Usage, format!("Unknown agent `{other}`"))
            .hint("Choose main, general-purpose, Explore, or Plan")),
    }
}

/// Finds out the facts that the decision asks for, and explains it.
fn explained(
    policy: &PermissionPolicy,
    tool: &str,
    action: &Action,
    probe: &BlockingProbe,
) -> Result<Explanation, Failure> {
    let mut facts = Facts::default();
    loop {
        match explain_decision(policy, tool, action, &facts) {
            Ok(explanation) => return Ok(explanation),
            Err(Decision::NeedFacts(missing)) => probe.probe(missing, &mut facts),
            Err(_) => return Err(Failure::new(FailureClass::Task, "The decision could not be explained")),
        }
    }
}

fn verdict(decision: &Decision) -> (&'static str, Option<&Reason>) {
    match decision {
        Decision::Allow(reason) => ("allow", Some(reason)),
        Decision::Ask(reason) => ("ask", Some(reason)),
        Decision::Deny(reason) => ("deny", Some(reason)),
        Decision::Classify(reason) => ("classifier", Some(reason)),
        Decision::NeedFacts(_) => ("unknown", None),
    }
}

fn print(call: &str, policy: &PermissionPolicy, action: &Action, explanation: &Explanation) {
    say!("{call}  in mode `{}`\n", policy.mode_state.mode());
    let mut decided = false;
    for (step, found, decision) in &explanation.steps {
        let says = decision.as_ref().map_or("", |decision| verdict(decision).0);
        let here = !decided && decision.is_some();
        decided |= here;
        let mark = if here { ">" } else { " " };
        say!("{mark} {:>2}. {:<22} {says:<10} {found}", step.number(), step.name());
    }
    let (word, reason) = verdict(&explanation.decision);
    say!("\n{word}: {}", reason.map_or("", |reason| reason.text.as_str()));
    if let Some(held) = confinement::sentence(policy, action, &explanation.decision) {
        say!("{held}");
    }
    for other in reason.iter().flat_map(|reason| &reason.others) {
        say!("  - {other}");
    }
    let rules: Vec<String> =
        reason.iter().flat_map(|reason| &reason.suggested_rules).map(|it| format!("`{}`", it.rule)).collect();
    match rules.as_slice() {
        [] => {}
        [rule] => say!("The rule {rule} would allow it."),
        rules => say!("The rules {} would allow it.", rules.join(", ")),
    }
}

fn object(call: &str, policy: &PermissionPolicy, action: &Action, explanation: &Explanation) -> Value {
    let says = |decision: &Decision| {
        let (verdict, reason) = verdict(decision);
        json!({ "verdict": verdict, "reason": reason })
    };
    let step = |(step, found, decision): &(DecisionStep, String, Option<Decision>)| json!({ "step": step.number(), "name": step.name(), "found": found, "says": decision.as_ref().map(says) });
    json!({
        "call": call,
        "mode": policy.mode_state.mode(),
        "decision": says(&explanation.decision),
        "confinement": confinement::sentence(policy, action, &explanation.decision),
        "steps": explanation.steps.iter().map(step).collect::<Vec<_>>(),
    })
}
