//! Files that are no plain text, or not there for long.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use crate::search::testing::project;
use crate::testing::{Bench, passed_as_nobody};

#[tokio::test]
async fn every_encoding_is_searched() {
    let mut bench = Bench::new();
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    bench.file("le", utf16("one\r\nnädel\r\n", false));
    bench.file("be", utf16("one\nnädel", true));
    bench.file("bom", "\u{feff}one\nnädel\n");
    bench.file("crlf", "one\r\nnädel\r\n");
    bench.file("latin", b"one\nn\xe4del caf\xe9\n");
    bench.file("cr", "one\rnädel\r");
    let text = bench.ok("Grep", json!({"pattern": "^n.del", "output_mode": "content"})).await;
    let of = |name: &str| format!("{name}\n2:nädel\n");
    assert_eq!(text, [of("be"), of("bom"), of("crlf"), of("le")].join("\n"));
    let text = bench.ok("Grep", json!({"pattern": "del caf", "output_mode": "content"})).await;
    assert_eq!(text, "latin\n2:n\u{fffd}del caf\u{fffd}\n");
}

#[tokio::test]
async fn binary_files_are_told_not_shown() {
    let mut bench = Bench::new();
    bench.file("early", b"\0needle\n");
    bench.file("late", ["needle\n".repeat(20_000).as_bytes(), b"\0", &[b'x'; 100_000]].concat());
    bench.file("text", "needle\n");
    let text = bench.ok("Grep", json!({"pattern": "needle", "output_mode": "content"})).await;
    assert_eq!(text, "text\n1:needle\n\n[1 binary file matches too and is not shown: `late`]\n");
    let text = bench.ok("Grep", json!({"pattern": "needle", "output_mode": "count"})).await;
    assert_eq!(text, "text:1\n\n[1 binary file matches too and is not shown: `late`]\n");
    // A file that was named is looked at all the same.
    let text =
        bench.ok("Grep", json!({"pattern": "needle", "path": "early", "output_mode": "content"})).await;
    assert!(text.contains("binary file matches") && text.contains("`early`"), "{text}");
    assert_eq!(bench.ok("Grep", json!({"pattern": "needle", "path": "early"})).await, "early\n");
}

#[tokio::test]
async fn one_huge_line() {
    let mut bench = Bench::new();
    let mut line = vec![b'x'; 50_000_000];
    line[30_000_000..30_000_006].copy_from_slice(b"needle");
    bench.file("huge", line);
    let text = bench.ok("Grep", json!({"pattern": "needle", "output_mode": "content"})).await;
    assert!(text.starts_with("huge\n1:[+29,999,900 bytes] …xx"), "{text}");
    assert!(text.contains("xneedlex") && text.ends_with("x… [+19,999,600 bytes]\n"), "{text}");
    // The end of a line may be part of this match, so the whole file is in memory.
    bench.file("huge", "x".repeat(5_000_000) + "needle\n");
    let input = json!({"pattern": r"needle\s", "output_mode": "content", "multiline": true});
    let text = bench.ok("Grep", input).await;
    assert!(text.starts_with("huge\n1:[+4,999,506 bytes] …xx") && text.ends_with("xneedle\n"), "{text}");
}

#[tokio::test]
async fn what_does_not_fit_in_memory_is_told() {
    let mut bench = Bench::new();
    // Without an end of a line, and without a single block on the disk.
    let file = File::create(bench.path("endless")).unwrap();
    file.set_len(1 << 40).unwrap();
    bench.file("small", "a\nneedle\n");
    let input = json!({"pattern": r"needle\s", "multiline": true, "path": "endless"});
    let text = bench.ok("Grep", input).await;
    assert!(text.contains("[1 file was not fully searched") && text.contains("`endless`"), "{text}");
    // In a folder it is known to be binary from its beginning.
    assert_eq!(bench.ok("Grep", json!({"pattern": "needle"})).await, "small\n");
}

