//! What may not be written to although its folder may: it gets a mount of its own.
//!
//! What something is mounted on can neither be renamed, removed nor replaced, a link as little as a file. Folders above can
//! be, with all that is mounted in them: so each between a writable folder and what is held in it is mounted on itself.
//! The price is that nothing can be renamed into or out of those, or linked: `mv` copies then, and others fail with
//! "Invalid cross-device link". A second name of a held file (`ln`) that was there before is not held.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::FencePolicy;
use super::place::stale;
use super::raw::{NO_DEVICES, READ_ONLY};
use crate::policy::FileId;

/// What is mounted on itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pin {
    pub(super) attributes: u64,
    /// What lies there; a link is meant itself.
    pub(super) id: FileId,
}

/// Where something is to be mounted on itself, outer ones first. What is not there cannot be held.
pub(super) fn pins(policy: &FencePolicy) -> io::Result<BTreeMap<PathBuf, Pin>> {
    let (mut pins, mut seen) = (BTreeMap::new(), BTreeSet::new());
    let mut waiting = policy.protected.clone();
    while let Some(path) = waiting.pop() {
        for folder in &policy.writable {
            waiting
                .extend(pin(&path, folder, &mut pins).into_iter().filter(|path| seen.insert(path.clone())));
        }
    }
    // Below what is read-only there is nothing left to do.
    let mut closed: Option<PathBuf> = None;
    // What lies in a folder follows it at once: paths are compared name by name.
    pins.retain(|path, pin| {
        let is_inside = closed.as_ref().is_some_and(|closed| path.starts_with(closed));
        if !is_inside && pin.attributes == READ_ONLY {
            closed = Some(path.clone());
        }
        !is_inside
    });
    check(policy, &pins)?;
    Ok(pins)
}

/// What was found must be held where it was found. If something else lies there now, it may be what was found elsewhere.
fn check(policy: &FencePolicy, pins: &BTreeMap<PathBuf, Pin>) -> io::Result<()> {
    let is_held =
        |path: &Path| path.ancestors().any(|it| pins.get(it).is_some_and(|pin| pin.attributes == READ_ONLY));
    let in_writable = |path: &Path| policy.writable.iter().any(|folder| path.starts_with(folder));
    let known = policy.protected.iter().filter_map(|path| Some((path, *policy.identities.get(path)?)));
    for (path, id) in known {
        if FileId::at(path) != Some(id) || (in_writable(path) && !is_held(path)) {
            return Err(stale());
        }
    }
    Ok(())
}

/// If there is a link on the way, where that leads, which is meant as well: at once, and in the end. In no writable folder
/// it cannot be written to anyway.
fn pin(path: &Path, folder: &Path, pins: &mut BTreeMap<PathBuf, Pin>) -> Vec<PathBuf> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let Ok(rest) = path.strip_prefix(folder).or_else(|_| path.strip_prefix(&real)) else { return Vec::new() };
    let (mut at, mut rest) = (folder.to_owned(), rest.components());
    if rest.as_path().as_os_str().is_empty() {
        pins.extend(FileId::at(&at).map(|id| (at, Pin { attributes: READ_ONLY, id })));
        return Vec::new();
    }
    while let Some(name) = rest.next() {
        at.push(name);
        let Ok(about) = at.symlink_metadata() else { break };
        let pin = |attributes| Pin { attributes, id: FileId::from(&about) };
        if about.is_symlink() {
            let targets = targets(&at).map(|target| target.components().chain(rest.clone()).collect());
            pins.insert(at, pin(READ_ONLY));
            return targets.collect();
        }
        match rest.as_path().as_os_str().is_empty() {
            true => drop(pins.insert(at.clone(), pin(READ_ONLY))),
            false => drop(pins.entry(at.clone()).or_insert(pin(NO_DEVICES))),
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
