//! How the kernel marks on a layer what is not shown any more.

use std::fs::Metadata;
use std::path::Path;

use forelook_sandbox::OPAQUE;

/// An empty file with this attribute stands for one that was removed, where the kernel makes no devices.
const WHITEOUT: &str = "user.overlay.whiteout";

/// Whether it stands for a file that was removed. Devices need no look: whatever they are, they are no file.
pub(super) fn is_whiteout(path: &Path, about: &Metadata) -> bool {
    about.is_file() && about.len() == 0 && has_attribute(path, WHITEOUT, None)
}

/// Whether a folder on the layer shows nothing of the real one.
pub(super) fn is_opaque(path: &Path) -> bool {
    has_attribute(path, OPAQUE, Some(b'y'))
}

fn has_attribute(path: &Path, name: &str, value: Option<u8>) -> bool {
    let mut found = [0u8; 8];
    match rustix::fs::lgetxattr(path, name, &mut found) {
        Ok(length) => value.is_none_or(|value| found[..length] == [value]),
        Err(_) => false,
    }
}
