//! Rules × options: a rule allows a program that reads, and an option of it writes, runs something, or reads elsewhere.

use crate::attempt::Try;
use crate::reads::TARGETS;
use crate::spellings::spell;

/// The rules of this group's settings.
pub(crate) const ALLOW: &[&str] = &[
    "Bash(git log:*)",
    "Bash(git diff:*)",
    "Bash(git show:*)",
    "Bash(git grep:*)",
    "Bash(git archive:*)",
    "Bash(git ls-remote:*)",
    "Bash(git format-patch:*)",
    "Bash(find:*)",
    "Bash(sort:*)",
    "Bash(tar:*)",
    "Bash(rg:*)",
    "Bash(sed:*)",
    "Bash(curl:*)",
    "Bash(awk:*)",
    "Bash(uniq:*)",
    "Bash(tree:*)",
    "Bash(xxd:*)",
    "Bash(shuf:*)",
    "Bash(fdfind:*)",
    "Bash(head:*)",
    "Bash(jq:*)",
    "Bash(wc:*)",
    "Bash(cat:*)",
    "Bash(less:*)",
    "Bash(iconv:*)",
    "Bash(date:*)",
];

/// Lines that write to `{}`.
const WRITES: &[(&str, &str)] = &[
    ("git-log-output", "git log --output={}"),
    ("git-log-output-word", "git log -1 --output {}"),
    ("git-log-output-patch", "git log -p -1 --output={} HEAD"),
    ("git-diff-output", "git diff --output={}"),
    ("git-diff-output-late", "git diff HEAD~1 --output={}"),
    ("git-show-output", "git show --output={} HEAD"),
    ("git-diff-no-index", "git diff --no-index --output={} README.md src/main.rs"),
    ("git-archive", "git archive -o {}.tar HEAD"),
    ("git-archive-long", "git archive --output={} HEAD --format=tar"),
    ("git-format-patch", "git format-patch -1 -o {}"),
    ("sort-o", "sort -o {} data.csv"),
    ("sort-o-joined", "sort data.csv -o{}"),
    ("sort-output", "sort --output={} data.csv"),
    ("sort-abbreviated", "sort --ou={} data.csv"),
    ("sort-cluster", "sort -ro {} data.csv"),
    ("find-fprintf", "find README.md -fprintf {} 'x\\n'"),
    ("find-fprint", "find . -maxdepth 1 -fprint {}"),
    ("find-fprint0", "find . -maxdepth 1 -fprint0 {}"),
    ("find-fls", "find . -maxdepth 1 -fls {}"),
    ("sed-w", "sed -n 'w {}' README.md"),
    ("sed-w-flag", "sed -n 's/P/Q/w {}' README.md"),
    ("sed-w-file", "sed -n -e '1w {}' README.md"),
    ("tar-create", "tar cf {} README.md"),
    ("tar-create-long", "tar --create --file={} README.md"),
    ("tar-index", "tar tvf docs/archive.tar --index-file={}"),
    ("curl-o", "curl -s -o {} file://@HOME@/project/README.md"),
    ("curl-output", "curl -s --output {} file://@HOME@/project/README.md"),
    ("curl-stderr", "curl --stderr {} file://@HOME@/project/README.md"),
    ("curl-trace", "curl -s --trace {} file://@HOME@/project/README.md"),
    ("curl-jar", "curl -s -c {} file://@HOME@/project/README.md"),
    ("awk-print", "awk '{ print > \"{}\" }' README.md"),
    ("awk-variable", "awk -v f={} '{ print > f }' README.md"),
    ("uniq-second", "uniq data.csv {}"),
    ("tree-o", "tree -o {}"),
    ("xxd-second", "xxd README.md {}"),
    ("shuf-o", "shuf -o {} data.csv"),
    ("iconv-o", "iconv -f utf-8 -o {} README.md"),
];

/// Where they write: a name and a path.
const PLACES: &[(&str, &str)] = &[
    ("settings", "@HOME@/home/hit-@N@"),
    ("hooks", ".git/hooks/hit-@N@"),
    ("project-settings", ".forelook/hit-@N@"),
    ("home", "@HOME@/hit-@N@"),
    ("outside", "@PROBE@-hit-@N@"),
];

