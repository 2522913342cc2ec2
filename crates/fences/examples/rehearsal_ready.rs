//! Measures how soon a rehearsal is ready in a small tree, a large one and one ten times as large: from asking for the fence
//! to the end of `true` in it, and the first file that is changed. Prints JSON.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "it is a measurement, and prints it")]
#![expect(clippy::disallowed_methods, reason = "it makes the trees that it measures in")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_fences::{FenceInputs, FenceSetup, Fences, GuardSearch, PathGuard};
use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{Child, ChildEnv, Fence, Program};
use serde_json::json;

/// Files in one folder.
const EACH: usize = 100;

/// The file that is changed.
const CHANGED: &str = "folder-3/file-7.txt";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let rounds = if std::env::args().any(|word| word == "--quick") { 5 } else { 30 };
    let mut trees = [Tree::of(1_000), Tree::of(10_000), Tree::of(100_000)];
    // The search for secrets does not remember folders that changed a moment ago.
    std::thread::sleep(Duration::from_secs(5));
    for _ in 0..rounds {
        for tree in &mut trees {
            tree.rehearse().await;
        }
    }
    let [.., large] = &trees;
    let searched = large.search(rounds);
    let [few, some, many] = trees.map(|tree| (median(tree.ready), median(tree.change)));
    println!(
        "{}",
        json!({
            "ready_1000_ms": few.0,
            "ready_10000_ms": some.0,
            "ready_100000_ms": many.0,
            "first_change_1000_ms": few.1,
            "first_change_ms": many.1,
            "search_first_100000_ms": searched.0,
            "search_again_100000_ms": searched.1,
        })
    );
}

/// A project of many files, and how long it took in it.
struct Tree {
    place: tempfile::TempDir,
    ready: Vec<Duration>,
    change: Vec<Duration>,
}

impl Tree {
    fn of(files: usize) -> Self {
        let place = tempfile::tempdir().unwrap();
        let project = place.path().join("project");
        for folder in 0..files / EACH {
            let folder = project.join(format!("folder-{folder}"));
            fs::create_dir_all(&folder).unwrap();
            for file in 0..EACH {
                // Empty: with something in them it takes minutes on some disks to remove them all.
                fs::write(folder.join(format!("file-{file}.txt")), "").unwrap();
            }
        }
        fs::write(project.join(CHANGED), "as it was\n").unwrap();
        // A secret to be masked, as most projects have one.
        fs::write(project.join(".env"), "KEY=1\n").unwrap();
        Self { place, ready: Vec::new(), change: Vec::new() }
    }

    /// How long the first fence takes, with the search for secrets; and a look whether it is still right, when no folder
    /// changed.
    fn search(&self, rounds: usize) -> (f64, f64) {
        let (inputs, keeps) = self.inputs();
        let (mut first, mut again) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let fences = Fences::new(FenceSetup::plain(&keeps));
            let begin = Instant::now();
            let fence = fences.get(Confinement::ReadOnly, &inputs).unwrap().unwrap();
            first.push(begin.elapsed());
            fences.mark_stale();
            let begin = Instant::now();
            let same = fences.get(Confinement::ReadOnly, &inputs).unwrap().unwrap();
            again.push(begin.elapsed());
            assert!(Arc::ptr_eq(&fence, &same));
        }
        (median(first), median(again))
    }

    fn inputs(&self) -> (FenceInputs, AbsPath) {
        let place = self.place.path().canonicalize().unwrap();
        let project = AbsPath::new(place.join("project")).unwrap();
        let keeps = AbsPath::new(place.join("fences")).unwrap();
        fs::create_dir_all(keeps.as_path()).unwrap();
        let guards = |path: &AbsPath| match path.as_path().ends_with(".env") {
            true => PathGuard::Masked,
            false => PathGuard::Unguarded,
        };
        // As a session asks: most names are passed over by a quick look at them.
        let search =
            GuardSearch { names: Arc::new(|name: &str| name.starts_with('.')), ..GuardSearch::default() };
        let inputs =
            FenceInputs { folders: vec![project.clone()], home: None, guards: Arc::new(guards), search };
        (inputs, keeps)
    }

    async fn rehearse(&mut self) {
        let (inputs, keeps) = self.inputs();
        let project = inputs.folders[0].clone();
        let fences = Fences::new(FenceSetup::plain(&keeps));
        assert!(fences.capabilities().rehearsal, "{:?}", fences.available());
        // As planning does while the model is waited for, long before it asks for a rehearsal.
        fences.get(Confinement::ReadOnly, &inputs).unwrap().unwrap();
        let begin = Instant::now();
        let fence = fences.get(Confinement::Rehearsal, &inputs).unwrap().unwrap();
        run("true", &fence, project.as_path()).await;
        self.ready.push(begin.elapsed());
        let begin = Instant::now();
        run(&format!("echo changed > {CHANGED}"), &fence, project.as_path()).await;
        self.change.push(begin.elapsed());
        // Else something else was measured.
        run(&format!("grep -q changed {CHANGED}"), &fence, project.as_path()).await;
        assert_eq!(fs::read_to_string(project.as_path().join(CHANGED)).unwrap(), "as it was\n");
        fences.discard();
    }
}

async fn run(line: &str, fence: &Arc<Fence>, folder: &Path) {
    let mut program = Program::new("/bin/sh", ChildEnv::default(), folder).arg("-c").arg(line);
    program.fence = Some(Arc::clone(fence));
    let ending = Child::spawn(&program).unwrap().ended().await;
    assert!(ending.is_success(), "`{line}`: {ending}");
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}
