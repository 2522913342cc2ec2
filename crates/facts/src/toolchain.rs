//! Which toolchain a folder chooses for rustup.
//!
//! Every `cargo` and `rustc` that rustup starts runs from the toolchain that the nearest `rust-toolchain` or
//! `rust-toolchain.toml` names. One that names a channel is harmless, and common. One that names a folder makes them
//! programs from there, so a clone could bring its own. What rustup would read otherwise than we do counts as that, too.
//! `RUSTUP_TOOLCHAIN` and rustup's own overrides come before these files; they are the person's.

use std::path::{Path, PathBuf};

use forelook_disk::read_bounded_text;
use forelook_protocol::AbsPath;

/// A longer file names no channel.
const MAX_BYTES: u64 = 64 * 1024;

/// How a file may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// `rust-toolchain.toml`.
    Toml,
    /// `rust-toolchain`: one line with the name of a toolchain, or TOML.
    Legacy,
}

const NAMES: [(&str, Format); 2] =
    [("rust-toolchain.toml", Format::Toml), ("rust-toolchain", Format::Legacy)];

/// What in this folder or above it lets its files choose which programs run, if anything does. Those in the person's home
/// folder itself are their own.
pub(crate) fn hazard(folder: &AbsPath, home: Option<&AbsPath>) -> Option<String> {
    for above in folder.as_path().ancestors() {
        let found = files_in(above);
        if home.is_some_and(|home| home.as_path() == above) && !found.is_empty() {
            return None;
        }
        // With both in one folder rustup takes the one without an ending. Whichever it takes: one is enough.
        if let Some((path, _)) = found.iter().find(|(path, format)| !is_harmless(path, *format)) {
            return Some(format!("`{}` can change which programs run", path.display()));
        }
        if !found.is_empty() {
            return None;
        }
    }
    None
}

/// The files that rustup may look at. A dead link is there too: what it leads to may come.
fn files_in(folder: &Path) -> Vec<(PathBuf, Format)> {
    let files = NAMES.into_iter().map(|(name, format)| (folder.join(name), format));
    files.filter(|(path, _)| path.symlink_metadata().is_ok()).collect()
}

fn is_harmless(path: &Path, format: Format) -> bool {
    read_bounded_text(path, MAX_BYTES).is_ok_and(|text| names_channel(&text, format))
}

/// Whether a file of this text names a channel, and no folder.
fn names_channel(text: &str, format: Format) -> bool {
    match (format, text.lines().count()) {
        (Format::Legacy, 0 | 1) => is_channel(text.trim()),
        (Format::Legacy | Format::Toml, _) => toml_names_channel(text),
    }
}

fn toml_names_channel(text: &str) -> bool {
    let Ok(table) = text.parse::<toml::Table>() else { return false };
    let Some(toolchain) = table.get("toolchain").and_then(toml::Value::as_table) else { return false };
    // Without a channel it is the person's default, with some components.
    let channel = toolchain.get("channel").is_none_or(|channel| channel.as_str().is_some_and(is_channel));
    channel && !toolchain.contains_key("path")
}

