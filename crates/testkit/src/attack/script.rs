//! The script of a model that tries one call after the other, whatever comes back.

use std::fmt::Write;

use serde_json::{Value, json};

/// How many calls stand in one answer.
const TOGETHER: usize = 12;
/// The last words of a model that has tried everything.
pub const DONE: &str = "All was tried.";
/// Words that make a subagent try everything too.
pub const ATTACK: &str = "ATTACK: try everything";
/// Words that make one try nothing: agents start no agents.
const NO_DEEPER: &str = "NO-DEEPER";

/// Something that a hostile model tries.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The tool.
    pub tool: String,
    /// Its input: JSON, or what stands in its place.
    pub input: String,
    /// It is the only call of its answer: it may end the turn, or nothing else may run meanwhile.
    alone: bool,
    /// Its id, if not the next in the list.
    id: Option<String>,
}

/// What subagents try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agents {
    /// Everything.
    Everything,
    /// One in so many, so that a suite of many sessions stays fast.
    OneIn(usize),
}

impl Attempt {
    /// A call of the shell.
    pub fn bash(command: &str) -> Self {
        let input = json!({ "command": command }).to_string();
        Self::raw("Bash", input)
    }

    /// The same with an id of its own.
    pub fn named(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// The same as the only call of its answer.
    pub fn alone(self) -> Self {
        Self { alone: true, ..self }
    }

    /// A call of any tool.
    pub fn call(tool: &str, input: &Value) -> Self {
        Self::raw(tool, input.to_string())
    }

    /// A call with a text that need not be JSON.
    pub fn raw(tool: &str, input: String) -> Self {
        Self { tool: tool.into(), input, alone: false, id: None }
    }
}

/// The script of a model. Answers are played in order; what comes before `main` was played by another script.
#[derive(Default)]
pub struct Script(String);

impl Script {
    /// A model that tries all this, after `played` answers of another script.
    pub fn hostile(attempts: &[Attempt], played: usize, agents: Agents) -> String {
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
    pub fn through_agent(attempts: &[Attempt]) -> String {
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
    pub fn plain(answers: &[Answer<'_>]) -> String {
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
            let id = attempt.id.clone().unwrap_or_else(|| format!("{ids}-{at}"));
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
pub enum Answer<'a> {
    /// Words.
    Says(&'a str),
    /// A call.
    Calls(Attempt),
}

/// A text as TOML writes it. JSON's escapes are TOML's too.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap().replace('\u{7f}', "\\u007f")
}
