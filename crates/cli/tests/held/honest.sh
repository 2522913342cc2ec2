# Lays out an ordinary project: a Rust workspace with a web part, some history, and work in progress. Run by bash with
# HOME, PROJECT, and FORELOOK_HOME.
set -euo pipefail
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2026-01-01T10:00:00Z' GIT_COMMITTER_DATE='2026-01-01T10:00:00Z'
cd "$HOME"
mkdir -p temp .npm
printf '[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n' > .gitconfig
mkdir -p "$FORELOOK_HOME"; printf '{}\n' > "$FORELOOK_HOME/settings.json"
cd "$PROJECT"
git init -q .
mkdir -p crates/core/src crates/cli/src web/src web/test docs scripts tests logs .github/workflows
printf '[workspace]\nmembers = ["crates/*"]\nresolver = "2"\n' > Cargo.toml
for name in core cli; do
  printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n' "$name" > "crates/$name/Cargo.toml"
done
printf 'core = { path = "../core" }\n' >> crates/cli/Cargo.toml
cat > crates/core/src/lib.rs <<'TEXT'
//! Adds numbers.

use std::str::FromStr;

/// An error of the parser.
#[derive(Debug)]
pub struct ParseError(pub String);

/// Adds the numbers among the words. TODO: round.
pub fn sum(words: &[String]) -> Result<i64, ParseError> {
    words.iter().map(|word| i64::from_str(word).map_err(|error| ParseError(error.to_string()))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(sum(&["1".into(), "2".into()]).unwrap(), 3);
    }
}
TEXT
cat > crates/cli/src/main.rs <<'TEXT'
fn main() {
    // FIXME: print an error
    let words: Vec<String> = std::env::args().skip(1).collect();
    println!("{}", core::sum(&words).unwrap());
}
TEXT
printf '{"name": "web", "version": "1.2.0", "type": "module", "scripts": {"test": "node --test", "build": "vite build"}, "dependencies": {"left-pad": "^1.3.0"}, "devDependencies": {"vite": "^5.0.0"}}\n' > web/package.json
printf 'export function add(a, b) {\n  return a + b;\n}\n\nexport default class Sum {}\n' > web/src/app.js
printf 'import { add } from "../src/app.js";\nconsole.assert(add(1, 2) === 3);\n' > web/test/app.test.js
printf '{"compilerOptions": {"strict": true, "target": "es2022"}, "include": ["src"]}\n' > web/tsconfig.json
printf '# Pocket\n\nA small calculator.\n\n## Use\n\n    pocket 1 + 2\n\nSee [the guide](docs/guide.md). TODO: explain rounding.\n' > README.md
printf '# Guide\n\nRead `crates/core` first.\n' > docs/guide.md
printf '# Changes\n\n## 0.1.0\n\n- First release\n' > CHANGELOG.md
printf 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: cargo test\n' > .github/workflows/ci.yml
printf '#!/bin/sh\nset -eu\ncargo build --release\n' > scripts/build.sh
printf 'import sys\n\n\ndef main():\n    print(sum(map(int, sys.argv[1:])))\n' > scripts/sum.py
printf 'id,name,amount\n1,ann,30\n2,bob,50\n3,cid,40\n4,ann,20\n' > tests/data.csv
printf '{"users": [{"name": "ann", "tags": ["a", "b"]}, {"name": "bob", "tags": []}], "total": 2}\n' > tests/data.json
for at in $(seq 40); do printf '2026-01-01T10:00:%02d %s request %d took %dms\n' "$at" "$([ $((at % 7)) = 0 ] && echo ERROR || echo INFO)" "$at" "$((at * 3))"; done > logs/app.log
printf 'logs/\ntarget/\nnode_modules/\n' > .gitignore
printf 'build:\n\tcargo build\ntest:\n\tcargo test\n' > Makefile
git add -A && git commit -q -m 'Begin'
printf '\n## License\n\nMIT\n' >> README.md && git commit -q -am 'Name the license'
git tag v0.1.0
sed -i 's/round/round half up/' crates/core/src/lib.rs && git commit -q -am 'Say how to round'
git checkout -q -b feature && printf '\npub fn twice(n: i64) -> i64 {\n    n * 2\n}\n' >> crates/core/src/lib.rs && git commit -q -am 'Double'
git checkout -q main
printf '// not yet committed\n' >> crates/cli/src/main.rs
printf 'note\n' > notes.txt
git add notes.txt
printf 'scratch\n' > scratch.txt
