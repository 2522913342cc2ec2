//! Write, on real files.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::testing::{Bench, passed_as_nobody};

fn mode(path: impl AsRef<std::path::Path>) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[tokio::test]
async fn a_new_file_is_as_sent_and_counts_as_seen() {
    let mut bench = Bench::new();
    let text = bench.ok("Write", json!({"file_path": "a b/c\nd/e.txt", "content": "x\r\ny"})).await;
    assert!(text.starts_with("Created") && text.ends_with("(2 lines)"), "{text}");
    assert_eq!(bench.bytes("a b/c\nd/e.txt"), b"x\r\ny");
    assert_eq!(mode(bench.path("a b")) & 0o700, 0o700);
    bench.ok("Write", json!({"file_path": "a b/c\nd/e.txt", "content": "z"})).await;
    assert_eq!(bench.bytes("a b/c\nd/e.txt"), b"z");
}

#[tokio::test]
async fn encoding_endings_and_mode_stay() {
    let mut bench = Bench::new();
    for (old, new) in [
        (&b"a\nb\n"[..], &b"a\nc\n"[..]),
        (b"a\nb", b"a\nc\n"),
        (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        (b"a\r\nb\r\nc\n", b"a\r\nc\r\n"),
        (b"a\rb\r", b"a\rc\r"),
        (b"\xEF\xBB\xBFa\n", b"\xEF\xBB\xBFa\nc\n"),
        (b"\xFF\xFEa\0\n\0", b"\xFF\xFEa\0\n\0c\0\n\0"),
        (b"\xFE\xFF\0a\0\r\0\n", b"\xFE\xFF\0a\0\r\0\n\0c\0\r\0\n"),
        (b"\xe9\n", b"a\nc\n"),
    ] {
        let path = bench.file("file", old);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        bench.read("file").await;
        bench.ok("Write", json!({"file_path": "file", "content": "a\nc\n"})).await;
        assert_eq!(bench.bytes("file"), new, "{old:?}");
        assert_eq!(mode(&path), 0o755);
    }
    bench.file("file", b"caf\xe9\n");
    bench.read("file").await;
    bench.ok("Write", json!({"file_path": "file", "content": "thé\n"})).await;
    assert_eq!(bench.bytes("file"), b"th\xe9\n");
    let text = bench.failure("Write", json!({"file_path": "file", "content": "a → b"})).await;
    assert!(text.contains("Latin-1, which has no `→`"), "{text}");
}

#[tokio::test]
async fn the_result_is_a_diff() {
    let mut bench = Bench::new();
    let path = bench.file("file", "a\r\nb\r\n");
    bench.read("file").await;
    let text = bench.ok("Write", json!({"file_path": "file", "content": "a\nc\n"})).await;
    assert_eq!(text, format!("Changed `{path}`\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"));
    let text = bench.ok("Write", json!({"file_path": "file", "content": "a\nc\n"})).await;
    assert!(text.ends_with("has this content already"), "{text}");
}

#[tokio::test]
async fn a_file_that_the_model_does_not_know_is_refused() {
    let mut bench = Bench::new();
    bench.file("file", "theirs");
    let input = json!({"file_path": "file", "content": "mine"});
    let text = bench.failure("Write", input.clone()).await;
    assert!(text.contains("was not read in this session"), "{text}");
    bench.read("file").await;
    bench.file("file", "theirs, changed");
    let text = bench.failure("Write", input.clone()).await;
    assert!(text.contains("has changed since it was read"), "{text}");
    assert_eq!(bench.bytes("file"), b"theirs, changed");
    bench.read("file").await;
    bench.ok("Write", input.clone()).await;
    // Gone since it was seen: there is nothing to lose.
    std::fs::remove_file(bench.path("file")).unwrap();
    bench.ok("Write", input).await;
}

#[tokio::test]
async fn a_link_stays_and_its_target_changes() {
    let mut bench = Bench::new();
    bench.file("target", "a");
    std::os::unix::fs::symlink("target", bench.path("link")).unwrap();
    bench.read("link").await;
    bench.ok("Write", json!({"file_path": "link", "content": "b"})).await;
    assert_eq!(bench.bytes("target"), b"b");
    assert!(bench.path("link").as_path().is_symlink());
}

#[tokio::test]
async fn what_is_no_file_is_refused() {
    let mut bench = Bench::new();
    std::fs::create_dir(bench.path("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe").as_path(), 0o600.into()).unwrap();
    bench.file("file", "");
    for (path, part) in [
        ("folder", "is a folder"),
        ("pipe", "a named pipe"),
        ("/dev/null", "a device"),
        ("file/x", "goes through"),
    ] {
        let text = bench.failure("Write", json!({"file_path": path, "content": "x"})).await;
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_read_only_place_is_told_and_nothing_is_lost() {
    if passed_as_nobody("write::tests::a_read_only_place_is_told_and_nothing_is_lost") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut bench = Bench::new();
        bench.file("kept", "old");
        bench.read("kept").await;
        let project = bench.path("");
        std::fs::set_permissions(&project, std::fs::Permissions::from_mode(0o555)).unwrap();
        for (tool, input) in [
            ("Write", json!({"file_path": "new", "content": "x"})),
            ("Write", json!({"file_path": "folder/new", "content": "x"})),
            ("Write", json!({"file_path": "kept", "content": "x"})),
            ("Edit", json!({"file_path": "kept", "old_string": "old", "new_string": "new"})),
        ] {
            let text = bench.failure(tool, input.clone()).await;
            assert!(text.contains("Not allowed") || text.contains("Could not make"), "{input}: {text}");
        }
        assert_eq!(bench.bytes("kept"), b"old");
        std::fs::set_permissions(&project, std::fs::Permissions::from_mode(0o755)).unwrap();
    });
}
