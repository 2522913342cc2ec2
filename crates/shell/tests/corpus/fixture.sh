#!/bin/bash
# Builds the folder in which the corpus is run: $1/project (a small git repository) and $1/home.
set -eu
root=$1
mkdir -p "$root/project" "$root/home"
export HOME="$root/home"
cat > "$HOME/.gitconfig" <<'END'
[user]
	name = test
	email = test@example.com
[diff]
	autoRefreshIndex = false
[init]
	defaultBranch = main
END
cd "$root/project"
git init -q --template= .
mkdir -p src docs globs
printf '# Readme\n\nfoo bar\n' > README.md
printf 'line one foo\nline two bar\nline three\n\n# comment\nline five\n' > notes.txt
printf 'name,count\nalpha,3\nbeta,7\n' > data.csv
printf 'one\ntwo\n' > a
printf 'two\nthree\n' > b
printf 'fn main() {\n    println!("foo");\n}\n' > src/main.rs
printf 'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n' > src/lib.rs
printf '{"name": "demo", "version": "1.0.0", "scripts": {"test": "true"}, "dependencies": {"x": "1"}}\n' > package.json
printf '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n' > Cargo.toml
printf 'text about x line\n' > docs/x.md
printf 'a\n' > globs/a
printf 'a\n' > globs/-ocanary
printf '#!/bin/sh\ntouch %s/project/pwned\n' "$root" > x
cp x evil.sh
chmod +x x
printf 'w canary\n' > prog.sed
printf 'BEGIN { system("touch canary") }\n' > prog.awk
printf 'open("canary", "w")\n' > evil.py
printf 'require("fs").writeFileSync("canary", "")\n' > evil.js
printf 'X := $(shell touch canary)\nall:\n\ttouch canary\n' > Makefile
printf '%s\n' '--- a/notes.txt' '+++ b/notes.txt' '@@ -1,2 +1,2 @@' '-line one foo' '+line one changed' ' line two bar' > notes.diff
printf '0 string x X\n' > magic
git add . && git commit -qm 'first commit'
printf 'more\n' >> README.md && git commit -qam 'second commit'
git checkout -q -b other && printf 'o\n' > other.txt && git add . && git commit -qm 'other' && git checkout -q main
printf 'even more\n' >> README.md && git commit -qam 'third commit'
git tag v1
git remote add origin https://example.com/demo.git
printf 'stashed\n' >> README.md && git stash -q
printf 'dirty\n' >> README.md
printf 'new\n' > untracked.txt
mkdir -p pack && printf 'inside\n' > pack/inside.txt
tar -C pack -cf x.tar inside.txt && tar -C pack -czf x.tgz inside.txt
(cd pack && zip -q ../x.zip inside.txt) || true
rm -r pack
gzip -c notes.txt > f.gz
for tool in bzip2:bz2 xz:xz zstd:zst; do
  { command -v "${tool%:*}" > /dev/null && "${tool%:*}" -qc notes.txt > "f.${tool#*:}"; } || true
done
git repack -adq && git prune-packed -q
# Old times, so that a file written within the same second still differs.
find "$root" -exec touch -h -d '2024-01-02 03:04:05' {} +
git update-index -q --refresh || true
find "$root" -exec touch -h -d '2024-01-02 03:04:05' {} +
