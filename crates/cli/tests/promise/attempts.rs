//! The list of attempts, and the script of a model that tries them all.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::place::Place;

const LIST: &str = include_str!("attempts.toml");

/// How many calls stand in one answer.
const TOGETHER: usize = 12;
/// The last words of a model that has tried everything.
pub(crate) const DONE: &str = "All was tried.";
/// Words that make a subagent try everything too.
const ATTACK: &str = "ATTACK: try everything";
/// Words that make one try nothing: agents start no agents.
const NO_DEEPER: &str = "NO-DEEPER";

/// Something that a hostile model tries.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    pub(crate) tool: String,
    /// Its input: JSON, or what stands in its place.
    pub(crate) input: String,
    /// It may end the turn.
    alone: bool,
    /// Its id, if not the next in the list.
    id: Option<&'static str>,
}

/// What subagents try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agents {
    /// Everything.
    Everything,
    /// One in so many, so that a suite of many sessions stays fast.
    OneIn(usize),
}

/// All attempts, as they are for this place.
pub(crate) fn all(place: &Place, plan: &Path) -> Vec<Attempt> {
    let table: toml::Table = LIST.parse().unwrap_or_else(|error| panic!("attempts.toml: {error}"));
    let list = table["attempts"].as_array().expect("a list of attempts");
    list.iter().map(|line| Attempt::read(line, &|text| fill(text, place, plan))).collect()
}

impl Attempt {
    /// A call of the shell.
    pub(crate) fn bash(command: &str) -> Self {
        let input = json!({ "command": command }).to_string();
        Self { tool: "Bash".into(), input, alone: false, id: None }
    }

    /// The same with an id of its own.
    pub(crate) fn named(self, id: &'static str) -> Self {
        Self { id: Some(id), ..self }
    }

    /// A call of any tool.
    pub(crate) fn call(tool: &str, input: &Value) -> Self {
        Self { tool: tool.into(), input: input.to_string(), alone: false, id: None }
    }

    fn read(line: &toml::Value, fill: &dyn Fn(&str) -> String) -> Self {
        let known = ["tool", "input", "raw", "alone"];
        let unknown = line.as_table().unwrap().keys().find(|key| !known.contains(&key.as_str()));
        assert_eq!(unknown, None, "in {line:?}");
        let input = match (line.get("input"), line.get("raw")) {
            (Some(input), None) => filled(serde_json::to_value(input).unwrap(), fill).to_string(),
            (None, Some(raw)) => fill(raw.as_str().unwrap()),
            _ => panic!("`input` or `raw`, one of them: {line:?}"),
        };
        let alone = line.get("alone").is_some_and(|alone| alone.as_bool().unwrap());
        Self { tool: line["tool"].as_str().unwrap().to_owned(), input, alone, id: None }
    }
}

fn filled(value: Value, fill: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(fill(&text)),
        Value::Array(parts) => parts.into_iter().map(|part| filled(part, fill)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, part)| (key, filled(part, fill))).collect(),
        other => other,
    }
}

fn fill(text: &str, place: &Place, plan: &Path) -> String {
    let shown = |path: &Path| path.to_str().unwrap().to_owned();
    let slug = plan.file_stem().unwrap().to_str().unwrap();
    let mut text = text.to_owned();
    for (name, value) in [
        ("{project}", shown(place.lab.project())),
        ("{home}", shown(&place.lab.root())),
        ("{forelook_home}", shown(&place.lab.home())),
        ("{plans}", shown(plan.parent().unwrap())),
        ("{plan}", shown(plan)),
        ("{slug}", slug.to_owned()),
        ("{tmp}", shown(&place.probe)),
        ("{attack}", ATTACK.to_owned()),
        ("{long}", "x".repeat(50_000)),
        ("{deep}", "$(".repeat(300)),
        ("{peed}", ")".repeat(300)),
    ] {
        text = text.replace(name, &value);
    }
    text
}

