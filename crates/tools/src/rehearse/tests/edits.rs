//! Edits that are tried.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use forelook_protocol::AbsPath;
use serde_json::json;

use super::{line, planning, snapshot};

#[tokio::test]
async fn edits_are_made_on_the_layer_then_the_command_runs() {
    let mut bench = planning();
    let before = snapshot(bench.cx.place.project.as_path());
    let input = json!({
        "edits": [
            {"file_path": "src/a.rs", "old_string": "fn a()", "new_string": "fn aa()"},
            {"file_path": "src/a.rs", "old_string": "fn b()", "new_string": "fn bb()"},
            {"file_path": "new/deep/c.rs", "content": "fn c() {}\n"},
        ],
        "command": "cat src/a.rs new/deep/c.rs",
    });
    let text = bench.ok("Rehearse", input).await;
    let (a, c) = (bench.path("src/a.rs"), bench.path("new/deep/c.rs"));
    assert_eq!(
        text,
        format!(
            "Changed `{a}` on the overlay\nCreated `{c}` on the overlay\nfn aa() {{}}\nfn bb() {{}}\nfn c() {{}}\n\
             [Rehearsed: no real file changed. 2 files would change: A new/deep/c.rs (+1), M src/a.rs (+2 −2)]"
        )
    );
    // What was edited before is what is edited now; a file is written anew without being read.
    let input = json!({"edits": [
        {"file_path": "src/a.rs", "old_string": "fn aa()", "new_string": "fn aaa()"},
        {"file_path": "old.txt", "content": "other\n"},
    ]});
    let text = bench.ok("Rehearse", input).await;
    assert!(text.contains("2 files would") || text.contains("3 files would"), "{text}");
    assert!(
        bench.ok("Bash", line("cat src/a.rs old.txt")).await.starts_with("fn aaa() {}\nfn bb() {}\nother\n")
    );
    assert_eq!(before, snapshot(bench.cx.place.project.as_path()));
}

#[tokio::test]
async fn if_one_does_not_fit_none_is_made() {
    let mut bench = planning();
    let good = json!({"file_path": "old.txt", "old_string": "old", "new_string": "new"});
    for (bad, words) in [
        (json!({"file_path": "src/a.rs", "old_string": "nowhere", "new_string": "x"}), "is not in"),
        (json!({"file_path": "src/a.rs", "old_string": "fn", "new_string": "x"}), "2 times"),
        (json!({"file_path": "none", "old_string": "fn", "new_string": "x"}), "There is no file"),
        (json!({"file_path": "src", "content": "x"}), "not a regular file"),
        (json!({"file_path": "/etc/hostname-of-nobody", "content": "x"}), "is not in a working directory"),
    ] {
        let text = bench.failure("Rehearse", json!({"edits": [good, bad], "command": "touch ran"})).await;
        assert!(text.starts_with("Edit 2 of 2: ") && text.contains(words), "{text}");
        assert!(text.ends_with("[Nothing was rehearsed: no edit was made, and no command ran]"), "{text}");
    }
    assert!(
        bench
            .ok("Bash", line("cat old.txt"))
            .await
            .ends_with("old\n[Rehearsed: no real file changed, and none would change]")
    );
}

#[tokio::test]
async fn bad_input_says_what_to_send() {
    let mut bench = planning();
    for (input, words) in [
        (json!({"edits": []}), "`edits` is empty"),
        (json!({"edits": [{"file_path": "a"}]}), "`edits[0]`: send either `old_string` and `new_string`"),
        (json!({"edits": [{"file_path": "a", "content": "", "old_string": ""}]}), "or only `content`"),
        (json!({"edits": [{"file_path": "a", "old_string": "x", "new_string": "x"}]}), "are identical"),
        (json!({"edits": [{"file_path": "a", "content": "x", "replace_all": true}]}), "needs `old_string`"),
        (json!({"edits": [{"file_path": "a", "content": ""}], "command": " "}), "`command` is empty"),
        (
            json!({"edits": [{"file_path": "a", "content": ""}], "command": "true", "timeout": 0}),
            "send 1 to 600000",
        ),
    ] {
        let text = bench.failure("Rehearse", input).await;
        assert!(text.contains(words), "{text}");
    }
}

