//! Read, on real files.

mod large;
mod notebooks;
mod pdfs;
mod pictures;

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use forelook_protocol::{FileVersion, SessionEffect};
use serde_json::json;

use crate::testing::{Bench, parsed, passed_as_nobody, run};

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
        (b"a\r\nb\nc\rd\n", "     1\ta\n     2\tb\n     3\tc\rd\n"),
        (b"\n\n", "     1\t\n     2\t\n"),
        (b"a\r", "     1\ta\n"),
    ] {
        let path = bench.file("file", bytes);
        let outcome = bench.call("Read", json!({"file_path": "file"})).await;
        assert_eq!(outcome.result.text(), expected, "{bytes:?}");
        assert_eq!(
            outcome.effects,
            [SessionEffect::FileSeen(FileVersion { path, hash: crate::seen::hash(bytes) })]
        );
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
            "[Lines 1 to 2000 of 5000. Continue with `offset` 2001.]\n",
        ),
        (json!({"file_path": "long", "offset": 0, "limit": 1}), "     1\tline 1\n", "`offset` 2.]\n"),
        (json!({"file_path": "long", "offset": 4000}), "  4000\tline 4000\n", "  5000\tline 5000\n"),
        (
            json!({"file_path": "long", "offset": 7, "limit": 2}),
            "     7\t",
            "[Lines 7 to 8 of 5000. Continue with `offset` 9.]\n",
        ),
    ] {
        let text = bench.ok("Read", input.clone()).await;
        assert!(text.starts_with(first) && text.ends_with(last), "{input}: {text}");
    }
    let text = bench.failure("Read", json!({"file_path": "long", "offset": 5001})).await;
    assert!(text.contains("has only 5000 lines"), "{text}");
    for input in [
        json!({"file_path": "long", "offset": u64::MAX}),
        json!({"file_path": "long", "offset": u64::MAX, "limit": u64::MAX}),
    ] {
        bench.failure("Read", input).await;
    }
    let rest = bench.ok("Read", json!({"file_path": "long", "offset": 4999, "limit": u64::MAX})).await;
    assert_eq!(rest, "  4999\tline 4999\n  5000\tline 5000\n");
}

#[tokio::test]
async fn the_same_part_read_again_comes_whole_again() {
    let mut bench = Bench::new();
    bench.file("file", "a\nb\n");
    let first = bench.call("Read", json!({"file_path": "file"})).await;
    let again = bench.call("Read", json!({"file_path": "file"})).await;
    assert_eq!((first.result.text(), first.effects), (again.result.text(), again.effects));
}

#[tokio::test]
async fn results_are_bounded() {
    let mut bench = Bench::new();
    bench.file("big", format!("{}\n", "x".repeat(1900)).repeat(2000));
    let text = bench.ok("Read", json!({"file_path": "big"})).await;
    assert!(text.len() < 257 * 1024 && text.contains("Continue with `offset` "), "{}", text.len());
}

#[tokio::test]
async fn long_lines_are_folded_with_a_way_to_read_on() {
    let mut bench = Bench::new();
    let wide = "é".repeat(1_000_000);
    for (bytes, way) in [
        (format!("a\n{wide}\nb").into_bytes(), "sed -n 2p FILE | cut -c 2001-6000"),
        (format!("a\r{wide}\rb").into_bytes(), "tr '\\r' '\\n' < FILE | sed -n 2p | cut -c 2001-6000"),
        (utf16(&format!("a\n{wide}\nb")), "iconv -f UTF-16 -t UTF-8 FILE | sed -n 2p | cut -c 2001-6000"),
    ] {
        let path = bench.file("it's\nwide", bytes);
        let text = bench.ok("Read", json!({"file_path": "it's\nwide"})).await;
        let name = format!("'{}'", path.to_string().replace('\'', r"'\''"));
        let way = way.replace("FILE", &name);
        let expected = format!(
            "     1\ta\n     2\t{}… [+998000 characters]\n     3\tb\n\n\
             [Truncated after 2000 characters: line 2. To read the rest of line 2, use Bash: `{way}`]\n",
            "é".repeat(2000)
        );
        assert_eq!(text, expected);
        // The way is one that can be gone. `cut` counts bytes here, so half the characters come.
        let more = bench.ok("Bash", json!({"command": way})).await;
        assert!(more.starts_with("éééé") && more.len() >= 2 * 1999, "{way}: {more}");
    }
}

