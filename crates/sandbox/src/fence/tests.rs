//! Real children in real fences.

use std::sync::Arc;

use super::*;
use crate::{Child, ChildEnv, Ending, Event};

async fn run(fence: Option<&Arc<Fence>>, line: &str) -> (String, Ending) {
    let mut env = ChildEnv::default();
    env.set("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
    let mut program = Program::new("/bin/sh", env, "/").arg("-c").arg(line);
    program.fence = fence.cloned();
    let mut child = Child::spawn(&program).unwrap();
    let mut output = String::new();
    loop {
        match child.next().await {
            Event::Output(chunk) => output.push_str(&String::from_utf8_lossy(&chunk.bytes)),
            Event::Ended(ending) => return (output, ending),
        }
    }
}

const FENCES: [Layers; 3] = [
    Layers::ALL,
    Layers { landlock: false, ..Layers::ALL },
    Layers { namespaces: false, ..Layers::ALL },
];

#[tokio::test]
async fn ends_are_what_they_are_without_a_fence() {
    for layers in FENCES {
        let fence = Arc::new(Fence::raise(&Policy::default(), layers).unwrap());
        for line in ["exit 7", "kill -9 $$", "kill $$", "id", "cat /etc/passwd", "pwd", "no-such-program", "echo a; echo b >&2"] {
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
        let policy = Policy { folders: vec![folder.clone()], writable: Vec::new() };
        let fence = Arc::new(Fence::raise(&policy, layers).unwrap());
        for attempt in ["echo x > f", "rm f", "chmod 777 f", "touch f", "mv f g", "ln f g", "mkdir d", "chown 1 f", "truncate -s 0 f", "setfattr -n user.a -v b f", "mount -o remount,rw /", "unshare -Ur true", "ln -s f g"] {
            let (output, ending) = run(Some(&fence), &format!("cd {} && {attempt}", folder.display())).await;
            assert_ne!(ending, Ending::Exited(0), "{attempt} in {layers:?}: {output}");
        }
        let (output, _) = run(Some(&fence), &format!("cat {}/f", folder.display())).await;
        assert_eq!(output, "as it was");
    }
    let after = std::fs::metadata(folder.join("f")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}
