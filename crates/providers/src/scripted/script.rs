//! The form of a script, and what can be wrong with one.

use forelook_protocol::{FailureKind, StopReason, Usage};
use regex::Regex;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::capture::Captures;

/// What a scripted model says, answer by answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// How many characters of text arrive at once.
    #[serde(default = "default_chunk")]
    pub(super) chunk: usize,
    /// How many tokens the model pretends that it can read.
    #[serde(default)]
    pub(super) window: Option<u64>,
    /// Whether it pretends that tools can be held back and added later ([`crate::Provider::defers_tools`]).
    #[serde(default)]
    pub(super) defers_tools: bool,
    /// Words of the conversation that answers may use.
    #[serde(default)]
    pub(super) capture: Captures,
    /// Where to begin, by the person's first words; the first answer if none fits.
    #[serde(default)]
    pub(super) start: Vec<Branch>,
    /// Where to go on after any answer; tried before its own branches.
    #[serde(default)]
    pub(super) anywhere: Vec<Branch>,
    /// The answers, in order.
    #[serde(rename = "answer", default)]
    pub(super) answers: Vec<ScriptedAnswer>,
}

fn default_chunk() -> usize {
    24
}

/// One answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ScriptedAnswer {
    /// A name to `goto`.
    pub(super) name: Option<String>,
    /// Thinking, before the text.
    pub(super) thinking: Option<String>,
    /// Words, before the calls.
    pub(super) text: Option<String>,
    /// Calls, in order.
    #[serde(rename = "call")]
    pub(super) calls: Vec<ScriptedCall>,
    /// Milliseconds before the answer begins.
    pub(super) delay_ms: u64,
    /// Milliseconds between two pieces of it.
    pub(super) pace_ms: u64,
    /// No answer but a failure, the first times.
    pub(super) fail: Option<ScriptedFailure>,
    /// Why it stops, if not for the obvious reason.
    pub(super) stop: Option<StopReason>,
    /// What it costs.
    pub(super) usage: Usage,
    /// Where to go on, by what tools or the person answered; the next answer if none fits.
    pub(super) next: Vec<Branch>,
}

/// One call.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedCall {
    /// The tool.
    pub(super) tool: String,
    /// Its id; by default one that is new in the conversation.
    #[serde(default)]
    pub(super) id: Option<String>,
    /// Its input.
    #[serde(default = "empty_input")]
    pub(super) input: Value,
    /// Text to send in place of the input, to be wrong on purpose.
    #[serde(default)]
    pub(super) raw: Option<String>,
}

fn empty_input() -> Value {
    Value::Object(serde_json::Map::new())
}

/// A failure to play.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedFailure {
    /// Which kind.
    pub(super) kind: FailureKind,
    /// In words.
    pub(super) message: String,
    /// How often, before the answer is given after all.
    #[serde(default = "once")]
    pub(super) times: u32,
    /// How many pieces of the answer arrive before it.
    #[serde(default)]
    pub(super) after: usize,
    /// How long the server asks to wait.
    #[serde(default)]
    pub(super) retry_after_ms: Option<u64>,
}

fn once() -> u32 {
    1
}

/// A condition and where it leads.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Branch {
    /// Some tool result matches this.
    #[serde(default, deserialize_with = "regex")]
    pub(super) result: Option<Regex>,
    /// The person's words match this.
    #[serde(default, deserialize_with = "regex")]
    pub(super) prompt: Option<Regex>,
    /// Some result is an error, or none is.
    #[serde(default)]
    pub(super) error: Option<bool>,
    /// The name of the answer to go on with.
    pub(super) goto: String,
}

fn regex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Regex>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| Regex::new(&text)).transpose().map_err(serde::de::Error::custom)
}

/// What is wrong with a script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// Not TOML, or not of our form.
    #[error("The script is invalid: {0}")]
    Syntax(#[from] toml::de::Error),
    /// A `goto` that leads nowhere.
    #[error("`goto = \"{0}\"`: there is no answer with that name")]
    NoSuchAnswer(String),
    /// No answer at all.
    #[error("The script has no `[[answer]]`")]
    Empty,
}

impl Script {
    /// Reads a script and checks that every `goto` leads somewhere.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let script: Script = toml::from_str(text)?;
        if script.answers.is_empty() {
            return Err(ScriptError::Empty);
        }
        let of_answers = script.answers.iter().flat_map(|answer| &answer.next);
        let branches = script.start.iter().chain(&script.anywhere).chain(of_answers);
        for branch in branches {
            if script.index_of(&branch.goto).is_none() {
                return Err(ScriptError::NoSuchAnswer(branch.goto.clone()));
            }
        }
        Ok(script)
    }

    /// How many tokens the model can read, if the script says so.
    pub fn window(&self) -> Option<u64> {
        self.window
    }

    /// The place of an answer by its name.
    pub(super) fn index_of(&self, name: &str) -> Option<usize> {
        self.answers.iter().position(|answer| answer.name.as_deref() == Some(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_can_do_is_said_at_the_top() {
        let plain = Script::parse("[[answer]]\ntext = 'a'").unwrap();
        assert_eq!((plain.window(), plain.defers_tools), (None, false));
        let said = Script::parse("window = 1000\ndefers_tools = true\n[[answer]]\ntext = 'a'").unwrap();
        assert_eq!((said.window(), said.defers_tools), (Some(1000), true));
    }

    #[test]
    fn wrong_scripts_say_what_is_wrong() {
        for (script, part) in [
            ("", "no `[[answer]]`"),
            ("[[answer]]\ntext = 'a'\nnext = [{ goto = 'b' }]", "there is no answer"),
            ("[[answer]]\ntext = 'a'\n[[anywhere]]\ngoto = 'b'", "there is no answer"),
            ("[[answer]]\ntxt = 'a'", "unknown field `txt`"),
            ("[[answer]]\ntext = 'a'\nnext = [{ prompt = '(', goto = 'b' }]", "unclosed group"),
            ("[[answer]", "TOML parse error"),
            ("capture = { a = 'b' }\n[[answer]]\ntext = 'a'", "`a` must have exactly one group"),
            ("capture = { a = '(' }\n[[answer]]\ntext = 'a'", "unclosed group"),
            ("window = -1\n[[answer]]\ntext = 'a'", "invalid value"),
        ] {
            let error = Script::parse(script).unwrap_err().to_string();
            assert!(error.contains(part), "{script:?} said {error:?}");
        }
    }
}
