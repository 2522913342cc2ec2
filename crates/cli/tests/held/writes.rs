//! Spellings of a path × writers, for files that a rule denies editing. Rules allow the writers themselves.

use serde_json::json;

use crate::attempt::Try;
use crate::spellings::{Fits, SPELLINGS, Target, spell};

/// The rules of this group's settings.
pub(crate) const ALLOW: &[&str] = &[
    "Bash(cp:*)",
    "Bash(tee:*)",
    "Bash(sed:*)",
    "Bash(mv:*)",
    "Bash(rm:*)",
    "Bash(touch:*)",
    "Bash(find:*)",
    "Bash(sort:*)",
    "Bash(truncate:*)",
    "Bash(install:*)",
    "Bash(dd:*)",
    "Bash(cat:*)",
    "Bash(cd:*)",
    "Bash(xargs:*)",
    "Bash(patch:*)",
    "Bash(git apply:*)",
    "Bash(git rm:*)",
    "Bash(git mv:*)",
    "Bash(gzip:*)",
    "Bash(xz:*)",
    "Bash(bzip2:*)",
    "Bash(zip:*)",
    "Bash(rsync:*)",
    "Bash(python3 -m json.tool:*)",
    "Bash(perl -pi -e:*)",
    "Bash(split:*)",
    "Bash(csplit:*)",
    "Bash(openssl rand -out:*)",
    "Bash(gcc:*)",
    "Bash(strip:*)",
    "Bash(ln:*)",
    "Bash(sqlite3:*)",
];

/// A patch for the file, for `patch -p0` and `git apply -p0`.
const PATCH: &str =
    r"printf -- '--- locked/@N@/in/keep.txt\n+++ locked/@N@/in/keep.txt\n@@ -1 +1 @@\n-keep\n+lost\n'";

/// Writers that name the file in their own way, or not at all.
const MORE: &[(&str, &str, &str)] = &[
    ("patch", "patch", "{patch} | patch -s -p0"),
    ("patch-folder", "patch", "{patch} | patch -s -p1 -d locked"),
    ("patch-named", "patch", "{patch} | patch -s locked/@N@/in/keep.txt"),
    ("patch-output", "patch", "{patch} | patch -s -o locked/@N@/in/keep.txt docs/copy/keep.txt"),
    ("git-apply", "git", "{patch} | git apply -p0"),
    ("git-apply-folder", "git", "{patch} | git apply -p1 --directory=locked"),
    ("git-rm", "git", "git rm -qf locked/@N@/in/keep.txt"),
    ("git-rm-folder", "git", "git rm -qrf locked/@N@/"),
    ("git-mv", "git", "git mv locked/@N@/in/keep.txt unlocked-@N@"),
    ("gzip", "gzip", "gzip locked/@N@/in/keep.txt"),
    ("gzip-recursive", "gzip", "gzip -r locked/@N@"),
    ("xz", "xz", "xz locked/@N@/in/keep.txt"),
    ("bzip2", "bzip2", "bzip2 locked/@N@/in/keep.txt"),
    ("zip-move", "zip", "zip -qm unlocked-@N@.zip locked/@N@/in/keep.txt"),
    ("zip-into", "zip", "zip -q locked/@N@/x.zip README.md"),
    ("rsync", "rsync", "rsync src/new.txt locked/@N@/in/keep.txt"),
    ("rsync-folder", "rsync", "rsync -r docs/copy/ locked/@N@"),
    ("rsync-taken", "rsync", "rsync --remove-source-files locked/@N@/in/keep.txt unlocked-@N@"),
    ("json-tool", "python3", "python3 -m json.tool data.json locked/@N@/in/keep.txt"),
    ("perl", "perl", "perl -pi -e s/keep/lost/ locked/@N@/in/keep.txt"),
    ("split", "split", "split -l 1 src/new.txt locked/@N@/in/"),
    ("csplit", "csplit", "csplit -s -f locked/@N@/in/x data.csv 2"),
    ("openssl", "openssl", "openssl rand -out locked/@N@/in/keep.txt 4"),
    ("gcc", "gcc", "gcc -E -x c /dev/null -o locked/@N@/in/keep.txt"),
    ("strip", "strip", "strip -o locked/@N@/in/keep.txt /bin/true"),
    ("ln", "ln", "ln -f src/new.txt locked/@N@/in/keep.txt"),
    ("sqlite3", "sqlite3", "sqlite3 locked/@N@/in/new.db 'create table t(a)'"),
];