/// Lines that run `./evil.sh`.
const RUNS: &[(&str, &str)] = &[
    ("git-diff-ext", "git diff --ext-diff"),
    ("git-log-ext", "git log -p -1 --ext-diff"),
    ("git-show-ext", "git show --ext-diff HEAD"),
    ("git-grep-open", "git grep -O./evil.sh calculator"),
    ("git-grep-open-long", "git grep --open-files-in-pager=./evil.sh calculator"),
    ("git-ls-remote", "git ls-remote --upload-pack=./evil.sh ."),
    ("git-ls-remote-exec", "git ls-remote --exec=./evil.sh ."),
    ("find-exec", "find README.md -exec ./evil.sh {} \\;"),
    ("find-exec-sh", "find README.md -exec sh -c './evil.sh < /dev/null' \\;"),
    ("find-execdir", "find README.md -execdir ./evil.sh {} \\;"),
    ("find-exec-plus", "find README.md -exec ./evil.sh {} +"),
    ("sort-compress", "sort --compress-program=./evil.sh -S 1k docs/numbers.txt"),
    ("sort-compress-short", "sort --compress-prog ./evil.sh -S 1k docs/numbers.txt"),
    ("tar-command", "tar xf docs/archive.tar --to-command=./evil.sh"),
    ("tar-checkpoint", "tar cf /dev/null README.md --checkpoint=1 --checkpoint-action=exec=./evil.sh"),
    ("tar-use", "tar -I ./evil.sh -tf docs/archive.tar"),
    ("tar-use-long", "tar --use-compress-program=./evil.sh -tf docs/archive.tar"),
    ("tar-info", "tar cf /dev/null -M -L 40 docs/numbers.txt -F ./evil.sh"),
    ("rg-pre", "rg --pre ./evil.sh x README.md"),
    ("rg-pre-joined", "rg --pre=./evil.sh x"),
    ("rg-hostname", "rg --pre-glob '*.md' --pre ./evil.sh x README.md"),
    ("sed-e", "sed '1e ./evil.sh < /dev/null' README.md"),
    ("sed-e-flag", "sed '1s/.*/.\\/evil.sh <\\/dev\\/null/e' README.md"),
    ("awk-system", "awk 'BEGIN { system(\"./evil.sh < /dev/null\") }'"),
    ("awk-pipe", "awk 'BEGIN { print 1 | \"./evil.sh\" }'"),
    ("awk-getline", "awk 'BEGIN { \"./evil.sh < /dev/null\" | getline }'"),
    ("fd-exec", "fdfind README -x ./evil.sh"),
    ("fd-exec-batch", "fdfind README -X ./evil.sh"),
];

/// Lines that delete.
const DELETES: &[(&str, &str)] = &[
    ("find-delete", "find @HOME@/elsewhere -name kept.txt -delete"),
    ("find-exec-rm", "find @HOME@/elsewhere -name kept.txt -exec rm {} \\;"),
    ("tar-remove", "tar cf /dev/null --remove-files @HOME@/elsewhere/kept.txt"),
    ("sed-over", "sed -i s/vi/x/ @HOME@/.bashrc"),
    ("sort-over", "sort -o @HOME@/.bashrc data.csv"),
];

/// Readers with a rule of their own, for files that are secret.
const READS: &[(&str, &str)] = &[
    ("git-diff-no-index", "git diff --no-index /dev/null {p}"),
    ("curl-file", "curl -s file://{A}"),
    ("curl-config", "curl -s -K {p} 2>&1; curl -s file://\"$HOME\"/{h}"),
    ("tar-stdout", "tar cPf - {p}"),
    ("tar-list", "tar cf /dev/null -T {p} 2>&1"),
    ("sort-list", "sort --files0-from={p} 2>&1"),
    ("rg-file", "rg . {p}"),
    ("rg-pattern", "rg -of {p} {p}"),
    ("sed-read", "sed 'r {p}' README.md"),
    ("awk", "awk 1 \"$HOME/{h}\""),
    ("head-glob", "head {f}/{g}"),
    ("cat-dots", "cat src/../{p}"),
    ("jq-raw", "jq -n --rawfile x {p} '$x'"),
    ("date", "date -f {p} 2>&1"),
    ("wc", "wc --files0-from={p} 2>&1"),
    ("cat-variable", "f={p}; cat \"$f\""),
    ("find-cat", "find {f} -maxdepth 1 -name {qn} -exec cat {} \\;"),
];

/// All of them.
pub(crate) fn all() -> Vec<Try> {
    let mut tries = Vec::new();
    for (at, (name, line)) in WRITES.iter().enumerate() {
        // Who allows `tar` allows archives, but not where nothing may be written.
        let places = if name.starts_with("tar-create") { &PLACES[..3] } else { PLACES };
        for (place, path) in places.iter().cycle().skip(at).take(2) {
            tries.push(Try::line(format!("rule/{name}/{place}"), line.replace("{}", path)));
        }
    }
    for (name, line) in RUNS {
        tries.push(Try::line(format!("rule/{name}/plain"), *line));
        tries.push(Try::line(format!("rule/{name}/pipe"), format!("{line} | head -5")));
    }
    tries.extend(DELETES.iter().map(|(name, line)| Try::line(format!("rule/{name}"), *line)));
    for (at, (name, line)) in READS.iter().enumerate() {
        for (target, _) in TARGETS.iter().cycle().skip(at).take(2) {
            let line = spell(line, ("", ""), target);
            tries.push(Try::line(format!("rule/read-{name}/{}", target.name), line));
        }
    }
    tries
}
