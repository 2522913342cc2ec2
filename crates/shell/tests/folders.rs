//! Folders against real bash: random lines of `cd` and everything that decides whether, where and in which process it runs.
//! For every command that ran, the analysis names the same folder or says that it does not know.
//!
//! The property test asks for more cases with `PROPTEST_CASES`.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test, and the lines are run by bash itself"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use forelook_shell::{LinePart, ShellEffect, WorkingFolder, analyse};
use proptest::prelude::*;

/// A command that says where it runs: `mark N`.
const MARK: &str = "mark";

/// The folders of the tree below the start. `link` leads to `far/off`, whose neighbors are not those of `link`.
const FOLDERS: &[&str] = &["a", "a/b", "a/b/c", "b", "b/a", "far/off", "far/b", "far/c"];

struct Tree {
    root: PathBuf,
    bin: PathBuf,
}

static TREE: LazyLock<Tree> = LazyLock::new(|| {
    let name = format!("folders-{}", std::process::id());
    let root = std::fs::canonicalize(env!("CARGO_TARGET_TMPDIR")).unwrap().join(name);
    let (start, bin) = (root.join("start"), root.join("bin"));
    for folder in FOLDERS {
        std::fs::create_dir_all(start.join(folder)).unwrap();
    }
    std::fs::create_dir_all(root.join("a")).unwrap();
    std::fs::create_dir_all(root.join("home/a")).unwrap();
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink("far/off", start.join("link")).unwrap();
    let script = bin.join(MARK);
    std::fs::write(&script, "#!/bin/sh\necho \"$1 $(pwd -P)\" >> \"$MARKS\"\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    Tree { root, bin }
});

/// Where each mark ran; one that ran more than once has several folders.
fn run(line: &str, number: u64) -> BTreeMap<String, Vec<PathBuf>> {
    let tree = &*TREE;
    let marks = tree.root.join(format!("marks-{number}"));
    let _ = std::fs::remove_file(&marks);
    let start = tree.root.join("start");
    let status = Command::new("timeout")
        .args(["-s", "KILL", "10", "bash", "--norc", "--noprofile", "-c", &format!("{line}\nwait")])
        .current_dir(&start)
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", tree.bin.display()))
        .env("HOME", tree.root.join("home"))
        .env("MARKS", &marks)
        .output()
        .unwrap();
    assert_ne!(status.status.code(), Some(137), "took too long: {line}");
    let mut ran: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for row in std::fs::read_to_string(&marks).unwrap_or_default().lines() {
        let (mark, folder) = row.split_once(' ').unwrap();
        ran.entry(mark.to_owned()).or_default().push(PathBuf::from(folder));
    }
    let _ = std::fs::remove_file(&marks);
    ran
}

/// The folders that the analysis names, as the kernel sees them; none if it does not know.
fn expected(folder: &WorkingFolder, start: &Path, home: &Path) -> Vec<PathBuf> {
    folder.possible().iter().filter_map(|folder| one_expected(folder, start, home)).collect()
}

fn one_expected(folder: &WorkingFolder, start: &Path, home: &Path) -> Option<PathBuf> {
    let named = match folder {
        WorkingFolder::Start => start.to_owned(),
        WorkingFolder::Moved(to) => match to.strip_prefix('~') {
            Some(rest) => home.join(rest.trim_start_matches('/')),
            None => start.join(to),
        },
        WorkingFolder::OneOf(_) | WorkingFolder::Elsewhere => return None,
    };
    let mut by_name = PathBuf::new();
    for part in named.components() {
        match part {
            std::path::Component::ParentDir => _ = by_name.pop(),
            other => by_name.push(other),
        }
    }
    Some(std::fs::canonicalize(&by_name).unwrap_or(by_name))
}

fn mark_of(part: &LinePart) -> Option<&str> {
    let at = part.words.iter().position(|w| w.literal() == Some(MARK))?;
    part.words.get(at + 1)?.literal()
}

/// A line within the line that could not be parsed.
fn is_not_understood(part: &LinePart) -> bool {
    let nested = matches!(part.program(), Some("bash" | "eval"));
    let unknown = |e: &ShellEffect| matches!(e, ShellEffect::Unknown { why } if !why.contains("`mark`"));
    nested && part.effects.iter().any(unknown)
}

/// Compares one line; answers how many marks ran in a folder that the analysis named.
fn compare(line: &str, number: u64) -> Result<usize, String> {
    let analysis = analyse(line);
    if !analysis.parsed {
        return Err(format!("not parsed: {line}: {}", analysis.why));
    }
    let (start, home) = (TREE.root.join("start"), TREE.root.join("home"));
    let mut known = 0;
    for (mark, folders) in run(line, number) {
        let parts: Vec<&LinePart> =
            analysis.parts.iter().filter(|part| mark_of(part) == Some(mark.as_str())).collect();
        if parts.is_empty() && analysis.parts.iter().any(is_not_understood) {
            continue;
        }
        if parts.is_empty() {
            return Err(format!("mark {mark} ran and is no part: {line}"));
        }
        // A text that stands in several parts may have run as any of them.
        let named: Vec<Vec<PathBuf>> =
            parts.iter().map(|part| expected(&part.folder, &start, &home)).collect();
        for folder in folders {
            if !named.iter().any(|all| all.is_empty() || all.contains(&folder)) {
                return Err(format!("mark {mark} ran in {}, not in {named:?}:\n{line}", folder.display()));
            }
            known += usize::from(!named.iter().any(Vec::is_empty));
        }
    }
    Ok(known)
}

/// A plain list, where most of what can go wrong goes wrong: `cd a && false || mark @`.
fn flat() -> impl Strategy<Value = String> {
    let item = prop_oneof![
        4 => Just("mark @".to_owned()),
        6 => move_target().prop_map(|to| format!("cd {to}")),
        1 => move_target().prop_map(|to| format!("{{ cd {to}; }} > missing/x")),
        1 => Just("cd -".to_owned()),
        1 => Just("true".to_owned()),
        2 => Just("false".to_owned()),
        1 => Just("export CDPATH=b".to_owned()),
    ];
    let join = prop_oneof![6 => Just(" && "), 3 => Just(" || "), 2 => Just("; "), 1 => Just(" & ")];
    proptest::collection::vec((item, join), 3..7).prop_map(|items| {
        let mut line: String = items.into_iter().flat_map(|(item, join)| [item, join.to_owned()]).collect();
        line.push_str("mark @");
        line
    })
}

/// A piece of a line before its marks are numbered: `mark @`.
fn piece() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => flat(),
        4 => Just("mark @".to_owned()),
        6 => move_to(),
        1 => Just("true".to_owned()),
        1 => Just("false".to_owned()),
        1 => Just("set -e".to_owned()),
        1 => Just("cd a || exit 1".to_owned()),
        1 => Just("CDPATH=$PWD/a".to_owned()),
        1 => Just("export CDPATH=..".to_owned()),
        1 => Just("f".to_owned()),
        1 => Just("break".to_owned()),
        1 => Just("pushd a >/dev/null".to_owned()),
        1 => Just("popd >/dev/null".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let join = prop_oneof![
            4 => Just(" && "),
            2 => Just(" || "),
            3 => Just("; "),
            1 => Just(" & "),
            1 => Just("\n"),
            1 => Just(" | "),
        ];
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            10 => (inner.clone(), join, inner.clone()).prop_map(|(a, j, b)| format!("{a}{j}{b}")),
            1 => inner.clone().prop_map(|a| format!("({a}\n)")),
            1 => inner.clone().prop_map(|a| format!("{{ {a}\n}}")),
            1 => inner.clone().prop_map(|a| format!("{{ {a}\n}} > /dev/null")),
            1 => inner.clone().prop_map(|a| format!("{{ {a}\n}} > missing/x")),
            1 => inner.clone().prop_map(|a| format!("! {{ {a}\n}}")),
            1 => two().prop_map(|(a, b)| format!("if {a}\nthen {b}\nfi")),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("if {a}\nthen {b}\nelse {c}\nfi")),
            1 => inner.clone().prop_map(|a| format!("for i in 1 2; do {a}\ndone")),
            1 => two().prop_map(|(a, b)| format!("for i in 1 2 3; do {a}\nif true; then {b}\nfi\ndone")),
            1 => two().prop_map(|(a, b)| format!("n=0; while [ $((n++)) -lt 3 ] && {{ {a}\n}}; do {b}\ndone")),
            1 => two().prop_map(|(a, b)| format!("case x in y) {a}\n;; x) {b}\n;; esac")),
            1 => two().prop_map(|(a, b)| format!("case x in x) {a}\n;& y) {b}\n;; esac")),
            1 => inner.clone().prop_map(|a| format!("f() {{ {a}\n}}")),
            1 => inner.clone().prop_map(|a| format!("f() ( {a}\n)")),
            1 => inner.clone().prop_map(|a| format!("bash -c {}", quoted(&a))),
            1 => inner.clone().prop_map(|a| format!("eval {}", quoted(&a))),
            1 => inner.clone().prop_map(|a| format!("x=$({a}\n)")),
            1 => inner.clone().prop_map(|a| format!("true <({a}\n)")),
            1 => (move_target(), inner).prop_map(|(to, a)| format!("env -C {to} bash -c {}", quoted(&a))),
            1 => Just("find . -maxdepth 0 -exec mark @ {} +".to_owned()),
            1 => Just("echo x | xargs mark @".to_owned()),
        ]
    })
}

