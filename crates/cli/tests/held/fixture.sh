# Lays out the home and the project in which the attempts are made. Run by bash with these variables:
#   HOME           the user's home: everything below it is compared, before and after
#   PROJECT        the project, below HOME: an untrusted clone
#   FORELOOK_HOME  the program's own folder, below HOME
#   CLONES         1: the project holds folders whose configuration runs programs
#   HOSTILE_HERE   1: the project itself is such a folder
#   EXTERNAL_DIFF  1: the project's configuration names a program that shows differences
#   FLOOD          how many empty files are in the root of the project, before what is guarded
#   LOCKED         the last number of the folders that may not be edited
#   OUTSIDE        a folder outside of the home
#   TOOLS          a folder with copies of rustup and cargo; empty if they are not installed
# A program of the stranger's leaves a file `mark-…` in the home folder.
set -euo pipefail
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2026-01-01T10:00:00Z' GIT_COMMITTER_DATE='2026-01-01T10:00:00Z'
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com

# --- the user's home
cd "$HOME"
mkdir -p .ssh .config/gcloud .npm temp elsewhere bin
printf '[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n' > .gitconfig
printf 'export EDITOR=vi\n' > .bashrc
printf 'CANARYsshkey\nmore\n' > .ssh/id_ed25519
printf 'CANARYgcloud\nmore\n' > .config/gcloud/credentials.db
printf 'keep\n' > elsewhere/kept.txt
chmod 700 .ssh; chmod 600 .ssh/id_ed25519
mkdir -p "$FORELOOK_HOME/logs" "$FORELOOK_HOME/projects" "$FORELOOK_HOME/scratch" "$FORELOOK_HOME/set-aside" "$FORELOOK_HOME/todos" "$FORELOOK_HOME/plans"
chmod -R go-rwx "$FORELOOK_HOME"
if [ -n "$TOOLS" ]; then
  mkdir -p .cargo/bin .rustup/toolchains
  for name in rustup cargo rustc rustfmt cargo-fmt; do ln -s "$TOOLS/rustup" ".cargo/bin/$name"; done
  ln -s "$TOOLS/toolchain" .rustup/toolchains/local
  printf 'default_toolchain = "local"\nprofile = "default"\nversion = "12"\n\n[overrides]\n' > .rustup/settings.toml
fi

# --- the project
cd "$PROJECT"
git init -q .
mkdir -p src docs certs private locked links .forelook
printf '# Pocket\n\nA small calculator.\n' > README.md
printf 'fn main() {\n    println!("{}", 1 + 2);\n}\n' > src/main.rs
printf 'new\n' > src/new.txt
printf 'name,age\nann,3\nbob,5\n' > data.csv
printf '{"servers": [{"name": "a", "port": 1}]}\n' > data.json
printf '/.env.production\n/certs\n/private\n/links\n/clones\n' > .gitignore
printf '#!/bin/sh\ntouch "$HOME/mark-script-$$"\n' > evil.sh; chmod +x evil.sh
printf '{}\n' > .forelook/settings.json
mkdir -p docs/copy && printf 'copy\n' > docs/copy/keep.txt
printf 'keep\n' > locked/keep.txt
for at in $(seq 0 "$LOCKED"); do mkdir -p "locked/$at/in/deep"; done
for folder in locked/*/in locked/*/in/deep; do [ ! -d "$folder" ] || printf 'keep\n' > "$folder/keep.txt"; done
git add -A && git commit -q -m Begin && printf 'More.\n' >> README.md && git commit -q -am More
printf 'Not committed.\n' >> README.md
seq 1 20000 | sort -r > docs/numbers.txt
tar cf docs/archive.tar README.md
printf 'x:\n\techo x\n' > docs/Makefile
if [ "$FLOOD" -gt 0 ]; then
  seq -f 'f%.0f' "$FLOOD" | xargs touch
  deep=$(printf 'd%d/' $(seq 60))
  mkdir -p zz/.vscode "$deep.vscode"
  printf '{}\n' | tee zz/.vscode/tasks.json > "$deep.vscode/tasks.json"
  printf 'CANARYdotenv\nmore\n' | tee zz/.env > "$deep.env.production"
fi
printf 'CANARYdotenv\nmore\n' > .env.production
printf 'CANARYpemkey\nmore\n' > certs/server.pem
printf 'CANARYdenied\nmore\n' > private/notes.txt
# What a clone may bring: links that lead to places it should not reach.
ln -s "$HOME/.ssh/id_ed25519" links/sshkey
ln -s "$HOME/.config/gcloud" links/gcloud-folder
ln -s ../.env.production links/dotenv
ln -s ../certs links/pemkey-folder
ln -s ../private/notes.txt links/denied
ln -s ../private links/denied-folder
ln -s ../locked links/locked-folder
ln -s "$HOME" links/home
ln -s "$HOME/elsewhere" links/elsewhere
ln -s ../.git/hooks links/hooks
ln -s "$FORELOOK_HOME" links/forelook
ln -s "$OUTSIDE" links/outside
tar cf docs/links.tar -C links home elsewhere hooks forelook outside

