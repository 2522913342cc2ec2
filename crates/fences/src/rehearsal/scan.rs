//! Goes through what the kernel notes of a layer. The cost is per file changed: real folders are listed only where a
//! program removed them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forelook_protocol::AbsPath;
use ignore::gitignore::Gitignore;

use super::ignore_rules::IgnoreRules;
use super::overlay::OverlaidFolder;
use super::whiteout::{is_opaque, is_whiteout};

/// Folders in which version control keeps its own.
pub const VERSION_CONTROL: [&[u8]; 4] = [b".git", b".hg", b".svn", b".jj"];

/// How deep folders are looked into. Each takes its part of the stack, and a program can nest thousands.
const MAX_DEPTH: usize = 256;

/// What may be different.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// In the order of their paths.
    pub(super) touched: BTreeMap<AbsPath, TouchedFile>,
    /// Files that git ignores.
    pub(super) ignored: usize,
    /// What could not be looked at.
    pub(super) unread: BTreeMap<AbsPath, String>,
    /// Real folders that were listed, since they, or all that was in them, would be gone.
    pub(super) listed: usize,
}

/// A file that was written to, made or removed; it may still be as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TouchedFile {
    /// The number among the covered folders.
    pub(super) folder: usize,
    /// Where it lies in that.
    pub(super) rest: PathBuf,
    /// What the layer has in its place.
    pub(super) stamp: FileStamp,
}

/// Tells one state of a file on the layer from another, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileStamp {
    Removed,
    Present { number: u64, size: u64, changed: (i64, i64) },
}

impl FileStamp {
    fn of(about: &Metadata) -> Self {
        let changed = (about.ctime(), about.ctime_nsec());
        FileStamp::Present { number: about.ino(), size: about.size(), changed }
    }
}

/// What is noted of all these folders.
pub(super) fn scan(overlaid: &[OverlaidFolder]) -> Scan {
    let mut scan = Scan::default();
    for (number, folder) in overlaid.iter().enumerate() {
        let mut walk = OverlayWalk { folder, number, scan: &mut scan };
        let around = IgnoreRules::around(folder.real.as_path());
        with_rules(&IgnoreRules::none(), around, &mut |rules| {
            walk.folder(Path::new(""), LowerVisibility::Visible, rules)
        });
    }
    scan
}

/// What a folder on the layer shows of the real one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LowerVisibility {
    /// What is not noted otherwise.
    Visible,
    /// Nothing: all that is not noted would be gone.
    Hidden,
    /// There is none.
    None,
}

struct OverlayWalk<'a> {
    folder: &'a OverlaidFolder,
    number: usize,
    scan: &'a mut Scan,
}

/// Puts these rules on top, one after the other.
fn with_rules(rules: &IgnoreRules<'_>, mut more: Vec<Gitignore>, then: &mut dyn FnMut(&IgnoreRules<'_>)) {
    if more.is_empty() {
        return then(rules);
    }
    let first = more.remove(0);
    with_rules(&rules.then(first), more, then);
}

