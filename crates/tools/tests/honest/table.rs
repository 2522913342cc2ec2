//! What people and agents do every day.

/// A line, and what must be said of it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) line: &'static str,
    pub(crate) told: Told,
}

/// How the output inside compares with that outside. The exit code is always the same.
#[derive(Clone, Copy)]
pub(crate) enum Told {
    /// It is the same, byte by byte.
    Same,
    /// Both have this in it; the rest differs, because
    Has(&'static str, #[expect(dead_code, reason = "for whoever reads the table")] &'static str),
}

use Told::{Has, Same};

const fn case(name: &'static str, line: &'static str, told: Told) -> Case {
    Case { name, line, told }
}

/// Held read-only.
pub(crate) const READS: &[Case] = &[
    case("git-status", "git status --short --branch", Same),
    case("git-status-long", "git status", Same),
    case("git-log", "git log --stat --format=fuller", Same),
    case("git-diff", "git diff HEAD~1", Same),
    case("git-show", "git show HEAD:main.c", Same),
    case("git-blame", "git blame HEAD -- main.c", Same),
    case("git-grep", "git grep -n NUMBER", Same),
    case("git-branches", "git branch -a && git stash list && git rev-parse HEAD && git ls-files", Same),
    case("rg", "rg -n --sort path NUMBER", Same),
    case("grep", "grep -rn NUMBER --include=*.py . | sort", Same),
    case("find", "find . -path ./.git -prune -o -name '*.py' -print | sort", Same),
    case("tree-of-files", "ls -la src tools && stat -c '%n %s %a' main.c && wc -l long.txt", Same),
    case(
        "cargo-metadata",
        "cargo metadata --offline --format-version 1 --no-deps",
        Has(r#""name":"honest""#, "the target folder is scratch"),
    ),
    case(
        "cargo-check",
        "cargo check --offline --workspace --all-targets --message-format=json",
        Has(r#""success":true"#, "the target folder is scratch"),
    ),
    case(
        "cargo-check-locked",
        "cargo check --offline --locked 2>&1",
        Has("Finished", "it says how long it took"),
    ),
    case("cargo-tree", "cargo tree --offline", Same),
    case("rustc-version", "cargo --version && rustc --version", Same),
    case("npm-ls", "npm ls --offline", Same),
    case("npm-version", "npm --version", Same),
    case("npm-run-list", "npm run", Same),
    case("node", "node -e 'console.log(require(\"./package.json\").version, 6 * 7)'", Same),
    case("node-check", "node --check build.js && echo fine", Same),
    case(
        "python",
        "python3 -c 'import sys; sys.path.insert(0, \"tools\"); import names; print(names.NUMBER)'",
        Same,
    ),
    case("python-json", "python3 -m json.tool package.json", Same),
    case("python-tests", "cd tools && python3 -m unittest -q 2>&1", Has("OK", "it says how long it took")),
    case(
        "python-temporary",
        "python3 -c 'import tempfile; f = tempfile.TemporaryFile(); f.write(b\"x\" * 100000); print(f.tell())'",
        Same,
    ),
    case("make-n", "make -n", Same),
    case(
        "cc-check",
        "echo '#define NUMBER 7' | cc -fsyntax-only -include /dev/stdin -x c src/../long.txt 2>&1 | head -1",
        Same,
    ),
    case("here-document", "cat <<'END'\none\n$two\nEND", Same),
    case("here-document-large", "x=$(seq 1 30000); wc -c <<END\n$x\nEND", Same),
    case("here-string", "tr a-z A-Z <<< \"small $(echo words)\"", Same),
    case(
        "mktemp",
        "f=$(mktemp) && sort -r long.txt > \"$f\" && head -2 \"$f\" && diff <(sort long.txt) <(sort \"$f\") && rm \"$f\"",
        Same,
    ),
    case("sort-large", "seq 300000 -1 1 | sort -n -S 1M | sed -n '1p;$p'", Same),
    case(
        "threads",
        "python3 -c 'from concurrent.futures import ThreadPoolExecutor as T; print(sum(T(8).map(int, range(1000))))'",
        Same,
    ),
    case(
        "pipes",
        "cat long.txt | awk '{ s += $1 } END { print s }' | tee >(cat > /dev/null) | xargs echo sum",
        Same,
    ),
    case("background", "sleep 0.05 & wait $!; echo $?", Same),
    case("exit-code", "sh -c 'exit 7'", Same),
    case("signal", "sh -c 'kill -TERM $$'; echo $?", Same),
    case("missing", "no-such-program-here; ls no-such-file", Same),
    case("ps", "ps -o comm= -p $$", Same),
    case("ps-all", "ps aux", Has("PID", "inside there are the programs of the fence alone")),
    case("df", "df .", Has("Filesystem", "places are mounted otherwise")),
    case("env", "env", Has("HOME=", "places of caches are added")),
    case("who", "id -u && id -g && whoami && pwd && uname -s && nproc", Same),
    case(
        "dev",
        "echo x > /dev/null && head -c 4 /dev/zero | wc -c && test -r /dev/urandom && echo there",
        Same,
    ),
];

/// Held read-only, by namespaces only. Without them shared memory is everybody's, and no mode can be changed, not even of a
/// file in scratch: what `ld` has linked is no program yet.
pub(crate) const READS_WITH_NAMESPACES: &[Case] = &[
    case(
        "cc-to-scratch",
        "f=$(mktemp -d) && python3 tools/generate.py > $f/numbers.h && cc -I $f -o $f/main main.c && $f/main && echo ran",
        Same,
    ),
    case(
        "shared-memory",
        "python3 -c 'from multiprocessing import Lock, shared_memory as s; Lock(); m = s.SharedMemory(create=True, size=4096); m.buf[0] = 7; print(m.buf[0]); m.close(); m.unlink()'",
        Same,
    ),
];

/// Held read-only, where there is `go`: the long run has it.
pub(crate) const GO: &[Case] = &[
    case("go-version", "go version", Same),
    case("go-list", "cd go && go list -f '{{.Name}} {{.GoFiles}}' ./...", Same),
    case("go-vet", "cd go && go vet ./...", Same),
    case("go-build", "cd go && go build -o /dev/null .", Same),
    case("go-test", "cd go && go test ./...", Has("ok  \texample.com/honest", "it says how long it took")),
];

/// On a layer that is thrown away. The last word is a file that would change; without one, only what git ignores
/// would, or keeps for itself.
pub(crate) const REHEARSED: &[(Case, Option<&str>)] = &[
    (
        case("cargo-test", "cargo test --offline 2>&1", Has("test adds ... ok", "it says how long it took")),
        None,
    ),
    (
        case(
            "npm-run-build",
            "npm run build --silent && node -e 'console.log(require(\"./dist/out.js\"))'",
            Has("built dist/out.js", "what would change is told"),
        ),
        Some("dist/out.js"),
    ),
    (case("make", "make && ./main && echo ran", Has("ran", "what would change is told")), Some("numbers.h")),
    (
        case(
            "generator",
            "python3 tools/generate.py > src/numbers.txt && cat src/numbers.txt",
            Has("#define NUMBER 7", "what would change is told"),
        ),
        Some("src/numbers.txt"),
    ),
    (
        case(
            "git-commit",
            "git commit -q -am 'the third' && git log --format=%s",
            Has("the third", "what would change is told"),
        ),
        None,
    ),
    (
        case(
            "edit-in-place",
            "sed -i s/5000/many/ long.txt && git diff --stat -- long.txt && tail -1 long.txt",
            Has("many", "what would change is told"),
        ),
        Some("long.txt"),
    ),
    (
        case(
            "move-and-remove",
            "mv src source && rm -r tools && ls",
            Has("source", "what would change is told"),
        ),
        Some("source/lib.rs"),
    ),
    (
        case(
            "local-server",
            "python3 -c 'import http.server as h, threading as t, urllib.request as u; \
             s = h.HTTPServer((\"127.0.0.1\", 0), h.SimpleHTTPRequestHandler); t.Thread(target=s.serve_forever, daemon=True).start(); \
             print(u.build_opener(u.ProxyHandler({})).open(f\"http://127.0.0.1:{s.server_port}/long.txt\").status)' 2>/dev/null",
            Has("200", "what would change is told"),
        ),
        None,
    ),
];

/// What must not work where it only reads: else the table above would prove nothing.
pub(crate) const WRITES: &[Case] = &[
    case("touch", "touch made", Same),
    case("git-commit", "git commit -q -am 'the third'", Same),
    case("home", "echo x > ~/made", Same),
    case("build", "node build.js", Same),
];
