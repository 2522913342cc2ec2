//! What to start: a program, its arguments, its environment, its working directory and its streams.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::pipes::{ChildEnds, Pipes};
use crate::spawn::{ChildStreams, SessionLeader};
use crate::{ChildEnv, Fence, MODEL_MARK};

/// What a child reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ChildInput {
    /// Nothing: the end of the file at once, so that a program that asks does not wait.
    #[default]
    Null,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
}

/// How a child's two outputs come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ChildOutput {
    /// In one pipe: what was written first comes first.
    #[default]
    Merged,
    /// Apart.
    Separate,
}

/// Who a program runs for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Caller {
    /// A model, or we on its behalf. It and all that comes from it are marked ([`runs_for_model`](crate::runs_for_model)),
    /// and not even as root can they look into processes that are not theirs, or get rid of the mark.
    #[default]
    Model,
    /// A model that nothing holds. It is marked, but as root keeps all rights.
    FreeModel,
    /// The person: a line that they typed, or a command from their settings. It has all our rights.
    Person,
}

/// Something to start.
#[derive(Debug, Clone)]
pub struct Program {
    /// The file to run; [`find_program`] looks a bare name up.
    pub path: PathBuf,
    /// Its arguments, without its own name.
    pub args: Vec<OsString>,
    /// Its whole environment.
    pub env: ChildEnv,
    /// Where it runs.
    pub folder: PathBuf,
    /// What it reads.
    pub input: ChildInput,
    /// How its outputs come.
    pub output: ChildOutput,
    /// The number of one more descriptor that it may write to; what it writes there comes apart. The end is not waited
    /// for: what it started may hold it for ever.
    pub side: Option<i32>,
    /// The fence that it runs in.
    pub fence: Option<Arc<Fence>>,
    /// Who it runs for. What runs in a fence runs for a model.
    pub caller: Caller,
}

/// A program that began.
pub(crate) struct StartedProgram {
    pub(crate) leader: SessionLeader,
    pub(crate) pipes: Pipes,
    /// Where its input is written to, if it has one.
    pub(crate) input: Option<io::PipeWriter>,
}

impl Program {
    /// A program without arguments that reads nothing and whose outputs are merged.
    pub fn new(path: impl Into<PathBuf>, env: ChildEnv, folder: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            args: Vec::new(),
            env,
            folder: folder.into(),
            input: ChildInput::default(),
            output: ChildOutput::default(),
            side: None,
            fence: None,
            caller: Caller::default(),
        }
    }

    /// This program with one more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// This program, run for somebody else.
    #[must_use]
    pub fn run_for(self, caller: Caller) -> Self {
        Self { caller, ..self }
    }

    /// The variables that it gets as a child of ours (`user_programs.rs` is for the person's alone). What runs for a model is told so here, and nowhere else: whoever makes an environment
    /// cannot forget it, nor give it to a program of the person's. That keeps what we were given ourselves: if we run for a
    /// model, so do the programs of our person.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let for_model = self.fence.is_some() || self.caller != Caller::Person;
        let mark = for_model.then(|| (OsStr::new(MODEL_MARK), OsStr::new("1")));
        self.env.iter().filter(move |(name, _)| !for_model || *name != MODEL_MARK).chain(mark)
    }

    /// Whether the path is one, and no bare name.
    pub(crate) fn has_path(&self) -> bool {
        self.path.as_os_str().as_encoded_bytes().contains(&b'/')
    }

    /// Starts it.
    pub(crate) fn start(&self) -> io::Result<StartedProgram> {
        if !self.has_path() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the program's path is a bare name"));
        }
        let (pipes, ChildEnds { stdout, stderr, side }) = Pipes::new(self.output, self.side.is_some())?;
        let (stdin, input) = match self.input {
            ChildInput::Null => (fs::File::open("/dev/null")?.into(), None),
            ChildInput::Bytes(_) => {
                let (read, write) = io::pipe()?;
                (OwnedFd::from(read), Some(write))
            }
        };
        // The child's ends are closed here when they go: only then can ours come to their end.
        let streams = ChildStreams { stdin, stdout, stderr, side: side.zip(self.side) };
        let leader = match &self.fence {
            Some(fence) => fence.start(self, &streams)?,
            None => SessionLeader::start(self, &streams)?,
        };
        Ok(StartedProgram { leader, pipes, input })
    }
}

/// Finds a program by its bare name on the PATH of `env`, then where systems keep theirs.
pub fn find_program(name: &str, env: &ChildEnv) -> Option<PathBuf> {
    look_for(name, env, |_| true)
}

/// The same for a program that we start by ourselves: never one from below `folder`, where commands may have put it.
pub fn find_program_outside(name: &str, env: &ChildEnv, folder: &Path) -> Option<PathBuf> {
    look_for(name, env, |place| !place.starts_with(folder))
}

fn look_for(name: &str, env: &ChildEnv, may: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let path = env.get("PATH").unwrap_or(OsStr::new(""));
    let standard = ["/usr/bin", "/bin", "/usr/local/bin"].map(PathBuf::from);
    std::env::split_paths(path)
        // A relative folder on PATH would run whatever lies in the project.
        .filter(|folder| folder.is_absolute() && may(folder))
        .chain(standard)
        .map(|folder| folder.join(name))
        .find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_on_absolute_folders_only() {
        let mut env = ChildEnv::default();
        assert!(find_program("sh", &env).is_some());
        env.set("PATH", ".:/nowhere");
        assert!(find_program("sh", &env).unwrap().is_absolute());
        assert_eq!(find_program("no-such-program-here", &env), None);
    }

    #[test]
    fn a_program_of_our_own_is_none_from_the_project() {
        let project = tempfile::tempdir().unwrap();
        let bin = project.path().join(".venv/bin");
        fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink("/bin/sh", bin.join("sh")).unwrap();
        let mut env = ChildEnv::default();
        env.set("PATH", &bin);
        assert_eq!(find_program("sh", &env), Some(bin.join("sh")));
        assert!(!find_program_outside("sh", &env, project.path()).unwrap().starts_with(project.path()));
    }
}
