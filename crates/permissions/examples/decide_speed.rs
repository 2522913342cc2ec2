//! How long decisions and the analysis of shell lines take, as JSON for `cargo xtask bench`.
//!
//! In processor time: on a busy machine the clock on the wall measures the others. Criterion (`benches/decide.rs`) tells the mean well and the tail not at all; the goals speak of the tail.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use forelook_permissions::{
    AgentKind, Bases, OwnFiles, Policy, Rule, RuleEntry, RuleSet, Strictness, decide,
};
use forelook_protocol::{
    AbsPath, Action, Behavior, Decision, Fact, Facts, NotAbsolute, RuleOrigin, Shell, Source, Standing,
};

/// Ten parts, as agents write them.
const LINE: &str = "cd src && git log --oneline -5 | head -3 && grep -rn foo . | sort | uniq -c && cat a.txt b.txt \
     && npm test && ls -la | wc -l && make build";

/// Lines as agents write them to look around.
const TYPICAL: &[&str] = &[
    "ls -la src",
    "cd crates && git log --oneline -20",
    "git diff HEAD~1 --stat",
    "grep -rn 'fn main' --include=*.rs .",
    "sed -n '10,40p' src/main.rs",
    "find . -name '*.rs' -not -path './target/*' | head -50",
    "cat package.json | jq '.scripts'",
    "for f in *.rs; do wc -l \"$f\"; done",
    "test -f Cargo.toml && echo yes || echo no",
    "awk -F: '{print $1}' /etc/passwd | sort -u",
];

fn main() -> Result<(), NotAbsolute> {
    let policy = policy()?;
    let action = Action::Shell { shell: Shell::Bash, command: LINE.to_owned(), folder: AbsPath::new("/p")? };
    let facts = facts(&policy, &action);
    let decisions =
        quietest(|| sorted(20_000, |_| drop(black_box(decide(&policy, "Bash", black_box(&action), &facts)))));
    let lines = quietest(|| {
        sorted(20_000, |at| {
            let line = TYPICAL.get(at % TYPICAL.len()).copied().unwrap_or_default();
            drop(black_box(forelook_shell::analyse(black_box(line))));
        })
    });
    let worst: Duration = pathological()
        .iter()
        .map(|line| sorted(5, |_| drop(forelook_shell::analyse(line)))[2])
        .max()
        .unwrap_or_default();
    println!(
        "{{\"decide_median_us\":{:.1},\"decide_p99_us\":{:.1},\"line_median_us\":{:.1},\"line_p99_us\":{:.1},\"worst_ms\":{:.2}}}",
        micros(at(&decisions, 50)),
        micros(at(&decisions, 99)),
        micros(at(&lines, 50)),
        micros(at(&lines, 99)),
        micros(worst) / 1000.0,
    );
    Ok(())
}

/// Lines made to be slow, all that are not refused for their length.
fn pathological() -> Vec<String> {
    let most = forelook_shell::MAX_LINE;
    vec![
        "(".repeat(most),
        "$(".repeat(most / 2),
        "a;".repeat(most / 2),
        "{ ".repeat(most / 2),
        format!("echo {}", "\"$(a ".repeat(most / 6)),
        format!("echo {}", "a".repeat(most - 5)),
        "ls | ".repeat(most / 5 - 1) + "ls",
        "x".repeat(5_000_000),
    ]
}

fn sorted(times: usize, mut run: impl FnMut(usize)) -> Vec<Duration> {
    let mut took: Vec<Duration> = (0..times)
        .map(|at| {
            let began = spent();
            run(at);
            spent().saturating_sub(began)
        })
        .collect();
    took.sort_unstable();
    took
}

/// The run of five with the shortest tail: what others do on the machine only ever adds.
fn quietest(run: impl Fn() -> Vec<Duration>) -> Vec<Duration> {
    (0..5).map(|_| run()).min_by_key(|run| at(run, 99)).unwrap_or_default()
}

/// Processor time that this thread has used.
fn spent() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(u64::try_from(time.tv_sec).unwrap_or_default(), nanos)
}

fn at(sorted: &[Duration], percent: usize) -> Duration {
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn policy() -> Result<Policy, NotAbsolute> {
    let mut entries = Vec::new();
    for n in 0..1000 {
        let (behavior, text) = match n % 5 {
            0 => (Behavior::Allow, format!("Bash(tool{n} run:*)")),
            1 => (Behavior::Deny, format!("Bash(danger{n}:*)")),
            2 => (Behavior::Allow, format!("Edit(src/module{n}/**)")),
            3 => (Behavior::Deny, format!("Read(//secret/{n}/**)")),
            _ => (Behavior::Ask, format!("Bash(deploy{n} *)")),
        };
        let Ok(rule) = Rule::parse(&text) else { continue };
        let origin =
            RuleOrigin { rule: text, behavior, source: Source::UserSettings, file: None, line: None };
        let bases = Bases { home: None, working: AbsPath::new("/p")?, written: AbsPath::new("/p")? };
        entries.push(RuleEntry { rule, origin, bases });
    }
    Ok(Policy {
        standing: Standing::default(),
        rules: Arc::new(RuleSet::new(entries, Strictness::Runners)),
        folders: vec![AbsPath::new("/p")?],
        user_home: Some(AbsPath::new("/home/ada")?),
        own: OwnFiles { home: AbsPath::new("/home/ada/.forelook")?, managed: AbsPath::new("/etc/forelook")? },
        agent: AgentKind::Main,
        plan_file: None,
    })
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
