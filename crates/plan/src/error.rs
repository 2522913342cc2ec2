//! What can go wrong with plans on the disk.

use std::path::PathBuf;

use forelook_disk::DiskError;
use forelook_protocol::AbsPath;

use crate::history::MAX_NUMBER;

/// Something about a plan was not found or not done. Unless it says otherwise, everything is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Somebody else changed the plan in the meantime.
    #[error("`{path}` was changed in the meantime, so it was not replaced\nLook at it again and retry")]
    Changed {
        /// The file.
        path: AbsPath,
    },
    /// The setting names a folder that is not in the project.
    #[error(
        "`plansDirectory` is `{setting}`, which is outside the project `{project}`; plans are saved in `{used}` \
         instead\nUse a folder inside the project, as a path relative to its root"
    )]
    OutsideProject {
        /// The setting, as it was given.
        setting: String,
        /// The root of the project.
        project: AbsPath,
        /// The folder that is used instead.
        used: AbsPath,
    },
    /// The setting names a folder whose files decide what runs later.
    #[error(
        "`plansDirectory` is `{setting}`, a folder whose files decide what runs later; plans are saved in `{used}` \
         instead\nUse a folder of its own, such as `plans`"
    )]
    RunsLater {
        /// The setting, as it was given.
        setting: String,
        /// The folder that is used instead.
        used: AbsPath,
    },
    /// The setting names something that cannot be a folder.
    #[error(
        "`plansDirectory` is `{setting}`, which cannot be used; plans are saved in `{used}` instead\n{source}"
    )]
    InvalidSetting {
        /// The setting, as it was given.
        setting: String,
        /// The folder that is used instead.
        used: AbsPath,
        /// What is wrong with it.
        source: DiskError,
    },
    /// A link where only a plan, or the folder of plans, may be.
    #[error(
        "`{}` is a symlink or is inside one, and plans are not read or written through symlinks\n\
         Replace the symlink with the file itself, or remove it",
        path.display()
    )]
    Symlink {
        /// The path.
        path: PathBuf,
    },
    /// A path that is not of a plan here.
    #[error("`{path}` is not a plan file in `{folder}`\nUse the path that was given for the plan")]
    OutsidePlanFolder {
        /// The path.
        path: AbsPath,
        /// The folder of plans.
        folder: AbsPath,
    },
    /// A name that no plan can have.
    #[error(
        "`{0}` is not a valid plan name\nNames are lowercase words joined by hyphens, such as `calm-weaving-otter`"
    )]
    NotASlug(String),
    /// A file that is no text.
    #[error("`{path}` is not UTF-8 text\nSave it as UTF-8, or restore an older revision")]
    NotText {
        /// The file.
        path: AbsPath,
    },
    /// A file that is too long for a plan.
    #[error("`{path}` is larger than {} MiB\nShorten the plan", limit >> 20)]
    TooLong {
        /// The file.
        path: AbsPath,
        /// What is read at most, in bytes.
        limit: u64,
    },
    /// No revision has this number.
    #[error("Plan `{slug}` has no revision {}\n{}", revision_name(*number), revision_hint(existing))]
    RevisionNotFound {
        /// The plan.
        slug: String,
        /// What was asked for.
        number: u32,
        /// Those that there are.
        existing: Vec<u32>,
    },
    /// No number is left for another revision.
    #[error("Plan `{slug}` has reached the maximum number of revisions\nMove old ones out of `{folder}`")]
    RevisionLimit {
        /// The plan.
        slug: String,
        /// Where its revisions are.
        folder: AbsPath,
    },
    /// No plan has this name.
    #[error("No plan is named `{name}`\n{}", suggestion_hint(suggestions, folder))]
    NotFound {
        /// What was asked for.
        name: String,
        /// Names that are like it.
        suggestions: Vec<String>,
        /// Where plans are.
        folder: AbsPath,
    },
    /// Several plans begin with this.
    #[error("Several plans start with `{name}`: {}\nType more of the name", listed(found))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// Those that begin so.
        found: Vec<String>,
    },
    /// The disk, with its own words.
    #[error(transparent)]
    Disk(DiskError),
}

impl From<DiskError> for PlanError {
    fn from(error: DiskError) -> Self {
        match error {
            DiskError::Links { path } => Self::Symlink { path },
            error => Self::Disk(error),
        }
    }
}

/// Names that are listed before the rest is counted.
const LISTED: usize = 5;

/// A number beyond all that there can be is not what was typed: it may be longer than a number is kept.
fn revision_name(number: u32) -> String {
    match number > MAX_NUMBER {
        true => format!("above {MAX_NUMBER}"),
        false => number.to_string(),
    }
}

fn revision_hint(existing: &[u32]) -> String {
    match existing {
        [] => "It has no revisions yet; each write to the plan saves one".to_owned(),
        existing => format!("Available: {}", ranges(existing)),
    }
}

/// Numbers in order, runs of them as `3–7`: a plan can have hundreds.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let shown: Vec<String> = runs
        .filter_map(|run| match (run.first()?, run.last()?) {
            (first, last) if first == last => Some(first.to_string()),
            (first, last) => Some(format!("{first}–{last}")),
        })
        .collect();
    shown.join(", ")
}

fn suggestion_hint(suggestions: &[String], folder: &AbsPath) -> String {
    match suggestions {
        [] => format!("Plans are in `{folder}`; use a name from there or a file path"),
        suggestions => format!("Did you mean {}?", listed(suggestions)),
    }
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_named_in_runs() {
        for (existing, expected) in [
            (vec![], "It has no revisions yet; each write to the plan saves one"),
            (vec![3], "Available: 3"),
            (vec![1, 2, 3, 5, 8, 9], "Available: 1–3, 5, 8–9"),
            (vec![u32::MAX - 1, u32::MAX], "Available: 4294967294–4294967295"),
        ] {
            let error = PlanError::RevisionNotFound { slug: "a".into(), number: 7, existing };
            assert_eq!(error.to_string(), format!("Plan `a` has no revision 7\n{expected}"));
        }
    }

    #[test]
    fn a_number_that_is_too_long_is_not_repeated_as_another() {
        let error = PlanError::RevisionNotFound { slug: "a".into(), number: u32::MAX, existing: vec![1, 2] };
        assert_eq!(error.to_string(), "Plan `a` has no revision above 999999\nAvailable: 1–2");
    }

    #[test]
    fn many_names_are_counted() {
        let names: Vec<String> = (1..=7).map(|n| format!("n{n}")).collect();
        let error = PlanError::Ambiguous { name: "n".into(), found: names };
        insta::assert_snapshot!(error, @r"
        Several plans start with `n`: `n1`, `n2`, `n3`, `n4`, `n5` and 2 more
        Type more of the name
        ");
    }
}
