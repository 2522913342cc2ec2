//! What commands make under protected names, and what they could read after they were started.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

use forelook_protocol::{AbsPath, Confinement};

use crate::protected_files::hash_of;
use crate::testing::{Bench, git};
use crate::{FenceLook, FenceSetup, Fences, PathGuard, WorkspaceSetup, list_set_aside, restore_set_aside};

const PROTECTED: [&str; 4] = [".envrc", ".vscode", ".git", ".mcp.json"];

fn bench(sandbox: Confinement) -> Bench {
    let mut bench = Bench::new(sandbox);
    bench.inputs.guards = Arc::new(|path: &AbsPath| {
        let has = |name: &str| path.as_path().components().any(|part| part.as_os_str() == name);
        match () {
            () if PROTECTED.iter().any(|name| has(name)) => PathGuard::Protected,
            () if path.as_path().extension().is_some_and(|it| it == "pem") || has(".env") => {
                PathGuard::Masked
            }
            () => PathGuard::Unguarded,
        }
    });
    bench
}

/// Runs a line, and what was moved then.
async fn moved(bench: &Bench, line: &str) -> Vec<String> {
    bench.ok(line).await;
    let outcome = bench.fences.set_aside(&bench.inputs);
    assert!(outcome.left.is_empty(), "{:?}", outcome.left);
    bench.fences.mark_stale();
    let name = |path: &AbsPath| path.as_path().strip_prefix(&bench.project).unwrap().display().to_string();
    for item in &outcome.moved {
        assert!(
            item.from.as_path().symlink_metadata().is_err() && item.kept.as_path().symlink_metadata().is_ok()
        );
    }
    outcome.moved.iter().map(|it| name(&it.from)).collect()
}

