//! What people write at the head of their files.

use proptest::prelude::*;

use super::*;

fn one(lines: &str) -> Result<Value, ParseError> {
    let mut matter = parse(&format!("---\n{lines}\n---\nbody"))?;
    assert_eq!(matter.fields.len(), 1, "{matter:?}");
    Ok(matter.fields.remove(0).value)
}

fn text(value: &str) -> Result<Value, ParseError> {
    Ok(Value::Text(value.to_owned()))
}

fn list(items: &[&str]) -> Result<Value, ParseError> {
    Ok(Value::List(items.iter().map(|item| (*item).to_owned()).collect()))
}

#[test]
fn values() {
    for (lines, expected) in [
        ("k: plain words: with a colon", text("plain words: with a colon")),
        ("k: words # and a comment", text("words")),
        ("k: issue#3", text("issue#3")),
        ("k:   spaced   ", text("spaced")),
        ("k: it goes\n  on\n\n  and on", text("it goes on\nand on")),
        ("k: \"a \\\"b\\\"\\n\\u00e9\" # c", text("a \"b\"\né")),
        ("k: \"a\tb\"", text("a\tb")),
        ("k: 'it''s: #1'", text("it's: #1")),
        ("k: ''", text("")),
        ("k: |\n  a\n    b\n\n  # c\n", text("a\n  b\n\n# c")),
        ("k: |- # why\n  a", text("a")),
        ("k: >\n  a\n  b\n\n  c", text("a b\nc")),
        ("k: >-\n  a", text("a")),
        ("k: |", text("")),
        ("k: [a, 'b, c', \"d]\" ,e]", list(&["a", "b, c", "d]", "e"])),
        ("k: []", list(&[])),
        ("k:\n  - a\n  # why\n  - 'b # c'\n\n  - c # d", list(&["a", "b # c", "c"])),
        ("k:\n- a\n# why\n- b", list(&["a", "b"])),
        ("k:", Ok(Value::Empty)),
        ("k: # nothing", Ok(Value::Empty)),
        ("k:\n  a: b\n  c:\n    - d", Ok(Value::Other)),
        ("k: {a: b}", Ok(Value::Other)),
        ("k: *", text("*")),
    ] {
        assert_eq!(one(lines), expected, "{lines}");
    }
}

#[test]
fn mistakes_name_their_line() {
    for (file, line, part) in [
        ("", 1, "first line"),
        ("name: a", 1, "first line"),
        ("---\nname: a\n", 1, "a second"),
        ("---\nname a\n---\n", 2, "expected `key: value`"),
        ("---\na: 1\nname:a\n---\n", 3, "expected"),
        ("---\n  a: 1\n---\n", 2, "expected"),
        ("---\na: 1\n# c\nb: 2\na: 3\n---\n", 5, "set twice"),
        ("---\na: 'x\n---\n", 2, "not closed"),
        ("---\na: \"x\\q\"\n---\n", 2, "escape"),
        ("---\na: 'x' y\n---\n", 2, "after the closing quote"),
        ("---\na: 'x'\n  y\n---\n", 3, "does not belong to a field"),
        ("---\na: [x,\n  y]\n---\n", 2, "not closed"),
        ("---\na: |\n    x\n  y\n---\n", 4, "indent"),
        ("---\na: |\n\tx\n---\n", 3, "indent with spaces"),
        ("---\na: |x\n---\n", 2, "only `|`"),
        ("---\na:\n  - 'x\n---\n", 3, "not closed"),
    ] {
        let mistake = parse(file).unwrap_err();
        assert_eq!(mistake.line, line, "{file}: {mistake:?}");
        assert!(mistake.what.contains(part), "{file}: {mistake:?}");
    }
}

#[test]
fn the_rest_is_the_body() {
    let matter = parse("\u{feff}---\r\nname: a\r\n\r\n--- \r\n\r\n# Hello\r\n---\r\n").unwrap();
    assert_eq!(matter.fields, [Field { key: "name".into(), value: Value::Text("a".into()), line: 2 }]);
    assert_eq!((matter.body.as_str(), matter.body_line), ("\n# Hello\n---", 5));
    assert_eq!(parse("---\n---").unwrap().body, "");
}

proptest! {
    #[test]
    fn any_text_in_quotes_comes_back(value in "[^\r\n\\p{Cc}]{0,40}") {
        let double = format!("k: {}", serde_json::to_string(&value).unwrap());
        prop_assert_eq!(one(&double), text(&value));
        let single = format!("k: '{}'", value.replace('\'', "''"));
        prop_assert_eq!(one(&single), text(&value));
        let items = format!("k: [{0}, {0}]", serde_json::to_string(&value).unwrap());
        prop_assert_eq!(one(&items), list(&[&value, &value]));
    }

    #[test]
    fn a_block_keeps_its_lines(lines in proptest::collection::vec("[ -~]{0,20}", 1..6)) {
        let kept: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        let block: String = kept.iter().map(|line| format!("\n  {line}")).collect();
        prop_assert_eq!(one(&format!("k: |{block}")), text(kept.join("\n").trim_end()));
    }

    #[test]
    fn nothing_makes_it_panic(file in "(---\n)?([a-c]:|[ \t\\-'\"\\[\\]|>#\\\\:,{&]|é|x|\n){0,60}(---\n)?") {
        let lines = file.lines().count().max(1);
        if let Err(mistake) = parse(&file) {
            prop_assert!((1..=lines).contains(&mistake.line), "{:?}", mistake);
        }
    }
}
