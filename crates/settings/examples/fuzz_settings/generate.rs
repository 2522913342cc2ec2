//! Makes settings files: well-formed ones are changed as trees, written down in one of many ways, and only some of them
//! are then broken byte by byte. Most of what is broken at random is refused at its first wrong character; what lies
//! behind the parser sees only what is sound.

use forelook_testkit::fuzz::Random;
use serde_json::{Map, Value, json};

const FILES: &[&str] = &[
    r#"{"permissions": {"allow": ["Bash(npm test:*)", "Edit(/src/**)"], "deny": ["Read(~/.ssh/**)"]}}"#,
    r#"{"permissions": {"allow": [{"rule": "Bash(git log:*)", "match": ["git log -3"], "not_match": ["git logx"]}]}}"#,
    r#"{"permissions": {"deny": [{"rule": "Bash(rm:*)", "match": ["rm -r x"]}], "ask": [{"rule": "Edit(*.md)"}]}}"#,
    r#"{"permissions": {"ask": ["Bash(git push:*)"], "defaultMode": "acceptEdits"}, "modeCycle": ["default", "plan"]}"#,
    r#"{"permissions": {"defaultMode": "bypassPermissions", "additionalDirectories": ["~/notes", "../x"]}}"#,
    r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "timeout": 1}]}]}}"#,
    r#"{"env": {"RUST_BACKTRACE": "1"}, "model": {"main": "scripted/a.toml"}, "disableAutoMode": "disable"}"#,
    r#"{"autoMode": {"classifyAllShell": true}, "useAutoModeDuringPlan": false, "permissions": {"managedRulesOnly": true}}"#,
    "{}",
];

const RULES: &[&str] = &[
    "Bash",
    "Bash(*)",
    "Bash(npm run test:*)",
    "Bash(git * main)",
    "Bash(echo (hello))",
    "Read(~/.ssh/**)",
    "Read(//etc/**)",
    "Read(../other/*.rs)",
    "Edit(/src/**)",
    "Edit({a,b}/**/[a-z]?.{rs,toml})",
    "WebFetch(domain:*.example.com)",
    "mcp__github__get_*",
    "Agent(Explore)",
    "TodoWrite",
    // Not rules, or nearly.
    "TodoWrite(x)",
    "Bash(",
    "Bsh(ls)",
    "Read([)",
    "",
];

/// Names that mean something, in their place or out of it.
const NAMES: &[&str] = &[
    "permissions",
    "allow",
    "ask",
    "deny",
    "rule",
    "match",
    "not_match",
    "hooks",
    "matcher",
    "env",
    "PATH",
    "model",
    "modeCycle",
    "defaultMode",
    "PreToolUse",
    "Deny",
    "x",
    "",
];

/// What is put into files: everything that means something in JSON, in comments, in rules or to a terminal.
const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "//",
    "/*",
    "*/",
    "\n",
    "\r",
    "\\",
    "\\\"",
    "\\u0042",
    "\\ud800",
    "\\u0000",
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "0.5",
    "'",
    "\u{feff}",
    "\u{202e}",
    "\0",
    "\u{b}",
    "\u{a0}",
    "\x1b[2J",
    "é",
    "#",
    " ",
    "\t",
    "\"allow\"",
    "\"deny\"",
    "\"permissions\"",
    "\"Bash(*)\"",
    "\"rule\"",
    "\"hooks\"",
    "\"auto\"",
    "\"bypassPermissions\"",
    "Bash(",
    ")",
    "*",
    "[[[[[[[[",
    "{\"a\":",
];

/// A file.
pub(crate) fn file(random: &mut Random) -> Vec<u8> {
    let mut tree = sample(random);
    for _ in 0..random.below(5) {
        change(&mut tree, random);
    }
    let mut bytes = written(&tree, random).into_bytes();
    if random.once_in(3) {
        for _ in 0..=random.below(3) {
            damage(&mut bytes, random);
        }
    }
    bytes
}

fn sample(random: &mut Random) -> Value {
    serde_json::from_str(random.one(FILES)).unwrap_or_default()
}

/// Changes a tree: mostly by a rule more, for rules are what most of the reading is about.
fn change(tree: &mut Value, random: &mut Random) {
    match random.below(8) {
        0..=3 => add_rule(tree, random),
        4 => join(tree, sample(random)),
        _ => change_within(tree, random),
    }
}

fn add_rule(tree: &mut Value, random: &mut Random) {
    let list = random.one(&["allow", "ask", "deny", "deny"]);
    let rule = a_rule(random);
    let section = tree.as_object_mut().map(|top| top.entry("permissions").or_insert_with(|| json!({})));
    let Some(section) = section.and_then(Value::as_object_mut) else { return };
    if let Some(rules) = section.entry(list).or_insert_with(|| json!([])).as_array_mut() {
        rules.insert(random.below(rules.len() + 1), rule);
    }
}

fn a_rule(random: &mut Random) -> Value {
    let text = a_text(random);
    match random.below(6) {
        0 => json!({"rule": text, "match": [a_text(random)], "not_match": [a_text(random)]}),
        1 => json!({"rule": text}),
        _ => json!(text),
    }
}

fn a_text(random: &mut Random) -> String {
    let mut text: Vec<char> = random.one(RULES).chars().collect();
    if random.once_in(3) {
        let at = random.below(text.len() + 1);
        let many = 1 << if random.once_in(20) { random.below(12) } else { 0 };
        text.splice(at..at, random.one(TOKENS).repeat(many).chars());
    }
    text.into_iter().collect()
}

/// What the other tree has and this one has not.
fn join(tree: &mut Value, other: Value) {
    if let (Some(top), Value::Object(other)) = (tree.as_object_mut(), other) {
        for (name, value) in other {
            top.entry(name).or_insert(value);
        }
    }
}

