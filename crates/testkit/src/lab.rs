//! A home and a project on the disk, with the real binary in them.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use tempfile::TempDir;

use crate::tree;
use crate::wire::{ScriptedServer, WireFormat};

/// The instant at which every clock stands.
pub const CLOCK: &str = "2026-01-02T03:04:05Z";

/// A temporary place to run the program in.
pub struct Lab {
    root: TempDir,
    binary: PathBuf,
    project: PathBuf,
    runs: AtomicU64,
    /// The form and the address of the server that scripted models are asked at.
    wire: Option<(WireFormat, String)>,
}

/// What a run came to.
#[derive(Debug)]
pub struct RunOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code; nothing if a signal ended it.
    pub code: Option<i32>,
}

impl RunOutput {
    /// Standard output, line by line, as JSON.
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}

impl Lab {
    /// A new place with an empty project. `binary` is `env!("CARGO_BIN_EXE_forelook")`.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self::in_folder(binary, OsStr::new("project"))
    }

    /// A new place whose project has this name.
    pub fn in_folder(binary: impl Into<PathBuf>, name: &OsStr) -> Self {
        let root = tempfile::tempdir().expect("a temporary folder");
        let project = root.path().canonicalize().unwrap().join(name);
        fs::create_dir(&project).expect("a project");
        fs::create_dir(root.path().join("home")).expect("a home");
        Self { root, binary: binary.into(), project, runs: AtomicU64::new(0), wire: None }
    }

    /// The same place with another copy of the binary.
    pub fn with_binary(mut self, binary: PathBuf) -> Self {
        self.binary = binary;
        self
    }

    /// The same place, where scripted models are asked over this wire.
    pub fn with_wire(mut self, wire_format: WireFormat, server: &ScriptedServer) -> Self {
        self.wire = Some((wire_format, server.url()));
        self
    }

    /// The folder that holds everything.
    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    /// The program's home.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// The project.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The binary.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// Where the script of the model is.
    pub fn script(&self) -> PathBuf {
        self.root().join("script.toml")
    }

    /// Writes a file of the project.
    pub fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Writes the script of the model.
    pub fn with_script(self, text: &str) -> Self {
        fs::write(self.script(), text).unwrap();
        self
    }

    /// Reads a file of the project.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.project.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The environment that makes a run repeatable. Each run has ids of its own.
    pub fn environment(&self) -> Vec<(&'static str, std::ffi::OsString)> {
        let run = self.runs.fetch_add(1, Ordering::Relaxed) + 1;
        let mut model = std::ffi::OsString::from("scripted/");
        model.push(self.script());
        let mut variables = vec![
            ("FORELOOK_HOME", self.home().into()),
            ("HOME", self.root().into()),
            ("FORELOOK_TEST_CLOCK", CLOCK.into()),
            ("FORELOOK_TEST_IDS", run.to_string().into()),
            ("FORELOOK_TEST_REQUESTS", self.home().join("requests.jsonl").into()),
            ("FORELOOK_MODEL", model),
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("SHELL", "/bin/bash".into()),
            ("ANTHROPIC_API_KEY", PLANTED_KEY.into()),
            // Nobody listens there: what a machine has of its own must not change a test.
            ("OLLAMA_HOST", "127.0.0.1:1".into()),
        ];
        if let Some((wire_format, url)) = &self.wire {
            // A path for each run: a script counts its failures anew in each process, and so does the server.
            let wire = format!("{}={url}/run{run}", wire_format.name());
            variables.push(("FORELOOK_TEST_WIRE", wire.into()));
        }
        variables
    }

    /// A command that runs the program in the project; the caller may change it.
    pub fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        self.wrapped(&[], args)
    }

    /// The same, started by another program (`setpriv …`).
    pub fn wrapped<A: AsRef<OsStr>>(&self, wrapper: &[String], args: impl IntoIterator<Item = A>) -> Command {
        let mut words = wrapper.iter().map(|word| std::ffi::OsString::from(word.as_str()));
        let mut command = match words.next() {
            Some(first) => {
                let mut command = Command::new(first);
                command.args(words).arg(&self.binary);
                command
            }
            None => Command::new(&self.binary),
        };
        command.args(args).current_dir(&self.project).env_clear().envs(self.environment());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program with these arguments and nothing on standard input.
    pub fn run(&self, args: &[&str]) -> RunOutput {
        finish(self.command(args), b"")
    }

    /// Runs the program with something on standard input.
    pub fn run_with(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> RunOutput {
        let mut command = self.command(args);
        command.stdin(Stdio::piped());
        finish(command, stdin.as_ref())
    }

    /// All journals, oldest first.
    pub fn journals(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let Ok(projects) = fs::read_dir(self.home().join("projects")) else { return found };
        for project in projects {
            for file in fs::read_dir(project.unwrap().path()).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_some_and(|it| it == "jsonl") {
                    found.push(path);
                }
            }
        }
        found.sort_by_key(|path| path.metadata().unwrap().modified().unwrap());
        found
    }

    /// The entries of the only journal, as JSON.
    pub fn journal(&self) -> Vec<Value> {
        let journals = self.journals();
        assert_eq!(journals.len(), 1, "{journals:?}");
        crate::check::journal(&journals[0])
    }

    /// What the model was sent, request by request.
    pub fn requests(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.home().join("requests.jsonl")).unwrap_or_default();
        // A kill tears this file where it may not tear a journal: it is written without `disk`, and the kernel gives
        // up a long write between two pages. Half a line is passed over; anything else that is no JSON is a failure.
        let parsed = text.lines().map(serde_json::from_str);
        let torn = |line: &serde_json::Result<Value>| line.as_ref().is_err_and(|error| error.is_eof());
        parsed.filter(|line| !torn(line)).map(Result::unwrap).collect()
    }

    /// Checks everything that must hold after any run: requests, journals, and that the planted key is nowhere.
    pub fn check(&self) {
        crate::check::requests(&self.requests());
        for journal in self.journals() {
            crate::check::journal(&journal);
        }
        self.no_key_below(&self.root());
    }

    fn no_key_below(&self, folder: &Path) {
        for path in tree::entries(folder) {
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                self.no_key_below(&path);
            } else if kind.is_file() && path != self.binary {
                let bytes = fs::read(&path).unwrap_or_default();
                let key = PLANTED_KEY.as_bytes();
                assert!(!bytes.windows(key.len()).any(|it| it == key), "the key is in {}", path.display());
            }
        }
    }

    /// Replaces what differs from machine to machine.
    pub fn tidy(&self, text: &str) -> String {
        let project = String::from_utf8_lossy(self.project.as_os_str().as_bytes()).into_owned();
        let text = text.replace(&project, "[PROJECT]");
        let text = text.replace(&self.home().display().to_string(), "[HOME]");
        let text = text.replace(&self.root().display().to_string(), "[ROOT]");
        let mut text = text;
        for (pattern, shown) in [
            (r#"("(?:duration_ms|duration_api_ms|took_ms|model_ms)":)\d+"#, "${1}0"),
            (r"\[HOME\]/projects/[^/]+/", "[HOME]/projects/[KEY]/"),
            (r"\d{4}-\d\d-\d\d \d\d:\d\d", "[WHEN]"),
            (r"decisions in \d+ ms", "decisions in 0 ms"),
            // Whether a call takes over a second is the machine's business.
            (r#"(?m)^\{[^\n]*"type":"tool_progress"[^\n]*\}\n"#, ""),
        ] {
            text = regex::Regex::new(pattern).unwrap().replace_all(&text, shown).into_owned();
        }
        text
    }
}

impl Drop for Lab {
    /// The folder is removed with everything in it, closed folders too.
    fn drop(&mut self) {
        tree::open_up(self.root.path());
    }
}

/// A key that is set in every run and must turn up nowhere.
pub const PLANTED_KEY: &str = "sk-ant-planted-0123456789";

/// Feeds and awaits a command.
pub(crate) fn finish(mut command: Command, stdin: &[u8]) -> RunOutput {
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    if let Some(mut pipe) = child.stdin.take() {
        // A program that ends without reading everything is what some tests want.
        let _ = pipe.write_all(stdin);
    }
    let output = child.wait_with_output().unwrap();
    RunOutput {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code(),
    }
}
