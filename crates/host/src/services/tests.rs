//! The machine at work: real files, real programs.
#![expect(clippy::disallowed_methods, reason = "tests lay out their files and programs by hand")]

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Duration;

use forelook_disk::Owners;
use forelook_protocol::FolderTrust;
use forelook_protocol::{Entry, EntryBody, EntryId, FORMAT, PromptAccepted, SessionHeader, SessionId};
use forelook_settings::MANAGED;
use serde_json::json;

use super::*;

/// A picture of one pixel.
const PNG: &[u8] =
    b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08\
    \x02\x00\x00\x00\x90\x77\x53\xde\x00\x00\x00\x0c\x49\x44\x41\x54\x78\x9c\x63\xf8\xcf\xc0\x00\x00\x03\
    \x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

struct TestServices {
    root: tempfile::TempDir,
}

impl TestServices {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["home", "person", "project", "bin"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        Self { root }
    }

    fn at(&self, name: &str) -> AbsPath {
        AbsPath::new(self.root.path().canonicalize().unwrap().join(name)).unwrap()
    }

    fn lay(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(name);
        std::fs::create_dir_all(path.as_path().parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn program(&self, name: &str, line: &str) {
        self.lay(&format!("bin/{name}"), format!("#!/bin/sh\n{line}\n"));
        std::fs::set_permissions(self.at(&format!("bin/{name}")), std::fs::Permissions::from_mode(0o755))
            .unwrap();
    }

    /// The machine with these variables, and this status line.
    fn machine(&self, pairs: &[(&str, &str)], status_line: Option<(&str, u64)>) -> Services {
        let path = format!("{}:/usr/bin:/bin", self.at("bin"));
        let home = self.at("person").to_string();
        let own = [("HOME", home.as_str()), ("PATH", path.as_str()), ("OPENAI_API_KEY", "sk-planted-key")];
        let env = Env::from_pairs(own.into_iter().chain(pairs.iter().copied())).unwrap();
        Services {
            settings_paths: SettingsPaths {
                home: self.at("home"),
                user_home: Some(self.at("person")),
                project: self.at("project"),
                working: self.at("project"),
                flag: None,
                managed: AbsPath::new(MANAGED).unwrap(),
                setting_sources: None,
                owners: Owners::of_process(None),
            },
            store: SessionStore::new(self.at("home")),
            status_line: status_line.map(|(command, millis)| CheckedStatusLine {
                line: forelook_settings::StatusLine {
                    command: command.to_owned(),
                    time_limit: Duration::from_millis(millis),
                },
                bound: None,
            }),
            env: ChildEnv::without_secrets(env.all().iter().cloned()),
            editor: Arc::new(UserEditor::find(
                &env,
                ChildEnv::without_secrets(env.all().iter().cloned()),
                &self.at("project"),
                None,
            )),
            history: History::new(self.at("home/history"), self.at("project")),
            report: SessionReport {
                settings: Vec::new(),
                trust: TrustReport {
                    folder: self.at("project"),
                    state: FolderTrust::NotNeeded,
                    contents: Vec::new(),
                },
            },
        }
    }
}

fn session(n: u8) -> SessionId {
    format!("01890a5d-ac96-774b-bcce-b302099a80{n:02}").parse().unwrap()
}

#[test]
fn the_branch_of_every_kind_of_checkout() {
    let services = TestServices::new();
    let of = |name: &str| branch::of(&services.at(name), &Owners::of_process(None));
    assert_eq!(of("project"), None);
    services.lay("project/.git/HEAD", "ref: refs/heads/feature/ü\n");
    services.lay("project/.git/refs/x", "");
    services.lay("project/.git/worktrees/one/commondir", "../..\n");
    services.lay("project/deep/er/file", "");
    assert_eq!(of("project/deep/er").as_deref(), Some("feature/ü"));
    services.lay("project/.git/worktrees/one/HEAD", "ref: refs/heads/one\n");
    services.lay("tree/.git", format!("gitdir: {}\n", services.at("project/.git/worktrees/one")));
    assert_eq!(of("tree").as_deref(), Some("one"));
    services.lay("sub/.git", "gitdir: ../project/.git\n");
    assert_eq!(of("sub").as_deref(), Some("feature/ü"));
    for (head, expected) in [
        ("0123456789abcdef0123456789abcdef01234567\n", Some("0123456")),
        ("ref: refs/remotes/x/y\n", Some("refs/remotes/x/y")),
        ("nonsense of a kind\n", None),
        ("", None),
    ] {
        services.lay("project/.git/HEAD", head);
        assert_eq!(of("project").as_deref(), expected, "{head:?}");
    }
    services.lay("project/.git/HEAD", "x".repeat(10_000));
    assert_eq!(of("project"), None);
}

/// Made by git itself, where there is one.
#[test]
fn the_branch_that_git_means() {
    let services = TestServices::new();
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.arg("-C").arg(services.at("project").as_path()).args([
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.com",
        ]);
        git.args(args).output().unwrap()
    };
    assert!(git(&["init", "-q", "-b", "main"]).status.success());
    assert_eq!(branch::of(&services.at("project"), &Owners::of_process(None)).as_deref(), Some("main"));
    assert!(git(&["commit", "-q", "--allow-empty", "-m", "x"]).status.success());
    assert!(git(&["worktree", "add", "-q", "-b", "side", "../side"]).status.success());
    assert_eq!(branch::of(&services.at("side"), &Owners::of_process(None)).as_deref(), Some("side"));
    assert!(git(&["checkout", "-q", "--detach"]).status.success());
    let hash = String::from_utf8(git(&["rev-parse", "HEAD"]).stdout).unwrap();
    assert_eq!(branch::of(&services.at("project"), &Owners::of_process(None)).as_deref(), hash.get(..7));
}

#[tokio::test]
async fn a_file_is_written_and_none_is_overwritten() {
    let services = TestServices::new();
    let machine = services.machine(&[], None);
    let write = |name: &str| machine.write(name.to_owned(), "text".to_owned());
    assert_eq!(write("a.md").await, Ok(services.at("project/a.md")));
    assert!(write("a.md").await.unwrap_err().contains("already exists"));
    assert_eq!(write("~/b.md").await, Ok(services.at("person/b.md")));
    let whole = services.at("project/c.md");
    assert_eq!(write(&whole.to_string()).await, Ok(whole));
    symlink(services.at("person/gone"), services.at("project/link")).unwrap();
    assert!(write("link").await.is_err());
    assert!(write("missing/a.md").await.is_err());
    assert_eq!(std::fs::read_to_string(services.at("project/a.md")).unwrap(), "text");
    assert!(!services.at("person/gone").as_path().exists());
}

#[tokio::test]
async fn a_status_line_is_told_the_facts_and_says_one_line() {
    let services = TestServices::new();
    let facts = json!({"mode": "plan", "model": "ü"});
    for (command, expected) in [
        ("cat", Ok(Some(r#"{"mode":"plan","model":"ü"}"#.to_owned()))),
        ("echo one; echo two", Ok(Some("one".to_owned()))),
        ("pwd", Ok(Some(services.at("project").to_string()))),
        ("echo \"key=$OPENAI_API_KEY\"", Ok(Some("key=".to_owned()))),
        ("true", Ok(None)),
        ("echo; echo two", Ok(None)),
        ("echo no; echo why >&2; exit 3", Err("exit code 3: why")),
        ("sleep 600", Err("timed out after 300 ms")),
        ("yes", Err("timed out after 300 ms")),
        ("head -c 100000 /dev/zero", Err("printed too much")),
    ] {
        let said = services.machine(&[], Some((command, 300))).status_line(facts.clone()).await;
        match (said, expected) {
            (Err(said), Err(part)) => assert!(said.contains(part), "{command}: {said}"),
            (said, expected) => assert_eq!(said, expected.map_err(str::to_owned), "{command}"),
        }
    }
    assert_eq!(services.machine(&[], None).status_line(facts).await, Ok(None));
}

#[tokio::test]
async fn a_picture_is_what_is_in_a_file() {
    let services = TestServices::new();
    services.lay("project/shot.txt", PNG);
    services.lay("person/my shot.png", PNG);
    services.lay("project/no.png", "no picture");
    services.lay("project/half.png", &PNG[..40]);
    let pipe = services.at("project/pipe.png");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        pipe.as_path(),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let machine = services.machine(&[], None);
    for (path, is_one) in [
        ("shot.txt", true),
        ("~/my shot.png", true),
        ("../person/my shot.png", true),
        (" shot.txt ", true),
        ("no.png", false),
        ("half.png", false),
        ("pipe.png", false),
        ("missing.png", false),
        (".", false),
        ("/dev/zero", false),
    ] {
        let picture = machine.picture(path.to_owned()).await;
        assert_eq!(picture.is_some(), is_one, "{path}");
        assert!(
            picture.is_none_or(
                |it| matches!(it, UserBlock::Image { media_type, .. } if media_type == "image/png")
            )
        );
    }
}

#[tokio::test]
async fn a_copied_picture_comes_from_whoever_has_it() {
    let services = TestServices::new();
    services.lay("project/shot.png", PNG);
    let copied =
        async |pairs: &[(&str, &str)]| services.machine(pairs, None).clipboard_image().await.is_some();
    services.program("xclip", r#"[ "$*" = "-selection clipboard -t image/png -o" ] && cat shot.png"#);
    services.program("wl-paste", "echo nothing is copied >&2; exit 1");
    // Without a display there is nobody to ask.
    assert!(!copied(&[]).await);
    assert!(!copied(&[("WAYLAND_DISPLAY", "wayland-0")]).await);
    assert!(copied(&[("DISPLAY", ":0")]).await);
    assert!(copied(&[("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0")]).await);
    services.program("xclip", "sleep 600");
    assert!(!copied(&[("DISPLAY", ":0")]).await);
}

#[tokio::test]
async fn sessions_of_the_folder_without_empty_ones() {
    let services = TestServices::new();
    let machine = services.machine(&[], None);
    let entry = |n: u8, body: EntryBody| Entry {
        id: EntryId(session(n).0),
        parent: None,
        time: "2026-01-02T03:04:05Z".parse().unwrap(),
        agent: None,
        body,
    };
    for (n, folder, said) in [(2, "project", true), (3, "person", true), (4, "project", false)] {
        let session = session(n);
        let (folder, program) = (services.at(folder), String::new());
        let header = SessionHeader { format: FORMAT, session, folder, program, forked_from: None };
        let mut journal = machine.store.create(&entry(10 * n, EntryBody::SessionHeader(header))).unwrap();
        if said {
            let content = vec![UserBlock::text(format!("task {n}"))];
            journal
                .append(&entry(10 * n + 1, EntryBody::PromptAccepted(PromptAccepted::person(content))))
                .unwrap();
        }
    }
    let listed = machine.sessions().await.unwrap();
    let listed: Vec<_> = listed.iter().map(|one| (one.id, one.title.as_str(), one.prompts)).collect();
    assert_eq!(listed, [(session(2), "task 2", 1)]);
}

/// A trusted project's status line runs outside of every fence, as its hooks do.
#[tokio::test]
async fn a_status_line_whose_script_changed_does_not_run() {
    let services = TestServices::new();
    let command = "sh line.sh";
    services.lay("project/line.sh", "echo fine");
    services.lay(
        "project/.forelook/settings.json",
        format!(r#"{{"statusLine": {{"type": "command", "command": "{command}"}}}}"#),
    );
    let mut machine = services.machine(&[], Some((command, 5_000)));
    let snapshot = forelook_settings::ProjectSnapshot::read(&machine.settings_paths);
    let bound = snapshot.bound.command(command).cloned();
    assert!(bound.is_some());
    machine.status_line.as_mut().unwrap().bound = bound;
    let facts = serde_json::json!({});
    assert_eq!(machine.status_line(facts.clone()).await, Ok(Some("fine".to_owned())));
    services.lay("project/line.sh", "touch evil.txt");
    let why = machine.status_line(facts).await.unwrap_err();
    assert!(why.contains("was not run") && !services.at("project/evil.txt").as_path().exists(), "{why}");
}

#[tokio::test]
async fn a_text_goes_through_the_editor_and_nothing_is_left() {
    let services = TestServices::new();
    services.program(
        "code",
        r#"ls -l "$2" | cut -c1-10 > rights; basename "$2" >> rights; printf ' more\n' >> "$2""#,
    );
    let machine = services.machine(&[("VISUAL", "code --wait")], None);
    assert_eq!(machine.edit("words".to_owned()).await.as_deref(), Ok("words more"));
    assert_eq!(machine.edit("words\n".to_owned()).await.as_deref(), Ok("words\n more\n"));
    assert_eq!(std::fs::read_to_string(services.at("project/rights")).unwrap(), "-rw-------\nprompt.md\n");
    for (line, part) in [
        ("exit 3", "exit code 3"),
        (r#"printf '\377' > "$2""#, "UTF-8"),
        (r#"rm "$2"; mkdir "$2""#, "file is missing"),
    ] {
        services.program("code", line);
        let told = machine.edit("words".to_owned()).await.unwrap_err();
        assert!(told.contains(part), "{line}: {told}");
    }
    let left = std::fs::read_dir(services.at("home/scratch")).unwrap().count();
    assert_eq!(left, 0);
    let told = services.machine(&[("VISUAL", "code")], None).edit(String::new()).await.unwrap_err();
    assert!(told.contains("`code --wait`"), "{told}");
}

#[tokio::test]
async fn what_is_said_and_the_theme_are_kept() {
    let services = TestServices::new();
    let machine = services.machine(&[], None);
    machine.remember(&PastPrompt::here("one"));
    machine.remember(&PastPrompt::here("two"));
    machine.save_theme("light").await.unwrap();
    assert!(
        std::fs::read_to_string(services.at("home/settings.json")).unwrap().contains("\"theme\": \"light\"")
    );
    drop(machine);
    let said = services.machine(&[], None).history().await;
    let said: Vec<(&str, bool)> = said.iter().map(|it| (it.text.as_str(), it.here)).collect();
    assert_eq!(said, [("one", true), ("two", true)]);
    services.lay("home/settings.json", "{ broken");
    assert!(services.machine(&[], None).save_theme("dark").await.is_err());
}
