//! Fences as Bash uses them, on the real kernel.

mod masked;
mod named;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use forelook_fences::{
    FenceInputs, FenceSetup, Fences, GuardSearch, NoteAudience, PathGuard, WorkspaceSetup,
};
use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::KernelLayers;
use serde_json::json;

use crate::testing::{Bench, passed_as_nobody};

const LANDLOCK: KernelLayers = KernelLayers { namespaces: false, ..KernelLayers::ALL };

/// Secrets are called `.env` and `secrets`, and what is held `.envrc` and `.git`.
fn guards(path: &AbsPath) -> PathGuard {
    let has = |name: &str| path.as_path().iter().any(|part| part == name);
    match () {
        () if has(".env") || has("secrets") => PathGuard::Masked,
        () if has(".envrc") || has(".git") => PathGuard::Protected,
        () => PathGuard::Unguarded,
    }
}

/// A bench whose calls are held to this, by these layers.
fn held(sandbox: Confinement, layers: KernelLayers) -> Bench {
    with_workspace(sandbox, layers, WorkspaceSetup::default())
}

fn with_workspace(sandbox: Confinement, layers: KernelLayers, workspace: WorkspaceSetup) -> Bench {
    let mut bench = Bench::new();
    let project = bench.cx.place.project.clone();
    let folder = project.parent().unwrap().join("fence");
    let setup = FenceSetup { layers, workspace: Some(workspace), ..FenceSetup::plain(&folder) };
    bench.fences = Arc::new(Fences::new(setup));
    bench.options.sandbox = sandbox;
    bench.options.note_audience = NoteAudience::Planner;
    bench.inputs = FenceInputs {
        folders: vec![project],
        home: None,
        guards: Arc::new(guards),
        search: GuardSearch::default(),
    };
    bench
}

/// Every file below, with what is in it.
fn tree(folder: &AbsPath) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut open = vec![folder.as_path().to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => open.push(entry.path()),
                false => {
                    all.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap_or_default()))
                }
            }
        }
    }
    all.sort();
    all
}

/// In every fence that only reads: with namespaces, and with Landlock and seccomp alone.
async fn an_unknown_program_changes_nothing_and_hears_why(layers: KernelLayers) {
    let mut bench = held(Confinement::ReadOnly, layers);
    bench.file("a.txt", "old");
    bench.file("script", "#!/bin/sh\necho new > a.txt\n");
    fs::set_permissions(bench.path("script"), fs::Permissions::from_mode(0o755)).unwrap();
    let before = tree(&bench.cx.place.project);
    for command in [
        "python3 -c 'open(\"a.txt\", \"w\").write(\"new\")'",
        "python3 -c 'import os; os.remove(\"a.txt\")'",
        "./script",
        "mkdir -p d && touch d/e",
        "chmod 600 a.txt",
        "mv a.txt b.txt",
    ] {
        let said = bench.failure("Bash", json!({"command": command})).await;
        assert!(
            said.contains("ead-only while planning") && said.contains("put it into the plan"),
            "{command}: {said}"
        );
        assert_eq!(tree(&bench.cx.place.project), before, "{command}");
    }
    for (command, expected) in [
        ("cat a.txt", "old"),
        ("python3 -c 'print(open(\"a.txt\").read())'", "old"),
        ("t=$(mktemp) && echo kept > $t && cat $t", "kept"),
        ("mkdir -p $XDG_CACHE_HOME/x && echo kept", "kept"),
        ("echo 'Read-only file system'", "Read-only file system"),
    ] {
        assert_eq!(bench.ok("Bash", json!({"command": command})).await, expected, "{command}");
    }
    let said = bench.failure("Bash", json!({"command": "exit 7"})).await;
    assert_eq!(said, "Exit code 7");
}

use std::os::unix::fs::PermissionsExt;

#[tokio::test]
async fn nothing_changes_in_namespaces() {
    if passed_as_nobody("bash::tests::fences::nothing_changes_in_namespaces") {
        // Root too.
    }
    an_unknown_program_changes_nothing_and_hears_why(KernelLayers::ALL).await;
}

#[tokio::test]
async fn nothing_changes_with_landlock_alone() {
    if passed_as_nobody("bash::tests::fences::nothing_changes_with_landlock_alone") {
        // Root too.
    }
    an_unknown_program_changes_nothing_and_hears_why(LANDLOCK).await;
}

