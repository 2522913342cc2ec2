//! Diffs as rows.

use super::*;
use ratatui_core::style::Modifier;

const DIFF: &str =
    "@@ -9,4 +9,5 @@\n same\n-let a = one;\n+let a = two;\n+let b = 3;\n tail\n@@ -40 +41 @@\n-gone\n";

#[test]
fn lines_have_their_numbers_and_signs() {
    let rows: Vec<String> = rows(DIFF, 40, Theme::DARK).iter().map(ToString::to_string).collect();
    assert_eq!(
        rows,
        [
            " 9   same",
            "10 - let a = one;",
            "10 + let a = two;",
            "11 + let b = 3;",
            "12   tail",
            "   ⋮",
            "40 - gone",
        ]
    );
}

#[test]
fn the_words_that_changed_are_marked() {
    let rows = rows(DIFF, 40, Theme::DARK);
    let marked = |row: &Line<'_>| {
        let spans = row.spans.iter().filter(|it| it.style.add_modifier.contains(Modifier::REVERSED));
        spans.map(|span| span.content.to_string()).collect::<String>()
    };
    assert_eq!([marked(&rows[1]), marked(&rows[2]), marked(&rows[3])], ["one", "two", ""]);
}

#[test]
fn long_lines_hang_under_their_beginning() {
    let rows: Vec<String> =
        rows("@@ -1 +1 @@\n+one two three four", 12, Theme::DARK).iter().map(ToString::to_string).collect();
    assert_eq!(rows, ["1 + one two", "    three", "    four"]);
}

#[test]
fn what_is_no_diff_is_shown_as_it_is() {
    let rows: Vec<String> =
        rows("[the rest is left out]\n\u{1b}[2Jx", 40, Theme::DARK).iter().map(ToString::to_string).collect();
    assert_eq!(rows, ["[the rest is left out]", "x"]);
}

#[test]
fn code_has_its_colours_where_there_are_enough_of_them() {
    let theme = Theme::DARK.on(crate::term::ColorDepth::Full);
    let rows = rows_of("a.rs", DIFF, 40, theme);
    let text = |row: &Line<'_>| row.to_string();
    assert_eq!(
        rows.iter().map(text).collect::<Vec<_>>(),
        super::rows(DIFF, 40, theme).iter().map(text).collect::<Vec<_>>()
    );
    let keyword = rows[1].spans.iter().find(|span| span.content == "let").unwrap();
    assert_eq!(
        (keyword.style.fg, keyword.style.bg),
        (theme.syntax.keyword.fg, theme.ground.unwrap().removed.bg)
    );
    let few = rows_of("a.rs", DIFF, 40, Theme::DARK);
    assert!(few[1].spans.iter().skip(2).all(|span| span.style.fg == Theme::DARK.bad.fg), "{:?}", few[1]);
}

#[test]
fn rows_know_their_lines_in_the_new_text() {
    let lines: Vec<usize> = source_rows(DIFF, 40, Theme::DARK).iter().map(|(_, line)| *line).collect();
    assert_eq!(lines, [9, 10, 10, 11, 12, 13, 41]);
}

#[test]
fn a_file_that_was_not_there_begins_at_no_line() {
    let rows: Vec<String> =
        rows("@@ -0,0 +1,2 @@\n+a\n+b\n", 40, Theme::DARK).iter().map(ToString::to_string).collect();
    assert_eq!(rows, ["1 + a", "2 + b"]);
}

#[test]
fn numbers_that_no_file_has_are_words() {
    let diff = format!("@@ -{} +1 @@\n+a\n", usize::MAX);
    assert_eq!(rows(&diff, 60, Theme::DARK)[0].to_string(), format!("@@ -{} +1 @@", usize::MAX));
}
