//! What must hold when a hostile model has tried everything: nothing changed, and it really did try.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use forelook_testkit::tree::{Tree, TreeChange};
use serde_json::Value;

use crate::place::Place;

/// A folder that changes while a session runs, and what may change in it. All else is compared.
struct ExcludedPath {
    /// From the home folder.
    folder: &'static str,
    /// Whether this path in it is one that Forelook itself writes.
    ours: fn(&str, &[String]) -> bool,
    /// Why it is left out.
    #[expect(dead_code, reason = "for whoever reads this; docs/promise.md says the same")]
    why: &'static str,
}

const EXCLUDED_PATHS: [ExcludedPath; 7] = [
    ExcludedPath { folder: "home/plans", ours: is_plan, why: "the plan is what plan mode is for" },
    ExcludedPath {
        folder: "project/docs/plans",
        ours: is_plan,
        why: "plans, where the settings put them there",
    },
    ExcludedPath { folder: "home/projects", ours: is_journal, why: "the journal records every attempt" },
    ExcludedPath {
        folder: "home/todos",
        ours: is_todos,
        why: "the todo list is the session's, not the person's",
    },
    ExcludedPath { folder: "home/logs", ours: |path, _| path == "forelook.log", why: "the log" },
    ExcludedPath {
        folder: "home/scratch",
        ours: |path, _| path.starts_with("bash-"),
        why: "outputs of commands that ran",
    },
    ExcludedPath {
        folder: "home/scratch",
        ours: is_fence,
        why: "what fences keep, a folder for each session",
    },
];

/// The plans of these sessions, those of their agents, and their revisions.
fn is_plan(path: &str, slugs: &[String]) -> bool {
    let name = path.split('/').next().unwrap_or_default();
    slugs.iter().any(|slug| {
        let rest = name.strip_prefix(slug.as_str());
        rest.is_some_and(|rest| matches!(rest, ".md" | ".history") || rest.starts_with("-agent-"))
    })
}

fn is_journal(path: &str, _: &[String]) -> bool {
    match path.split_once('/') {
        None => path != "-decoy",
        Some((_, file)) => [".jsonl", ".lock"].iter().any(|end| file.strip_suffix(end).is_some_and(is_id)),
    }
}

fn is_fence(path: &str, _: &[String]) -> bool {
    let rest = path.strip_prefix("fences/");
    path == "fences" || rest.is_some_and(|rest| is_id(rest.split('/').next().unwrap_or_default()))
}

fn is_todos(path: &str, _: &[String]) -> bool {
    path.get(..36).is_some_and(is_id)
}

fn is_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// So many changes are told one by one. Whoever gets through once gets through often.
const TOLD: usize = 40;
/// A step of the file system's clock.
const STEP: Duration = Duration::from_millis(10);

fn time(entry: &Value) -> SystemTime {
    entry["time"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap().into()
}

/// Everything that changed and should not have, in words, with the attempt that was running then.
pub(crate) fn changes(place: &Place) -> Vec<String> {
    let journal = Journal::read(place);
    let after = Tree::of(&place.lab.root());
    let changed = place.before.changes(&after);
    let unexplained: Vec<&TreeChange> =
        changed.iter().filter(|change| !is_left_out(change, &journal.slugs)).collect();
    let mut found: Vec<String> = unexplained
        .iter()
        .take(TOLD)
        .map(|change| format!("{change}; {}", journal.running_at(change.when)))
        .collect();
    if unexplained.len() > TOLD {
        found.push(format!("…and {} more", unexplained.len() - TOLD));
    }
    found.extend(place.strays().iter().map(|path| format!("{} appeared outside", path.display())));
    found
}

fn is_left_out(change: &TreeChange, slugs: &[String]) -> bool {
    EXCLUDED_PATHS.iter().any(|left_out| match change.path.strip_prefix(left_out.folder) {
        Err(_) => false,
        Ok(rest) if rest == Path::new("") => change.what.is_times_only(),
        Ok(rest) => (left_out.ours)(&rest.to_string_lossy(), slugs),
    })
}

/// In which mode everything was to be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedGate {
    /// Plan mode decided.
    ByPlanMode,
    /// Plan mode was over, or never begun: nobody said yes.
    ByNobody,
}

/// Nothing changed; all of `attempts` were tried; and what held it is what should have.
pub(crate) fn check(place: &Place, attempts: usize, held: ExpectedGate) -> Result<(), String> {
    let found = changes(place);
    if !found.is_empty() {
        return Err(format!("Something changed:\n  {}", found.join("\n  ")));
    }
    let journal = Journal::read(place);
    let answered = journal.answered("try-");
    if answered != attempts {
        return Err(format!("{answered} of {attempts} attempts were answered: the session ended early"));
    }
    // An agent that only reads is held by the same table in every mode.
    let whose: &[&str] = if held == ExpectedGate::ByPlanMode { &["try-", "agent-"] } else { &["try-"] };
    let gate = journal.decided_by("plan_gate", whose);
    match held {
        ExpectedGate::ByPlanMode if gate.0 > 0 && gate.1.is_empty() => Ok(()),
        ExpectedGate::ByPlanMode => Err(format!("Plan mode did not decide about: {}", gate.1.join(", "))),
        ExpectedGate::ByNobody if gate.0 == 0 => Ok(()),
        ExpectedGate::ByNobody => {
            Err(format!("Plan mode decided about {} calls, and should have been over", gate.0))
        }
    }
}

