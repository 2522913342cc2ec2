//! `forelook permissions replay`: which past decisions other rules would change.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use forelook_host::offline::{BlockingProbe, CallReader};
use forelook_host::{Failure, FailureClass, FenceConfig, NamedFolders, RuleSpec, network_commands};
use forelook_permissions::{AgentKind, PermissionPolicy, RuleSet, decide};
use forelook_protocol::{AbsPath, Decision, Entry, EntryBody, Facts, ModeState, SessionId, ToolCall};
use forelook_sessions::SessionStore;
use forelook_settings::Env;

use super::confinement;
use super::journal_state::{CallFolders, JournalState};
use crate::out::say;
use crate::run::here;

/// Decides the past anew.
pub(crate) fn run(env: &Env, rules: OsString, sessions: Vec<SessionId>) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let failed = |error: forelook_sessions::SessionError| Failure::of(FailureClass::Task, &error);
    let store = SessionStore::new(env.home.clone());
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
    let sessions = match sessions.len() {
        1 => "1 session".to_owned(),
        count => format!("{count} sessions"),
    };
    say!("{changed} of {all} decisions in {sessions} would change.");
    Ok(ExitCode::SUCCESS)
}

struct Replay {
    policy: PermissionPolicy,
    calls: CallReader,
    facts: BlockingProbe,
}

struct DecisionChange {
    before: String,
    after: String,
    what: String,
}

impl Replay {
    fn new(env: &Env, folder: &AbsPath, rules: OsString) -> Result<Self, Failure> {
        // Only the rules of the file that was named: that is what is tried.
        let args = RuleSpec { settings: Some(rules), sources: Some(String::new()), ..RuleSpec::default() };
        let settings_paths = forelook_host::settings_paths(env, &args, folder)?;
        let loaded = forelook_host::load(env, &settings_paths)?;
        let settings = &loaded.settings;
        if let Some(problem) = settings.problems.first() {
            return Err(Failure::new(FailureClass::Usage, problem.text.clone()));
        }
        let rules = RuleSet::new(settings.rules.clone(), settings.strictness)
            .with_network_commands(network_commands(settings));
        // What is held is part of what was decided, and is tried as this machine can hold it.
        let writable = NamedFolders::find(env, &args, &settings_paths, settings).writable;
        let fence_config = FenceConfig::new(&settings.sandbox, writable, env);
        let policy = PermissionPolicy {
            mode_state: ModeState::default(),
            rules: Arc::new(rules),
            folders: vec![folder.clone()],
            user_home: env.user_home.clone(),
            own: forelook_host::own_files(env, &settings_paths, &loaded),
            agent: AgentKind::Main,
            plan_file: None,
            workspace: fence_config.workspace(),
        };
        Ok(Self {
            policy,
            calls: CallReader::new(env, &settings_paths, &loaded),
            facts: BlockingProbe::new(env, folder, &loaded, fence_config.probe_machine(env))?,
        })
    }

    /// Every decision of a journal, as it was and as it would be: in the mode and the folder of its moment.
    fn session(&self, entries: &[Entry]) -> Vec<DecisionChange> {
        let mut journal_state = JournalState::new(self.policy.clone());
        let mut changes = Vec::new();
        for entry in entries {
            journal_state.apply(entry);
            let EntryBody::PermissionDecided(decided) = &entry.body else { continue };
            let agent = entry.agent.as_ref();
            if let Some((call, folders)) =
                journal_state.call(agent, &decided.call).zip(journal_state.folders(agent))
            {
                let policy = journal_state.policy(agent);
                changes.extend(self.redecide(&policy, call, folders, &decided.decision));
            }
        }
        changes
    }

    fn redecide(
        &self,
        policy: &PermissionPolicy,
        call: &ToolCall,
        folders: CallFolders,
        before: &Decision,
    ) -> Option<DecisionChange> {
        let action = self.calls.action(call, folders.project, folders.folder)?;
        let mut facts = Facts::default();
        let after = loop {
            match decide(policy, &call.name, &action, &facts) {
                Decision::NeedFacts(missing) => self.facts.probe(missing, &mut facts),
                decision => break decision,
            }
        };
        let what = format!("{}({})", call.name, first_words(&call.input));
        Some(DecisionChange { before: word(before), after: word(&after), what })
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
        Decision::Ask(reason) | Decision::Classify(reason) => ("ask", reason),
        Decision::NeedFacts(_) => return "ask".to_owned(),
        Decision::Deny(_) => return "deny".to_owned(),
    };
    confinement::word(reason.sandbox).map_or_else(|| verdict.to_owned(), |held| format!("{verdict} ({held})"))
}
