//! What the model hears of what it rehearsed, once the plan is approved.

use forelook_protocol::{AbsPath, RehearsalApplied};

use super::RehearsalOutcome;

/// Files that are named; of more only the number is told.
const MOST: usize = 50;

/// In words; nothing if nothing was rehearsed.
///
/// A file that was made real counts as not read: the model knows what it tried, not all of what programs made of it. So
/// it is told to read before it edits, which Edit asks for anyway.
pub(super) fn render(rehearsed: &RehearsalOutcome) -> String {
    match rehearsed {
        RehearsalOutcome::NotShown => String::new(),
        RehearsalOutcome::Discarded => {
            "What you rehearsed was discarded: none of it is in the files, so make the changes that the plan needs."
                .to_owned()
        }
        RehearsalOutcome::Applied(RehearsalApplied { files, failed, .. }) => applied(files, failed),
    }
}

fn applied(files: &[AbsPath], failed: &[(AbsPath, String)]) -> String {
    let changed = list(files.iter().map(|path| format!("`{path}`")));
    let not = list(failed.iter().map(|(path, why)| format!("`{path}`: {why}")));
    let begin = match files {
        [] => "What you rehearsed was approved, but no file was changed.".to_owned(),
        _ => format!(
            "What you rehearsed was applied: the reviewer approved it with the plan. These files are already \
             changed; continue from there, and do not make these changes again. Read a file before you edit it:\n\
             {changed}"
        ),
    };
    match failed {
        [] => begin,
        _ => format!("{begin}\n\nNot changed, left for you to do:\n{not}"),
    }
}

fn list(lines: impl ExactSizeIterator<Item = String>) -> String {
    let more = lines.len().saturating_sub(MOST);
    let mut all: Vec<String> = lines.take(MOST).map(|line| format!("- {line}")).collect();
    if more > 0 {
        all.push(format!("- and {more} more"));
    }
    all.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> AbsPath {
        AbsPath::new(format!("/project/{name}")).unwrap()
    }

    #[test]
    fn the_model_hears_which_files_are_changed_and_which_are_not() {
        assert_eq!(render(&RehearsalOutcome::NotShown), "");
        assert!(render(&RehearsalOutcome::Discarded).contains("none of it is in the files"));
        let files = vec![path("a"), path("b")];
        let failed = vec![(path("c"), "a rule forbids it".to_owned())];
        let all = render(&RehearsalOutcome::Applied(RehearsalApplied { hash: "h".into(), files, failed }));
        assert!(all.contains("- `/project/a`\n- `/project/b`\n\nNot changed"), "{all}");
        assert!(all.ends_with("- `/project/c`: a rule forbids it"), "{all}");
        let none = render(&RehearsalOutcome::Applied(RehearsalApplied::default()));
        assert!(none.contains("no file was changed"), "{none}");
    }

    #[test]
    fn a_long_list_is_cut() {
        let files: Vec<AbsPath> = (0..60).map(|at| path(&at.to_string())).collect();
        let text =
            render(&RehearsalOutcome::Applied(RehearsalApplied { files, ..RehearsalApplied::default() }));
        assert!(text.ends_with("- `/project/49`\n- and 10 more"), "{text}");
    }
}
