//! What a layer holds, on real layers.

mod applied;
mod bounds;
mod random;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use forelook_protocol::{AbsPath, Confinement, FileChange, Rehearsal};
use forelook_testkit::{is_root, tests_as_nobody};

use super::overlay::Overlay;
use super::scan;
use crate::testing::{Bench, git};
use crate::{FenceSetup, Fences};

/// Runs a line on the layer, which must succeed.
async fn rehearse(bench: &Bench, line: &str) -> String {
    let said = bench.ok(&format!("set -e; {line}")).await;
    let summary = bench.fences.rehearsal_summary(&bench.project);
    if said.is_empty() { summary } else { format!("{said}\n{summary}") }
}

/// A planning session in a project with a few files.
fn planning() -> Bench {
    let bench = Bench::new(Confinement::Rehearsal);
    fs::create_dir(bench.path("src")).unwrap();
    bench.file("src/a.rs", "fn a() {}\nfn b() {}\n");
    bench.file("old.txt", "old\n");
    bench
}

/// What concerns the rights of whoever plans is tried as nobody too: there the kernel gives less.
#[test]
fn all_of_it_works_for_nobody_too() {
    if !is_root() {
        return;
    }
    let said = tests_as_nobody(&["rehears", "--skip", "for_nobody_too"]);
    assert!(!said.contains(" 0 passed"), "{said}");
}

/// The files of a rehearsal as `M name +1 -1`.
fn listed(bench: &Bench, rehearsal: &Rehearsal) -> Vec<String> {
    let one = |file: &forelook_protocol::RehearsedFile| {
        let letter = match file.change {
            FileChange::Added => 'A',
            FileChange::Changed => 'M',
            FileChange::Removed => 'D',
        };
        let rest = file.path.as_path().strip_prefix(&bench.project).unwrap().display();
        format!("{letter} {rest} +{} -{}", file.added, file.removed)
    };
    rehearsal.files.iter().map(one).collect()
}

#[tokio::test]
async fn every_kind_of_change_is_seen_in_a_rehearsal() {
    for (before, line, expected) in [
        ("", "", &[][..]),
        ("", "echo 3 >> src/a.rs", &["M src/a.rs +1 -0"]),
        ("", "printf 'fn a() {}\\nfn c() {}\\n' > src/a.rs", &["M src/a.rs +1 -1"]),
        ("", "rm old.txt; echo x > new", &["A new +1 -0", "D old.txt +0 -1"]),
        // Copied to the layer, and as it was.
        ("", "touch old.txt; cp src/a.rs t; cat t > src/a.rs; rm t; mkdir src/empty", &[]),
        ("", "chmod 755 old.txt", &["M old.txt +0 -0"]),
        ("", "chmod 700 src", &[]),
        // A whole folder goes, is replaced, or comes to stand for a file.
        ("mkdir d d/e; echo 1 > d/e/f; echo 2 > d/g", "rm -r d", &["D d/e/f +0 -1", "D d/g +0 -1"]),
        ("mkdir d; echo 1 > d/f; echo 2 > d/g", "rm -r d; mkdir d; echo 1 > d/f", &["D d/g +0 -1"]),
        ("mkdir d; echo 1 > d/f", "rm -r d; echo x > d", &["A d +1 -0", "D d/f +0 -1"]),
        ("", "rm old.txt; mkdir old.txt; echo x > old.txt/x", &["D old.txt +0 -1", "A old.txt/x +1 -0"]),
        ("mkdir d; echo 1 > d/f", "mv d e", &["D d/f +0 -1", "A e/f +1 -0"]),
        ("mkdir d; echo 1 > d/f", "rm -r d; ln -s src d", &["A d +1 -0", "D d/f +0 -1"]),
        // Links.
        ("", "ln -s old.txt l", &["A l +1 -0"]),
        ("ln -s old.txt l", "ln -sfn src/a.rs l", &["M l +1 -1"]),
        ("ln -s old.txt l", "rm l; echo x > l", &["M l +1 -1"]),
        ("ln -s old.txt l", "rm l; ln -s old.txt l", &[]),
        ("ln -s src l", "rm l; mkdir l; echo x > l/a", &["D l +0 -1", "A l/a +1 -0"]),
        // No text, and what is no file at all.
        ("", "head -c 3000 /dev/zero > zeros", &["A zeros +0 -0"]),
        ("", "head -c 3000000 /dev/zero | tr '\\0' a > long", &["A long +0 -0"]),
        ("", "mkfifo pipe; rm old.txt; mkfifo old.txt", &["D old.txt +0 -1"]),
        ("", "printf x > \"$(printf 'caf\\351 \\nb')\"", &["A caf\u{fffd} \nb +1 -0"]),
        // A file of nothing.
        ("", ": > nothing; : > old.txt", &["A nothing +0 -0", "M old.txt +0 -1"]),
    ] {
        let bench = planning();
        let ran = std::process::Command::new("sh")
            .args(["-ec", before])
            .current_dir(&bench.project)
            .status()
            .unwrap();
        assert!(ran.success(), "{before}");
        rehearse(&bench, line).await;
        let rehearsal = bench.fences.rehearsal();
        let found = rehearsal.map(|rehearsal| listed(&bench, &rehearsal)).unwrap_or_default();
        assert_eq!(found, expected, "{before} | {line}");
    }
}

