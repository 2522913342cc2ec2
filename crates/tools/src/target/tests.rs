//! The file that was decided on, and links that come into its way.

use std::os::unix::fs::symlink;
use std::path::Path;

use forelook_protocol::Action;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{Bench, parsed, run};

/// A project with a plan in a folder of its own, and beside it a file that must stay as it is.
fn bench() -> Bench {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("deep/plans")).unwrap();
    bench.file("deep/plans/plan.md", "old\n");
    bench.file("other", "untouched");
    bench
}

fn target(bench: &Bench) -> Result<EditTarget, ToolFailure> {
    let mut cx = bench.cx.clone();
    let file = paths::file("file_path", "deep/plans/plan.md", &cx.place).unwrap();
    cx.action = Action::Edit { file };
    EditTarget::decided("deep/plans/plan.md", &cx)
}

fn untouched(bench: &Bench) {
    assert_eq!(bench.bytes("other"), b"untouched");
}

#[tokio::test]
async fn below_the_folder_files_are_made_and_changed() {
    let mut bench = bench();
    bench.read("deep/plans/plan.md").await;
    bench.ok("Write", json!({"file_path": "deep/plans/plan.md", "content": "one\n"})).await;
    let edit = json!({"file_path": "deep/plans/plan.md", "old_string": "one", "new_string": "two"});
    bench.ok("Edit", edit).await;
    assert_eq!(bench.bytes("deep/plans/plan.md"), b"two\n");
    bench.ok("Write", json!({"file_path": "deep/new/plan.md", "content": "x"})).await;
    assert_eq!(bench.bytes("deep/new/plan.md"), b"x");
    bench.ok("Write", json!({"file_path": "not/yet/plan.md", "content": "x"})).await;
    assert_eq!(bench.bytes("not/yet/plan.md"), b"x");
}

/// A link that was there when the call was decided on is part of what was decided.
#[tokio::test]
async fn through_a_link_the_file_it_leads_to_is_edited() {
    let mut bench = bench();
    symlink("deep/plans", bench.path("folder-link")).unwrap();
    symlink("deep/plans/plan.md", bench.path("file-link")).unwrap();
    symlink("deep/plans/not-yet.md", bench.path("dangling")).unwrap();
    bench.read("file-link").await;
    bench.ok("Edit", json!({"file_path": "file-link", "old_string": "old", "new_string": "new"})).await;
    bench
        .ok("Edit", json!({"file_path": "folder-link/plan.md", "old_string": "new", "new_string": "newer"}))
        .await;
    assert_eq!(bench.bytes("deep/plans/plan.md"), b"newer\n");
    bench.ok("Write", json!({"file_path": "folder-link/new/file", "content": "x"})).await;
    bench.ok("Write", json!({"file_path": "dangling", "content": "y"})).await;
    assert_eq!(
        (bench.bytes("deep/plans/new/file"), bench.bytes("deep/plans/not-yet.md")),
        (b"x".into(), b"y".into())
    );
    for link in ["folder-link", "file-link", "dangling"] {
        assert!(bench.path(link).as_path().is_symlink(), "{link}");
    }
    symlink("round", bench.path("round")).unwrap();
    for input in ["round", "round/file"] {
        bench.failure("Write", json!({"file_path": input, "content": "x"})).await;
    }
}

/// The folder goes away, or another takes its place, between the look and the write.
#[test]
fn a_folder_that_is_gone_or_another_is_told() {
    let bench = bench();
    let held = target(&bench).unwrap_or_else(|_| panic!());
    assert!(held.read().is_ok_and(|old| old.is_some()));
    std::fs::rename(bench.path("deep/plans"), bench.path("deep/moved")).unwrap();
    let text = |failed: Result<SessionEffect, ToolFailure>| failed.unwrap_err().text;
    assert!(text(held.save(&[b"new"])).contains("changed while this call was running"));
    std::fs::create_dir(bench.path("deep/plans")).unwrap();
    bench.file("deep/plans/plan.md", "another\n");
    assert!(text(held.save(&[b"new"])).contains("changed while this call was running"));
    assert_eq!(bench.bytes("deep/plans/plan.md"), b"another\n");
    assert_eq!(bench.bytes("deep/moved/plan.md"), b"old\n");
    std::fs::remove_dir_all(bench.path("deep/moved")).unwrap();
    assert!(held.save(&[b"new"]).is_err());
    assert_eq!(std::fs::read_dir(bench.path("deep")).unwrap().count(), 1, "nothing is left behind");
}

/// The plan becomes a link after the decision, before the call runs.
#[tokio::test]
async fn a_link_in_the_place_of_the_plan_is_refused() {
    for (link, leads_to) in
        [("deep/plans/plan.md", "other"), ("deep/plans/plan.md", "missing"), ("deep/plans", "elsewhere")]
    {
        for tool in ["Write", "Edit"] {
            let mut bench = bench();
            bench.read("deep/plans/plan.md").await;
            let input = match tool {
                "Write" => json!({"file_path": "deep/plans/plan.md", "content": "new"}),
                _ => json!({"file_path": "deep/plans/plan.md", "old_string": "old", "new_string": "new"}),
            };
            let call = parsed(tool, &input);
            bench.cx.action = call.action(&bench.cx.place).unwrap();
            std::fs::create_dir(bench.path("elsewhere")).unwrap();
            bench.file("elsewhere/plan.md", "old\n");
            std::fs::rename(bench.path(link), bench.path("moved")).unwrap();
            symlink(bench.path(leads_to), bench.path(link)).unwrap();
            let outcome = run(&call, bench.cx.clone()).await;
            assert!(outcome.result.is_error, "{}", outcome.result.text());
            assert_eq!(bench.bytes("elsewhere/plan.md"), b"old\n");
            assert!(!Path::new(bench.path("missing").as_path()).exists());
            untouched(&bench);
        }
    }
}

