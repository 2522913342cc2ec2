//! A rehearsal made real.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use forelook_protocol::{AbsPath, RehearsalApplied};

use super::super::apply::ApplyJob;
use super::super::overlay::Overlay;
use super::super::{preview, scan};
use super::{planning, rehearse};
use crate::testing::Bench;

fn short(bench: &Bench, paths: &[AbsPath]) -> Vec<String> {
    let rest = |path: &AbsPath| path.as_path().strip_prefix(&bench.project).unwrap().display().to_string();
    paths.iter().map(rest).collect()
}

fn anything(_: &AbsPath) -> Result<(), String> {
    Ok(())
}

#[tokio::test]
async fn exactly_what_was_shown_of_a_rehearsal_is_applied() {
    let bench = planning();
    fs::create_dir_all(bench.path("gone/deep")).unwrap();
    bench.file("gone/deep/x", "x");
    rehearse(
        &bench,
        "echo 3 >> src/a.rs; rm -r gone old.txt; mkdir -p d/e; echo x > d/e/new; chmod 755 d/e/new; ln -s src l; mkdir empty",
    )
    .await;
    let preview = bench.fences.rehearsal().unwrap();
    let applied = bench.fences.apply(&preview.hash, false, &anything);
    assert_eq!(applied.failed, []);
    assert_eq!(short(&bench, &applied.files), ["gone/deep/x", "old.txt", "d/e/new", "l", "src/a.rs"]);
    assert_eq!(bench.bytes("src/a.rs"), b"fn a() {}\nfn b() {}\n3\n");
    assert_eq!(fs::metadata(bench.path("d/e/new")).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::read_link(bench.path("l")).unwrap().as_os_str(), "src");
    assert!(!bench.path("gone").as_path().exists() && !bench.path("old.txt").as_path().exists());
    // Again: nothing is left to do, and nothing is done.
    let again = bench.fences.apply(&preview.hash, false, &anything);
    assert_eq!(again, applied);
    assert_eq!(bench.fences.rehearsal(), None);
}

#[tokio::test]
async fn another_rehearsal_than_the_one_shown_is_not_applied() {
    let bench = planning();
    rehearse(&bench, "echo 1 > one; echo 2 > two").await;
    let hash = bench.fences.rehearsal().unwrap().hash;
    for line in ["echo 3 > three", "rm three; echo other > one"] {
        rehearse(&bench, line).await;
        let applied = bench.fences.apply(&hash, false, &anything);
        assert_eq!(applied.files, [], "{line}");
        assert_eq!(applied.failed.len(), 2);
        assert!(applied.failed[0].1.contains("changed after it was shown"), "{applied:?}");
    }
    for hash in ["", "0", &"0".repeat(64), "../folders", &hash.replace(|c: char| c.is_ascii_digit(), "e")] {
        assert_eq!(bench.fences.apply(hash, false, &anything).files, []);
    }
    assert_eq!(fs::read_dir(&bench.project).unwrap().count(), 2);
    // As shown again, it is.
    rehearse(&bench, "echo 1 > one").await;
    assert_eq!(bench.fences.apply(&hash, false, &anything).files.len(), 2);
}

#[tokio::test]
async fn a_file_that_changed_since_the_rehearsal_was_shown_is_left() {
    let bench = planning();
    rehearse(&bench, "echo 3 >> src/a.rs; rm old.txt; echo 1 > one; echo 2 > two").await;
    let hash = bench.fences.rehearsal().unwrap().hash;
    // One was applied before somebody was killed, two are the person's now, one may not be.
    bench.file("two", "2\n");
    bench.file("old.txt", "the person's\n");
    bench.file("one", "mine\n");
    let denied = bench.path("src/a.rs");
    let may = |path: &AbsPath| if *path == denied { Err("A rule denies it".to_owned()) } else { Ok(()) };
    let applied = bench.fences.apply(&hash, false, &may);
    assert_eq!(short(&bench, &applied.files), ["two"]);
    let failed: Vec<_> = applied.failed.iter().map(|(path, why)| (path.clone(), why.as_str())).collect();
    let changed = "It changed after the rehearsal was shown, so it was left alone";
    assert_eq!(
        failed,
        [
            (bench.path("old.txt"), changed),
            (bench.path("one"), changed),
            (denied.clone(), "A rule denies it")
        ]
    );
    assert_eq!(bench.bytes("old.txt"), b"the person's\n");
    assert_eq!(bench.bytes("src/a.rs"), b"fn a() {}\nfn b() {}\n");
}

