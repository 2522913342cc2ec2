//! Agent files of a person and a project, good and bad.
#![expect(clippy::disallowed_methods, reason = "tests lay out their files by hand")]

use std::os::unix::fs::symlink;

use forelook_protocol::Mode;

use super::super::definition::{AgentModel, ToolFilter};
use super::*;

/// A home folder `home` and a project `p`.
struct Tree(tempfile::TempDir);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(tree.at("p")).unwrap();
        for (path, text) in files {
            tree.file(path, text);
        }
        tree
    }

    fn at(&self, path: &str) -> AbsPath {
        AbsPath::new(self.0.path().canonicalize().unwrap().join(path)).unwrap()
    }

    fn file(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The names of the agents, and what was told with the folder of the test taken out.
    fn load(&self, trusted: bool) -> (Vec<String>, Vec<String>) {
        let (agents, notices) = load_from(Some(&self.at("home")), &self.at("p"), trusted);
        let root = format!("{}/", self.at(""));
        let told = notices.into_iter().map(|notice| notice.text.replace(&root, ""));
        (
            agents.into_iter().map(|agent| format!("{}: {}", agent.name, agent.description)).collect(),
            told.collect(),
        )
    }

    fn told(&self) -> Vec<String> {
        self.load(true).1
    }
}

fn load_from(
    home: Option<&AbsPath>,
    project: &AbsPath,
    trusted: bool,
) -> (Vec<AgentDefinition>, Vec<Notice>) {
    let files = ProjectFiles::new(project, Owners::of_process(None));
    load(home, ProjectAgents { project, files: &files, trusted })
}

fn named(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nYou are {name}.\n")
}

#[test]
fn all_fields() {
    let text = "---\nname: reviewer\ndescription: >\n  Reviews code.\n  Use it after changes.\ntools: Read, Bash\n\
        disallowedTools:\n  - Write\n  - Edit\nmodel: provider/name\npermissionMode: plan\n---\n\n# You review\n";
    let (found, told) = agent(text).unwrap();
    assert_eq!(told, None);
    let expected = AgentDefinition {
        name: "reviewer".into(),
        description: "Reviews code. Use it after changes.".into(),
        prompt: "# You review".into(),
        tools: ToolFilter::Only(vec!["Read".into(), "Bash".into()]),
        disallowed_tools: vec!["Write".into(), "Edit".into()],
        model: AgentModel::Named("provider/name".into()),
        mode: Some(Mode::Plan),
        read_only: false,
        instructions: true,
    };
    assert_eq!(found, expected);
    let (plain, _) = agent("---\nname: a\ndescription: d\nmodel: inherit\n---\np").unwrap();
    assert_eq!((plain.tools, plain.model, plain.mode), (ToolFilter::All, AgentModel::Inherit, None));
}

#[test]
fn mistakes_name_their_line() {
    for (head, line, part) in [
        ("description: d", 1, "`name` is missing"),
        ("name: a b\ndescription: d", 2, "letters"),
        ("name: a\ndescription:", 3, "`description` is empty"),
        ("name: a\ndescription: [d]", 3, "must be text"),
        ("name: a\ndescription: d\ntools:", 4, "leave it out"),
        ("name: a\ndescription: d\ntools:\n  a: b", 4, "list of names"),
        ("name: a\ndescription: d\n\ntools: Bash(git:*)", 5, "`Bash(git:*)`"),
        ("name: a\ndescription: d\npermissionMode: all", 4, "Unknown permission mode"),
        ("name: a\ndescription: 'd", 3, "not closed"),
    ] {
        let mistake = agent(&format!("---\n{head}\n---\np")).unwrap_err();
        assert_eq!(mistake.line, line, "{head}: {mistake:?}");
        assert!(mistake.what.contains(part), "{head}: {mistake:?}");
    }
    let empty = agent("---\nname: a\ndescription: d\n---\n\n").unwrap_err();
    assert_eq!(empty.line, 5);
}

#[test]
fn the_project_wins_over_the_person_by_name() {
    let tree = Tree::new(&[
        ("home/agents/a.md", &named("a", "home")),
        ("home/agents/b.md", &named("b", "home")),
        ("home/agents/notes.txt", "no agent"),
        ("p/.claude/agents/other-file-name.md", &named("b", "claude")),
        ("p/.claude/agents/c.md", &named("c", "claude")),
        ("p/.forelook/agents/c.md", &named("c", "forelook")),
    ]);
    let (agents, told) = tree.load(true);
    assert_eq!(agents, ["a: home", "b: claude", "c: forelook"]);
    assert_eq!(told, [""; 0]);
}