#[tokio::test]
async fn what_git_ignores_is_counted_in_a_rehearsal() {
    let bench = planning();
    bench.file(".gitignore", "*.o\n/target/\n!keep.o\n");
    bench.file("src/.gitignore", "gen\n");
    git(&bench.project, &["init", "-q"]);
    fs::write(bench.path(".git/info/exclude"), "excluded\n").unwrap();
    fs::create_dir(bench.path("target")).unwrap();
    bench.file("target/was", "");
    let text = rehearse(
        &bench,
        "git status >/dev/null; mkdir -p target/deep src/gen made; rm target/was; touch a.o keep.o target/deep/x \
         target/keep.o src/gen/y excluded src/z; echo '*' > made/.gitignore; touch made/m; git add src/a.rs",
    )
    .await;
    let rehearsal = bench.fences.rehearsal().unwrap();
    assert_eq!(listed(&bench, &rehearsal), ["A keep.o +0 -0", "A src/z +0 -0"]);
    assert!(rehearsal.ignored >= 8, "{}", rehearsal.ignored);
    assert!(
        text.ends_with(&format!(
            "2 files would change: A keep.o, A src/z; {} ignored by git]",
            rehearsal.ignored
        )),
        "{text}"
    );
    // Outside of a repository such a file means nothing.
    let bench = planning();
    bench.file(".gitignore", "*.o\n");
    rehearse(&bench, "touch a.o; git init -q sub; echo '*.c' > sub/.gitignore; touch sub/b.c sub/b.d").await;
    let rehearsal = bench.fences.rehearsal().unwrap();
    assert_eq!(listed(&bench, &rehearsal), ["A a.o +0 -0", "A sub/.gitignore +1 -0", "A sub/b.d +0 -0"]);
}

/// git takes the diff, and makes of the real files what the layer shows.
#[tokio::test]
async fn the_diff_of_a_rehearsal_is_one_that_git_takes() {
    let bench = planning();
    git(&bench.project, &["init", "-q"]);
    rehearse(
        &bench,
        "echo 3 >> src/a.rs; rm old.txt; mkdir d; printf 'no end' > d/new; chmod 755 d/new; ln -s src/a.rs link; printf 'a\\r\\n' > crlf",
    )
    .await;
    let rehearsal = bench.fences.rehearsal().unwrap();
    let patch = bench.project.parent().unwrap().join("patch");
    fs::write(&patch, &rehearsal.diff).unwrap();
    git(&bench.project, &["apply", &patch.to_string()]);
    // Nothing is different any more.
    assert_eq!(bench.fences.rehearsal(), None, "{}", rehearsal.diff);
    assert_eq!(fs::read(bench.path("d/new")).unwrap(), b"no end");
}

#[tokio::test]
async fn the_diff_of_a_rehearsal_says_what_it_leaves_out() {
    let bench = planning();
    rehearse(
        &bench,
        "head -c 3000 /dev/zero > zeros; head -c 3000000 /dev/zero | tr '\\0' a > long; seq 50000 > many; echo x > small; \
         echo secret > shut; chmod 000 shut",
    )
    .await;
    let diff = bench.fences.rehearsal().unwrap().diff;
    for words in [
        "b/zeros\nnew file mode 100644\n[Binary file, not shown]",
        "b/long\nnew file mode 100644\n[Too long to compare]",
        "+++ b/small\n@@ -0,0 +1 @@\n+x\n",
        "[Too long to show here: the changes to 1 file]",
    ] {
        assert!(diff.contains(words), "{words}: {diff}");
    }
    assert!(!diff.contains("many"), "{diff}");
    // Root reads it.
    let shut = if rustix::process::geteuid().is_root() { "+secret" } else { "b/shut\n[Cannot be shown: " };
    assert!(diff.contains(shut), "{diff}");
}

