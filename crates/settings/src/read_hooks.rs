//! The key `hooks`: event → list of {matcher, hooks: [{type, command, timeout, failClosed}]}.

use std::time::Duration;

use forelook_protocol::{HookEvent, nearest};

use crate::file::{Json, Node, Property};
use crate::keys::Key;
use crate::read_keys::KeyReader;
use crate::sanitize::sanitized;
use crate::values::HookItem;

/// Longer than any hook may take: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// For whom the commands of a list are.
struct HookTarget {
    event: HookEvent,
    matcher: Option<String>,
}

impl KeyReader<'_> {
    /// Every command of every event; what is wrong is named and left out.
    pub(crate) fn hooks(&mut self, key: &Key, properties: Vec<Property>) -> Vec<HookItem> {
        let mut hooks = Vec::new();
        for Property { name, line, value } in properties {
            let full = format!("{}.{name}", key.name);
            let Ok(event) = name.parse::<HookEvent>() else {
                let near = nearest(&name, HookEvent::ALL.map(HookEvent::name));
                self.field(&full, line, near);
                continue;
            };
            match value.json {
                Json::List(groups) => {
                    for group in groups {
                        self.group(event, &full, group, &mut hooks);
                    }
                }
                other => self.wrong(&full, line, other.words(), "a list of objects"),
            }
        }
        hooks
    }

    fn group(&mut self, event: HookEvent, full: &str, group: Node, hooks: &mut Vec<HookItem>) {
        let Json::Object(properties) = group.json else {
            return self.wrong(
                full,
                group.line,
                &format!("in part {}", group.json.words()),
                "a list of objects",
            );
        };
        let (mut matcher, mut commands, mut valid) = (None, Vec::new(), true);
        for Property { name, line, value } in properties {
            let inner = format!("{full}.{name}");
            match (name.as_str(), value.json) {
                ("matcher", Json::Text(text)) if matches!(text.as_str(), "" | "*") => matcher = None,
                ("matcher", Json::Text(text)) => matcher = Some(text),
                ("matcher", Json::Null) => {}
                // Without its matcher a hook would run for everything.
                ("matcher", other) => {
                    self.wrong(&inner, line, other.words(), "a string");
                    valid = false;
                }
                ("hooks", Json::List(items)) => commands = items,
                ("hooks", other) => self.wrong(&inner, line, other.words(), "a list of objects"),
                (name, _) => self.field(&inner, line, nearest(name, ["matcher", "hooks"])),
            }
        }
        if valid {
            let target = HookTarget { event, matcher };
            hooks.extend(commands.into_iter().filter_map(|command| self.command(&target, full, command)));
        }
    }

    fn command(&mut self, target: &HookTarget, full: &str, node: Node) -> Option<HookItem> {
        let Json::Object(properties) = node.json else {
            self.wrong(full, node.line, &format!("in part {}", node.json.words()), "a list of objects");
            return None;
        };
        let (mut kind, mut unknown) = (None, Vec::new());
        let mut hook = HookItem {
            event: target.event,
            matcher: target.matcher.clone(),
            command: String::new(),
            timeout: None,
            fail_closed: false,
            line: node.line,
        };
        for Property { name, line, value } in properties {
            let inner = format!("{full}.hooks.{name}");
            match (name.as_str(), value.json) {
                ("type", Json::Text(word)) => kind = Some(word),
                ("command", Json::Text(text)) if !text.contains('\0') => hook.command = text,
                ("timeout", Json::Number(number)) => hook.timeout = self.seconds(&inner, line, &number),
                ("failClosed", Json::Bool(on)) => hook.fail_closed = on,
                // Whoever writes it wants to be safe.
                ("failClosed", other) => {
                    self.warn(format!(
                        "Setting `{inner}` in `{}:{line}` is {} and counts as `true`\nUse `true` or `false`",
                        self.origin,
                        other.words()
                    ));
                    hook.fail_closed = true;
                }
                ("type" | "command" | "timeout", other) => {
                    let wanted = if name == "timeout" { "a number of seconds" } else { "a string" };
                    self.wrong(&inner, line, other.words(), wanted);
                }
                (name, _) => {
                    let near = nearest(name, ["type", "command", "timeout", "failClosed"]);
                    unknown.push((inner.clone(), line, near));
                }
            }
        }
        let hook = self.valid(full, kind.as_deref(), hook)?;
        // Of a hook of another type the type is all that needs to be said.
        for (name, line, near) in unknown {
            self.field(&name, line, near);
        }
        Some(hook)
    }

    fn valid(&mut self, full: &str, kind: Option<&str>, hook: HookItem) -> Option<HookItem> {
        let name = format!("{full}.hooks");
        match kind {
            Some("command") if !hook.command.trim().is_empty() => return Some(hook),
            Some("command") => {
                self.wrong(&name, hook.line, "in part a hook without a command", "a list of commands")
            }
            Some(other) => {
                let found = format!("in part a hook of type `{}`", sanitized(other));
                self.wrong(&name, hook.line, &found, "a list of hooks of type `command`");
            }
            None => {
                self.wrong(
                    &name,
                    hook.line,
                    "in part a hook without a type",
                    "a list of hooks of type `command`",
                );
            }
        }
        None
    }

    fn seconds(&mut self, name: &str, line: usize, number: &str) -> Option<Duration> {
        let seconds = number.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && *seconds <= MAX_SECONDS);
        if seconds.is_none() {
            self.wrong(name, line, &sanitized(number), "a number of seconds, more than 0 and at most a day");
        }
        seconds.map(Duration::from_secs_f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Origin, parse};
    use crate::read_keys::read_keys;

    fn read(json: &str) -> (Vec<HookItem>, Vec<String>) {
        let text = format!("{{\"hooks\": {json}}}");
        let (found, notices) = read_keys(parse(&text, &Origin::Flag).unwrap(), &Origin::Flag);
        let hooks = found.first().and_then(|found| found.value.as_hooks()).unwrap_or_default().to_vec();
        (hooks, notices.into_iter().map(|notice| notice.text).collect())
    }

    #[test]
    fn every_command_keeps_its_event_matcher_and_line() {
        let (hooks, notices) = read(
            "{\"PreToolUse\": [{\"matcher\": \"Edit|Write\", \"hooks\": [\n\
             {\"type\": \"command\", \"command\": \"a\", \"timeout\": 1.5, \"failClosed\": true},\n\
             {\"type\": \"command\", \"command\": \"b\"}]},\n\
             {\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"c\"}]}]}",
        );
        assert!(notices.is_empty(), "{notices:?}");
        let said: Vec<_> = hooks
            .iter()
            .map(|hook| (hook.command.as_str(), hook.matcher.as_deref(), hook.fail_closed, hook.line))
            .collect();
        let both = Some("Edit|Write");
        assert_eq!(said, [("a", both, true, 2), ("b", both, false, 3), ("c", None, false, 4)]);
        assert_eq!(hooks[0].timeout, Some(Duration::from_millis(1500)));
    }

    #[test]
    fn what_is_wrong_is_named_and_the_rest_counts() {
        let good = r#"{"type": "command", "command": "good"}"#;
        for (json, kept, expected) in [
            (r#"{"PreTolUse": [], "Stop": [{"hooks": [GOOD]}]}"#, 1, "Did you mean `PreToolUse`?"),
            (r#"{"Stop": {"hooks": [GOOD]}}"#, 0, "`hooks.Stop` in `--settings:1` is an object"),
            (r#"{"Stop": [3, {"hooks": [GOOD]}]}"#, 1, "contains a number"),
            (r#"{"Stop": [{"matcher": 3, "hooks": [GOOD]}]}"#, 0, "`hooks.Stop.matcher`"),
            (r#"{"Stop": [{"hooks": GOOD}]}"#, 0, "`hooks.Stop.hooks`"),
            (r#"{"Stop": [{"hooks": [{"type": "prompt"}, GOOD]}]}"#, 1, "of type `prompt`"),
            (r#"{"Stop": [{"hooks": [{"command": "x"}, GOOD]}]}"#, 1, "without a type"),
            (r#"{"Stop": [{"hooks": [{"type": "command"}, GOOD]}]}"#, 1, "without a command"),
            (r#"{"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": -1}]}]}"#, 1, "seconds"),
            (
                r#"{"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 1e99}]}]}"#,
                1,
                "seconds",
            ),
            (r#"{"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": "5"}]}]}"#, 1, "seconds"),
            (r#"{"Stop": [{"hooks": [{"type": "command", "command": "x", "fail": 1}]}]}"#, 1, "unknown"),
        ] {
            let (hooks, notices) = read(&json.replace("GOOD", good));
            assert_eq!(hooks.len(), kept, "{json}");
            assert_eq!(notices.len(), 1, "{json}: {notices:?}");
            assert!(notices[0].contains(expected), "{json} gave {}", notices[0]);
        }
    }

    #[test]
    fn who_wants_to_be_safe_is_safe() {
        let (hooks, notices) =
            read(r#"{"Stop": [{"hooks": [{"type": "command", "command": "x", "failClosed": "yes"}]}]}"#);
        assert!(hooks[0].fail_closed && notices[0].contains("counts as `true`"));
    }
}
