//! The user's own programs, such as an editor. They are not confined: they get the terminal, or run on their own.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use crate::{ChildExit, Program};

/// How long a program that should live on is watched. One that cannot begin mostly ends before.
const BEGINS_WITHIN: Duration = Duration::from_millis(300);

/// Runs a program in our terminal and waits for its end. `input` and `output` of the program do not count.
///
/// It stays in our process group, as an editor that `git` starts does: so it is in the foreground of the terminal, and
/// Ctrl+Z stops both. Whoever stops waiting leaves it alone: there may be unsaved words in it.
pub async fn run_in_terminal(program: &Program) -> io::Result<ChildExit> {
    let mut command = command(program)?;
    command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    Ok(command.spawn()?.wait().await?.into())
}

/// Starts a program that lives on after us: a group of its own, and nothing of the terminal. Tells how it ended, if that
/// was at once.
pub async fn start_detached(program: &Program) -> io::Result<Option<ChildExit>> {
    let mut command = command(program)?;
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // Dropped, it is reaped by the runtime when it ends, and not killed.
    match timeout(BEGINS_WITHIN, child.wait()).await {
        Ok(status) => Ok(Some(status?.into())),
        Err(_) => Ok(None),
    }
}

/// Runs a program with a window of its own and waits for its end; nothing of the terminal is its. Whoever stops waiting
/// leaves it alone.
pub async fn run_without_terminal(program: &Program) -> io::Result<ChildExit> {
    let mut command = command(program)?;
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command.spawn()?.wait().await?.into())
}

fn command(program: &Program) -> io::Result<Command> {
    if !program.has_path() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the program's path is a bare name"));
    }
    let mut command = Command::new(&program.path);
    command.args(&program.args).env_clear().envs(program.env.iter()).current_dir(&program.folder);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChildEnv, find_program};

    fn shell(line: &str, folder: &std::path::Path) -> Program {
        let env = ChildEnv::default();
        let path = find_program("sh", &env).unwrap();
        Program::new(path, env, folder).arg("-c").arg(line)
    }

    #[tokio::test]
    async fn the_end_is_awaited_and_told() {
        let folder = std::env::temp_dir();
        for (line, ending) in [
            ("exit 0", ChildExit::Exited(0)),
            ("sleep 0.1; exit 3", ChildExit::Exited(3)),
            ("kill -KILL $$", ChildExit::Signalled(9)),
        ] {
            assert_eq!(run_in_terminal(&shell(line, &folder)).await.unwrap(), ending, "{line}");
            assert_eq!(run_without_terminal(&shell(line, &folder)).await.unwrap(), ending, "{line}");
        }
    }

    #[tokio::test]
    async fn what_cannot_start_is_an_error() {
        let missing = Program::new("/no/such/editor", ChildEnv::default(), "/");
        assert_eq!(run_in_terminal(&missing).await.unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(start_detached(&missing).await.unwrap_err().kind(), io::ErrorKind::NotFound);
        let bare = Program::new("sh", ChildEnv::default(), "/");
        assert_eq!(run_in_terminal(&bare).await.unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[tokio::test]
    async fn a_quick_failure_is_told_and_a_long_life_is_not_awaited() {
        let folder = std::env::temp_dir();
        assert_eq!(start_detached(&shell("exit 4", &folder)).await.unwrap(), Some(ChildExit::Exited(4)));
        assert_eq!(start_detached(&shell("sleep 5", &folder)).await.unwrap(), None);
    }

    /// It outlives whoever started it, runtime and all.
    #[test]
    fn a_detached_program_lives_on() {
        let name = format!("forelook-detached-{}", std::process::id());
        let mark = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&mark);
        let line = format!("sleep 0.8; echo here > {}", mark.display());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let began = runtime.block_on(start_detached(&shell(&line, &std::env::temp_dir())));
        assert_eq!(began.unwrap(), None);
        drop(runtime);
        let there = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            mark.exists()
        });
        let _ = std::fs::remove_file(&mark);
        assert!(there);
    }
}
