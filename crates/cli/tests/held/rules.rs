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
    "Bash(git add:*)",
    "Bash(git stash:*)",
    "Bash(git bundle:*)",
    "Bash(git clone:*)",
    "Bash(git init:*)",
    "Bash(git worktree:*)",
    "Bash(gcc:*)",
    "Bash(openssl:*)",
    "Bash(split:*)",
    "Bash(csplit:*)",
    "Bash(python3 -m json.tool:*)",
    "Bash(perl:*)",
    "Bash(python3:*)",
    "Bash(zip:*)",
    "Bash(sqlite3:*)",
    "Bash(rsync:*)",
    "Bash(install:*)",
    "Bash(ln:*)",
    "Bash(strip:*)",
    "Bash(make:*)",
    "Bash(gdb:*)",
    "Bash(vim:*)",
    "Bash(npx:*)",
    "Bash(wget:*)",
    "Bash(patch:*)",
    "Bash(cp:*)",
    "Bash(test:*)",
    "Bash(printf:*)",
    "Bash(export)",
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

/// Lines that write to `{}`, of programs that may write: a rule for them does not reach what walls stand before.
const WRITERS: &[(&str, &str, &str)] = &[
    ("gcc-o", "gcc", "gcc -E -x c /dev/null -o {}"),
    ("gcc-o-joined", "gcc", "gcc -E -x c /dev/null -o{}"),
    ("gcc-dependencies", "gcc", "gcc -E -x c /dev/null -MD -MF {}"),
    ("openssl-out", "openssl", "openssl rand -out {} 4"),
    ("openssl-enc", "openssl", "openssl base64 -in README.md -out {}"),
    ("openssl-dashes", "openssl", "openssl rand --out {} 4"),
    ("cp-value", "cp", "cp README.md {} --no-preserve mode"),
    ("rsync-value", "rsync", "rsync README.md {} --timeout 5"),
    ("gcc-output", "gcc", "gcc -E -x c /dev/null --output {}"),
    ("split-prefix", "split", "split -l 1 src/new.txt {}"),
    ("csplit-prefix", "csplit", "csplit -s -f {} data.csv 2"),
    ("json-tool", "python3", "python3 -m json.tool data.json {}"),
    ("json-tool-flags", "python3", "python3 -B -mjson.tool data.json {}"),
    ("json-tool-value", "python3", "python3 -X utf8 -m json.tool data.json {}"),
    ("zip", "zip", "zip -q {}.zip README.md"),
    ("sqlite-file", "sqlite3", "sqlite3 {} 'create table t(a)'"),
    ("sqlite-output", "sqlite3", "sqlite3 :memory: '.output {}' 'select 1'"),
    ("sqlite-short", "sqlite3", "sqlite3 :memory: '.ou {}' 'select 1'"),
    ("git-bundle", "git", "git bundle create -q {} HEAD"),
    ("git-clone", "git", "git clone -q . {}"),
    ("git-init", "git", "git init -q {}"),
    ("git-worktree", "git", "git worktree add -q --detach {}"),
    ("rsync", "rsync", "rsync README.md {}"),
    ("rsync-log", "rsync", "rsync --log-file={} README.md src/copy.md"),
    ("install", "install", "install README.md {}"),
    ("ln", "ln", "ln -s /dev/null {}"),
    ("strip-o", "strip", "strip -o {} /bin/true"),
    (
        "patch-o",
        "patch",
        "patch -s -o {} src/new.txt /dev/null; patch -s -r {} README.md /dev/null; printf '1c\nx\n.\n' | patch -s -o {} src/new.txt",
    ),
    ("tar-top", "tar", "tar xf docs/archive.tar --one-top-level={}"),
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
    ("split-filter", "split --filter=./evil.sh README.md"),
    ("split-filter-short", "split --filt ./evil.sh README.md"),
    ("perl-e", "perl -e 'system q(./evil.sh </dev/null)'"),
    ("perl-cluster", "perl -lne 'system q(./evil.sh </dev/null)' README.md"),
    ("python-c", "python3 -c 'import os; os.system(\"./evil.sh\")'"),
    ("gcc-wrapper", "gcc -wrapper ./evil.sh -x c -c /dev/null -o /dev/null"),
    ("make-eval", "make -f /dev/null --eval='x:;./evil.sh' x"),
    ("make-shell", "make -f docs/Makefile SHELL=./evil.sh"),
    ("make-shell-simple", "make -f docs/Makefile SHELL:=./evil.sh"),
    ("perl-input", "echo 'system q(./evil.sh </dev/null)' | perl"),
    ("python-input", "python3 - <<< 'import os; os.system(\"./evil.sh\")'"),
    ("test-v", "test -v 'a[$(./evil.sh < /dev/null)]'"),
    ("printf-v", "printf -v 'a[$(./evil.sh < /dev/null)]' x"),
    ("export-env", "export BASH_ENV=./evil.sh; bash -c true"),
    ("rsync-rsh", "rsync -e ./evil.sh README.md x:y"),
];

