//! Whatever a command does to a tree: applied, the real one is as the layer was.

use std::process::Command;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};

use super::{planning, rehearse};
use crate::testing::Bench;

/// Every file and link with its mode and its contents. Folders that hold none are left out: git does not know them either.
const LIST: &str = "find . ! -type d ! -path './.git/*' -printf '%P %y %m %l\\n' | sort; \
    find . -type f ! -path './.git/*' -print0 | sort -z | xargs -0r cksum";

fn operation() -> impl Strategy<Value = String> {
    let name = || select(vec!["a", "b", "a/c", "a/d", "b/c", "a/c/e", "old.txt", "src", "src/a.rs"]);
    prop_oneof![
        (name(), 0u8..4).prop_map(|(name, text)| format!("echo {text} > {name}")),
        name().prop_map(|name| format!("mkdir -p {name}")),
        name().prop_map(|name| format!("rm -rf {name}")),
        (name(), name()).prop_map(|(from, to)| format!("mv -T {from} {to}")),
        (name(), name()).prop_map(|(to, name)| format!("ln -sfT {to} {name}")),
        (name(), name()).prop_map(|(from, to)| format!("ln {from} {to}")),
        (name(), select(vec!["755", "711", "700"])).prop_map(|(name, mode)| format!("chmod {mode} {name}")),
        name().prop_map(|name| format!("cp -aT {name} copy")),
    ]
}

fn real(bench: &Bench, line: &str) -> String {
    let ran = Command::new("sh").args(["-c", line]).current_dir(&bench.project).output().unwrap();
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn an_applied_rehearsal_is_as_the_layer_was() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let lines = || prop::collection::vec(operation(), 0..8).prop_map(|all| all.join("; "));
    let mut runner = TestRunner::new(Config { cases: 40, failure_persistence: None, ..Config::default() });
    let checked = runner.run(&(lines(), lines(), lines()), |(before, first, second)| {
        runtime.block_on(async {
            let bench = planning();
            real(&bench, &format!("umask 022; :; {before}"));
            let was = real(&bench, LIST);
            rehearse(&bench, &format!("set +e; umask 022; :; {first}\n true")).await;
            rehearse(&bench, &format!("set +e; umask 022; :; {second}\n true")).await;
            let told = rehearse(&bench, LIST).await;
            let (overlay, _) = told.rsplit_once("[Rehearsed:").unwrap();
            prop_assert_eq!(&real(&bench, LIST), &was);
            if let Some(preview) = bench.fences.rehearsal() {
                let applied = bench.fences.apply(&preview.hash, false, &|_| Ok(()));
                prop_assert_eq!(&applied.failed, &[]);
            }
            prop_assert_eq!(real(&bench, LIST), overlay);
            prop_assert_eq!(bench.fences.rehearsal(), None);
            Ok(())
        })
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}
