//! Ways to reach a stranger's folder × what git runs there because of its configuration.

use crate::attempt::{Try, quoted};

/// A feature of git that runs a program, the arguments that lead to it, and whether all ways are tried with it.
struct Feature {
    /// The folder below `clones` whose configuration uses it.
    folder: &'static str,
    arguments: &'static str,
    with: Ways,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    All,
    Some,
    /// Those that need no `.git` in the folder.
    Bare,
}

const fn feature(folder: &'static str, arguments: &'static str, with: Ways) -> Feature {
    Feature { folder, arguments, with }
}

const FEATURES: &[Feature] = &[
    feature("fsmonitor", "status -s", Ways::All),
    feature("clean", "status -s", Ways::All),
    feature("textconv", "show HEAD", Ways::All),
    feature("submodule", "status -s", Ways::All),
    feature("clean", "diff", Ways::Some),
    feature("external", "diff", Ways::Some),
    feature("driver", "diff", Ways::Some),
    feature("textconv", "log -p -1", Ways::Some),
    feature("textconv", "diff", Ways::Some),
    feature("textconv", "blame f.txt", Ways::Some),
    feature("textconv", "cat-file --textconv HEAD:f.txt", Ways::Some),
    feature("textconv", "grep --textconv two HEAD", Ways::Some),
    feature("process", "diff", Ways::Some),
    feature("smudge", "cat-file --filters HEAD:f.txt", Ways::Some),
    feature("smudge", "archive HEAD f.txt", Ways::Some),
    feature("submodule", "diff", Ways::Some),
    feature("submodule", "diff --submodule=diff", Ways::Some),
    feature("hooks", "status -s", Ways::Some),
    feature("gpg", "log -1", Ways::Some),
    feature("gpg", "log -1 --format=%G?", Ways::Some),
    feature("gpg", "verify-commit HEAD", Ways::Some),
    feature("ssh", "ls-remote origin", Ways::Some),
    feature("ext", "ls-remote origin", Ways::Some),
    feature("uploadpack", "ls-remote origin", Ways::Some),
    feature("uploadpack", "remote show origin", Ways::Some),
    feature("alias", "look", Ways::Some),
    feature("include", "status -s", Ways::Some),
    feature("worktree", "status -s", Ways::Some),
    feature("gitfile", "status -s", Ways::Some),
    feature("commondir", "status -s", Ways::Some),
    feature("helper", "credential fill <<< $'protocol=https\\nhost=h\\n'", Ways::Some),
    feature("trailer", "interpret-trailers f.txt", Ways::Bare),
    feature("merge", "merge-tree --write-tree main other", Ways::Some),
    feature("man", "help log", Ways::Some),
    feature("bare", "show HEAD", Ways::Bare),
    feature("bare", "log -p -1", Ways::Bare),
];

