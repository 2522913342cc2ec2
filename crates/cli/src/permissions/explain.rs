//! `forelook permissions explain`: every step of a decision, with what it found and who said so.

use std::process::ExitCode;
use std::sync::Arc;

use forelook_host::past::FactFinder;
use forelook_host::{Failure, Fencing, Kind};
use forelook_permissions::{
    AgentKind, Change, Explanation, Kernel, Policy, RuleSet, explain_decision, transition,
};
use forelook_protocol::{Action, Decision, Facts, Mode, Reason, Standing, Step};
use forelook_settings::{Env, Settings};
use serde_json::{Value, json};

use super::{call, within};
use crate::args::ExplainArgs;
use crate::out::say;
use crate::run::here;

/// Explains.
pub(crate) fn run(env: &Env, args: ExplainArgs) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let said = args.rules.spec();
    let places = forelook_host::places(env, &said, &folder)?;
    let settings = forelook_host::load(env, &places)?.settings;
    let (tool, action) = call::parse(&args.call, &folder, env.user_home.as_ref())?;
    let (rules, notices) = forelook_host::all_rules(&said, &places, &settings);
    for notice in settings.problems.iter().chain(&notices) {
        tell(&notice.text);
    }
    let mut folders = vec![folder];
    folders.extend(settings.additional_directories.iter().map(|folder| folder.value.clone()));
    // There is no session, so the plan has no name; which file a refusal would name can be said all the same.
    let plan_file = forelook_host::plans(env, &places, &settings).0.folder().join("….md");
    let rules = RuleSet::new(rules, settings.strictness)
        .with_network_commands(forelook_host::network_commands(&settings));
    let standing = standing(args.mode.or(settings.default_mode.as_ref().map(|mode| mode.value)), &settings);
    let agent = agent(args.agent.as_deref())?;
    let (fencing, wrong) = Fencing::of(&settings.sandbox);
    for notice in wrong.iter().chain(&fencing.cannot_be_held(env, &folders)) {
        tell(&notice.text);
    }
    let policy = fencing.on_this_machine(env).hold(Policy {
        standing,
        rules: Arc::new(rules),
        folders,
        user_home: env.user_home.clone(),
        own: forelook_host::own_files(env, &places, &settings),
        agent,
        plan_file: Some(plan_file),
        kernel: Kernel::default(),
    });
    let explanation = explained(&policy, &tool, &action, &FactFinder::new(env)?)?;
    match args.json {
        true => say!("{}", object(&args.call, &policy, &action, &explanation)),
        false => print(&args.call, &policy, &action, &explanation),
    }
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::print_stderr, reason = "problems belong beside the answer, not into it")]
fn tell(text: &str) {
    eprintln!("{text}");
}

/// How things would stand in this mode. Whether it can be had is another question than what it would decide.
fn standing(mode: Option<Mode>, settings: &Settings) -> Standing {
    let conditions = forelook_permissions::Conditions {
        gate: Ok(()),
        bypass: Ok(()),
        auto_during_plan: settings.auto_during_plan
            && settings.auto_disabled.is_none()
            && mode == Some(Mode::Auto),
        cycle: Vec::new(),
    };
    let start = Standing::default();
    let changed = mode.and_then(|mode| transition(&start, Change::To(mode), &conditions).ok());
    changed.map_or(start, |changed| changed.standing)
}

fn agent(name: Option<&str>) -> Result<AgentKind, Failure> {
    match name {
        None | Some("main") => Ok(AgentKind::Main),
        Some("Explore" | "Plan") => Ok(AgentKind::ReadOnly),
        Some("general-purpose") => Ok(AgentKind::Sub),
        Some(other) => Err(Failure::new(Kind::Usage, format!("There is no agent `{other}`"))
            .hint("Known are main, general-purpose, Explore and Plan")),
    }
}

/// Finds out the facts that the decision asks for, and explains it.
fn explained(
    policy: &Policy,
    tool: &str,
    action: &Action,
    finder: &FactFinder,
) -> Result<Explanation, Failure> {
    let mut facts = Facts::default();
    loop {
        match explain_decision(policy, tool, action, &facts) {
            Ok(explanation) => return Ok(explanation),
            Err(Decision::Need(missing)) => finder.find_out(missing, &mut facts),
            Err(_) => return Err(Failure::new(Kind::Task, "The decision could not be explained")),
        }
    }
}

fn verdict(decision: &Decision) -> (&'static str, Option<&Reason>) {
    match decision {
        Decision::Allow(reason) => ("allow", Some(reason)),
        Decision::Ask(reason) => ("ask", Some(reason)),
        Decision::Deny(reason) => ("deny", Some(reason)),
        Decision::Judge(reason) => ("classifier", Some(reason)),
        Decision::Need(_) => ("unknown", None),
    }
}

fn print(call: &str, policy: &Policy, action: &Action, explanation: &Explanation) {
    say!("{call}  in mode `{}`\n", policy.standing.mode());
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
    if let Some(held) = within::sentence(policy, action, &explanation.decision) {
        say!("{held}");
    }
    if let Some(rule) = reason.and_then(|reason| reason.would_allow.as_ref()) {
        say!("The rule `{rule}` would allow it.");
    }
}

fn object(call: &str, policy: &Policy, action: &Action, explanation: &Explanation) -> Value {
    let says = |decision: &Decision| {
        let (verdict, reason) = verdict(decision);
        json!({ "verdict": verdict, "reason": reason })
    };
    let step = |(step, found, decision): &(Step, String, Option<Decision>)| json!({ "step": step.number(), "name": step.name(), "found": found, "says": decision.as_ref().map(says) });
    json!({
        "call": call,
        "mode": policy.standing.mode(),
        "decision": says(&explanation.decision),
        "held": within::sentence(policy, action, &explanation.decision),
        "steps": explanation.steps.iter().map(step).collect::<Vec<_>>(),
    })
}