#[tokio::test]
async fn rights_bytes_and_links_stay() {
    let mut bench = planning();
    bench.file("run.sh", "#!/bin/sh\r\necho caf\u{e9}\r\n".as_bytes());
    for (name, mode) in [("run.sh", 0o755), ("old.txt", 0o444)] {
        fs::set_permissions(bench.path(name), Permissions::from_mode(mode)).unwrap();
    }
    symlink("run.sh", bench.path("link")).unwrap();
    let input = json!({
        "edits": [
            {"file_path": "link", "old_string": "echo", "new_string": "printf"},
            {"file_path": "old.txt", "old_string": "old", "new_string": "new"},
        ],
        "command": "stat -c '%a %F' run.sh old.txt link; od -c run.sh | head -2",
    });
    let text = bench.ok("Rehearse", input).await;
    assert!(text.contains("755 regular file\n444 regular file\n777 symbolic link\n"), "{text}");
    assert!(text.contains("\\r  \\n"), "{text}");
    let diff = bench.fences.rehearsal().unwrap().diff;
    assert!(!diff.contains("mode"), "{diff}");
    assert!(diff.contains("-old\n+new\n"), "{diff}");
}

/// What everybody may write to but belongs to somebody else cannot come to a normal user's layer. The test runs once more
/// in a child that has such a folder.
#[tokio::test]
async fn what_belongs_to_others_is_taken_or_refused_in_rehearsals() {
    let parent = rustix::process::getppid().unwrap().as_raw_nonzero().get().cast_unsigned();
    let folder = foreign(parent);
    if !folder.as_path().exists() {
        return with_a_foreign_folder();
    }
    let mut bench = planning();
    bench.inputs.folders.push(folder.clone());
    let input = |path: AbsPath| json!({"edits": [{"file_path": path, "content": "mine\n"}], "command": format!("cat {path}; stat -c %a {path}")});
    let text = bench.failure("Rehearse", input(folder.join("tmp/new"))).await;
    assert!(text.contains("belongs to another user: the overlay cannot change it"), "{text}");
    // Only root can lay out a file for it.
    let theirs = folder.join("theirs");
    if theirs.as_path().exists() {
        let text = bench.ok("Rehearse", input(theirs.clone())).await;
        assert!(text.contains("mine\n666\n"), "{text}");
        assert_eq!(fs::read(theirs).unwrap(), b"theirs\n");
    }
}

/// Where the child of a process finds what is not its own.
fn foreign(parent: u32) -> AbsPath {
    AbsPath::new(std::env::temp_dir().join(format!("forelook-foreign-{parent}"))).unwrap()
}

/// Root lays out a folder and runs the test as nobody. Everybody else finds one on every machine: `tmp` in `/var` is root's,
/// and open to all.
fn with_a_foreign_folder() {
    const TEST: &str = "rehearse::tests::edits::what_belongs_to_others_is_taken_or_refused_in_rehearsals";
    let folder = foreign(std::process::id());
    fs::create_dir_all(&folder).unwrap();
    let said = if rustix::process::geteuid().is_root() {
        fs::create_dir(folder.join("tmp")).unwrap();
        fs::write(folder.join("theirs"), "theirs\n").unwrap();
        fs::set_permissions(folder.join("theirs"), Permissions::from_mode(0o666)).unwrap();
        fs::set_permissions(folder.join("tmp"), Permissions::from_mode(0o777)).unwrap();
        chown(&folder, Some(65534), Some(65534)).unwrap();
        crate::testing::as_nobody(&["--exact", TEST])
    } else {
        // Who makes mounts is root in there; who works in them is not.
        let line = "mount --bind /var \"$1\" && exec unshare -U --map-user=1000 --map-group=1000 \"$2\" --exact \"$3\"";
        let mut child = std::process::Command::new("unshare");
        child
            .args(["-Urm", "sh", "-c", line, "sh"])
            .arg(folder.as_path())
            .arg(std::env::current_exe().unwrap())
            .arg(TEST);
        let ran = child.output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr))
    };
    assert!(said.contains("1 passed"), "{said}");
    fs::remove_dir_all(&folder).unwrap();
}

/// Raising a fence may take long in a large project; everything else goes on meanwhile, on one thread too.
#[tokio::test]
async fn others_go_on_while_the_layer_of_a_rehearsal_is_laid() {
    let mut bench = planning();
    let (send, receive) = mpsc::channel();
    let receive = Mutex::new(receive);
    let went_on = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&went_on);
    bench.inputs.search.places = Arc::new(move || {
        // It never takes as long, unless nobody else can go on.
        let heard = receive.lock().unwrap().recv_timeout(Duration::from_secs(5)).is_ok();
        seen.store(heard, Ordering::Relaxed);
        Vec::new()
    });
    let input = json!({"edits": [{"file_path": "new", "content": "x"}]});
    let other = async { send.send(()).unwrap() };
    let (outcome, ()) = tokio::join!(bench.call("Rehearse", input), other);
    assert!(!outcome.result.is_error, "{outcome:?}");
    assert!(went_on.load(Ordering::Relaxed));
}