fn utf16(text: &str) -> Vec<u8> {
    [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
}

#[tokio::test]
async fn a_file_of_one_line_of_50_mb() {
    let mut bench = Bench::new();
    bench.file("line", vec![b'x'; 50 * 1024 * 1024]);
    let text = bench.ok("Read", json!({"file_path": "line"})).await;
    assert!(text.contains("xxx… [+52426800 characters]\n") && text.len() < 3000, "{}", text.len());
}

#[tokio::test]
async fn a_nul_far_from_the_beginning_is_shown_as_unknown() {
    let mut bench = Bench::new();
    bench.file("late", format!("{}a\0b\n", "line\n".repeat(5000)));
    let text = bench.ok("Read", json!({"file_path": "late", "offset": 5001})).await;
    assert_eq!(text, "  5001\ta\u{fffd}b\n");
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_with_a_hint() {
    let mut bench = Bench::new();
    bench.file("binary", b"a\0b");
    bench.file("wide", b"w\0i\0d\0e\0");
    std::fs::create_dir(bench.path("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe").as_path(), 0o600.into()).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    std::os::unix::fs::symlink("loop", bench.path("loop")).unwrap();
    std::os::unix::fs::symlink("one", bench.path("two")).unwrap();
    std::os::unix::fs::symlink("two", bench.path("one")).unwrap();
    for (path, part) in [
        ("binary", "is a binary file (3 bytes)"),
        ("wide", "looks like UTF-16 without a byte order mark"),
        ("folder", "is a directory\nList it with Bash: `ls -la`, or find files in it with Glob"),
        ("pipe", "a named pipe"),
        ("socket", "a socket"),
        ("/dev/zero", "a device"),
        ("/dev/tty", "a device"),
        ("loop", "links"),
        ("one/file", "links"),
        ("binary/x", "is not a folder"),
        ("/proc/self/mem", "inside of a running process"),
    ] {
        let text = bench.failure("Read", json!({"file_path": path})).await;
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test]
async fn names_with_newlines_and_other_oddities_are_read() {
    let mut bench = Bench::new();
    for name in ["a\nb", " ", "-n", "*", "a'b\"c", "\u{1b}[31m"] {
        bench.file(name, "inside\n");
        assert_eq!(bench.ok("Read", json!({"file_path": name})).await, "     1\tinside\n");
    }
}

/// The file goes after the decision, before the call runs; then a pipe stands in its place.
#[tokio::test]
async fn a_file_that_vanishes_is_missed() {
    let mut bench = Bench::new();
    let path = bench.file("file", "x");
    let call = parsed("Read", &json!({"file_path": "file"}));
    bench.cx.action = call.action(&bench.cx.place).unwrap();
    std::fs::remove_file(&path).unwrap();
    let outcome = run(&call, bench.cx.clone()).await;
    assert!(outcome.result.is_error && outcome.result.text().starts_with("There is no file"));
    rustix::fs::mkfifoat(rustix::fs::CWD, path.as_path(), 0o600.into()).unwrap();
    let outcome = run(&call, bench.cx.clone()).await;
    assert!(outcome.result.text().contains("a named pipe"), "{}", outcome.result.text());
}

#[test]
fn a_file_that_grows_shrinks_and_vanishes_is_read_as_it_is() {
    let mut bench = Bench::new();
    let path = bench.file("log", "line\n");
    let stop = AtomicBool::new(false);
    let mut read = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut turn = 0;
            while !stop.load(Ordering::Relaxed) {
                let mut log = std::fs::File::options().append(true).create(true).open(&path).unwrap();
                log.write_all(&b"line\n".repeat(10_000)).unwrap();
                turn += 1;
                match turn % 20 {
                    0 => std::fs::remove_file(&path).unwrap(),
                    10 => log.set_len(3).unwrap(),
                    _ => {}
                }
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for _ in 0..100 {
                let outcome = bench.call("Read", json!({"file_path": "log", "limit": 3})).await;
                let text = outcome.result.text();
                match outcome.result.is_error {
                    true => assert!(text.starts_with("There is no file"), "{text}"),
                    false => read += 1,
                }
            }
        });
        stop.store(true, Ordering::Relaxed);
    });
    assert!(read > 0);
}

#[tokio::test]
async fn a_missing_file_names_similar_ones() {
    let mut bench = Bench::new();
    bench.file("README.md", "");
    bench.file("main.rs", "");
    for (path, part) in [
        ("readme.txt", "Its directory contains: `README.md`"),
        ("mian.rs", "`main.rs`"),
        ("no/such/file", "Its directory does not exist either"),
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
        (json!({"file_path": "a", "limit": 0}), ["`limit` is 0", "or leave it out"]),
        (json!({"file_path": "a", "limit": -3}), ["`limit` is -3", "or leave it out"]),
        (json!({"file_path": "a", "offset": -20}), ["`offset` is -20", "`tail -n 20`"]),
        (json!({"file_path": "a", "offset": i64::MIN}), ["`offset` is -9223372036854775808", "start at 1"]),
        (json!({"file_path": "a", "offset": 1e30}), ["`offset`", "floating point"]),
        (json!({"file_path": "a", "offset": 1.5}), ["`offset`", "1.5"]),
        (json!({"file_path": ""}), ["`file_path`", "absolute path"]),
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
    assert!(bench.ok("Read", json!({"file_path": "/proc/meminfo"})).await.contains("MemTotal:"));
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
        std::fs::create_dir(bench.path("closed")).unwrap();
        bench.file("closed/file", "x");
        for (path, mode) in [(path, 0o000), (bench.path("closed"), 0o000)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        for (path, part) in [
            ("secret", "Permission denied: cannot read"),
            ("closed", "is a directory"),
            ("closed/file", "cannot inspect"),
            ("closed/none/file", "cannot inspect"),
        ] {
            let text = bench.failure("Read", json!({"file_path": path})).await;
            assert!(text.contains(part), "{path}: {text}");
        }
        std::fs::set_permissions(bench.path("closed"), std::fs::Permissions::from_mode(0o700)).unwrap();
    });
}