fn move_target() -> impl Strategy<Value = &'static str> {
    // Some stand there twice, since only together they go through the link.
    proptest::sample::select(vec![
        "a",
        "b",
        "a/b",
        "..",
        "../start",
        "link",
        "link",
        "link/..",
        "link/../b",
        "link/../c",
        "../b",
        "../c",
        "../c",
        "a/..",
        "missing",
        "./a",
        ".",
        "~/a",
        "/",
        "a/../b",
    ])
}

fn move_to() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => move_target().prop_map(|to| format!("cd {to}")),
        1 => Just("cd -".to_owned()),
        1 => Just("cd".to_owned()),
        1 => Just("cd -P link".to_owned()),
        1 => Just("cd \"$PWD/a\"".to_owned()),
        1 => Just("cd $HOME".to_owned()),
        1 => Just("command cd a".to_owned()),
        1 => Just("d=a; cd $d".to_owned()),
        1 => move_target().prop_map(|to| format!("cd {to} && mark @")),
    ]
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Gives every mark a number of its own.
fn numbered(text: &str) -> String {
    let mut parts = text.split("mark @");
    let mut line = parts.next().unwrap_or("").to_owned();
    for (number, part) in parts.enumerate() {
        line.push_str(&format!("{MARK} {number}{part}"));
    }
    line
}

