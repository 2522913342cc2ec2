//! What a rehearsal leaves on the disk, and that nothing of it is left in the end.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forelook_sandbox::{
    ChildExit, Fence, FencePolicy, KernelLayers, OPAQUE, can_overlay, remove_overlay, upper,
};

use crate::life::{run, same, shell};
use crate::sys::{c, sys};

/// A folder of our own, which is a layer as far as its end is concerned.
struct Folder(PathBuf);

impl Folder {
    fn new(base: &Path, name: &str) -> Self {
        let path = base.join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove_overlay(&self.0).unwrap();
    }
}

fn rehearsed(real: &Path, layer: &Path, line: &str) -> Result<(), String> {
    let policy = FencePolicy {
        folders: vec![real.to_owned()],
        overlay: Some(layer.to_owned()),
        ..FencePolicy::default()
    };
    let fence = Fence::raise(&policy, KernelLayers::ALL).map(Arc::new).map_err(|error| error.to_string())?;
    let done = run(&shell(Some(&fence), &format!("cd {} && {line}", real.display())))?;
    same(line, &done, &(String::new(), ChildExit::Exited(0)))
}

/// What lies below, in words.
fn listed(folder: &Path, name: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), format!("{name}{}", entry.file_name().to_string_lossy()));
        let about = fs::symlink_metadata(&path).unwrap();
        let words = if about.is_dir() {
            listed(&path, &format!("{name}/"), found);
            format!("folder{}", if is_opaque(&path) { ", opaque" } else { "" })
        } else if about.file_type().is_char_device() {
            format!("device {}", about.rdev())
        } else if about.is_symlink() {
            format!("link to {}", fs::read_link(&path).unwrap().display())
        } else {
            format!("{:o} {:?}", about.mode() & 0o777, fs::read_to_string(&path).unwrap())
        };
        found.insert(name, words);
    }
}

fn is_opaque(folder: &Path) -> bool {
    let (path, name, mut value) = (c(&folder.display().to_string()), c(OPAQUE), [0u8; 8]);
    sys!(libc::SYS_lgetxattr, path.as_ptr(), name.as_ptr(), value.as_mut_ptr(), value.len())
        .is_ok_and(|size| value[..size as usize] == *b"y")
}

pub(crate) fn what_is_kept(base: &Path) -> Result<(), String> {
    let (real, layer) = (Folder::new(base, "real"), Folder::new(base, "layer"));
    for name in
        ["changed", "mode", "removed", "removed-folder/in", "remade/old", "renamed/in", "moved", "kept"]
    {
        fs::create_dir_all(real.0.join(name).parent().unwrap()).unwrap();
        fs::write(real.0.join(name), "as it was").unwrap();
        fs::set_permissions(real.0.join(name), fs::Permissions::from_mode(0o644)).unwrap();
    }
    let line = "umask 022 && printf x > changed && chmod 600 mode && rm -r removed removed-folder remade && mkdir remade \
        && printf y > remade/new && mv renamed after && mv moved there && printf z > new && mkdir deep && ln -s ../.. deep/up \
        && cat kept > /dev/null";
    rehearsed(&real.0, &layer.0, line)?;
    let mut found = BTreeMap::new();
    listed(&upper(&layer.0, 0), "", &mut found);
    let found: Vec<String> = found.iter().map(|(name, words)| format!("{name}: {words}")).collect();
    let expected = [
        "after: folder",
        "after/in: 644 \"as it was\"",
        "changed: 644 \"x\"",
        "deep: folder",
        "deep/up: link to ../..",
        "mode: 600 \"as it was\"",
        "moved: device 0",
        "new: 644 \"z\"",
        "remade: folder, opaque",
        "remade/new: 644 \"y\"",
        "removed: device 0",
        "removed-folder: device 0",
        "renamed: device 0",
        "there: 644 \"as it was\"",
    ];
    same("the layer", &found, &expected.map(str::to_owned).to_vec())
}

pub(crate) fn goes_whole(base: &Path) -> Result<(), String> {
    let (real, layer) = (Folder::new(base, "whole-real"), Folder::new(base, "whole-layer"));
    let beside = Folder::new(base, "whole-beside");
    fs::write(beside.0.join("kept"), "x").unwrap();
    fs::write(real.0.join("f"), "x").unwrap();
    // Deeper than most processes have descriptors, and than a path may be long.
    let line = format!(
        "mkdir -p closed/in && touch closed/in/f && chmod 0 closed/in closed && ln -s {} out && rm f && mkfifo p \
         && mkdir moved-1 moved-2 && touch moved-1/f \
         && perl -e 'for (1..1200) {{ mkdir q(d) x 20 or die; chdir q(d) x 20 or die }}'",
        beside.0.display()
    );
    rehearsed(&real.0, &layer.0, &line)?;
    remove_overlay(&layer.0).map_err(|error| error.to_string())?;
    same("the layer", &layer.0.exists(), &false)?;
    same("beside it", &fs::read_to_string(beside.0.join("kept")).unwrap().as_str(), &"x")?;
    // Not there any more, and a link in its place: neither is an error, and the link is not followed.
    remove_overlay(&layer.0).map_err(|error| error.to_string())?;
    symlink(&beside.0, &layer.0).unwrap();
    remove_overlay(&layer.0).map_err(|error| error.to_string())?;
    same("what the link led to", &beside.0.join("kept").exists(), &true)
}

/// Whoever asks is told so, and nothing is left of that.
pub(crate) fn where_they_can_be(mounted: &Path) -> Result<(), String> {
    let told = |folder: &Path| can_overlay(folder).map_err(|error| error.to_string());
    for (name, words) in
        [("disk", None), ("overlay", Some("Rehearsals cannot")), ("closed", Some("Read-only"))]
    {
        let folder = mounted.join(name);
        match (told(&folder), words) {
            (Ok(()), None) => {}
            (Err(told), Some(words)) => {
                same(&told, &(told.contains(words) && told.contains(&folder.display().to_string())), &true)?;
            }
            (told, _) => return Err(format!("{name}: {told:?}")),
        }
        same(name, &fs::read_dir(&folder).unwrap().count(), &0)?;
    }
    for folder in ["/proc/self", "/no/such/folder"] {
        same(folder, &told(Path::new(folder)).is_err_and(|told| told.contains(folder)), &true)?;
    }
    Ok(())
}
