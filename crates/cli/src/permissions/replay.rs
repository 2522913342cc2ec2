//! `forelook permissions replay`: which past decisions other rules would change.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use forelook_host::past::{CallReader, FactFinder};
use forelook_host::{Failure, Fencing, Holding, Kind, Loaded, RuleSpec, network_commands};
use forelook_permissions::{AgentKind, Policy, RuleSet, decide};
use forelook_protocol::{AbsPath, Body, Decision, Entry, Facts, SessionId, Standing, ToolCall};
use forelook_sessions::Store;
use forelook_settings::Env;

use super::moment::{Moment, Place};
use super::within;
use crate::out::say;
use crate::run::here;

/// Decides the past anew.
pub(crate) fn run(env: &Env, rules: OsString, sessions: Vec<SessionId>) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let failed = |error: forelook_sessions::SessionError| Failure::of(Kind::Task, &error);
    let store = Store::new(env.home.clone());
    let sessions = match sessions.is_empty() {
        true => store.list(Some(&folder)).map_err(failed)?.sessions.into_iter().map(|one| one.id).collect(),
        false => sessions,
    };
    let replay = Replay::new(env, &folder, rules)?;
    let (mut all, mut changed) = (0, 0);
    for session in &sessions {
        let transcript = store.read(*session).map_err(failed)?;
        for change in replay.session(&transcript.entries) {
            all += 1;
            if change.before != change.after {
                changed += 1;
                say!("{session}  {} -> {}  {}", change.before, change.after, change.what);
            }
        }
    }
    say!("{changed} of {all} decisions in {} sessions would change", sessions.len());
    Ok(ExitCode::SUCCESS)
}

struct Replay {
    policy: Policy,
    holding: Holding,
    calls: CallReader,
    facts: FactFinder,
}

struct Change {
    before: String,
    after: String,
    what: String,
}

impl Replay {
    fn new(env: &Env, folder: &AbsPath, rules: OsString) -> Result<Self, Failure> {
        // Only the rules of the file that was named: that is what is tried.
        let args = RuleSpec { settings: Some(rules), sources: Some(String::new()), ..RuleSpec::default() };
        let places = forelook_host::places(env, &args, folder)?;
        let Loaded { settings, trust, .. } = forelook_host::load(env, &places)?;
        if let Some(problem) = settings.problems.first() {
            return Err(Failure::new(Kind::Usage, problem.text.clone()));
        }
        let rules = RuleSet::new(settings.rules.clone(), settings.strictness)
            .with_network_commands(network_commands(&settings));
        // What is held is part of what was decided, and is tried as this machine can hold it.
        let (fencing, _) = Fencing::of(&settings.sandbox);
        let policy = Policy {
            standing: Standing::default(),
            rules: Arc::new(rules),
            folders: vec![folder.clone()],
            user_home: env.user_home.clone(),
            own: forelook_host::own_files(env, &places, &settings),
            agent: AgentKind::Main,
            plan_file: None,
            kernel: forelook_permissions::Kernel::default(),
        };
        Ok(Self {
            policy,
            holding: fencing.on_this_machine(env),
            calls: CallReader::new(env, &places, trust),
            facts: FactFinder::new(env)?,
        })
    }

    /// Every decision of a journal, as it was and as it would be: in the mode and the folder of its moment.
    fn session(&self, entries: &[Entry]) -> Vec<Change> {
        let mut moment = Moment::new(self.policy.clone());
        let mut changes = Vec::new();
        for entry in entries {
            moment.hear(entry);
            let Body::Decision(decided) = &entry.body else { continue };
            let agent = entry.agent.as_ref();
            if let Some((call, place)) = moment.call(agent, &decided.call).zip(moment.place(agent)) {
                let policy = self.holding.hold(moment.policy(agent));
                changes.extend(self.again(&policy, call, place, &decided.decision));
            }
        }
        changes
    }

    fn again(&self, policy: &Policy, call: &ToolCall, place: Place, before: &Decision) -> Option<Change> {
        let action = self.calls.action(call, place.project, place.folder)?;
        let mut facts = Facts::default();
        let after = loop {
            match decide(policy, &call.name, &action, &facts) {
                Decision::Need(missing) => self.facts.find_out(missing, &mut facts),
                decision => break decision,
            }
        };
        let what = format!("{}({})", call.name, first_words(&call.input));
        Some(Change { before: word(before), after: word(&after), what })
    }
}

fn first_words(input: &serde_json::Value) -> String {
    let text = input["command"].as_str().or_else(|| input["file_path"].as_str()).unwrap_or_default();
    text.lines().next().unwrap_or_default().chars().take(80).collect()
}

/// The verdict, with what the kernel would hold it to: to run elsewhere is another decision. What is denied does not run.
fn word(decision: &Decision) -> String {
    let (verdict, reason) = match decision {
        Decision::Allow(reason) => ("allow", reason),
        Decision::Ask(reason) | Decision::Judge(reason) => ("ask", reason),
        Decision::Need(_) => return "ask".to_owned(),
        Decision::Deny(_) => return "deny".to_owned(),
    };
    within::word(reason.within).map_or_else(|| verdict.to_owned(), |held| format!("{verdict} ({held})"))
}
