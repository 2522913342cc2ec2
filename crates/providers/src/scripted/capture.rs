//! Words of the conversation in an answer: what a script cannot know when it is written, such as the plan file's path.

use std::collections::BTreeMap;
use std::sync::Arc;

use forelook_protocol::Message;
use regex::Regex;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::script::ScriptedAnswer;
use super::walk::user_texts;
use crate::WireCached;

/// Names, and what stands for each: the group of the newest match in what the model was told.
#[derive(Debug, Default)]
pub(super) struct Captures(BTreeMap<String, Regex>);

/// An answer uses a name that nothing in the conversation stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CaptureMiss {
    /// The name.
    pub(super) name: String,
    /// What was looked for.
    pub(super) regex: String,
}

impl<'de> Deserialize<'de> for Captures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = BTreeMap::<String, String>::deserialize(deserializer)?;
        let read = |(name, text): (String, String)| match Regex::new(&text) {
            Ok(regex) if regex.captures_len() == 2 => Ok((name, regex)),
            Ok(_) => {
                Err(serde::de::Error::custom(format!("the capture `{name}` must have exactly one group")))
            }
            Err(error) => Err(serde::de::Error::custom(error)),
        };
        texts.into_iter().map(read).collect::<Result<_, _>>().map(Self)
    }
}

impl Captures {
    /// The answer with every `{name}` replaced in its words and in the strings of its inputs.
    pub(super) fn fill(
        &self,
        answer: &ScriptedAnswer,
        messages: &[Arc<WireCached<Message>>],
    ) -> Result<ScriptedAnswer, CaptureMiss> {
        let mut filled = answer.clone();
        for text in strings(&mut filled) {
            *text = self.filled(text, messages)?;
        }
        Ok(filled)
    }

    /// In one pass, so that what a person said is never taken for a name.
    fn filled(&self, text: &str, messages: &[Arc<WireCached<Message>>]) -> Result<String, CaptureMiss> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            filled.push_str(before);
            let named = from[1..]
                .split_once('}')
                .and_then(|(name, after)| Some((self.0.get_key_value(name)?, after)));
            rest = match named {
                Some(((name, regex), after)) => {
                    let found = newest(regex, messages);
                    filled.push_str(&found.ok_or_else(|| CaptureMiss::of(name, regex))?);
                    after
                }
                None => {
                    filled.push('{');
                    &from[1..]
                }
            };
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

impl CaptureMiss {
    fn of(name: &str, regex: &Regex) -> Self {
        Self { name: name.to_owned(), regex: regex.to_string() }
    }
}

fn newest(regex: &Regex, messages: &[Arc<WireCached<Message>>]) -> Option<String> {
    let matches = |text: &str| {
        let last = regex.captures_iter(text).filter_map(|found| found.get(1)).last();
        last.map(|group| group.as_str().to_owned())
    };
    user_texts(messages).filter_map(|text| matches(&text)).last()
}

/// All texts of an answer that may hold a name.
fn strings(answer: &mut ScriptedAnswer) -> Vec<&mut String> {
    let mut found: Vec<&mut String> = answer.thinking.iter_mut().chain(answer.text.iter_mut()).collect();
    let mut values: Vec<&mut Value> = answer.calls.iter_mut().map(|call| &mut call.input).collect();
    while let Some(value) = values.pop() {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(items) => values.extend(items),
            Value::Object(fields) => values.extend(fields.values_mut()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use forelook_protocol::{AnswerBlock, CallId, ToolResult, UserBlock};

    use super::super::script::Script;
    use super::*;

    const SCRIPT: &str = r#"
        [capture]
        plan = 'as `([^`]+)`'
        words = 'says: (.+)'
        [[answer]]
        thinking = "{words}"
        text = "{words} {other} {plan} {plan}"
        [[answer.call]]
        tool = "Write"
        input = { file_path = "{plan}", lines = [{ text = "${words}" }], count = 1 }
        [[answer]]
        text = "no names"
    "#;

    fn told(text: &str) -> Arc<WireCached<Message>> {
        Arc::new(WireCached::new(Message::User(vec![UserBlock::text(text)])))
    }

    fn result(text: &str) -> Arc<WireCached<Message>> {
        Arc::new(WireCached::new(Message::User(vec![UserBlock::ToolResult(ToolResult::ok(
            CallId("c".into()),
            text,
        ))])))
    }

    fn said(text: &str) -> Arc<WireCached<Message>> {
        Arc::new(WireCached::new(Message::Assistant(vec![AnswerBlock::Text { text: text.into() }])))
    }

    fn fill(at: usize, messages: &[Arc<WireCached<Message>>]) -> Result<ScriptedAnswer, CaptureMiss> {
        let script = Script::parse(SCRIPT).unwrap();
        script.capture.fill(&script.answers[at], messages)
    }

    #[test]
    fn the_newest_words_replace_a_name() {
        let filled = fill(
            0,
            &[
                told("Write it as `/a`, or as `{words}`"),
                said("says: I, as `/c`"),
                result("she says: one\nhe says: {plan}"),
                told("hm"),
            ],
        )
        .unwrap();
        assert_eq!(
            filled.thinking.as_deref(),
            Some("{plan}"),
            "words of the conversation are not read again"
        );
        assert_eq!(filled.text.as_deref(), Some("{plan} {other} {words} {words}"));
        let expected =
            serde_json::json!({ "file_path": "{words}", "lines": [{ "text": "${plan}" }], "count": 1 });
        assert_eq!(filled.calls[0].input, expected);
    }

    #[test]
    fn a_name_that_stands_for_nothing_is_said() {
        let missing = fill(0, &[told("as `/a`")]).unwrap_err();
        assert_eq!((missing.name.as_str(), missing.regex.as_str()), ("words", "says: (.+)"));
        assert!(fill(1, &[]).is_ok(), "only names that are used must stand for something");
    }
}
