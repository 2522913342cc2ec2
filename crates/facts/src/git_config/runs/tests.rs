//! All that git runs in a folder is found, and compared with what was there at first.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use forelook_protocol::AbsPath;

use super::{GitReach, GitRuns, Unchecked, git_runs};
use crate::ProjectGit;

/// A home folder with a repository `p` in it, changed by this line.
fn world(line: &str) -> tempfile::TempDir {
    let world = tempfile::tempdir().unwrap();
    bash(
        world.path(),
        "git init -q p; cd p; git config user.name a; git config user.email a@b; echo a > a; git add a; git commit -qm x",
    );
    bash(&world.path().join("p"), line);
    world
}

fn bash(folder: &Path, line: &str) {
    let done = Command::new("bash")
        .args(["-ec", line])
        .current_dir(folder)
        .env("HOME", folder.ancestors().nth(usize::from(folder.ends_with("p"))).unwrap())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
}

fn abs(path: impl AsRef<Path>) -> AbsPath {
    AbsPath::new(path.as_ref().canonicalize().unwrap()).unwrap()
}

fn runs(world: &tempfile::TempDir, folder: &str) -> GitRuns {
    let reach = GitReach::Nested { time: Duration::from_secs(60) };
    git_runs(&abs(world.path().join(folder)), Some(&abs(world.path())), reach)
}

const HOOK: &str = "printf '#!/bin/sh\\nsh scripts/lint.sh\\n' > .git/hooks/pre-commit; mkdir scripts; echo true > scripts/lint.sh; ";

#[test]
fn what_an_ordinary_repository_has_runs_nothing() {
    for line in [
        "true",
        "git remote add origin https://example.com/x; git remote add other git@example.com:x/y.git",
        "git config push.default current; git config rerere.enabled true; git config gc.auto 0",
        "git config branch.main.vscode-merge-base origin/main; git config remote.origin.gh-resolved base",
        "git init -q --bare ../other.git; git remote add origin ../other.git; git push -q origin HEAD:x",
        "git -c protocol.file.allow=always submodule --quiet add ../p sub; git commit -qm s",
    ] {
        let world = world(line);
        let found = runs(&world, "p");
        assert!(found.parts.is_empty() && found.unchecked.is_empty(), "{line}: {found:?}");
    }
}

#[test]
fn all_that_runs_is_found() {
    for (line, folder, part) in [
        (HOOK, "p", ".git/hooks/pre-commit"),
        (HOOK, "p/scripts", "scripts/lint.sh"),
        ("git config core.fsmonitor ./x", "p", "core.fsmonitor"),
        ("git config include.path ../more", "p", "include.path"),
        ("git config include.path ../more; printf '[core]\\nsshCommand = x' > more", "p", "core.sshcommand"),
        ("git config alias.st '!x'", "p", "alias.st"),
        ("git config core.hooksPath h; mkdir h; echo > h/pre-push", "p", "h/pre-push"),
        ("git config --global core.hooksPath h; mkdir h; echo > h/pre-push", "p", "h/pre-push"),
        ("git config filter.x.clean 'sh tools/x.sh'; mkdir tools; echo > tools/x.sh", "p", "tools/x.sh"),
        ("git init -q v; git -C v config core.fsmonitor x; mkdir -p v/a/.git", "p/v/a", "core.fsmonitor"),
        ("git init -q --bare v; git -C v config core.fsmonitor x", "p/v", "core.fsmonitor"),
        ("git worktree add -q ../w; git config core.fsmonitor x", "w", "core.fsmonitor"),
        (
            "git init -q v; git -C v -c user.name=a -c user.email=a commit -q --allow-empty -m x; git add v 2>/dev/null; git -C v config core.fsmonitor x",
            "p",
            "core.fsmonitor",
        ),
        (
            "git init -q v; git -C v -c user.name=a -c user.email=a commit -q --allow-empty -m x; git add v 2>/dev/null; git update-index --index-version 4; git -C v config core.fsmonitor x",
            "p",
            "core.fsmonitor",
        ),
        ("git init -q --bare r; echo > r/hooks/update; git remote add o ./r", "p", "/r/hooks/update"),
        (
            "git init -q --bare r.git; echo > r.git/hooks/update; git remote add o file://$PWD/r",
            "p",
            "/r.git/hooks/update",
        ),
    ] {
        let world = world(line);
        let found = runs(&world, folder);
        assert!(found.parts.iter().any(|it| it.name.ends_with(part)), "{line}: {found:?}");
    }
}

#[test]
fn a_hook_that_names_all_it_runs_can_be_checked() {
    for (text, is_checked) in [
        ("#!/bin/sh\nset -e\nsh scripts/lint.sh \"$@\"", true),
        ("#!/bin/sh\nexec ./scripts/lint.sh", true),
        ("#!/bin/sh\ncommand -v git-lfs >/dev/null 2>&1 || exit 2\ngit lfs pre-push \"$@\"", true),
        ("#!/bin/sh\ngit diff --cached --check", true),
        ("#!/bin/sh\nset -e\nsed -i s/x/y/ f", true),
        ("#!/bin/sh\nbash -e \"$x\"", false),
        ("#!/bin/sh\ncat f | sh -s", false),
        ("#!/bin/sh\nnpx lint-staged", false),
        ("#!/bin/sh\nmake check", false),
        ("#!/bin/sh\n\"$TOOL\" x", false),
        ("#!/bin/sh\nfor f in hooks.d/*; do \"$f\"; done", false),
        ("#!/usr/bin/env python3\nimport lint", false),
        ("#!/bin/sh\nif", false),
    ] {
        let world = world("mkdir scripts; echo true > scripts/lint.sh");
        fs::write(world.path().join("p/.git/hooks/pre-commit"), text).unwrap();
        assert_eq!(runs(&world, "p").unchecked.is_empty(), is_checked, "{text}");
    }
}

