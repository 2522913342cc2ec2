//! What parts read, write, run and reach, and which options a rule must name.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use forelook_shell::{LinePart, PathTarget, ShellEffect, Verdict, WorkingFolder, analyse};

/// `a` for a file, `a*` for what begins so, `a/**` for everything below, `a+` for a file or folder as a whole, `a/^` for what
/// git tracks, `?` for what is not known.
fn shown(path: &PathTarget) -> String {
    match path {
        PathTarget::Path(path) => path.clone(),
        PathTarget::Begins(prefix) => format!("{prefix}*"),
        PathTarget::Below(folder) => format!("{folder}/**"),
        PathTarget::Tree(path) => format!("{path}+"),
        PathTarget::Tracked(folder) => format!("{folder}/^"),
        PathTarget::Somewhere => "?".to_owned(),
    }
}

fn reads(line: &str) -> Vec<String> {
    analyse(line).reads().map(shown).collect()
}

fn writes(line: &str) -> Vec<String> {
    analyse(line).writes().map(shown).collect()
}

/// Every line has what its row says; tells all rows that differ.
fn assert_rows(rows: &[(&str, &str)], of: impl Fn(&str) -> String) {
    let differs = |(line, expected): &(&str, &str)| {
        let found = of(line);
        (found != *expected).then(|| format!("{line}: {found:?} instead of {expected:?}"))
    };
    let differing: Vec<String> = rows.iter().filter_map(differs).collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
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
    let rows = [
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
        ("zip -r x.zip a", "?"),
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
        ("bc F", "F"),
        ("xargs -a list cat", "list ?"),
        ("cat < in", "in"),
        ("cat <<< x", ""),
        ("cat -", ""),
        ("tar tf x.tar", "x.tar"),
        ("tar cf x.tar src", "src/**"),
        ("tar cf x.tar -C d src", "d/src/**"),
        ("tar cf x.tar -T list", "list ?"),
        ("zip x.zip a", "a"),
        ("zip -m x.zip a", "a"),
        ("echo .env | zip x.zip -@", "?"),
        ("zip -rm x.zip d -@", "? ?"),
        ("xz -l --files=list", "list ?"),
        ("xz -dc --files", "?"),
        ("zstd -c --filelist list", "list ?"),
        ("gzip -k f", "f"),
        ("gzip f", "f"),
        ("bzip2 --keep f", "f"),
        ("7z a x.7z @list", "list @list"),
        ("find . | cpio -o", ". ?"),
        ("rsync -a --files-from=list / d", "list //** ?"),
        ("git update-index --add f", "f"),
        ("git update-index --add --stdin", "?"),
        ("git hash-object --stdin-paths", "?"),
        ("git add --pathspec-from-file=list", "list ?"),
        ("cp -b a .env", "a .env .env/a"),
        ("cp --backup=numbered a b", "a b b/a"),
        ("mv -S .old a b", "a+ a b+ b/a+"),
        ("ln -sfb a b", "a b b/a"),
        ("install --suffix=x a b", "a b b/a"),
        ("rsync -b --backup-dir=old a b", "a b b/a"),
        ("perl -i.bak -pe x f", "x f"),
        ("python3 -m gzip f", "f"),
        ("python3 -m base64 f", "f"),
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
        ("[ -f .env ]", ""),
        ("dd if=\"$x\"", "?"),
        ("file -f list", "list ?"),
        ("bash -c 'cat x'", "x"),
        ("openssl x509 -in a.pem -noout", "a.pem"),
    ];
    assert_rows(&rows, |line| reads(line).join(" "));
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
        ("rsync -a --log-file=f a b", "f b+ b/a+", ""),
        ("mv -t d a", "d a+ d/a+", ""),
        ("git push --force", "", ""),
        ("rm -rf x", "x+", ""),
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
fn options_that_run_or_reach_elsewhere_must_be_named() {
    for (line, special) in [
        ("pylint --init-hook='x' f", "--init-hook"),
        ("pytest -p evil", "-p"),
        ("pytest -p no:cacheprovider", ""),
        ("mypy --python-executable x f", "--python-executable"),
        ("./gradlew -I x build", "-I"),
        ("./gradlew build --info", ""),
        ("./tool -I ../x", ""),
        ("tcpdump -z ./x -i any", "-z"),
        ("ip netns exec x ./evil", "exec"),
        ("strace -o '|x' ls", "-o"),
        ("ar --plugin ./x r a b", "--plugin"),
        ("gcc -Wl,-plugin,./x f.c", "-plugin"),
        ("gcc -MF/etc/x f.c", "-MF"),
        ("gcc -MFbuild/x.d f.c", ""),
        ("cargo test -C ../x", "-C"),
        ("cargo test -C../x", "-C"),
        ("cargo test -p x", ""),
        ("go test -C ../x", "-C"),
        ("cargo build --artifact-dir ~/bin", "--artifact-dir"),
        ("npx eslint --rulesdir ../x", "--rulesdir"),
        ("npx eslint -c ../x f", "-c"),
        ("npx eslint -c x f", ""),
    ] {
        assert_eq!(last(line).special_options.join(" "), special, "{line}");
    }
}

#[test]
fn words_that_may_be_paths_are_told_where_nothing_else_is_known_of_them() {
    for (line, mentions) in [
        ("./tool .env", ".env"),
        ("./tool --x=.env", ".env"),
        ("./tool -x.env", ".env env nv"),
        ("gh gist create .env -d 'a .env b'", ".env a .env b create gist"),
        ("cat .env", ""),
        ("echo .env", ""),
        ("cp a .env", ""),
    ] {
        assert_eq!(last(line).mentions.join(" "), mentions, "{line}");
    }
    let many = (0..1500).map(|at| format!(" {at}")).collect::<String>();
    assert!(last(&format!("./tool{many} z")).mentions.contains(&"z".to_owned()));
    assert!(last(&format!("./tool {}z", "y,".repeat(2000))).mentions.contains(&"z".to_owned()));
    for (line, read) in [("mv .env x", ".env"), ("git mv a b", "a"), ("mv -t d a b", "a b"), ("rm a", "")] {
        assert_eq!(reads(line).join(" "), read, "{line}");
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
        ("cd a; git -C /b status", "|a", "/b"),
        ("env -C a git -C b status", "", "a/b"),
        ("make -C sub all", "", "sub"),
        ("cargo -C sub metadata", "", "sub"),
        ("npm --prefix sub ls", "", "sub"),
        ("go -C sub version", "", "sub"),
    ] {
        let named = |text: &str| match text {
            "" => WorkingFolder::Start,
            "?" => WorkingFolder::Elsewhere,
            "|a" => WorkingFolder::OneOf(vec![WorkingFolder::Moved("a".to_owned()), WorkingFolder::Start]),
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

/// A rule for a command that does more than read covers its ordinary options, and no others.
#[test]
fn options_of_programs_that_do_more_than_read_must_be_named() {
    let rows = [
        ("kubectl get pods --kubeconfig F", "--kubeconfig"),
        ("kubectl --kubeconfig=F get pods", "--kubeconfig"),
        ("kubectl get pods -n x -o json -l a=b --show-labels", ""),
        ("kubectl get pods -s https://x", "-s"),
        ("helm template x --post-renderer ./y", "--post-renderer"),
        ("helm list -n x -o json", ""),
        ("split --filter='sh' f", "--filter"),
        ("split --filt='sh' f", "--filter"),
        ("split -l 10 f out", ""),
        ("sqlite3 -init F db", "-init"),
        ("sqlite3 -json db 'select 1'", ""),
        ("sqlite3 db '.shell x'", ".shell"),
        ("sqlite3 -foo db", "-foo"),
        ("psql -o F -c 'select 1'", "-o"),
        ("psql -h x -U y -c 'select 1'", ""),
        ("psql -c '\\! x'", "\\!"),
        ("psql -c '\\d users'", ""),
        ("mysql -e 'select 1' --tee=F", "--tee"),
        ("openssl rand -out F 10", "-out"),
        ("openssl req -engine ./x.so", "-engine"),
        ("gcc -c a.c -o a.o -O2 -Wall -Iinclude -DX=1", ""),
        ("gcc a.c -o ~/F", "-o"),
        ("gcc a.c -o/F", "-o"),
        ("gcc -wrapper ./x a.c", "-wrapper"),
        ("gcc -fplugin=./x.so a.c", "-fplugin"),
        ("gcc -B./x a.c", "-B"),
        ("npx -c 'x'", "-c"),
        ("npx --call=x", "--call"),
        ("npx jest -c jest.config.js", ""),
        ("npx jest --outputFile=/F", "--outputFile"),
        ("gdb -ex '!x' -batch", "-ex"),
        ("gdb --args ./x -o y", ""),
        ("vim -c ':!x' f", "-c"),
        ("vim +:!x f", "+:!x"),
        ("vim +12 f", ""),
        ("emacs --batch --eval x", "--eval"),
        ("python3 x.py -c y --output=z", ""),
        ("python3 -c x", "-c"),
        ("perl -pe x f", "-e"),
        ("perl x.pl -e y", ""),
        ("perl -lne x f", "-e"),
        ("perl -0777 -pe x f", "-e"),
        ("perl -0777ne x f", "-e"),
        ("python3 -uc x", "-c"),
        ("vim -Oc x f", "-c"),
        ("node -e x", "-e"),
        ("node x.js --eval y", ""),
        ("docker build -t x --build-arg a=b -f Dockerfile .", ""),
        ("docker build -o ~/x .", "-o"),
        ("docker run --rm -it -v ./src:/src -p 1:1 x sh -c 'y'", ""),
        ("docker run -v /:/host x", "-v"),
        ("docker run --privileged x", "--privileged"),
        ("npm run test -- --output=/F --command x", ""),
        ("npm test", ""),
        ("npm run build --script-shell=./x", "--script-shell"),
        ("cargo build --release -p x --features y", ""),
        ("cargo build --artifact-dir=/F", "--artifact-dir"),
        ("make -j4 -C sub test CC=clang", ""),
        ("make SHELL=./x", "SHELL"),
        ("make CC=./evil", "CC"),
        ("make CXX='sh -c x;'", "CXX"),
        ("make PYTHON=tools/py test", "PYTHON"),
        ("make LDFLAGS=-B/x", "LDFLAGS"),
        ("make PATH=bin:/bin", "PATH"),
        ("make LD_PRELOAD=x.so", "LD_PRELOAD"),
        ("make PREFIX=/usr/local DESTDIR=./out O=build/x install", ""),
        ("make TEST=src/a_test.c test", ""),
        ("npm exec x", "exec"),
        ("npm exec -c 'x'", "-c"),
        ("npm x --call=x", "--call"),
        ("npm exec --package=y -- x --fix", "exec"),
        ("pnpm exec x", "exec"),
        ("pnpm dlx -c 'x'", "-c dlx"),
        ("yarn exec x", "exec"),
        ("yarn node -e x", "node"),
        ("yarn build", ""),
        ("bun x y", "x"),
        ("bun run --preload ./x build", "--preload"),
        ("bun --preload=./x test", "--preload"),
        ("bun run build --watch", ""),
        ("deno eval x", "eval"),
        ("poetry run x", "run"),
        ("python3 -m timeit x", "-m"),
        ("python3 -m pdb -c x f.py", "-m"),
        ("python3 -Im code", "-m"),
        ("python3 -m \"$x\"", "-m"),
        ("python3 -m unittest -q", ""),
        ("python3 -m pytest -q", ""),
        ("pytest --cov-report=html:/srv/x", "--cov-report"),
        ("pytest --cov-report=html:out --cov-report=term", ""),
        ("gcc -fdiagnostics-add-output=sarif:file=/srv/x a.c", "-fdiagnostics-add-output"),
        ("cargo rustc -- -o /srv/x", "-o"),
        ("cargo rustc -- -C linker=./x", "-C"),
        ("cargo test -- --logfile=/srv/x", "--logfile"),
        ("cargo test x -- --nocapture --test-threads=1", ""),
        ("cargo clippy --all-targets -- -D warnings -A clippy::all", ""),
        ("make --eval=x", "--eval"),
        ("cmake -S . -B build -DX=1", ""),
        ("cmake --build build --config Release", ""),
        ("cmake -P x.cmake", "-P"),
        ("go test ./... -run X", ""),
        ("pytest -k x -o log_cli=true --tb=short", ""),
        ("pytest --basetemp=/F", "--basetemp"),
        ("terraform plan -out=p", ""),
        ("aws s3 ls --output json", ""),
        ("aws s3 ls --endpoint-url http://x", "--endpoint-url"),
        // No table: names of options tell.
        ("mytool --output out/x", ""),
        ("mytool --output ~/x", "--output"),
        ("mytool --output=\"$x\"", "--output"),
        ("mytool --outp=/x", "--outp"),
        ("mytool -o /x", "-o"),
        ("mytool -o/x", "-o"),
        ("mytool --output-format json --timeout 5 --no-config", ""),
        ("mytool --exec x", "--exec"),
        ("mytool --command=x", "--command"),
        ("mytool --init-file x", "--init-file"),
        ("mytool --config x.toml", ""),
        ("mytool --config /x.toml", "--config"),
        ("mytool --verbose -x --fix", ""),
        ("helm foo --post-renderer x", "--post-renderer"),
        ("cargo foo --config x", "--config"),
        // Somebody's own program.
        ("./build.sh --output /x --exec y", ""),
    ];
    assert_rows(&rows, |line| last(line).special_options.join(" "));
}

#[test]
fn writers_name_what_they_write() {
    let rows = [
        ("patch -p1 < x.diff", "./**"),
        ("patch f x.diff", "f ./**"),
        ("patch -d sub -p1 -i x", "sub/./**"),
        ("patch -o f a b", "f a ./**"),
        ("patch --dry-run < x", ""),
        ("git apply x.diff", "./**"),
        ("git -C sub apply x.diff", "sub/./**"),
        ("git apply --stat x.diff", ""),
        ("git apply --stat --apply x.diff", "./**"),
        ("git am x.mbox", "./**"),
        ("git merge x", "./^"),
        ("git pull", "./^"),
        ("git cherry-pick x", "./^"),
        ("git revert HEAD", "./^"),
        ("git rebase main", "./^"),
        ("git stash", "./^"),
        ("git stash push -m x", "./^"),
        ("git stash pop", "./^"),
        ("git reset --hard", "./^"),
        ("git reset HEAD f", ""),
        ("git checkout main", "main+ ./^"),
        ("git checkout -- f", "f+"),
        ("git checkout other f g", "other+ f+ g+"),
        ("git checkout other -- .", "other+ ./^"),
        ("git checkout -b x", ""),
        ("git checkout -b x main", "main+ ./^"),
        ("git switch -c x", ""),
        ("git switch main", "./^"),
        ("git restore f", "f+"),
        ("git restore .", "./^"),
        ("git restore --source=x 'a*'", "./^"),
        ("git rm -r d/", "./^"),
        ("git mv a b", "a+ b+"),
        ("git clone http://x d", "d d/x"),
        ("git clone http://x/y.git", "http://x/y.git"),
        ("git init d", "d"),
        ("git worktree add d", "d"),
        ("git bundle create f HEAD", "f"),
        ("git archive -o f HEAD", "f"),
        ("git clean -fd", "./**"),
        ("git clean -n", ""),
        ("git commit -m x", ""),
        ("gzip f", "f f.gz"),
        ("gzip -dc f.gz", ""),
        ("gunzip .envrc.gz", ".envrc.gz .envrc"),
        ("gzip -r d", "d d.gz ./**"),
        ("xz -d .envrc.xz", ".envrc.xz .envrc"),
        ("bzip2 f", "f f.bz2"),
        ("zstd f -o g", "g f.zst"),
        ("unxz f.xz", "f.xz f"),
        ("gzip -k f", "f.gz"),
        ("gzip -kd f.gz", "f"),
        ("gzip -kc f", ""),
        ("xz -k $f", "?"),
        ("unxz --keep .envrc.xz", ".envrc"),
        ("zstd f", "f.zst"),
        ("zstd --rm f", "f f.zst"),
        ("lz4 f", "f.lz4"),
        ("xz --files=list", "?"),
        ("zip -m x.zip -@", "x.zip ?"),
        ("cp -b a b", "b b~ b.~1~ b/a b/a~ b/a.~1~"),
        ("cp -S .old a b", "b b.old b/a b/a.old"),
        ("mv --backup=t a b", "a+ a~ a.~1~ b+ b~ b.~1~ b/a+ b/a~ b/a.~1~"),
        ("rsync -a --backup-dir=/old a b", "/old/** b+ b~ b.~1~ b/a+ b/a~ b/a.~1~"),
        ("python3 -m gzip f", "f.gz"),
        ("python3 -m gzip -d f.gz", "f"),
        ("pytest --cov-report=html:/srv/x", "/srv/x html:/srv/x"),
        ("gcc -fdiagnostics-add-output=sarif:file=/srv/x a.c", "file /srv/x sarif:file=/srv/x"),
        ("cargo rustc -- -o /srv/x", "/srv/x"),
        ("zip x.zip f", "x.zip"),
        ("zip -m x.zip f", "x.zip f"),
        ("unzip x.zip", "./**"),
        ("unzip -o x.zip -d d", "d/**"),
        ("unzip -l x.zip", ""),
        ("tar xf x.tar", "./**"),
        ("7z x x.7z -od", "d/**"),
        ("ar x x.a", "x.a ./**"),
        ("ar rcs x.a f", "x.a"),
        ("cpio -id < x", "./**"),
        ("python3 -m json.tool a b", "b*"),
        ("python3 -B -m json.tool a b", "b*"),
        ("python3 -m json.tool a", ""),
        ("python3 -m zipfile -e x.zip d", "d/**"),
        ("rsync -a a b", "b+ b/a+"),
        ("rsync -a a/ b", "b+ b/a+ b/**"),
        ("cp -r a/. b", "b+ b/**"),
        ("cp -r a b", "b+ b/a+"),
        ("git config a.b c", ".git/config"),
        ("git config --global a.b c", "~/.gitconfig"),
        ("git config set a.b c", ".git/config"),
        ("git config --file f a.b c", "?"),
        ("git config a.b", ""),
        ("install -m 644 a b", "b b/a"),
        ("install -t d a", "d d/a"),
        ("dd if=a of=b", "b"),
        ("truncate -s 0 f", "f"),
        ("ln -s a b", "b b/a"),
        ("wget http://x/.envrc", ".envrc"),
        ("wget -O f http://x/g", "f"),
        ("wget -P d http://x/g", "d/** g"),
        ("wget -r http://x/", "index.html ./**"),
        ("openssl rand -out f 1", "f"),
        ("gcc -o f a.c", "f"),
        ("gcc a.c -of", "f"),
        ("perl -pi -e x f", "f"),
        ("perl -i.bak -pe x f", "f f.bak"),
        ("ruby -i -pe x f", "f"),
        ("sort -o f g", "f"),
        ("sort -o=f g", "=f"),
        ("tee f", "f"),
        ("split a out", "out*"),
        ("csplit -f out a 1", "out*"),
        ("ffmpeg -i a b", "b"),
        ("convert a b", "b b/a"),
        ("mogrify -resize 5 a", "5 a"),
        ("sqlite3 f 'x'", "f"),
        ("docker cp x:/a b", "b b/a"),
        ("docker save -o f x", "f x"),
        ("vim f", "f"),
        ("prettier --write a", "a+"),
        ("prettier --check a", ""),
        ("mytool --output=f", "f"),
        ("./build.sh --output f", "f"),
        ("./build.sh -o f", "f"),
        ("mytool --out-dir \"$x\"", "?"),
    ];
    assert_rows(&rows, |line| writes(line).join(" "));
}

#[test]
fn clients_name_the_files_that_they_send() {
    let rows = [
        ("curl -w @f http://x", "f"),
        ("curl -w '%{http_code}' http://x", ""),
        ("curl --json @f http://x", "f"),
        ("curl -F a=@f http://x", "f"),
        ("curl -F 'a=<f' http://x", "f"),
        ("curl -F 'a=@f;type=x' http://x", "f"),
        ("curl -F 'a=@f,g' http://x", "f g"),
        ("curl --url-query @f http://x", "f"),
        ("curl -H @f http://x", "f"),
        ("curl -H 'Accept: x' http://x", ""),
        ("curl -K f", "f"),
        ("curl -T f http://x", "f"),
        ("curl FILE:///f", "/f"),
        ("curl File://localhost/f", "/f"),
        ("curl file:/f", "/f"),
        ("curl file:///f%2e", "?"),
        ("curl \"file://$x\"", "?"),
        ("curl --url file:///f", "/f"),
        ("curl --data-urlencode n@f http://x", "f"),
        ("curl --data-urlencode n=v http://x", ""),
        ("curl -d 'a=1' http://x", ""),
        ("curl -d \"a=$x\" http://x", ""),
        ("curl -d \"@$x\" http://x", "?"),
        ("curl -b a=b http://x", "a=b"),
        ("curl -b f http://x", "f"),
        ("curl --netrc-file f http://x", "f"),
        ("curl --cert f:pw --key g http://x", "f:pw f g"),
        ("curl --variable n@f http://x", "f"),
        ("curl --etag-compare f http://x", "f"),
        ("wget --post-file=f http://x", "f"),
        ("wget --body-file f http://x", "f"),
        ("wget -i f", "f"),
        ("http POST x @f", "f"),
        ("http POST x a=@f", "f"),
        ("http POST x a@f", "f"),
        ("http POST x a:=@f", "f"),
        ("aws s3api put-object --body file://f", "s3api put-object file://f f"),
        ("aws s3api put-object --body fileb://f", "s3api put-object fileb://f f"),
        ("gh api x -F a=@f", "f"),
        ("gh api x --input f", "f"),
        ("docker run -v ./.env:/x y", "./.env:/x ./.env"),
        ("docker run -v \"$PWD:/x\" y", ".:/x ."),
        ("docker run -v \"$PWD/.env:/x\" y", "./.env:/x ./.env"),
        ("PWD=/; docker run -v \"$PWD:/x\" y", "/:/x /"),
    ];
    assert_rows(&rows, |line| reads(line).join(" "));
}

/// What git takes in by force it may show later.
#[test]
fn git_reads_what_it_takes_in() {
    let rows = [
        ("git add -fA", "./**"),
        ("git add -Af .", "./**"),
        ("git add -f .", "./**"),
        ("git add --force src", "src/**"),
        ("git add --for src", "src/**"),
        ("git add .env", ".env"),
        ("git add .", "."),
        ("git add -A", ""),
        ("git stash push -a", "./**"),
        ("git stash -a", "./**"),
        ("git stash --all", "./**"),
        ("git stash -ua", "./**"),
        ("git stash", ""),
        ("git commit -am x", ""),
        ("git commit -m x .env", ".env"),
        ("git update-index --add .env", ".env"),
    ];
    assert_rows(&rows, |line| reads(line).join(" "));
}

/// An option that is not listed may have a value, and then another operand is the one that is written.
#[test]
fn an_unlisted_option_makes_every_operand_a_target() {
    let rows = [
        ("cp a .envrc --no-preserve mode", ".envrc .envrc/a"),
        ("cp a .envrc --foo x", "a .envrc .envrc/a x x/a x/.envrc"),
        ("cp a .envrc --foo=x", ".envrc .envrc/a"),
        ("cp a .envrc -Qx", "a .envrc .envrc/a"),
        ("rsync a .envrc --timeout 5", ".envrc .envrc/a"),
        ("rsync a .envrc --foo 5", "a .envrc .envrc/a 5 5/a 5/.envrc"),
        ("kubectl cp p:/a .envrc --foo x", "p:/a .envrc .envrc/a x x/a x/.envrc"),
        ("ln -s -S x a .envrc", ".envrc .envrcx .envrc/a .envrc/ax"),
        ("zip -Z x .envrc f", "x .envrc f"),
        ("chmod -x .envrc", ".envrc"),
        ("chmod --foo x .envrc", "x .envrc"),
        ("chmod --reference=a .envrc", ".envrc"),
        ("chmod +x f", "f"),
        ("chown u f", "f"),
        // Where a folder is named, names in it are written.
        ("cp -t . a/.mcp.json", ". ./.mcp.json"),
        ("mv -t . a/.mcp.json", ". a/.mcp.json+ ./.mcp.json+"),
        ("mv a/.mcp.json .", "a/.mcp.json+ . ./.mcp.json+"),
    ];
    assert_rows(&rows, |line| writes(line).join(" "));
    let many = format!("cp --foo {}", "a/b ".repeat(40));
    assert!(writes(&many).contains(&"?".to_owned()));
}

#[test]
fn options_may_be_spelled_in_several_ways() {
    let rows = [
        ("git push --e=./x .", "--exec"),
        ("git clone --u ./x . d", "--upload-pack"),
        ("git init --t=./x d", "--template"),
        ("sort --o=f g", "--output"),
        ("go build --toolexec=./x .", "-toolexec"),
        ("go build --o ~/x .", "-o"),
        ("go test --vettool=./x ./...", "-vettool"),
        ("terraform apply --state=../x", "-state"),
        ("vault read --address=https://x y", "-address"),
        ("npm test -script-shell=./x", "--script-shell"),
        ("npx -script-shell ./x y", "--script-shell"),
        ("tsc -outDir ../x", "--outDir"),
        ("java -XX:OnError=./x y", "-XX"),
        ("java -XX:+UseG1GC -XX:MaxRAMPercentage=75 -jar x.jar", ""),
        ("java -javaagent:e.jar x", "-javaagent"),
        ("java -Xbootclasspath/a:e.jar x", "-Xbootclasspath/a"),
        ("javac -J-javaagent:e.jar X.java", "-J"),
        // A program with its version.
        ("python3.12 -c x", "-c"),
        ("python2.7 -c x", "-c"),
        ("gcc-13 -fplugin=./x.so a.c", "-fplugin"),
        ("clang-17 -o ~/x a.c", "-o"),
        ("perl5.36 -e x", "-e"),
        ("lua5.4 -e x", "-e"),
        ("nodejs -e x", "-e"),
        ("pip3.12 install --target /x y", "--target"),
    ];
    assert_rows(&rows, |line| last(line).special_options.join(" "));
    assert_eq!(reads("openssl base64 --in .env"), [".env"]);
    assert_eq!(
        writes("cp --t=.forelook settings.json x").join(" "),
        ".forelook .forelook/settings.json .forelook/x"
    );
    // No program that only looks like one that is known.
    for line in ["ls2", "cat-1 f", "test3 -f x", "git2 status", "echo2"] {
        assert_ne!(analyse(line).verdict, Verdict::ReadOnly, "{line}");
    }
}

/// A program in a language of its own, a file with options, a variable of make, an input: as an option that runs.
#[test]
fn words_that_run_something_must_be_named() {
    let rows = [
        ("nm @f", "@f"),
        ("gcc @f", "@f"),
        ("java @f x", "@f"),
        ("javac @f", "@f"),
        ("tsc @f", "@f"),
        ("make 'A!=./x'", "A"),
        ("make 'A != ./x'", "A"),
        ("make 'A=$(shell ./x)'", "A"),
        ("make SHELL:=./x", "SHELL"),
        ("make SHELL+=./x", "SHELL"),
        ("make .SHELLFLAGS=x", ".SHELLFLAGS"),
        ("make MAKEFLAGS=x", "MAKEFLAGS"),
        ("make A=\"$x\"", "A"),
        ("gmake .SHELLFLAGS=x", ".SHELLFLAGS"),
        ("make CC=clang CFLAGS='-O2 -Wall' V=1 test", ""),
        ("make -f - < x", "-f <"),
        ("make -f- <<< x", "-f <"),
        ("make --makefile=/dev/stdin < x", "--makefile"),
        ("make -f <(echo x)", "-f"),
        ("make -f sub/Makefile", ""),
        ("docker compose -f - up < x", "-f <"),
        ("docker compose -f dev.yml up", ""),
        ("gh repo clone a/b -- --upload-pack=./x", "upload-pack"),
        ("gh repo clone a/b -- -c core.fsmonitor=./x", "-c"),
        ("gh repo clone a/b-c config", ""),
        ("cmake --build x -- SHELL=./x", "SHELL"),
        ("cmake --build x -- -j4 V=1", ""),
        ("sqlite3 db '.sh x'", ".sh"),
        ("sqlite3 db ' .sy x'", ".sy"),
        ("sqlite3 db '.ou f'", ".ou"),
        ("sqlite3 db .schema .tables '.mode csv' .sche", ""),
        ("sqlite3 db \"select WriteFile('a','b')\"", "writefile"),
        ("sqlite3 db 'ATTACH/**/\"f\" as x'", "attach"),
        ("sqlite3 db 'vacuum main\tinto \"f\"'", "vacuum"),
        ("sqlite3 db 'update attachments set x=1'", ""),
        ("sqlite3 db \"$(cat f)\"", "\"$(cat f)\""),
        ("mysql -e 'SYSTEM x'", "system"),
        ("mysql -e 'select 1; Source f'", "source"),
        ("mysql -e 'select source, tee from system'", ""),
        ("psql -c 'COPY t TO PROGRAM $$x$$'", "copy"),
        ("psql -c 'select program from t'", ""),
        ("sqlite3 :memory: <<< '.shell x'", "<"),
        ("sqlite3 db 'select 1' < /dev/null", ""),
        ("echo '\\! x' | psql", "<"),
        ("psql -c 'select 1' < f", ""),
        ("psql -h \"$h\" -c \"$x\"", "\"$x\""),
        ("psql -h \"$h\" -c \"select $x\"", ""),
        ("mysql db < f", "<"),
        ("echo x | perl", "<"),
        ("python3 - <<< x", "- <"),
        ("python3 <<< x", "<"),
        ("python3.12 - < x", "- <"),
        ("python3 /dev/stdin < x", "/dev/stdin <"),
        ("python3 <(echo x)", "<(echo x)"),
        ("python3 x.py < data", ""),
        ("python3 -m json.tool < data", ""),
        ("node < x", "<"),
        ("gdb -nx <<< 'shell x'", "<"),
        ("echo x | bash", "<"),
        ("bash -s < x", "-s <"),
        ("bash --rcfile x -i", "--rcfile"),
        ("bash -x x.sh < data", ""),
        ("vim f < x", "<"),
        ("echo x | bun run -", "- <"),
        ("git submodule foreach ./x", "foreach"),
        ("git bisect run ./x", "run"),
        ("kubectl get pods -o go-template-file=f", "-o"),
        ("kubectl get pods -ojsonpath-file=f", "-o"),
        ("kubectl get pods -o jsonpath={.items}", ""),
        ("kubectl get pods -o=json", ""),
        ("kubectl get pods -o=jsonpath-file=f", "-o"),
        ("ar @f", "@f"),
        ("kubectl config view --raw", "--raw"),
        ("docker build -o type=local,dest=/x .", "-o"),
        ("docker container run --privileged x", "--privileged"),
        ("docker container run -v /:/x y", "-v"),
        ("docker compose run -v /:/x y", "-v"),
        ("docker-compose run -v /:/x y", "-v"),
        ("docker buildx build -o /x .", "-o"),
        ("docker compose down -v", ""),
        ("wget --config=./x http://y", "--config"),
        ("wget --foo http://y", "--foo"),
        ("wget -q --show-progress -nc http://y/z", ""),
        ("pytest -o log_file=f", "-o"),
    ];
    assert_rows(&rows, |line| last(line).special_options.join(" "));
    for line in
        ["{ psql; } < f", "exec < f; psql", "f() { psql; }; f < x", "bash -c psql < f", "echo x | { psql; }"]
    {
        let parts = analyse(line).parts;
        let psql = parts.iter().find(|part| part.text == "psql").unwrap();
        assert_eq!(psql.special_options, ["<"], "{line}");
    }
    // What a module of Python is given is judged behind options with values, too.
    assert_eq!(writes("python3 -X utf8 -m json.tool a ~/.bashrc"), ["~/.bashrc*"]);
    assert_eq!(writes("python3 -W ignore -Xdev -m json.tool a b"), ["b*"]);
}

#[test]
fn more_writers_name_what_they_write() {
    let rows = [
        ("gunzip -N x.gz", "x.gz x ./**"),
        ("gzip -dN x.gz", "x.gz x ./**"),
        ("gunzip --name x.gz", "x.gz x ./**"),
        ("pigz -dN x.gz", "x.gz x ./**"),
        ("gunzip .envrc-gz", ".envrc-gz .envrc"),
        ("gunzip x.tgz", "x.tgz x.tar"),
        ("bunzip2 .envrc.bz", ".envrc.bz .envrc"),
        ("unxz -S .x .envrc.x", ".envrc.x ./**"),
        ("gunzip --suffix=.x .envrc.x", ".envrc.x ./**"),
        ("csplit -f .mcp -b .json%.0d x 2", ".mcp*"),
        ("csplit --pre=.mcp x 2", ".mcp*"),
        ("cp -b -S .json x .mcp", ".mcp .mcp.json .mcp/x .mcp/x.json"),
        ("cp -b --suffix=\"$s\" x .mcp", ".mcp .mcp* .mcp/x .mcp/x*"),
        ("sed -i.json s/a/b/ .mcp", ".mcp .mcp.json"),
        ("sed -i 's/a/b/' f", "f"),
        ("sed -i'x/*' s/a/b/ f", "f ?"),
        ("rm -r src", "src+"),
        ("rm src", "src"),
        ("mv a b", "a+ b+ b/a+"),
        ("mv a b/", "a+ b/ b/a+"),
        ("git rm -r src", "src+"),
        ("git mv src x", "src+ x+"),
        ("git checkout HEAD~1 src", "HEAD~1+ src+"),
        ("chmod -R a-w src", "src+"),
        ("zip -rm x.zip src", "x.zip+ src+"),
        ("yq -i .a=1 f.yml", "f.yml"),
        ("rustfmt src/main.rs", "src/main.rs"),
        ("rustfmt --check src/main.rs", ""),
        ("ruff format .mcp.json", ".mcp.json+"),
        ("ruff format --check a", ""),
        ("ruff check --fix a", "a+"),
        ("ruff check a", ""),
        ("cargo fmt", ".+"),
        ("cargo fmt --check", ""),
        ("cargo fix", ".+"),
        ("cargo clippy --fix", ".+"),
        ("cargo clippy", ""),
        ("ruff format", ".+"),
        ("go fmt ./...", ".+"),
        ("gofmt -w src", "src+"),
        ("clang-format -i .envrc", ".envrc+"),
        ("mytool --fix .envrc", ".envrc+"),
        ("./tool --write src", "src+"),
        ("mytool -i .envrc", ""),
        ("dos2unix .envrc", ".envrc"),
        ("isort src", "src+"),
        ("isort --check src", ""),
        ("shfmt -w .envrc", ".envrc+"),
        ("cargo new a/b", "a/b+"),
        ("uv venv .husky", ".husky"),
        ("uv pip install --target .husky x", ".husky"),
        ("git checkout --pathspec-from-file=f", "./^"),
        ("git rm --pathspec-from-file=f", "./^"),
        ("git restore --pathspec-from-file f", "./^"),
        ("sftp h:x .envrc", ".envrc .envrc/h:x"),
        ("gh release download v1 -R a/b", "./**"),
        ("gh release download v1 -D d", "d/**"),
        ("gh repo clone a/b .husky", ".husky+ .husky/b+"),
        ("gh pr checkout 1", "./^"),
        ("convert a txt:.envrc", "txt:.envrc .envrc txt:.envrc/a"),
        ("pytest -o log_file=~/.bashrc", "~/.bashrc"),
        ("docker build -o type=local,dest=out .", "out"),
        ("wget --default-page=.envrc http://x/", ".envrc index.html"),
        ("cat a > /dev/tcp/x/80", "/dev/tcp/x/80"),
        ("cat < /dev/udp/x/80", "/dev/udp/x/80"),
        ("curl -o /dev/null http://x", ""),
        ("wget -O - http://x", ""),
    ];
    assert_rows(&rows, |line| writes(line).join(" "));
    let rows = [
        ("kubectl get pods -o go-template-file=.env", ".env pods"),
        ("kubectl get pods --template=.env -o go-template", ".env pods"),
        ("objdump -S x.o", "?"),
        ("curl 'fil[e-e]:///p/.env'", "?"),
        ("curl 'fil{e}:///p/.env'", "?"),
        ("curl 'http://x/{a,b}[1-3]'", ""),
        ("curl -H \"Authorization: Bearer $x\" http://x", ""),
        ("curl -H \"$x\" http://x", "?"),
        ("curl -d \"{\\\"a\\\": $x}\" http://x", ""),
        ("curl -F \"a=$x\" http://x", "?"),
        ("sqlite3 db \"select $x\"", ""),
        ("git add src/*.rs", "src"),
        ("git add *.rs", "."),
        ("git add -f src/*.rs", "src/*"),
    ];
    assert_rows(&rows, |line| reads(line).join(" "));
}

/// Names, sizes and times are no contents.
#[test]
fn what_only_tells_names_reads_nothing() {
    for line in [
        "ls -la .env",
        "ls .env*",
        "stat .env",
        "[ -f .env ]",
        "test -s .env",
        "date -r .env",
        "touch -r .env x",
        "git check-ignore -v .env",
        "git ls-files .env",
        "git log --oneline -- .env",
        "git log --stat -3 .env",
    ] {
        let part = last(line);
        assert_eq!(part.reads().count(), 0, "{line}");
        assert!(part.looks().any(|path| shown(path).starts_with(".env")), "{line}: {:?}", part.effects);
    }
    for line in
        ["git log -p -- .env", "git log -U3 .env", "git log --word-diff .env", "git diff .env", "wc .env"]
    {
        assert_eq!(reads(line), [".env"], "{line}");
    }
}

#[test]
fn settings_that_a_command_changes_are_files_that_it_writes() {
    let rows = [
        ("npm config set script-shell ./evil", "~/.npmrc .npmrc"),
        ("npm config --location user set a b", "~/.npmrc .npmrc"),
        ("npm c set a b --userconfig f", "f ~/.npmrc .npmrc"),
        ("npm config get registry", ""),
        ("npm set a=b", "~/.npmrc .npmrc"),
        ("npm login", "~/.npmrc .npmrc"),
        ("pnpm config set a b", "~/.npmrc .npmrc ~/.config/pnpm/rc pnpm-workspace.yaml"),
        ("yarn config set a b", "~/.yarnrc ~/.yarnrc.yml .yarnrc.yml"),
        ("yarn build", ""),
        ("pip config set --user a b", "~/.config/pip/pip.conf .venv/pip.conf"),
        ("pip3 config --site set a b", "~/.config/pip/pip.conf .venv/pip.conf"),
        ("pip config list", ""),
        ("conda config --add channels x", "~/.condarc"),
        ("kubectl config set-context x", "~/.kube/config"),
        ("kubectl config view", ""),
        ("gh config set pager ./evil", "~/.config/gh/config.yml"),
        ("gh alias set x '!evil'", "~/.config/gh/config.yml"),
        ("docker login x", "~/.docker/config.json"),
        ("cargo login x", "~/.cargo/credentials.toml"),
        ("git config core.pager x", ".git/config"),
    ];
    assert_rows(&rows, |line| writes(line).join(" "));
    assert!(writes("aws configure set a b").contains(&"~/.aws/config".to_owned()));
    assert!(!writes("aws s3 ls").contains(&"~/.aws/config".to_owned()));
}

#[test]
fn a_report_that_goes_to_a_file_writes_it() {
    let rows = [
        ("curl -w '%output{../x}hi' http://a", "../x"),
        ("curl --write-out='%{http_code}%output{>>x}hi' http://a", "x"),
        ("curl -w @format http://a", "?"),
        ("curl -w \"$x\" http://a", "?"),
        ("curl -sw '%{http_code}' http://a", ""),
    ];
    assert_rows(&rows, |line| writes(line).join(" "));
    for (line, expected) in rows {
        let named = last(line).special_options.iter().any(|option| option.contains("-w"));
        assert_eq!(named, !expected.is_empty(), "{line}");
    }
}

#[test]
fn another_machine_must_be_named() {
    for line in [
        "systemctl status -H x",
        "systemctl status -Hx",
        "systemctl status --host=x",
        "systemctl -M x status",
        "systemctl restart --machine=x y",
        "hostnamectl -H x",
        "timedatectl --host x",
        "loginctl -Hx",
        "localectl --host=x",
        "busctl -H x tree",
        "systemd-analyze --host=x blame",
        "journalctl -M x",
        "journalctl --machine=x",
        "journalctl --unheard-of",
    ] {
        assert!(!last(line).special_options.is_empty(), "{line}");
    }
    for line in ["systemctl status x", "journalctl -u x -n 5", "loginctl list-users"] {
        assert!(last(line).special_options.is_empty(), "{line}");
    }
}
