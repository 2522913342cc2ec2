//! A terminal to play on: a window of tmux that nobody looks at.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::run::XtaskResult;

/// How long something is waited for that should come.
const TIMEOUT: Duration = Duration::from_secs(60);
/// A question takes no keys that were typed before it could be read.
const SETTLE_TIME: Duration = Duration::from_millis(600);

/// The terminal.
pub(super) struct TmuxWindow {
    name: String,
}

impl TmuxWindow {
    /// Starts a program in a window of this size, with an environment of its own.
    pub(super) fn open(
        size: (usize, usize),
        folder: &Path,
        env: &[(&str, &str)],
        command: &str,
    ) -> XtaskResult<Self> {
        let window = Self { name: format!("forelook-picture-{}", std::process::id()) };
        let (columns, rows) = (size.0.to_string(), size.1.to_string());
        let mut tmux = window.tmux();
        tmux.args(["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows]);
        for (name, value) in env {
            tmux.args(["-e", &format!("{name}={value}")]);
        }
        tmux.arg(command)
            .current_dir(folder)
            .env_remove("NO_COLOR")
            .env("SHELL", "/bin/sh")
            .env("LC_ALL", "C.UTF-8");
        answer(&mut tmux)?;
        answer(window.tmux().args(["set-option", "-g", "status", "off"]))?;
        Ok(window)
    }

    fn tmux(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.name]).env_remove("TMUX");
        tmux
    }

    /// The screen as it is, without colours.
    fn text(&self) -> XtaskResult<String> {
        answer(self.tmux().args(["capture-pane", "-p"]))
    }

    /// Waits until the screen shows this, and no more for a moment: a picture of something half drawn is no picture.
    pub(super) fn wait_for(&self, cue: &str) -> XtaskResult {
        let begin = Instant::now();
        loop {
            let text = self.text()?;
            if text.contains(cue) {
                std::thread::sleep(SETTLE_TIME);
                if self.text()? == text {
                    return Ok(());
                }
            }
            if begin.elapsed() > TIMEOUT {
                return Err(format!("The demo did not show `{cue}`. Its screen:\n{text}"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses keys, by tmux's names or as they are written.
    pub(super) fn keys(&self, keys: &[&str]) -> XtaskResult {
        for key in keys {
            answer(self.tmux().args(["send-keys", key]))?;
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    /// The screen with its colours.
    pub(super) fn capture(&self) -> XtaskResult<String> {
        answer(self.tmux().args(["capture-pane", "-p", "-e"]))
    }
}

impl Drop for TmuxWindow {
    fn drop(&mut self) {
        let _ = self.tmux().arg("kill-server").output();
    }
}

fn answer(command: &mut Command) -> XtaskResult<String> {
    let output = command.output().map_err(|error| format!("Cannot start tmux: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("tmux: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