#[test]
fn a_rule_speaks_for_what_the_own_repository_ran_at_first() {
    for (before, then, objects) in [
        ("true", "true", [false, false]),
        (HOOK, "true", [true, false]),
        (HOOK, "echo x >> a; echo x > scripts/other.sh", [true, false]),
        (HOOK, "echo x >> scripts/lint.sh", [true, true]),
        (HOOK, "echo x > .git/hooks/pre-push", [true, true]),
        (HOOK, "git config core.fsmonitor x", [true, true]),
        ("true", "git config core.fsmonitor x", [true, true]),
    ] {
        for (trusted, expected) in [false, true].into_iter().zip(objects) {
            let world = world(before);
            let (home, project) = (abs(world.path()), abs(world.path().join("p")));
            let git = ProjectGit::new(project.clone(), Some(home), trusted);
            git.remember();
            bash(&world.path().join("p"), then);
            assert_eq!(git.objection(&project).is_some(), expected, "{trusted}: {before}; {then}");
        }
    }
}

#[test]
fn what_cannot_be_checked_is_believed_until_something_changes_unasked() {
    let world = world(
        "printf '#!/bin/sh\\nnpx lint-staged\\n' > .git/hooks/pre-commit; git init -q ../q; cp -r .git/hooks ../q/.git",
    );
    let (home, project) = (abs(world.path()), abs(world.path().join("p")));
    let git = ProjectGit::new(project.clone(), Some(home), true);
    git.remember();
    assert_eq!(git.objection(&project), None);
    // The same hook of another repository runs other files.
    assert!(git.objection(&abs(world.path().join("q"))).is_some());
    git.note_unasked_change();
    assert!(git.objection(&project).is_some());
}

/// Whoever looks at a stranger's repository waits for the answer, and gets the same one on every machine.
#[test]
fn what_is_more_than_is_looked_at_is_told_and_counts_as_anything() {
    let place = |path: &str| Unchecked::Place(path.to_owned());
    for (line, expected) in [
        // Many paths that a text may mean.
        (
            "word=$(printf 'a/%.0s' {1..1900}); for i in {1..6}; do printf '%s ' $word; done > v; git config core.sshCommand \"$(cat v)\"",
            "p",
        ),
        ("git config core.sshCommand $(printf 'x%.0s' {1..70000})", "p"),
        ("for i in {1..1100}; do printf '[alias]\\n a%s = x\\n' $i; done >> .git/config", "p"),
        ("for i in {1..150}; do echo true > .git/hooks/$i; done", "p"),
        ("for i in {1..1100}; do : > .git/hooks/$i.md; done", "p/.git/hooks"),
        ("for i in {1..70}; do printf '[include]\\n path = i%s\\n' $i; done >> .git/config", "p/.git/config"),
        (
            "printf '[include]\\n path = big\\n' >> .git/config; head -c 1100000 /dev/zero | tr '\\0' '\\n' > .git/big",
            "p/.git/big",
        ),
        (
            "printf '[%s]\\n' $(printf 'x%.0s' {1..90000}) > .git/config; for i in {1..100}; do echo a; done >> .git/config",
            "p/.git/config",
        ),
    ] {
        let world = world(line);
        let folder = abs(world.path().join("p"));
        let found = git_runs(&folder, None, GitReach::Own);
        let path = abs(world.path()).join(expected).to_string();
        assert!(found.unchecked.contains(&place(&path)), "{line}: {:?}", found.unchecked);
    }
}

#[test]
fn a_file_that_names_no_repository_is_a_place_and_no_sentence() {
    let world = world("mkdir v; echo nonsense > v/.git");
    let found = git_runs(&abs(world.path().join("p/v")), None, GitReach::Own);
    let path = abs(world.path().join("p/v/.git")).to_string();
    assert_eq!(found.unchecked.into_iter().collect::<Vec<_>>(), [Unchecked::Place(path)]);
}

#[test]
fn an_objection_says_whether_it_is_new_or_may_have_changed() {
    let hook = "printf '#!/bin/sh\\nnpx lint-staged\\n' > .git/hooks/pre-commit";
    for (before, then, unasked, expected) in [
        (hook, "true", true, "which Forelook cannot check, after changes that nobody was asked about"),
        ("true", hook, false, "which changed since the session began"),
        ("true", "echo '[' > .git/config.worktree", false, "and did not find when the session began"),
    ] {
        let world = world(before);
        let (home, project) = (abs(world.path()), abs(world.path().join("p")));
        let git = ProjectGit::new(project.clone(), Some(home), true);
        git.remember();
        bash(&world.path().join("p"), then);
        if unasked {
            git.note_unasked_change();
        }
        let objection = git.objection(&project).unwrap();
        assert!(objection.contains(expected), "{then}: {objection}");
    }
}
