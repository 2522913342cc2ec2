//! What can go wrong with plans on the disk.

use std::path::PathBuf;

use forelook_disk::DiskError;
use forelook_protocol::AbsPath;

/// Something about a plan was not found or not done. Unless it says otherwise, everything is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The setting names a folder that is not in the project.
    #[error(
        "`plansDirectory` is `{setting}`, which leads out of the project `{project}`; plans are kept in `{used}` \
         instead\nGive a folder inside the project, by a path relative to its root"
    )]
    Outside {
        /// The setting, as it was given.
        setting: String,
        /// The root of the project.
        project: AbsPath,
        /// The folder that is used instead.
        used: AbsPath,
    },
    /// The setting names something that cannot be a folder.
    #[error(
        "`plansDirectory` is `{setting}`, which cannot be used; plans are kept in `{used}` instead\n{source}"
    )]
    Setting {
        /// The setting, as it was given.
        setting: String,
        /// The folder that is used instead.
        used: AbsPath,
        /// What is wrong with it.
        source: DiskError,
    },
    /// A link where only a plan, or the folder of plans, may be.
    #[error(
        "`{}` is a link or lies behind one, and plans are neither read nor written through links\n\
         Put the file itself there, or remove the link",
        path.display()
    )]
    Link {
        /// The path.
        path: PathBuf,
    },
    /// A path that is not of a plan here.
    #[error("`{path}` is not a plan file in `{folder}`\nUse the path that was given for the plan")]
    NotHere {
        /// The path.
        path: AbsPath,
        /// The folder of plans.
        folder: AbsPath,
    },
    /// A name that no plan can have.
    #[error(
        "`{0}` is not a name of a plan\nNames are lower-case words with dashes between, such as `calm-weaving-otter`"
    )]
    NotASlug(String),
    /// A file that is no text.
    #[error("`{path}` is not UTF-8 text\nSave it as UTF-8, or put an older revision back")]
    NotText {
        /// The file.
        path: AbsPath,
    },
    /// A file that is too long for a plan.
    #[error("`{path}` is longer than {} MiB, which no plan is\nMake it shorter", limit >> 20)]
    TooLong {
        /// The file.
        path: AbsPath,
        /// What is read at most, in bytes.
        limit: u64,
    },
    /// No revision has this number.
    #[error("There is no revision {number} of plan `{slug}`\n{}", those(have))]
    NoRevision {
        /// The plan.
        slug: String,
        /// What was asked for.
        number: u32,
        /// Those that there are.
        have: Vec<u32>,
    },
    /// No number is left for another revision.
    #[error("Plan `{slug}` has as many revisions as can be counted\nMove old ones out of `{folder}`")]
    NoNumber {
        /// The plan.
        slug: String,
        /// Where its revisions are.
        folder: AbsPath,
    },
    /// No plan has this name.
    #[error("There is no plan `{name}`\n{}", near_ones(near, folder))]
    NoPlan {
        /// What was asked for.
        name: String,
        /// Names that are like it.
        near: Vec<String>,
        /// Where plans are.
        folder: AbsPath,
    },
    /// Several plans begin with this.
    #[error("Several plans begin with `{name}`: {}\nGive more of the name", listed(found))]
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
            DiskError::Links { path } => Self::Link { path },
            error => Self::Disk(error),
        }
    }
}

/// Names that are listed before the rest is counted.
const LISTED: usize = 5;

fn those(have: &[u32]) -> String {
    match have {
        [] => "None has been kept yet; one is kept whenever the plan is written".to_owned(),
        have => format!("There are: {}", ranges(have)),
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

fn near_ones(near: &[String], folder: &AbsPath) -> String {
    match near {
        [] => format!("Plans are in `{folder}`; give a name from there or the path of a file"),
        near => format!("Did you mean {}?", listed(near)),
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
        for (have, expected) in [
            (vec![], "None has been kept yet; one is kept whenever the plan is written"),
            (vec![3], "There are: 3"),
            (vec![1, 2, 3, 5, 8, 9], "There are: 1–3, 5, 8–9"),
            (vec![u32::MAX - 1, u32::MAX], "There are: 4294967294–4294967295"),
        ] {
            let error = PlanError::NoRevision { slug: "a".into(), number: 7, have };
            assert_eq!(error.to_string(), format!("There is no revision 7 of plan `a`\n{expected}"));
        }
    }

    #[test]
    fn many_names_are_counted() {
        let names: Vec<String> = (1..=7).map(|n| format!("n{n}")).collect();
        let error = PlanError::Ambiguous { name: "n".into(), found: names };
        insta::assert_snapshot!(error, @r"
        Several plans begin with `n`: `n1`, `n2`, `n3`, `n4`, `n5` and 2 more
        Give more of the name
        ");
    }
}
