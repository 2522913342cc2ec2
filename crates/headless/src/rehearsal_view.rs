//! What was rehearsed, and what was made of it, in lines.

use forelook_protocol::{FileChange, Rehearsal, RehearsalApplied};
use forelook_view::review::RehearsedChanges;
use forelook_wording::{
    NOT_REHEARSED, PROTECTED_HEAD, applied_files, applied_head, rehearsal_files, rehearsal_head,
    rehearsal_ignored,
};

use crate::plan_view::diff_rows;
use crate::style::{Row, TextStyle};

/// What was rehearsed: which files, and how they would change.
pub(crate) fn rows(rehearsal: Option<&Rehearsal>) -> Vec<Row> {
    let Some(rehearsal) = rehearsal else { return NOT_REHEARSED.map(Row::plain).to_vec() };
    let mut rows = vec![Row::new(TextStyle::Plan, rehearsal_head(rehearsal))];
    rows.extend(files(rehearsal));
    if !rehearsal.diff.is_empty() {
        rows.push(Row::empty());
        rows.extend(diff_rows(&rehearsal.diff));
    }
    rows
}

fn files(rehearsal: &Rehearsal) -> Vec<Row> {
    let (folder, files) = rehearsal_files(rehearsal);
    let mut rows = vec![Row::dim(format!("  in {folder}"))];
    let mut is_headed = false;
    for file in files {
        if file.protected && !std::mem::replace(&mut is_headed, true) {
            rows.push(Row::new(TextStyle::Yellow, format!("  {PROTECTED_HEAD}")));
        }
        let style = match file.change {
            FileChange::Added => TextStyle::Green,
            FileChange::Changed => TextStyle::Plain,
            FileChange::Removed => TextStyle::Red,
        };
        rows.push(Row::led(format!("  {} ", file.sign), style, format!("{}  {}", file.path, file.lines)));
    }
    rows.extend(rehearsal_ignored(rehearsal).map(|words| Row::dim(format!("  {words}"))));
    rows
}

/// How much can be applied with a yes to a plan.
pub(crate) fn offer(tried: RehearsedChanges<'_>) -> String {
    format!("t shows the rehearsal; y t applies it: {}", tried.size())
}

/// What was applied of a rehearsal.
pub(crate) fn applied(applied: &RehearsalApplied) -> Vec<Row> {
    let (folder, files, failed) = applied_files(applied);
    let (mark, style) = if failed.is_empty() { ("●", TextStyle::Plan) } else { ("✗", TextStyle::Red) };
    let mut rows = vec![Row::new(style, format!("{mark} {}", applied_head(applied)))];
    if !(files.is_empty() && failed.is_empty()) {
        rows.push(Row::dim(format!("  in {folder}")));
    }
    rows.extend(files.into_iter().map(|file| Row::led("  ⎿ ", TextStyle::Plain, file)));
    rows.extend(
        failed.into_iter().map(|(file, why)| Row::led("  ✗ ", TextStyle::Red, format!("{file}: {why}"))),
    );
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::bare;
    use crate::testing::rehearsal;
    use forelook_protocol::AbsPath;

    #[test]
    fn a_rehearsal_on_paper() {
        insta::assert_snapshot!(bare(&rows(Some(&rehearsal()))));
        assert!(bare(&rows(None)).starts_with("No rehearsed changes yet"));
    }

    #[test]
    fn what_failed_is_told_with_the_reason() {
        let path = |path: &str| AbsPath::new(path).unwrap();
        let mut one = RehearsalApplied {
            hash: "r1".into(),
            files: vec![path("/w/src/main.rs")],
            failed: vec![(path("/w/old.txt"), "it has changed since".into())],
        };
        assert_eq!(
            bare(&applied(&one)),
            "✗ Applied the rehearsal to 1 file; 1 failed\n  in /w\n  ⎿ src/main.rs\n  ✗ old.txt: it has changed since"
        );
        one.failed.clear();
        assert!(bare(&applied(&one)).starts_with("● Applied the rehearsal to 1 file\n"));
    }
}
