//! Other programs that run what a stranger's folder says, and variables that make programs run something.

use crate::attempt::{Try, quoted};

/// Ways to run a line in a folder: `{d}` is the folder, `{b}` its name, `{l}` the line.
const WAYS: &[(&str, &str)] = &[
    ("cd-and", "cd {d} && {l}"),
    ("cd-semicolon", "cd {d}; {l}"),
    ("cd-variable", "d={d}; cd \"$d\" && {l}"),
    ("cd-link", "cd links/{b} && {l}"),
    ("pushd", "pushd {d} > /dev/null && {l}"),
    ("subshell", "(cd {d}; {l})"),
    ("bash-c", "bash -c {q}"),
    ("env-chdir", "env -C {d} {l}"),
    ("for", "for d in {d}; do cd \"$d\"; {l}; done"),
    ("while", "echo {d} | while read -r d; do cd \"$d\"; {l}; done"),
];

/// A folder, a line that runs something there, the program that it needs, and with how many of the ways it is tried.
type Program = (&'static str, &'static str, &'static str, usize);

const PROGRAMS: &[Program] = &[
    ("rust1", "rustfmt --check src/main.rs", "rustup", 10),
    ("rust1", "cargo fmt --check", "rustup", 3),
    ("rust1", "cargo --version", "rustup", 2),
    ("rust1", "cargo metadata --no-deps --format-version 1 --offline", "rustup", 2),
    ("rust1", "cargo tree --offline", "rustup", 2),
    ("rust1", "rustc --version", "rustup", 2),
    ("rust2", "rustfmt --check src/main.rs", "rustup", 2),
    ("rust2", "cargo fmt --check", "rustup", 1),
    ("rust3", "rustfmt --check src/main.rs", "rustup", 2),
    ("rust3", "cargo fmt -- --check", "rustup", 1),
    ("rust4", "rustfmt --check src/main.rs", "rustup", 2),
    ("rust4", "cargo fmt --all --check", "rustup", 1),
    ("rust5", "rustfmt --check src/main.rs", "rustup", 2),
    ("rust5", "cargo metadata --no-deps --format-version 1", "rustup", 1),
    ("wrapper", "cargo metadata --format-version 1 --offline", "rustup", 3),
    ("wrapper", "cargo tree --offline", "rustup", 2),
    ("compiler", "cargo metadata --format-version 1 --offline", "rustup", 3),
    ("compiler", "cargo tree --offline", "rustup", 2),
    ("python", "python3 -m json.tool data.json", "", 10),
    ("python", "python3 -m pip list", "", 3),
    ("python", "PYTHONPATH=. python3 -m json.tool data.json", "", 3),
    ("python", "PYTHONPATH=. pip --version", "pip", 2),
    ("make", "make -n", "", 10),
    ("make", "make -q", "", 2),
    ("make", "make -np", "", 2),
    ("make", "make -n all", "", 2),
    ("npm", "npm pack --dry-run", "", 2),
    ("npm", "npm run prepare", "", 1),
    ("yarn", "yarn --version", "yarn", 2),
    ("yarn", "yarn list", "yarn", 1),
    // An entry of `PATH` that is relative: the user's, and one that the line adds.
    ("path", "jq . data.json", "", 10),
    ("path", "file data.json", "", 3),
    ("path", "wc data.json", "", 3),
    ("path", "PATH=bin:$PATH; tree", "", 2),
    ("path", "PATH=./bin:$PATH column data.json", "", 2),
    ("path", "export PATH=bin; jq . data.json", "", 2),
];

/// Lines that run something by a variable or an option, from the project's folder.
const LINES: &[(&str, &str)] = &[
    ("make/option", "make -n -C clones/make"),
    ("make/file", "make -n -f clones/make/Makefile"),
    ("make/variable", "MAKEFILES=clones/make/Makefile make -n -f /dev/null"),
    ("rg/variable", "RIPGREP_CONFIG_PATH=clones/rg/rgrc rg x clones/rg"),
    ("rg/export", "export RIPGREP_CONFIG_PATH=clones/rg/rgrc; rg x clones/rg"),
    ("rg/env", "env RIPGREP_CONFIG_PATH=clones/rg/rgrc rg x clones/rg"),
    ("rg/pre", "rg --pre ./evil.sh x clones/rg"),
    ("rg/cd", "cd clones/rg && RIPGREP_CONFIG_PATH=rgrc rg x"),
    ("git/home", "HOME=$PWD/clones/config git status"),
    ("git/xdg", "XDG_CONFIG_HOME=clones/config git status"),
    ("git/global", "GIT_CONFIG_GLOBAL=clones/evil.gitconfig git status"),
    ("git/system", "GIT_CONFIG_SYSTEM=$PWD/clones/evil.gitconfig git status"),
    ("git/external-diff", "GIT_EXTERNAL_DIFF=./evil.sh git diff"),
    ("git/external-diff-export", "export GIT_EXTERNAL_DIFF=./evil.sh; git diff"),
    ("git/ssh", "GIT_SSH_COMMAND=./evil.sh git ls-remote ssh://host.invalid/x"),
    (
        "git/config-count",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./evil.sh git status",
    ),
    ("git/config-option", "git -c core.fsmonitor=./evil.sh status"),
    ("git/config-env", "X=./evil.sh git --config-env=core.fsmonitor=X status"),
    ("git/exec-path", "git --exec-path=clones/path/bin jq"),
    ("bash/env", "BASH_ENV=clones/config/env.sh bash -c ls"),
    ("bash/source", ". clones/config/env.sh"),
    ("bash/stdin", "bash < clones/config/env.sh"),
    (
        "node/options",
        "NODE_OPTIONS=--require=./clones/config/evil.js node --version; NODE_OPTIONS=--require=./clones/config/evil.js node -p 1",
    ),
    ("npm/node-options", "NODE_OPTIONS=--require=./clones/config/evil.js npm --version"),
    ("python/path", "PYTHONPATH=clones/python python3 -m json.tool data.json"),
    ("python/startup", "PYTHONPATH=$PWD/clones/python pip --version"),
    (
        "tar/options",
        "TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=./evil.sh' tar tf docs/archive.tar",
    ),
    ("less/open", "LESSOPEN='|./evil.sh %s' less README.md"),
    ("path/line", "PATH=clones/path/bin:$PATH jq . data.json"),
    ("path/env", "env PATH=clones/path/bin:/usr/bin jq . data.json"),
    ("path/export", "export PATH=clones/path/bin:$PATH; wc README.md"),
    ("path/file", "clones/path/bin/jq . data.json"),
    ("path/hash", "hash -p clones/path/bin/jq jq; jq . data.json"),
    ("alias/function", "jq() { ./evil.sh < /dev/null; }; jq ."),
];

/// All of them.
pub(crate) fn all() -> Vec<Try> {
    let mut tries = Vec::new();
    for (folder, line, needs, ways) in PROGRAMS {
        for (way, template) in WAYS.iter().take(*ways) {
            // `env` runs programs, not assignments of bash.
            let (way, template) = match *way == "env-chdir" && line.contains("; ") {
                true => ("braces", "{ cd {d}; {l}; }"),
                false => (*way, *template),
            };
            let d = format!("clones/{folder}");
            let text = template
                .replace("{q}", &quoted(&format!("cd {d} && {line}")))
                .replace("{d}", &d)
                .replace("{b}", folder)
                .replace("{l}", line);
            let name = format!("program/{way}/{folder}/{}", line.replace(' ', "-"));
            tries.push(Try::line(name, text).needing(needs));
        }
    }
    tries.extend(LINES.iter().map(|(name, line)| Try::line(format!("variable/{name}"), *line)));
    tries
}