#[tokio::test]
async fn what_is_made_under_a_protected_name_is_moved_away() {
    let bench = bench(Confinement::Workspace);
    fs::create_dir(bench.path(".vscode")).unwrap();
    bench.file(".vscode/old", "mine");
    bench.file("plain", "mine");
    for (line, expected) in [
        ("mkdir -p a/b && echo x > a/b/c", &[][..]),
        (
            "echo x > .envrc; mkdir -p sub/.vscode; echo x > sub/.vscode/tasks.json",
            &[".envrc", "sub/.vscode"],
        ),
        ("echo x > .envrc", &[".envrc"]),
        ("ln -s /etc/passwd .mcp.json", &[".mcp.json"]),
        ("ln plain a/.envrc", &["a/.envrc"]),
        ("mkdir d && echo x > d/y && mv d a/.vscode", &["a/.vscode"]),
        ("mkfifo sub/.envrc", &["sub/.envrc"]),
        ("echo 'gitdir: ../x' > sub/.git", &["sub/.git"]),
        ("mkdir -p target && echo x > target/.envrc", &[]),
        // A repository in two parts: git takes objects, refs and configuration from where `commondir` says.
        (
            "mkdir -p A B/objects B/refs; ln -s refs/heads/x A/HEAD; echo ../B > A/commondir; \
             echo '[core]fsmonitor=./evil' > B/config; echo '[core]pager=./evil' > A/config.worktree",
            &["A/commondir", "A/config.worktree"],
        ),
    ] {
        assert_eq!(moved(&bench, line).await, expected, "{line}");
    }
    assert_eq!(bench.bytes("plain"), b"mine");
    assert_eq!(bench.bytes(".vscode/old"), b"mine");
    // The person brings one back, and nothing is replaced by it.
    let kept = list_set_aside(&bench.keeps());
    let envrc: Vec<_> = kept.iter().filter(|it| it.from == bench.path(".envrc")).collect();
    assert_eq!((kept.len(), envrc.len()), (10, 2), "{kept:?}");
    restore_set_aside(envrc[0]).unwrap();
    assert_eq!(bench.bytes(".envrc"), b"x\n");
    assert!(restore_set_aside(envrc[1]).is_err());
    assert_eq!(list_set_aside(&bench.keeps()).len(), 9);
    // From now on it is there, and read-only inside.
    bench.fences.mark_stale();
    assert_eq!(moved(&bench, "! echo y > .envrc").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_new_repository_stays_without_what_it_would_run() {
    let bench = bench(Confinement::Workspace);
    assert_eq!(moved(&bench, "git init -q sub && git -C sub status --short").await, Vec::<String>::new());
    let line =
        "git init -q two && echo x > two/.git/hooks/pre-commit && git -C two config core.fsmonitor ./x";
    assert_eq!(moved(&bench, line).await, ["two/.git/config", "two/.git/hooks/pre-commit"]);
    assert!(bench.path("two/.git/HEAD").as_path().exists());
    // What was there before is not looked at: nobody inside can change it.
    let three = bench.path("three");
    fs::create_dir(&three).unwrap();
    git(&three, &["init", "-q"]);
    git(&three, &["config", "core.fsmonitor", "./mine"]);
    bench.fences.mark_stale();
    assert_eq!(moved(&bench, "true").await, Vec::<String>::new());
}

/// What our own tools write was decided on. What else comes into its folder was not.
#[tokio::test]
async fn what_the_person_let_through_stays() {
    let bench = bench(Confinement::Workspace);
    let mut child = bench.start("echo ready; cat").unwrap();
    child.next().await;
    bench.fences.keep_protected(&bench.path("sub/.vscode/deep/tasks.json"));
    fs::create_dir_all(bench.path("sub/.vscode/deep")).unwrap();
    bench.file("sub/.vscode/deep/tasks.json", "mine");
    bench.file("sub/.vscode/settings.json", "not mine");
    bench.file(".envrc", "not mine");
    let outcome = bench.fences.set_aside(&bench.inputs);
    let expected = [&bench.path(".envrc"), &bench.path("sub/.vscode/settings.json")];
    assert_eq!(outcome.moved.iter().map(|it| &it.from).collect::<Vec<_>>(), expected);
    assert_eq!(bench.bytes("sub/.vscode/deep/tasks.json"), b"mine");
}

/// What was let through were these contents, and no others at the same place.
#[tokio::test]
async fn what_replaces_a_file_that_was_let_through_does_not_stay() {
    let path = ".envrc";
    for (change, stays) in [
        ("true", true),
        ("echo mine | tr -d '\\n' > new; mv new .envrc", true),
        ("echo x > .envrc", false),
        ("echo x >> .envrc", false),
        ("echo x > new; mv new .envrc", false),
        ("printf mine > new; ln -sf new .envrc", false),
        ("rm .envrc; mkdir .envrc", false),
    ] {
        let bench = bench(Confinement::Workspace);
        let mut child = bench.start(&format!("echo ready; until [ -e go ]; do :; done; {change}")).unwrap();
        child.next().await;
        bench.fences.keep_protected(&bench.path(path));
        bench.file(path, "mine");
        assert!(bench.fences.set_aside(&bench.inputs).moved.is_empty(), "{change}");
        bench.fences.keep_contents(&bench.path(path), Some(hash_of("mine")));
        assert!(bench.fences.set_aside(&bench.inputs).moved.is_empty(), "{change}");
        bench.file("go", "");
        while !matches!(child.next().await, forelook_sandbox::ChildEvent::Ended(_)) {}
        assert_eq!(bench.fences.set_aside(&bench.inputs).moved.is_empty(), stays, "{change}");
    }
    // What could not be written is not let through.
    let bench = bench(Confinement::Workspace);
    let mut child = bench.start("echo ready; cat").unwrap();
    child.next().await;
    bench.fences.keep_protected(&bench.path(path));
    bench.fences.keep_contents(&bench.path(path), None);
    bench.file(path, "theirs");
    assert_eq!(bench.fences.set_aside(&bench.inputs).moved.len(), 1);
}

/// What comes while no command runs is the user's; also what was in a folder that is worked in only now.
#[tokio::test]
async fn what_comes_while_nothing_runs_stays() {
    let mut bench = bench(Confinement::Workspace);
    assert_eq!(moved(&bench, "true").await, Vec::<String>::new());
    bench.file(".envrc", "mine");
    bench.fences.mark_stale();
    assert_eq!(moved(&bench, "true").await, Vec::<String>::new());
    let other = bench.project.parent().unwrap().join("other");
    fs::create_dir_all(other.join(".vscode")).unwrap();
    let _child = bench.start("cat").unwrap();
    bench.inputs.folders.push(other.clone());
    assert!(bench.fences.set_aside(&bench.inputs).moved.is_empty());
    assert!(other.join(".vscode").as_path().exists() && bench.path(".envrc").as_path().exists());
    // Another file in the place of one that is known is new.
    fs::remove_file(bench.path(".envrc")).unwrap();
    bench.file("new", "not mine");
    fs::rename(bench.path("new"), bench.path(".envrc")).unwrap();
    assert_eq!(bench.fences.set_aside(&bench.inputs).moved.len(), 1);
}

/// The user brings something back while a command still runs.
#[tokio::test]
async fn what_the_user_brings_back_stays() {
    let bench = bench(Confinement::Workspace);
    let mut child = bench.start("echo x > .envrc; echo ready; cat").unwrap();
    child.next().await;
    let moved = bench.fences.set_aside(&bench.inputs).moved;
    restore_set_aside(&moved[0]).unwrap();
    assert!(bench.fences.set_aside(&bench.inputs).moved.is_empty());
    assert_eq!(bench.bytes(".envrc"), b"x\n");
}

/// What the user hears.
fn heard(bench: &Bench) -> std::sync::mpsc::Receiver<String> {
    let (sender, heard) = std::sync::mpsc::channel();
    bench.fences.on_notice(move |text| drop(sender.send(text.to_owned())));
    heard
}

const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);

/// A program that leaves its group outlives its call, and nobody waits for it.
#[tokio::test]
async fn what_a_detached_program_makes_is_moved_too() {
    let bench = bench(Confinement::Workspace);
    let heard = heard(&bench);
    let detached = "echo > started; until [ -e go ]; do :; done; mkdir .vscode";
    let line = format!("setsid sh -c '{detached}' >/dev/null 2>&1 & until [ -e started ]; do :; done");
    bench.ok(&line).await;
    assert!(bench.fences.set_aside(&bench.inputs).moved.is_empty());
    // Something else is to be protected from now on, so the next command gets another fence.
    bench.file(".mcp.json", "mine");
    bench.fences.watch_orphans();
    bench.file("go", "");
    let text = heard.recv_timeout(PATIENCE).expect("nobody looked");
    assert!(text.contains(".vscode") && !bench.path(".vscode").as_path().exists(), "{text}");
}

/// The fence of a command is replaced while it runs, and the command goes on in the old one.
#[tokio::test]
async fn what_runs_in_a_replaced_fence_is_looked_at() {
    let bench = bench(Confinement::Workspace);
    let mut child = bench.start("echo ready; until [ -e go ]; do :; done; echo x > .envrc").unwrap();
    child.next().await;
    bench.file("a.pem", "a new secret");
    bench.fences.mark_stale();
    assert_eq!(moved(&bench, "true").await, Vec::<String>::new());
    bench.file("go", "");
    while !matches!(child.next().await, forelook_sandbox::ChildEvent::Ended(_)) {}
    // The fence fell with it; the next look knows all the same, before the next command begins.
    bench.ok("! [ -e .envrc ]").await;
    assert_eq!(list_set_aside(&bench.keeps())[0].from, bench.path(".envrc"));
}

#[tokio::test]
async fn the_end_of_a_fence_is_looked_at() {
    let bench = bench(Confinement::Workspace);
    let heard = heard(&bench);
    let mut child = bench.start("echo x > .envrc; echo ready; cat").unwrap();
    child.next().await;
    bench.fences.end(Confinement::Workspace);
    assert!(heard.try_recv().is_ok_and(|text| text.contains(".envrc")));
    assert!(!bench.path(".envrc").as_path().exists());
}

/// Whoever may not list a folder may still use what is in it by name.
#[tokio::test]
async fn closed_folders_hide_nothing() {
    for mode in ["311", "511", "0"] {
        let bench = bench(Confinement::Workspace);
        let line = format!("mkdir -p a/b && echo x > a/b/.envrc && chmod {mode} a/b a");
        assert_eq!(moved(&bench, &line).await, ["a/b/.envrc"], "{mode}");
        let line = format!("git init -q r && echo x > r/.git/hooks/pre-commit && chmod {mode} r/.git/hooks");
        let hooks = moved(&bench, &line).await;
        assert!(
            hooks.iter().all(|it| it.starts_with("r/.git/hooks")) && hooks.len() == 1,
            "{mode}: {hooks:?}"
        );
        let line = format!("echo x > .envrc; chmod {mode} .");
        assert_eq!(moved(&bench, &line).await, [".envrc"], "{mode}");
    }
}

#[tokio::test]
async fn links_and_repositories_of_any_name_count() {
    let mut bench = bench(Confinement::Workspace);
    bench.inputs.search.link_names = Arc::new(|name: &str| name == ".cargo");
    let line = "mkdir c && echo x > c/config.toml && ln -s c .cargo";
    assert_eq!(moved(&bench, line).await, [".cargo"]);
    let line = "git init -q --bare b && echo x > b/hooks/update && git -C b config core.fsmonitor ./e";
    assert_eq!(moved(&bench, line).await, ["b/config", "b/hooks/update"]);
    assert_eq!(moved(&bench, "git init -q --bare plain").await, Vec::<String>::new());
    // Those that are there are held.
    symlink("c", bench.path(".cargo")).unwrap();
    fs::write(bench.path("plain/config"), "[core]\nbare = true\n").unwrap();
    bench.fences.mark_stale();
    assert_eq!(
        moved(&bench, "! echo y > c/config.toml && ! echo y >> plain/config").await,
        Vec::<String>::new()
    );
}

/// Nothing is moved through a link that stands in the way by then.
#[tokio::test]
async fn nothing_is_moved_through_links() {
    let bench = bench(Confinement::Workspace);
    let beside = bench.project.parent().unwrap().join("beside");
    fs::create_dir(&beside).unwrap();
    fs::write(beside.join(".envrc"), "theirs").unwrap();
    symlink(&beside, bench.path("link")).unwrap();
    assert_eq!(moved(&bench, "true").await, Vec::<String>::new());
    assert_eq!(fs::read(beside.join(".envrc")).unwrap(), b"theirs");
}

#[tokio::test]
async fn a_secret_that_comes_later_is_noticed() {
    for sandbox in [Confinement::ReadOnly, Confinement::Inspect, Confinement::ReadOnlyOnline] {
        let bench = bench(sandbox);
        bench.file("a.pem", "hidden");
        let fence = bench.fences.get(sandbox, &bench.inputs).unwrap().unwrap();
        let look = || bench.fences.look(&fence, &bench.inputs);
        assert_eq!(look(), FenceLook::default(), "{sandbox:?}");
        bench.file("plain", "seen");
        assert!(!look().exposes_secret, "{sandbox:?}");
        // An editor saves a file by replacing it.
        bench.file("new", "other");
        fs::rename(bench.path("new"), bench.path("a.pem")).unwrap();
        assert!(look().exposes_secret, "{sandbox:?}");
        bench.fences.mark_stale();
        let fence = bench.fences.get(sandbox, &bench.inputs).unwrap().unwrap();
        let look = || bench.fences.look(&fence, &bench.inputs);
        assert!(!look().exposes_secret, "{sandbox:?}");
        fs::create_dir(bench.path("deep")).unwrap();
        bench.file("deep/.env", "secret");
        assert!(look().exposes_secret, "{sandbox:?}");
    }
}

/// A folder that nobody may list still lets its files be opened by name.
#[tokio::test]
async fn a_folder_that_cannot_be_listed_is_closed() {
    let bench = bench(Confinement::Workspace);
    fs::create_dir(bench.path("config")).unwrap();
    bench.file("config/.env", "secret");
    fs::set_permissions(bench.path("config"), fs::Permissions::from_mode(0o311)).unwrap();
    let (output, _) = bench.run("cat config/.env 2>&1").await.unwrap();
    assert!(!output.contains("secret"), "{output}");
    fs::set_permissions(bench.path("config"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Whoever works in a folder that decides what runs later cannot write to it by a command, under no name.
#[tokio::test]
async fn a_working_folder_that_is_protected_is_held_as_a_whole() {
    let mut bench = bench(Confinement::Workspace);
    fs::create_dir_all(bench.path(".vscode/sub")).unwrap();
    bench.file(".vscode/tasks.json", "mine");
    bench.inputs.folders = vec![bench.path(".vscode")];
    for line in [
        "! echo x > .vscode/tasks.json",
        "! echo x > .vscode/new",
        "! mkdir .vscode/sub/new",
        "! mv .vscode/sub .vscode/other",
        "! rm .vscode/tasks.json",
    ] {
        bench.ok(line).await;
        assert!(bench.fences.set_aside(&bench.inputs).moved.is_empty(), "{line}");
    }
    // The user goes on working in it, also while a command runs.
    let mut child = bench.start("echo ready; cat").unwrap();
    child.next().await;
    bench.file(".vscode/launch.json", "mine");
    assert!(bench.fences.set_aside(&bench.inputs).moved.is_empty());
    assert_eq!(
        (bench.bytes(".vscode/tasks.json"), bench.bytes(".vscode/launch.json")),
        (b"mine".to_vec(), b"mine".to_vec())
    );
}

#[tokio::test]
async fn a_working_folder_in_a_repository_of_any_name() {
    let mut bench = bench(Confinement::Workspace);
    git(&bench.project, &["init", "-q", "--bare", "store"]);
    bench.inputs.folders = vec![bench.path("store/hooks")];
    bench.ok("! echo x > store/hooks/update").await;
    bench.inputs.folders = vec![bench.path("store")];
    bench.ok("! echo x > store/hooks/update && ! echo x > store/config && echo x > store/description").await;
}

/// What a protected name leads to is protected, also while nothing is there yet.
#[tokio::test]
async fn what_protected_links_lead_to_is_held_or_moved() {
    let bench = bench(Confinement::Workspace);
    fs::create_dir(bench.path("build")).unwrap();
    fs::create_dir(bench.path("vs")).unwrap();
    bench.file("named", "mine");
    for (to, link) in
        [("build/envrc", ".envrc"), ("vs", ".vscode"), ("second", ".mcp.json"), ("build/third", "second")]
    {
        symlink(to, bench.path(link)).unwrap();
    }
    for (line, expected) in [
        ("! echo x > vs/tasks.json", &[][..]),
        ("echo x > build/other", &[]),
        ("echo x > .envrc", &["build/envrc"]),
        ("mkdir build/envrc", &["build/envrc"]),
        ("ln named build/third", &["build/third"]),
        ("rm second && echo x > second", &["second"]),
        // What somebody else's link leads to stays.
        ("mkdir sub && ln -s ../named sub/.envrc", &["sub/.envrc"]),
    ] {
        assert_eq!(moved(&bench, line).await, expected, "{line}");
    }
    assert_eq!(bench.bytes("named"), b"mine");
    // What the user puts there stays.
    bench.file("build/envrc", "mine");
    bench.fences.mark_stale();
    assert_eq!(moved(&bench, "! echo x > build/envrc").await, Vec::<String>::new());
}

/// Git is configured by more files than those in a folder that looks like its own.
#[tokio::test]
async fn what_git_is_configured_by_is_held_or_moved() {
    let bench = bench(Confinement::Workspace);
    fs::create_dir_all(bench.path("one")).unwrap();
    git(&bench.path("one"), &["init", "-q"]);
    git(&bench.path("one"), &["config", "include.path", "../../shared/git.inc"]);
    git(&bench.path("one"), &["config", "--add", "include.path", "../../later.inc"]);
    for folder in ["shared", "split", "common/objects", "common/refs", "two"] {
        fs::create_dir_all(bench.path(folder)).unwrap();
    }
    bench.file("shared/git.inc", "");
    bench.file("two/.git", "gitdir: ../split\n");
    bench.file("split/HEAD", "ref: refs/heads/main\n");
    bench.file("split/commondir", "../common\n");
    bench.file("common/config", "");
    for (line, expected) in [
        ("! echo x > shared/git.inc && ! mv shared other", &[][..]),
        ("! echo x > common/config && ! echo x > split/commondir && echo x > common/description", &[]),
        ("echo x > later.inc", &["later.inc"]),
        ("mkdir common/hooks && echo x > common/hooks/update", &["common/hooks"]),
        ("echo x > split/config.worktree", &["split/config.worktree"]),
        // What a new repository includes stays; its configuration does not.
        (
            "git init -q new && git -C new config include.path ../../later.inc && echo x > plain",
            &["new/.git/config"],
        ),
    ] {
        assert_eq!(moved(&bench, line).await, expected, "{line}");
    }
}

/// The settings may let commands write to the home folder. What is ours in it is nobody's to write.
#[tokio::test]
async fn our_own_folders_are_held_in_every_writable_folder() {
    let mut bench = bench(Confinement::Workspace);
    let home = bench.project.parent().unwrap().join("home");
    let own = home.join("own");
    fs::create_dir_all(own.join("below")).unwrap();
    fs::write(own.join("settings.json"), "mine").unwrap();
    bench.inputs.search.own = Arc::new(vec![own.clone()]);
    for writable in [home.clone(), own.clone(), own.join("below")] {
        let workspace = WorkspaceSetup { writable: vec![writable.clone()], ..WorkspaceSetup::default() };
        let setup = FenceSetup { workspace: Some(workspace), ..FenceSetup::plain(&bench.keeps()) };
        bench.fences = Arc::new(Fences::new(setup));
        let line = format!(
            "cd {own}; echo x > settings.json; echo x > new; echo x > below/new; rm -f settings.json; mv {own} {home}/other; true"
        );
        bench.ok(&line).await;
        assert_eq!(fs::read(own.join("settings.json")).unwrap(), b"mine", "{writable}");
        let made = ["new", "below/new"].iter().any(|name| own.join(name).as_path().exists());
        assert!(!made, "{writable}");
    }
}
