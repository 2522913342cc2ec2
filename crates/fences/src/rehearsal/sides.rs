//! What a file is, and what it would be.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forelook_disk::{DiskError, Open, Root};
use forelook_protocol::AbsPath;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::layer::Covered;
use super::scan::{Stamp, Touched};

/// Longer files are not compared line by line.
pub(super) const MAX_TEXT: u64 = 1024 * 1024;

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Side {
    /// No file.
    Nothing,
    /// A file with these contents (SHA-256, in hex), and these nine bits of rights.
    File { hash: String, bits: u32 },
    /// A link to what these bytes name.
    Link { to: Vec<u8> },
    /// Something that cannot be read, or is no file.
    Closed(String),
}

/// A side, and its bytes where they are few.
pub(super) struct Seen {
    pub(super) side: Side,
    pub(super) bytes: Option<Vec<u8>>,
}

/// Both views of a working folder. Neither follows a link: programs on the layer may put one anywhere at any time.
pub(super) struct Views {
    upper: (Root, PathBuf),
    real: (Root, PathBuf),
}

impl Views {
    pub(super) fn new(covered: &Covered) -> Result<Self, DiskError> {
        let upper = AbsPath::new(&covered.upper)
            .map_err(|error| DiskError::Relative { path: error.0 })
            .and_then(|upper| forelook_disk::resolve(&upper))?;
        let real = forelook_disk::resolve(&covered.real)?;
        let open = |path: AbsPath| Ok((Root::open_without_links(&path)?, path.as_path().to_owned()));
        Ok(Self { upper: open(upper)?, real: open(real)? })
    }

    /// The working folder itself, to be written to.
    pub(super) fn real_root(&self) -> &Root {
        &self.real.0
    }

    /// The file as it is.
    pub(super) fn then(&self, rest: &Path) -> Seen {
        look(&self.real, rest)
    }

    /// The file as it would be.
    pub(super) fn now(&self, touched: &Touched) -> Seen {
        match touched.stamp {
            Stamp::Gone => Seen { side: Side::Nothing, bytes: None },
            Stamp::There { .. } => look(&self.upper, &touched.rest),
        }
    }

    /// The file as it would be, to be read from its beginning.
    pub(super) fn open_now(&self, rest: &Path) -> Result<File, DiskError> {
        self.upper.0.open_beneath(rest, Open::Read)
    }
}

fn look((root, path): &(Root, PathBuf), rest: &Path) -> Seen {
    let closed = |words: String| Seen { side: Side::Closed(words), bytes: None };
    match path.join(rest).symlink_metadata() {
        Ok(about) if about.is_symlink() => match std::fs::read_link(path.join(rest)) {
            Ok(to) => Seen { side: Side::Link { to: to.into_os_string().into_vec() }, bytes: None },
            Err(error) => closed(error.to_string()),
        },
        // A folder is no file; what is in it is looked at by itself.
        Ok(about) if about.is_dir() => Seen { side: Side::Nothing, bytes: None },
        Ok(about) if !about.is_file() => closed("it is no regular file".to_owned()),
        Ok(_) => match root.open_beneath(rest, Open::Read).map(read) {
            Ok(Ok(seen)) => seen,
            Ok(Err(error)) => closed(error.to_string()),
            Err(error) => closed(error.to_string().lines().next().unwrap_or_default().to_owned()),
        },
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Seen { side: Side::Nothing, bytes: None }
        }
        Err(error) => closed(error.to_string()),
    }
}

/// Piece by piece: a file may be larger than memory.
fn read(mut file: File) -> io::Result<Seen> {
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
    let side = Side::File { hash: hex(hasher), bits: about.mode() & 0o777 };
    Ok(Seen { side, bytes: kept })
}

/// What a hasher came to, in hex.
pub(super) fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
