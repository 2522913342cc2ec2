//! How long a decision takes: a line of ten parts against a thousand rules.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use forelook_permissions::{
    AgentKind, Bases, OwnFiles, Policy, Rule, RuleEntry, RuleSet, Strictness, decide,
};
use forelook_protocol::{
    AbsPath, Action, Behavior, Decision, Fact, Facts, RuleOrigin, Shell, Source, Standing,
};

const LINE: &str = "cd src && git log --oneline -5 | head -3 && grep -rn foo . | sort | uniq -c && cat a.txt b.txt && npm test && ls -la | wc -l && make build";

fn path(text: &str) -> AbsPath {
    AbsPath::new(text).unwrap_or_else(|_| unreachable!("an absolute path"))
}

fn policy() -> Policy {
    let texts = (0..1000).map(|n| match n % 5 {
        0 => (Behavior::Allow, format!("Bash(tool{n} run:*)")),
        1 => (Behavior::Deny, format!("Bash(danger{n}:*)")),
        2 => (Behavior::Allow, format!("Edit(src/module{n}/**)")),
        3 => (Behavior::Deny, format!("Read(//secret/{n}/**)")),
        _ => (Behavior::Ask, format!("Bash(deploy{n} *)")),
    });
    let entry = |(behavior, text): (Behavior, String)| {
        let rule = Rule::parse(&text).ok()?;
        let origin =
            RuleOrigin { rule: text, behavior, source: Source::UserSettings, file: None, line: None };
        let bases = Bases { home: Some(path("/home/ada")), working: path("/p"), written: path("/p") };
        Some(RuleEntry { rule, origin, bases })
    };
    Policy {
        standing: Standing::default(),
        rules: Arc::new(RuleSet::new(texts.filter_map(entry).collect(), Strictness::Runners)),
        folders: vec![path("/p")],
        user_home: Some(path("/home/ada")),
        own: OwnFiles { home: path("/home/ada/.forelook"), managed: path("/etc/forelook") },
        agent: AgentKind::Main,
        plan_file: None,
    }
}

/// All facts that the decision asks for, so that the measurement has none to find.
fn facts(policy: &Policy, action: &Action) -> Facts {
    let mut facts = Facts::default();
    while let Decision::Need(missing) = decide(policy, "Bash", action, &facts) {
        for fact in missing {
            match fact {
                Fact::RealPath(path) => _ = facts.real.insert(path.clone(), path),
                Fact::FolderConfig(kind, folder) => _ = facts.config.insert((kind, folder), None),
                Fact::Uncommitted(folder) => _ = facts.uncommitted.insert(folder, false),
            }
        }
    }
    facts
}

fn decisions(criterion: &mut Criterion) {
    let policy = policy();
    let action = Action::Shell { shell: Shell::Bash, command: LINE.to_owned(), folder: path("/p") };
    let facts = facts(&policy, &action);
    criterion.bench_function("decide: ten parts, a thousand rules", |bench| {
        bench.iter(|| decide(black_box(&policy), "Bash", black_box(&action), &facts));
    });
    criterion.bench_function("of that, the analysis of the line", |bench| {
        bench.iter(|| forelook_shell::analyse(black_box(LINE)));
    });
    let read = Action::Read { file: forelook_protocol::FileRef::plain(path("/p/src/a.rs")) };
    criterion.bench_function("decide: a read, a thousand rules", |bench| {
        bench.iter(|| decide(black_box(&policy), "Read", black_box(&read), &facts));
    });
}

criterion_group!(benches, decisions);
criterion_main!(benches);