#[tokio::test]
async fn an_interrupt_ends_the_search() {
    let mut bench = Bench::new();
    let file = File::create(bench.path("endless")).unwrap();
    file.set_len(1 << 43).unwrap();
    let cancel = bench.cx.cancel.clone();
    let interrupt = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let input = json!({"pattern": "needle", "path": "endless"});
    let (text, ()) = tokio::join!(bench.failure("Grep", input), interrupt);
    assert!(text.contains("Interrupted"), "{text}");
    // The end of this test waits for the thread: if it read on, it would be for hours.
}

#[tokio::test]
async fn what_is_no_file_is_passed_over() {
    let mut bench = Bench::new();
    bench.file("plain", "needle\n");
    bench.file("two\nlines", "needle\n");
    fs::write(bench.cx.place.folder.as_path().join(OsStr::from_bytes(b"caf\xe9")), "needle").unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe").as_path(), 0o600.into()).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    symlink("loop", bench.path("loop")).unwrap();
    symlink(".", bench.path("here")).unwrap();
    let text = bench.ok("Grep", json!({"pattern": "needle", "output_mode": "count"})).await;
    assert_eq!(
        text,
        "\"caf\\351\":1\nplain:1\n\"two\\nlines\":1\n\n[3 matching lines in 3 files]\n".to_owned()
    );
    for (path, part) in
        [("pipe", "a named pipe"), ("socket", "a socket"), ("/dev/zero", "a device"), ("loop", "links")]
    {
        let text = bench.failure("Grep", json!({"pattern": "needle", "path": path})).await;
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test]
async fn proc_is_searched_without_hanging() {
    let mut bench = Bench::new();
    let text = bench.ok("Grep", json!({"pattern": "^MemTotal:", "path": "/proc/meminfo", "-A": 0})).await;
    assert!(text.contains("1:MemTotal:"), "{text}");
    let text = bench.ok("Grep", json!({"pattern": "^Linux$", "path": "/proc/sys/kernel"})).await;
    assert!(text.contains("/ostype"), "{text}");
    for path in ["/proc/self/status", "/proc/self/task", "/proc/1"] {
        let text = bench.failure("Grep", json!({"pattern": "^Name:", "path": path})).await;
        assert!(text.contains("inside of a running process"), "{text}");
    }
}

#[test]
fn what_may_not_be_opened_is_told() {
    if passed_as_nobody("grep::tests::strange::what_may_not_be_opened_is_told") {
        return;
    }
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let mut bench = project();
        let shut = |name: &str| fs::set_permissions(bench.path(name), Permissions::from_mode(0o000)).unwrap();
        shut("src/deep");
        shut("docs");
        shut(".github/ci.yml");
        let text = bench.ok("Grep", json!({"pattern": "needle", "glob": "!.env"})).await;
        assert_eq!(text, "src/main.rs\n\n[2 folders could not be read]\n\n[1 file could not be read]\n");
        let text = bench.failure("Grep", json!({"pattern": "needle", "path": ".github/ci.yml"})).await;
        assert!(text.contains("Permission denied: cannot read"), "{text}");
        for name in ["docs", "src/deep"] {
            fs::set_permissions(bench.path(name), Permissions::from_mode(0o755)).unwrap();
        }
    });
}

/// Files come and go while they are searched: nothing fails, and what stays is found.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_vanish_are_no_failure() {
    let mut bench = Bench::new();
    bench.file("stays", "needle");
    let folder = bench.cx.place.folder.clone();
    let done = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let ended = done.clone();
    let churn = std::thread::spawn(move || {
        while !ended.load(std::sync::atomic::Ordering::Relaxed) {
            for at in 0..50 {
                let sub = folder.join(format!("d{at}"));
                fs::create_dir_all(&sub).unwrap();
                fs::write(sub.join("x"), "needle").unwrap();
            }
            for at in 0..50 {
                fs::remove_dir_all(folder.join(format!("d{at}"))).unwrap();
            }
        }
    });
    for _ in 0..100 {
        let text = bench.ok("Grep", json!({"pattern": "needle"})).await;
        assert!(text.lines().any(|line| line == "stays"), "{text}");
        assert!(!text.contains("could not be read"), "{text}");
    }
    done.store(true, std::sync::atomic::Ordering::Relaxed);
    churn.join().unwrap();
}
