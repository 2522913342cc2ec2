//! Where there is no Linux no fence is raised, and whoever asks for one is told so.

use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Program;
use crate::policy::{Available, Layers, Policy};
use crate::spawn::{Leader, Streams};

const WORDS: &str = "Only on Linux does the kernel hold a fence";

/// As on Linux, where overlays are.
pub const OPAQUE: &str = "user.overlay.opaque";

/// There is none.
#[derive(Debug)]
pub enum Fence {}

impl Fence {
    /// An error.
    pub fn raise(_: &Policy, _: Layers) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, WORDS))
    }

    /// Never asked.
    pub fn is_standing(&self) -> bool {
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

    pub(crate) fn start(self: &Arc<Self>, _: &Program, _: &Streams) -> io::Result<Leader> {
        match **self {}
    }
}

impl Layers {
    /// Nothing.
    pub fn available() -> Available {
        Available { namespaces: Err(WORDS.to_owned()), landlock: None, seccomp: false }
    }
}

/// Nowhere.
pub fn can_layer(_: &Path) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, WORDS))
}

/// Where the changes to a working folder would lie.
pub fn upper(layer: &Path, number: usize) -> PathBuf {
    layer.join(number.to_string()).join("upper")
}

/// Removes a folder with all that is in it. It need not be there.
pub fn remove_layer(layer: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(layer) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        gone => gone,
    }
}
