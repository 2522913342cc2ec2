//! From the properties of a file to known keys: what is unknown or of the wrong type is named and
//! left out, the rest counts.

use forelook_protocol::{Behavior, Notice, NoticeLevel, nearest};

use crate::file::{Json, Node, Origin, Property};
use crate::keys::{KEYS, Key, ValueKind};
use crate::layers::SettingEntry;
use crate::sanitize::sanitized;
use crate::values::Value;

/// Names a file may have for editors; they mean nothing to us.
const IGNORED_NAME: &str = "$schema";

/// The known keys of a file.
pub(crate) fn read_keys(properties: Vec<Property>, origin: &Origin) -> (Vec<SettingEntry>, Vec<Notice>) {
    let mut reader = KeyReader { origin, found: Vec::new(), notices: Vec::new() };
    reader.section("", properties);
    (reader.found, reader.notices)
}

/// Reads the keys of one file.
pub(crate) struct KeyReader<'a> {
    pub(crate) origin: &'a Origin,
    found: Vec<SettingEntry>,
    notices: Vec<Notice>,
}

/// What a name means at its place.
enum NameMeaning {
    Key(&'static Key),
    Section,
    Unknown,
}

impl NameMeaning {
    fn of(full: &str, name: &str) -> Self {
        // A dot is ours: `{"model.main": …}` is not `{"model": {"main": …}}`.
        if name.contains('.') {
            return NameMeaning::Unknown;
        }
        if let Some(key) = KEYS.iter().find(|key| key.name == full) {
            return NameMeaning::Key(key);
        }
        if sections().any(|section| section == full) { NameMeaning::Section } else { NameMeaning::Unknown }
    }
}

/// Every section: what stands before a dot in a key's name.
fn sections() -> impl Iterator<Item = &'static str> {
    KEYS.iter().flat_map(|key| key.name.match_indices('.').filter_map(|(dot, _)| key.name.get(..dot)))
}

impl KeyReader<'_> {
    fn section(&mut self, prefix: &str, properties: Vec<Property>) {
        for Property { name, line, value } in properties {
            let full = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match NameMeaning::of(&full, &name) {
                NameMeaning::Key(key) => self.key(key, line, value),
                NameMeaning::Section => match value.json {
                    Json::Object(properties) => self.section(&full, properties),
                    other => self.wrong(&full, line, other.words(), "an object"),
                },
                NameMeaning::Unknown if full == IGNORED_NAME => {}
                NameMeaning::Unknown => self.unknown(&full, line),
            }
        }
    }

    fn key(&mut self, key: &'static Key, line: usize, node: Node) {
        let Some(value) = self.value(key, line, node.json) else { return };
        match self.found.iter_mut().find(|found| found.key.name == key.name) {
            None => self.found.push(SettingEntry { key, value, line }),
            Some(before) => {
                let counts = merge_duplicate(before, SettingEntry { key, value, line });
                self.warn(format!(
                    "Setting `{}` appears twice in `{}`; {counts}\nRemove one of them",
                    key.name, self.origin
                ));
            }
        }
    }

    pub(crate) fn wrong(&mut self, name: &str, line: usize, found: &str, wanted: &str) {
        // One item of a list is ignored alone.
        let what = match found.strip_prefix("in part ") {
            Some(item) => format!("contains {item}, which was ignored"),
            None => format!("is {found} and was ignored"),
        };
        self.warn(format!(
            "Setting `{}` in `{}:{line}` {what}\nIt must be {wanted}",
            sanitized(name),
            self.origin
        ));
    }

    fn unknown(&mut self, name: &str, line: usize) {
        let known = KEYS.iter().map(|key| key.name);
        let hint = match nearest(name, known.chain(sections())) {
            Some(near) if near == name => format!("Write it as nested objects: {}", in_sections(near)),
            Some(near) => format!("Did you mean `{near}`?"),
            None => "Correct its name or remove it".to_owned(),
        };
        self.warn(format!(
            "Setting `{}` in `{}:{line}` is unknown and was ignored\n{hint}",
            sanitized(name),
            self.origin
        ));
    }

    pub(crate) fn warn(&mut self, text: String) {
        self.notices.push(Notice { level: NoticeLevel::Warning, text });
    }
}

/// A key that stands a second time; says what counts.
fn merge_duplicate(before: &mut SettingEntry, mut now: SettingEntry) -> String {
    match (&mut before.value, &mut now.value, now.key.kind) {
        // What a person wrote to be safe is not dropped for a slip.
        (Value::Rules(rules), Value::Rules(more), ValueKind::Rules(Behavior::Ask | Behavior::Deny)) => {
            rules.append(more);
            "both apply".to_owned()
        }
        (Value::Hooks(hooks), Value::Hooks(more), _) => {
            hooks.append(more);
            "both apply".to_owned()
        }
        _ => {
            let line = now.line;
            *before = now;
            format!("line {line} applies")
        }
    }
}