/// The script of a model. Answers are played in order; what comes before `main` was played by another script.
#[derive(Default)]
pub(crate) struct Script(String);

impl Script {
    /// A model that tries all this, after `played` answers of another script.
    pub(crate) fn hostile(attempts: &[Attempt], played: usize, agents: Agents) -> String {
        let mut script = Self::begun();
        for _ in 0..played {
            script.says("Played before.");
        }
        script.tries(attempts, "try");
        script.ends("end");
        let part: Vec<Attempt> = attempts
            .iter()
            .enumerate()
            .filter(|(at, _)| agents.includes(*at))
            .map(|(_, it)| it.clone())
            .collect();
        script.agent_tries(&part, "agent");
        script.0
    }

    /// A model that does nothing but start an agent that tries all this.
    pub(crate) fn through_agent(attempts: &[Attempt]) -> String {
        let mut script = Self::begun();
        let agent = json!({"description": "Try", "prompt": ATTACK, "subagent_type": "general-purpose"});
        script.tries(&[Attempt::call("Agent", &agent).named("first")], "first");
        script.ends("end");
        script.agent_tries(attempts, "try");
        script.0
    }

    fn begun() -> Self {
        let start = [(ATTACK, "agents"), (NO_DEEPER, "none")];
        let start =
            start.map(|(words, name)| format!("{{ prompt = '{words}', goto = '{name}' }}")).join(", ");
        Self(format!("chunk = 100000\nstart = [{start}]\n"))
    }

    fn agent_tries(&mut self, attempts: &[Attempt], ids: &str) {
        // Agents start no agents; where one could, the list would never end.
        let shallow = |attempt: &Attempt| Attempt {
            input: attempt.input.replace(ATTACK, NO_DEEPER),
            ..attempt.clone()
        };
        let todos = "[[answer.call]]\ntool = 'TodoWrite'\ninput = { todos = [] }";
        writeln!(self.0, "[[answer]]\nname = 'agents'\n{todos}").unwrap();
        self.tries(&attempts.iter().map(shallow).collect::<Vec<_>>(), ids);
        self.ends("agents-end");
        self.ends("none");
    }

    /// A model that says these things in order.
    pub(crate) fn plain(answers: &[Answer<'_>]) -> String {
        let mut script = Self::default();
        for answer in answers {
            match answer {
                Answer::Says(words) => script.says(words),
                Answer::Calls(attempt) => script.tries(std::slice::from_ref(attempt), "first"),
            }
        }
        script.0
    }

    fn says(&mut self, words: &str) {
        writeln!(self.0, "[[answer]]\ntext = {}", quoted(words)).unwrap();
    }

    /// The same forever.
    fn ends(&mut self, name: &str) {
        writeln!(self.0, "[[answer]]\nname = '{name}'\ntext = '{DONE}'\nnext = [{{ goto = '{name}' }}]")
            .unwrap();
    }

    fn tries(&mut self, attempts: &[Attempt], ids: &str) {
        let mut room = 0;
        for (at, attempt) in attempts.iter().enumerate() {
            if room == 0 || attempt.alone {
                self.0.push_str("[[answer]]\n");
                room = TOGETHER;
            }
            room = if attempt.alone { 0 } else { room - 1 };
            let (tool, raw) = (quoted(&attempt.tool), quoted(&attempt.input));
            let id = attempt.id.map_or_else(|| format!("{ids}-{at}"), str::to_owned);
            writeln!(self.0, "[[answer.call]]\ntool = {tool}\nid = '{id}'\nraw = {raw}").unwrap();
        }
    }
}

impl Agents {
    fn includes(self, at: usize) -> bool {
        match self {
            Agents::Everything => true,
            Agents::OneIn(many) => at.is_multiple_of(many),
        }
    }
}

/// An answer of a model that is not hostile yet.
pub(crate) enum Answer<'a> {
    Says(&'a str),
    Calls(Attempt),
}

/// A text as TOML writes it. JSON's escapes are TOML's too.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap().replace('\u{7f}', "\\u007f")
}
