//! What would change, as a person is shown it: the files, one diff of all, and a hash to say yes to.

use std::fmt::Write as _;
use std::path::Path;

use forelook_protocol::{AbsPath, FileChange, Rehearsal, RehearsedFile, shorten};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::diff::{self, Lines};
use super::layer::Covered;
use super::scan::{Scan, Touched};
use super::sides::{Seen, Side, Views, hex};

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

/// What was shown, as it is noted beside the layer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Shown {
    pub(super) files: Vec<ShownFile>,
    /// How many more may change, which nobody saw. If there are any nothing can be applied: it would be a part of something
    /// that was only tried whole.
    pub(super) more: usize,
}

/// Everything that would change; nothing if nothing would.
pub(super) fn shown(covered: &[Covered], scan: &Scan) -> Option<(Rehearsal, Shown)> {
    let views: Vec<Option<Views>> = covered.iter().map(|folder| Views::new(folder).ok()).collect();
    let mut rehearsal = Rehearsal { ignored: scan.ignored, ..Rehearsal::default() };
    let (mut shown, mut hasher, mut diffs) = (Shown::default(), Sha256::new(), Diffs::default());
    let base = covered.first().map(|folder| folder.real.as_path());
    for (at, (path, touched)) in scan.touched.iter().enumerate() {
        if shown.files.len() == MAX_FILES {
            shown.more = scan.touched.len() - at;
            break;
        }
        let Some(Some(views)) = views.get(touched.folder) else { continue };
        let Some(Changed { old, new, change }) = changed(views, touched) else { continue };
        let Lines { added, removed } = diffs.add(&name(path, base), &old, &new);
        add(&mut hasher, path, &old.side, &new.side);
        rehearsal.files.push(RehearsedFile { path: path.clone(), change, added, removed });
        let folder = covered[touched.folder].real.clone();
        shown.files.push(ShownFile { path: path.clone(), folder, old: old.side, new: new.side });
    }
    hasher.update((shown.more as u64).to_le_bytes());
    rehearsal.diff = diffs.with_end(scan, shown.more, base);
    rehearsal.hash = hex(hasher);
    (!rehearsal.files.is_empty()).then_some((rehearsal, shown))
}

/// The diff of all files, as far as it is shown.
#[derive(Default)]
struct Diffs {
    text: String,
    is_full: bool,
    left_out: usize,
}

impl Diffs {
    /// Once it is full nothing more is compared: that may take long, and the lines are counted for people who read on.
    fn add(&mut self, name: &str, old: &Seen, new: &Seen) -> Lines {
        if self.is_full {
            self.left_out += 1;
            return Lines::default();
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
            let _ = writeln!(text, "[`{place}` could not be looked at: {why}]");
        }
        if let Some(unread) = scan.unread.len().checked_sub(MAX_UNREAD).filter(|it| *it > 0) {
            let _ = writeln!(text, "[and {unread} more that could not be looked at]");
        }
        if self.left_out > 0 {
            let files = if self.left_out == 1 { "file" } else { "files" };
            let _ = writeln!(text, "[Too long to be shown here: the changes of {} {files}]", self.left_out);
        }
        if more > 0 {
            let files = if more == 1 { "file" } else { "files" };
            let _ = writeln!(
                text,
                "[Up to {more} more {files} would change: too many to be shown, so nothing of this rehearsal can be applied]"
            );
        }
        self.text
    }
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
