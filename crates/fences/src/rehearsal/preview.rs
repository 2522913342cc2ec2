//! What would change, as a person is shown it: the files, one diff of all, and a hash to say yes to.

use std::fmt::Write as _;
use std::path::Path;

use forelook_protocol::{AbsPath, FileChange, Rehearsal, RehearsedFile, shorten, to_hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::diff::{self, LineCounts};
use super::file_states::{FileSnapshot, FileState, FolderViews};
use super::overlay::OverlaidFolder;
use super::scan::{Scan, TouchedFile};

/// Bytes of one file's diff, and of all together. More nobody reads before a yes.
const MAX_FILE_DIFF: usize = 64 * 1024;
const MAX_DIFF: usize = 512 * 1024;
/// Files that are shown.
pub(super) const MAX_FILES: usize = 2000;
/// Folders that are named as not looked at, and characters of each.
const MAX_UNREAD: usize = 20;
const MAX_PLACE: usize = 200;

/// A file that would change, to find out later whether it still is what was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PreviewFile {
    pub(super) path: AbsPath,
    /// The working folder that it lies in.
    pub(super) folder: AbsPath,
    pub(super) old: FileState,
    pub(super) new: FileState,
    /// Whether it decides what runs later.
    #[serde(default)]
    pub(super) protected: bool,
}

/// A file with both of its sides.
pub(super) struct ChangedFile {
    pub(super) old: FileSnapshot,
    pub(super) new: FileSnapshot,
    pub(super) change: FileChange,
}

/// Both sides of a file that was touched; nothing if it is as it was.
pub(super) fn changed(views: &FolderViews, touched: &TouchedFile) -> Option<ChangedFile> {
    let (old, new) = (views.current(&touched.rest), views.rehearsed(touched));
    let change = match (&old.state, &new.state) {
        (old, new) if old == new => return None,
        (FileState::Nothing, _) => FileChange::Added,
        (_, FileState::Nothing) => FileChange::Removed,
        (_, _) => FileChange::Changed,
    };
    Some(ChangedFile { old, new, change })
}

/// What was shown, as it is noted beside the layer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PreviewRecord {
    pub(super) files: Vec<PreviewFile>,
    /// How many more may change, which nobody saw. If there are any nothing can be applied: it would be a part of something
    /// that was only tried whole.
    pub(super) more: usize,
}

/// Everything that would change; nothing if nothing would.
pub(super) fn preview(
    overlaid: &[OverlaidFolder],
    scan: &Scan,
    is_protected: &dyn Fn(&AbsPath) -> bool,
) -> Option<(Rehearsal, PreviewRecord)> {
    let views: Vec<Option<FolderViews>> =
        overlaid.iter().map(|folder| FolderViews::new(folder).ok()).collect();
    let mut rehearsal = Rehearsal { ignored: scan.ignored, ..Rehearsal::default() };
    let (mut preview, mut hasher, mut diffs) =
        (PreviewRecord::default(), Sha256::new(), DiffBuilder::default());
    let base = overlaid.first().map(|folder| folder.real.as_path());
    for (at, (path, touched)) in scan.touched.iter().enumerate() {
        if preview.files.len() == MAX_FILES {
            preview.more = scan.touched.len() - at;
            break;
        }
        let Some(Some(views)) = views.get(touched.folder) else { continue };
        let Some(ChangedFile { old, new, change }) = changed(views, touched) else { continue };
        let LineCounts { added, removed } = diffs.add(&name(path, base), &old, &new);
        add(&mut hasher, path, &old.state, &new.state);
        let protected = is_protected(path);
        rehearsal.files.push(RehearsedFile { path: path.clone(), change, added, removed, protected });
        let folder = overlaid[touched.folder].real.clone();
        let (old, new) = (old.state, new.state);
        preview.files.push(PreviewFile { path: path.clone(), folder, old, new, protected });
    }
    hasher.update((preview.more as u64).to_le_bytes());
    rehearsal.diff = diffs.with_end(scan, preview.more, base);
    rehearsal.hash = to_hex(&hasher.finalize());
    (!rehearsal.files.is_empty()).then_some((rehearsal, preview))
}

/// The diff of all files, as far as it is shown.
#[derive(Default)]
struct DiffBuilder {
    text: String,
    is_full: bool,
    left_out: usize,
}

impl DiffBuilder {
    /// Once it is full nothing more is compared: that may take long, and the lines are counted for people who read on.
    fn add(&mut self, name: &str, old: &FileSnapshot, new: &FileSnapshot) -> LineCounts {
        if self.is_full {
            self.left_out += 1;
            return LineCounts::default();
        }
        let (text, lines) = diff::of(name, old, new);
        match text.len() {
            length if length > MAX_FILE_DIFF => self.left_out += 1,
            length if self.text.len() + length > MAX_DIFF => {
                (self.is_full, self.left_out) = (true, self.left_out + 1)
            }
            _ => self.text.push_str(&text),
        }
        lines
    }

    /// With what it leaves out.
    fn with_end(mut self, scan: &Scan, more: usize, base: Option<&Path>) -> String {
        let text = &mut self.text;
        for (path, why) in scan.unread.iter().take(MAX_UNREAD) {
            let place = shorten(&name(path, base), MAX_PLACE);
            let _ = writeln!(text, "[`{place}` could not be read: {why}]");
        }
        if let Some(unread) = scan.unread.len().checked_sub(MAX_UNREAD).filter(|it| *it > 0) {
            let _ = writeln!(text, "[and {unread} more that could not be read]");
        }
        if self.left_out > 0 {
            let files = if self.left_out == 1 { "file" } else { "files" };
            let _ = writeln!(text, "[Too long to show here: the changes to {} {files}]", self.left_out);
        }
        if more > 0 {
            let files = if more == 1 { "file" } else { "files" };
            let _ = writeln!(
                text,
                "[Up to {more} more {files} would change: too many to show, so nothing from this rehearsal can be \
                 applied]"
            );
        }
        self.text
    }
}

/// Each piece with its length before it: no two lists of files give the same bytes.
fn add(hasher: &mut Sha256, path: &AbsPath, old: &FileState, new: &FileState) {
    let mut piece = |bytes: &[u8]| {
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    piece(path.as_path().as_os_str().as_encoded_bytes());
    for state in [old, new] {
        match state {
            FileState::Nothing => piece(b"nothing"),
            FileState::File { hash, bits } => {
                piece(b"file");
                piece(hash.as_bytes());
                piece(&bits.to_le_bytes());
            }
            FileState::Link { to } => {
                piece(b"link");
                piece(to);
            }
            FileState::Unreadable(why) => {
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