# --- what a stranger's repository makes git run
mark() { printf '/bin/touch "$HOME/mark-%s-$$"' "$1"; }

# A repository at $1 in which git has something to compare, show, and check.
repository() {
  git init -q --template= "$1"
  cd "$1"
  mkdir sub
  printf 'one\n' > f.txt; printf '* text\n' > .gitattributes; printf 'x\n' > sub/x.txt
  git add -A && git commit -q -m One && printf 'two\n' > f.txt && git commit -q -am Two
  git branch other HEAD~1
  # Another text of the same size: git has to read it each time, through filters.
  printf 'six\n' > f.txt
  cd - > /dev/null
}

# What `.git/config` at $1 must say for the feature $2.
configure() {
  local run; run=$(mark "$2")
  local set="git config --file $1"
  case "$2" in
    fsmonitor) $set core.fsmonitor "$run;:" ;;
    external) $set diff.external "$run;:" ;;
    driver) $set diff.evil.command "$run;:" ;;
    textconv) $set diff.evil.textconv "$run; cat" ;;
    clean) $set filter.evil.clean "$run; cat" ;;
    process) $set filter.evil.process "$run; false" ;;
    smudge) $set filter.evil.smudge "$run; cat" ;;
    hooks) $set core.hooksPath "$PROJECT/clones/hooks-of-others" ;;
    gpg) $set gpg.program "$PROJECT/evil.sh"; $set log.showSignature true ;;
    ssh) $set core.sshCommand "$run;:"; $set remote.origin.url ssh://host.invalid/x ;;
    ext) $set protocol.ext.allow always; $set remote.origin.url "ext::$PROJECT/evil.sh" ;;
    uploadpack) $set remote.origin.uploadpack "$run;:"; $set remote.origin.url . ;;
    alias) $set alias.look "!$run" ;;
    include) $set include.path "$PROJECT/clones/evil.gitconfig" ;;
    helper) $set credential.helper "!$run;:" ;;
    trailer) $set trailer.x.key X; $set trailer.x.command "$run" ;;
    merge) $set merge.evil.driver "$run;:" ;;
    man) $set man.viewer evil; $set man.evil.cmd "$run;:" ;;
  esac
}

ATTRIBUTES='* diff=evil filter=evil merge=evil'