/// The link comes even later: after the last look at the path.
#[test]
fn a_link_that_comes_after_the_last_look_is_refused_too() {
    let bench = bench();
    let (plan, held) = (bench.path("deep/plans/plan.md"), target(&bench).unwrap_or_else(|_| panic!()));
    std::fs::remove_file(&plan).unwrap();
    symlink(bench.path("other"), &plan).unwrap();
    for failed in [held.read().map(|_| ()), held.save(&[b"new"]).map(|_| ())] {
        assert!(failed.unwrap_err().text.contains("changed while this call was running"));
    }
    // A link to a neighbour stays inside, and is refused all the same: it is another plan.
    std::fs::remove_file(&plan).unwrap();
    bench.file("deep/plans/another.md", "another");
    symlink("another.md", &plan).unwrap();
    assert!(held.read().is_err() && held.save(&[b"new"]).is_err());
    assert_eq!(bench.bytes("deep/plans/another.md"), b"another");
    // A folder on the way: what was held is still the old one, but it is no longer where the path leads.
    std::fs::remove_file(&plan).unwrap();
    bench.file("deep/plans/plan.md", "old\n");
    std::fs::rename(bench.path("deep/plans"), bench.path("deep/moved")).unwrap();
    symlink("moved", bench.path("deep/plans")).unwrap();
    assert!(held.save(&[b"new"]).is_err());
    assert!(EditTarget::at(plan, &bench.cx.place).is_err());
    assert_eq!(bench.bytes("deep/moved/plan.md"), b"old\n");
    untouched(&bench);
}

proptest! {
    #[test]
    fn text_is_what_decoding_gives(bytes: Vec<u8>, mark in 0usize..4) {
        let marks: [&[u8]; 4] = [b"", b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
        let bytes = [marks[mark], &bytes].concat();
        prop_assert_eq!(text_of(&bytes).map(|(encoding, text)| (encoding, text.into_owned())), decode(&bytes));
    }
}

#[test]
fn two_things_at_once_are_both_done() {
    for bytes in [0, WORTH_A_THREAD] {
        assert_eq!(in_parallel(bytes, &|| 1, || 2), (1, 2));
    }
}

/// Agents that read and edit one file at the same time: what was reported as done is in the file, and who came too late
/// was told.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_loses_what_another_agent_changed() {
    for round in 0..10 {
        let bench = Bench::new();
        bench.file("shared.txt", "start\n");
        let mut agents = tokio::task::JoinSet::new();
        for agent in 0..10 {
            let mut own = bench.other_agent();
            agents.spawn(async move {
                own.read("shared.txt").await;
                let edit = json!({
                    "file_path": "shared.txt", "old_string": "start\n", "new_string": format!("start\nagent {agent}\n"),
                });
                let result = own.call("Edit", edit).await.result;
                let told = format!("{:?}", result.content).contains("has changed since it was read");
                assert_eq!(result.is_error, told, "{result:?}");
                usize::from(!result.is_error)
            });
        }
        let made: usize = agents.join_all().await.into_iter().sum();
        let text = String::from_utf8(bench.bytes("shared.txt")).unwrap();
        assert_eq!(text.lines().count(), 1 + made, "round {round}: {text}");
        assert!(made >= 1);
    }
}

/// The same for a file that does not exist yet.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_one_agent_creates_a_file() {
    for path in ["new.txt", "not/yet/new.txt"] {
        let bench = Bench::new();
        let mut agents = tokio::task::JoinSet::new();
        for agent in 0..10 {
            let mut own = bench.other_agent();
            let write = json!({"file_path": path, "content": format!("agent {agent}\n")});
            agents.spawn(async move { (!own.call("Write", write).await.result.is_error).then_some(agent) });
        }
        let made: Vec<usize> = agents.join_all().await.into_iter().flatten().collect();
        assert_eq!(made.len(), 1, "{path}");
        assert_eq!(bench.bytes(path), format!("agent {}\n", made[0]).into_bytes(), "{path}");
    }
}

/// A project that was moved or removed while the session runs is not begun anew, with one file in it.
#[tokio::test]
async fn a_project_that_is_gone_is_not_made_again() {
    let mut bench = bench();
    bench.read("deep/plans/plan.md").await;
    let project = bench.cx.place.project.clone();
    std::fs::remove_dir_all(&project).unwrap();
    for (tool, input) in [
        ("Write", json!({"file_path": "new.txt", "content": "x"})),
        ("Write", json!({"file_path": "deep/plans/plan.md", "content": "x"})),
        ("Edit", json!({"file_path": "deep/plans/plan.md", "old_string": "old", "new_string": "new"})),
        ("Edit", json!({"file_path": "new.txt", "old_string": "", "new_string": "x"})),
    ] {
        bench.failure(tool, input).await;
        assert!(!project.as_path().exists(), "{tool}");
    }
    let told = bench.failure("Write", json!({"file_path": "new.txt", "content": "x"})).await;
    assert!(told.contains("is gone"), "{told}");
}
