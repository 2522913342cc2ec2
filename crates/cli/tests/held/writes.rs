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
