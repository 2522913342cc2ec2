//! What parts read, write, run and reach, and which options a rule must name.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use forelook_shell::{LinePart, PathTarget, ShellEffect, Verdict, WorkingFolder, analyse};

/// `a` for a file, `a*` for what begins so, `a/**` for everything below, `?` for what is not known.
fn shown(path: &PathTarget) -> String {
    match path {
        PathTarget::Path(path) => path.clone(),
        PathTarget::Begins(prefix) => format!("{prefix}*"),
        PathTarget::Below(folder) => format!("{folder}/**"),
        PathTarget::Somewhere => "?".to_owned(),
    }
}

fn reads(line: &str) -> Vec<String> {
    analyse(line).reads().map(shown).collect()
}

fn writes(line: &str) -> Vec<String> {
    analyse(line).writes().map(shown).collect()
}

/// The part that the line ends with: the outermost of a nested one.
fn last(line: &str) -> LinePart {
    analyse(line).parts.pop().unwrap()
}

#[test]
fn places_are_known() {
    for (line, expected) in [
        ("cat $HOME/.ssh/id", "~/.ssh/id"),
        ("cat ${HOME}/x", "~/x"),
        ("cat \"$HOME/x\"", "~/x"),
        ("cat \"$HOME\"", "~"),
        ("cat \"$HOME\"x", "?"),
        ("cat /a$HOME/x", "?"),
        ("cat \"${HOME%/*}/x\"", "?"),
        ("HOME=/x; cat $HOME/f", "/x/f"),
        ("HOME=/x; cat ~/f", "?"),
        ("HOME=/x bash -c 'cat ~/f'", "?"),
        ("cat \"$PWD/x\"", "./x"),
        ("PWD=/x; cat \"$PWD/f\"", "/x/f"),
        ("d=\"$PWD\"; cd a && cat \"$d/x\"", "?"),
        ("for f in \"$PWD/x\"; do cat \"$f\"; done", "?"),
        ("env -C a cat \"$PWD/x\"", "?"),
        ("git -C a diff \"$PWD/x\"", "?"),
        ("cat ~+/x ~user/y ~/z", "? ? ~/z"),
        ("curl file:///etc/x", "/etc/x"),
        ("sed -n \"r $x\" f", "f ?"),
        ("cat \"$OLDPWD/x\"", "?"),
        ("cat $TMPDIR/x", "?"),
        ("TMPDIR=/tmp/t; cat \"$TMPDIR/f\"", "/tmp/t/f"),
        ("f=.env; cat \"$f\"", ".env"),
        ("d=lib; cat $d/../.env", "lib/../.env"),
        ("for f in a .env; do cat $f; done", ".env a"),
        ("for f in src/*.rs; do cat \"$f\"; done", "src/*"),
        ("for f in src/*.rs; do cat $f; done", "?"),
        ("while read f; do cat \"$f\"; done < list", "? list"),
        ("cat src/*", "src/*"),
        ("cat *", "./*"),
        ("cat .*", "?"),
        ("cat lib*/../.env", "?"),
        ("cat src/$x", "?"),
        ("cat {a,b}/c", "a/c b/c"),
        ("cat $(ls)", "?"),
        ("ls -A | xargs tail", "?"),
        ("find . -print0 | xargs -0 cat", ". ./*"),
        ("find src | xargs cat", "src ?"),
        ("find src -exec cat {} +", "src* src"),
        ("find -L src -exec cat {} +", "? src"),
        ("find src lib -exec cat {} +", "? src lib"),
    ] {
        assert_eq!(reads(line).join(" "), expected, "{line}");
    }
}

