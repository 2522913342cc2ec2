//! Edit, on real files and on random text.

use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::testing::Bench;

fn input(file: &str, old: &str, new: &str) -> Value {
    json!({"file_path": file, "old_string": old, "new_string": new})
}

#[tokio::test]
async fn edits_keep_all_other_bytes() {
    let mut bench = Bench::new();
    for (old, wanted, given, new) in [
        (&b"a\nb\nc\n"[..], "b", "x", &b"a\nx\nc\n"[..]),
        (b"a\nb", "b", "b\nc\n", b"a\nb\nc\n"),
        (b"a\r\nb\r\nc\r\n", "a\nb", "a\nx\ny", b"a\r\nx\r\ny\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "z", b"z\r\n"),
        (b"a\r\nb\nc\r\nd\n", "b\nc\nd", "b\nx\nc\nd", b"a\r\nb\nx\r\nc\r\nd\n"),
        (b"one\rtwo\r", "two", "2\n3", b"one\r2\r3\r"),
        (b"\xEF\xBB\xBFa\nb\n", "a", "x", b"\xEF\xBB\xBFx\nb\n"),
        (b"\xFF\xFEa\0\r\0\n\0b\0", "a", "a\nc", b"\xFF\xFEa\0\r\0\n\0c\0\r\0\n\0b\0"),
        (b"\xFE\xFF\0a\0b", "b", "\u{e9}", b"\xFE\xFF\0a\0\xe9"),
        (b"caf\xe9 \xff\n", "caf\u{e9}", "th\u{e9}", b"th\xe9 \xff\n"),
        (b"", "", "new\n", b"new\n"),
        (b"a\nb\n", "a\n", "", b"b\n"),
    ] {
        let path = bench.file("file", old);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        bench.read("file").await;
        bench.ok("Edit", input("file", wanted, given)).await;
        assert_eq!(bench.bytes("file"), new, "{old:?}: {wanted:?} for {given:?}");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o755);
    }
}

#[tokio::test]
async fn one_edit_after_another_and_all_at_once() {
    let mut bench = Bench::new();
    let path = bench.file("file", "a\r\nb\na\n");
    bench.read("file").await;
    let outcome = bench.call("Edit", input("file", "b", "c")).await;
    assert_eq!(outcome.result.text(), format!("Changed `{path}`\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n a\n"));
    let hunk = json!({
        "oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 3, "lines": [" a", "-b", "+c", " a"]
    });
    let output = json!({"type": "update", "filePath": path, "structuredPatch": [hunk]});
    assert_eq!(outcome.output, Some(output));
    let all = json!({"file_path": "file", "old_string": "a\n", "new_string": "x\ny\n", "replace_all": true});
    bench.ok("Edit", all).await;
    assert_eq!(bench.bytes("file"), b"x\r\ny\r\nc\nx\ny\n");
}

#[tokio::test]
async fn failures_say_what_to_do() {
    let mut bench = Bench::new();
    bench.file("file", "fn a() {\n\tone();\n}\nfn b() {\n\tone();\n}\n");
    bench.file("other", "x");
    bench.file("latin", b"\xe9");
    bench.file("binary", b"\0");
    bench.read("file").await;
    bench.read("latin").await;
    for (input, part) in [
        (input("file", "\tone();", "x"), "2 times, so nothing was changed: lines 2, 5\n"),
        (input("file", "    one();", "x"), "Line 2 differs only in whitespace"),
        (input("file", "fn b() {\n\ttwo();", "x"), "The closest match is at line 4:\n     4\tfn b() {\n"),
        (input("file", "     1\tfn a() {", "x"), "It starts with line numbers"),
        (input("file", "     4\tfn b() {\n     5\t\tone();\n", "x"), "without them, it is on line 4\n"),
        (input("file", "4→fn b() {\n5→\tone();", "x"), "without them, it is on line 4\n"),
        (input("file", "quite something else", "x"), "is not in"),
        (input("file", "one", "one"), "are identical"),
        (input("file", "a\nb", "a\r\nb"), "only in line endings"),
        (input("file", "", "x"), "`old_string` is empty"),
        (input("other", "x", "y"), "was not read"),
        (input("none", "x", "y"), "There is no file"),
        (input("latin", "\u{e9}", "→"), "Latin-1"),
        (input("binary", "x", "y"), "is a binary file"),
        (input("/dev/null", "x", "y"), "a device"),
        (input(".", "x", "y"), "is a directory"),
    ] {
        let text = bench.failure("Edit", input.clone()).await;
        assert!(text.contains(part), "{input}: {text}");
    }
    bench.file("file", "changed by somebody");
    let text = bench.failure("Edit", input("file", "changed", "x")).await;
    assert!(text.contains("has changed since it was read"), "{text}");
    assert_eq!(bench.bytes("file"), b"changed by somebody");
}

