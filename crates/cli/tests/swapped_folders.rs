//! A command in the workspace fence puts a link in the place of a working folder, or of a folder above one; or it swaps
//! folders all the time. No later command may write where the link leads, or read what is hidden.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use forelook_testkit::Lab;
use serde_json::json;

/// Two commands one after the other, in a project with `sub` and `a/b`. `VICTIM` is a folder beside the project.
struct Swap {
    flags: &'static [&'static str],
    settings: &'static str,
    /// The folder to start in.
    folder: &'static str,
    lines: [&'static str; 2],
}

const SWAPS: &[Swap] = &[
    Swap {
        flags: &["--add-dir", "sub"],
        settings: "{}",
        folder: "",
        lines: ["rm -rf sub; ln -s VICTIM sub", "echo theirs > sub/notes.txt"],
    },
    Swap {
        flags: &[],
        settings: r#"{"permissions": {"additionalDirectories": ["sub"]}}"#,
        folder: "",
        lines: ["mv sub old; ln -s VICTIM sub", "echo theirs > VICTIM/notes.txt; rm -rf VICTIM/b"],
    },
    Swap {
        flags: &["--add-dir", "a/b"],
        settings: "{}",
        folder: "",
        lines: ["mv a c; ln -s VICTIM a", "echo theirs > a/b/notes.txt"],
    },
    Swap {
        flags: &[],
        settings: r#"{"sandbox": {"writable": ["a/b"]}}"#,
        folder: "",
        lines: ["mv a c; ln -s VICTIM a", "echo theirs > a/b/notes.txt"],
    },
    Swap {
        flags: &["--add-dir", "../.."],
        settings: "{}",
        folder: "a/b",
        lines: ["cd ..; mv b c; ln -s VICTIM b", "echo theirs > notes.txt; echo theirs > VICTIM/notes.txt"],
    },
    Swap {
        flags: &["--add-dir", "../.."],
        settings: "{}",
        folder: "a/b",
        lines: [
            "cd ../..; mv a c; ln -s VICTIM a",
            "echo theirs > notes.txt; echo theirs > VICTIM/b/notes.txt",
        ],
    },
    // The folder lies in one that commands may write to, and not in the project.
    Swap {
        flags: &[],
        settings: r#"{"sandbox": {"writable": ["../beside"]}, "permissions": {"additionalDirectories": ["../beside/a/b"]}}"#,
        folder: "",
        lines: ["cd ../beside; mv a c; ln -s VICTIM a", "echo theirs > VICTIM/b/notes.txt; rm -rf VICTIM/b"],
    },
    // The link was made in a session before this one.
    Swap {
        flags: &["--add-dir", "link"],
        settings: "{}",
        folder: "",
        lines: ["true", "echo theirs > link/notes.txt"],
    },
    Swap {
        flags: &["--add-dir", "link/b"],
        settings: r#"{"permissions": {"additionalDirectories": ["link"]}, "sandbox": {"writable": ["link/b"]}}"#,
        folder: "",
        lines: ["true", "echo theirs > link/notes.txt; echo theirs > link/b/notes.txt"],
    },
];

struct Place {
    lab: Lab,
    victim: PathBuf,
}

impl Place {
    fn new() -> Self {
        let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
        let victim = lab.root().join("victim");
        let beside = lab.root().join("beside/a/b");
        for folder in [victim.join("b"), lab.project().join("sub"), lab.project().join("a/b"), beside] {
            fs::create_dir_all(folder).unwrap();
        }
        for file in [victim.join("notes.txt"), victim.join("b/notes.txt")] {
            fs::write(file, "mine\n").unwrap();
        }
        symlink(&victim, lab.project().join("link")).unwrap();
        Self { lab, victim }
    }

