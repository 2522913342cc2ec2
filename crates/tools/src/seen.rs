//! What the model has seen of a file, and whether that is still so.

use std::collections::HashMap;
use std::sync::Arc;

use forelook_protocol::{AbsPath, FileVersion, SessionEffect, to_hex};
use sha2::{Digest, Sha256};

use crate::typed::ToolFailure;

/// Files the model has seen, each with the SHA-256 (hex) of its bytes then.
///
/// Every call that runs holds what was seen when it was prepared, and every call adds to it. So a clone shares all, and
/// adding to what is shared does not copy all: there are layers, each at least twice as large as the next newer one, and
/// a new file is a layer of its own until it is joined with its like. A file is copied as often as its layer grows,
/// which is some ten times in a session that sees a thousand.
#[derive(Debug, Clone, Default)]
pub struct SeenFiles {
    /// The newest last.
    layers: Arc<Vec<Arc<HashMap<AbsPath, String>>>>,
}

impl SeenFiles {
    /// What was seen of this file.
    pub fn get(&self, path: &AbsPath) -> Option<&str> {
        self.layers.iter().rev().find_map(|layer| layer.get(path)).map(String::as_str)
    }

    /// Adds a file, or what is newer of one.
    pub fn add(&mut self, seen: &FileVersion) {
        let layers = Arc::make_mut(&mut self.layers);
        let mut newest = HashMap::from([(seen.path.clone(), seen.hash.clone())]);
        while let Some(older) = layers.pop_if(|older| older.len() < 2 * newest.len()) {
            let mut joined = Arc::unwrap_or_clone(older);
            joined.extend(newest);
            newest = joined;
        }
        layers.push(Arc::new(newest));
    }

    /// All of it.
    pub fn all(&self) -> HashMap<&AbsPath, &str> {
        self.layers.iter().flat_map(|layer| layer.iter()).map(|(path, hash)| (path, hash.as_str())).collect()
    }
}

/// SHA-256 in hex.
pub(crate) fn hash(bytes: &[u8]) -> String {
    hash_pieces(&[bytes])
}

/// The same of bytes that lie in several places.
pub(crate) fn hash_pieces(pieces: &[&[u8]]) -> String {
    hash_on(Sha256::new(), pieces)
}

fn hash_on(mut hasher: Sha256, pieces: &[&[u8]]) -> String {
    pieces.iter().for_each(|piece| hasher.update(piece));
    to_hex(&hasher.finalize())
}

/// Bytes between two states that are kept.
const STEP: usize = 1024 * 1024;

/// A hash, and the way to it: what begins with the same bytes is hashed from where it differs.
pub(crate) struct IncrementalHash {
    pub(crate) hash: String,
    /// The states at every [`STEP`], the first with nothing hashed.
    states: Vec<Sha256>,
}

impl IncrementalHash {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (mut states, mut hasher) = (Vec::new(), Sha256::new());
        for chunk in bytes.chunks(STEP) {
            states.push(hasher.clone());
            hasher.update(chunk);
        }
        Self { hash: hash_on(hasher, &[]), states }
    }

    /// The hash of other bytes, the first piece of which is the beginning of these.
    pub(crate) fn with(&self, pieces: &[&[u8]]) -> String {
        let Some((first, rest)) = pieces.split_first() else { return hash(&[]) };
        let steps = (first.len() / STEP).min(self.states.len().saturating_sub(1));
        let begun = self.states.get(steps).cloned().unwrap_or_default();
        let rest: Vec<&[u8]> = std::iter::once(&first[steps * STEP..]).chain(rest.iter().copied()).collect();
        hash_on(begun, &rest)
    }
}

/// The effect of having seen (or written) these bytes.
pub(crate) fn seen_effect(path: &AbsPath, bytes: &[u8]) -> SessionEffect {
    SessionEffect::FileSeen(FileVersion { path: path.clone(), hash: hash(bytes) })
}

/// The file is not, or no longer, what the model saw of it.
pub(crate) fn outdated(path: &AbsPath) -> ToolFailure {
    ToolFailure::new(format!(
        "`{path}` has changed since it was read (by the user, another agent, or a program), so nothing was changed\n\
         Read it again, then decide what to change"
    ))
}

/// Refuses to change a file that the model does not know in its present state, which has this hash.
pub(crate) fn must_be_seen(path: &AbsPath, hash: &str, seen: &SeenFiles) -> Result<(), ToolFailure> {
    match must_be_known(path, seen)? == hash {
        true => Ok(()),
        false => Err(outdated(path)),
    }
}

/// The state of a file that the model knows. Refuses one that it has never seen.
pub(crate) fn must_be_known<'a>(path: &AbsPath, seen: &'a SeenFiles) -> Result<&'a str, ToolFailure> {
    seen.get(path).ok_or_else(|| {
        ToolFailure::new(format!(
            "`{path}` exists but was not read in this session, so nothing was changed\n\
             Read it first, then try again"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seen(name: u16, hash: u16) -> FileVersion {
        FileVersion { path: AbsPath::new(format!("/{name}")).unwrap(), hash: hash.to_string() }
    }

    #[test]
    fn a_hash_goes_on_from_where_bytes_differ() {
        for length in [0, 1, STEP, STEP + 1, 3 * STEP] {
            let old: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let hashed = IncrementalHash::of(&old);
            assert_eq!(hashed.hash, hash(&old));
            for cut in [0, 1, STEP - 1, STEP, 2 * STEP + 7, length].into_iter().filter(|cut| *cut <= length) {
                let pieces: [&[u8]; 3] = [&old[..cut], b"new", &old[cut..]];
                assert_eq!(hashed.with(&pieces), hash_pieces(&pieces), "{length} {cut}");
            }
        }
    }

    proptest! {
        /// Whatever is added in whatever order: the newest counts, and who looked before sees what was then.
        #[test]
        fn what_was_seen_is_a_map_and_a_clone_stays_what_it_was(adds in prop::collection::vec((0..40u16, 0..9u16), 0..120)) {
            let (mut files, mut plain) = (SeenFiles::default(), HashMap::new());
            let mut before = Vec::new();
            for (name, hash) in adds {
                before.push((files.clone(), plain.clone()));
                let seen = seen(name, hash);
                files.add(&seen);
                plain.insert(seen.path, seen.hash);
            }
            before.push((files, plain));
            for (files, plain) in before {
                prop_assert!(plain.iter().all(|(path, hash)| files.get(path) == Some(hash)));
                prop_assert_eq!(files.get(&seen(99, 0).path), None);
                prop_assert_eq!(files.all().len(), plain.len());
                prop_assert!(files.layers.windows(2).all(|it| it[0].len() >= 2 * it[1].len()));
            }
        }
    }

    #[test]
    fn what_others_look_at_is_not_copied_whole() {
        let mut files = SeenFiles::default();
        let mut copied = 0;
        let mut search = Vec::new();
        for name in 0..1024 {
            search.push(files.clone());
            let before: Vec<_> = files.layers.iter().map(Arc::as_ptr).collect();
            files.add(&seen(name, 0));
            let new = files.layers.iter().filter(|layer| !before.contains(&Arc::as_ptr(layer)));
            copied += new.map(|layer| layer.len()).sum::<usize>();
        }
        assert!(copied <= 1024 * 11, "{copied} copies of files");
    }
}
