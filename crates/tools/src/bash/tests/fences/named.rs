//! Masked files, and when the model hears of them.

use std::fs;
use std::sync::Arc;

use forelook_fences::{GuardSearch, PathGuard};
use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::KernelLayers;
use serde_json::json;

use super::held;
use crate::testing::Bench;

const SAYS: &str = "contains secrets";

/// A home beside the project with places for secrets, some of which are there.
fn bench() -> Bench {
    let mut bench = held(Confinement::ReadOnly, KernelLayers::ALL);
    let home = bench.cx.place.project.parent().unwrap().join("home");
    fs::create_dir_all(home.join(".kube")).unwrap();
    fs::write(home.join(".kube/config"), "planted").unwrap();
    let places = [".kube/config", ".forelook/key", ".docker/credentials"].map(|it| home.join(it));
    let known = places.clone();
    bench.inputs.guards = Arc::new(move |path: &AbsPath| {
        let name = path.as_path().file_name().and_then(|name| name.to_str());
        match known.contains(path) || matches!(name, Some(".env" | "token")) {
            true => PathGuard::Masked,
            false => PathGuard::Unguarded,
        }
    });
    let names = Arc::new(|_: &str| true);
    bench.inputs.search =
        GuardSearch { names, places: Arc::new(move || places.to_vec()), ..GuardSearch::default() };
    bench.inputs.home = Some(home);
    fs::create_dir_all(bench.path("sub")).unwrap();
    bench.file(".env", "planted");
    bench.file("sub/token", "planted");
    bench.file("a.txt", "key config credentials token\n");
    bench
}

#[tokio::test]
async fn a_word_that_is_called_like_a_secret_elsewhere_is_none() {
    let mut bench = bench();
    for command in [
        "grep -rn no-key-here . ; true",
        "echo key config credentials token > /dev/null",
        "true config; true ~/.forelook/key; false || : key",
        "cat sub/../a.txt; : sub/token",
    ] {
        let said = bench.ok("Bash", json!({"command": command})).await;
        assert!(!said.contains(SAYS), "{command}: {said}");
    }
    for command in ["grep -rn key nowhere", "git config -l; exit 1", "cat token"] {
        let said = bench.failure("Bash", json!({"command": command})).await;
        assert!(!said.contains(SAYS), "{command}: {said}");
    }
}

#[tokio::test]
async fn what_a_line_really_names_is_told() {
    let mut bench = bench();
    let home = bench.inputs.home.clone().unwrap();
    let whole = format!("cat {home}/.kube/config");
    for (command, name) in [
        ("cat .env", "`.env`"),
        ("cd sub; cat ../.env", "`.env`"),
        ("cat ./sub/token", "`sub/token`"),
        ("grep x --file=sub/token; true", "`sub/token`"),
        (whole.as_str(), "`~/.kube/config`"),
        ("cd ../home; cat .kube/config", "`~/.kube/config`"),
    ] {
        // Scratch takes the place of the folder that this home is in, so there it fails.
        let said = bench.call("Bash", json!({"command": command})).await.result.text();
        assert!(said.contains(&format!("[{name} {SAYS}")), "{command}: {said}");
        bench.cx.place.folder = bench.cx.place.project.clone();
    }
    bench.cx.place.folder = bench.path("sub");
    let said = bench.ok("Bash", json!({"command": "cat token"})).await;
    assert!(said.contains(&format!("[`sub/token` {SAYS}")), "{said}");
    // What wrote what it should has no note.
    let said = bench.ok("Bash", json!({"command": "cat ../a.txt token"})).await;
    assert!(!said.contains(SAYS), "{said}");
}
