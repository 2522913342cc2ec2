//! What the tests of fences share: a project, a fence around it, and lines that run inside.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{Child, ChildEnv, ChildEvent, ChildExit, Program};
use tempfile::TempDir;

use crate::{FenceInputs, FenceSetup, Fences, GuardSearch, PathGuard};

/// A project in a temporary folder, and what programs in it are held to.
pub(crate) struct Bench {
    /// Gone when the bench goes.
    _home: TempDir,
    pub(crate) project: AbsPath,
    pub(crate) fences: Arc<Fences>,
    pub(crate) inputs: FenceInputs,
    pub(crate) sandbox: Confinement,
    pub(crate) env: ChildEnv,
}

impl Bench {
    pub(crate) fn new(sandbox: Confinement) -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = AbsPath::new(home.path().canonicalize().unwrap()).unwrap();
        let project = root.join("project");
        fs::create_dir_all(&project).unwrap();
        // Beside the project: a layer cannot lie in what it is over.
        let fences = Arc::new(Fences::new(FenceSetup::plain(&root.join("fences"))));
        let inputs = FenceInputs {
            folders: vec![project.clone()],
            home: None,
            guards: Arc::new(|_: &AbsPath| PathGuard::Unguarded),
            search: GuardSearch::default(),
        };
        let env = ChildEnv::from_process_without_secrets(std::env::vars_os());
        Self { _home: home, project, fences, inputs, sandbox, env }
    }

    pub(crate) fn path(&self, name: &str) -> AbsPath {
        self.project.join(name)
    }

    /// Where the fences keep what they keep.
    pub(crate) fn keeps(&self) -> AbsPath {
        self.project.parent().unwrap().join("fences")
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

    /// Starts a line inside.
    pub(crate) fn start(&self, line: &str) -> io::Result<Child> {
        let fence = self.fences.get(self.sandbox, &self.inputs)?;
        let mut env = self.env.clone();
        if let Some(fence) = &fence {
            self.fences.prepare(self.sandbox, fence, &self.inputs, &mut env);
        }
        let mut program = Program::new("/bin/bash", env, self.project.as_path()).arg("-c").arg(line);
        program.fence = fence;
        Child::spawn(&program)
    }

    /// Runs a line inside: what it wrote, and how it ended.
    pub(crate) async fn run(&self, line: &str) -> io::Result<(String, ChildExit)> {
        let (mut child, mut output) = (self.start(line)?, Vec::new());
        loop {
            match child.next().await {
                ChildEvent::Output(chunk) => output.extend(chunk.bytes),
                ChildEvent::Ended(ending) => {
                    return Ok((String::from_utf8_lossy(&output).trim_end().to_owned(), ending));
                }
            }
        }
    }

    /// What a line wrote that must succeed.
    pub(crate) async fn ok(&self, line: &str) -> String {
        let (output, ending) = self.run(line).await.unwrap();
        assert!(ending.is_success(), "{line}: {ending}: {output}");
        output
    }
}

/// Runs git, which must succeed.
pub(crate) fn git(folder: &AbsPath, words: &[&str]) {
    let folder: &Path = folder.as_path();
    let ran = Command::new("git").args(words).current_dir(folder).output().unwrap();
    assert!(ran.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
}
