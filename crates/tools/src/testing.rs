//! What the tests of tools share: a folder, calls in it, and another user.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use forelook_fences::{FenceInputs, FenceSetup, Fences, GuardSearch, Launch, LaunchOptions, PathGuard};
use forelook_protocol::{AbsPath, CallId, SessionEffect, ToolOutcome, ToolResult};
use forelook_sandbox::ChildEnv;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) use forelook_testkit::{passed_as_nobody, tests_as_nobody as as_nobody};

use crate::{BuiltinToolOptions, OutputSink, ParsedCall, PathFilter, ToolContext, ToolServices, Toolbox};

/// A project in a temporary folder, and a session that applies the effects of its calls.
pub(crate) struct Bench {
    /// Its launch is made anew for each call.
    pub(crate) cx: ToolContext,
    pub(crate) services: ToolServices,
    pub(crate) fences: Arc<Fences>,
    pub(crate) inputs: FenceInputs,
    pub(crate) options: LaunchOptions,
    /// All running output so far.
    pub(crate) shown: Arc<Mutex<String>>,
    tools: Toolbox,
    /// Gone when the bench goes, and after the fences that stand on it.
    home: Arc<Home>,
}

/// A temporary folder that goes whole. The kernel closes a folder under each layer, and ordinary users could not remove it
/// the ordinary way.
struct Home(TempDir);

impl Drop for Home {
    fn drop(&mut self) {
        let _ = forelook_sandbox::remove_overlay(self.0.path());
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
        let services = ToolServices::new(Arc::new(env), root.join("scratch"));
        let inputs = FenceInputs {
            folders: vec![project.clone()],
            home: None,
            guards: Arc::new(|_: &AbsPath| PathGuard::Unguarded),
            search: GuardSearch::default(),
        };
        let cx = ToolContext {
            call: CallId("../call/1".into()),
            output: OutputSink::new(move |text: &str| sink.lock().unwrap().push_str(text)),
            ..ToolContext::alone(&project)
        };
        Self {
            home: Arc::new(Home(home)),
            cx,
            tools: Toolbox::plain(&services),
            services,
            // Beside the project: a layer cannot lie in what it is over.
            fences: Arc::new(Fences::new(FenceSetup::plain(&root.join("fences")))),
            inputs,
            options: LaunchOptions::PLAIN,
            shown,
        }
    }

    /// Another agent in the same project, which has seen nothing yet.
    pub(crate) fn other_agent(&self) -> Self {
        Self {
            home: Arc::clone(&self.home),
            cx: ToolContext { output: self.cx.output.clone(), ..ToolContext::alone(&self.cx.place.project) },
            tools: Toolbox::plain(&self.services),
            services: self.services.clone(),
            fences: Arc::clone(&self.fences),
            inputs: self.inputs.clone(),
            options: self.options,
            shown: Arc::clone(&self.shown),
        }
    }

    /// The same in another environment.
    pub(crate) fn with_env(self, env: ChildEnv) -> Self {
        let mut services = self.services;
        services.env = Arc::new(env);
        Self { tools: Toolbox::plain(&services), services, ..self }
    }

    /// A call of one of its tools, understood.
    pub(crate) fn parsed(&self, tool: &str, input: &Value) -> ParsedCall {
        self.tools.get(tool).unwrap().parse(input).unwrap()
    }

    fn launch(&self) -> Launch {
        Launch::new(Arc::clone(&self.fences), Arc::new(self.inputs.clone()), self.options)
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
        self.cx.files.seen.add(&forelook_protocol::FileVersion { path: self.path(name), hash });
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
        self.cx.launch = self.launch();
        let outcome = run(&parsed, self.cx.clone()).await;
        if let Err(bad) = action {
            assert_eq!(outcome.result.text(), bad.to_string());
        }
        for effect in &outcome.effects {
            match effect {
                SessionEffect::FileSeen(seen) => self.cx.files.seen.add(seen),
                SessionEffect::SetFolder { folder } => self.cx.place.folder = folder.clone(),
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

/// Every file but one.
pub(crate) struct AllBut(pub(crate) AbsPath);

impl PathFilter for AllBut {
    fn admits(&self, path: &AbsPath) -> bool {
        *path != self.0
    }
}

/// What tools are made with that start nothing.
pub(crate) fn idle() -> ToolServices {
    ToolServices::new(Arc::default(), AbsPath::new("/nowhere").unwrap())
}

/// The tools that are built in, for tests that start nothing.
pub(crate) fn built(options: BuiltinToolOptions) -> Toolbox {
    Toolbox::builtin(options, &idle())
}

/// A call of a tool that is always there, understood.
pub(crate) fn parsed(tool: &str, input: &Value) -> ParsedCall {
    Toolbox::plain(&idle()).get(tool).unwrap().parse(input).unwrap()
}

/// Runs a call that its tool runs.
pub(crate) async fn run(call: &ParsedCall, cx: ToolContext) -> ToolOutcome {
    call.runnable().expect("the engine answers this call").run(cx).await
}

/// Runs git, which must succeed.
pub(crate) fn git(folder: &AbsPath, words: &[&str]) {
    let ran = Command::new("git").args(words).current_dir(folder).output().unwrap();
    assert!(ran.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
}
