//! Diffs of small texts, of long ones and of random ones.

use proptest::prelude::*;

use super::*;

fn unified(old: &str, new: &str) -> String {
    between(old, new).to_string()
}

#[test]
fn diffs_read_as_usual() {
    let numbers = |skip: usize| (1..=20).filter(|n| *n != skip).map(|n| format!("{n}\n")).collect::<String>();
    for (old, new, expected) in [
        ("a\n", "a\n", String::new()),
        ("", "a\n", "@@ -0,0 +1 @@\n+a\n".into()),
        ("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n".into()),
        (&numbers(0), &numbers(10), "@@ -7,7 +7,6 @@\n 7\n 8\n 9\n-10\n 11\n 12\n 13\n".into()),
        ("é\nb\n", "è\nb\n", "@@ -1,2 +1,2 @@\n-é\n+è\n b\n".into()),
        ("a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n".into()),
        ("a\rb\r", "a\rc\r", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n".into()),
        ("a\r\nb\r\n", "a\nb\n", String::new()),
    ] {
        assert_eq!(unified(old, new), expected, "{old:?} and {new:?}");
    }
}

#[test]
fn programs_get_it_in_fields() {
    let numbers: String = (1..=20).map(|n| format!("{n}\n")).collect();
    let patch = between(&numbers, &numbers.replace("\n10\n", "\nten\nand\n"));
    assert_eq!(
        patch.value(),
        json!([{
            "oldStart": 7, "oldLines": 7, "newStart": 7, "newLines": 8,
            "lines": [" 7", " 8", " 9", "-10", "+ten", "+and", " 11", " 12", " 13"]
        }])
    );
}

#[test]
fn a_long_diff_is_cut() {
    let new = format!("{}\n", "x".repeat(10_000)).repeat(1000);
    let text = unified("", &new);
    assert!(text.len() < MAX_LINES * (MAX_LINE_CHARS + 60), "{}", text.len());
    assert!(text.ends_with("[the rest of the diff is left out]\n"));
    // Every other line of a large file is another: the beginning of that is right.
    let old: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
    let new: String = (0..200_000).map(|n| format!("line {}\n", n + n % 2)).collect();
    let text = unified(&old, &new);
    assert!(text.starts_with("@@ -1,") && text.contains("\n line 0\n-line 1\n"), "{text}");
    assert!(text.ends_with("[the rest of the diff is left out]\n") && text.lines().count() < MAX_LINES + 10);
}

#[test]
fn what_only_moved_in_a_large_file_is_not_shown_as_new() {
    let lines = |from: usize| (from..60_000).map(|n| format!("line {n}\n")).collect::<String>();
    // All of the beginning goes, and another line at the very end: too far apart to be compared whole.
    let text = unified(&lines(0), &lines(100).replace("line 59999\n", "end\n"));
    assert!(text.contains("-line 99\n line 100\n") && !text.contains("\n+"), "{text}");
}

#[test]
fn of_a_long_line_the_change_is_shown() {
    let old = format!("{}one{}", "é".repeat(100_000), "z".repeat(100_000));
    let text = unified(&old, &old.replace("one", "two"));
    assert!(text.contains("characters] …é") && text.contains("éonez") && text.contains("étwoz"), "{text}");
    assert!(text.len() < 3000, "{}", text.len());
}

proptest! {
    /// The part that is compared gives the diff that the whole would give.
    #[test]
    fn the_compared_part_is_enough(old in "[abé\n]{0,60}", new in "[abé\n]{0,60}") {
        let (start, old_part, new_part) = changed_part(&old, &new, b'\n');
        prop_assert_eq!(&old[..start], &new[..start]);
        prop_assert_eq!(&old[start + old_part.len()..], &new[start + new_part.len()..]);
        prop_assert_eq!(between(&old, &new).is_empty(), old == new);
    }

    /// Knowing where the change is, the diff is the same.
    #[test]
    fn around_a_change_it_is_the_same(
        before in "([abé]|\r?\n){0,40}",
        old in "X[ab\n]{0,5}X",
        new in "Y[ab\n]{0,5}Y",
        after in "([abé]|\r?\n){0,40}",
    ) {
        let text = format!("{before}{old}{after}");
        let part = before.len()..before.len() + old.len();
        prop_assert_eq!(around(&text, part, &new), between(&text, &format!("{before}{new}{after}")));
    }

    #[test]
    fn what_is_the_same_is_counted_right(a in "[ab]{0,9}", at in 0usize..9000, b in "[ab]{0,9}") {
        let same = "x".repeat(at);
        let (one, two) = (format!("{same}{a}"), format!("{same}{b}"));
        let expected = at + a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        prop_assert_eq!(same_start(one.as_bytes(), two.as_bytes()), expected);
        let (one, two) = (format!("{a}{same}"), format!("{b}{same}"));
        let expected = at + a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
        prop_assert_eq!(same_end(one.as_bytes(), two.as_bytes()), expected);
    }
}