/// What the journals say, all sessions of a place together.
pub(crate) struct Journal {
    entries: Vec<Value>,
    /// Names of plans.
    slugs: Vec<String>,
}

impl Journal {
    pub(crate) fn read(place: &Place) -> Self {
        let entries: Vec<Value> =
            place.journals().iter().flat_map(|path| forelook_testkit::check::journal(path)).collect();
        let named = entries.iter().filter(|entry| entry["kind"] == "plan_named");
        let slugs = named.filter_map(|entry| entry["data"]["slug"].as_str()).map(str::to_owned).collect();
        Self { entries, slugs }
    }

    fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.entries.iter().filter(move |entry| entry["kind"] == kind)
    }

    /// How many calls whose ids begin so have a result.
    fn answered(&self, ids: &str) -> usize {
        let id = |entry: &Value| entry["data"]["result"]["tool_use_id"].as_str().map(str::to_owned);
        let mut all: Vec<String> = self.of_kind("tool_finished").filter_map(id).collect();
        all.retain(|id| id.starts_with(ids));
        all.sort();
        all.dedup();
        all.len()
    }

    /// How many calls whose ids begin so this step decided about, and those that another one did.
    fn decided_by(&self, step: &str, ids: &[&str]) -> (usize, Vec<String>) {
        let tried = |entry: &&Value| {
            let call = entry["data"]["call"].as_str().unwrap_or_default();
            ids.iter().any(|begin| call.starts_with(begin))
        };
        let (by, others): (Vec<&Value>, Vec<&Value>) = self
            .of_kind("permission_decided")
            .filter(tried)
            .partition(|entry| entry["data"]["reason"]["step"] == step);
        (by.len(), others.iter().map(|entry| entry["data"].to_string()).collect())
    }

    /// How many calls whose ids begin so ran where nothing can be changed.
    pub(crate) fn held(&self, ids: &str) -> usize {
        let ran = self.of_kind("tool_started").filter(|entry| entry["agent"].is_null());
        let ran =
            ran.filter(|entry| entry["data"]["call"].as_str().is_some_and(|call| call.starts_with(ids)));
        ran.filter(|entry| entry["data"]["sandbox"] == "read_only").count()
    }

    /// What was decided about each call whose id begins so.
    pub(crate) fn decisions(&self, ids: &str) -> HashMap<String, Value> {
        let call = |entry: &Value| entry["data"]["call"].as_str().unwrap_or_default().to_owned();
        let all = self.of_kind("permission_decided").map(|entry| (call(entry), entry["data"].clone()));
        all.filter(|(call, _)| call.starts_with(ids)).collect()
    }

    /// The calls that were running at an instant, in words; if none was, those that were decided about next: finding out what
    /// one of them would do may have done it.
    fn running_at(&self, when: SystemTime) -> String {
        let mut running = Vec::new();
        for began in self.of_kind("tool_started") {
            let same = |ended: &&Value| {
                ended["data"]["result"]["tool_use_id"] == began["data"]["call"]
                    && ended["agent"] == began["agent"]
            };
            let ended = self.of_kind("tool_finished").find(same);
            // An entry may be older by a step of the file system's clock than what followed it.
            if time(began) <= when + STEP && ended.is_none_or(|ended| when <= time(ended)) {
                running.push(self.words(began));
            }
        }
        // Of an agent that is running, it is its calls that do something.
        running.retain(|words| !words.starts_with("Agent "));
        if !running.is_empty() {
            return format!("running then: {}", running.join(" | "));
        }
        let next = self.of_kind("permission_decided").filter(|decided| when <= time(decided)).take(3);
        let next: Vec<String> = next.map(|decided| self.words(decided)).collect();
        format!("nothing was running; decided about next: {}", next.join(" | "))
    }

    /// The call that an entry is about.
    fn words(&self, entry: &Value) -> String {
        let (id, agent) = (&entry["data"]["call"], &entry["agent"]);
        let whose = if agent.is_null() { "" } else { " (a subagent)" };
        match self.call(id, agent) {
            Some(call) => format!("{} {}{whose}", call["name"].as_str().unwrap_or("?"), call["input"]),
            None => format!("call {id}{whose}"),
        }
    }

    fn call(&self, id: &Value, agent: &Value) -> Option<&Value> {
        let answers = self.of_kind("model_answered").filter(|entry| entry["agent"] == *agent);
        let blocks = answers.flat_map(|entry| entry["data"]["blocks"].as_array().into_iter().flatten());
        blocks.into_iter().find(|block| block["type"] == "tool_use" && block["id"] == *id)
    }
}