#[test]
fn a_project_that_is_not_trusted_waits() {
    let tree = Tree::new(&[("home/agents/a.md", &named("a", "home"))]);
    assert_eq!(tree.load(false), (vec!["a: home".into()], vec![]));
    tree.file("p/.claude/agents/a.md", named("a", "theirs"));
    let one = "Until you trust this folder, Forelook ignores this project's agent `a`";
    assert_eq!(tree.load(false), (vec!["a: home".into()], vec![one.into()]));
    for name in ["b", "c", "d", "e", "f\x1b[31m", "g"] {
        tree.file(&format!("p/.forelook/agents/{name}.md"), "not even read");
    }
    let many = "Until you trust this folder, Forelook ignores this project's 7 agents: `a`, `b`, `c`, `d`, `e` and 2 more";
    assert_eq!(tree.load(false).1, [many]);
}

#[test]
fn a_bad_file_is_told_and_left_out() {
    let tree = Tree::new(&[
        ("home/agents/a.md", "no fields"),
        ("home/agents/b.md", &named("twin", "first")),
        ("home/agents/c.md", &named("twin", "second")),
        ("home/agents/d.md", "---\nname: d\ncolor: red\ndescription: d\nhooks:\n  x: y\n---\np"),
        ("home/agents/e.md", "---\ncolor: red\nname: e\ndescription: d\n---\np"),
        ("home/agents/h.md/file", ""),
    ]);
    tree.file("home/agents/f.md", b"---\nname: \xff\n---\n");
    tree.file("home/agents/g.md", "x".repeat(256 * 1024 + 1));
    let (agents, told) = tree.load(true);
    assert_eq!(agents, ["twin: first", "d: d", "e: d"]);
    assert_eq!(
        told,
        [
            "Agent file `home/agents/a.md:1` was skipped: the first line must be `---`, which starts the fields",
            "Agent file `home/agents/c.md` was skipped: another file in the same folder uses the name `twin`",
            "Agent file `home/agents/d.md:3`: `color`, `hooks` are not supported and were ignored",
            "Agent file `home/agents/e.md:2`: `color` is not supported and was ignored",
            "Agent file `home/agents/f.md` was skipped: it is not UTF-8 text",
            "Agent file `home/agents/g.md` was skipped: it is larger than 256 KiB",
            "Agent file `home/agents/h.md` was skipped: it is not a regular file",
        ]
    );
}

#[test]
fn links_out_of_a_project_are_not_followed() {
    let tree = Tree::new(&[
        ("secret.md", &named("secret", "s")),
        ("p/docs/shared.md", &named("shared", "s")),
        ("p/.forelook/agents/a.md", &named("a", "a")),
        ("out/agents/b.md", &named("b", "b")),
        ("home/x", ""),
    ]);
    symlink(tree.at("secret.md"), tree.at("p/.forelook/agents/secret.md")).unwrap();
    symlink("nowhere.md", tree.at("p/.forelook/agents/dead.md")).unwrap();
    symlink("../../docs/shared.md", tree.at("p/.forelook/agents/shared.md")).unwrap();
    symlink(tree.at("out"), tree.at("p/.claude")).unwrap();
    // The person's own links are the person's.
    symlink(tree.at("out/agents"), tree.at("home/agents")).unwrap();
    let (agents, told) = tree.load(true);
    assert_eq!(agents, ["b: b", "a: a", "shared: s"]);
    assert_eq!(
        told,
        [
            "The agent folder `p/.claude/agents` was skipped: it is outside `p`",
            "Agent file `p/.forelook/agents/dead.md` was skipped: it does not exist",
            "Agent file `p/.forelook/agents/secret.md` was skipped: it is outside `p`",
        ]
    );
    assert_eq!(tree.load(false).1.len(), 1, "the names in a folder outside are not told either");
    assert!(!tree.load(false).1[0].contains("`b`"));
}

#[test]
fn there_is_a_limit() {
    let tree = Tree::new(&[]);
    for number in 0..201 {
        tree.file(&format!("p/.forelook/agents/{number:03}.md"), named(&format!("a{number:03}"), "d"));
    }
    let (agents, told) = tree.load(true);
    assert_eq!(agents.len(), 200);
    assert!(told[0].contains("201 agent files"), "{told:?}");
    assert_eq!(told.len(), 1);
}

#[test]
fn folders_that_are_not_there_or_not_folders_do_no_harm() {
    let tree = Tree::new(&[("home/agents", "a file")]);
    assert!(tree.told()[0].contains("was skipped"), "{:?}", tree.told());
    assert_eq!(load_from(None, &tree.at("p"), true), (vec![], vec![]));
    assert_eq!(load_from(None, &tree.at("not/there"), true).0, []);
}

/// In the folder that holds `.forelook` itself, the person's agents are not a project's.
#[test]
fn the_persons_own_folder_is_no_project() {
    let tree = Tree::new(&[("p/.forelook/agents/a.md", &named("a", "mine"))]);
    let (agents, notices) = load_from(Some(&tree.at("p/.forelook")), &tree.at("p"), false);
    assert_eq!((agents.len(), notices.len()), (1, 0));
}
