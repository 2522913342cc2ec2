//! The labels of the corpus: nothing nasty passes, nearly everything harmless does, and a second parser agrees.

#[expect(dead_code, reason = "only the texts of lines are needed here")]
mod common;

use forelook_shell::{Verdict, analyse};

#[test]
fn nothing_nasty_is_read_only() {
    let lines = common::nasty();
    assert!(lines.len() >= 300, "only {} nasty lines", lines.len());
    let leaks: Vec<String> = lines
        .iter()
        .filter(|l| analyse(&l.text).verdict == Verdict::ReadOnly)
        .map(|l| l.text.clone())
        .collect();
    assert!(leaks.is_empty(), "judged read-only:\n{}", leaks.join("\n"));
}

#[test]
fn harmless_lines_are_read_only() {
    let lines = common::read_only();
    assert!(lines.len() >= 300, "only {} harmless lines", lines.len());
    let misses: Vec<String> = lines
        .iter()
        .map(|l| (l, analyse(&l.text)))
        .filter(|(_, a)| a.verdict != Verdict::ReadOnly)
        .map(|(l, a)| format!("{:?}: {}", l.text, a.why))
        .collect();
    println!("{} of {} missed:\n{}", misses.len(), lines.len(), misses.join("\n"));
    assert!(misses.len() * 100 <= lines.len() * 3);
}

#[test]
fn what_the_sandbox_hides_is_asked_for() {
    for line in common::machine() {
        let analysis = analyse(&line.text);
        assert_eq!(analysis.verdict, Verdict::Unknown, "{:?}", line.text);
        assert!(analysis.why.contains("sandbox hides"), "{:?}: {}", line.text, analysis.why);
    }
}

#[test]
fn refusals_name_a_reason() {
    for line in common::nasty() {
        let analysis = analyse(&line.text);
        let first = analysis.why.chars().next().unwrap_or(' ');
        assert!(first.is_uppercase() || first == '`', "{:?}: {}", line.text, analysis.why);
        assert!(!analysis.why.ends_with('.'), "{:?}: {}", line.text, analysis.why);
    }
}