#[tokio::test]
async fn what_is_no_file_is_not_waited_for() {
    let mut bench = Bench::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe").as_path(), 0o600.into()).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    std::os::unix::fs::symlink("loop", bench.path("loop")).unwrap();
    for (file, part) in
        [("pipe", "a named pipe"), ("socket", "a socket"), ("loop", "links"), ("/dev/zero", "a device")]
    {
        let text = bench.failure("Edit", input(file, "x", "y")).await;
        assert!(text.contains(part), "{text}");
    }
    // Its bytes come, but it is none of ours to change.
    let text = bench.failure("Edit", input("/proc/meminfo", "MemTotal", "x")).await;
    assert!(text.contains("was not read"), "{text}");
    let text = bench.failure("Edit", input("/proc/self/status", "Name", "x")).await;
    assert!(text.contains("inside of a running process"), "{text}");
}

#[tokio::test]
async fn several_places_are_shown() {
    let mut bench = Bench::new();
    let path = bench.file("file", "first\nx = 1\nlast\nx = 1");
    bench.read("file").await;
    let text = bench.failure("Edit", input("file", "x = 1", "x = 2")).await;
    assert_eq!(
        text,
        format!(
            "`old_string` occurs in `{path}` 2 times, so nothing was changed: lines 2, 4\n     1\tfirst\n     2\tx = 1\n     \
             3\tlast\n\n     3\tlast\n     4\tx = 1\n\nInclude more lines around the one you mean, or set \
             `replace_all` to change all of them"
        )
    );
    bench.file("file", "x\n".repeat(100_000));
    bench.read("file").await;
    let text = bench.failure("Edit", input("file", "x", "y")).await;
    assert!(text.contains("100000 times") && text.contains(" 19, 20, …\n     1\tx\n     2\tx\n\n"), "{text}");
    assert!(text.len() < 1000, "{text}");
}

#[tokio::test]
async fn what_cannot_be_seen_is_no_matter() {
    let mut bench = Bench::new();
    for (old, wanted, given, new, differs) in [
        ("say “hi” – now\n", "\"hi\" - now", "\"hi\" - later", "say “hi” – later\n", "style of quotes"),
        ("it’s\u{a0}so", "it's so", "it's not so", "it’s\u{a0}not so", "style of quotes"),
        ("say \"hi\"\n", "say “hi”", "say “ho”", "say \"ho\"\n", "style of quotes"),
        (
            "one  \ntwo\t\nthree\n",
            "one\ntwo\nthree",
            "one\n2\nthree",
            "one  \n2\t\nthree\n",
            "trailing whitespace",
        ),
        (
            "one\r\ntwo \r\nthree\r\n",
            "one\ntwo\nthree",
            "one\ntwo\n3\n4",
            "one\r\ntwo \r\n3\r\n4\r\n",
            "trailing whitespace",
        ),
        ("one\ntwo\n", "one  \ntwo", "one  \n2", "one\n2\n", "trailing whitespace"),
        ("‘one’ \ntwo\n", "'one'\ntwo", "'1'\ntwo", "‘1’ \ntwo\n", "spaces and in trailing"),
        ("end\n", "end  ", "fin", "fin\n", "trailing whitespace"),
    ] {
        bench.file("file", old);
        bench.read("file").await;
        let text = bench.ok("Edit", input("file", wanted, given)).await;
        assert_eq!(String::from_utf8_lossy(&bench.bytes("file")), new, "{old:?}: {wanted:?} for {given:?}");
        let note = text.lines().nth(1).unwrap();
        assert!(
            note.starts_with("`old_string` differed from the file in ") && note.contains(differs),
            "{text}"
        );
    }
}

#[tokio::test]
async fn what_is_not_sure_is_not_taken() {
    let mut bench = Bench::new();
    for (old, wanted, part) in [
        ("“a”\n'b'\n“a”\n", "\"a\"", "2 times, so nothing was changed: lines 1, 3\n     1\t“a”\n"),
        ("functional", "function ", "is not in"),
        ("a\n\n\nb", "  \n", "is not in"),
        ("    indented", "\tindented", "differs only in whitespace"),
    ] {
        bench.file("file", old);
        bench.read("file").await;
        for replace_all in [false, true] {
            let mut input = input("file", wanted, "x");
            input["replace_all"] = json!(replace_all);
            let text = bench.failure("Edit", input).await;
            assert!(text.contains(part), "{old:?}, {wanted:?}: {text}");
        }
        assert_eq!(bench.bytes("file"), old.as_bytes());
    }
    // Exact ones go before those that only look so.
    bench.file("file", "“a” \"a\"\n");
    bench.read("file").await;
    bench.ok("Edit", input("file", "\"a\"", "b")).await;
    assert_eq!(bench.bytes("file"), "“a” b\n".as_bytes());
    bench.file("file", "a\nb\n");
    bench.read("file").await;
    let text = bench.failure("Edit", input("file", "a \nb", "a\nb")).await;
    assert!(text.contains("nothing would change"), "{text}");
}

