//! Write, on real files.

use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use serde_json::json;

use super::*;
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
    assert!(text.ends_with("already has this content"), "{text}");
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
        ("folder", "is a directory"),
        ("pipe", "a named pipe"),
        ("/dev/null", "a device"),
        ("file/x", "is not a folder"),
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
            assert!(text.contains("Permission denied") || text.contains("Cannot create"), "{input}: {text}");
        }
        assert_eq!(bench.bytes("kept"), b"old");
        std::fs::set_permissions(&project, std::fs::Permissions::from_mode(0o755)).unwrap();
    });
}

/// Runs this test once more in a child that `script` prepares; true in that child.
fn inside(test: &str, script: &str) -> bool {
    if std::env::var_os("FORELOOK_TEST_INSIDE").is_some() {
        return true;
    }
    let home = tempfile::tempdir().unwrap();
    let unshare = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
    let ran = std::process::Command::new("unshare")
        .args([unshare, "sh", "-c", &format!("{script} && exec \"$@\""), "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env("FORELOOK_TEST_INSIDE", "1")
        .env("TMPDIR", home.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}{errors}");
    false
}

/// Whatever is too large for the place: the old file is whole, and nothing else is left behind.
async fn nothing_is_lost(part: &str) {
    let mut bench = Bench::new();
    let notebook =
        r#"{"nbformat": 4, "nbformat_minor": 5, "cells": [{"id": "a", "cell_type": "raw", "source": []}]}"#;
    bench.file("kept", "old\n");
    bench.file("kept.ipynb", notebook);
    bench.read("kept").await;
    bench.saw("kept.ipynb", notebook);
    let large = "large\n".repeat(200_000);
    for (tool, input) in [
        ("Write", json!({"file_path": "kept", "content": large})),
        ("Write", json!({"file_path": "new", "content": large})),
        ("Edit", json!({"file_path": "kept", "old_string": "old", "new_string": large})),
        ("NotebookEdit", json!({"notebook_path": "kept.ipynb", "cell_id": "a", "new_source": large})),
    ] {
        let text = bench.failure(tool, input).await;
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(bench.bytes("kept"), b"old\n");
    assert_eq!(bench.bytes("kept.ipynb"), notebook.as_bytes());
    assert_eq!(std::fs::read_dir(bench.path("")).unwrap().count(), 2);
    // With room again, the same file can be changed: it was not taken for seen in another state.
    bench.ok("Edit", json!({"file_path": "kept", "old_string": "old", "new_string": "new"})).await;
}

#[test]
fn on_a_full_disk_nothing_is_lost() {
    let test = "write::tests::on_a_full_disk_nothing_is_lost";
    if inside(test, "mount -t tmpfs -o size=256k tmpfs \"$TMPDIR\"") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(nothing_is_lost("The disk is full"));
    }
}

#[test]
fn above_the_largest_size_of_a_file_nothing_is_lost() {
    let test = "write::tests::above_the_largest_size_of_a_file_nothing_is_lost";
    if inside(test, "trap '' XFSZ && ulimit -f 64") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(nothing_is_lost("Cannot write"));
    }
}

#[tokio::test]
async fn a_binary_file_is_not_overwritten_and_it_is_said_why() {
    let mut bench = Bench::new();
    bench.file("binary", b"\x7fELF\0\0\x01");
    let text = bench.failure("Write", json!({"file_path": "binary", "content": "x"})).await;
    assert!(text.contains("is a binary file") && text.contains("To remove it, use Bash first"), "{text}");
    assert_eq!(bench.bytes("binary"), b"\x7fELF\0\0\x01");
}

#[tokio::test]
async fn the_mark_of_an_encoding_is_not_doubled() {
    let mut bench = Bench::new();
    for (old, new) in [
        (&b"\xEF\xBB\xBFa"[..], &b"\xEF\xBB\xBFb"[..]),
        (b"\xFF\xFEa\0", b"\xFF\xFEb\0"),
        (b"a", b"\xEF\xBB\xBFb"),
    ] {
        bench.file("file", old);
        bench.read("file").await;
        bench.ok("Write", json!({"file_path": "file", "content": "\u{feff}b"})).await;
        assert_eq!(bench.bytes("file"), new, "{old:?}");
    }
}

#[tokio::test]
async fn programs_get_what_changed_in_fields() {
    let mut bench = Bench::new();
    let path = bench.path("file");
    let outcome = bench.call("Write", json!({"file_path": "file", "content": "a\n"})).await;
    assert_eq!(outcome.output, Some(json!({"type": "create", "filePath": path, "structuredPatch": []})));
    let outcome = bench.call("Write", json!({"file_path": "file", "content": "b\n"})).await;
    let hunk = json!({"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]});
    assert_eq!(outcome.output, Some(json!({"type": "update", "filePath": path, "structuredPatch": [hunk]})));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What was written over and written back is the same to the byte, in every encoding and with all line endings.
    #[test]
    fn there_and_back_again(old in "([abé]|\n){1,20}\n", new in "([abé]|\n){1,20}\n", encoding in 0usize..5, ending in 0usize..3) {
        let encoding =
            [Encoding::Utf8, Encoding::Utf8Bom, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Latin1][encoding];
        let raw = old.replace('\n', ["\n", "\r\n", "\r"][ending]);
        let bytes = encode(encoding, &raw).unwrap();
        let path = AbsPath::new("/file").unwrap();
        let write = |bytes: &[u8], content: &str| {
            let (encoding, text) = text_of(bytes).unwrap();
            written(&path, encoding, &text, content).unwrap_or_else(|failed| panic!("{}", failed.text)).0
        };
        // Latin-1 without any character that tells it from ASCII is UTF-8 from then on; that is the same bytes here.
        prop_assume!(encoding != Encoding::Latin1 || (old.contains('é') && new.contains('é')));
        prop_assert_eq!(write(&write(&bytes, &new), &old), bytes);
    }
}