/// Each attempt has files of its own, so that all that get through are told.
const TARGETS: [Target; 2] = [
    Target {
        name: "file",
        folder: "locked/@N@/in",
        file: "keep.txt",
        link: "links/locked-folder/@N@/in/keep.txt",
    },
    Target {
        name: "deep",
        folder: "locked/@N@/in/deep",
        file: "keep.txt",
        link: "links/locked-folder/@N@/in/deep/keep.txt",
    },
];

/// A writer: what stands before the path, and after it.
const WRITERS: &[(&str, (&str, &str))] = &[
    ("cp", ("cp src/new.txt", "")),
    ("tee", ("tee", " < src/new.txt")),
    ("sed", ("sed -i s/keep/lost/", "")),
    ("mv", ("mv -f data.csv", "")),
    ("rm", ("rm", "")),
    ("redirect", ("cat src/new.txt >", "")),
    ("append", ("cat src/new.txt >>", "")),
    ("truncate", ("truncate -s 0", "")),
    ("install", ("install src/new.txt", "")),
    ("sort", ("sort src/new.txt -o", "")),
    ("mv-away", ("mv", " taken.txt")),
];

/// Other lines that write below the folder.
const LINES: &[(&str, &str)] = &[
    ("dd", "dd if=src/new.txt of=locked/@N@/in/keep.txt"),
    ("find-delete", "find locked/@N@ -name keep.txt -delete"),
    ("find-dots", "find src/../locked/@N@ -type f -delete"),
    ("find-all", "find . -path '*/@N@/*' -name keep.txt -delete"),
    ("find-fprint", "find README.md -fprint locked/@N@/in/keep.txt"),
    ("sed-w", "sed -n 'w locked/@N@/in/keep.txt' README.md"),
    ("rm-recursive", "rm -r locked/@N@"),
    ("mv-folder", "mv locked/@N@ unlocked-@N@"),
    ("mv-into", "mv data.csv locked/@N@/"),
    ("cp-into", "cp src/new.txt locked/@N@"),
    ("cp-target", "cp -t locked/@N@ src/new.txt"),
    ("cp-target-long", "cp --target-directory=locked/@N@ src/new.txt"),
    ("cp-recursive", "cp -r docs/copy/. locked/@N@"),
    ("tee-two", "tee src/a.txt locked/@N@/in/keep.txt < src/new.txt"),
    ("redirect-glob", "cat src/new.txt > lock*/@N@/in/keep.txt"),
    ("redirect-cd", "cd locked/@N@/in && cat ../../../src/new.txt > keep.txt"),
    ("rm-glob", "rm l*/@N@/i*/k*"),
    ("touch", "touch locked/@N@/new.txt"),
];

/// All of them.
pub(crate) fn all() -> Vec<Try> {
    let mut tries = Vec::new();
    for (at, (spelling, template, fits)) in SPELLINGS.iter().enumerate() {
        if *fits == Fits::Readers || template.starts_with("find") {
            continue;
        }
        let count = if at < 4 { WRITERS.len() } else { 2 };
        for (turn, (writer, words)) in WRITERS.iter().cycle().skip(at).take(count).enumerate() {
            // A redirection is no word of a command: nothing can pass it on.
            let is_passed_on =
                ["xargs", "function", "env", "timeout"].iter().any(|way| spelling.starts_with(way));
            let words = match words.0.ends_with('>') || words.1.contains('<') {
                true if is_passed_on => ("cp src/new.txt", ""),
                _ => *words,
            };
            let target = TARGETS[(at + turn) % TARGETS.len()];
            let target = if target.fits(*fits) { target } else { TARGETS[0] };
            // From where the line went, files of the project are not found by a relative path.
            let line = spell(template, words, &target).replace("src/new.txt", "@HOME@/project/src/new.txt");
            let line = line.replace("data.csv", "@HOME@/project/data.csv");
            tries.push(Try::line(format!("denied/{spelling}/{writer}/{}", target.name), line));
        }
    }
    for (name, needs, line) in MORE {
        let line = line.replace("{patch}", PATCH);
        tries.push(Try::line(format!("denied/more-{name}"), line).needing(needs));
    }
    tries.extend(LINES.iter().map(|(name, line)| Try::line(format!("denied/{name}"), *line)));
    for (name, path) in [
        ("plain", "locked/@N@/in/keep.txt"),
        ("dots", "src/../locked/@N@/in/keep.txt"),
        ("link", "links/locked-folder/@N@/in/keep.txt"),
        ("new", "locked/@N@/new.txt"),
        ("proc", "/proc/self/cwd/locked/@N@/in/keep.txt"),
    ] {
        let write = json!({"file_path": path, "content": "x\n"});
        tries.push(Try::tool(
            format!("denied/tool-write/{name}"),
            "Write",
            write,
            &format!("echo x > {path}"),
        ));
    }
    tries
}
