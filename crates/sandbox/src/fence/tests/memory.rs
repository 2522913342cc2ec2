//! Projects in shared memory, where fences have scratch.

use super::*;

#[tokio::test]
async fn a_project_in_shared_memory_is_seen_and_held() {
    let memory = Path::new("/dev/shm");
    let (folder, beside) = (Folder::below(memory, "project"), Folder::below(memory, "beside"));
    let made = std::process::Command::new("mkfifo").arg(folder.0.join("pipe")).status();
    assert!(made.unwrap().success());
    std::fs::write(folder.0.join("sub/secret"), "secret\n").unwrap();
    let (folders, masked) = (vec![folder.0.clone()], vec![folder.0.join("sub/secret"), beside.0.join("f")]);
    let policy = FencePolicy { folders, masked, ..FencePolicy::default() };
    let in_folder = |line: &str| format!("cd {} && {line}", folder.0.display());
    for layers in FENCES {
        let fence = Arc::new(Fence::raise(&policy, layers).unwrap());
        let seen =
            run(Some(&fence), &in_folder("cat f; cat sub/secret ../*-beside/f 2> /dev/null || :")).await;
        assert_eq!(seen, ("as it was\n".to_owned(), ChildExit::Exited(0)), "{layers:?}");
        for line in ["echo x > f", "touch x", "rm f", "chmod 777 f"] {
            assert_ne!(
                run(Some(&fence), &in_folder(line)).await.1,
                ChildExit::Exited(0),
                "{line} in {layers:?}"
            );
        }
        // No mount holds a pipe.
        let written = run(Some(&fence), &in_folder("exec 3<> pipe")).await.1;
        assert_eq!(written == ChildExit::Exited(0), !layers.landlock, "{layers:?}");
    }
    assert_eq!(std::fs::read_to_string(folder.0.join("f")).unwrap(), "as it was\n");
}

#[tokio::test]
async fn a_project_in_shared_memory_is_worked_on_and_rehearsed() {
    let memory = Path::new("/dev/shm");
    let (folder, overlay) = (Folder::below(memory, "workspace"), Folder::new("workspace-layer"));
    let folders = vec![folder.0.clone()];
    let rehearsal =
        FencePolicy { folders: folders.clone(), overlay: Some(overlay.0.clone()), ..FencePolicy::default() };
    let (writable, protected) = (folders.clone(), vec![folder.0.join("sub")]);
    let workspace = FencePolicy { folders, writable, protected, ..FencePolicy::default() };
    for (policy, real) in [(rehearsal, "as it was\n"), (workspace, "new\n")] {
        for layers in FENCES.into_iter().filter(|layers| layers.namespaces) {
            let fence = Arc::new(Fence::raise(&policy, layers).unwrap());
            let line = format!("cd {} && echo new > f && cat f && echo x > ../scratch", folder.0.display());
            assert_eq!(
                run(Some(&fence), &line).await,
                ("new\n".to_owned(), ChildExit::Exited(0)),
                "{layers:?}"
            );
            let line = format!("echo x > {}/sub/x", folder.0.display());
            let is_protected = !policy.protected.is_empty();
            assert_eq!(run(Some(&fence), &line).await.1 != ChildExit::Exited(0), is_protected, "{layers:?}");
        }
        assert_eq!(std::fs::read_to_string(folder.0.join("f")).unwrap(), real);
        assert!(!memory.join("scratch").exists() && !folder.0.join("sub/x").exists());
    }
}

#[tokio::test]
async fn shared_memory_itself_can_be_the_project() {
    let (memory, folder) = (PathBuf::from("/dev/shm"), Folder::below(Path::new("/dev/shm"), "whole"));
    for layers in FENCES {
        let policy = FencePolicy { folders: vec![memory.clone()], ..FencePolicy::default() };
        let fence = Arc::new(Fence::raise(&policy, layers).unwrap());
        let line = format!("cat {0}/f && : > {0}/x", folder.0.display());
        let (output, ending) = run(Some(&fence), &line).await;
        assert!(output.starts_with("as it was\n") && ending != ChildExit::Exited(0), "{layers:?}: {output}");
        let policy = FencePolicy { writable: vec![memory.clone()], ..policy };
        let fence = Arc::new(Fence::raise(&policy, layers).unwrap());
        let line = format!("echo new > {}/new", folder.0.display());
        assert_eq!(run(Some(&fence), &line).await, (String::new(), ChildExit::Exited(0)), "{layers:?}");
        std::fs::remove_file(folder.0.join("new")).unwrap();
    }
}
