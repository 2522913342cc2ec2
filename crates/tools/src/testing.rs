//! What the tests of tools share: a folder, calls in it, and another user.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use forelook_protocol::{AbsPath, CallId, Effect, ToolOutcome, ToolResult};
use forelook_sandbox::ChildEnv;
use serde_json::Value;
use tempfile::TempDir;

use crate::{FenceSetup, Fences, ParsedCall, ToolContext, Toolbox};

/// A project in a temporary folder, and a session that applies the effects of its calls.
pub(crate) struct Bench {
    pub(crate) cx: ToolContext,
    /// All running output so far.
    pub(crate) shown: Arc<Mutex<String>>,
    tools: Toolbox,
    /// Gone when the bench goes, and after the fences that stand on it.
    _home: Home,
}

/// A temporary folder that goes whole. The kernel closes a folder under each layer, and ordinary users could not remove it
/// the ordinary way.
struct Home(TempDir);

impl Drop for Home {
    fn drop(&mut self) {
        let _ = forelook_sandbox::remove_layer(self.0.path());
    }
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::in_folder("project")
    }

    /// A project whose folder has this name.
    pub(crate) fn in_folder(name: impl AsRef<Path>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = AbsPath::new(home.path().canonicalize().unwrap()).unwrap();
        let project = root.join(name);
        fs::create_dir_all(&project).unwrap();
        let shown = Arc::new(Mutex::new(String::new()));
        let sink = Arc::clone(&shown);
        let env = ChildEnv::from_process_without_secrets(std::env::vars_os());
        let cx = ToolContext {
            call: CallId("../call/1".into()),
            scratch: root.join("scratch"),
            // Beside the project: a layer cannot lie in what it is over.
            fences: Arc::new(Fences::new(FenceSetup::plain(&root.join("fences")))),
            output: Arc::new(move |text: &str| sink.lock().unwrap().push_str(text)),
            ..ToolContext::alone(&project, env)
        };
        Self { _home: Home(home), cx, shown, tools: Toolbox::plain() }
    }

    /// The same with other tools.
    pub(crate) fn with(self, tools: Toolbox) -> Self {
        Self { tools, ..self }
    }

    pub(crate) fn path(&self, name: &str) -> AbsPath {
        self.cx.place.project.join(name)
    }

    /// Lays out a file.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> AbsPath {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Lets the model have seen these bytes in a file.
    pub(crate) fn saw(&mut self, name: &str, bytes: impl AsRef<[u8]>) {
        let hash = crate::seen::hash(bytes.as_ref());
        self.cx.seen.add(&forelook_protocol::Seen { path: self.path(name), hash });
    }

    /// Lets the model have seen a file.
    pub(crate) async fn read(&mut self, name: &str) {
        let outcome = self.call("Read", serde_json::json!({"file_path": name})).await;
        assert!(!outcome.result.is_error, "{outcome:?}");
    }

    /// Makes a call as the engine does: what would it do, do it, apply the effects.
    pub(crate) async fn call(&mut self, tool: &str, input: Value) -> ToolOutcome {
        let parsed = match self.tools.get(tool).unwrap().parse(&input) {
            Ok(parsed) => parsed,
            Err(bad) => return ToolResult::error(self.cx.call.clone(), bad.to_string()).into(),
        };
        let action = parsed.action(&self.cx.place);
        if let Ok(action) = &action {
            self.cx.action = action.clone();
        }
        let outcome = run(&parsed, self.cx.clone()).await;
        if let Err(bad) = action {
            assert_eq!(outcome.result.text(), bad.to_string());
        }
        for effect in &outcome.effects {
            match effect {
                Effect::Saw(seen) => self.cx.seen.add(seen),
                Effect::SetFolder { folder } => self.cx.place.folder = folder.clone(),
                _ => {}
            }
        }
        outcome
    }

    /// The text of a call that must succeed.
    pub(crate) async fn ok(&mut self, tool: &str, input: Value) -> String {
        let outcome = self.call(tool, input).await;
        assert!(!outcome.result.is_error, "{}", outcome.result.text());
        outcome.result.text()
    }

    /// The text of a call that must fail.
    pub(crate) async fn failure(&mut self, tool: &str, input: Value) -> String {
        let outcome = self.call(tool, input).await;
        assert!(outcome.result.is_error, "{}", outcome.result.text());
        outcome.result.text()
    }
}

/// A call of a tool that is always there, understood.
pub(crate) fn parsed(tool: &str, input: &Value) -> ParsedCall {
    Toolbox::plain().get(tool).unwrap().parse(input).unwrap()
}

/// Runs a call that its tool runs.
pub(crate) async fn run(call: &ParsedCall, cx: ToolContext) -> ToolOutcome {
    call.runnable().expect("the engine answers this call").run(cx).await
}

/// Whether this process may do anything anywhere, which would hide what a test of permissions shows. If
/// so, the test of this name was run once more as nobody, and passed.
pub(crate) fn passed_as_nobody(test: &str) -> bool {
    if !rustix::process::geteuid().is_root() {
        return false;
    }
    let said = as_nobody(&["--exact", test]);
    assert!(said.contains("1 passed"), "{said}");
    true
}

/// Runs tests of this program as nobody, and returns what they said; all must pass.
pub(crate) fn as_nobody(words: &[&str]) -> String {
    // A copy: the build folder may be closed to others.
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("tests");
    // Not by this process: what another test starts meanwhile would have it open for writing, and it could not be run.
    let copied = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&program).status();
    assert!(copied.unwrap().success());
    let ran = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(words)
        .current_dir("/")
        .output()
        .expect("as root this test needs `setpriv`");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    said
}

/// Runs git, which must succeed.
pub(crate) fn git(folder: &AbsPath, words: &[&str]) {
    let ran = Command::new("git").args(words).current_dir(folder).output().unwrap();
    assert!(ran.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
}
