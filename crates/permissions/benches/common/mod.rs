//! What decisions are measured on: a line of ten parts and a thousand rules. The bench tells the mean of it, and
//! `examples/decide_speed.rs` the tail.

use std::sync::Arc;

use forelook_permissions::{
    AgentKind, PatternBases, PermissionPolicy, ProgramFiles, Rule, RuleEntry, RuleSet, Strictness, decide,
};
use forelook_protocol::{
    AbsPath, Action, Behavior, Decision, Fact, Facts, ModeState, RuleOrigin, SandboxSupport, Shell, Source,
};

/// Ten parts, as agents write them.
pub(crate) const LINE: &str = "cd src && git log --oneline -5 | head -3 && grep -rn foo . | sort | uniq -c && cat a.txt b.txt \
     && npm test && ls -la | wc -l && make build";

pub(crate) fn path(text: &str) -> AbsPath {
    AbsPath::new(text).unwrap_or_else(|_| unreachable!("an absolute path"))
}

/// The line, about to run.
pub(crate) fn action() -> Action {
    Action::Shell { shell: Shell::Bash, command: LINE.to_owned(), folder: path("/p") }
}

pub(crate) fn policy() -> PermissionPolicy {
    let rules = (0..1000).filter_map(entry).collect();
    PermissionPolicy {
        mode_state: ModeState::default(),
        rules: Arc::new(RuleSet::new(rules, Strictness::Runners)),
        folders: vec![path("/p")],
        user_home: Some(path("/home/ada")),
        own: ProgramFiles {
            home: path("/home/ada/.forelook"),
            managed: path("/etc/forelook"),
            keys: Vec::new(),
            runs: Vec::new(),
            links: Vec::new(),
        },
        agent: AgentKind::Main,
        plan_file: None,
        workspace: None,
    }
}

fn entry(n: usize) -> Option<RuleEntry> {
    let (behavior, text) = match n % 5 {
        0 => (Behavior::Allow, format!("Bash(tool{n} run:*)")),
        1 => (Behavior::Deny, format!("Bash(danger{n}:*)")),
        2 => (Behavior::Allow, format!("Edit(src/module{n}/**)")),
        3 => (Behavior::Deny, format!("Read(//secret/{n}/**)")),
        _ => (Behavior::Ask, format!("Bash(deploy{n} *)")),
    };
    let rule = Rule::parse(&text).ok()?;
    let origin = RuleOrigin { rule: text, behavior, source: Source::UserSettings, file: None, line: None };
    let bases = PatternBases { home: Some(path("/home/ada")), working: path("/p"), written: path("/p") };
    Some(RuleEntry { rule, origin, bases })
}

/// All facts that the decision asks for, so that the measurement has none to find.
pub(crate) fn facts(policy: &PermissionPolicy, action: &Action) -> Facts {
    let mut facts = Facts::default();
    while let Decision::NeedFacts(missing) = decide(policy, "Bash", action, &facts) {
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
    facts
}