impl OverlayWalk<'_> {
    fn folder(&mut self, rest: &Path, lower: LowerVisibility, rules: &IgnoreRules<'_>) {
        let own = rules.below(self.folder, rest).unwrap_or_default();
        with_rules(rules, own, &mut |rules| self.entries(rest, lower, Some(rules)));
    }

    /// `rules`: nothing where all is ignored.
    fn entries(&mut self, rest: &Path, lower: LowerVisibility, rules: Option<&IgnoreRules<'_>>) {
        if self.is_too_deep(rest) {
            return;
        }
        let noted = match list(&self.folder.upper.join(rest)) {
            Ok(noted) => noted,
            Err(error) => return self.unread(rest, &error),
        };
        for (name, about) in &noted {
            self.entry(&rest.join(name), about, lower, rules);
        }
        if lower == LowerVisibility::Hidden {
            self.scan.listed += 1;
            for (name, about) in list(&self.real(rest)).unwrap_or_default() {
                if !noted.contains_key(&name) {
                    self.removed(&rest.join(name), &about, rules);
                }
            }
        }
    }

    fn entry(
        &mut self,
        rest: &Path,
        about: &Metadata,
        lower: LowerVisibility,
        rules: Option<&IgnoreRules<'_>>,
    ) {
        let real = match lower {
            LowerVisibility::None => None,
            LowerVisibility::Visible | LowerVisibility::Hidden => self.real(rest).symlink_metadata().ok(),
        };
        let kind = about.file_type();
        let is_there =
            (kind.is_file() || kind.is_symlink()) && !is_whiteout(&self.folder.upper.join(rest), about);
        if kind.is_dir() {
            let lower = match &real {
                Some(real) if real.is_dir() && is_opaque(&self.folder.upper.join(rest)) => {
                    LowerVisibility::Hidden
                }
                Some(real) if real.is_dir() => LowerVisibility::Visible,
                Some(real) => {
                    self.removed(rest, real, rules);
                    LowerVisibility::None
                }
                None => LowerVisibility::None,
            };
            match self.unless_ignored(rest, true, rules) {
                Some(rules) => self.folder(rest, lower, rules),
                None => self.entries(rest, lower, None),
            }
            return;
        }
        match &real {
            Some(real) if real.is_dir() || !is_there => self.removed(rest, real, rules),
            _ => {}
        }
        if is_there {
            self.touched(rest, FileStamp::of(about), rules);
        }
    }

    /// A real file would be gone, or a folder with all that is in it.
    fn removed(&mut self, rest: &Path, about: &Metadata, rules: Option<&IgnoreRules<'_>>) {
        if !about.is_dir() {
            return self.touched(rest, FileStamp::Removed, rules);
        }
        if self.is_too_deep(rest) {
            return;
        }
        let rules = self.unless_ignored(rest, true, rules);
        self.scan.listed += 1;
        match list(&self.real(rest)) {
            Ok(entries) => {
                entries.iter().for_each(|(name, about)| self.removed(&rest.join(name), about, rules))
            }
            Err(error) => self.unread(rest, &error),
        }
    }

    fn touched(&mut self, rest: &Path, stamp: FileStamp, rules: Option<&IgnoreRules<'_>>) {
        if self.unless_ignored(rest, false, rules).is_none() {
            self.scan.ignored += 1;
            return;
        }
        let touched = TouchedFile { folder: self.number, rest: rest.to_owned(), stamp };
        self.scan.touched.insert(self.folder.real.join(rest), touched);
    }

    /// The rules, unless they ignore this.
    fn unless_ignored<'r, 'a>(
        &self,
        rest: &Path,
        is_folder: bool,
        rules: Option<&'r IgnoreRules<'a>>,
    ) -> Option<&'r IgnoreRules<'a>> {
        let own = rest.file_name().is_some_and(|name| VERSION_CONTROL.contains(&name.as_bytes()));
        rules.filter(|rules| !own && !rules.ignore(&self.real(rest), is_folder))
    }

    /// What is deeper counts as unread.
    fn is_too_deep(&mut self, rest: &Path) -> bool {
        let is_too_deep = rest.components().count() > MAX_DEPTH;
        if is_too_deep {
            self.unread(rest, &io::Error::other("nested too deeply"));
        }
        is_too_deep
    }

    fn unread(&mut self, rest: &Path, error: &io::Error) {
        self.scan.unread.insert(self.folder.real.join(rest), error.to_string());
    }

    fn real(&self, rest: &Path) -> PathBuf {
        self.folder.real.as_path().join(rest)
    }
}

/// Whether a folder of the real ones would not be there any more.
pub(super) fn is_removed(overlaid: &OverlaidFolder, rest: &Path) -> bool {
    let mut at = overlaid.upper.clone();
    for name in rest {
        let is_hidden = is_opaque(&at);
        at.push(name);
        match at.symlink_metadata() {
            Ok(about) if about.is_dir() => {}
            Ok(_) => return true,
            Err(_) => return is_hidden,
        }
    }
    false
}

/// The names in a folder, in their order, links not followed. Devices, pipes and sockets are among them: a device is how
/// the kernel notes that something is gone, and whatever has come in the place of a file, the file is gone.
fn list(folder: &Path) -> io::Result<BTreeMap<OsString, Metadata>> {
    let mut entries = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // What went in the meantime was not there.
        if let Ok(about) = entry.metadata() {
            entries.insert(entry.file_name(), about);
        }
    }
    Ok(entries)
}
