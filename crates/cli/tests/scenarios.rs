//! Every folder in `scenarios/` is a test: a scripted model plays a conversation against the whole program.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::path::Path;

use forelook_testkit::scenario;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut folders: Vec<_> = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let trials = folders.into_iter().map(|folder| {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        Trial::test(name, move || {
            scenario::run(env!("CARGO_BIN_EXE_forelook"), &folder).map_err(Failed::from)
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}
