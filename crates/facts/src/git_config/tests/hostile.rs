//! A repository whose configuration names a program wherever git would take one: it never runs.

use super::world::World;

/// What the configuration says, and lines that make git run it.
const ATTACKS: &[(&str, &str)] = &[
    ("[core]\n fsmonitor = $E\n", "git status"),
    ("[core]\n editor = $E\n", "git commit --allow-empty"),
    ("[sequence]\n editor = $E\n", "git stash; git rebase -i HEAD~1"),
    ("[core]\n pager = $E\n", "git grep -O one"),
    ("[core]\n sshCommand = $E\n", "git ls-remote ssh://host.invalid/x"),
    ("[core]\n gitProxy = $E\n", "git ls-remote git://host.invalid/x"),
    ("[core]\n gitProxy = $E\n[protocol \"git\"]\n allow = always\n", "git ls-remote git://host.invalid/x"),
    ("[core]\n askPass = $E\n", "printf 'protocol=https\\nhost=x\\n\\n' | git credential fill"),
    ("[credential]\n helper = $E\n", "printf 'protocol=https\\nhost=x\\n\\n' | git credential fill"),
    (
        "[credential \"https://x\"]\n helper = $E\n",
        "printf 'protocol=https\\nhost=x\\n\\n' | git credential fill",
    ),
    ("[diff]\n external = $E\n", "git diff"),
    ("[diff \"evil\"]\n command = $E\n", "git diff"),
    ("[diff \"evil\"]\n command = $E\n", "git log -p --ext-diff"),
    ("[diff \"evil\"]\n textconv = $E\n", "git diff"),
    ("[diff \"evil\"]\n textconv = $E\n", "git log -p"),
    ("[diff \"evil\"]\n textconv = $E\n cachetextconv = true\n", "git show"),
    ("[diff \"evil\"]\n textconv = $E\n", "git blame a.txt"),
    ("[diff \"evil\"]\n textconv = $E\n", "git cat-file --textconv HEAD:a.txt"),
    ("[diff \"evil\"]\n textconv = $E\n", "git grep --textconv one"),
    ("[diff.evil]\n textconv = $E\n", "git diff"),
    ("[filter \"evil\"]\n clean = $E\n", "git status"),
    ("[filter \"evil\"]\n clean = $E\n", "git diff"),
    ("[filter \"evil\"]\n clean = $E\n required\n", "git add a.txt"),
    ("[filter \"evil\"]\n clean = $E\n", "git stash"),
    ("[filter \"evil\"]\n smudge = $E\n", "git checkout-index -f -a"),
    ("[filter \"evil\"]\n smudge = $E\n", "git cat-file --filters HEAD:a.txt"),
    ("[filter \"evil\"]\n smudge = $E\n", "git archive HEAD"),
    ("[filter \"evil\"]\n process = $E\n required = true\n", "git add a.txt"),
    ("[filter \"evil\"]\n process = $E\n", "git checkout -f side"),
    ("[merge \"evil\"]\n driver = $E %O %A %B\n", "git stash; git merge side"),
    ("[merge \"evil\"]\n driver = $E %O %A %B\n", "git stash; git rebase side"),
    ("[alias]\n x = !$E\n", "git x"),
    ("[alias]\n x = -c core.fsmonitor=$E status\n", "git x"),
    ("[alias]\n x = rebase --exec $E HEAD~1\n", "git stash; git x"),
    ("[alias]\n x = y\n y = !$E\n", "git x"),
    ("[gpg]\n program = $E\n", "git commit -S --allow-empty -m x"),
    ("[gpg]\n program = $E\n[commit]\n gpgSign = true\n", "git commit --allow-empty -m x"),
    ("[gpg]\n program = $E\n", "git tag -s -m x x"),
    ("[gpg \"openpgp\"]\n program = $E\n", "git tag -s -m x x"),
    ("[gpg]\n format = ssh\n[gpg \"ssh\"]\n defaultKeyCommand = $E\n", "git tag -s -m x x"),
    (
        "[gpg]\n format = ssh\n[gpg \"ssh\"]\n program = $E\n[user]\n signingKey = key::x\n",
        "git tag -s -m x x",
    ),
    ("[color]\n ui = always\n[interactive]\n diffFilter = $E\n", "echo q | git add -p plain a.txt"),
    ("[remote \"o\"]\n uploadpack = $E\n", "git fetch o"),
    ("[remote \"o\"]\n uploadpack = $E\n[protocol \"file\"]\n allow = always\n", "git fetch o"),
    ("[remote \"o\"]\n receivepack = $E\n", "git push o HEAD:refs/heads/z"),
    ("[remote \"e\"]\n url = ext::$E\n[protocol \"ext\"]\n allow = always\n", "git fetch e"),
    ("[url \"ext::$E\"]\n insteadOf = x:\n[protocol \"ext\"]\n allow = always\n", "git ls-remote x:"),
    ("[protocol]\n allow = always\n[remote \"e\"]\n url = ext::$E\n", "git fetch e"),
    ("[submodule \"sub\"]\n update = !$E\n", "git -C sub commit --allow-empty -qm x; git submodule update"),
    ("[diff]\n tool = t\n[difftool \"t\"]\n cmd = $E\n", "git difftool -y"),
    ("[diff]\n tool = meld\n[difftool \"meld\"]\n path = $E\n", "git difftool -y"),
    ("[diff]\n tool = t\n[mergetool \"t\"]\n cmd = $E\n", "git difftool -y"),
    ("[merge]\n tool = t\n[mergetool \"t\"]\n cmd = $E\n", "git stash; git merge side; git mergetool -y"),
    (
        "[merge]\n tool = meld\n[mergetool \"meld\"]\n path = $E\n",
        "git stash; git merge side; git mergetool -y",
    ),
    ("[trailer \"t\"]\n key = T\n command = $E\n", "git interpret-trailers --trailer t=x </dev/null"),
    ("[trailer \"t\"]\n key = T\n cmd = $E\n", "git interpret-trailers --trailer t=x </dev/null"),
    ("[web]\n browser = t\n[browser \"t\"]\n cmd = $E\n", "git web--browse http://x"),
    ("[man]\n viewer = t\n[man \"t\"]\n cmd = $E\n", "git help -m log"),
];

