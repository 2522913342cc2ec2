//! Layers that are half gone, deep or full.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::AbsPath;
use forelook_sandbox::ChildEvent;

use super::super::overlay::Overlay;
use super::{listed, planning, rehearse};
use crate::PathGuard;

/// Whoever removed the layer was ended half-way: the note of its folders went first, and the rest must not be built on.
#[tokio::test]
async fn a_layer_that_is_half_removed_is_not_gone_on_from_in_a_rehearsal() {
    for note in [None, Some("[]"), Some("nonsense")] {
        let mut bench = planning();
        rehearse(&bench, "echo left > over; rm old.txt").await;
        let folder = bench.keeps();
        bench.fences = Arc::new(crate::Fences::new(crate::FenceSetup::plain(&folder)));
        let path = Overlay::of(&folder).root().join("folders.json");
        match note {
            None => fs::remove_file(&path).unwrap(),
            Some(note) => fs::write(&path, note).unwrap(),
        }
        let said = rehearse(&bench, "cat old.txt; test ! -e over").await;
        assert!(said.starts_with("old\n[Rehearsed: no real file changed, and none would change]"), "{said}");
    }
}

/// A program may nest folders as deep as it likes; we look into a few hundred of them and say so.
#[tokio::test]
async fn folders_that_are_nested_too_deep_are_told_in_a_rehearsal() {
    let bench = planning();
    let deep =
        "python3 -c 'import os\nfor at in range(1900): os.mkdir(\"d\"); os.chdir(\"d\")\nopen(\"x\", \"w\")'";
    let said = rehearse(&bench, &format!("echo 1 > one; {deep}")).await;
    assert!(said.contains("1 file would change: A one (+1)"), "{said}");
    assert!(said.contains("1 folder was not checked") && said.contains("nested too deeply"), "{said}");
    assert!(said.len() < 1000, "{said}");
    let rehearsal = bench.fences.rehearsal().unwrap();
    assert_eq!(listed(&bench, &rehearsal), ["A one +1 -0"]);
    assert!(rehearsal.diff.contains("nested too deeply"), "{}", rehearsal.diff);
    // The same for real folders that would go.
    bench.fences.discard();
    let mut at = bench.path("real");
    fs::create_dir(&at).unwrap();
    for _ in 0..300 {
        at = at.join("d");
        fs::create_dir(&at).unwrap();
    }
    let said = rehearse(&bench, "rm -r real").await;
    assert!(said.contains("1 folder was not checked"), "{said}");
    // Many of them are counted, and not each named.
    bench.fences.discard();
    let many = "python3 -c 'import os\nfor at in range(256): os.mkdir(\"d\"); os.chdir(\"d\")\nfor at in range(100): os.mkdir(str(at))'";
    let said = rehearse(&bench, &format!("echo 1 > one; {many}")).await;
    assert!(said.contains("100 folders were not checked"), "{said}");
    let diff = bench.fences.rehearsal().unwrap().diff;
    assert!(diff.lines().count() < 40 && diff.contains("and 80 more"), "{diff}");
}

/// Of very many files a part is shown, the rest is counted, and nothing is applied that nobody saw.
#[tokio::test]
async fn too_many_files_are_not_all_shown_and_none_is_applied_from_a_rehearsal() {
    let bench = planning();
    rehearse(&bench, "for at in $(seq 10000 12010); do echo $at > f$at; done").await;
    let rehearsal = bench.fences.rehearsal().unwrap();
    assert_eq!(rehearsal.files.len(), 2000);
    let end = "[Up to 11 more files would change: too many to show, so nothing from this rehearsal can be applied]\n";
    assert!(rehearsal.diff.ends_with(end), "{}", &rehearsal.diff[rehearsal.diff.len() - 300..]);
    let applied = bench.fences.apply(&rehearsal.hash, false, &|_| Ok(()));
    assert_eq!(applied.files, []);
    assert_eq!(applied.failed.len(), 1);
    assert_eq!(applied.failed[0].0, bench.project);
    assert!(applied.failed[0].1.contains("more than 2000 files"), "{applied:?}");
    assert!(!bench.path("f10000").as_path().exists());
    // Fewer can be.
    rehearse(&bench, "rm f1[12]* f10[1-9]* f100[1-9]*").await;
    let rehearsal = bench.fences.rehearsal().unwrap();
    assert!(!rehearsal.diff.contains("more files"));
    assert_eq!(bench.fences.apply(&rehearsal.hash, false, &|_| Ok(())).files.len(), 10);
}

/// Once the diff is full nothing more is compared for it, and all the same every file is listed and applied.
#[tokio::test]
async fn a_full_diff_ends_and_the_rest_of_a_rehearsal_is_counted() {
    let bench = planning();
    rehearse(&bench, "for at in $(seq 10 29); do seq 8000 > f$at; done; echo small > z").await;
    let rehearsal = bench.fences.rehearsal().unwrap();
    assert_eq!(rehearsal.files.len(), 21);
    assert!(rehearsal.diff.len() < 513 * 1024);
    assert!(!rehearsal.diff.contains("b/z\n"), "nothing comes after the end");
    assert!(rehearsal.diff.ends_with("[Too long to show here: the changes to 10 files]\n"));
    assert_eq!(bench.fences.apply(&rehearsal.hash, false, &|_| Ok(())).files.len(), 21);
}

/// The layer cannot be laid anew under a command: what is said then holds for other folders and for other secrets.
#[tokio::test]
async fn why_a_rehearsal_has_to_wait_for_a_command_is_true() {
    let mut bench = planning();
    bench.file(".env", "planted");
    bench.inputs.guards = Arc::new(|path: &AbsPath| match path.as_path().ends_with(".env") {
        true => PathGuard::Masked,
        false => PathGuard::Unguarded,
    });
    let mut child = bench.start("echo up; sleep 1000").unwrap();
    assert!(matches!(child.next().await, ChildEvent::Output(_)));
    let fence = bench.fences.get(bench.sandbox, &bench.inputs).unwrap().unwrap();
    fs::remove_file(bench.path(".env")).unwrap();
    bench.file(".env", "another");
    assert!(!fence.is_active());
    let said = bench.run("true").await.unwrap_err().to_string();
    assert!(said.contains("the working directories or hidden files changed"), "{said}");
    assert!(said.contains("stop it with KillShell first"), "{said}");
    child.terminate(Duration::ZERO);
    while !matches!(child.next().await, ChildEvent::Ended(_)) {}
    drop((fence, child));
    rehearse(&bench, "true").await;
}
