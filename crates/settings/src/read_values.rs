//! From the JSON of one key to its value. What is wrong is named and left out; the rest of a list counts.

use forelook_protocol::{Behavior, Mode, nearest};

use crate::examples::Examples;
use crate::file::{Json, Node, Property};
use crate::keys::{Key, ValueKind, may_cycle};
use crate::read_keys::KeyReader;
use crate::sanitize::sanitized;
use crate::values::{Assignment, FolderItem, RuleItem, Value};

impl KeyReader<'_> {
    /// The value of a key, if it is one.
    pub(crate) fn value(&mut self, key: &Key, line: usize, json: Json) -> Option<Value> {
        match (key.kind, json) {
            (ValueKind::Mode, Json::Text(word)) => self.mode(key, line, &word).map(Value::Mode),
            (ValueKind::Cycle, Json::List(items)) => self.cycle(key, line, items),
            (ValueKind::Text | ValueKind::Path, Json::Text(text)) => self.text(key, line, text),
            (ValueKind::Word(words), Json::Text(text)) => self.word(key, line, words, &text),
            (ValueKind::Count { max }, Json::Number(digits)) => self.count(key, line, max, &digits),
            (ValueKind::Switch, Json::Bool(on)) => Some(Value::Switch(on)),
            (ValueKind::Disable, json) => self.disable(key, line, &json),
            (ValueKind::Variables, Json::Object(properties)) => Some(self.variables(key, properties)),
            (ValueKind::Rules(_), Json::List(items)) => Some(Value::Rules(self.rules(key, items))),
            // A rule that is meant to hold back holds, even if its brackets were forgotten.
            (ValueKind::Rules(Behavior::Ask | Behavior::Deny), Json::Text(text)) => {
                self.warn(format!(
                    "Setting `{}` in `{}:{line}` is a string and counts as a list of one rule\nPut it in brackets",
                    key.name, self.origin
                ));
                Some(Value::Rules(vec![RuleItem { text, examples: Examples::default(), line }]))
            }
            (ValueKind::Folders, Json::List(items)) => {
                let texts = self.texts(key.name, items);
                Some(Value::Folders(
                    texts.into_iter().map(|(text, line)| FolderItem { text, line }).collect(),
                ))
            }
            (ValueKind::Hosts, Json::List(items)) => Some(Value::Hosts(self.hosts(key, items))),
            (ValueKind::Domains, Json::List(items)) => Some(Value::Hosts(self.domains(key, items))),
            (ValueKind::Commands, Json::List(items)) => Some(Value::Commands(self.commands(key, items))),
            (ValueKind::Hooks, Json::Object(properties)) => Some(Value::Hooks(self.hooks(key, properties))),
            (ValueKind::StatusLine, json) => self.status_line(key, line, json).map(Value::StatusLine),
            (ValueKind::Providers, Json::Object(properties)) => {
                Some(Value::Providers(self.providers(key, properties)))
            }
            (ValueKind::Known, Json::Object(properties)) => Some(Value::Known(self.known(key, properties))),
            (_, other) => {
                self.wrong(key.name, line, other.words(), &key.kind.words());
                None
            }
        }
    }

    fn text(&mut self, key: &Key, line: usize, text: String) -> Option<Value> {
        let wrong = match key.kind {
            _ if text.trim().is_empty() => "empty",
            ValueKind::Path if text.contains('\0') => "a string with a NUL byte",
            _ => return Some(Value::Text(text)),
        };
        self.wrong(key.name, line, wrong, &key.kind.words());
        None
    }

    fn word(&mut self, key: &Key, line: usize, words: &[&'static str], text: &str) -> Option<Value> {
        let word = words.iter().find(|word| **word == text);
        if word.is_none() {
            let near = nearest(text, words.iter().copied());
            self.not_a_word(key, line, text, near);
        }
        word.map(|word| Value::Word(word))
    }

    /// A number stays as it was written until here, so `3.0` and `3e0` are not taken for three.
    fn count(&mut self, key: &Key, line: usize, max: u16, digits: &str) -> Option<Value> {
        let count = digits.parse::<u16>().ok().filter(|count| (1..=max).contains(count));
        if count.is_none() {
            self.wrong(key.name, line, &format!("`{}`", sanitized(digits)), &key.kind.words());
        }
        count.map(Value::Count)
    }

    fn not_a_word(&mut self, key: &Key, line: usize, word: &str, near: Option<&str>) {
        let near = near.map(|name| format!("; did you mean `{name}`?"));
        let wanted = format!("{}{}", key.kind.words(), near.unwrap_or_default());
        self.wrong(key.name, line, &format!("`{}`", sanitized(word)), &wanted);
    }

    fn mode(&mut self, key: &Key, line: usize, word: &str) -> Option<Mode> {
        let mode = word.parse::<Mode>().ok().filter(|mode| key.kind != ValueKind::Cycle || may_cycle(*mode));
        if mode.is_none() {
            self.not_a_word(key, line, word, nearest(word, Mode::ALL.map(Mode::name)));
        }
        mode
    }

    /// A list that names something wrong is left out whole: a cycle with a hole in it is not what was meant.
    fn cycle(&mut self, key: &Key, line: usize, items: Vec<Node>) -> Option<Value> {
        if items.is_empty() {
            self.wrong(key.name, line, "empty", &key.kind.words());
            return None;
        }
        let mut modes = Vec::new();
        for Node { line, json } in items {
            match json {
                Json::Text(word) => {
                    let mode = self.mode(key, line, &word)?;
                    if !modes.contains(&mode) {
                        modes.push(mode);
                    }
                }
                other => {
                    self.wrong(key.name, line, other.words(), &key.kind.words());
                    return None;
                }
            }
        }
        Some(Value::Cycle(modes))
    }

    fn disable(&mut self, key: &Key, line: usize, json: &Json) -> Option<Value> {
        match json {
            Json::Text(word) if word == "disable" => Some(Value::Disable),
            // Not what we ask for, but nobody can mean anything else by it.
            Json::Bool(true) => {
                self.warn(format!(
                    "Setting `{}` in `{}:{line}` is `true` and counts as `disable`\nUse `\"disable\"`",
                    key.name, self.origin
                ));
                Some(Value::Disable)
            }
            Json::Text(word) => {
                self.wrong(key.name, line, &format!("`{}`", sanitized(word)), &key.kind.words());
                None
            }
            other => {
                self.wrong(key.name, line, other.words(), &key.kind.words());
                None
            }
        }
    }

    fn variables(&mut self, key: &Key, properties: Vec<Property>) -> Value {
        let mut variables: Vec<Assignment> = Vec::new();
        for Property { name, line, value } in properties {
            let full = format!("{}.{name}", key.name);
            match value.json {
                _ if name.is_empty() || name.contains(['=', '\0']) => {
                    self.wrong(&full, line, "not a valid variable name", "a name without `=`");
                }
                Json::Text(text) if text.contains('\0') => {
                    self.wrong(&full, line, "a string with a NUL byte", "a string without one");
                }
                Json::Text(value) => {
                    variables.retain(|variable| variable.name != name);
                    variables.push(Assignment { name, value, line });
                }
                other => self.wrong(&full, line, other.words(), "a string"),
            }
        }
        Value::Variables(variables)
    }

    fn rules(&mut self, key: &Key, items: Vec<Node>) -> Vec<RuleItem> {
        let mut rules = Vec::with_capacity(items.len());
        for Node { line, json } in items {
            match json {
                Json::Text(text) => rules.push(RuleItem { text, examples: Examples::default(), line }),
                Json::Object(properties) => rules.extend(self.rule(key, line, properties)),
                other => self.wrong(key.name, line, &format!("in part {}", other.words()), &key.kind.words()),
            }
        }
        rules
    }

    fn rule(&mut self, key: &Key, line: usize, properties: Vec<Property>) -> Option<RuleItem> {
        let (mut rule, mut examples) = (None, Examples::default());
        for Property { name, line, value } in properties {
            let full = format!("{}.{name}", key.name);
            match (name.as_str(), value.json) {
                ("rule", Json::Text(text)) => rule = Some(text),
                ("match", Json::List(items)) => examples.matching = self.only_texts(&full, items),
                ("not_match", Json::List(items)) => examples.not_matching = self.only_texts(&full, items),
                ("rule", other) => self.wrong(&full, line, other.words(), "a string"),
                ("match" | "not_match", other) => self.wrong(&full, line, other.words(), "a list of strings"),
                (name, _) => self.field(&full, line, nearest(name, ["rule", "match", "not_match"])),
            }
        }
        if rule.is_none() {
            self.wrong(key.name, line, "in part an object without a `rule`", &key.kind.words());
        }
        rule.map(|text| RuleItem { text, examples, line })
    }

    fn hosts(&mut self, key: &Key, items: Vec<Node>) -> Vec<String> {
        let mut hosts = Vec::new();
        for (text, line) in self.texts(key.name, items) {
            let host = text.trim();
            // An address or a pattern would match nothing, and whoever wrote it should know.
            if host.contains(|it: char| it.is_whitespace() || "/@*?#\\".contains(it)) {
                self.wrong(key.name, line, &format!("in part `{}`", sanitized(host)), &key.kind.words());
            } else {
                hosts.push(host.to_owned());
            }
        }
        hosts
    }

    fn only_texts(&mut self, name: &str, items: Vec<Node>) -> Vec<String> {
        self.texts(name, items).into_iter().map(|(text, _)| text).collect()
    }

    /// The texts of a list that are not empty, with their lines.
    pub(crate) fn texts(&mut self, name: &str, items: Vec<Node>) -> Vec<(String, usize)> {
        let mut texts = Vec::new();
        for Node { line, json } in items {
            match json {
                Json::Text(text) if text.trim().is_empty() || text.contains('\0') => {
                    self.wrong(
                        name,
                        line,
                        "in part an empty string or one with a NUL byte",
                        "a list of strings",
                    );
                }
                Json::Text(text) => texts.push((text, line)),
                other => self.wrong(name, line, &format!("in part {}", other.words()), "a list of strings"),
            }
        }
        texts
    }

    /// A field of an object that we do not know.
    pub(crate) fn field(&mut self, name: &str, line: usize, near: Option<&str>) {
        let hint = near.map_or_else(
            || "Correct its name or remove it".to_owned(),
            |near| format!("Did you mean `{near}`?"),
        );
        let (name, origin) = (sanitized(name), self.origin);
        self.warn(format!("Setting `{name}` in `{origin}:{line}` is unknown and was ignored\n{hint}"));
    }
}
