//! Rehearsals as the model makes them, on real layers.

mod edits;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forelook_protocol::Confinement;
use serde_json::{Value, json};

use crate::bash::tests::{assert_begins, assert_ends};
use crate::testing::Bench;

/// A planning session in a project with a few files.
pub(crate) fn planning() -> Bench {
    let mut bench = Bench::new();
    bench.options.sandbox = Confinement::Rehearsal;
    fs::create_dir(bench.path("src")).unwrap();
    bench.file("src/a.rs", "fn a() {}\nfn b() {}\n");
    bench.file("old.txt", "old\n");
    bench
}

pub(super) fn line(command: &str) -> Value {
    json!({"command": command, "rehearse": true})
}

/// All that can be seen of a tree from outside: kinds, modes, owners, sizes, times, contents.
pub(super) fn snapshot(folder: &Path) -> BTreeMap<PathBuf, (Vec<i64>, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let about = path.symlink_metadata().unwrap();
        let numbers =
            [about.mode().into(), about.uid().into(), about.gid().into(), about.nlink().cast_signed()];
        let times = [about.mtime(), about.mtime_nsec(), about.ctime(), about.ctime_nsec()];
        let bytes = if about.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        if about.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        all.insert(path, ([numbers, times].concat(), bytes));
    }
    all
}

#[tokio::test]
async fn commands_change_a_layer_and_nothing_real() {
    let mut bench = planning();
    let before = snapshot(bench.cx.place.project.as_path());
    let text = bench.ok("Bash", line("echo one >> src/a.rs; echo new > src/b.rs; rm old.txt; ls")).await;
    assert_eq!(
        text,
        "src\n[Rehearsed: no real file changed. 3 files would change: D old.txt, M src/a.rs (+1), A src/b.rs (+1)]"
    );
    // The next one goes on from there.
    let text = bench.ok("Bash", line("cat src/b.rs; echo more >> src/b.rs")).await;
    assert_eq!(
        text,
        "new\n[Rehearsed: no real file changed. 3 files would change: A src/b.rs (+2); from earlier rehearsals: D old.txt, M src/a.rs (+1)]"
    );
    let text = bench.ok("Bash", line("true")).await;
    assert!(
        text.contains("3 files would still change: D old.txt, M src/a.rs (+1), A src/b.rs (+2)]"),
        "{text}"
    );
    // A failure says it too.
    let text = bench.failure("Bash", line("touch x; exit 3")).await;
    assert!(
        text.contains("Exit code 3") && text.contains("4 files would change: A x; from earlier rehearsals"),
        "{text}"
    );
    // Without `rehearse` the real files are seen.
    bench.options.sandbox = Confinement::ReadOnly;
    assert_eq!(bench.ok("Bash", json!({"command": "cat old.txt; ls src"})).await, "old\na.rs");
    assert_eq!(before, snapshot(bench.cx.place.project.as_path()));
}

#[tokio::test]
async fn nothing_else_can_be_changed_by_a_rehearsal() {
    let mut bench = planning();
    let outside = bench.cx.place.project.parent().unwrap().join("outside");
    fs::write(&outside, "as it was").unwrap();
    let before = (snapshot(outside.as_path()), snapshot(bench.cx.place.project.as_path()));
    // What is written to scratch folders goes, and all else that is not a working folder cannot be written to.
    let text = bench.ok("Bash", line(&format!("echo x > {outside}; echo x >> /etc/passwd; true"))).await;
    assert!(text.contains("no real file changed, and none would change]"), "{text}");
    assert_eq!(before, (snapshot(outside.as_path()), snapshot(bench.cx.place.project.as_path())));
}

#[tokio::test]
async fn where_no_layer_holds_it_nothing_runs() {
    let mut bench = planning();
    for sandbox in [Confinement::Off, Confinement::ReadOnly, Confinement::Workspace] {
        bench.options.sandbox = sandbox;
        let text = bench.failure("Bash", line("echo x > old.txt")).await;
        assert!(text.starts_with("Not run:"), "{text}");
        let edits = json!({"edits": [{"file_path": "old.txt", "content": "x"}], "command": "touch y"});
        assert!(bench.failure("Rehearse", edits).await.starts_with("Not run:"));
    }
    assert_eq!(bench.bytes("old.txt"), b"old\n");
    // Nor where the layer would lie in what it is over.
    bench.options.sandbox = Confinement::Rehearsal;
    bench.inputs.folders = vec![bench.cx.place.project.parent().unwrap()];
    let text = bench.failure("Bash", line("echo x > old.txt")).await;
    assert!(text.contains("would have to be inside the working directory"), "{text}");
}

#[tokio::test]
async fn the_folder_is_kept_be_it_on_the_layer_only() {
    let mut bench = planning();
    bench.ok("Bash", line("mkdir -p made/deep && cd made/deep")).await;
    assert_eq!(bench.cx.place.folder, bench.path("made/deep"));
    let text = bench.ok("Bash", line("pwd; touch here")).await;
    assert!(text.starts_with(&format!("{}\n", bench.path("made/deep"))), "{text}");
    assert!(text.contains("1 file would change: A made/deep/here]"), "{text}");
    // A folder that is gone on the layer is gone for rehearsals.
    bench.cx.place.folder = bench.path("src");
    bench.ok("Bash", line("rm -r ../src")).await;
    bench.cx.place.folder = bench.path("src");
    let text = bench.ok("Bash", line("pwd")).await;
    assert!(text.contains("no longer exists; this ran in"), "{text}");
}

#[tokio::test]
async fn a_server_can_run_on_the_layer_until_it_is_thrown_away() {
    let mut bench = planning();
    let marker = format!("1000.{}77", std::process::id());
    let command = format!("touch begun; exec sleep {marker}");
    let text =
        bench.ok("Bash", json!({"command": command, "rehearse": true, "run_in_background": true})).await;
    assert!(text.starts_with("Started in the background") && !text.contains("Rehearsed"), "{text}");
    assert_begins(&marker).await;
    assert!(bench.ok("Bash", line("true")).await.contains("A begun"));
    bench.fences.discard();
    assert_ends(&marker).await;
    assert!(!bench.path("begun").as_path().exists());
    assert!(bench.ok("Bash", line("true")).await.ends_with("and none would change]"));
}

/// Tests really run, and what they leave behind is not of interest.
#[tokio::test]
async fn a_crate_is_really_built_and_tested() {
    let mut bench = planning();
    bench.file("Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    bench.file(".gitignore", "/target\n");
    bench.file("src/lib.rs", "pub fn two() -> u8 { 3 }\n#[test]\nfn is_two() { assert_eq!(two(), 2); }\n");
    crate::testing::git(&bench.cx.place.project, &["init", "-q"]);
    let before = snapshot(bench.cx.place.project.as_path());
    let text = bench.failure("Bash", line("CARGO_TARGET_DIR=target cargo test --offline 2>&1")).await;
    assert!(text.contains("is_two ... FAILED") && text.contains("A Cargo.lock"), "{text}");
    assert!(text.contains("ignored by git]") && !text.contains("A target"), "{text}");
    let tried = json!({
        "edits": [{"file_path": "src/lib.rs", "old_string": "{ 3 }", "new_string": "{ 2 }"}],
        "command": "CARGO_TARGET_DIR=target cargo test --offline 2>&1",
    });
    let text = bench.ok("Rehearse", tried).await;
    assert!(text.contains("is_two ... ok") && text.contains("M src/lib.rs (+1 −1)"), "{text}");
    assert_eq!(before, snapshot(bench.cx.place.project.as_path()));
}
