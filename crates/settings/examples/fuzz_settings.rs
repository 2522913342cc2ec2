//! A fuzzer of settings for a stable compiler: mutates files with a seeded generator for a given time and loads them.
//!
//! `cargo run --release --example fuzz_settings -- --seconds 600 [--seed N]`. Reports, and at the end fails for, every
//! file that panics or takes longer than 200 ms three times in a row; that is no JSON and still gives a rule; that
//! gives an allow rule which stands nowhere in it; or that, as an untrusted project's, allows, runs or widens anything.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "it prints what it finds, and writes the files that it loads"
)]

use std::io::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use forelook_protocol::{AbsPath, Behavior, Mode};
use forelook_settings::{Places, Settings, Trust, load};
use serde_json::value::RawValue;

const LIMIT: Duration = Duration::from_millis(200);

const FILES: &[&str] = &[
    r#"{"permissions": {"allow": ["Bash(npm test:*)", "Edit(/src/**)"], "deny": ["Read(~/.ssh/**)"]}}"#,
    r#"{"permissions": {"allow": [{"rule": "Bash(git log:*)", "match": ["git log -3"], "not_match": ["git logx"]}]}}"#,
    r#"{"permissions": {"ask": ["Bash(git push:*)"], "defaultMode": "acceptEdits"}, "modeCycle": ["default", "plan"]}"#,
    r#"{"permissions": {"defaultMode": "bypassPermissions", "additionalDirectories": ["~/notes", "../x"]}}"#,
    r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "timeout": 1}]}]}}"#,
    r#"{"env": {"RUST_BACKTRACE": "1"}, "model": {"main": "scripted/a.toml"}, "disableAutoMode": "disable"}"#,
    "{\n  // mine\n  \"permissions\": {\n    \"allow\": [\n      /* one */ \"Bash(ls)\",\n      \"TodoWrite\"\n    ]\n  }\n}\n",
    r#"{"autoMode": {"classifyAllShell": true}, "useAutoModeDuringPlan": false, "permissions": {"managedRulesOnly": true}}"#,
    "{}",
];

/// What is put into files: everything that means something in JSON, in comments or to our keys.
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
    "\\",
    "\\\"",
    "\\u0042",
    "\\ud800",
    "\\u0000",
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1e999",
    "0.5",
    "'",
    "\u{feff}",
    "\u{202e}",
    "\0",
    "\x1b[2J",
    "é",
    "#",
    " ",
    "\t",
    "\"allow\"",
    "\"deny\"",
    "\"ask\"",
    "\"permissions\"",
    "\"Bash\"",
    "\"Bash(*)\"",
    "\"rule\"",
    "\"hooks\"",
    "\"env\"",
    "\"auto\"",
    "\"bypassPermissions\"",
    "Bash(",
    ")",
    "[[[[[[[[",
    "{\"a\":",
];

/// SplitMix64: a generator of a few lines, so that a seed gives the same run everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn one(&mut self, of: &[&'static str]) -> &'static [u8] {
        of[self.below(of.len())].as_bytes()
    }
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).and_then(|v| v.parse::<u64>().ok())
    };
    let (seconds, seed) = (value("--seconds").unwrap_or(10), value("--seed").unwrap_or(1));
    let mut random = Random(seed);
    let world = World::new()?;
    let (start, mut count, mut with_rules, mut findings) = (Instant::now(), 0u64, 0u64, 0);
    std::panic::set_hook(Box::new(|_| {}));
    while start.elapsed() < Duration::from_secs(seconds) && findings < 50 {
        let bytes = mutate(&mut random);
        let whose = if random.below(2) == 0 { Whose::Person } else { Whose::Project };
        world.write(whose, &bytes)?;
        count += 1;
        match check(&world, whose, &bytes) {
            Ok(has_rules) => with_rules += u64::from(has_rules),
            Err(why) => {
                println!("{why}: {:?}", String::from_utf8_lossy(&bytes));
                findings += 1;
            }
        }
    }
    println!(
        "{count} files in {:?}, {with_rules} of them with rules, seed {seed}, {findings} findings",
        start.elapsed()
    );
    if findings == 0 { Ok(()) } else { Err(Error::other("there are findings")) }
}

/// Whose file it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Person,
    Project,
}

/// A home and a project of their own.
struct World {
    folder: tempfile::TempDir,
    places: Places,
}

impl World {
    fn new() -> Result<Self, Error> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| AbsPath::new(folder.path().join(name)).map_err(Error::other);
        let places = Places {
            home: at("home")?,
            user_home: Some(at("person")?),
            project: at("project")?,
            working: at("project")?,
            flag: None,
            managed: at("etc/managed-settings.json")?,
            setting_sources: None,
        };
        std::fs::create_dir_all(folder.path().join("home"))?;
        std::fs::create_dir_all(folder.path().join("project/.forelook"))?;
        Ok(Self { folder, places })
    }

    /// This file and no other.
    fn write(&self, whose: Whose, bytes: &[u8]) -> Result<(), Error> {
        let (file, other) = match whose {
            Whose::Person => ("home/settings.json", "project/.forelook/settings.json"),
            Whose::Project => ("project/.forelook/settings.json", "home/settings.json"),
        };
        let _ = std::fs::remove_file(self.folder.path().join(other));
        std::fs::write(self.folder.path().join(file), bytes)
    }
}

