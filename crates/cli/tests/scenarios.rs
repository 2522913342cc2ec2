//! Every folder in `scenarios/` is a test: a scripted model plays a conversation against the whole program. It is played
//! four times: inside the program, and over each of the three wires.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

use std::path::{Path, PathBuf};

use forelook_testkit::scenario::{self, WireRun};
use forelook_testkit::wire::WIRE_FORMATS;
use libtest_mimic::{Arguments, Failed, Trial};

const BINARY: &str = env!("CARGO_BIN_EXE_forelook");

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let arguments = Arguments::from_args();
    // What `tests/wire/validate.py` reads. Bodies of a scenario that is gone must not stay.
    let bodies = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("wire");
    if arguments.filter.is_none() && !arguments.list {
        let _ = std::fs::remove_dir_all(&bodies);
    }
    let mut folders: Vec<_> = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let trials = folders.into_iter().flat_map(|folder| trials(&folder, &bodies)).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn trials(folder: &Path, bodies: &Path) -> Vec<Trial> {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let copy = folder.to_path_buf();
    let direct = Trial::test(&*name, move || scenario::run(BINARY, &copy).map_err(Failed::from));
    let over = WIRE_FORMATS.iter().map(|wire_format| {
        let (folder, bodies): (PathBuf, PathBuf) = (folder.into(), bodies.into());
        Trial::test(format!("{name} ({})", wire_format.name()), move || {
            let over = WireRun {
                wire_format: *wire_format,
                bodies: &bodies,
                demo: include_str!("../../host/src/demo/script.toml"),
            };
            scenario::run_over_wire(&over, BINARY, &folder).map_err(Failed::from)
        })
    });
    std::iter::once(direct).chain(over).collect()
}