/// Few enough for every test run; the soak asks for more with `PROPTEST_CASES`.
fn cases() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    ProptestConfig { cases: config.cases.max(600), max_shrink_iters: 400, ..config }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn every_command_runs_where_the_analysis_says(text in prop_oneof![flat(), piece()], number: u64) {
        let line = numbered(&format!("{text}\nmark @"));
        let analysis = analyse(&line);
        // What is not understood is asked for as a whole.
        prop_assume!(analysis.parsed);
        if let Err(why) = compare(&line, number) {
            prop_assert!(false, "{}", why);
        }
    }
}

/// The comparison can fail, and the tree has what makes it fail.
#[test]
fn bash_goes_where_it_is_expected() {
    let start = TREE.root.join("start");
    let only = |line: &str| run(line, 0).remove("0").map(|mut all| all.remove(0));
    assert_eq!(only("cd a && mark 0"), Some(start.join("a")));
    assert_eq!(only("cd missing; mark 0"), Some(start.clone()));
    assert_eq!(only("cd link && cd ../c && mark 0"), Some(start.join("far/c")));
    assert_eq!(only("cd link && cd ../b && mark 0"), Some(start.join("b")));
    assert_eq!(only("export CDPATH=b; cd a && mark 0"), Some(start.join("b/a")));
    assert_eq!(only("cd a & mark 0"), Some(start));
}

/// Folders are not merely unknown.
#[test]
fn plain_lines_are_followed() {
    for line in [
        "cd a && mark 0",
        "cd a && cd b && mark 0 && cd .. && mark 1",
        "cd a || exit 1; mark 0",
        "cd a; mark 0",
        "cd missing; mark 0",
        "cd a\ncd b\nmark 0",
        "(cd link && mark 0); mark 1",
        "if cd a; then mark 0; fi",
        "cd a && bash -c 'cd b && mark 0'",
        "for i in 1 2; do (cd a && mark 0); done",
        "cd a && find . -maxdepth 0 -exec mark 0 {} +",
        "cd a && cd - >/dev/null && mark 0",
    ] {
        assert!(compare(line, 1).unwrap() > 0, "{line}");
    }
}