    /// What two commands leave of the victim's notes, and what was said.
    fn after(&self, swap: &Swap) -> (Vec<Option<String>>, String) {
        let victim = self.victim.to_str().unwrap();
        let mut script = String::new();
        for (name, line) in ["first.sh", "second.sh"].iter().zip(swap.lines) {
            // In a file, where no reading of the command sees it; and where the session sees it.
            let elsewhere = if swap.folder.starts_with("..") { swap.folder } else { "" };
            self.lab.file(Path::new(elsewhere).join(name).to_str().unwrap(), line.replace("VICTIM", victim));
            let file = if elsewhere.is_empty() { self.lab.project().join(name) } else { name.into() };
            let line = json!(format!("sh {}", file.display()));
            script +=
                &format!("[[answer]]\n[[answer.call]]\ntool = \"Bash\"\ninput = {{ command = {line} }}\n");
        }
        let lab = &self.lab;
        fs::write(lab.script(), script + "[[answer]]\ntext = \"Done.\"\n").unwrap();
        fs::write(lab.home().join("settings.json"), swap.settings).unwrap();
        let args = ["-p", "go", "--permission-mode", "acceptEdits", "--output-format", "stream-json"];
        let flags = swap.flags.iter().map(|flag| flag.replace("VICTIM", victim));
        let args = args.iter().map(|arg| (*arg).to_owned()).chain(flags);
        let output = lab.command(args).current_dir(lab.project().join(swap.folder)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let notes = ["notes.txt", "b/notes.txt"].map(|name| fs::read_to_string(self.victim.join(name)).ok());
        (notes.to_vec(), said.into_owned())
    }
}

#[test]
fn a_link_in_the_place_of_a_working_folder_opens_nothing() {
    for swap in SWAPS {
        let (notes, said) = Place::new().after(swap);
        let mine = Some("mine\n".to_owned());
        assert_eq!(notes, [mine.clone(), mine], "{:?} {}: {said}", swap.lines, swap.settings);
        assert!(said.contains("leads to") || said.contains("is a link that a command"), "{said}");
    }
}

/// A session in one project makes the link; a session in another project works in its place.
#[test]
fn a_link_of_an_earlier_session_opens_nothing() {
    let place = Place::new();
    let swap = |folder, flags, lines| Swap { flags, settings: "{}", folder, lines };
    let (_, said) = place.after(&swap("../beside/a", &[], ["rmdir b; ln -s VICTIM b", "true"]));
    assert!(place.lab.root().join("beside/a/b").is_symlink(), "{said}");
    let lines = ["echo theirs > VICTIM/notes.txt", "rm -rf VICTIM/b"];
    let (notes, said) = place.after(&swap("", &["--add-dir", "../beside/a/b"], lines));
    let mine = Some("mine\n".to_owned());
    assert_eq!(notes, [mine.clone(), mine], "{said}");
    assert!(said.contains("is a link that a command"), "{said}");
}

/// What is tried above can succeed.
#[test]
fn a_working_folder_is_written_to() {
    let swap = Swap {
        flags: &["--add-dir", "VICTIM"],
        settings: "{}",
        folder: "",
        lines: ["true", "echo theirs > VICTIM/notes.txt"],
    };
    let (notes, said) = Place::new().after(&swap);
    assert_eq!(notes[0].as_deref(), Some("theirs\n"), "{said}");
}

/// Swaps two names as fast as it can until it is ended.
const SWAPPER: &str = r#"
import ctypes, sys
libc = ctypes.CDLL(None)
while True:
    libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)
"#;

/// How often a fence is raised while something swaps folders.
const RAISED: usize = 60;

impl Place {
    /// What the commands print while a command in the background swaps two names. Each of them needs a fence of its own:
    /// before, a file to be hidden comes.
    fn while_swapping(&self, names: [&str; 2], line: &str) -> String {
        self.lab.file("swap.py", SWAPPER);
        self.lab.file("line.sh", format!("touch .env.$1; {line}"));
        let call = |input: serde_json::Value| {
            format!(
                "[[answer]]\n[[answer.call]]\ntool = \"Bash\"\ninput = {{ command = {}, run_in_background = {} }}\n",
                input["command"], input["background"]
            )
        };
        let swap = format!("python3 swap.py {} {}", names[0], names[1]);
        let mut script = call(json!({"command": swap, "background": true}));
        for at in 0..RAISED {
            script += &call(json!({"command": format!("sh line.sh {at}"), "background": false}));
        }
        fs::write(self.lab.script(), script + "[[answer]]\ntext = \"Done.\"\n").unwrap();
        let args = ["-p", "go", "--permission-mode", "acceptEdits", "--output-format", "stream-json"];
        let output = self.lab.command(args).output().unwrap();
        (String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr)).into_owned()
    }
}

#[test]
fn a_secret_in_a_folder_that_is_swapped_all_the_time_stays_hidden() {
    let place = Place::new();
    place.lab.file("one/.env", "KEY=hidden-value\n").file("two/.env", "dummy\n");
    let said = place.while_swapping(["one", "two"], "for i in 1 2 3 4 5; do cat one/.env two/.env; done");
    assert!(!said.contains("hidden-value"), "{said}");
}

#[test]
fn a_link_that_is_there_for_a_moment_opens_nothing() {
    let place = Place::new();
    fs::create_dir_all(place.lab.project().join("evil")).unwrap();
    symlink(&place.victim, place.lab.project().join("evil/b")).unwrap();
    let line = "for i in $(seq 50); do echo theirs > a/b/notes.txt; done 2>/dev/null";
    let settings = r#"{"sandbox": {"writable": ["a/b"]}}"#;
    fs::write(place.lab.home().join("settings.json"), settings).unwrap();
    let said = place.while_swapping(["a", "evil"], line);
    assert_eq!(fs::read_to_string(place.victim.join("notes.txt")).unwrap(), "mine\n", "{said}");
}
