//! What the status line is made from, and the person's own status line.

use forelook_protocol::{Bill, Body, Entry, Mode, Spent, Status, Usage};
use serde_json::{Value, json};

use super::wish::{Errand, Wish};

/// The person's script is not run more often.
const REST_MS: u64 = 300;

/// What is known of the session beside its conversation.
#[derive(Debug)]
pub(super) struct Facts {
    session: String,
    folder: String,
    pub(super) branch: Option<String>,
    plan: Option<String>,
    /// How many tokens the model can read.
    window: Option<u64>,
    /// How many of them the conversation took, when it was last sent.
    used: u64,
    pub(super) cost: Bill,
    pub(super) script: Script,
}

/// The person's own status line.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// Whether there is one.
    exists: bool,
    /// What it said.
    pub(super) said: Option<String>,
    /// When it was asked last.
    asked: Option<u64>,
    /// Whether its answer is still awaited.
    out: bool,
    /// Whether something has changed since.
    stale: bool,
    /// Whether its failure was told.
    told: bool,
}

impl Facts {
    pub(super) fn new(status: &Status) -> Self {
        let mut spent = Spent::default();
        for one in status.spent.values() {
            spent += *one;
        }
        Self {
            session: status.session.to_string(),
            folder: status.folder.to_string(),
            branch: None,
            plan: status.plan.as_ref().map(ToString::to_string),
            window: status.window,
            used: 0,
            cost: spent.cost,
            script: Script::default(),
        }
    }

    /// How things stand now.
    pub(super) fn stands(&mut self, status: &Status) {
        self.window = status.window;
        self.plan = status.plan.as_ref().map(ToString::to_string);
    }

    /// Something stands in the journal.
    pub(super) fn recorded(&mut self, entry: &Entry) {
        self.read_before(entry);
        let (usage, cost) = match &entry.body {
            Body::Answer(answered) => (answered.usage, answered.cost),
            Body::SmallAnswer(answered) => (answered.usage, answered.cost),
            Body::PlanNamed(named) => {
                self.plan = Some(named.path.to_string());
                return;
            }
            _ => return,
        };
        self.cost += Spent::on(usage, cost).cost;
    }

    /// An entry from before we listened; what it cost is known already.
    pub(super) fn read_before(&mut self, entry: &Entry) {
        if let (Body::Answer(answered), None) = (&entry.body, &entry.agent)
            && answered.usage != Usage::default()
        {
            self.used = all_of(&answered.usage);
        }
    }

    /// How much of the window is full.
    pub(super) fn percent(&self) -> Option<u64> {
        let window = self.window.filter(|window| *window > 0)?;
        (self.used > 0).then(|| (self.used.saturating_mul(100) / window).min(100))
    }

    /// The name of the working folder.
    pub(super) fn folder_name(&self) -> &str {
        self.folder.rsplit('/').next().unwrap_or_default()
    }

    /// For the person's script.
    pub(super) fn json(&self, model: &str, mode: Mode, todos: (usize, usize)) -> Value {
        let cost = match self.cost {
            Bill::Whole(cost) | Bill::AtLeast(cost) => cost.dollars(),
        };
        json!({
            "session_id": self.session,
            "cwd": self.folder,
            "model": model,
            "mode": mode.name(),
            "version": env!("CARGO_PKG_VERSION"),
            "cost_usd": cost,
            "context": { "used": self.used, "window": self.window, "percent": self.percent() },
            "branch": self.branch,
            "todos": { "done": todos.0, "all": todos.1 },
            "plan": self.plan,
        })
    }
}

impl Script {
    pub(super) fn exists(&mut self) {
        (self.exists, self.stale) = (true, true);
    }

    /// Something has changed that it may tell of.
    pub(super) fn changed(&mut self) {
        self.stale = self.exists;
    }

    /// When it is to be asked.
    pub(super) fn due(&self) -> Option<u64> {
        (self.stale && !self.out).then(|| self.asked.map_or(0, |asked| asked + REST_MS))
    }

    /// Asks it, if it is time.
    pub(super) fn ask(&mut self, now: u64, facts: Value) -> Option<Wish> {
        self.due().filter(|due| *due <= now)?;
        (self.asked, self.out, self.stale) = (Some(now), true, false);
        Some(Wish::See(Errand::StatusLine(facts)))
    }

    /// It has answered. What is to be told of a failure, the first time.
    pub(super) fn answered(&mut self, answer: Result<Option<String>, String>) -> Option<String> {
        self.out = false;
        match answer {
            Ok(said) => {
                self.said = said;
                None
            }
            Err(why) => {
                self.said = None;
                let first = !std::mem::replace(&mut self.told, true);
                first.then(|| format!("Your status line failed: {why}"))
            }
        }
    }
}

fn all_of(usage: &Usage) -> u64 {
    usage.input_tokens
        + usage.cache_read_input_tokens
        + usage.cache_creation_input_tokens
        + usage.output_tokens
}