/// `model.main` as one would write it in a file.
fn in_sections(name: &str) -> String {
    let parts: Vec<String> = name.split('.').map(|part| format!("{{\"{part}\": ")).collect();
    format!("`{}…{}`", parts.concat(), "}".repeat(parts.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::parse;

    /// The names found, and the warnings.
    fn read(text: &str) -> (Vec<&'static str>, Vec<String>) {
        let (found, notices) = read_keys(parse(text, &Origin::Flag).unwrap(), &Origin::Flag);
        (
            found.iter().map(|found| found.key.name).collect(),
            notices.into_iter().map(|notice| notice.text).collect(),
        )
    }

    #[test]
    fn known_keys_of_the_right_type_pass_without_a_word() {
        let text = r#"{"$schema": "x", "permissions": {"defaultMode": "plan"}, "model": {"main": "a/b"},
            "env": {"A": "1", "A.B": ""}}"#;
        assert_eq!(read(text), (vec!["permissions.defaultMode", "model.main", "env"], vec![]));
    }

    #[test]
    fn what_is_wrong_is_named_with_key_and_line_and_the_rest_counts() {
        for (text, expected) in [
            (
                r#""permissions": {"defaultMode": 3}"#,
                "`permissions.defaultMode` in `--settings:2` is a number",
            ),
            (
                r#""permissions": {"allow": "Bash"}"#,
                "`permissions.allow` in `--settings:2` is a string and was ignored",
            ),
            (
                r#""permissions": {"deny": 3}"#,
                "`permissions.deny` in `--settings:2` is a number and was ignored",
            ),
            (
                r#""permissions": {"additionalDirectories": "/x"}"#,
                "is a string and was ignored\nIt must be a list of paths",
            ),
            (
                r#""disableAutoMode": false"#,
                "`disableAutoMode` in `--settings:2` is a Boolean and was ignored",
            ),
            (
                r#""disableAutoMode": "enable""#,
                "`disableAutoMode` in `--settings:2` is `enable` and was ignored",
            ),
            (r#""useAutoModeDuringPlan": "no""#, "is a string and was ignored\nIt must be `true` or `false`"),
            (r#""modeCycle": []"#, "`modeCycle` in `--settings:2` is empty"),
            (r#""hooks": []"#, "`hooks` in `--settings:2` is a list"),
            (r#""permissions": {"defaultMode": "plam"}"#, "did you mean `plan`?"),
            (r#""permissions": {"defaultMode": null}"#, "is `null` and was ignored"),
            (
                r#""permissions": ["plan"]"#,
                "`permissions` in `--settings:2` is a list and was ignored\nIt must be an object",
            ),
            (r#""permissions": {"defaultmode": "plan"}"#, "Did you mean `permissions.defaultMode`?"),
            (
                r#""permissions.defaultMode": "plan""#,
                r#"Write it as nested objects: `{"permissions": {"defaultMode": …}}`"#,
            ),
            (r#""permisions": {"defaultMode": "plan"}"#, "Did you mean `permissions`?"),
            (r#""model": "a/b""#, "`model` in `--settings:2` is a string and was ignored"),
            (r#""env": "A=1""#, "`env` in `--settings:2` is a string"),
            (r#""colour\u001b[31m": true"#, r"`colour\u{1b}[31m` in `--settings:2` is unknown"),
            (r#""": true"#, "is unknown"),
        ] {
            let (found, warnings) = read(&format!("{{\"model\": {{\"main\": \"a/b\"}},\n{text}}}"));
            assert_eq!(found, ["model.main"], "{text}");
            assert_eq!(warnings.len(), 1, "{text}: {warnings:?}");
            assert!(warnings[0].contains(expected), "{text} gave {}", warnings[0]);
        }
    }

    #[test]
    fn one_bad_variable_does_not_take_the_others_with_it() {
        let (found, notices) = read_keys(
            parse(
                r#"{"env": {"A": "1", "PORT": 80, "B=": "x", "": "y", "Z": "a\u0000", "C": "2"}}"#,
                &Origin::Flag,
            )
            .unwrap(),
            &Origin::Flag,
        );
        let names: Vec<_> = found[0].value.as_variables().unwrap().iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["A", "C"]);
        assert_eq!(notices.len(), 4);
    }

    #[test]
    fn a_key_that_stands_twice_counts_where_it_stands_last() {
        let (found, notices) = read_keys(
            parse("{\"model\": {\"main\": \"a\",\n\"main\": \"b\"}}", &Origin::Flag).unwrap(),
            &Origin::Flag,
        );
        assert_eq!((found.len(), found[0].value.as_text(), found[0].line), (1, Some("b"), 2));
        assert!(notices[0].text.contains("line 2 applies"));
    }
}
