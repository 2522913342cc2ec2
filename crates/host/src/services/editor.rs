//! The person's editor: found once, opened for a plan or a prompt.
//!
//! `VISUAL` counts, then `EDITOR`, then the editor in whose terminal we are, then what nearly every machine has: `nano`,
//! which says how to leave it, before `vi`.

mod known;
mod words;

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forelook_protocol::{AbsPath, EditorInfo, TerminalLender};
use forelook_sandbox::{
    ChildEnv, ChildExit, Program, find_program, run_in_terminal, run_without_terminal, start_detached,
};
use forelook_settings::Env;

use known::EditorSurface;

/// What helps if there is no editor that can be started.
const NAME_ONE: &str = "Set `VISUAL` or `EDITOR` to choose an editor";
/// What is taken if none is named.
const USUAL: [&str; 2] = ["nano", "vi"];

/// The person's editor, if there is one.
pub(super) struct UserEditor {
    choice: Option<EditorChoice>,
    env: ChildEnv,
    folder: AbsPath,
    /// Whom the terminal is borrowed from, if somebody draws on it.
    terminal: Option<Arc<dyn TerminalLender>>,
}

/// An editor, or what stands where one should be named.
#[derive(Debug, PartialEq, Eq)]
enum EditorChoice {
    Command { program: OsString, args: Vec<OsString>, surface: EditorSurface },
    Unreadable { variable: &'static str, why: &'static str },
}

impl UserEditor {
    /// Looks for it. It runs in `folder` with this environment, which has its terminal: unlike what the model runs, it is for
    /// a person's eyes.
    pub(super) fn find(
        env: &Env,
        child: ChildEnv,
        folder: &AbsPath,
        terminal: Option<Arc<dyn TerminalLender>>,
    ) -> Self {
        let named = [("VISUAL", env.visual.as_deref()), ("EDITOR", env.editor.as_deref())];
        Self { choice: choose(named, &child), env: child, folder: folder.clone(), terminal }
    }

    /// What would be opened, if an editor is known.
    pub(super) fn known(&self) -> Option<EditorInfo> {
        Some(match self.choice.as_ref()? {
            EditorChoice::Command { program, surface, .. } => EditorInfo {
                name: known::name(&file_name(program)).to_owned(),
                in_terminal: *surface == EditorSurface::Terminal,
            },
            EditorChoice::Unreadable { variable, .. } => {
                EditorInfo { name: format!("${variable}"), in_terminal: false }
            }
        })
    }

    /// Lets the person edit a file, and waits until they are done.
    pub(super) async fn edit(&self, path: AbsPath) -> Result<(), String> {
        let (command, surface) = self.command(&path)?;
        match (&self.choice, surface) {
            (_, EditorSurface::Terminal) => self.in_terminal(&command).await,
            (Some(EditorChoice::Command { program, args, .. }), EditorSurface::Window) => {
                if let Some(flag) = known::missing_wait(&file_name(program), args) {
                    let name = Path::new(program).display();
                    let other = match flag {
                        "" => "an editor that does, such as `code --wait`".to_owned(),
                        flag => format!("`{name} {flag}`"),
                    };
                    return Err(format!(
                        "`{name}` does not wait until you close the file\nSet `VISUAL` to {other}"
                    ));
                }
                check_ending(run_without_terminal(&command).await.map(Some), &command)
            }
            (_, EditorSurface::Window) => Ok(()),
        }
    }

    fn program(&self, program: &OsStr) -> Result<PathBuf, String> {
        let path = Path::new(program);
        if path.components().count() > 1 {
            return Ok(self.folder.join(path).as_path().to_path_buf());
        }
        let found = program.to_str().and_then(|name| find_program(name, &self.env));
        found.ok_or_else(|| format!("`{}` was not found on the PATH\n{NAME_ONE}", path.display()))
    }

    /// What is to be started for a file, and where.
    fn command(&self, path: &AbsPath) -> Result<(Program, EditorSurface), String> {
        let (program, args, surface) = match &self.choice {
            Some(EditorChoice::Command { program, args, surface }) => (program, args, *surface),
            Some(EditorChoice::Unreadable { variable, why }) => {
                return Err(format!("`{variable}` is invalid: {why}\n{NAME_ONE}"));
            }
            None => return Err(format!("no editor was found\n{NAME_ONE}")),
        };
        let mut command = Program::new(self.program(program)?, self.env.clone(), self.folder.as_path());
        command.args.extend(args.iter().cloned());
        command.args.push(path.as_path().into());
        Ok((command, surface))
    }

    /// Opens a file; done when the editor has it, or, if it needs the terminal, when it has ended.
    pub(super) async fn open(&self, path: AbsPath) -> Result<(), String> {
        let (command, surface) = self.command(&path)?;
        match surface {
            EditorSurface::Window => check_ending(start_detached(&command).await, &command),
            EditorSurface::Terminal => self.in_terminal(&command).await,
        }
    }

    /// Runs an editor in our terminal, which nobody else draws on meanwhile.
    async fn in_terminal(&self, command: &Program) -> Result<(), String> {
        if !at_terminal() {
            return Err("it needs a terminal, but standard input or output is not one".to_owned());
        }
        let _loan = match &self.terminal {
            None => None,
            Some(terminal) => Some(terminal.borrow().await.ok_or("the terminal is gone")?),
        };
        check_ending(run_in_terminal(command).await.map(Some), command)
    }
}

/// What came of an editor; one without an end goes on.
fn check_ending(ending: io::Result<Option<ChildExit>>, command: &Program) -> Result<(), String> {
    match ending {
        Ok(None | Some(ChildExit::Exited(0))) => Ok(()),
        Ok(Some(ending)) => Err(ending.to_string()),
        Err(error) => Err(format!("cannot start `{}`: {error}", command.path.display())),
    }
}

fn at_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// The first of these that names something; else the editor that the environment tells of, or a usual one, if it can be
/// started.
fn choose(named: [(&'static str, Option<&OsStr>); 2], env: &ChildEnv) -> Option<EditorChoice> {
    for (variable, command) in named {
        match command.map(|command| words::split(command.as_bytes())) {
            Some(Err(why)) => return Some(EditorChoice::Unreadable { variable, why }),
            Some(Ok(words)) => match command_of(words, env) {
                None => {}
                choice => return choice,
            },
            None => {}
        }
    }
    let found = known::hinted(env).chain(USUAL).find(|name| find_program(name, env).is_some())?;
    command_of(vec![found.into()], env)
}

fn command_of(words: Vec<OsString>, env: &ChildEnv) -> Option<EditorChoice> {
    let mut words = words.into_iter();
    let program = words.next().filter(|program| !program.is_empty())?;
    let args: Vec<OsString> = words.collect();
    let surface = known::surface(&file_name(&program), &args, env);
    Some(EditorChoice::Command { program, args, surface })
}

fn file_name(program: &OsStr) -> String {
    Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out their programs by hand")]
mod tests;
