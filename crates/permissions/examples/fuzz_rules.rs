//! A fuzzer of rules for a stable compiler: mutates texts of rules with a seeded generator for a given time.
//!
//! `cargo run --release --example fuzz_rules -- --seconds 600 [--seed N] [--keep FOLDER]`. Reports, and at the end fails
//! for, every text that panics, that is another rule when its own text is read again, or with which reading, matching a
//! command, matching a path or a whole decision takes longer than 20 ms three times in a row.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use forelook_permissions::{
    AgentKind, Matcher, PatternBases, PermissionPolicy, ProgramFiles, Rule, RuleEntry, RuleSet, Strictness,
    decide,
};
use forelook_protocol::{
    AbsPath, Action, Behavior, Decision, Fact, Facts, FileRef, ModeState, RuleOrigin, SandboxSupport, Shell,
    Source,
};
use forelook_testkit::fuzz::{self, Random, Target};

const LIMIT: Duration = Duration::from_millis(20);

/// As many characters as a text may have: beyond what is read as a rule, so that the limit is met too.
const LONGEST: usize = 20 << 10;

const RULES: &[&str] = &[
    "Bash",
    "Bash(*)",
    "Bash(npm run test)",
    "Bash(npm run test:*)",
    "Bash(git * main)",
    "Bash(git * main:*)",
    "Bash(ls*)",
    "Bash(a*b*c*d)",
    "Bash(echo (hello))",
    "PowerShell(Get-ChildItem:*)",
    "Read(~/.zshrc)",
    "Read(~)",
    "Read(//etc/**)",
    "Read(../other/*.rs)",
    "Read(..)",
    "Edit(/src/**)",
    "Edit(./*.pem)",
    "Write(build/)",
    "Edit({a,b}/**/[a-z]?.{rs,toml})",
    "Grep(**/*.key)",
    "WebFetch",
    "WebFetch(domain:*.example.com)",
    "mcp__github__*",
    "mcp__github__get_*",
    "Agent(Explore)",
    "Skill(review)",
    "TodoWrite",
];

const COMMANDS: &[&str] = &[
    "npm run test",
    "git push origin main",
    "ls -la src/",
    "echo (hello)",
    "aXbXcXd",
    "cd src && cat a.rs | grep -n x > out.txt",
    "timeout 5 env A=1 rm -rf build",
];

const PATHS: &[&str] = &[
    "/p/src/main.rs",
    "/p/a/b/c/d/e/f/g.pem",
    "/home/ada/.zshrc",
    "/etc/hosts",
    "/p/build/x",
    "/p",
    "/",
    "/p/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
];

/// What is put into texts: everything that means something in a rule, a glob or a host.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "*",
    "**",
    "**/",
    "/**",
    "?",
    "[",
    "]",
    "[!",
    "[^",
    "[a-z]",
    "{",
    "}",
    "{a,b}",
    ",",
    "\\",
    "/",
    "//",
    "~",
    "~/",
    ".",
    "..",
    "../",
    "./",
    ":",
    ":*",
    " *",
    " ",
    "\t",
    "\n",
    "\0",
    "domain:",
    "*.",
    "mcp__",
    "__",
    "Bash(",
    "Read(",
    "Edit(",
    "WebFetch(",
    "é",
    "\u{202e}",
    "\u{10ffff}",
    "-",
    "a",
    "aaaaaaaa",
    "*a",
    "?a",
    "{a,{b,c}}",
];

fn main() -> ExitCode {
    fuzz::main(Rules)
}

struct Rules;

/// A rule, and what it is tried on.
struct Input {
    rule: String,
    command: String,
    path: String,
}

impl Target for Rules {
    type Input = Input;
    const INPUTS: &'static str = "texts";
    const COUNTED: &'static str = "rules";

    fn make(&mut self, random: &mut Random) -> Input {
        Input { rule: mutate(RULES, random), command: mutate(COMMANDS, random), path: mutate(PATHS, random) }
    }

    fn check(&mut self, Input { rule, command, path }: &Input) -> Result<bool, String> {
        check(rule, command, path)
    }

    fn show(&self, Input { rule, command, path }: &Input) -> String {
        format!("{rule:?} (command {command:?}, path {path:?})")
    }
}