#[tokio::test]
async fn secrets_show_nothing_and_the_model_hears_it() {
    let mut bench = held(Confinement::ReadOnly, KernelLayers::ALL);
    bench.file(".env", "KEY=planted");
    fs::create_dir_all(bench.path("sub/secrets")).unwrap();
    bench.file("sub/secrets/key", "planted");
    fs::create_dir_all(bench.path("node_modules/x")).unwrap();
    bench.file("node_modules/x/.env", "KEY=theirs");
    std::os::unix::fs::symlink(bench.path(".env"), bench.path("link")).unwrap();
    let said = bench.ok("Bash", json!({"command": "cat .env"})).await;
    assert!(said.starts_with("(no output)\n[`.env` contains secrets"), "{said}");
    for command in
        ["grep -r planted . || true", "cat link", "python3 -c 'print(open(\".env\").read(), end=\"\")'"]
    {
        let said = bench.ok("Bash", json!({"command": command})).await;
        assert!(said.starts_with("(no output)"), "{command}: {said}");
    }
    // Found again after it was made anew, once planning begins anew.
    bench.file(".env.new", "planted");
    bench.inputs.guards = Arc::new(|path: &AbsPath| match path.as_path().ends_with(".env.new") {
        true => PathGuard::Masked,
        false => PathGuard::Unguarded,
    });
    assert_eq!(bench.ok("Bash", json!({"command": "cat .env.new"})).await, "planted");
    bench.fences.mark_stale();
    assert!(bench.ok("Bash", json!({"command": "cat .env.new"})).await.starts_with("(no output)"));
}

#[tokio::test]
async fn scratch_is_private_and_lasts_as_long_as_the_fence() {
    let mut bench = held(Confinement::ReadOnly, KernelLayers::ALL);
    // Not `/tmp`: this project lies there, and only reads.
    let mark = format!("/var/tmp/fence-scratch-{}", std::process::id());
    bench.ok("Bash", json!({"command": format!("echo mine > {mark}")})).await;
    assert!(!Path::new(&mark).exists());
    assert_eq!(bench.ok("Bash", json!({"command": format!("cat {mark}")})).await, "mine");
}

#[tokio::test]
async fn the_workspace_is_written_to_and_nothing_else() {
    // Not where scratch folders are: whatever is written there works, and is gone.
    let beside = tempfile::tempdir_in(std::env::home_dir().unwrap()).unwrap();
    let extra = AbsPath::new(beside.path().canonicalize().unwrap()).unwrap().join("extra");
    fs::create_dir(&extra).unwrap();
    let workspace = WorkspaceSetup { writable: vec![extra.clone()], ..WorkspaceSetup::default() };
    let mut bench = with_workspace(Confinement::Workspace, KernelLayers::ALL, workspace);
    bench.options.note_audience = NoteAudience::Other;
    bench.file(".env", "KEY=needed");
    bench.file(".envrc", "old");
    let outside = beside.path().join("outside");
    fs::write(&outside, "old").unwrap();
    for (command, expected) in
        [("echo new > a.txt && cat a.txt", "new"), (&format!("echo new > {extra}/b && cat {extra}/b"), "new")]
    {
        assert_eq!(bench.ok("Bash", json!({"command": command})).await, expected, "{command}");
    }
    assert_eq!(
        (bench.bytes("a.txt"), fs::read(extra.join("b")).unwrap()),
        (b"new\n".to_vec(), b"new\n".to_vec())
    );
    let said = bench.failure("Bash", json!({"command": format!("echo new > {}", outside.display())})).await;
    assert!(
        said.contains("nly the working directories are writable") && said.contains("`sandbox.writable`"),
        "{said}"
    );
    assert_eq!(fs::read(&outside).unwrap(), b"old");
    // Nobody approved what runs here, so it sees no secrets, however it spells them.
    for command in ["cat .env || :", "cat $(echo .en)v || :", "grep -r KEY . | tee found; cat found"] {
        let said = bench.ok("Bash", json!({"command": command})).await;
        assert!(!said.contains("needed"), "{command}: {said}");
    }
    bench.failure("Bash", json!({"command": "echo more >> .env"})).await;
    assert_eq!(bench.bytes(".env"), b"KEY=needed");
}

#[tokio::test]
async fn git_reads_in_the_workspace_and_what_decides_what_runs_is_held() {
    let mut bench = held(Confinement::Workspace, KernelLayers::ALL);
    bench.file(".envrc", "old");
    bench.options.sandbox = Confinement::Off;
    bench.ok("Bash", json!({"command": "git init -q . && touch a && git add a"})).await;
    bench.options.sandbox = Confinement::Workspace;
    assert_eq!(bench.ok("Bash", json!({"command": "git status --short a"})).await, "A  a");
    for command in [
        "echo new > .envrc",
        "mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit",
        "echo evil >> .git/config",
        "echo ../evil > .git/commondir",
        "rm .envrc",
        "mv .git elsewhere",
    ] {
        bench.failure("Bash", json!({"command": command})).await;
    }
    assert_eq!(bench.bytes(".envrc"), b"old");
    assert!(!bench.path(".git/commondir").as_path().exists());
}