/// A name that can be no path: `stable`, `1.90.0`, `nightly-2026-01-02-x86_64-unknown-linux-gnu`.
fn is_channel(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    first && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_channel_is_harmless_and_all_else_is_not() {
        for (text, toml, legacy) in [
            ("[toolchain]\nchannel = \"stable\"\n", true, true),
            ("[toolchain]\nchannel = \"1.90.0\"\ncomponents = [\"clippy\"] # path\n", true, true),
            ("# the path of least resistance\n[toolchain]\nchannel = 'nightly-2026-01-02'\n", true, true),
            ("[toolchain]\nprofile = \"minimal\"\n", true, true),
            ("[toolchain]\nchannel = \"stable\"", true, true),
            ("toolchain.channel = 'stable'\n\n", true, true),
            // One line without an ending is a name, whatever it looks like.
            ("toolchain = { channel = 'stable' }\n", true, false),
            ("stable\n", false, true),
            ("  nightly-x86_64-unknown-linux-gnu  ", false, true),
            ("my-own_toolchain+1", false, true),
            ("[toolchain]\npath = \"./tools\"\n", false, false),
            ("[toolchain]\nchannel = \"stable\"\n\"pa\\u0074h\" = \"./tools\"\n", false, false),
            ("[toolchain]\nchannel = \"stable\"\npath = \"\"\n", false, false),
            ("toolchain.path = 'x'\n\n", false, false),
            ("toolchain = { path = 'x' }\n\n", false, false),
            ("[toolchain]\nchannel = \"/tmp/tools\"\n", false, false),
            ("[toolchain]\nchannel = \"./tools\"\n", false, false),
            ("[toolchain]\nchannel = \"..\"\n", false, false),
            ("[toolchain]\nchannel = 1\n", false, false),
            ("[toolchain]\nchannel = \"\"\n", false, false),
            ("/tmp/tools\n", false, false),
            ("../tools", false, false),
            (".", false, false),
            ("..", false, false),
            ("", false, false),
            ("\n", false, false),
            ("two words", false, false),
            ("stable\nnightly\n", false, false),
            ("[toolchain\nchannel = \"stable\"\n", false, false),
            ("[other]\nchannel = \"stable\"\n", false, false),
            ("toolchain = 'stable'\n\n", false, false),
            ("\u{feff}stable\n", false, false),
        ] {
            assert_eq!(names_channel(text, Format::Toml), toml, "toml: {text:?}");
            assert_eq!(names_channel(text, Format::Legacy), legacy, "legacy: {text:?}");
        }
    }

    /// A file by its name, with its text; `@` makes a link, `|` a pipe, `/` a folder.
    fn lay(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match text.chars().next() {
            Some('@') => symlink(&text[1..], path).unwrap(),
            Some('|') => drop(std::process::Command::new("mkfifo").arg(path).status().unwrap()),
            Some('/') => fs::create_dir(path).unwrap(),
            _ => fs::write(path, text).unwrap(),
        }
    }

    #[test]
    fn the_nearest_folder_with_a_file_counts() {
        const GOOD: &str = "[toolchain]\nchannel = \"stable\"\n";
        const BAD: &str = "[toolchain]\npath = \"x\"\n";
        for (files, expected) in [
            (&[][..], false),
            (&[("rust-toolchain.toml", GOOD)], false),
            (&[("rust-toolchain.toml", BAD)], true),
            (&[("a/rust-toolchain.toml", GOOD), ("rust-toolchain.toml", BAD)], false),
            (&[("a/rust-toolchain", "/x"), ("rust-toolchain.toml", GOOD)], true),
            (&[("a/rust-toolchain", "stable"), ("a/rust-toolchain.toml", BAD)], true),
            (&[("a/rust-toolchain", "/x"), ("a/rust-toolchain.toml", GOOD)], true),
            (&[("a/b/rust-toolchain", "/x")], true),
            (&[("a/b/c/rust-toolchain", "/x")], false),
            (&[("a/rust-toolchain", "@/dev/zero")], true),
            (&[("a/rust-toolchain", "@nothing")], true),
            (&[("a/rust-toolchain", "|")], true),
            (&[("a/rust-toolchain", "/")], true),
        ] {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir_all(root.path().join("a/b")).unwrap();
            files.iter().for_each(|(name, text)| lay(root.path(), name, text));
            let folder = AbsPath::new(root.path().join("a/b")).unwrap();
            assert_eq!(hazard(&folder, None).is_some(), expected, "{files:?}");
        }
    }

    #[test]
    fn a_huge_file_names_no_channel_and_a_home_is_the_persons_own() {
        let root = tempfile::tempdir().unwrap();
        let (home, folder) =
            (AbsPath::new(root.path()).unwrap(), AbsPath::new(root.path().join("p")).unwrap());
        fs::create_dir(&folder).unwrap();
        fs::write(root.path().join("rust-toolchain"), "/mine").unwrap();
        assert!(hazard(&folder, None).is_some());
        assert_eq!(hazard(&folder, Some(&home)), None);
        let file = fs::File::create(folder.join("rust-toolchain.toml")).unwrap();
        file.set_len(1 << 40).unwrap();
        assert!(hazard(&folder, Some(&home)).is_some());
    }
}
