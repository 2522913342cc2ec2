//! What may not be written to although its folder may: it gets a mount of its own.
//!
//! What something is mounted on can neither be renamed, removed nor replaced, a link as little as a file. Folders above can
//! be, with all that is mounted in them: so each between a writable folder and what is held in it is mounted on itself.
//! The price is that nothing can be renamed into or out of those, or linked: `mv` copies then, and others fail with
//! "Invalid cross-device link". A second name of a held file (`ln`) that was there before is not held.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::raw::{NO_DEVICES, READ_ONLY};

/// Where something is to be mounted on itself, outer ones first, and with which attributes. What is not there cannot be held.
pub(super) fn pins(protected: &[PathBuf], writable: &[PathBuf]) -> BTreeMap<PathBuf, u64> {
    let (mut pins, mut seen) = (BTreeMap::new(), BTreeSet::new());
    let mut waiting = protected.to_vec();
    while let Some(path) = waiting.pop() {
        for folder in writable {
            waiting
                .extend(pin(&path, folder, &mut pins).into_iter().filter(|path| seen.insert(path.clone())));
        }
    }
    // Below what is read-only there is nothing left to do.
    let mut closed: Option<PathBuf> = None;
    // What lies in a folder follows it at once: paths are compared name by name.
    pins.retain(|path, kind| {
        let is_inside = closed.as_ref().is_some_and(|closed| path.starts_with(closed));
        if !is_inside && *kind == READ_ONLY {
            closed = Some(path.clone());
        }
        !is_inside
    });
    pins
}

/// If there is a link on the way, where that leads, which is meant as well: at once, and in the end. In no writable folder
/// it cannot be written to anyway.
fn pin(path: &Path, folder: &Path, pins: &mut BTreeMap<PathBuf, u64>) -> Vec<PathBuf> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let Ok(rest) = path.strip_prefix(folder).or_else(|_| path.strip_prefix(&real)) else { return Vec::new() };
    let (mut at, mut rest) = (folder.to_owned(), rest.components());
    if rest.as_path().as_os_str().is_empty() {
        pins.insert(at, READ_ONLY);
        return Vec::new();
    }
    while let Some(name) = rest.next() {
        at.push(name);
        let Ok(about) = at.symlink_metadata() else { break };
        if about.is_symlink() {
            let targets = targets(&at).map(|target| target.components().chain(rest.clone()).collect());
            pins.insert(at, READ_ONLY);
            return targets.collect();
        }
        match rest.as_path().as_os_str().is_empty() {
            true => drop(pins.insert(at.clone(), READ_ONLY)),
            false => drop(pins.entry(at.clone()).or_insert(NO_DEVICES)),
        }
    }
    Vec::new()
}

/// Where a link leads; nowhere if not to something in the end, so that there are no circles.
fn targets(link: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let end = link.canonicalize().ok();
    let next =
        end.as_ref().and_then(|_| Some(link.parent()?.canonicalize().ok()?.join(link.read_link().ok()?)));
    let up = |mut path: PathBuf, part: Component<'_>| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
        path
    };
    end.into_iter().chain(next.map(|next| next.components().fold(PathBuf::new(), up)))
}
