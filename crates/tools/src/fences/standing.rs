//! The fences that stand: how one is raised, when it is still the right one, and what goes with it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{Fence, Layers};

use super::compile::{self, Kept};
use super::ground::Ground;
use super::{Fences, is_read_only};

/// A fence that stands.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) within: Confinement,
    pub(super) fence: Arc<Fence>,
    footing: Footing,
    masked: Vec<PathBuf>,
    /// Where programs inside find the gate.
    pub(super) port: Option<u16>,
}

/// What a fence stands on, as far as it can change by itself: the working folders, and which folder each of them is. One
/// that was made anew is another one, and the fence would still show the old.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Footing {
    folders: Vec<(AbsPath, Option<(u64, u64)>)>,
    home: Option<AbsPath>,
}

impl Footing {
    pub(super) fn of(ground: &Ground) -> Self {
        let which = |folder: &AbsPath| fs::metadata(folder).ok().map(|about| (about.dev(), about.ino()));
        let folders = ground.folders.iter().map(|folder| (folder.clone(), which(folder))).collect();
        Self { folders, home: ground.home.clone() }
    }
}

impl Standing {
    /// Something that a command names and that shows nothing.
    pub(super) fn masked(&self, command: &str) -> Option<String> {
        let words: Vec<&str> =
            command.split(|c: char| c.is_whitespace() || "/'\"=:;|&()<>`$".contains(c)).collect();
        let names = self.masked.iter().filter_map(|path| path.file_name()?.to_str());
        names.into_iter().find(|name| words.contains(name)).map(ToOwned::to_owned)
    }
}

impl Fences {
    /// The fence that stands, if it is the right one.
    pub(super) fn find(&self, within: Confinement, footing: &Footing) -> Option<Arc<Fence>> {
        let standing = self.standing();
        let found = standing.iter().find(|it| it.within == within && it.footing == *footing)?;
        found.fence.is_standing().then(|| Arc::clone(&found.fence))
    }

    /// Takes away what stood for this. What runs inside goes on there; but two cannot stand on one layer.
    pub(super) fn clear(&self, within: Confinement) -> io::Result<()> {
        let mut standing = self.standing();
        let old: Vec<Standing> = standing.extract_if(.., |it| it.within == within).collect();
        if within == Confinement::Rehearsal && old.iter().any(|it| Arc::strong_count(&it.fence) > 1) {
            standing.extend(old);
            return Err(io::Error::other(
                "the working folders are others now, and a command still runs on the layer over the old ones: end it with \
                 KillShell first",
            ));
        }
        drop(standing);
        // Not under the lock: the end of what runs inside may have to be waited for.
        drop(old);
        Ok(())
    }

    pub(super) fn raise(
        &self,
        within: Confinement,
        ground: &Ground,
        footing: Footing,
        layers: Layers,
    ) -> io::Result<Standing> {
        let kept = self.kept(within, ground, layers)?;
        let policy = compile::policy(within, ground, &self.setup, kept);
        let fence = Arc::new(Fence::raise(&policy, layers)?);
        let port = self.open_gate(&fence)?;
        Ok(Standing { within, fence, footing, masked: policy.masked, port })
    }

    fn kept(&self, within: Confinement, ground: &Ground, layers: Layers) -> io::Result<Kept> {
        let mut kept = Kept::default();
        if within == Confinement::Rehearsal {
            kept.layer = Some(self.layer().prepare(&compile::real_folders(&ground.folders))?);
        }
        if !layers.namespaces {
            let scratch = self.scratch(within, ground);
            forelook_disk::make_private(&scratch).map_err(|error| io::Error::other(error.to_string()))?;
            kept.scratch = Some(scratch);
        }
        Ok(kept)
    }

    /// Where programs inside may write what nobody keeps.
    pub(super) fn scratch(&self, within: Confinement, ground: &Ground) -> PathBuf {
        if !self.available().layers().is_some_and(|layers| layers.namespaces) {
            return self.setup.folder.join("scratch").as_path().to_owned();
        }
        // A working folder is no scratch, only a layer over it may be written to.
        let is_scratch = |place: &&Path| {
            let is_own = fs::symlink_metadata(place).is_ok_and(|about| about.is_dir());
            is_own
                && !(is_read_only(within) && ground.folders.iter().any(|folder| folder.as_path() == *place))
        };
        let places = ["/tmp", "/var/tmp"].map(Path::new);
        places.iter().copied().find(|place| is_scratch(place)).unwrap_or(Path::new("/dev/shm")).to_owned()
    }
}