/// Whether the text is a rule, or what is wrong.
fn check(text: &str, command: &str, path: &str) -> Result<bool, String> {
    timed("from_malformed", || Rule::from_malformed(text))?;
    let Ok(rule) = timed("parse", || Rule::parse(text))? else { return Ok(false) };
    if rule.text != text.trim() {
        return Err(format!("its text became {:?}", rule.text));
    }
    let again = timed("parse again", || Rule::parse(&rule.text))?;
    if again.as_ref() != Ok(&rule) {
        return Err("it is another rule when it is read again".to_owned());
    }
    let path = AbsPath::new(path.replace('\0', "")).or_else(|_| AbsPath::new("/p/x"));
    let path = path.map_err(|error| error.to_string())?;
    let file = FileRef { named: path.clone(), real: path.clone() };
    let (tool, action) = match &rule.matcher {
        Matcher::Shell(shell, pattern) => {
            timed("matching a command", || pattern.matches(command))?;
            ("Bash", Action::Shell { shell: *shell, command: command.to_owned(), folder: root("/p")? })
        }
        Matcher::Files { pattern, .. } => {
            if let Some(pattern) = pattern {
                let bases = bases()?;
                // A pattern is compiled when it is first used, and that counts.
                timed("matching a path", || pattern.clone().matches(&path, &bases))?;
            }
            ("Edit", Action::Edit { file })
        }
        Matcher::Host(pattern) => {
            if let Some(pattern) = pattern {
                timed("matching a host", || pattern.matches(command))?;
            }
            ("WebFetch", Action::Fetch { host: command.to_owned() })
        }
        _ => ("Read", Action::Read { file }),
    };
    for behavior in [Behavior::Allow, Behavior::Deny] {
        let policy = policy(&rule, behavior)?;
        // The line is judged by another crate with a fuzzer of its own; how long that takes is not this one's matter.
        if matches!(action, Action::Shell { shell: Shell::Bash, .. }) {
            fuzz::catch_panic("a decision", || whole(&policy, tool, &action))?;
        } else {
            timed("a decision", || whole(&policy, tool, &action))?;
        }
    }
    Ok(true)
}

/// A decision with every fact that it asks for.
fn whole(policy: &PermissionPolicy, tool: &str, action: &Action) -> Decision {
    let mut facts = Facts::default();
    loop {
        match decide(policy, tool, action, &facts) {
            Decision::NeedFacts(missing) => {
                for fact in missing {
                    match fact {
                        Fact::RealPath(path) => _ = facts.real.insert(path.clone(), path),
                        Fact::FolderConfig(kind, folder) => _ = facts.config.insert((kind, folder), None),
                        Fact::GitRuns(folder) => _ = facts.git_runs.insert(folder, None),
                        Fact::GovernsGit(path) => _ = facts.governs_git.insert(path, false),
                        Fact::Uncommitted(folder) => _ = facts.uncommitted.insert(folder, false),
                        Fact::Sandbox { .. } => facts.sandbox = Some(SandboxSupport::default()),
                    }
                }
            }
            decision => return decision,
        }
    }
}

fn policy(rule: &Rule, behavior: Behavior) -> Result<PermissionPolicy, String> {
    let origin = RuleOrigin {
        rule: rule.text.clone(),
        behavior,
        source: Source::UserSettings,
        file: None,
        line: None,
    };
    let entry = RuleEntry { rule: rule.clone(), origin, bases: bases()? };
    Ok(PermissionPolicy {
        mode_state: ModeState::default(),
        rules: Arc::new(RuleSet::new(vec![entry], Strictness::Runners)),
        folders: vec![root("/p")?],
        user_home: Some(root("/home/ada")?),
        own: ProgramFiles {
            home: root("/home/ada/.forelook")?,
            managed: root("/etc/forelook")?,
            keys: Vec::new(),
            runs: Vec::new(),
            links: Vec::new(),
        },
        agent: AgentKind::Main,
        plan_file: None,
        workspace: None,
    })
}

fn bases() -> Result<PatternBases, String> {
    Ok(PatternBases { home: Some(root("/home/ada")?), working: root("/p")?, written: root("/p")? })
}

fn root(text: &str) -> Result<AbsPath, String> {
    AbsPath::new(text).map_err(|error| error.to_string())
}

fn timed<T>(what: &str, act: impl Fn() -> T) -> Result<T, String> {
    fuzz::timed(what, LIMIT, act)
}

fn mutate(corpus: &[&str], random: &mut Random) -> String {
    let mut text: Vec<char> = random.one(corpus).chars().collect();
    for _ in 0..=random.below(5) {
        let at = random.below(text.len() + 1);
        match random.below(7) {
            0 | 1 => drop(text.splice(at..at, random.one(TOKENS).chars())),
            2 => {
                let end = (at + random.below(6)).min(text.len());
                text.drain(at..end);
            }
            3 => {
                let other: Vec<char> = random.one(corpus).chars().collect();
                let from = random.below(other.len() + 1);
                let to = (from + random.below(20)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
            4 if at < text.len() => text[at] = random.one(TOKENS).chars().next().unwrap_or(' '),
            // The same many times over: what grows faster than its text shows here.
            5 => {
                let piece: Vec<char> = random.one(TOKENS).chars().chain(random.one(TOKENS).chars()).collect();
                let times = 1 << random.below(11);
                let many: Vec<char> = piece.iter().copied().cycle().take(piece.len() * times).collect();
                text.splice(at..at, many);
            }
            _ => {
                let end = (at + random.below(12)).min(text.len());
                let copy = text[at..end].to_vec();
                text.splice(at..at, copy);
            }
        }
    }
    text.truncate(LONGEST);
    text.into_iter().collect()
}
