//! Diffs as data.

use super::*;
use proptest::prelude::*;

const DIFF: &str =
    "@@ -9,4 +9,5 @@\n same\n-let a = one;\n+let a = two;\n+let b = 3;\n tail\n@@ -40 +41 @@\n-gone\n";

#[test]
fn lines_have_their_numbers_in_both_texts() {
    let lines = diff_lines(DIFF);
    let seen: Vec<_> = lines.iter().map(|line| (line.kind.sign(), line.old, line.new)).collect();
    let expected = [
        (None, 9, 9),
        (Some(' '), 9, 9),
        (Some('-'), 10, 10),
        (Some('+'), 11, 10),
        (Some('+'), 11, 11),
        (Some(' '), 11, 12),
        (None, 40, 41),
        (Some('-'), 40, 41),
    ];
    assert_eq!(seen, expected);
    assert_eq!(last_line(&lines), 40);
}

#[test]
fn the_words_that_changed_are_marked() {
    let lines = diff_lines(DIFF);
    let marked = |line: &DiffLine<'_>| {
        line.words.iter().map(|range| line.text[range.clone()].to_owned()).collect::<String>()
    };
    assert_eq!([marked(&lines[2]), marked(&lines[3]), marked(&lines[4])], ["one", "two", ""]);
}

#[test]
fn numbers_that_no_file_has_are_words() {
    let diff = format!("@@ -{} +1 @@\n+a\n", usize::MAX);
    assert_eq!(diff_lines(&diff)[0].kind, DiffKind::Note);
}

proptest! {
    /// If the diff shows everything, same and added lines make the new text, and same and removed lines the old one.
    #[test]
    fn a_diff_has_both_texts(old in "([a-c]{1,2} [a-c]\n){1,3}", new in "([a-c]{1,2} [a-c]\n){1,3}") {
        let diff = unified(&old, &new);
        prop_assert_eq!(diff.is_empty(), old == new);
        let lines = diff_lines(&diff);
        let side = |gone: DiffKind| -> String {
            let kept = lines.iter().filter(|line| line.kind.sign().is_some() && line.kind != gone);
            kept.map(|line| format!("{}\n", line.text)).collect()
        };
        if old != new {
            prop_assert_eq!(side(DiffKind::Added), old);
            prop_assert_eq!(side(DiffKind::Removed), new);
        }
        for line in &lines {
            prop_assert!(line.words.iter().all(|range| line.text.get(range.clone()).is_some()));
        }
    }
}

#[test]
fn a_long_text_is_told_as_old_and_new() {
    let (old, new) = ("a\nb\n".repeat(2_000), "b\na\n".repeat(2_000));
    let diff = unified(&old, &new);
    let lines = diff_lines(&diff);
    let count = |kind| lines.iter().filter(|line| line.kind == kind).count();
    assert_eq!((count(DiffKind::Removed), count(DiffKind::Added), count(DiffKind::Hunk)), (4_000, 4_000, 1));
    assert_eq!(unified(&old, &old), "");
}
