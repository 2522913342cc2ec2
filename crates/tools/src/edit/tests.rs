//! Edit, on real files and on random text.

use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::Bench;

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
        if !old.is_empty() {
            bench.read("file").await;
        } else {
            bench.ok("Read", json!({"file_path": "file"})).await;
        }
        bench.ok("Edit", json!({"file_path": "file", "old_string": wanted, "new_string": given})).await;
        assert_eq!(bench.bytes("file"), new, "{old:?}: {wanted:?} for {given:?}");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o755);
    }
}

#[tokio::test]
async fn one_edit_after_another_and_all_at_once() {
    let mut bench = Bench::new();
    let path = bench.file("file", "a\r\nb\na\n");
    bench.read("file").await;
    let text = bench.ok("Edit", json!({"file_path": "file", "old_string": "b", "new_string": "c"})).await;
    assert_eq!(text, format!("Changed `{path}`\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n a\n"));
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
    let edit =
        |file: &str, old: &str, new: &str| json!({"file_path": file, "old_string": old, "new_string": new});
    for (input, part) in [
        (edit("file", "\tone();", "x"), "2 times, so nothing was changed: lines 2, 5\nTake in more lines"),
        (edit("file", "    one();", "x"), "Line 2 differs in whitespace only"),
        (edit("file", "fn b() {\n\ttwo();", "x"), "The nearest place is line 4:\n     4\tfn b() {\n"),
        (edit("file", "     1\tfn a() {", "x"), "It begins with line numbers"),
        (edit("file", "quite something else", "x"), "is not in"),
        (edit("file", "one", "one"), "are the same"),
        (edit("file", "a\nb", "a\r\nb"), "line endings only"),
        (edit("file", "", "x"), "`old_string` is empty"),
        (edit("other", "x", "y"), "was not read"),
        (edit("none", "x", "y"), "There is no file"),
        (edit("latin", "\u{e9}", "→"), "Latin-1"),
        (edit("/dev/null", "x", "y"), "a device"),
        (edit("", "x", "y"), "is a folder"),
    ] {
        let mut input = input;
        if input["file_path"] == "" {
            input["file_path"] = json!(".");
        }
        let text = bench.failure("Edit", input.clone()).await;
        assert!(text.contains(part), "{input}: {text}");
    }
    bench.file("file", "changed by somebody");
    let text = bench.failure("Edit", edit("file", "changed", "x")).await;
    assert!(text.contains("has changed since it was read"), "{text}");
}

#[tokio::test]
async fn an_empty_old_string_makes_a_missing_file() {
    let mut bench = Bench::new();
    bench.ok("Edit", json!({"file_path": "new/file", "old_string": "", "new_string": "x\n"})).await;
    assert_eq!(bench.bytes("new/file"), b"x\n");
}

fn path() -> AbsPath {
    AbsPath::new("/file").unwrap()
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
        let input = Input {
            file_path: String::new(),
            old_string: endings::plain(&inside),
            new_string: given.clone(),
            replace_all: false,
        };
        prop_assume!(input.old_string != endings::plain(&given));
        let new = replaced(&path(), &raw, &input).unwrap();
        prop_assert!(new.starts_with(&before), "{raw:?} became {new:?}");
        prop_assert!(new.ends_with(&after), "{raw:?} became {new:?}");
        let middle = &new[before.len()..new.len() - after.len()];
        prop_assert_eq!(endings::plain(middle), endings::plain(&given));
    }
}
