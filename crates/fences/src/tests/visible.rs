//! What commands see and change of guarded files, in every fence.

use std::fs;
use std::io;
use std::sync::Arc;

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{ChildExit, KernelLayers};

use crate::testing::Bench;
use crate::{FenceSetup, Fences, PathGuard};

const FILES: [(&str, PathGuard); 5] = [
    ("plain", PathGuard::Unguarded),
    ("held", PathGuard::Protected),
    ("secret", PathGuard::Masked),
    ("login", PathGuard::Credentials),
    ("denied", PathGuard::Denied),
];

/// A project with a guarded file of every kind, and the same beside it.
fn bench(sandbox: Confinement) -> Bench {
    let mut bench = Bench::new(sandbox);
    let beside = bench.project.parent().unwrap().join("beside");
    fs::create_dir(&beside).unwrap();
    for (name, _) in FILES {
        bench.file(name, format!("{name} in the project\n"));
        fs::write(beside.join(name), format!("{name} beside it\n")).unwrap();
    }
    bench.inputs.guards = Arc::new(|path: &AbsPath| {
        let name = path.as_path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
        FILES.iter().find(|(file, _)| *file == name).map_or(PathGuard::Unguarded, |(_, guard)| *guard)
    });
    bench.inputs.search.places = Arc::new(move || vec![beside.clone()]);
    bench
}

/// The names of the files that show something.
async fn seen(bench: &Bench) -> Vec<&'static str> {
    let mut seen = Vec::new();
    for (name, _) in FILES {
        let (output, _) = bench.run(&format!("cat {name} 2>/dev/null")).await.unwrap();
        seen.extend((output == format!("{name} in the project")).then_some(name));
    }
    seen
}

#[tokio::test]
async fn what_is_seen_in_each_fence() {
    use Confinement::{Inspect, InspectSecrets, Masked, Off, ReadOnly, ReadOnlyOnline, Rehearsal, Workspace};
    for (sandbox, expected) in [
        (Off, &["plain", "held", "secret", "login", "denied"][..]),
        (Masked, &["plain", "held", "secret", "login"]),
        (Workspace, &["plain", "held"]),
        (Inspect, &["plain", "held"]),
        (InspectSecrets, &["plain", "held", "secret", "login"]),
        (ReadOnlyOnline, &["plain", "held", "login"]),
        (ReadOnly, &["plain", "held"]),
        (Rehearsal, &["plain", "held"]),
    ] {
        let bench = bench(sandbox);
        assert_eq!(seen(&bench).await, expected, "{sandbox:?}");
    }
}

/// Beside the working folders only what a rule denies is masked where nothing else is.
#[tokio::test]
async fn masks_reach_beyond_the_working_folders() {
    let bench = bench(Confinement::Masked);
    let (output, _) = bench.run("cat ../beside/* 2>&1").await.unwrap();
    assert!(output.contains("login beside it") && output.contains("secret beside it"), "{output}");
    assert!(!output.contains("denied beside it"), "{output}");
}

#[tokio::test]
async fn what_may_be_changed_in_the_workspace_and_with_masks_alone() {
    let changes = |name: &str| format!("echo new > {name}");
    for (sandbox, expected) in [
        (Confinement::Workspace, [true, false, false, false, false]),
        (Confinement::Masked, [true, true, true, true, false]),
    ] {
        let bench = bench(sandbox);
        for ((name, _), expected) in FILES.into_iter().zip(expected) {
            let (output, ending) = bench.run(&changes(name)).await.unwrap();
            assert_eq!(ending == ChildExit::Exited(0), expected, "{sandbox:?} {name}: {output}");
            assert_eq!(bench.bytes(name) == b"new\n", expected, "{sandbox:?} {name}");
        }
        // Nor does it get another name, which no rule knows.
        let (_, ending) = bench.run("mv denied other").await.unwrap();
        assert!(ending != ChildExit::Exited(0) && !bench.path("other").as_path().exists(), "{sandbox:?}");
    }
}

/// The environment is that of a command in no fence, and so is scratch.
#[tokio::test]
async fn masks_alone_change_no_environment() {
    let bench = bench(Confinement::Masked);
    let fence = bench.fences.get(Confinement::Masked, &bench.inputs).unwrap().unwrap();
    let mut env = bench.env.clone();
    bench.fences.prepare(Confinement::Masked, &fence, &bench.inputs, &mut env);
    assert_eq!(env, bench.env);
    assert_eq!(
        bench.ok("readlink /proc/self/ns/net").await,
        fs::read_link("/proc/self/ns/net").unwrap().display().to_string()
    );
}

/// A command goes on in the fence that it began in. The next one gets another if there is more to hide by then.
#[tokio::test]
async fn masks_are_renewed_where_there_is_more_to_hide() {
    let confined =
        [Confinement::ReadOnly, Confinement::ReadOnlyOnline, Confinement::Inspect, Confinement::Workspace];
    for sandbox in confined.into_iter().chain([Confinement::Masked]) {
        let bench = bench(sandbox);
        let mut child = bench.start("sleep 0.3; cat plain").unwrap();
        let get = || bench.fences.get(sandbox, &bench.inputs).unwrap().unwrap();
        let first = get();
        bench.fences.mark_stale();
        assert!(Arc::ptr_eq(&first, &get()), "{sandbox:?}: nothing else is to be hidden");
        fs::create_dir(bench.path("new")).unwrap();
        bench.file("new/denied", "hidden");
        assert!(Arc::ptr_eq(&first, &get()), "{sandbox:?}: nobody said that there may be something");
        bench.fences.mark_stale();
        let second = get();
        assert!(!Arc::ptr_eq(&first, &second) && first.is_active(), "{sandbox:?}");
        drop((first, second));
        assert_eq!(child.ended().await, ChildExit::Exited(0), "{sandbox:?}");
    }
    let bench = bench(Confinement::Rehearsal);
    let get = || bench.fences.get(Confinement::Rehearsal, &bench.inputs).unwrap().unwrap();
    let first = get();
    fs::create_dir(bench.path("new")).unwrap();
    bench.file("new/denied", "hidden");
    bench.fences.mark_stale();
    assert!(Arc::ptr_eq(&first, &get()), "an overlay keeps what commands left there");
}

#[test]
fn without_namespaces_nothing_is_only_masked() {
    let bench = bench(Confinement::Masked);
    assert!(bench.fences.capabilities().masked);
    let layers = KernelLayers { namespaces: false, ..KernelLayers::ALL };
    let fences = Fences::new(FenceSetup { layers, ..FenceSetup::plain(&bench.keeps()) });
    assert!(!fences.capabilities().masked);
    let error = fences.get(Confinement::Masked, &bench.inputs).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::Unsupported);
    assert_eq!(error.to_string(), "Hiding files needs namespaces: turned off");
    // Where there is no filter for system calls there is no other fence, but there are masks.
    let layers = KernelLayers { seccomp: false, ..KernelLayers::ALL };
    let fences = Fences::new(FenceSetup { layers, ..FenceSetup::plain(&bench.keeps()) });
    assert!(fences.capabilities().masked && !fences.capabilities().read_only);
    assert!(fences.get(Confinement::Masked, &bench.inputs).unwrap().is_some());
}
