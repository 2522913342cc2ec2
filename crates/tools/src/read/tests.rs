//! Read, on real files.

use std::os::unix::fs::PermissionsExt;

use forelook_protocol::{Effect, Seen};
use serde_json::json;

use crate::testing::{Bench, passed_as_nobody};

#[tokio::test]
async fn files_come_with_line_numbers_whatever_their_encoding() {
    let mut bench = Bench::new();
    for (bytes, expected) in [
        (&b"a\nb\n"[..], "     1\ta\n     2\tb\n"),
        (b"a\nb", "     1\ta\n     2\tb\n"),
        (b"a\r\nb\r\n", "     1\ta\n     2\tb\n"),
        (b"a\rb", "     1\ta\n     2\tb\n"),
        (b"\xEF\xBB\xBFa\n", "     1\ta\n"),
        (b"\xFF\xFEa\0\n\0\xe9\0", "     1\ta\n     2\té\n"),
        (b"\xFE\xFF\0a\0\n\0\xe9", "     1\ta\n     2\té\n"),
        (b"caf\xe9\n", "     1\tcafé\n"),
    ] {
        let path = bench.file("file", bytes);
        let outcome = bench.call("Read", json!({"file_path": "file"})).await;
        assert_eq!(outcome.result.text(), expected, "{bytes:?}");
        assert_eq!(outcome.effects, [Effect::Saw(Seen { path, hash: crate::seen::hash(bytes) })]);
    }
    bench.file("file", "");
    assert!(bench.ok("Read", json!({"file_path": "file"})).await.contains("is empty"));
}

#[tokio::test]
async fn parts_of_a_file() {
    let mut bench = Bench::new();
    let all: String = (1..=5000).map(|n| format!("line {n}\n")).collect();
    bench.file("long", all);
    for (input, first, last) in [
        (
            json!({"file_path": "long"}),
            "     1\tline 1\n",
            "[Lines 1 to 2000 of 5000. Go on with `offset` 2001.]\n",
        ),
        (json!({"file_path": "long", "offset": 0, "limit": 1}), "     1\tline 1\n", "`offset` 2.]\n"),
        (json!({"file_path": "long", "offset": 4000}), "  4000\tline 4000\n", "  5000\tline 5000\n"),
        (
            json!({"file_path": "long", "offset": 7, "limit": 2}),
            "     7\t",
            "[Lines 7 to 8 of 5000. Go on with `offset` 9.]\n",
        ),
    ] {
        let text = bench.ok("Read", input.clone()).await;
        assert!(text.starts_with(first) && text.ends_with(last), "{input}: {text}");
    }
    let text = bench.failure("Read", json!({"file_path": "long", "offset": 5001})).await;
    assert!(text.contains("has 5000 lines"), "{text}");
}

#[tokio::test]
async fn results_are_bounded() {
    let mut bench = Bench::new();
    bench.file("wide", "é".repeat(1_000_000));
    let text = bench.ok("Read", json!({"file_path": "wide"})).await;
    assert!(text.ends_with("… [+998000 characters]\n") && text.len() < 5000);
    bench.file("big", format!("{}\n", "x".repeat(1900)).repeat(2000));
    let text = bench.ok("Read", json!({"file_path": "big"})).await;
    assert!(text.len() < 257 * 1024 && text.contains("Go on with `offset` "), "{}", text.len());
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_with_a_hint() {
    let mut bench = Bench::new();
    bench.file("binary", b"a\0b");
    std::fs::create_dir(bench.path("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe").as_path(), 0o600.into()).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    std::os::unix::fs::symlink("loop", bench.path("loop")).unwrap();
    for (path, part) in [
        ("binary", "is a binary file (3 bytes)"),
        ("folder", "is a folder\nList it with Bash"),
        ("pipe", "a named pipe"),
        ("socket", "a socket"),
        ("/dev/zero", "a device"),
        ("loop", "links"),
        ("binary/x", "goes through"),
    ] {
        let text = bench.failure("Read", json!({"file_path": path})).await;
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test]
async fn a_missing_file_names_similar_ones() {
    let mut bench = Bench::new();
    bench.file("README.md", "");
    bench.file("main.rs", "");
    for (path, part) in [
        ("readme.txt", "In its folder there is: `README.md`"),
        ("mian.rs", "`main.rs`"),
        ("no/such/file", "Nor is there its folder"),
        ("zzz", "There is no file"),
    ] {
        let text = bench.failure("Read", json!({"file_path": path})).await;
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test]
async fn bad_input_says_what_to_send() {
    let mut bench = Bench::new();
    for (input, parts) in [
        (json!({}), ["missing field `file_path`", "`Read` takes `file_path` (string)"]),
        (json!({"file_path": "a", "limit": 0}), ["`limit`", "nonzero"]),
        (json!({"file_path": "a", "offset": "two"}), ["`offset`", "string \"two\""]),
        (json!({"path": "a"}), ["unknown field `path`", "`offset` (integer, optional)"]),
        (json!([1]), ["not a JSON object", "`file_path`"]),
        (json!({"file_path": "a", "offset": "x".repeat(1_000_000)}), ["`offset`", "characters]"]),
        (json!({"file_path": "x".repeat(1_000_000)}), ["`file_path`", "characters]"]),
    ] {
        let text = bench.failure("Read", input).await;
        assert!(text.len() < 5000, "{}", text.len());
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
}

#[tokio::test]
async fn a_proc_file_that_says_it_is_empty_is_read() {
    let mut bench = Bench::new();
    assert!(bench.ok("Read", json!({"file_path": "/proc/self/status"})).await.contains("Name:"));
}

#[tokio::test]
async fn an_interrupt_is_heard() {
    let mut bench = Bench::new();
    bench.file("a", "x");
    bench.cx.cancel.cancel();
    for (tool, input) in [
        ("Read", json!({"file_path": "a"})),
        ("Write", json!({"file_path": "new", "content": "x"})),
        ("Bash", json!({"command": "touch new"})),
    ] {
        assert!(bench.failure(tool, input).await.contains("Interrupted"));
    }
    assert!(!bench.path("new").as_path().exists());
}

#[test]
fn an_unreadable_file_is_told() {
    if passed_as_nobody("read::tests::an_unreadable_file_is_told") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut bench = Bench::new();
        let path = bench.file("secret", "x");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
        let text = bench.failure("Read", json!({"file_path": "secret"})).await;
        assert!(text.starts_with("Not allowed to read"), "{text}");
    });
}
