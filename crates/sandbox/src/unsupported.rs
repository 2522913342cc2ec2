//! Without Linux there is no fence, and every request for one fails with that reason.

use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Program;
use crate::policy::{AvailableLayers, FencePolicy, KernelLayers};
use crate::spawn::{ChildStreams, SessionLeader};

const WORDS: &str = "The kernel fence works only on Linux";

/// As on Linux, where overlays are.
pub const OPAQUE: &str = "user.overlay.opaque";

/// There is none.
#[derive(Debug)]
pub enum Fence {}

impl Fence {
    /// An error.
    pub fn raise(_: &FencePolicy, _: KernelLayers) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, WORDS))
    }

    /// Never asked.
    pub fn is_active(&self) -> bool {
        match *self {}
    }

    /// Never asked.
    pub fn take_activity(&self) -> bool {
        match *self {}
    }

    /// Never asked.
    pub fn is_occupied(&self) -> bool {
        match *self {}
    }

    /// Never asked.
    pub fn end(&self) {
        match *self {}
    }

    /// Never asked.
    pub fn scratch(&self) -> Option<&Path> {
        match *self {}
    }

    /// Never asked.
    pub fn gate(&self) -> Option<TcpListener> {
        match *self {}
    }

    pub(crate) fn start(self: &Arc<Self>, _: &Program, _: &ChildStreams) -> io::Result<SessionLeader> {
        match **self {}
    }
}

/// There is none.
#[derive(Debug)]
pub(crate) enum FenceUse {}

impl FenceUse {
    pub(crate) fn end(self) -> Option<Arc<Fence>> {
        match self {}
    }
}

impl KernelLayers {
    /// Nothing.
    pub fn available() -> AvailableLayers {
        AvailableLayers { namespaces: Err(WORDS.to_owned()), landlock: None, seccomp: false }
    }
}

/// Nowhere.
pub fn can_overlay(_: &Path) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, WORDS))
}

/// Where the changes to a working folder would lie.
pub fn upper(overlay: &Path, number: usize) -> PathBuf {
    overlay.join(number.to_string()).join("upper")
}

/// Removes a folder with all that is in it. It need not be there.
pub fn remove_overlay(overlay: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(overlay) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        gone => gone,
    }
}