/// What is wrong with how lines go in a world, with and without us.
fn check(world: &dyn Fn() -> World, about: &str, lines: &str) -> Option<String> {
    let loud = world();
    let output = loud.run(&loud.loud(), lines);
    if loud.marks().is_none() {
        return Some(format!("{about}: {lines}: nothing ran without us either: {output:?}"));
    }
    let quiet = world();
    let output = quiet.run(&quiet.quiet(), lines);
    quiet.marks().map(|marks| format!("{about}: {lines}: {marks}: {output:?}"))
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let base = World::with_repository();
    let check = |(config, lines): &(&str, &str)| check(&|| base.hostile(config), config, lines);
    let wrong: Vec<String> = ATTACKS.iter().filter_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nor_is_what_is_hidden_in_another_file() {
    let base = World::with_repository();
    let clean = "[filter \"evil\"]\n clean = $E\n";
    for (place, config) in [
        ("repo/more", "[include]\n path = ../more\n"),
        ("home/more", "[include]\n path = ~/more\n"),
        ("repo/.git/more", "[includeIf \"onbranch:main\"]\n path = more\n"),
        ("repo/.git/config.worktree", "[extensions]\n worktreeConfig = true\n"),
    ] {
        let world = || {
            let world = base.hostile(config);
            world.append(place, clean);
            world
        };
        assert_eq!(check(&world, place, "git status"), None);
    }
    let twice = || {
        let world = base.hostile("[include]\n path = one\n");
        world.append("repo/.git/one", "[include]\n path = two\n");
        world.append("repo/.git/two", clean);
        world
    };
    assert_eq!(check(&twice, "an include of an include", "git status"), None);
}

#[test]
fn nor_what_submodules_and_hooks_and_folders_that_look_like_repositories_name() {
    let base = World::with_repository();
    for (place, text, lines) in [
        (
            "repo/.git/modules/sub/config",
            "[filter \"evil\"]\n clean = $E\n",
            "echo OTHER >sub/o.txt; git submodule foreach git status",
        ),
        (
            "repo/.git/modules/sub/config",
            "[core]\n fsmonitor = $E\n",
            "git submodule status; git -C sub status",
        ),
        ("repo/embedded/config", "[alias]\n x = !$E\n", "cd embedded && git x"),
        (
            "repo/embedded/config",
            "[core]\n bare = false\n worktree = .\n fsmonitor = $E\n",
            "cd embedded && git status",
        ),
        (
            "repo/.git/hooks/pre-commit",
            "#!/bin/sh\n$E\n",
            "chmod +x .git/hooks/*; git commit --allow-empty -m x",
        ),
        ("repo/.git/hooks/post-checkout", "#!/bin/sh\n$E\n", "chmod +x .git/hooks/*; git checkout -f side"),
    ] {
        let world = || {
            let world = base.hostile("");
            world.append(place, text);
            world
        };
        assert_eq!(check(&world, place, lines), None);
    }
}

/// Everything at once, and the whole day of somebody who looks around.
#[test]
fn nothing_runs_however_long_one_works_in_it() {
    let base = World::with_repository();
    let all: String = ATTACKS.iter().map(|(config, _)| *config).collect();
    let lines = "git status; git diff; git diff --cached; git log -p; git log --show-signature; git show; git show v1;
        git blame a.txt; git grep one; git stash list; git stash show -p; git ls-files -m; git ls-files --eol;
        git checkout-index -f -a; git cat-file --textconv HEAD:a.txt; git cat-file --filters HEAD:a.txt;
        git diff-files -p; git diff-index -p HEAD; git format-patch --stdout -1; git range-diff HEAD~1 HEAD side;
        git describe --dirty; git archive HEAD; git fsck; git verify-commit HEAD; git verify-tag v1; git shortlog -s;
        git add -N new; git add .; git commit -m x; git commit --amend --no-edit; git rebase side; git rebase --abort;
        git merge side; git merge --abort; git cherry-pick side; git cherry-pick --abort; git fetch o; git fetch --all;
        git pull; git push o HEAD:refs/heads/z; git ls-remote o; git remote update; git submodule status;
        git submodule update; git submodule foreach git status; git x; git y; git difftool -y; git mergetool -y;
        git gc; git maintenance run; git worktree add ../tree; git bisect start; git bisect reset; git notes list;
        git checkout -f side; git reset --hard HEAD~1; git clean -n; git var GIT_EDITOR; git help -m log";
    let world = base.hostile(&all);
    let output = world.run(&world.quiet(), lines);
    assert_eq!(world.marks(), None, "{}", String::from_utf8_lossy(&output.stderr));
    let loud = base.hostile(&all);
    loud.run(&loud.loud(), lines);
    assert!(loud.marks().is_some_and(|marks| marks.lines().count() > 20), "{:?}", loud.marks());
}