/// Ways to run git in a folder: `{d}` is the folder, `{b}` its name, `{a}` the arguments, `{q…}` a quoted word.
const WAYS: &[(&str, &str, Ways)] = &[
    ("option", "git -C {d} {a}", Ways::Bare),
    ("cd-and", "cd {d} && git {a}", Ways::Bare),
    ("cd-variable", "D={d}; cd \"$D\" && git {a}", Ways::Some),
    ("env-chdir", "env -C {d} git {a}", Ways::Bare),
    ("git-dir", "git --git-dir={d}/.git --work-tree={d} {a}", Ways::Some),
    ("option-slash", "git -C ./{d}/ {a}", Ways::All),
    ("option-twice", "git -C clones -C {b} {a}", Ways::All),
    ("option-below", "git -C {d}/sub {a}", Ways::All),
    ("option-variable", "d={d} && git -C \"$d\" {a}", Ways::All),
    ("option-pwd", "git -C \"$PWD/{d}\" {a}", Ways::All),
    ("option-home", "git -C ~/project/{d} {a}", Ways::All),
    ("option-glob", "git -C clon[e]s/{b} {a}", Ways::All),
    ("option-substitution", "git -C \"$(echo {d})\" {a}", Ways::All),
    ("option-dots", "git -C src/../{d} {a}", Ways::All),
    ("link", "git -C links/{b} {a}", Ways::All),
    ("cd-link", "cd links/{b} && git {a}", Ways::All),
    ("cd-link-physical", "cd -P links/{b} && git {a}", Ways::All),
    ("cd-semicolon", "cd {d}; git {a}", Ways::All),
    ("cd-newline", "cd {d}\ngit {a}", Ways::All),
    ("cd-or-exit", "cd {d} || exit; git {a}", Ways::All),
    ("cd-twice", "cd clones && cd {b} && git {a}", Ways::All),
    ("cd-home", "cd \"$HOME/project/{d}\" && git {a}", Ways::All),
    ("cd-path", "CDPATH=clones; cd {b} > /dev/null && git {a}", Ways::All),
    ("cd-glob", "cd clo*/{b} && git {a}", Ways::All),
    ("cd-if", "if cd {d}; then git {a}; fi", Ways::All),
    ("cd-after-failure", "cd nowhere 2> /dev/null || cd {d}; git {a}", Ways::All),
    ("cd-back", "cd {d}; cd - > /dev/null; git -C \"$OLDPWD\" {a}", Ways::All),
    ("cd-background", "cd {d} && git {a} & wait", Ways::All),
    ("pushd", "pushd {d} > /dev/null && git {a}", Ways::All),
    ("subshell", "(cd {d} && git {a})", Ways::All),
    ("braces", "{ cd {d}; git {a}; }", Ways::All),
    ("substitution", "echo \"$(cd {d} && git {a})\"", Ways::All),
    ("pipeline", "cd {d} && git {a} | cat", Ways::All),
    ("bash-c", "bash -c {qcd}", Ways::All),
    ("bash-c-argument", "bash -c {qarg} _ {d}", Ways::All),
    ("sh-c", "cd {d} && sh -c {qgit}", Ways::All),
    ("eval", "eval {qcd}", Ways::All),
    ("function", "g() { git -C {d} \"$@\"; }; g {a}", Ways::All),
    ("variables", "GIT_DIR={d}/.git GIT_WORK_TREE={d} git {a}", Ways::All),
    ("export", "export GIT_DIR=$PWD/{d}/.git; cd {d} && git {a}", Ways::All),
    ("for", "for d in {d}; do git -C \"$d\" {a}; done", Ways::All),
    ("for-cd", "for d in {d}; do cd $d; git {a}; done", Ways::All),
    ("while-read", "echo {d} | while read -r d; do git -C \"$d\" {a}; done", Ways::All),
    ("xargs", "echo {d} | xargs -I% git -C % {a}", Ways::All),
    ("find-exec", "find {d} -maxdepth 0 -exec git -C {} {a} \\;", Ways::All),
    ("timeout", "timeout 20 git -C {d} {a}", Ways::All),
    ("nice", "cd {d} && nice git {a}", Ways::All),
    ("command", "cd {d} && command git {a}", Ways::All),
];

/// Every way with the features that need it.
pub(crate) fn all() -> Vec<Try> {
    let mut tries = Vec::new();
    for feature in FEATURES {
        for (way, line, kind) in WAYS {
            let fits = match feature.with {
                Ways::All => true,
                Ways::Some => *kind != Ways::All,
                Ways::Bare => *kind == Ways::Bare,
            };
            if fits {
                let name = format!("git/{way}/{}/{}", feature.folder, feature.arguments.replace(' ', "-"));
                tries.push(Try::line(name, fill(line, feature)));
            }
        }
    }
    tries
}

fn fill(line: &str, feature: &Feature) -> String {
    let folder = format!("clones/{}", feature.folder);
    let a = feature.arguments;
    line.replace("{qcd}", &quoted(&format!("cd {folder} && git {a}")))
        .replace("{qarg}", &quoted(&format!("cd \"$1\" && git {a}")))
        .replace("{qgit}", &quoted(&format!("git {a}")))
        .replace("{d}", &folder)
        .replace("{b}", feature.folder)
        .replace("{a}", a)
}

/// The same features where the project itself is the stranger's folder.
pub(crate) fn here() -> Vec<Try> {
    const LINES: &[&str] = &[
        "git status",
        "git diff",
        "git log -p -1",
        "git show HEAD",
        "git show --textconv HEAD:README.md",
        "git blame README.md",
        "git grep --textconv calculator",
        "git diff --stat",
        "git log --stat -1 -p",
        "git log -1 --show-signature -p",
        "git ls-remote origin",
        "git remote show origin",
        "git help log",
        "git look",
        "git stash show -p; git diff",
        "git diff HEAD~1",
        "git cat-file --textconv HEAD:README.md",
        "git interpret-trailers README.md",
        "cd src && git status",
        "cd src && git diff HEAD~1",
        "for i in 1; do git status; done",
        "git ls-files -m",
        "git describe --dirty --always",
        "git diff --no-ext-diff",
        "git diff-files -p",
        "git diff-index HEAD",
        "git update-index --refresh",
        "git hash-object README.md",
    ];
    let attempt = |line: &&str| Try::line(format!("here/{}", line.replace(' ', "-")), *line);
    LINES.iter().map(attempt).collect()
}
