//! The text of profiles, and paths that would like to be more than paths.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use proptest::prelude::*;

use super::*;

/// Where things are on a Mac.
fn on_mac(path: &Path) -> PathBuf {
    match path.strip_prefix("/tmp") {
        Ok(rest) => Path::new("/private/tmp").components().chain(rest.components()).collect(),
        Err(_) => path.to_path_buf(),
    }
}

fn paths(paths: &[&str]) -> Vec<PathBuf> {
    paths.iter().map(PathBuf::from).collect()
}

/// What stands behind the part that is always the same.
fn rest(policy: &FencePolicy, gate: Option<u16>) -> String {
    let text = text(policy, gate, &on_mac).unwrap();
    text.strip_prefix(ALWAYS).unwrap().to_owned()
}

#[test]
fn without_more_nothing_may_be_written_and_nobody_reached() {
    assert_eq!(rest(&FencePolicy::default(), None), "");
    assert!(ALWAYS.starts_with("(version 1)\n(deny default)\n"));
    assert!(!ALWAYS.contains("file-write*") && !ALWAYS.contains("network") && !ALWAYS.contains("file-link"));
    let folders = FencePolicy { folders: paths(&["/proj"]), ..FencePolicy::default() };
    assert_eq!(rest(&folders, None), "", "a folder that one works in is not one to write to");
}

#[test]
fn a_read_only_profile_hides_what_is_masked() {
    let policy = FencePolicy {
        folders: paths(&["/people/me/project"]),
        scratch: Some("/tmp/scratch".into()),
        masked: paths(&["/people/me/project/.env", "/people/me/.ssh"]),
        ..FencePolicy::default()
    };
    assert_eq!(
        rest(&policy, None),
        r#"(allow file-write*
    (subpath "/private/tmp/scratch"))
(deny file-write*
    (subpath "/people/me/.ssh")
    (subpath "/people/me/project/.env"))
(deny file-read-data file-read-xattr
    (subpath "/people/me/.ssh")
    (subpath "/people/me/project/.env"))
"#
    );
}

#[test]
fn a_profile_that_only_masks_allows_the_rest() {
    let policy = FencePolicy {
        scope: FenceScope::MasksOnly,
        masked: paths(&["/people/me/.env"]),
        ..FencePolicy::default()
    };
    assert_eq!(
        text(&policy, None, &on_mac).unwrap(),
        r#"(version 1)
(allow default)
(deny file-write* file-read-data file-read-xattr
    (subpath "/people/me/.env"))
(deny file-write-unlink
    (literal "/")
    (literal "/people")
    (literal "/people/me"))
"#
    );
}

#[test]
fn a_workspace_profile_holds_what_is_held_and_the_folders_above_it() {
    let policy = FencePolicy {
        writable: paths(&["/proj/b", "/proj/a", "/proj/b"]),
        protected: paths(&["/proj/a/.git/hooks", "/elsewhere/x"]),
        network: NetworkAccess::Gate,
        ..FencePolicy::default()
    };
    let expected = r#"(allow network-outbound (remote ip "localhost:4321"))
(allow file-write*
    (subpath "/proj/a")
    (subpath "/proj/b"))
(deny file-write*
    (subpath "/elsewhere/x")
    (subpath "/proj/a/.git/hooks"))
(deny file-write-unlink
    (literal "/proj/a")
    (literal "/proj/a/.git"))
"#;
    assert_eq!(rest(&policy, Some(4321)), format!("{TRUST}{expected}"));
    let mut other = policy.clone();
    other.writable.reverse();
    other.protected.reverse();
    assert_eq!(rest(&other, Some(4321)), rest(&policy, Some(4321)), "the order is not by chance");
}

#[test]
fn the_network_of_the_machine_is_the_internet_and_not_its_sockets() {
    let text = rest(&FencePolicy { network: NetworkAccess::Host, ..FencePolicy::default() }, None);
    assert_eq!(text, format!("{TRUST}{HOST}"));
}

#[test]
fn what_cannot_be_held_is_an_error() {
    let overlay = FencePolicy { overlay: Some("/layer".into()), ..FencePolicy::default() };
    assert!(profile(&overlay, None).unwrap_err().to_string().contains("Rehearsals"));
    let gate = FencePolicy { network: NetworkAccess::Gate, ..FencePolicy::default() };
    assert!(profile(&gate, None).unwrap_err().to_string().contains("port"));
    for bytes in [b"/a\xff".as_slice(), b"/a\0b"] {
        let policy =
            FencePolicy { protected: vec![OsStr::from_bytes(bytes).into()], ..FencePolicy::default() };
        assert!(text(&policy, None, &on_mac).is_err());
    }
}

#[test]
fn links_are_followed_as_far_as_there_is_something() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    std::fs::create_dir(base.join("real")).unwrap();
    std::os::unix::fs::symlink(base.join("real"), base.join("link")).unwrap();
    assert_eq!(real(&base.join("link/not/there")), base.join("real/not/there"));
    let policy = FencePolicy { writable: vec![base.join("link")], ..FencePolicy::default() };
    let expected = format!("(subpath \"{}\")", base.join("real").display());
    assert!(profile(&policy, None).unwrap().contains(&expected));
}

/// Reads a profile as the system does: the texts in it, and what is left when they are taken out. None if a text does
/// not end.
fn read(profile: &str) -> Option<(Vec<String>, String)> {
    let (mut texts, mut left, mut characters) = (Vec::new(), String::new(), profile.chars());
    while let Some(character) = characters.next() {
        if character != '"' {
            left.push(character);
            continue;
        }
        let mut text = String::new();
        loop {
            match characters.next()? {
                '"' => break,
                '\\' => text.push(characters.next()?),
                character => text.push(character),
            }
        }
        texts.push(text);
        left.push('_');
    }
    Some((texts, left))
}

proptest! {
    /// Whatever a path is called, it is read as that path, and the rest of the profile stays what it was.
    #[test]
    fn no_path_gets_out_of_its_quotes(
        names in prop::collection::vec("([\"\\\\()\n;# a-c/]|allow|\\(subpath \"/\"\\)|\\PC){1,12}", 1..4)
    ) {
        let given: BTreeSet<PathBuf> = names.iter().map(|name| PathBuf::from(format!("/{name}"))).collect();
        let rule_of = |paths: &BTreeSet<PathBuf>| {
            let policy = FencePolicy { writable: paths.iter().cloned().collect(), ..FencePolicy::default() };
            let text = text(&policy, None, &|path| path.to_path_buf()).unwrap();
            read(text.strip_prefix(ALWAYS).unwrap()).unwrap()
        };
        let plain = (0..given.len()).map(|at| PathBuf::from(format!("/{at}"))).collect();
        let (texts, left) = rule_of(&given);
        prop_assert_eq!(texts, given.iter().map(|path| path.to_str().unwrap().to_owned()).collect::<Vec<_>>());
        prop_assert_eq!(left, rule_of(&plain).1);
    }
}
