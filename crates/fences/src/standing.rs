//! The fences that stand: how one is raised, when it is still the right one, and what goes with it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{Fence, Layers};

use super::Fences;
use super::compile::{self, Kept};
use super::ground::Ground;
use super::named::Masked;
use super::sweep::scratch_name;

/// A fence that stands.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) within: Confinement,
    pub(super) fence: Arc<Fence>,
    footing: Footing,
    pub(super) masked: Masked,
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
                "the layer has to be laid anew, since the working folders or files that are hidden there changed, and a \
                 command still runs on the old one: end it with KillShell first",
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
        self.open_gate(&fence)?;
        let masked = Masked { paths: policy.masked, folders: policy.folders, home: ground.home.clone() };
        Ok(Standing { within, fence, footing, masked })
    }

    fn kept(&self, within: Confinement, ground: &Ground, layers: Layers) -> io::Result<Kept> {
        let mut kept = Kept::default();
        if within == Confinement::Rehearsal {
            kept.layer = Some(self.layer().prepare(&compile::real_folders(&ground.folders))?);
        }
        if !layers.namespaces {
            let scratch = self.scratch.get_or_init(|| self.setup.folder.join(scratch_name()));
            forelook_disk::make_private(scratch).map_err(|error| io::Error::other(error.to_string()))?;
            kept.scratch = Some(scratch.as_path().to_owned());
        }
        Ok(kept)
    }
}
