//! Real children in real fences.

mod memory;

use std::path::PathBuf;
use std::sync::Arc;

use rustix::process::{WaitId, WaitIdOptions, waitid};

use super::*;
use crate::{Child, ChildEnv, ChildEvent, ChildExit};

async fn run(fence: Option<&Arc<Fence>>, line: &str) -> (String, ChildExit) {
    let mut env = ChildEnv::default();
    env.set("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
    let mut program = Program::new("/bin/sh", env, "/").arg("-c").arg(line);
    program.fence = fence.cloned();
    let mut child = Child::spawn(&program).unwrap();
    let mut output = String::new();
    loop {
        match child.next().await {
            ChildEvent::Output(chunk) => output.push_str(&String::from_utf8_lossy(&chunk.bytes)),
            ChildEvent::Ended(ending) => return (output, ending),
        }
    }
}

const FENCES: [KernelLayers; 3] = [
    KernelLayers::ALL,
    KernelLayers { landlock: false, ..KernelLayers::ALL },
    KernelLayers { namespaces: false, ..KernelLayers::ALL },
];

#[tokio::test]
async fn ends_are_what_they_are_without_a_fence() {
    for layers in FENCES {
        let fence = Arc::new(Fence::raise(&FencePolicy::default(), layers).unwrap());
        for line in [
            "exit 7",
            "kill -9 $$",
            "kill $$",
            "id",
            "cat /etc/passwd",
            "pwd",
            "no-such-program",
            "echo a; echo b >&2",
        ] {
            assert_eq!(run(Some(&fence), line).await, run(None, line).await, "{line} in {layers:?}");
        }
    }
}

#[tokio::test]
async fn nothing_outside_is_changed() {
    let folder = std::env::temp_dir().join(format!("forelook-fence-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("f"), "as it was").unwrap();
    let before = std::fs::metadata(folder.join("f")).unwrap();
    for layers in FENCES {
        let policy = FencePolicy { folders: vec![folder.clone()], ..FencePolicy::default() };
        let fence = Arc::new(Fence::raise(&policy, layers).unwrap());
        for attempt in [
            "echo x > f",
            "rm f",
            "chmod 777 f",
            "touch f",
            "mv f g",
            "ln f g",
            "mkdir d",
            "chown 1 f",
            "truncate -s 0 f",
            "setfattr -n user.a -v b f",
            "mount -o remount,rw /",
            "unshare -Ur true",
            "ln -s f g",
        ] {
            let (output, ending) = run(Some(&fence), &format!("cd {} && {attempt}", folder.display())).await;
            assert_ne!(ending, ChildExit::Exited(0), "{attempt} in {layers:?}: {output}");
        }
        let (output, _) = run(Some(&fence), &format!("cat {}/f", folder.display())).await;
        assert_eq!(output, "as it was");
    }
    let after = std::fs::metadata(folder.join("f")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A folder of our own with something in it, gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self::below(&std::env::temp_dir(), name)
    }

    fn below(folder: &Path, name: &str) -> Self {
        let path = folder.join(format!("forelook-fence-{}-{name}", std::process::id()));
        std::fs::create_dir_all(path.join("sub")).unwrap();
        std::fs::write(path.join("f"), "as it was\n").unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove_overlay(&self.0).unwrap();
    }
}

#[tokio::test]
async fn what_is_rehearsed_seems_to_happen() {
    let (folder, overlay) = (Folder::new("real"), Folder::new("layer"));
    let policy = FencePolicy {
        folders: vec![folder.0.clone()],
        overlay: Some(overlay.0.clone()),
        ..FencePolicy::default()
    };
    let fence = Arc::new(Fence::raise(&policy, KernelLayers::ALL).unwrap());
    let line = format!(
        "cd {} && echo new > f && mkdir d && echo x > d/x && rmdir sub && chmod 600 f && ls && cat f",
        folder.0.display()
    );
    assert_eq!(run(Some(&fence), &line).await, ("d\nf\nnew\n".to_owned(), ChildExit::Exited(0)));
    let line = format!("cat {}/d/x", folder.0.display());
    assert_eq!(run(Some(&fence), &line).await, ("x\n".to_owned(), ChildExit::Exited(0)), "the layer is kept");
    assert_eq!(std::fs::read_to_string(folder.0.join("f")).unwrap(), "as it was\n");
    assert!(folder.0.join("sub").exists() && !folder.0.join("d").exists());
    assert_eq!(std::fs::read_to_string(overlay.0.join("0/upper/f")).unwrap(), "new\n");
}

#[tokio::test]
async fn the_workspace_is_written_to_and_nothing_else() {
    let (inside, outside) = (Folder::new("inside"), Folder::new("outside"));
    for layers in FENCES {
        let policy = FencePolicy {
            folders: vec![outside.0.clone()],
            writable: vec![inside.0.clone()],
            masked: vec![outside.0.join("f")],
            ..FencePolicy::default()
        };
        let fence = Arc::new(Fence::raise(&policy, layers).unwrap());
        let (output, ending) = run(Some(&fence), &format!("echo y > {}/y", inside.0.display())).await;
        assert_eq!(ending, ChildExit::Exited(0), "{output} {layers:?}");
        assert_ne!(
            run(Some(&fence), &format!("echo y > {}/y", outside.0.display())).await.1,
            ChildExit::Exited(0)
        );
        let (output, _) = run(Some(&fence), &format!("cat {}/f 2>/dev/null", outside.0.display())).await;
        assert_eq!(output, "", "{layers:?}");
        std::fs::remove_file(inside.0.join("y")).unwrap();
    }
}

#[test]
fn a_rehearsal_without_namespaces_is_refused() {
    let (folder, overlay) = (Folder::new("bare"), Folder::new("bare-layer"));
    let policy = FencePolicy {
        folders: vec![folder.0.clone()],
        overlay: Some(overlay.0.clone()),
        ..FencePolicy::default()
    };
    let error = Fence::raise(&policy, KernelLayers { namespaces: false, ..KernelLayers::ALL }).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::Unsupported);
}

#[tokio::test]
async fn what_a_masked_link_leads_to_is_masked() {
    let (folder, hidden) = (Folder::new("linked"), Folder::new("not-there"));
    std::os::unix::fs::symlink("f", folder.0.join("link")).unwrap();
    let policy = FencePolicy {
        folders: vec![folder.0.clone()],
        // The last two lie where nothing can be masked.
        masked: vec![folder.0.join("link"), folder.0.join("sub"), hidden.0.join("f"), hidden.0.join("sub")],
        ..FencePolicy::default()
    };
    let fence = Arc::new(Fence::raise(&policy, KernelLayers::ALL).unwrap());
    let line = format!("cd {} && cat link f && ls sub", folder.0.display());
    assert_eq!(run(Some(&fence), &line).await, (String::new(), ChildExit::Exited(0)));
}

/// A rule may name a file in a folder that is masked anyway.
#[tokio::test]
async fn masks_may_lie_in_each_other() {
    for layers in FENCES {
        let folder = Folder::new("nested");
        std::fs::write(folder.0.join("sub/secret"), "planted").unwrap();
        let masked = ["sub", "sub/secret", "sub/not-there", "f"].map(|name| folder.0.join(name)).to_vec();
        let policy = FencePolicy { folders: vec![folder.0.clone()], masked, ..FencePolicy::default() };
        let fence = Arc::new(Fence::raise(&policy, layers).unwrap());
        let line = format!("cd {} && cat f sub/secret", folder.0.display());
        let (output, _) = run(Some(&fence), &line).await;
        assert!(!output.contains("planted") && !output.contains("as it was"), "{layers:?}: {output}");
    }
}

#[tokio::test]
async fn a_folder_named_by_a_link_is_rehearsed() {
    let (folder, overlay) = (Folder::new("target"), Folder::new("target-layer"));
    let link = folder.0.with_extension("link");
    std::os::unix::fs::symlink(&folder.0, &link).unwrap();
    std::fs::write(folder.0.join("sub/secret"), "x").unwrap();
    let (folders, masked) = (vec![link.clone()], vec![link.join("sub/secret")]);
    let policy = FencePolicy { folders, masked, overlay: Some(overlay.0.clone()), ..FencePolicy::default() };
    let fence = Fence::raise(&policy, KernelLayers::ALL).map(Arc::new);
    std::fs::remove_file(&link).unwrap();
    let line = format!("cd {} && echo new > f && cat f sub/secret", link.display());
    assert_eq!(run(Some(&fence.unwrap()), &line).await, ("new\n".to_owned(), ChildExit::Exited(0)));
    assert_eq!(std::fs::read_to_string(folder.0.join("f")).unwrap(), "as it was\n");
}

#[tokio::test]
async fn a_fence_can_be_ended_while_somebody_holds_it() {
    for layers in FENCES {
        let fence = Arc::new(Fence::raise(&FencePolicy::default(), layers).unwrap());
        let mut program = Program::new("/bin/sleep", ChildEnv::default(), "/").arg("600");
        program.fence = Some(Arc::clone(&fence));
        let mut child = Child::spawn(&program).unwrap();
        fence.end();
        assert!(matches!(child.next().await, ChildEvent::Ended(ChildExit::Signalled(_))), "{layers:?}");
        assert!(Child::spawn(&program).is_err(), "{layers:?}");
        // Dead, but its number is nobody else's as long as the fence could use it.
        let supervisor = fence.supervisor;
        let look = || {
            waitid(
                WaitId::Pid(supervisor),
                WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG,
            )
        };
        assert!(matches!(look(), Ok(Some(_))), "{layers:?}");
        drop((child, program, fence));
        assert!(matches!(look(), Err(rustix::io::Errno::CHILD)), "{layers:?}");
    }
}