/// The same, for programs that are not on every machine.
const RUNS_OF: &[(&str, &str, &str)] = &[
    ("sqlite-shell", "sqlite3", "sqlite3 :memory: '.shell ./evil.sh'"),
    ("sqlite-shell-short", "sqlite3", "sqlite3 :memory: '.sh ./evil.sh'"),
    ("sqlite-input", "sqlite3", "sqlite3 :memory: <<< '.shell ./evil.sh'"),
    ("gdb-input", "gdb", "gdb -nx <<< 'shell ./evil.sh'"),
    ("sqlite-init", "sqlite3", "sqlite3 -cmd '.system ./evil.sh' :memory: 'select 1'"),
    ("gdb-ex", "gdb", "gdb -nx -batch -ex 'shell ./evil.sh'"),
    ("vim-c", "vim", "vim -es -c '!./evil.sh' -c 'q!'"),
    ("npx-c", "npx", "npx -c ./evil.sh"),
    ("wget-askpass", "wget", "wget -q --use-askpass=./evil.sh http://a@127.0.0.1:9/x"),
];

/// Lines that make git show files that it ignores.
const TAKES: &[(&str, &str)] = &[
    ("all", "git add -fA && git diff --cached"),
    ("folder", "git add -f . && git diff --cached"),
    ("abbreviated", "git add --forc . && git diff --cached"),
    ("named", "git add -f .env.production && git diff --cached"),
    ("stash", "git stash push -qa && git stash show -p --include-untracked"),
    ("stash-all", "git stash --all -q && git show 'stash@{0}^3'"),
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
    ("curl-write-out", "curl -s -w @{p} file:///dev/null"),
    ("curl-capitals", "curl -s FILE://{A}"),
    ("curl-host", "curl -s File://localhost{A}"),
    ("curl-url", "curl -s --url file:{A}"),
    ("curl-upload", "curl -s -T {p} file:///dev/stdout"),
    ("openssl-in", "openssl base64 -in {p}"),
    ("openssl-in-dashes", "openssl base64 --in {p}"),
    ("curl-pattern", "curl -s 'fil[e-e]://{A}'"),
    ("gcc-text", "gcc -E -x c -P {p}"),
    ("json-tool", "python3 -m json.tool {p} 2>&1; python3 -m base64 -e {p}"),
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
    for (at, (name, needs, line)) in WRITERS.iter().enumerate() {
        for (place, path) in PLACES[..3].iter().cycle().skip(at).take(2) {
            let name = format!("rule/writer-{name}/{place}");
            tries.push(Try::line(name, line.replace("{}", path)).needing(needs));
        }
    }
    tries.extend(
        RUNS_OF.iter().map(|(name, needs, line)| Try::line(format!("rule/{name}"), *line).needing(needs)),
    );
    tries.extend(TAKES.iter().map(|(name, line)| Try::line(format!("rule/git-takes-{name}"), *line)));
    tries.extend(DELETES.iter().map(|(name, line)| Try::line(format!("rule/{name}"), *line)));
    for (at, (name, line)) in READS.iter().enumerate() {
        for (target, _) in TARGETS.iter().cycle().skip(at).take(2) {
            let line = spell(line, ("", ""), target);
            tries.push(Try::line(format!("rule/read-{name}/{}", target.name), line));
        }
    }
    tries
}
