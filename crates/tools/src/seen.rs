//! What the model has seen of a file, and whether that is still so.

use std::collections::HashMap;

use forelook_protocol::{AbsPath, Effect, Seen};
use sha2::{Digest, Sha256};

use crate::typed::Failure;

/// SHA-256 in hex.
pub(crate) fn hash(bytes: &[u8]) -> String {
    hash_pieces(&[bytes])
}

/// The same of bytes that lie in several places.
pub(crate) fn hash_pieces(pieces: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    pieces.iter().for_each(|piece| hasher.update(piece));
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The effect of having seen (or written) these bytes.
pub(crate) fn saw(path: &AbsPath, bytes: &[u8]) -> Effect {
    Effect::Saw(Seen { path: path.clone(), hash: hash(bytes) })
}

/// Refuses to change a file that the model does not know in its present state, which has this hash.
pub(crate) fn must_be_seen(
    path: &AbsPath,
    hash: &str,
    seen: &HashMap<AbsPath, String>,
) -> Result<(), Failure> {
    match seen.get(path) {
        None => Err(Failure::new(format!(
            "`{path}` exists and was not read in this session, so nothing was changed\nRead it first, then try again"
        ))),
        Some(known) if known != hash => Err(Failure::new(format!(
            "`{path}` has changed since it was read (by the person or a program), so nothing was changed\n\
             Read it again, then decide anew what to change"
        ))),
        Some(_) => Ok(()),
    }
}