#[test]
fn every_reader_names_what_it_reads() {
    for (line, expected) in [
        ("grep foo", ""),
        ("grep foo f", "f"),
        ("grep \"$x\" f", "f"),
        ("grep $x f", "f ?"),
        ("grep -f pats f", "pats f"),
        ("grep -fpats f", "pats f"),
        ("grep --file=pats f", "pats f"),
        ("grep -e a f g", "f g"),
        ("grep -r foo", "./**"),
        ("grep -rn foo src", "src/**"),
        ("grep -R foo src", "?"),
        ("grep -inr foo src", "src/**"),
        ("grep -nR foo src", "?"),
        ("grep -rnw -e foo src", "src/**"),
        ("grep -lif pats src", "pats src"),
        ("cp -rL a b", "?"),
        ("zip -r x.zip a", "? ?"),
        ("grep --recursive foo src", "src/**"),
        ("grep -A 3 foo f", "f"),
        ("rg foo", "./**"),
        ("rg foo src", "src/**"),
        ("rg -L foo src", "?"),
        ("rg -f pats", "pats ./**"),
        ("cat f | rg foo", "f"),
        ("git grep foo", "./**"),
        ("head -n \"$n\" f", "f"),
        ("head -n 5 f", "f"),
        ("tail -c +5 f", "f"),
        ("cut -d: -f1 f", "f"),
        ("sort --files0-from=F", "F ?"),
        ("wc --files0-from=F", "F ?"),
        ("du --files0-from=F", "F ?"),
        ("sha256sum -c sums", "?"),
        ("diff --from-file=a b", "a b/**"),
        ("diff -r a b", "? ?"),
        ("sed -n 1p f", "f"),
        ("sed -f prog f", "prog f"),
        ("sed -n 'r other' f", "f other"),
        ("awk -f prog f", "prog f"),
        ("awk '{print}' f", "f"),
        ("awk 'BEGIN{ARGV[1]=\"x\"} {print}'", "?"),
        ("jq .a f", "f"),
        ("jq -f prog f", "prog f"),
        ("jq --slurpfile a b . c", "b c"),
        ("jq --rawfile a b . c", "b c"),
        ("jq --arg a b . c", "c"),
        ("date -f F", "F"),
        ("date -r F", "F"),
        ("bc F", "F"),
        ("xargs -a list cat", "list ?"),
        ("cat < in", "in"),
        ("cat <<< x", ""),
        ("cat -", ""),
        ("tar tf x.tar", "x.tar"),
        ("tar cf x.tar src", "src/**"),
        ("tar cf x.tar -C d src", "d/src/**"),
        ("tar cf x.tar -T list", "list"),
        ("cp -r a b", "a/**"),
        ("cp -t d a b", "a b"),
        ("curl -d @f http://x", "f"),
        ("curl -T f http://x", "f"),
        ("git show HEAD:.env", ".env"),
        ("git show \"$rev\"", ""),
        ("git diff --no-index a \"$b\"", "a ?"),
        ("git --git-dir=x log", "x/**"),
        ("git -C sub diff f", "sub/f"),
        ("git -C sub -C deep diff f", "sub/deep/f"),
        ("git -C \"$x\" diff f", "?"),
        ("env -C sub cat f", "sub/f"),
        ("env -C sub cat f < g", "sub/f g"),
        ("ls \"$d\"", ""),
        ("[ -f \"$f\" ]", ""),
        ("[ -f .env ]", ".env"),
        ("dd if=\"$x\"", "?"),
        ("file -f list", "list ?"),
        ("bash -c 'cat x'", "x"),
        ("openssl x509 -in a.pem -noout", "a.pem"),
    ] {
        assert_eq!(reads(line).join(" "), expected, "{line}");
    }
}

#[test]
fn options_have_effects() {
    for (line, written, special) in [
        ("git log --output=~/.forelook/settings.json", "~/.forelook/settings.json", "--output"),
        ("git log --output f", "f", "--output"),
        ("git log --outp=f", "f", "--output"),
        ("git log --output=\"$x\"", "?", "--output"),
        ("git -C sub log --output=f", "sub/f", "--output"),
        ("timeout 5 git log --output=f", "f", "--output"),
        ("git diff --output=f", "f", "--output"),
        ("git stash show --output=f", "f", "--output"),
        ("git archive --output=f HEAD", "f", "--output"),
        ("sort -o f g", "f", "-o"),
        ("sort -uof g", "f", "-o"),
        ("sort --outp=f g", "f", "--output"),
        ("sed -i s/a/b/ f", "f", "-i"),
        ("sed 'w out' f", "out", "w out"),
        ("find . -fprintf f x", "f", "-fprintf"),
        ("find src -delete", "src*", "-delete"),
        ("curl -sSLo f http://x", "f", "-o"),
        ("curl -O http://x", "./**", "-O"),
        ("curl -c jar http://x", "jar", "-c"),
        ("wget -O f http://x", "f", "-O"),
        ("tree -o f", "f", "-o"),
        ("iconv -o f g", "f", "-o"),
        ("tar xf x.tar -C out", "out/./**", "-x"),
        ("tar cf x.tar src", "x.tar", "-c"),
        ("rsync -a --log-file=f a b", "f b b/a", ""),
        ("mv -t d a", "d a", ""),
        ("git push --force", "", ""),
        ("rm -rf x", "x", ""),
    ] {
        assert_eq!(writes(line).join(" "), written, "{line}");
        assert_eq!(last(line).special_options.join(" "), special, "{line}");
        assert_eq!(analyse(line).verdict, Verdict::Changes, "{line}");
    }
}

