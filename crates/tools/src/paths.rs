//! Paths as the model writes them, and where they really lead.

use std::path::{Path, PathBuf};

use forelook_protocol::{AbsPath, Action, FileRef};

use crate::context::ToolContext;
use crate::tool::{BadInput, CallLocation};
use crate::typed::ToolFailure;

/// The file that a path from the model means: as it was named, and where it leads.
pub(crate) fn file(field: &str, text: &str, place: &CallLocation) -> Result<FileRef, BadInput> {
    let real = resolve(field, text, place)?;
    let named =
        real_path(text, place).and_then(|path| AbsPath::new(path).ok()).unwrap_or_else(|| real.clone());
    Ok(FileRef { named, real })
}

/// The file that was decided on. If the same words lead elsewhere by now, nothing is done: the decision was about
/// another file.
pub(crate) fn decided(text: &str, cx: &ToolContext) -> Result<AbsPath, ToolFailure> {
    decided_as("file_path", text, &cx.place, &cx.action)
}

/// The same for a path that came in another field.
pub(crate) fn decided_as(
    field: &str,
    text: &str,
    place: &CallLocation,
    action: &Action,
) -> Result<AbsPath, ToolFailure> {
    let now = resolve(field, text, place)?;
    match action {
        Action::Read { file } | Action::Edit { file } if file.real == now => Ok(now),
        _ => Err(ToolFailure::new(format!(
            "`{text}` now points somewhere else, so nothing was done\nTry again"
        ))),
    }
}

/// Where a path from the model leads: absolute, from `~/`, or relative to the current folder; every link
/// resolved, so that what is decided on is what is touched.
pub(crate) fn resolve(field: &str, text: &str, place: &CallLocation) -> Result<AbsPath, BadInput> {
    if text.is_empty() || text.contains('\0') {
        return Err(BadInput(format!("`{field}` is not a path: send the absolute path of a file")));
    }
    let path = real_path(text, place).ok_or_else(|| {
        BadInput(format!(
            "`{field}` starts with `~`, but the home directory is not known: send an absolute path"
        ))
    })?;
    forelook_disk::resolve(path).map_err(|error| BadInput(format!("`{field}`: {error}")))
}

fn real_path(text: &str, place: &CallLocation) -> Option<PathBuf> {
    if text == "~" || text.starts_with("~/") {
        // The one place outside of `settings` that asks who the person is: a home folder is no setting.
        let home = std::env::home_dir().filter(|home| home.is_absolute())?;
        return Some(home.join(text.trim_start_matches('~').trim_start_matches('/')));
    }
    // The longer one first: the current folder mostly lies in the project.
    let known = [&place.folder, &place.project];
    let shown = known.iter().find_map(|folder| below_shown(text, folder.as_path()));
    // Not `AbsPath::join`, which takes `..` out by words: behind a link that would be another file.
    Some(shown.unwrap_or_else(|| place.folder.as_path().join(text)))
}

/// A folder whose bytes are not UTF-8 is shown to the model with replacement characters. A path that
/// begins with what was shown means that folder.
fn below_shown(text: &str, folder: &Path) -> Option<PathBuf> {
    if folder.to_str().is_some() {
        return None;
    }
    let rest = text.strip_prefix(&*folder.to_string_lossy())?;
    match rest.strip_prefix('/') {
        Some(below) => Some(folder.join(below.trim_start_matches('/'))),
        None => rest.is_empty().then(|| folder.to_path_buf()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn abs(path: impl AsRef<Path>) -> AbsPath {
        AbsPath::new(path).unwrap()
    }

    #[test]
    fn paths_lead_where_they_say() {
        let home = std::env::home_dir().unwrap().canonicalize().unwrap();
        let place = CallLocation { project: abs("/nowhere/p"), folder: abs("/nowhere/p/sub"), agent: None };
        for (text, expected) in [
            ("/etc/x y", PathBuf::from("/etc/x y")),
            ("a.txt", "/nowhere/p/sub/a.txt".into()),
            ("../a\nb", "/nowhere/p/a\nb".into()),
            ("~/a", home.join("a")),
            ("~a", "/nowhere/p/sub/~a".into()),
        ] {
            assert_eq!(resolve("file_path", text, &place).unwrap().as_path(), expected, "{text}");
        }
        for text in ["", "a\0b"] {
            assert!(resolve("file_path", text, &place).unwrap_err().0.contains("`file_path`"));
        }
    }

    #[test]
    fn a_folder_that_is_not_utf8_is_known_by_what_is_shown_of_it() {
        let project = PathBuf::from(OsStr::from_bytes(b"/nowhere/caf\xe9"));
        let place = CallLocation { project: abs(&project), folder: abs(project.join("sub")), agent: None };
        let shown = project.to_string_lossy().into_owned();
        for (text, expected) in [
            (format!("{shown}/a.txt"), project.join("a.txt")),
            (format!("{shown}/sub/a.txt"), project.join("sub/a.txt")),
            (shown.clone(), project.clone()),
            ("a.txt".into(), project.join("sub/a.txt")),
            (format!("{shown}x/a"), PathBuf::from(format!("{shown}x/a"))),
        ] {
            assert_eq!(resolve("file_path", &text, &place).unwrap().as_path(), expected, "{text}");
        }
    }

    #[test]
    fn links_are_resolved() {
        let folder = tempfile::tempdir().unwrap();
        let real = abs(folder.path().canonicalize().unwrap());
        std::fs::write(real.join("target"), "").unwrap();
        std::os::unix::fs::symlink("target", real.join("link")).unwrap();
        std::os::unix::fs::symlink("loop", real.join("loop")).unwrap();
        let place = CallLocation { project: real.clone(), folder: real.clone(), agent: None };
        assert_eq!(resolve("file_path", "link", &place).unwrap(), real.join("target"));
        assert!(resolve("file_path", "loop", &place).unwrap_err().0.contains("links"));
    }
}
