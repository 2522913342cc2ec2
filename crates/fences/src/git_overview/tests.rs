//! What git says of repositories, honest and hostile ones.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use super::*;
use crate::testing::{Bench, git};
use crate::{FenceSetup, KernelLayers};

/// Runs git as somebody with a name.
fn commit(bench: &Bench, message: &str) {
    git(&bench.project, &["add", "-A"]);
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.hooksPath=/dev/null"];
    git(&bench.project, &[&who[..], &["commit", "-q", "--allow-empty", "-m", message]].concat());
}

fn repository() -> Bench {
    let bench = Bench::new(Confinement::ReadOnly);
    git(&bench.project, &["init", "-q", "-b", "main"]);
    bench.file("a.txt", "one\n");
    commit(&bench, "First");
    bench
}

async fn overview(bench: &Bench) -> Option<GitOverview> {
    bench.fences.git_overview(&bench.env, &bench.project).await
}

#[tokio::test]
async fn the_status_and_the_last_commits() {
    let bench = repository();
    assert_eq!(
        overview(&bench).await,
        Some(GitOverview { commits: vec!["First".into()], ..GitOverview::default() })
    );
    for number in 2..=7 {
        commit(&bench, &format!("Commit {number}\n\nWith a body."));
    }
    bench.file("a.txt", "two\n");
    bench.file("ñew\nline", "x");
    fs::create_dir(bench.path("sub")).unwrap();
    bench.file("sub/b", "x");
    let found = overview(&bench).await.unwrap();
    assert_eq!(found.status, [" M a.txt", "?? sub/", "?? \"ñew\\nline\""]);
    assert_eq!(found.commits, ["Commit 7", "Commit 6", "Commit 5", "Commit 4", "Commit 3"]);
    assert!(!found.more_status);
    // From a folder below too.
    let below = bench.fences.git_overview(&bench.env, &bench.path("sub")).await.unwrap();
    assert_eq!(below.commits.len(), 5);
}

#[tokio::test]
async fn no_repository_and_no_commit() {
    let bench = Bench::new(Confinement::ReadOnly);
    assert_eq!(overview(&bench).await, None);
    git(&bench.project, &["init", "-q"]);
    bench.file("a", "x");
    let found = overview(&bench).await.unwrap();
    assert_eq!((found.status, found.commits), (vec!["?? a".to_owned()], Vec::new()));
}

#[tokio::test]
async fn without_a_fence_git_is_not_started() {
    let mut bench = repository();
    let none = KernelLayers { namespaces: false, landlock: false, seccomp: false };
    let setup = FenceSetup { layers: none, ..FenceSetup::plain(&bench.keeps()) };
    bench.fences = Arc::new(Fences::new(setup));
    assert_eq!(overview(&bench).await, None);
}

/// What the configuration says; whether git is asked at all then; and whether `git status` and `git log` run what it names
/// where nobody takes care.
const ATTACKS: &[(&str, bool, bool)] = &[
    ("[core]\n fsmonitor = $E\n", true, true),
    ("[core]\n fsmonitor = true\n hooksPath = $H\n", true, true),
    ("[core]\n hooksPath = $H\n pager = $E\n editor = $E\n sshCommand = $E\n askPass = $E\n", true, true),
    ("[pager]\n status = $E\n log = $E\n", true, false),
    ("[alias]\n status = !$E\n log = !$E\n", true, false),
    ("[status]\n submoduleSummary = true\n[submodule]\n recurse = true\n", true, false),
    ("[gpg]\n program = $E\n[log]\n showSignature = true\n", false, false),
    ("[filter \"evil\"]\n clean = $E\n smudge = $E\n", false, true),
    ("[filter \"evil\"]\n process = $E\n required = true\n", false, true),
    ("[diff \"evil\"]\n textconv = $E\n", false, false),
    ("[diff]\n external = $E\n", false, false),
    ("[include]\n path = ../hidden\n", false, true),
    ("[includeIf \"gitdir:**\"]\n path = ../hidden\n", false, true),
];