/// The descriptor that tells how a shell left things is open to all that it starts.
#[tokio::test]
async fn what_is_held_moves_nobody_and_sets_nothing_for_what_is_not() {
    for sandbox in [Confinement::ReadOnly, Confinement::Rehearsal, Confinement::Workspace] {
        let mut bench = held(sandbox, KernelLayers::ALL);
        let tells = "printf '/etc\\n\\0declare -x PATH=\"/evil\"\\n\\0.' >&199; kill -9 $$";
        bench.call("Bash", json!({"command": tells})).await;
        bench.call("Bash", json!({"command": "export LEFT=x; cd /etc"})).await;
        bench.options.sandbox = Confinement::Off;
        let after = bench.ok("Bash", json!({"command": "pwd; echo \"${LEFT-none}\"; echo $PATH"})).await;
        assert!(after.starts_with(&format!("{}\nnone\n", bench.cx.place.project)), "{sandbox:?}: {after}");
        assert!(!after.contains("evil"), "{after}");
    }
}

#[tokio::test]
async fn what_cannot_be_held_is_not_run() {
    let none = KernelLayers { namespaces: false, landlock: false, seccomp: false };
    for (sandbox, layers) in [(Confinement::ReadOnly, none), (Confinement::Rehearsal, LANDLOCK)] {
        let mut bench = held(sandbox, layers);
        let said = bench.failure("Bash", json!({"command": "touch a"})).await;
        assert!(said.starts_with("Not run: the fence for this command"), "{said}");
        assert!(!bench.path("a").as_path().exists());
    }
}

#[tokio::test]
async fn a_shell_in_the_background_keeps_its_fence() {
    let mut bench = held(Confinement::ReadOnly, KernelLayers::ALL);
    let command = "echo up; while ! test -e go; do sleep 0.02; done; touch a 2>/dev/null; echo $?";
    bench.ok("Bash", json!({"command": command, "run_in_background": true})).await;
    bench.ok("BashOutput", json!({"bash_id": "shell_1", "wait_for": "up"})).await;
    bench.fences.mark_stale();
    bench.file("go", "");
    let said = bench.ok("BashOutput", json!({"bash_id": "shell_1", "wait_for": "^[0-9]"})).await;
    assert!(said.starts_with("1\n"), "{said}");
    assert!(!bench.path("a").as_path().exists());
}

/// A page on a port of this machine, as another one would have it.
async fn page() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
            let _ = stream.readable().await;
            let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 4096]).await;
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, answer).await;
        }
    });
    port
}

#[tokio::test]
async fn only_named_domains_are_reached_and_the_others_are_told() {
    let port = page().await;
    let domains = vec![format!("127.0.0.1:{port}")];
    let workspace = WorkspaceSetup { domains, ..WorkspaceSetup::default() };
    let mut bench = with_workspace(Confinement::Workspace, KernelLayers::ALL, workspace);
    let fetch = |host: &str| {
        let code = format!(
            "import os, urllib.request as u; \
             p = u.ProxyHandler({{'http': os.environ['http_proxy']}}); \
             r = u.Request('http://{host}/'); r.set_proxy(os.environ['http_proxy'][7:], 'http'); \
             print(u.build_opener(u.BaseHandler()).open(r).read().decode())"
        );
        json!({"command": format!("python3 -c \"{code}\"")})
    };
    assert_eq!(bench.ok("Bash", fetch(&format!("127.0.0.1:{port}"))).await, "hello");
    let said = bench.failure("Bash", fetch("example.com")).await;
    assert!(said.contains("`sandbox.network` does not list it: `example.com`"), "{said}");
    let direct = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    bench.failure("Bash", json!({"command": direct})).await;
}

/// A line that ran unasked since it was held leaves its variables to others like it, and never to a line outside.
#[tokio::test]
async fn variables_from_inside_stay_inside() {
    let mut bench = held(Confinement::Workspace, KernelLayers::ALL);
    bench.options.auto_allowed = true;
    bench.ok("Bash", json!({"command": "export FROM=inside"})).await;
    assert_eq!(bench.ok("Bash", json!({"command": "sh -c 'echo $FROM'"})).await, "inside");
    (bench.options.sandbox, bench.options.auto_allowed) = (Confinement::Off, false);
    assert_eq!(bench.ok("Bash", json!({"command": "echo \"${FROM-none}\"; export SAID=yes"})).await, "none");
    (bench.options.sandbox, bench.options.auto_allowed) = (Confinement::Workspace, true);
    assert_eq!(bench.ok("Bash", json!({"command": "sh -c 'echo $FROM $SAID'"})).await, "inside yes");
}
