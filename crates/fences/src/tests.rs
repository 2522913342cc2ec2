//! Fences on the real kernel: which one a program gets, and what belongs to it.

mod set_aside;
mod swept;
mod visible;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use forelook_facts::{FactProbe, KernelProbe, ProjectGit};
use forelook_protocol::{AbsPath, Confinement, Fact, Facts};

use crate::testing::{Bench, git};
use crate::{FenceInputs, PathGuard};

/// A bench that only reads; secrets are called `.env`.
fn held() -> Bench {
    let mut bench = Bench::new(Confinement::ReadOnly);
    bench.inputs.guards = Arc::new(|path: &AbsPath| match path.as_path().ends_with(".env") {
        true => PathGuard::Masked,
        false => PathGuard::Unguarded,
    });
    bench
}

#[tokio::test]
async fn a_fence_is_raised_once_and_again_on_other_ground() {
    let bench = held();
    let get = |inputs: &FenceInputs| bench.fences.get(Confinement::ReadOnly, inputs).unwrap().unwrap();
    let first = get(&bench.inputs);
    assert!(Arc::ptr_eq(&first, &get(&bench.inputs)));
    let online = bench.fences.get(Confinement::ReadOnlyOnline, &bench.inputs).unwrap().unwrap();
    assert!(!Arc::ptr_eq(&first, &online) && Arc::ptr_eq(&first, &get(&bench.inputs)));
    let mut more = bench.inputs.clone();
    more.folders.push(bench.path("gone"));
    let second = get(&more);
    assert!(!Arc::ptr_eq(&first, &second));
    // The folder is another one now, though it is called the same.
    fs::create_dir(bench.path("gone")).unwrap();
    assert!(!Arc::ptr_eq(&second, &get(&more)));
}

/// Another fence may have taken its place meanwhile, or none: what belongs to one that a program has is found all the same.
#[tokio::test]
async fn a_program_gets_what_belongs_to_its_own_fence() {
    let mut bench = held();
    bench.file(".env", "planted");
    let fences = Arc::clone(&bench.fences);
    let get = |inputs: &FenceInputs| fences.get(Confinement::ReadOnly, inputs).unwrap().unwrap();
    let first = get(&bench.inputs);
    let named = |fence| fences.masked(fence, "cat .env", bench.project.as_path());
    assert_eq!(named(&first).map(|masked| masked.name).as_deref(), Some(".env"));
    fences.mark_stale();
    bench.inputs.guards = Arc::new(|_: &AbsPath| PathGuard::Unguarded);
    let mut env = bench.env.clone();
    fences.prepare(Confinement::ReadOnly, &first, &bench.inputs, &mut env);
    assert_eq!(env.get("TMPDIR").map(Path::new), first.scratch());
    let second = get(&bench.inputs);
    assert_eq!((named(&second), named(&first)), (None, None));
}

/// What is started to find out whether there is work to lose runs in the fence too, once one stands.
#[tokio::test]
async fn finding_out_runs_in_the_fence() {
    let bench = held();
    git(&bench.project, &["init", "-q"]);
    bench.file("a", "");
    assert!(bench.fences.fence().is_none());
    bench.ok("true").await;
    assert!(bench.fences.fence().is_some());
    let kernel: Arc<dyn KernelProbe> = bench.fences.clone();
    let git = ProjectGit::new(bench.project.clone(), None, false);
    let probe = FactProbe { env: Arc::new(bench.env.clone()), home: None, kernel: Some(kernel), git };
    let mut facts = Facts::default();
    probe.probe([Fact::Uncommitted(bench.project.clone())], &mut facts).await;
    assert_eq!(facts.uncommitted.get(&bench.project), Some(&true));
}

#[tokio::test]
async fn secrets_are_hidden_in_folders_that_may_be_written_to() {
    let mut bench = held();
    bench.sandbox = Confinement::Workspace;
    let beside = bench.project.parent().unwrap().join("beside");
    fs::create_dir(beside.as_path()).unwrap();
    fs::write(beside.join(".env"), "planted").unwrap();
    let workspace = Some(crate::WorkspaceSetup { writable: vec![beside.clone()], ..Default::default() });
    bench.fences = Arc::new(crate::Fences::new(crate::FenceSetup {
        workspace,
        ..crate::FenceSetup::plain(&bench.keeps())
    }));
    let line = format!("cd {beside}; cat .env; echo x > new && cat new");
    let (output, _) = bench.run(&line).await.unwrap();
    assert!(!output.contains("planted") && output.ends_with('x'), "{output}");
}