#[tokio::test]
async fn a_file_of_one_huge_line() {
    let mut bench = Bench::new();
    let line = format!("{}NEEDLE{}", "x = 1; ".repeat(3_600_000), "y = 2; ".repeat(3_600_000));
    bench.file("file", &line);
    bench.saw("file", &line);
    let text = bench.ok("Edit", input("file", "NEEDLE", "found")).await;
    assert!(text.contains("x = 1; NEEDLEy = 2;") && text.contains("x = 1; foundy = 2;"), "{text}");
    assert!(text.len() < 3000);
    assert!(bench.bytes("file") == line.replace("NEEDLE", "found").as_bytes());
    let text = bench.failure("Edit", input("file", "x = 1", "x")).await;
    assert!(text.contains("3600000 times") && text.len() < 3000, "{text}");
    let all = json!({"file_path": "file", "old_string": "1", "new_string": "one", "replace_all": true});
    let text = bench.ok("Edit", all).await;
    assert!(text.len() < 3000, "{text}");
    assert!(bench.bytes("file") == line.replace("NEEDLE", "found").replace('1', "one").as_bytes());
}

#[tokio::test]
async fn a_large_file_is_refused_without_a_trace() {
    let mut bench = Bench::new();
    let text = format!("here\n{}", "line\n".repeat(400_000));
    bench.file("file", &text);
    let said = bench.failure("Edit", input("file", "here", "there")).await;
    assert!(said.contains("was not read"), "{said}");
    assert!(bench.bytes("file") == text.as_bytes());
    assert_eq!(std::fs::read_dir(bench.path("")).unwrap().count(), 1);
    bench.read("file").await;
    bench.ok("Edit", input("file", "here", "there")).await;
    bench.ok("Edit", input("file", "there", "here")).await;
    assert!(bench.bytes("file") == text.as_bytes());
    assert_eq!(std::fs::read_dir(bench.path("")).unwrap().count(), 1);
}

#[tokio::test]
async fn an_empty_old_string_makes_a_missing_file() {
    let mut bench = Bench::new();
    bench.ok("Edit", input("new/file", "", "x\n")).await;
    assert_eq!(bench.bytes("new/file"), b"x\n");
    // It counts as seen.
    bench.ok("Edit", input("new/file", "x", "y")).await;
    let text = bench.failure("Edit", input("new/file", "", "z\n")).await;
    assert!(text.contains("is empty, but"), "{text}");
}

fn path() -> AbsPath {
    AbsPath::new("/file").unwrap()
}

fn asked(old: &str, new: &str) -> Input {
    Input { file_path: String::new(), old_string: old.into(), new_string: new.into(), replace_all: false }
}

proptest! {
    /// The bytes before and after the match are the same ones, whatever endings they have.
    #[test]
    fn all_bytes_outside_the_match_stay(
        before in "([ab]|\r\n|\n|é){0,12}",
        inside in "X([ab]|\r\n|\n|é){0,6}",
        after in "([ab]|\r\n|\n|é){0,12}",
        given in "([ab]|\r\n|\n|é){0,6}",
    ) {
        let raw = format!("{before}{inside}{after}");
        // A `\r` before and a `\n` after would be one ending; the match must not cut it.
        prop_assume!(!(inside.ends_with('\r') && after.starts_with('\n')));
        let input = asked(&endings::normalize(&inside), &given);
        prop_assume!(input.old_string != endings::normalize(&given));
        let TextReplacement { part, new, .. } = replaced(&path(), &raw, &input).unwrap_or_else(|_| panic!("{raw:?}"));
        let new = [&raw[..part.start], &new, &raw[part.end..]].concat();
        prop_assert!(new.starts_with(&before), "{raw:?} became {new:?}");
        prop_assert!(new.ends_with(&after), "{raw:?} became {new:?}");
        let middle = &new[before.len()..new.len() - after.len()];
        prop_assert_eq!(endings::normalize(middle), endings::normalize(&given));
    }

    /// An edit and the edit back make the same bytes, in every encoding and with all line endings.
    #[test]
    fn there_and_back_again(
        before in "([ab ]|\n|é){0,12}",
        old in "X([ab]|\n|é){0,6}",
        new in "Y([ab]|\n|é){0,6}",
        after in "([ab ]|\n|é){0,12}",
        encoding in 0usize..5,
        ending in 0usize..3,
    ) {
        let text = format!("{before}{old}{after}").replace('\n', ["\n", "\r\n", "\r"][ending]);
        // Without any ending there is nothing that says which one comes with new lines.
        prop_assume!(!new.contains('\n') || before.contains('\n') || after.contains('\n'));
        prop_assume!(old.contains('\n') == new.contains('\n') || before.contains('\n') || after.contains('\n'));
        // Without a character beyond ASCII, nothing says that it is Latin-1.
        prop_assume!(encoding < 4 || before.contains('é') || after.contains('é'));
        let encoding =
            [Encoding::Utf8, Encoding::Utf8Bom, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Latin1][encoding];
        let bytes = forelook_disk::text_file::encode(encoding, &text).unwrap();
        let edit = |bytes: &[u8], old: &str, new: &str| {
            let (encoding, raw) = text_of(bytes).unwrap();
            let edited = edited(&path(), bytes, (encoding, &raw), &asked(old, new));
            let edited = edited.unwrap_or_else(|failed| panic!("{}", failed.text));
            edited.pieces(bytes).concat()
        };
        let there = edit(&bytes, &old, &new);
        prop_assert!(there != bytes);
        prop_assert_eq!(edit(&there, &new, &old), bytes);
    }
}