/// Goes down by chance, and changes what it comes to.
fn change_within(value: &mut Value, random: &mut Random) {
    let inner: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(map) => map.values_mut().collect(),
        _ => Vec::new(),
    };
    let at = random.below(inner.len());
    match inner.into_iter().nth(at) {
        Some(inner) if !random.once_in(4) => {
            if random.once_in(4) {
                *inner = any(random);
            } else {
                change_within(inner, random);
            }
        }
        _ => change_here(value, random),
    }
}

fn change_here(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(list) if !list.is_empty() && random.once_in(2) => {
            // Once in a while very many: what grows faster than its list shows here.
            let times = 1 << if random.once_in(8) { random.below(11) } else { 0 };
            let again = list[random.below(list.len())].clone();
            list.extend(std::iter::repeat_n(again, times));
        }
        Value::Array(list) => list.insert(random.below(list.len() + 1), any(random)),
        Value::Object(map) if random.once_in(3) => remove(map, random),
        Value::Object(map) => _ = map.insert(random.one(NAMES).to_owned(), any(random)),
        other => *other = any(random),
    }
}

fn remove(map: &mut Map<String, Value>, random: &mut Random) {
    let name = map.keys().nth(random.below(map.len())).cloned();
    _ = name.and_then(|name| map.shift_remove(&name));
}

/// Any value: one of the wrong kind, a rule, or a piece of another file.
fn any(random: &mut Random) -> Value {
    match random.below(9) {
        0 => Value::Null,
        1 => json!(random.once_in(2)),
        2 => json!(random.below(3)),
        3 => json!([]),
        4 => json!({}),
        5 => json!([a_text(random)]),
        6 => json!(a_text(random)),
        7 => json!(random.one(&["auto", "plan", "bypassPermissions", "acceptEdits", "disable", "~/x"])),
        _ => {
            let piece = sample(random);
            let name = random.one(NAMES);
            piece.get(name).or_else(|| piece.get("permissions")?.get(name)).cloned().unwrap_or(piece)
        }
    }
}

/// The tree as a text: close, spread out, or as somebody with many habits would write it.
fn written(tree: &Value, random: &mut Random) -> String {
    match random.below(4) {
        0 => tree.to_string(),
        1 => format!("{tree:#}\n"),
        _ => {
            let mut text = String::from(if random.once_in(8) { "\u{feff}" } else { "" });
            write_blank(&mut text, random);
            write_wild(tree, &mut text, random);
            write_blank(&mut text, random);
            text
        }
    }
}

fn write_wild(value: &Value, text: &mut String, random: &mut Random) {
    match value {
        Value::Array(list) => {
            text.push('[');
            for (at, item) in list.iter().enumerate() {
                write_item(at, None, item, text, random);
            }
            text.push(']');
        }
        Value::Object(map) => {
            text.push('{');
            for (at, (name, value)) in map.iter().enumerate() {
                write_item(at, Some(name), value, text, random);
            }
            text.push('}');
        }
        Value::String(string) => write_string(string, text, random),
        other => text.push_str(&other.to_string()),
    }
}

fn write_item(at: usize, name: Option<&str>, value: &Value, text: &mut String, random: &mut Random) {
    if at > 0 {
        text.push(',');
    }
    write_blank(text, random);
    if let Some(name) = name {
        write_string(name, text, random);
        write_blank(text, random);
        text.push(':');
        write_blank(text, random);
    }
    write_wild(value, text, random);
    write_blank(text, random);
}

/// What may stand between two tokens, and rarely what only looks as if it might.
fn write_blank(text: &mut String, random: &mut Random) {
    text.push_str(match random.below(24) {
        0..=11 => "",
        12..=16 => " ",
        17 => "\n\t",
        18 => "\r\n",
        19 => "\r",
        20 => "// \"deny\": [\n",
        21 => "/* \"Bash\", // \n * */",
        22 => "//\u{a0}\t\u{b}\r\n",
        _ if random.once_in(8) => random.one(&["\u{b}", "\u{c}", "\u{a0}", "\u{2028}", "//\r", "\u{feff}"]),
        _ => "",
    });
}

/// A string with any of its characters as escapes, and rarely with one that must not stand in it.
fn write_string(string: &str, text: &mut String, random: &mut Random) {
    text.push('"');
    for char in string.chars() {
        let mut units = [0; 2];
        match char {
            _ if random.once_in(30) => {
                text.extend(char.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
            }
            '"' | '\\' => text.extend(['\\', char]),
            char if char < ' ' && !random.once_in(20) => {
                text.push_str(&format!("\\u{:04X}", u32::from(char)));
            }
            char => text.push(char),
        }
    }
    text.push('"');
}

/// Breaks a text in one place.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(8) {
        0 | 1 => drop(bytes.splice(at..at, random.one(TOKENS).bytes())),
        2 => {
            let end = (at + random.below(8)).min(bytes.len());
            bytes.drain(at..end);
        }
        3 => {
            let other = random.one(FILES).as_bytes();
            let from = random.below(other.len() + 1);
            let to = (from + random.below(40)).min(other.len());
            bytes.splice(at..at, other[from..to].iter().copied());
        }
        4 if at < bytes.len() => bytes[at] = (random.next() & 0xff) as u8,
        // The same many times over: depth, and long lists.
        5 => {
            let piece = random.one(TOKENS);
            let times = 1 << random.below(12);
            bytes.splice(at..at, piece.repeat(times).into_bytes());
        }
        6 => bytes.truncate(at),
        _ => {
            let end = (at + random.below(40)).min(bytes.len());
            let copy = bytes[at..end].to_vec();
            bytes.splice(at..at, copy);
        }
    }
}
