//! What a file is, and what it would be.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use forelook_disk::{ConfinedDir, DiskError, FileTarget, OpenMode};
use forelook_protocol::{AbsPath, to_hex};
use rustix::fs::FileType;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::overlay::OverlaidFolder;
use super::scan::{FileStamp, TouchedFile};

/// Longer files are not compared line by line.
pub(super) const MAX_TEXT: u64 = 1024 * 1024;

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FileState {
    /// No file.
    Nothing,
    /// A file with these contents (SHA-256, in hex), and these nine bits of rights.
    File { hash: String, bits: u32 },
    /// A link to what these bytes name.
    Link { to: Vec<u8> },
    /// Something that cannot be read, or is no file.
    Unreadable(String),
}

/// A side, and its bytes where they are few.
pub(super) struct FileSnapshot {
    pub(super) state: FileState,
    pub(super) bytes: Option<Vec<u8>>,
}

impl FileSnapshot {
    pub(super) fn without_bytes(state: FileState) -> Self {
        Self { state, bytes: None }
    }
}

/// Both views of a working folder. Neither follows a link: programs on the layer may put one anywhere at any time.
pub(super) struct FolderViews {
    upper: ConfinedDir,
    real: ConfinedDir,
}

impl FolderViews {
    pub(super) fn new(overlaid: &OverlaidFolder) -> Result<Self, DiskError> {
        let upper = AbsPath::new(&overlaid.upper)
            .map_err(|error| DiskError::Relative { path: error.0 })
            .and_then(|upper| forelook_disk::resolve(&upper))?;
        let real = forelook_disk::resolve(&overlaid.real)?;
        Ok(Self {
            upper: ConfinedDir::open_without_links(&upper)?,
            real: ConfinedDir::open_without_links(&real)?,
        })
    }

    /// The working folder itself, to be written to.
    pub(super) fn real_root(&self) -> &ConfinedDir {
        &self.real
    }

    /// The file as it is.
    pub(super) fn current(&self, rest: &Path) -> FileSnapshot {
        snapshot_file(&self.real, rest)
    }

    /// The file as it would be.
    pub(super) fn rehearsed(&self, touched: &TouchedFile) -> FileSnapshot {
        match touched.stamp {
            FileStamp::Removed => FileSnapshot::without_bytes(FileState::Nothing),
            FileStamp::Present { .. } => snapshot_file(&self.upper, &touched.rest),
        }
    }

    /// The file as it would be, to be read from its beginning.
    pub(super) fn open_rehearsed(&self, rest: &Path) -> Result<File, DiskError> {
        self.upper.open_beneath(rest, OpenMode::Read)
    }
}

/// A path with a link above its last name names no file of this folder: what the link leads to has a name of its own. So
/// a folder may come where a link was, and the files in it are new.
fn snapshot_file(root: &ConfinedDir, rest: &Path) -> FileSnapshot {
    let target = match root.file_target(rest) {
        Err(DiskError::NoFolder { .. } | DiskError::NotAFolder { .. } | DiskError::Links { .. }) => {
            return FileSnapshot::without_bytes(FileState::Nothing);
        }
        target => target,
    };
    target.and_then(|target| snapshot_target(&target)).unwrap_or_else(|error| {
        let why = error.to_string().lines().next().unwrap_or_default().to_owned();
        FileSnapshot::without_bytes(FileState::Unreadable(why))
    })
}

pub(super) fn snapshot_target(target: &FileTarget) -> Result<FileSnapshot, DiskError> {
    let state = match target.file_type()? {
        // A folder is no file; what is in it is looked at by itself.
        None | Some(FileType::Directory) => FileState::Nothing,
        Some(FileType::Symlink) => FileState::Link { to: target.read_link()? },
        Some(FileType::RegularFile) => {
            let read = read(target.open()?);
            return Ok(read.unwrap_or_else(|error| {
                FileSnapshot::without_bytes(FileState::Unreadable(error.to_string()))
            }));
        }
        Some(_) => FileState::Unreadable("it is not a regular file".to_owned()),
    };
    Ok(FileSnapshot::without_bytes(state))
}

/// Piece by piece: a file may be larger than memory.
fn read(mut file: File) -> io::Result<FileSnapshot> {
    let about = file.metadata()?;
    let mut kept = (about.len() <= MAX_TEXT).then(Vec::new);
    let (mut hasher, mut piece) = (Sha256::new(), vec![0u8; 64 * 1024]);
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 {
            break;
        }
        hasher.update(&piece[..length]);
        // It may grow while it is read.
        kept = kept.filter(|kept| (kept.len() + length) as u64 <= MAX_TEXT);
        if let Some(kept) = &mut kept {
            kept.extend_from_slice(&piece[..length]);
        }
    }
    let state = FileState::File { hash: to_hex(&hasher.finalize()), bits: about.mode() & 0o777 };
    Ok(FileSnapshot { state, bytes: kept })
}