/// A link that somebody puts in the way is not followed out of the working folder.
#[tokio::test]
async fn applying_a_rehearsal_follows_no_link() {
    let bench = planning();
    let outside = bench.project.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.rs"), "fn a() {}\nfn b() {}\n").unwrap();
    rehearse(&bench, "echo 3 >> src/a.rs; echo x > src/new; mkdir d; echo y > d/y; rm old.txt").await;
    let hash = bench.fences.rehearsal().unwrap().hash;
    let overlay = Overlay::of(&bench.keeps());
    let overlaid = overlay.overlaid();
    let scan = scan::scan(&overlaid);
    let (_, noted) = preview::preview(&overlaid, &scan, &|_| false).unwrap();
    fs::remove_dir_all(bench.path("src")).unwrap();
    symlink(&outside, bench.path("src")).unwrap();
    symlink(&outside, bench.path("d")).unwrap();
    // It is another rehearsal now, since the links would go.
    assert_eq!(bench.fences.apply(&hash, false, &anything).files, []);
    // And whoever puts them there after the look finds them not followed.
    let mut applied = RehearsalApplied::default();
    ApplyJob { overlaid: &overlaid, scan: &scan, files: &noted.files, with_protected: false }
        .apply(&anything, &mut applied);
    assert_eq!(short(&bench, &applied.files), ["old.txt"]);
    assert_eq!(applied.failed.len(), 3, "{applied:?}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(fs::read(outside.join("a.rs")).unwrap(), b"fn a() {}\nfn b() {}\n");
}

/// What decides what runs later is told apart, and a yes to the rest is none to it.
#[tokio::test]
async fn what_runs_later_needs_a_yes_of_its_own() {
    let mut bench = planning();
    bench.inputs.guards = std::sync::Arc::new(|path: &AbsPath| {
        match path.as_path().components().any(|part| part.as_os_str() == ".husky") {
            true => crate::PathGuard::Protected,
            false => crate::PathGuard::Unguarded,
        }
    });
    rehearse(&bench, "mkdir .husky; echo x > .husky/pre-commit; echo 1 > one").await;
    let preview = bench.fences.rehearsal().unwrap();
    let protected: Vec<bool> = preview.files.iter().map(|file| file.protected).collect();
    assert_eq!(protected, [true, false]);
    let applied = bench.fences.apply(&preview.hash, false, &anything);
    assert_eq!(short(&bench, &applied.files), ["one"]);
    let (path, why) = &applied.failed[0];
    assert!(path.as_path().ends_with(".husky/pre-commit") && why.contains("only its own yes"), "{why}");
    assert!(!bench.path(".husky").as_path().exists());
    let applied = bench.fences.apply(&preview.hash, true, &anything);
    assert_eq!(short(&bench, &applied.files), [".husky/pre-commit", "one"]);
    assert_eq!(bench.bytes(".husky/pre-commit"), b"x\n");
}

/// What the path of a new file meets in the real folder: a link is in its way, wherever that leads.
#[tokio::test]
async fn a_folder_comes_where_a_link_was() {
    for (name, leads_to) in [("loop", "a/c"), ("inside", "src"), ("outside", "/etc"), ("nowhere", "gone")] {
        let bench = planning();
        symlink(leads_to, bench.path("a")).unwrap();
        rehearse(&bench, "mv -T a old.txt; mkdir -p a/c; echo 0 > a/c/e; echo 1 > a/a.rs; echo 2 > a/passwd")
            .await;
        let preview = bench.fences.rehearsal().unwrap();
        let applied = bench.fences.apply(&preview.hash, false, &anything);
        assert_eq!(applied.failed, [], "{name}");
        for (file, contents) in [("a/c/e", "0\n"), ("a/a.rs", "1\n"), ("a/passwd", "2\n")] {
            assert_eq!(fs::read_to_string(bench.path(file)).unwrap(), contents, "{name}");
        }
        assert_eq!(fs::read_link(bench.path("old.txt")).unwrap().as_os_str(), leads_to, "{name}");
    }
}
