//! Whether a layer can be kept somewhere, found by trying: no list of file systems would stay right.
//!
//! That it can be mounted does not tell all: where the kernel cannot keep its attributes, or cannot note what was removed,
//! it mounts the layer all the same, some of them read-only, and fails later.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Fence, FencePolicy, KernelLayers, remove_overlay, upper};
use crate::spawn::ChildStreams;
use crate::{ChildEnv, Program};

/// Whether a rehearsal can keep below this folder what it changes; else why not, in words for a person. A small one is
/// made there over something small, and both are removed. It takes some milliseconds: ask once.
pub fn can_overlay(folder: &Path) -> io::Result<()> {
    let tried = new_folder(folder).and_then(|made| {
        let tried = try_overlay(&made);
        tried.and(remove_overlay(&made))
    });
    tried.map_err(|error| {
        let words = format!(
            "Rehearsals cannot store changes in {}: {error}. They need a folder on a local disk, not on an overlay (as in \
             most containers) or a network file system",
            folder.display()
        );
        io::Error::new(error.kind(), words)
    })
}

fn new_folder(folder: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let made = folder.join(format!("trial-{}-{number}", std::process::id()));
        match fs::create_dir(&made) {
            // Left by somebody who was ended, or somebody else's in a container with numbers of its own.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done.map(|()| made),
        }
    }
}

/// What rehearsals do: something is changed, removed, and made anew.
const LINE: &str = "echo x >> file && rm -r folder && mkdir folder && echo x > done";
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin";

fn try_overlay(made: &Path) -> io::Result<()> {
    let (real, overlay, told) = (made.join("real"), made.join("layer"), made.join("told"));
    fs::create_dir_all(real.join("folder/inner"))?;
    fs::write(real.join("file"), "x")?;
    let policy =
        FencePolicy { folders: vec![real.clone()], overlay: Some(overlay.clone()), ..FencePolicy::default() };
    let only = KernelLayers { namespaces: true, landlock: false, seccomp: false };
    let fence = Arc::new(Fence::raise(&policy, only)?);
    let mut env = ChildEnv::default();
    env.set("PATH", PATH);
    let program = Program::new("/bin/sh", env, real).arg("-c").arg(LINE);
    let null = || File::options().read(true).write(true).open("/dev/null").map(Into::into);
    let streams =
        ChildStreams { stdin: null()?, stdout: null()?, stderr: File::create(&told)?.into(), side: None };
    fence.start(&program, &streams)?.wait();
    match upper(&overlay, 0).join("done").exists() {
        true => Ok(()),
        false => Err(io::Error::other(fs::read_to_string(told)?.trim().to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_can_be_on_a_disk_and_nothing_is_left_of_the_trial() {
        let folder = tempfile::tempdir().unwrap();
        can_overlay(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