/// A repository with this configuration, with a program to run and with hooks. The program leaves a mark.
fn hostile(config: &str) -> (Bench, AbsPath) {
    let bench = repository();
    let beside = bench.project.parent().unwrap();
    let (evil, hooks, mark) = (beside.join("evil"), beside.join("hooks"), beside.join("mark"));
    fs::create_dir(&hooks).unwrap();
    for path in [evil.clone(), hooks.join("post-index-change"), hooks.join("reference-transaction")] {
        fs::write(&path, format!("#!/bin/sh\necho ran >> '{mark}'\ncat\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    bench.file(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n");
    // As long as before: only by reading it can git tell that it changed.
    bench.file("a.txt", "six\n");
    let settings = |text: &str| text.replace("$E", &evil.to_string()).replace("$H", &hooks.to_string());
    bench.file("hidden", settings("[filter \"evil\"]\n clean = $E\n"));
    let before = String::from_utf8(bench.bytes(".git/config")).unwrap();
    bench.file(".git/config", format!("{before}{}", settings(config)));
    (bench, mark)
}

/// A repository whose configuration and attributes name a program wherever a status or a log would take one.
#[tokio::test]
async fn nothing_that_a_hostile_repository_names_is_run() {
    for (config, asked, effective) in ATTACKS {
        let (bench, mark) = hostile(config);
        let found = overview(&bench).await;
        assert_eq!(found.is_some(), *asked, "{config}: {found:?}");
        if let Some(found) = found {
            assert!(found.status.contains(&" M a.txt".to_owned()), "{config}: {found:?}");
            assert_eq!(found.commits, ["First"], "{config}");
        }
        // In the fence the mark could not be left. It is not left without one either.
        if let Some(mut probe) = bench.fences.git_probe(bench.env.clone(), &bench.project) {
            probe.program.fence = None;
            assert!(probe.run(STATUS).await.is_some() && probe.run(LOG).await.is_some(), "{config}");
        }
        assert!(!mark.as_path().exists(), "{config}");
        let careless = "git status >/dev/null 2>&1; git log >/dev/null 2>&1; true";
        let ran =
            std::process::Command::new("sh").arg("-c").arg(careless).current_dir(&bench.project).status();
        assert!(ran.unwrap().success());
        assert_eq!(mark.as_path().exists(), *effective, "{config}: is this an attack?");
    }
}

#[tokio::test]
async fn variables_that_lead_elsewhere_do_not_count() {
    let (mut bench, other) = (repository(), repository());
    other.file("stranger", "x");
    bench.env.set("GIT_DIR", other.path(".git").to_string());
    bench.env.set("GIT_WORK_TREE", other.project.to_string());
    assert_eq!(overview(&bench).await.unwrap().status, [] as [&str; 0]);
}

#[tokio::test]
async fn a_lot_of_changes_is_cut() {
    let bench = repository();
    for number in 0..2000 {
        bench.file(&format!("{number:04}-{}", "x".repeat(230)), "x");
    }
    commit(&bench, &"long ".repeat(10_000));
    for number in 0..2000 {
        bench.file(&format!("y{number:04}-{}", "x".repeat(200)), "x");
    }
    let found = overview(&bench).await.unwrap();
    assert_eq!(found.status.len(), MAX_STATUS);
    assert!(found.more_status);
    let longest = found.status.iter().chain(&found.commits).map(|line| line.chars().count()).max();
    assert_eq!(longest, Some(MAX_LINE + 1));
}

/// Whoever stops waiting ends git, whatever it does.
#[tokio::test]
async fn nobody_waits_for_a_slow_repository() {
    let bench = repository();
    let began = Instant::now();
    let waited = tokio::time::timeout(Duration::from_millis(1), overview(&bench)).await;
    assert!(began.elapsed() < Duration::from_secs(2), "{waited:?}");
}

#[test]
fn lines_are_lines() {
    assert_eq!(lines(b"a\x1b[2Jb\r\n\n \n\xff\tc"), ["a [2Jb ", "\u{fffd} c"]);
    assert_eq!(lines(b""), [] as [&str; 0]);
}
