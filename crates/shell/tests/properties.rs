//! What must hold for any text: no panic, no harm hidden by composition.
#![expect(clippy::disallowed_methods, reason = "it is measured how long lines take")]

#[expect(dead_code, reason = "only the texts of lines are needed here")]
mod common;

use std::sync::LazyLock;

use forelook_shell::{Verdict, analyse};
use proptest::prelude::*;

static NASTY: LazyLock<Vec<String>> = LazyLock::new(|| composable(common::nasty()));
static BENIGN: LazyLock<Vec<String>> = LazyLock::new(|| composable(common::read_only()));

/// Lines that stand alone on one line and do not end in a comment or `&`, so that they can be put into others.
fn composable(lines: Vec<common::Line>) -> Vec<String> {
    lines.into_iter().map(|l| l.text).filter(|t| !t.contains(['\n', '#']) && !t.ends_with('&')).collect()
}

fn quoted(line: &str) -> String {
    format!("'{}'", line.replace('\'', r"'\''"))
}

/// Puts a line into another construct.
fn nest(line: &str, how: usize) -> String {
    match how {
        0 => line.to_owned(),
        1 => format!("echo $({line})"),
        2 => format!("({line})"),
        3 => format!("{{ {line}; }}"),
        4 => format!("if {line}; then :; fi"),
        5 => format!("for i in 1 2; do {line}; done"),
        6 => format!("f() {{ {line}; }}; f"),
        7 => format!("bash -c {}", quoted(line)),
        8 => format!("cat <({line})"),
        9 => format!("echo \"$({line})\""),
        10 => format!("while {line}; do break; done"),
        11 => format!("case x in x) {line};; esac"),
        12 => format!("true && {line} || false"),
        13 => format!("cat <<EOF\n$({line})\nEOF"),
        14 => format!("x=$({line}); echo \"$x\""),
        15 => format!("if false; then ls; else {line}; fi"),
        _ => format!("! {line}"),
    }
}

fn join(a: &str, b: &str, how: usize) -> String {
    let connector =
        [" ; ", " && ", " || ", " | ", " & ", "\n", " |& ", ";"].get(how).copied().unwrap_or(" ; ");
    format!("{a}{connector}{b}")
}

/// Few enough for every test run; the soak asks for more with `PROPTEST_CASES`.
fn cases() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    ProptestConfig { cases: config.cases.max(3000), ..config }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn harm_stays_visible(nasty in 0usize..10_000, benign in 0usize..10_000, first: bool, connector in 0usize..8, inner in 0usize..17, outer in 0usize..17) {
        let nasty = nest(&NASTY[nasty % NASTY.len()], inner);
        let benign = &BENIGN[benign % BENIGN.len()];
        let line = if first { join(&nasty, benign, connector) } else { join(benign, &nasty, connector) };
        let line = nest(&line, outer);
        prop_assert_ne!(analyse(&line).verdict, Verdict::ReadOnly, "{}", line);
    }

    #[test]
    fn harmless_lines_never_become_changes(a in 0usize..10_000, b in 0usize..10_000, connector in 0usize..8, outer in 0usize..17) {
        let line = nest(&join(&BENIGN[a % BENIGN.len()], &BENIGN[b % BENIGN.len()], connector), outer);
        prop_assert_ne!(analyse(&line).verdict, Verdict::Changes, "{}", line);
    }

    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        let _ = analyse(&text);
    }

    #[test]
    fn shell_like_text_is_answered(text in "[a-c $(){}\\[\\]<>|&;`'\"\\\\\n=!#*?~@%^:,./0-9-]{0,120}") {
        let _ = analyse(&text);
    }

    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = analyse(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn pathological_texts_are_quick() {
    let deep = |open: &str, close: &str, n: usize| format!("{}ls{}", open.repeat(n), close.repeat(n));
    let texts = [
        "a".repeat(5_000_000),
        deep("(", ")", 10_000),
        deep("(", ")", 7_000),
        deep("$(", ")", 5_000),
        deep("echo $(", ")", 2_000),
        deep("{ ", "; }", 3_000),
        deep("if ", "; then :; fi", 900),
        deep("\"$(", ")\"", 3_000),
        deep("${x:-", "}", 2_500),
        deep("$((", "))", 3_000),
        "((".repeat(8_000),
        "[[ ".repeat(5_000),
        "<<".repeat(8_000),
        "`".repeat(16_000),
        "'".repeat(16_001),
        "{".repeat(16_000),
        "{a,b}".repeat(3_000),
        "a|".repeat(8_000),
        "ls;".repeat(5_000),
        "$x ".repeat(5_000),
        format!("echo {}", "x".repeat(16_000)),
        "case x in ".repeat(1_600),
        "cat <<A\n".repeat(2_000),
        "\\\n".repeat(8_000),
        "x=1;".repeat(4_000),
        "x=$y y=$x;".repeat(1_600),
        format!("sed '{}' f", "s/a/b/;".repeat(2_000)),
        format!("awk '{}' f", "/a/ {print} ".repeat(1_200)),
        "f() { f; };".repeat(1_400),
    ];
    for text in texts {
        let start = std::time::Instant::now();
        let verdict = analyse(&text).verdict;
        let took = start.elapsed();
        let head: String = text.chars().take(20).collect();
        println!("{took:?} {verdict:?} {head:?} ({} bytes)", text.len());
        // The bound is 20 ms in a release build; this one is not optimised and shares the machine.
        assert!(took.as_millis() < 400, "{took:?} for {head:?}");
    }
}