/// Whether the file has rules, or what is wrong.
fn check(world: &World, whose: Whose, bytes: &[u8]) -> Result<bool, String> {
    let settings = loaded(world)?;
    let text = std::str::from_utf8(bytes).ok().map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
    let (plain, strings) = text.map(without_comments).unwrap_or_default();
    let is_empty = plain.trim().is_empty();
    if !is_empty && serde_json::from_str::<&RawValue>(&plain).is_err() {
        let counts = settings.rules.len() + settings.hooks.len() + settings.env.len();
        if counts > 0 || settings.default_mode.is_some() {
            return Err("it is no JSON, and something in it counts".to_owned());
        }
        if settings.problems.is_empty() {
            return Err("it is no JSON, and nobody is told".to_owned());
        }
    }
    let mut allowed = settings.rules.iter().filter(|entry| entry.origin.behavior == Behavior::Allow);
    if let Some(rule) = allowed.find(|entry| !strings.iter().any(|text| text.trim() == entry.rule.text)) {
        return Err(format!("it allows `{}`, which does not stand in it", rule.rule.text));
    }
    if whose == Whose::Project {
        stranger(&settings)?;
    }
    Ok(!settings.rules.is_empty())
}

/// What an untrusted project must not do.
fn stranger(settings: &Settings) -> Result<(), String> {
    let allows = settings.rules.iter().any(|entry| entry.origin.behavior == Behavior::Allow);
    let mode = settings.default_mode.as_ref().map(|mode| mode.value);
    let widens = matches!(mode, Some(Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions));
    let cycles =
        settings.mode_cycle.iter().flatten().any(|mode| matches!(mode, Mode::Auto | Mode::BypassPermissions));
    for (broken, what) in [
        (allows, "allows something"),
        (widens, "widens the mode"),
        (cycles, "puts a wide mode into the cycle"),
        (!settings.hooks.is_empty(), "has a hook"),
        (!settings.env.is_empty(), "sets a variable"),
        (!settings.additional_directories.is_empty(), "adds a folder"),
    ] {
        if broken {
            return Err(format!("an untrusted project {what}"));
        }
    }
    Ok(())
}

/// Loads; a panic, or three slow runs in a row, is a finding.
fn loaded(world: &World) -> Result<Settings, String> {
    let mut quickest = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| load(&world.places, Trust::NotYet)));
        quickest = quickest.min(start.elapsed());
        let settings = result.map_err(|_| "panics".to_owned())?.map_err(|error| format!("stops: {error}"))?;
        if quickest <= LIMIT {
            return Ok(settings);
        }
    }
    Err(format!("takes {quickest:?}"))
}

/// The text without its comments, and every string in it. Written by other rules than the parser that is tested.
fn without_comments(text: &str) -> (String, Vec<String>) {
    let (mut plain, mut strings) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                let token = &rest[..end.map_or(rest.len(), |end| end + 2)];
                // The parser takes bare control characters in strings, which JSON does not. Let through here.
                let sound = escaped_controls(token);
                strings.extend(serde_json::from_str::<String>(&sound));
                plain.push_str(&sound);
                token.len()
            }
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => {
                // One that does not end is no comment, and no JSON.
                let end = rest[2..].find("*/").map(|end| end + 4);
                if end.is_none() {
                    plain.push_str(rest);
                }
                plain.push(' ');
                end.unwrap_or(rest.len())
            }
            other => {
                // The parser takes every blank of Unicode for one.
                plain.push(if other.is_whitespace() { ' ' } else { other });
                other.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    (plain, strings)
}

fn escaped_controls(token: &str) -> String {
    let mut sound = String::new();
    let mut after_backslash = false;
    for c in token.chars() {
        match c {
            // An escape of a control character is an error to both.
            c if c < ' ' && !after_backslash => sound.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => sound.push(c),
        }
        after_backslash = c == '\\' && !after_backslash;
    }
    sound
}

fn mutate(random: &mut Random) -> Vec<u8> {
    let mut bytes = random.one(FILES).to_vec();
    // Few changes more often than many: most of what is changed is broken, and what is not should be looked at too.
    let changes = random.below(5);
    for _ in 0..=random.below(changes + 1) {
        let at = random.below(bytes.len() + 1);
        match random.below(8) {
            0 | 1 => drop(bytes.splice(at..at, random.one(TOKENS).iter().copied())),
            2 => {
                let end = (at + random.below(8)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let other = random.one(FILES);
                let from = random.below(other.len() + 1);
                let to = (from + random.below(40)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            4 if at < bytes.len() => bytes[at] = (random.next() & 0xff) as u8,
            // The same many times over: depth, and long lists.
            5 => {
                let piece = random.one(TOKENS);
                let times = 1 << random.below(12);
                bytes.splice(at..at, piece.repeat(times));
            }
            6 => bytes.truncate(at),
            _ => {
                let end = (at + random.below(40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
        }
    }
    bytes
}