#[test]
fn options_that_run_programs_must_be_named() {
    for (line, special) in [
        ("git log --ext-diff", "--ext-diff"),
        ("git log -p --textconv", "--textconv"),
        ("git log '--format=%G?'", "%G"),
        ("git log --format=\"%G$x\"", "%G --format=\"%G$x\""),
        ("git -c core.sshCommand=x fetch", "-c"),
        ("git -c core.fsmonitor=x status", "-c"),
        ("git --exec-path=x log", "--exec-path"),
        ("git push --receive-pack=x", "--receive-pack"),
        ("git push --receive=x", "--receive-pack"),
        ("git fetch --upload-pack x", "--upload-pack"),
        ("git rebase -x 'make' main", "-x"),
        ("git grep -O./x foo", "-O"),
        ("rg --pre ./x foo", "--pre"),
        ("rg -nz foo", "-z"),
        ("fd -x rm", "-x"),
        ("sort --compress-program=x f", "--compress-program"),
        ("tar -tf x --to-command=y", "--to-command"),
        ("tar tf x -I y", "-I"),
        ("rsync -e x a b", "-e"),
        ("ssh -o ProxyCommand=x h", "-o"),
        ("scp -S x a h:b", "-S"),
        ("curl -K f http://x", "-K"),
        ("npm install --script-shell=x", "--script-shell"),
        ("cargo --config x build", "--config"),
        ("cargo build --config x", "--config"),
        ("go test -exec x ./...", "-exec"),
        ("awk -f prog f", "-f"),
        ("man -Hx ls", "-H"),
        ("bat --pager=x f", "--pager"),
        ("env -S 'x y'", "-S"),
        ("git tag -v v1", "-v"),
    ] {
        let part = last(line);
        assert_eq!(part.special_options.join(" "), special, "{line}");
        assert!(
            part.effects.iter().any(|e| matches!(e, ShellEffect::Run { .. })),
            "{line}: {:?}",
            part.effects
        );
        assert_ne!(part.verdict, Verdict::ReadOnly, "{line}");
    }
}

#[test]
fn options_that_a_reading_table_does_not_list_must_be_named() {
    for (line, special) in [
        ("git log --oneline -5", ""),
        ("git log --foo", "--foo"),
        ("git log $x", "$x"),
        ("git log --git-dir=x", "--git-dir"),
        ("git --git-dir=x log", "--git-dir"),
        ("git --git-dir=x --work-tree=y status", "--git-dir --work-tree"),
        ("cat $x", ""),
        ("git commit --foo -m x", ""),
        ("git commit -am 'Some text'", ""),
        ("git commit -m\"Say $x\"", ""),
        ("git commit -S -m x", "-S"),
        ("cargo test -p foo --features x", ""),
        ("npm install --foo", ""),
        ("find . -foo", "-foo"),
        ("find . -exec wc {} +", "-exec"),
        ("git branch -D x", "-D"),
        ("docker -H tcp://x ps", "-H"),
        ("env -u PATH ls", "-u"),
        // Where the second file is written.
        ("uniq a b", "b"),
        ("xxd a ~/b", "~/b"),
        ("uniq a", ""),
        // What changes files anyway writes here; elsewhere only where the rule says so.
        ("git format-patch -1 -o out", ""),
        ("git format-patch -1 -o /out", "-o"),
        ("go build -o bin/x", ""),
        ("go build -o ../x", "-o"),
        ("git log --output=a --output=b", "--output --output"),
    ] {
        assert_eq!(last(line).special_options.join(" "), special, "{line}");
    }
}

#[test]
fn configuration_is_looked_for_after_options_that_move() {
    for (line, folder, config) in [
        ("git status", "", ""),
        ("git -C sub status", "", "sub"),
        ("git -C a -C b status", "", "a/b"),
        ("git -C .. status", "", ".."),
        ("git -C a/../b status", "", "?"),
        ("git -C \"$x\" status", "", "?"),
        ("git -C ~/x status", "", "~/x"),
        ("git -C \"$PWD/x\" status", "", "x"),
        ("env -C a git -C \"$PWD/x\" status", "", "?"),
        ("cd a && git -C b status", "a", "a/b"),
        ("cd a && git -C .. status", "a", "?"),
        ("cd a; git -C /b status", "?", "/b"),
        ("env -C a git -C b status", "", "a/b"),
        ("make -C sub all", "", "sub"),
        ("cargo -C sub metadata", "", "sub"),
        ("npm --prefix sub ls", "", "sub"),
        ("go -C sub version", "", "sub"),
    ] {
        let named = |text: &str| match text {
            "" => WorkingFolder::Start,
            "?" => WorkingFolder::Elsewhere,
            other => WorkingFolder::Moved(other.to_owned()),
        };
        let part = last(line);
        assert_eq!((part.folder, part.config_folder), (named(folder), named(config)), "{line}");
    }
}

#[test]
fn names_are_looked_up_on_the_network() {
    for line in
        ["getent hosts x", "host x", "dig x", "nslookup x", "ping x", "hostname -f", "getent ahosts x"]
    {
        let part = last(line);
        assert!(part.effects.contains(&ShellEffect::Network), "{line}");
        assert_eq!(part.verdict, Verdict::Unknown, "{line}");
    }
}

#[test]
fn programs_that_read_the_folder_say_so() {
    for line in [
        "git log",
        "cargo metadata --no-deps",
        "rustup toolchain list",
        "rustc --version",
        "rustfmt --check f.rs",
        "npm ls",
        "npx x",
        "node x.js",
        "pnpm list",
        "yarn list",
        "tsc",
        "eslint .",
        "prettier .",
        "pip list",
        "python3 x.py",
        "uv pip list",
        "pytest",
        "ruff check",
        "make",
        "rg foo",
        "go version",
        "docker ps",
        "gh pr list",
        "cmake .",
        "gradle build",
    ] {
        assert!(!last(line).depends_on.is_empty(), "{line}");
    }
}
