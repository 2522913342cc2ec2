//! The key `statusLine`: a command, or {command, timeoutMs}.

use std::time::Duration;

use forelook_protocol::nearest;

use crate::file::{Json, Property};
use crate::keys::{Key, MAX_STATUS_LINE_MS, STATUS_LINE_FIELDS};
use crate::read_keys::KeyReader;
use crate::sanitize::sanitized;
use crate::values::StatusLineItem;

impl KeyReader<'_> {
    pub(crate) fn status_line(&mut self, key: &Key, line: usize, json: Json) -> Option<StatusLineItem> {
        let (mut command, mut timeout) = (None, None);
        match json {
            Json::Text(text) => command = Some(text),
            Json::Object(properties) => {
                for Property { name, line, value } in properties {
                    let full = format!("{}.{name}", key.name);
                    match (name.as_str(), value.json) {
                        ("command", Json::Text(text)) => command = Some(text),
                        ("timeoutMs", Json::Number(digits)) => {
                            timeout = self.milliseconds(&full, line, &digits)
                        }
                        ("command", other) => self.wrong(&full, line, other.words(), "a string"),
                        ("timeoutMs", other) => self.wrong(&full, line, other.words(), &most()),
                        (name, _) => {
                            self.field(&full, line, nearest(name, STATUS_LINE_FIELDS.iter().copied()))
                        }
                    }
                }
            }
            other => {
                self.wrong(key.name, line, other.words(), &key.kind.words());
                return None;
            }
        }
        let command = command.filter(|text| !text.trim().is_empty() && !text.contains('\0'));
        if command.is_none() {
            self.wrong(key.name, line, "an object without a command", &key.kind.words());
        }
        command.map(|command| StatusLineItem { command, timeout, line })
    }

    fn milliseconds(&mut self, name: &str, line: usize, digits: &str) -> Option<Duration> {
        let number = digits.parse::<u16>().ok().filter(|it| (1..=MAX_STATUS_LINE_MS).contains(it));
        if number.is_none() {
            self.wrong(name, line, &format!("`{}`", sanitized(digits)), &most());
        }
        number.map(|number| Duration::from_millis(number.into()))
    }
}

fn most() -> String {
    format!("a whole number from 1 to {MAX_STATUS_LINE_MS}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Origin, parse};
    use crate::read_keys::read_keys;

    #[test]
    fn a_text_or_an_object_and_nothing_else() {
        for (text, command, timeout, warning) in [
            (r#""date""#, Some("date"), None, None),
            (r#"{"command": "date"}"#, Some("date"), None, None),
            (r#"{"command": "date", "timeoutMs": 250}"#, Some("date"), Some(250), None),
            (r#"{"command": "date", "timeoutMs": 0}"#, Some("date"), None, Some("from 1 to 10000")),
            (r#"{"command": "date", "timeoutMs": "1"}"#, Some("date"), None, Some("is a string")),
            (r#"{"command": "date", "timeout": 1}"#, Some("date"), None, Some("Did you mean `timeoutMs`?")),
            (r#"{"command": 3}"#, None, None, Some("is a number")),
            (r#"{"timeoutMs": 1}"#, None, None, Some("an object without a command")),
            (r#""  ""#, None, None, Some("an object without a command")),
            ("[]", None, None, Some("is a list")),
        ] {
            let file = format!("{{\"statusLine\": {text}}}");
            let (found, notices) = read_keys(parse(&file, &Origin::Flag).unwrap(), &Origin::Flag);
            let item = found.first().and_then(|found| found.value.as_status_line());
            assert_eq!(item.map(|item| item.command.as_str()), command, "{text}");
            assert_eq!(item.and_then(|item| item.timeout), timeout.map(Duration::from_millis), "{text}");
            let told = notices.first().map(|notice| notice.text.as_str());
            assert_eq!(told.is_some(), warning.is_some(), "{text}: {told:?}");
            assert!(warning.is_none_or(|warning| told.unwrap().contains(warning)), "{text}: {told:?}");
        }
    }
}
