//! Configuration as git reads it, and what is found in it.

mod honest;
mod hostile;
mod world;

use proptest::prelude::*;

use super::parse::{self, parse};
use super::*;
use world::World;

#[test]
fn keys_that_run_programs() {
    for (text, expected) in [
        ("[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = x\n", None),
        ("[filter \"lfs\"]\n\tclean = git-lfs clean\n", Some("filter.lfs.clean")),
        ("[diff \"a]b\"]\n textconv = evil\n", Some("diff.a]b.textconv")),
        ("[DIFF]\nExternal = evil", Some("diff.external")),
        ("[diff] external=evil", Some("diff.external")),
        ("[include]\npath = other", Some("include.path")),
        ("[includeIf \"gitdir:x\"]\npath = other", Some("includeif.gitdir:x.path")),
        ("[diff \"x\"]\n\tbinary = true\n", None),
        ("# [diff]\n# external = x\n", None),
        ("[diff]\n\texternal\n", Some("diff.external")),
        ("[diff.x]\ntextconv=a", Some("diff.x.textconv")),
        // What looks like the next section is the rest of a value, and the other way round.
        ("[diff]\nx = \"a\\\n[core]\\\n\"\nexternal = evil", Some("diff.external")),
        ("[core]\nx = a \\\n[diff]\nexternal = evil", None),
        ("[core]\nx = a ; \\\n[diff]\nexternal = evil", Some("diff.external")),
        ("", None),
    ] {
        let settings = parse(text.as_bytes()).unwrap();
        let found = settings.iter().find(|it| keys::is_hazard(it)).map(|it| it.key.as_slice());
        assert_eq!(found, expected.map(str::as_bytes), "{text:?}");
    }
}

#[test]
fn what_git_refuses_is_refused() {
    for text in ["[]", "[]\nx = 1", "[core\nx = 1", "[core] [", "[a \"b]", "x y = 1", "[core]\nx = \"a\n"] {
        assert_eq!(parse(text.as_bytes()), Err(parse::ParseError::Refused), "{text:?}");
    }
    assert_eq!(parse(b"[ \"a\"]\nx = 1").unwrap()[0].key, b".a.x");
}

#[test]
fn repositories_of_every_shape_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    for path in ["r/.git", "r/sub", "bare/objects", "bare/refs", "linked", "r/.git/worktrees/l"] {
        std::fs::create_dir_all(at(path)).unwrap();
    }
    std::fs::write(at("bare/HEAD"), "ref: x").unwrap();
    let evil = "[filter \"x\"]\nprocess = evil\n";
    std::fs::write(at("linked/.git"), "gitdir: ../r/.git/worktrees/l\n").unwrap();
    std::fs::write(at("r/.git/worktrees/l/commondir"), "../..\n").unwrap();
    for (config, place) in
        [("r/.git/config", "r/sub"), ("r/.git/config", "linked"), ("bare/config", "bare/refs")]
    {
        let place = AbsPath::new(at(place)).unwrap();
        assert_eq!(hazard(&place), None);
        std::fs::write(at(config), evil).unwrap();
        assert!(hazard(&place).is_some(), "{config} {place}");
        std::fs::remove_file(at(config)).unwrap();
    }
}

/// Pieces that configurations are made of, and what could lead a reader astray.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            "[core]", "[filter \"a b\"]", "[filter \"x\\\"]\"]", "[Diff.Old]", "\n", "\n", "\n", "\r\n", "\r", " ",
            "\t", "\\\n", "\\\"", "\\\\", "\\n", "\"", "\"\n", "#", ";", "=", "key", "Pager = x", "clean=\"a;b\"",
            "[", "]", "\\", "\u{feff}", "ä", "-", "0", ".", "[a \"\"]", "[include]",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(1u8.., 1..3),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// What git finds in a file we find too, whatever is in it.
    #[test]
    fn a_file_is_read_as_git_reads_it(bytes in pieces()) {
        let world = World::new();
        let file = world.file("config", &bytes);
        let listed = world.run(&world.loud(), &format!("git config --file '{}' --list -z", file.display()));
        match parse(&bytes) {
            Err(_) => prop_assert!(!listed.status.success(), "git reads it"),
            Ok(settings) => {
                let one = |it: Setting| match it.value {
                    Some(value) => [&it.key, b"\n".as_slice(), &value, b"\0"].concat(),
                    None => [&it.key, b"\0".as_slice()].concat(),
                };
                let ours = settings.into_iter().flat_map(one).collect::<Vec<u8>>();
                let own = String::from_utf8_lossy(&ours).into_owned();
                prop_assert!(listed.status.success(), "git does not read it, and we find {own:?}");
                prop_assert_eq!(own, String::from_utf8_lossy(&listed.stdout));
            }
        }
    }
}

