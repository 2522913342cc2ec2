//! What would change, as a person is shown it: the files, one diff of all, and a hash to say yes to.

use std::fmt::Write as _;
use std::path::Path;

use forelook_protocol::{AbsPath, FileChange, Rehearsal, RehearsedFile};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::diff::{self, Lines};
use super::layer::Covered;
use super::scan::{Scan, Touched};
use super::sides::{Seen, Side, Views};

/// Bytes of one file's diff, and of all together. More nobody reads before a yes.
const MAX_FILE_DIFF: usize = 64 * 1024;
const MAX_DIFF: usize = 512 * 1024;

/// A file that would change, to find out later whether it still is what was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShownFile {
    pub(super) path: AbsPath,
    /// The working folder that it lies in.
    pub(super) folder: AbsPath,
    pub(super) old: Side,
    pub(super) new: Side,
}

/// A file with both of its sides.
pub(super) struct Changed {
    pub(super) old: Seen,
    pub(super) new: Seen,
    pub(super) change: FileChange,
}

/// Both sides of a file that was touched; nothing if it is as it was.
pub(super) fn changed(views: &Views, touched: &Touched) -> Option<Changed> {
    let (old, new) = (views.then(&touched.rest), views.now(touched));
    let change = match (&old.side, &new.side) {
        (old, new) if old == new => return None,
        (Side::Nothing, _) => FileChange::Added,
        (_, Side::Nothing) => FileChange::Removed,
        (_, _) => FileChange::Changed,
    };
    Some(Changed { old, new, change })
}

/// Everything that would change; nothing if nothing would.
pub(super) fn shown(covered: &[Covered], scan: &Scan) -> Option<(Rehearsal, Vec<ShownFile>)> {
    let views: Vec<Option<Views>> = covered.iter().map(|folder| Views::new(folder).ok()).collect();
    let (mut rehearsal, mut files) =
        (Rehearsal { ignored: scan.ignored, ..Rehearsal::default() }, Vec::new());
    let (mut hasher, mut left_out) = (Sha256::new(), 0);
    let base = covered.first().map(|folder| folder.real.as_path());
    for (path, touched) in &scan.touched {
        let Some(Some(views)) = views.get(touched.folder) else { continue };
        let Some(Changed { old, new, change }) = changed(views, touched) else { continue };
        let (text, Lines { added, removed }) = diff::of(&name(path, base), &old, &new);
        match rehearsal.diff.len() + text.len() <= MAX_DIFF && text.len() <= MAX_FILE_DIFF {
            true => rehearsal.diff.push_str(&text),
            false => left_out += 1,
        }
        add(&mut hasher, path, &old.side, &new.side);
        rehearsal.files.push(RehearsedFile { path: path.clone(), change, added, removed });
        let folder = covered[touched.folder].real.clone();
        files.push(ShownFile { path: path.clone(), folder, old: old.side, new: new.side });
    }
    for (path, why) in &scan.unread {
        let _ = writeln!(rehearsal.diff, "[`{}` could not be looked at: {why}]", name(path, base));
    }
    if left_out > 0 {
        let files = if left_out == 1 { "file" } else { "files" };
        let _ = writeln!(rehearsal.diff, "[Too long to be shown here: the changes of {left_out} {files}]");
    }
    rehearsal.hash = crate::seen::hex(hasher);
    (!rehearsal.files.is_empty()).then_some((rehearsal, files))
}

/// Each piece with its length before it: no two lists of files give the same bytes.
fn add(hasher: &mut Sha256, path: &AbsPath, old: &Side, new: &Side) {
    let mut piece = |bytes: &[u8]| {
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    piece(path.as_path().as_os_str().as_encoded_bytes());
    for side in [old, new] {
        match side {
            Side::Nothing => piece(b"nothing"),
            Side::File { hash, bits } => {
                piece(b"file");
                piece(hash.as_bytes());
                piece(&bits.to_le_bytes());
            }
            Side::Link { to } => {
                piece(b"link");
                piece(to);
            }
            Side::Closed(why) => {
                piece(b"closed");
                piece(why.as_bytes());
            }
        }
    }
}

/// A path as it is told: short where it lies in the folder, and on one line.
pub(super) fn name(path: &AbsPath, base: Option<&Path>) -> String {
    let short = base.and_then(|base| path.as_path().strip_prefix(base).ok()).unwrap_or(path.as_path());
    let text = short.to_string_lossy();
    match text.chars().any(char::is_control) {
        true => text.escape_debug().to_string(),
        false => text.into_owned(),
    }
}
