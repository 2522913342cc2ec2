//! What the tests of Glob and Grep share: a project with everything that a search meets.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use crate::testing::Bench;

/// Lays out a file with the folders above it.
pub(crate) fn lay(bench: &Bench, name: &str, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(bench.path(name).parent().unwrap()).unwrap();
    bench.file(name, bytes);
}

/// Makes a file as old as this many seconds after 1970.
pub(crate) fn date(path: impl AsRef<Path>, seconds: u64) {
    File::options()
        .append(true)
        .open(path)
        .unwrap()
        .set_modified(UNIX_EPOCH + Duration::from_secs(seconds))
        .unwrap();
}

/// A project under git, with hidden, ignored and deep files.
pub(crate) fn project() -> Bench {
    let bench = Bench::new();
    for (name, text) in [
        (".git/config", "needle in git\n"),
        (".gitignore", "target/\n*.log\n"),
        (".ignore", "skipped.txt\n"),
        ("src/main.rs", "fn main() {\n    needle();\n}\n"),
        ("src/deep/lib.rs", "// one\n// Needle two\n// three\n// four\n// needle five\n"),
        ("src/deep/page.tsx", "const needle = 1;\r\nconst other = 2;\r\n"),
        (".github/ci.yml", "run: needle\n"),
        (".env", "KEY=needle\n"),
        ("docs/a.md", "no match here\n"),
        ("docs/.gitignore", "private.md\n"),
        ("docs/private.md", "needle\n"),
        ("target/out.rs", "needle\n"),
        ("debug.log", "needle\n"),
        ("skipped.txt", "needle\n"),
    ] {
        lay(&bench, name, text);
    }
    bench
}
