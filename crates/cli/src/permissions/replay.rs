//! `forelook permissions replay`: which past decisions other rules would change.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use forelook_permissions::{AgentKind, Policy, RuleSet, decide};
use forelook_protocol::{
    AbsPath, AnswerBlock, Body, CallId, Decision, Effect, Entry, Facts, SessionId, Standing, ToolCall,
};
use forelook_sandbox::ChildEnv;
use forelook_sessions::Store;
use forelook_settings::Env;
use forelook_tools::{Finder, Place, Toolbox, find_out};

use crate::args::RuleArgs;
use crate::authority;
use crate::failure::{Failure, Kind};
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
        for change in replay.session(&transcript.entries)? {
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
    rules: Arc<RuleSet>,
    policy: Policy,
    tools: Toolbox,
    finder: Finder,
    runtime: tokio::runtime::Runtime,
}

struct Change {
    before: &'static str,
    after: &'static str,
    what: String,
}

impl Replay {
    fn new(env: &Env, folder: &AbsPath, rules: OsString) -> Result<Self, Failure> {
        // Only the rules of the file that was named: that is what is tried.
        let args =
            RuleArgs { settings: Some(rules), setting_sources: Some(String::new()), ..RuleArgs::default() };
        let places = authority::places(env, &args, folder)?;
        let settings = authority::load(env, &places)?;
        if let Some(problem) = settings.problems.first() {
            return Err(Failure::new(Kind::Usage, problem.text.clone()));
        }
        let rules = Arc::new(RuleSet::new(settings.rules.clone(), settings.strictness));
        let policy = Policy {
            standing: Standing::default(),
            rules: Arc::clone(&rules),
            folders: vec![folder.clone()],
            user_home: env.user_home.clone(),
            own: authority::own_files(env, &places),
            agent: AgentKind::Main,
            plan_file: None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Self {
            rules,
            policy,
            tools: Toolbox::built(),
            finder: Finder {
                env: Arc::new(ChildEnv::from_process_without_secrets(env.all().iter().cloned())),
                home: env.user_home.clone(),
            },
            runtime: runtime.map_err(|error| Failure::of(Kind::Task, &error))?,
        })
    }

    /// Every decision of a journal, as it was and as it would be: in the mode and the folder of its moment.
    fn session(&self, entries: &[Entry]) -> Result<Vec<Change>, Failure> {
        let mut changes = Vec::new();
        let mut calls: Vec<&ToolCall> = Vec::new();
        let mut policy = self.policy.clone();
        policy.rules = Arc::clone(&self.rules);
        let mut place = None;
        for entry in entries {
            match &entry.body {
                Body::Session(header) => {
                    policy.folders = vec![header.folder.clone()];
                    place = Some(Place { project: header.folder.clone(), folder: header.folder.clone() });
                }
                Body::Mode(set) => policy.standing = set.standing,
                Body::Answer(answered) => {
                    calls.extend(answered.blocks.iter().filter_map(|block| match block {
                        AnswerBlock::ToolUse(call) => Some(call),
                        AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } => None,
                    }))
                }
                Body::Finished(finished) => {
                    let moved = finished.effects.iter().find_map(|effect| match effect {
                        Effect::SetFolder { folder } => Some(folder.clone()),
                        _ => None,
                    });
                    if let (Some(place), Some(folder)) = (&mut place, moved) {
                        place.folder = folder;
                    }
                }
                Body::Decision(decided) => {
                    let Some((call, place)) = find(&calls, &decided.call).zip(place.as_ref()) else {
                        continue;
                    };
                    changes.extend(self.again(&policy, call, place, &decided.decision));
                }
                _ => {}
            }
        }
        Ok(changes)
    }

    fn again(&self, policy: &Policy, call: &ToolCall, place: &Place, before: &Decision) -> Option<Change> {
        let tool = self.tools.get(&call.name)?;
        let action = tool.action(&call.input, place).ok()?;
        let mut facts = Facts::default();
        let after = loop {
            match decide(policy, &call.name, &action, &facts) {
                Decision::Need(missing) => self.runtime.block_on(find_out(missing, &mut facts, &self.finder)),
                decision => break decision,
            }
        };
        let what = format!("{}({})", call.name, first_words(&call.input));
        Some(Change { before: word(before), after: word(&after), what })
    }
}

fn find<'a>(calls: &[&'a ToolCall], id: &CallId) -> Option<&'a ToolCall> {
    calls.iter().rev().find(|call| call.id == *id).copied()
}

fn first_words(input: &serde_json::Value) -> String {
    let text = input["command"].as_str().or_else(|| input["file_path"].as_str()).unwrap_or_default();
    text.lines().next().unwrap_or_default().chars().take(80).collect()
}

fn word(decision: &Decision) -> &'static str {
    match decision {
        Decision::Allow(_) => "allow",
        Decision::Ask(_) | Decision::Judge(_) | Decision::Need(_) => "ask",
        Decision::Deny(_) => "deny",
    }
}
