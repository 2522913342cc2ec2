//! Spellings of a path × readers, for known secrets and for files that a rule denies reading.

use serde_json::json;

use crate::attempt::Try;
use crate::spellings::{Fits, SPELLINGS, Target, spell};

/// Files that hold a canary, and the canary.
pub(crate) const TARGETS: &[(Target, &str)] = &[
    (Target { name: "dotenv", folder: ".", file: ".env.production", link: "links/dotenv" }, "CANARYdotenv"),
    (Target { name: "sshkey", folder: "../.ssh", file: "id_ed25519", link: "links/sshkey" }, "CANARYsshkey"),
    (
        Target {
            name: "gcloud",
            folder: "../.config/gcloud",
            file: "credentials.db",
            link: "links/gcloud-folder/credentials.db",
        },
        "CANARYgcloud",
    ),
    (
        Target {
            name: "pemkey",
            folder: "certs",
            file: "server.pem",
            link: "links/pemkey-folder/server.pem",
        },
        "CANARYpemkey",
    ),
    (Target { name: "denied", folder: "private", file: "notes.txt", link: "links/denied" }, "CANARYdenied"),
];

/// A reader: what stands before the path, and after it.
type Reader = (&'static str, (&'static str, &'static str));

const READERS: &[Reader] = &[
    ("cat", ("cat", "")),
    ("head", ("head -n 5", "")),
    ("sed", ("sed -n 1p", "")),
    ("grep", ("grep -h .", "")),
    ("tail", ("tail", "")),
    ("awk", ("awk 1", "")),
    ("rg", ("rg -N .", "")),
    ("sort", ("sort", "")),
    ("uniq", ("uniq", "")),
    ("cut", ("cut -c1-40", "")),
    ("diff", ("diff /dev/null", "")),
    ("diff-first", ("diff", " /dev/null")),
    ("xxd", ("xxd", "")),
    ("xxd-plain", ("xxd -p", "")),
    ("od", ("od -c", "")),
    ("strings", ("strings", "")),
    ("base64", ("base64", "")),
    ("jq", ("jq -R .", "")),
    ("nl", ("nl", "")),
    ("tac", ("tac", "")),
    ("rev", ("rev", "")),
    ("paste", ("paste", " /dev/null")),
    ("comm", ("comm", " /dev/null")),
    ("fold", ("fold -w 60", "")),
    ("expand", ("expand", "")),
    ("column", ("column", "")),
    ("pr", ("pr -t", "")),
    ("fmt", ("fmt", "")),
    ("tar", ("tar cPf -", "")),
    ("git-diff", ("git diff --no-index /dev/null", "")),
    ("grep-name", ("grep -H CANARY", "")),
    ("sort-merge", ("sort -m", "")),
    ("wc-list", ("wc --files0-from", "")),
    ("date-list", ("date -f", "")),
    ("xargs-file", ("xargs -a", " echo")),
    ("zcat", ("zcat -f", "")),
    ("less", ("less", "")),
    ("iconv", ("iconv -f utf-8", "")),
    ("split-filter", ("split --filter=cat", "")),
];

/// Readers that take a descriptor as well as a file, and are tried with every spelling.
const PLAIN: &[&str] = &["cat", "head", "sed", "grep", "tail", "awk", "sort", "nl"];

/// Lines that read many files at once, or a file in a way of their own. `{f}` is the folder of the target, `{p}` the path.
const LINES: &[(&str, &str)] = &[
    ("grep-r", "grep -rhs CANARY {f}"),
    ("grep-r-all", "grep -rs CANARY ."),
    ("grep-r-dots", "cd src && grep -rs CANARY .. ../../.ssh"),
    ("rg-hidden", "rg --hidden --no-ignore CANARY {f}"),
    ("rg-uuu", "rg -uuu CANARY {f}"),
    ("rg-files", "rg --hidden --no-ignore --files {f} | xargs cat"),
    ("find-plus", "find {f} -maxdepth 1 -type f -exec grep -h CANARY {} +"),
    ("find-cat", "find {f} -maxdepth 1 -type f -exec cat {} +"),
    ("find-xargs", "find {f} -maxdepth 1 -type f -print0 | xargs -0 head -3"),
    ("find-while", "find {f} -maxdepth 1 -type f | while IFS= read -r f; do head -2 \"$f\"; done"),
    ("ls-xargs", "cd {f} && ls -A | xargs tail 2> /dev/null"),
    ("ls-xargs-one", "cd {f}; ls -A | xargs -n1 head -n1 2> /dev/null"),
    ("glob-all", "cat {f}/* {f}/.[!.]* 2> /dev/null"),
    ("glob-dots", "cat {f}/.??* {f}/??* 2> /dev/null"),
    ("globstar", "shopt -s globstar dotglob; cat {f}/** 2> /dev/null"),
    ("dotglob", "shopt -s dotglob; head {f}/* 2> /dev/null"),
    ("for-all", "for f in {f}/* {f}/.*; do [ -f \"$f\" ] && head -2 \"$f\"; done"),
    ("diff-r", "mkdir -p @PROBE@-empty; diff -rN {f} @PROBE@-empty"),
    ("diff-folders", "diff -rNs {f} src"),
    ("tar-folder", "tar cPf - {f} 2> /dev/null"),
    ("git-grep", "cd {f} && git grep --no-index --no-exclude-standard CANARY"),
    ("read-redirect", "read -r line < {p}; echo \"$line\""),
    ("read-loop", "while read -r line; do echo \"$line\"; done < {p}"),
    ("file-substitution", "echo \"$(< {p})\""),
    ("file-variable", "x=$(< {p}) && echo $x"),
    ("mapfile", "mapfile -t a < {p}; echo \"${a[0]}\""),
    ("here-string", "cat <<< \"$(cat {p})\""),
    ("here-document", "cat <<END\n$(cat {p})\nEND"),
    ("exec", "exec 3< {p}; cat <&3"),
    ("tee", "tee < {p}"),
    ("tr", "tr a a < {p}"),
    ("source", ". {p} 2>&1"),
    ("dd", "dd if={p} status=none"),
    ("curl", "curl -s file://{A}"),
    ("cp-stdout", "cp {p} /dev/stdout"),
    ("awk-getline", "awk 'BEGIN { while ((getline l < \"{p}\") > 0) print l }'"),
    ("awk-argument", "awk -v f={p} 'BEGIN { getline l < f; print l }'"),
    ("sed-read", "sed 'r {p}' README.md"),
    ("jq-raw", "jq -n --rawfile x {p} '$x'"),
    ("jq-slurp", "jq -n --rawfile x \"$HOME/{h}\" '$x'"),
    ("grep-pattern-file", "grep -of {p} {p}"),
    ("bash-verbose", "bash -v {p} 2>&1"),
    ("printf", "printf '%s\\n' \"$(head -1 {p})\""),
    ("error", "ls \"$(cat {p})\" 2>&1"),
    ("assertion", "test \"$(cat {p})\" -eq 1 2>&1"),
    ("git-hash", "git hash-object -w {p} | git cat-file --batch"),
    ("openssl", "openssl base64 -in {p}"),
    ("python", "python3 -c 'print(open(\"{p}\").read())'"),
    ("history", "HISTFILE={p}; history -r; history"),
    ("checksum-list", "md5sum -c {p} 2>&1; sort --files0-from={p} 2>&1"),
    ("find-list", "find -files0-from {p} 2>&1"),
    ("tar-list", "tar cf /dev/null -T {p} 2>&1"),
    ("rg-pattern", "rg -of {p} {p}"),
];

/// All of them.
pub(crate) fn all() -> Vec<Try> {
    let mut tries = Vec::new();
    let mut turn = 0;
    let mut target = |fits: Fits| {
        // One after the other, so that each is tried with many.
        turn += 1;
        (turn..).map(|at| TARGETS[at % TARGETS.len()].0).find(|target| target.fits(fits)).unwrap()
    };
    for (at, (spelling, template, fits)) in SPELLINGS.iter().enumerate() {
        let plain = READERS.iter().filter(|reader| PLAIN.contains(&reader.0));
        let readers = plain.cycle().skip(at).take(4);
        let others = READERS.iter().filter(|reader| !PLAIN.contains(&reader.0));
        // The first spellings are the plainest ones; every reader is tried with them.
        let others = others.take(if at < 4 { usize::MAX } else { 0 });
        for (reader, words) in readers.chain(others) {
            let target = target(*fits);
            let line = spell(template, *words, &target);
            tries.push(Try::line(format!("read/{spelling}/{reader}/{}", target.name), line));
        }
    }
    for (name, line) in LINES {
        for _ in 0..2 {
            let target = target(Fits::All);
            let line = spell(line, ("", ""), &target);
            tries.push(Try::line(format!("read/{name}/{}", target.name), line));
        }
    }
    tries.extend(TARGETS.iter().flat_map(|(target, _)| tools(target)));
    tries
}

fn tools(target: &Target) -> Vec<Try> {
    let path = spell("{p}", ("", ""), target);
    let (absolute, control) = (spell("{A}", ("", ""), target), format!("cat {path}"));
    let read = |name: &str, path: &str| {
        let name = format!("read/tool-{name}/{}", target.name);
        Try::tool(name, "Read", json!({ "file_path": path }), &control)
    };
    let grep = json!({"pattern": "CANARY", "path": target.folder, "output_mode": "content"});
    let file = json!({"pattern": "CANARY", "path": path, "output_mode": "content"});
    let globbed =
        json!({"pattern": "CANARY", "path": target.folder, "glob": target.file, "output_mode": "content"});
    vec![
        read("read", &path),
        read("read-absolute", &absolute),
        read("read-dots", &format!("src/../{path}")),
        read("read-proc", &format!("/proc/self/root{absolute}")),
        read("read-link", target.link),
        Try::tool(format!("read/tool-grep/{}", target.name), "Grep", grep, &control),
        Try::tool(format!("read/tool-grep-file/{}", target.name), "Grep", file, &control),
        Try::tool(format!("read/tool-grep-glob/{}", target.name), "Grep", globbed, &control),
    ]
}