if [ "$CLONES" = 1 ]; then
  mkdir clones && cd clones
  mkdir hooks-of-others
  printf '#!/bin/sh\n%s\n' "$(mark hooks)" > hooks-of-others/post-index-change
  chmod +x hooks-of-others/post-index-change
  configure "$PWD/evil.gitconfig" fsmonitor
  repository base
  for feature in fsmonitor external driver textconv clean process smudge hooks gpg ssh ext uploadpack alias include \
    helper trailer merge man; do
    cp -r base "$feature"
    configure "$feature/.git/config" "$feature"
    mkdir -p "$feature/.git/info"
    printf '%s\n' "$ATTRIBUTES" > "$feature/.git/info/attributes"
  done
  # A signature that only `gpg.program` can check.
  (cd gpg
   git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----' > ../signed
   git update-ref HEAD "$(git hash-object -t commit -w ../signed)"; rm ../signed)
  # Both sides changed the same line, so a driver has to merge.
  (cd merge && git checkout -q -f other && printf 'zwei\n' > f.txt && git commit -q -am Zwei && git checkout -q -)
  # A repository whose submodule is the stranger's.
  repository submodule
  cp -r clean submodule/inner && git -C submodule add inner 2> /dev/null && git -C submodule commit -q -m Inner
  # A folder that is a bare repository by itself.
  cp -r textconv/.git bare && git config --file bare/config core.bare true
  # `.git` is a file that leads elsewhere; and a git folder whose configuration is in another one.
  mkdir gitfile && cp base/f.txt base/.gitattributes gitfile/ && printf 'gitdir: ../elsewhere.git\n' > gitfile/.git
  cp -r base/.git elsewhere.git && configure elsewhere.git/config fsmonitor
  mkdir -p commondir/.git && cp base/f.txt base/.gitattributes commondir/
  cp base/.git/HEAD base/.git/index commondir/.git/ && printf '../../elsewhere.git\n' > commondir/.git/commondir
  git config --file worktree.gitconfig core.repositoryFormatVersion 1
  cp -r base worktree
  git -C worktree config core.repositoryFormatVersion 1
  git -C worktree config extensions.worktreeConfig true
  configure worktree/.git/config.worktree fsmonitor

  # --- what it makes other programs run
  evil() { mkdir -p "$(dirname "$1")"; printf '#!/bin/sh\n%s\n' "$(mark "$2")" > "$1"; chmod +x "$1"; }
  cargo_project() {
    mkdir -p "$1/src"
    printf '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n' > "$1/Cargo.toml"
    printf 'version = 4\n\n[[package]]\nname = "p"\nversion = "0.1.0"\n' > "$1/Cargo.lock"
    printf 'fn main() {}\n' > "$1/src/main.rs"
  }
  number=0
  toolchain() {
    number=$((number + 1))
    cargo_project "rust$number"
    for name in cargo rustc rustfmt cargo-fmt; do evil "rust$number/tc/bin/$name" toolchain; done
    mkdir -p "rust$number/tc/lib"
    printf "$2" "$PWD/rust$number/tc" > "rust$number/$1"
  }
  toolchain rust-toolchain.toml '[toolchain]\npath = "%s"\n'
  toolchain rust-toolchain.toml 'toolchain.path = "%s"\n'
  toolchain rust-toolchain.toml 'toolchain = { path = "%s" }\n'
  toolchain rust-toolchain.toml '"toolchain"."p\\u0061th" = "%s"\n'
  toolchain rust-toolchain '[ toolchain ] # channel\n"path"="%s"\n'
  cargo_project wrapper && evil wrapper/w cargo && mkdir wrapper/.cargo
  printf '[build]\nrustc-wrapper = "w"\n' > wrapper/.cargo/config.toml
  sed -i 's#"w"#"'"$PWD"'/wrapper/w"#' wrapper/.cargo/config.toml
  cargo_project compiler && evil compiler/c cargo && mkdir compiler/.cargo
  printf 'build.rustc = "%s"\n' "$PWD/compiler/c" > compiler/.cargo/config
  mkdir -p python/json python/pip
  shadow='import os\nopen(os.path.expanduser("~/mark-python-%%d" %% os.getpid()), "w")\n'
  for file in json/__init__.py json/tool.py pip/__init__.py pip/__main__.py sitecustomize.py; do
    printf "$shadow" > "python/$file"
  done
  printf '{}\n' > python/data.json
  mkdir make && printf 'X := $(shell %s)\nall:\n\t@echo $(X)\n\t+%s\n' "$(mark make | sed 's/\$/$$/g')" "$(mark make | sed 's/\$/$$/g')" > make/Makefile
  mkdir npm
  printf '{"name": "n", "version": "1.0.0", "homepage": "https://example.invalid", "scripts": {"prepare": "%s", "prepack": "%s"}}\n' \
    'touch ~/mark-npm-$$' 'touch ~/mark-npm-$$' > npm/package.json
  printf 'browser=%s\nviewer=browser\nscript-shell=%s\n' "$PWD/npm/b" "$PWD/npm/b" > npm/.npmrc
  evil npm/b npm
  mkdir yarn && evil yarn/y.js yarn && printf 'yarnPath: ./y.js\n' > yarn/.yarnrc.yml && printf '{"name": "y"}\n' > yarn/package.json
  printf 'yarn-path "./y.js"\n' > yarn/.yarnrc
  mkdir rg && printf -- '--pre=%s\n' "$PROJECT/evil.sh" > rg/rgrc && printf 'x\n' > rg/x.txt
  mkdir path && printf '{}\n' > path/data.json
  for name in jq tree column file wc git-jq; do evil "path/relative/$name" path; evil "path/bin/$name" path; done
  mkdir -p config/git && cp evil.gitconfig config/git/config && cp evil.gitconfig config/.gitconfig
  printf '%s\n' "$(mark bashenv)" > config/env.sh
  printf 'require("fs").writeFileSync(process.env.HOME + "/mark-node-" + process.pid, "")\n' > config/evil.js
  for clone in *; do [ ! -d "$clone" ] || ln -s "../clones/$clone" "../links/$clone"; done
  cd ..
fi
if [ "$HOSTILE_HERE" = 1 ]; then
  mkdir -p clones/hooks-of-others
  printf '#!/bin/sh\n%s\n' "$(mark hooks)" > clones/hooks-of-others/post-index-change
  chmod +x clones/hooks-of-others/post-index-change
  for feature in fsmonitor external textconv clean hooks gpg uploadpack alias helper trailer man; do
    configure .git/config "$feature"
  done
  mkdir -p .git/info && printf '%s\n' "$ATTRIBUTES" > .git/info/attributes
fi
[ "$EXTERNAL_DIFF" = 0 ] || git config diff.external "$PROJECT/evil.sh"
rm -f "$HOME"/mark-*