/// The cost is per file changed: real folders are not even listed, however large they are.
#[tokio::test]
async fn a_rehearsal_costs_what_is_changed_and_not_what_is_there() {
    let bench = planning();
    for number in 0..50 {
        fs::create_dir(bench.path(&format!("d{number}"))).unwrap();
        for file in 0..40 {
            bench.file(&format!("d{number}/f{file}"), "x");
        }
    }
    rehearse(&bench, "echo y >> d7/f7; touch d8/new").await;
    let overlay = Overlay::of(&bench.keeps());
    let found = scan::scan(&overlay.overlaid());
    assert_eq!((found.touched.len(), found.listed), (2, 0));
    // Only what goes is gone through.
    rehearse(&bench, "rm -r d9").await;
    let found = scan::scan(&overlay.overlaid());
    assert_eq!((found.touched.len(), found.listed), (42, 1));
    // And the kernel copied no more than that.
    let upper = fs::read_dir(&overlay.overlaid()[0].upper).unwrap().count();
    assert_eq!(upper, 3);
}

#[tokio::test]
async fn a_session_that_comes_back_finds_its_rehearsal() {
    let mut bench = planning();
    rehearse(&bench, "echo 1 > one").await;
    let before = bench.fences.rehearsal().unwrap();
    let folder = bench.keeps();
    bench.fences = Arc::new(Fences::new(FenceSetup::plain(&folder)));
    // Before anybody said what is protected, all of it is.
    assert!(bench.fences.rehearsal().is_some_and(|it| it.files.iter().all(|file| file.protected)));
    bench.fences.remember(&bench.inputs);
    assert_eq!(bench.fences.rehearsal(), Some(before));
    assert!(rehearse(&bench, "cat one").await.starts_with("1\n"));
    // One more working folder adds to it.
    let other = AbsPath::new(folder.join("../other")).unwrap();
    fs::create_dir(&other).unwrap();
    bench.inputs.folders.push(other.clone());
    rehearse(&bench, &format!("cat one; echo 2 > {other}/two")).await;
    let paths: Vec<AbsPath> =
        bench.fences.rehearsal().unwrap().files.into_iter().map(|file| file.path).collect();
    assert_eq!(paths, [other.join("two"), bench.path("one")]);
    // Others begin anew.
    bench.inputs.folders.reverse();
    rehearse(&bench, "true").await;
    assert_eq!(bench.fences.rehearsal(), None);
}

/// A call that was decided on while planning may come when that is over.
#[tokio::test]
async fn what_comes_late_is_not_rehearsed() {
    let bench = planning();
    rehearse(&bench, "echo 1 > one").await;
    bench.fences.allow_rehearsals(false);
    bench.fences.discard();
    let said = bench.run("echo 2 > two").await.unwrap_err().to_string();
    assert!(said.contains("only while planning"), "{said}");
    bench.fences.allow_rehearsals(true);
    assert_eq!(bench.fences.rehearsal(), None, "nothing is left for the next plan");
    rehearse(&bench, "echo 3 > three").await;
    assert_eq!(bench.fences.rehearsal().unwrap().files.len(), 1);
}

#[tokio::test]
async fn a_rehearsal_is_thrown_away_whole() {
    let mut bench = planning();
    bench.fences.discard();
    // Folders that are closed, and the kernel's own, go too.
    rehearse(&bench, "mkdir -p shut/deep; touch shut/deep/x; chmod 000 shut/deep shut; rm old.txt").await;
    let hash = bench.fences.rehearsal().unwrap().hash;
    // Left over by a session that was killed: another one in its place throws it away.
    let folder = bench.keeps();
    bench.fences = Arc::new(Fences::new(FenceSetup::plain(&folder)));
    bench.fences.discard();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    assert_eq!(bench.fences.rehearsal(), None);
    let applied = bench.fences.apply(&hash, false, &|_| Ok(()));
    assert_eq!(applied.files, []);
    assert!(applied.failed[0].1.contains("no longer exists"), "{applied:?}");
    // Once a fence was wanted it is known what the rehearsal was of.
    rehearse(&bench, "true").await;
    bench.fences.discard();
    let applied = bench.fences.apply(&hash, false, &|_| Ok(()));
    assert_eq!(applied.failed[0].0, bench.project);
    assert_eq!(bench.bytes("old.txt"), b"old\n");
    assert_eq!(fs::metadata(bench.path("src")).unwrap().permissions().mode() & 0o777, 0o755);
}

/// Also one that comes to be only by what was rehearsed, and whatever it is called.
#[tokio::test]
async fn what_git_would_run_takes_a_yes_of_its_own() {
    let bench = planning();
    git(&bench.project, &["init", "-q", "--bare", "store"]);
    rehearse(
        &bench,
        "echo x > store/hooks/update; git init -q --bare new; echo x > new/hooks/update; echo x > y",
    )
    .await;
    let files = bench.fences.rehearsal().unwrap().files;
    assert!(files.iter().any(|file| file.path == bench.path("store/hooks/update")));
    for file in files {
        assert_eq!(file.protected, file.path != bench.path("y"), "{}", file.path);
    }
}
