//! What to say of a file that is not there.

use std::fmt::Write;
use std::path::Path;

use forelook_protocol::AbsPath;

use crate::typed::ToolFailure;

/// Similar names that are told.
const MAX_NAMES: usize = 5;

/// Says that there is no such file, and which there are that could have been meant.
pub(super) fn missing(path: &AbsPath) -> ToolFailure {
    let mut text = format!("There is no file `{path}`");
    let folder = path.as_path().ancestors().skip(1).find(|folder| folder.is_dir());
    match folder {
        Some(folder) if Some(folder) != path.as_path().parent() => {
            let _ = write!(
                text,
                "\n\
                              Its directory does not exist either: `{}` is the last one on the path that exists",
                folder.display()
            );
        }
        Some(folder) => {
            let names = similar_names(folder, path);
            if !names.is_empty() {
                let _ = write!(text, "\nIts directory contains: {}", names.join(", "));
            }
        }
        None => {}
    }
    ToolFailure::new(text)
}

fn similar_names(folder: &Path, path: &AbsPath) -> Vec<String> {
    let Some(wanted) = path.as_path().file_name().map(|name| name.to_string_lossy().to_lowercase()) else {
        return Vec::new();
    };
    let stem = wanted.split('.').next().unwrap_or_default();
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut alike: Vec<(f32, String)> = names
        // A huge folder is not worth the wait.
        .take(10_000)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let same_stem = !stem.is_empty() && lower.split('.').next() == Some(stem);
            let ratio = similar::TextDiff::from_chars(lower.as_str(), wanted.as_str()).ratio();
            (same_stem || ratio > 0.6).then_some((ratio, name))
        })
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    alike.into_iter().take(MAX_NAMES).map(|(_, name)| format!("`{name}`")).collect()
}