#[test]
fn what_a_new_repository_would_run() {
    let place = tempfile::tempdir().unwrap();
    let git = place.path().join(".git");
    std::fs::create_dir_all(git.join("hooks")).unwrap();
    let lay = |name: &str, text: &str| {
        std::fs::create_dir_all(git.join(name).parent().unwrap()).unwrap();
        std::fs::write(git.join(name), text).unwrap();
    };
    let parts = || {
        let mut parts: Vec<String> =
            super::running_parts(&git).iter().map(|part| part.display().to_string()).collect();
        parts.sort();
        parts
    };
    lay("hooks/pre-commit.sample", "");
    let plain = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = https://a/b\n\tfetch = \
                 +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";
    lay("config", plain);
    assert_eq!(parts(), Vec::<String>::new());
    lay("hooks/pre-commit", "");
    for bad in [
        "[core]\nfsmonitor = ./x",
        "[alias]\nst = !x",
        "[include]\npath = x",
        "[remote \"o\"]\nurl = ext::sh -c x",
    ] {
        lay("config", bad);
        assert_eq!(parts(), ["config", "hooks/pre-commit"], "{bad}");
    }
    lay("config", plain);
    for (file, text) in [
        ("modules/m/HEAD", ""),
        ("modules/m/objects/x", ""),
        ("modules/m/refs/x", ""),
        ("modules/m/config", "[core]\nworktree = ../../../m\nfsmonitor = x"),
        ("commondir", "../x"),
    ] {
        lay(file, text);
    }
    assert_eq!(parts(), ["commondir", "hooks/pre-commit", "modules/m/config"]);
    lay("modules/m/config", "[core]\nworktree = ../../../m");
    assert_eq!(parts(), ["commondir", "hooks/pre-commit"]);
}

/// What the folder of a repository is called does not matter.
#[test]
fn what_lies_in_the_folder_of_a_repository() {
    let place = tempfile::tempdir().unwrap();
    let at = |path: &str| place.path().join(path);
    for path in
        ["store/objects", "store/refs", "split", "almost/objects", "almost/refs", "plain", "store/work"]
    {
        std::fs::create_dir_all(at(path)).unwrap();
    }
    for path in ["store/HEAD", "split/HEAD", "split/commondir", "store/work/.git"] {
        std::fs::write(at(path), "x").unwrap();
    }
    for (path, git) in [
        ("store/hooks/update", Some("store")),
        ("store/config", Some("store")),
        ("split/config", Some("split")),
        // It makes one of the folder.
        ("almost/HEAD", Some("almost")),
        ("plain/commondir", None),
        ("almost/config", None),
        ("store", None),
        // A linked worktree.
        ("store/work/src/main.c", None),
    ] {
        let path = at(path);
        assert_eq!(git_folder_of(&path, &exists), git.map(at).as_deref(), "{path:?}");
    }
}

#[test]
fn what_governs_git_in_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let root = AbsPath::new(place.path().canonicalize().unwrap()).unwrap();
    for folder in ["p/split", "p/common", "p/shared", "p/src"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    for (file, text) in [
        ("p/.git", "gitdir: split\n"),
        ("p/split/HEAD", "ref: refs/heads/main\n"),
        ("p/split/commondir", "../common\n"),
        ("p/common/config", "[include]\npath = ../shared/inc\n[includeIf \"onbranch:x\"]\npath = ~/inc\n"),
        ("p/shared/inc", "[include]\npath = more\n"),
    ] {
        std::fs::write(root.join(file), text).unwrap();
    }
    let home = root.join("p/home");
    for (file, expected) in [
        ("p/common/config", true),
        ("p/common/hooks/update", true),
        ("p/common/objects/x", false),
        ("p/split/config.worktree", true),
        ("p/shared/inc", true),
        ("p/shared/more", true),
        ("p/home/inc", true),
        ("p/shared/other", false),
        ("p/src/main.c", false),
    ] {
        assert_eq!(governs(&root.join(file), Some(home.as_path().as_os_str())), expected, "{file}");
    }
}

/// What is more than we follow may lead git anywhere.
#[test]
fn where_the_configuration_is_too_much_everything_may_govern_git() {
    let place = tempfile::tempdir().unwrap();
    let root = AbsPath::new(place.path().canonicalize().unwrap()).unwrap();
    std::fs::create_dir_all(root.join("p/.git")).unwrap();
    let file = root.join("p/src/main.c");
    let include =
        |count: usize| -> String { (0..count).map(|at| format!("[include]\npath = i{at}\n")).collect() };
    for (config, expected) in [
        (include(63), false),
        (include(64), true),
        // The same file counts once.
        (include(10).repeat(100), false),
        (format!("{}[include]\npath = x\n", "\n".repeat(1 << 20)), true),
        ("[include]\npath = a\0b\n".to_owned(), true),
        (format!("[{}]\n{}", "x".repeat(90_000), "a\n".repeat(100)), true),
        ("no configuration [".to_owned(), false),
    ] {
        std::fs::write(root.join("p/.git/config"), &config).unwrap();
        assert_eq!(governs(&file, None), expected, "{:.40}", config.trim_start());
    }
}
