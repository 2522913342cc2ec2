//! The loop on a real terminal, with a session that answers when it is let, or never. The test starts itself on one, and is
//! then the program.
#![expect(
    clippy::disallowed_methods,
    reason = "which of the two it is must be told somehow, and when to go on"
)]

mod program;

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Long enough for the slowest machine; it only passes when a test fails.
const DEADLINE: Duration = Duration::from_secs(60);
const SHIFT_TAB: &str = "\x1b[Z";
const CTRL_C: &str = "\x03";

/// The program on a terminal.
struct Stage {
    master: Box<dyn MasterPty + Send>,
    input: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    terminal: vt100::Parser,
    child: Box<dyn Child + Send + Sync>,
    /// The session answers once this is there.
    gate: tempfile::TempDir,
}

impl Stage {
    /// Starts the test of this name as a program that plays this role.
    fn of(test: &str, role: &str) -> Self {
        let gate = tempfile::tempdir().unwrap();
        let pty = native_pty_system().openpty(PtySize { rows: 24, cols: 80, ..PtySize::default() }).unwrap();
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args(["--exact", &format!("run::tests::{test}"), "--nocapture"]);
        command.env(program::ROLE, role);
        command.env(program::GATE, gate.path().join("open"));
        let mut reader = pty.master.try_clone_reader().unwrap();
        let child = pty.slave.spawn_command(command).unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                let _ = sender.send(bytes[..count].to_vec());
            }
        });
        let input = pty.master.take_writer().unwrap();
        let terminal = vt100::Parser::new(24, 80, 0);
        let mut stage = Self { master: pty.master, input, output, terminal, child, gate };
        stage.sees("─────");
        stage
    }

    fn types(&mut self, bytes: &str) -> &mut Self {
        self.input.write_all(bytes.as_bytes()).unwrap();
        self.input.flush().unwrap();
        self
    }

    fn screen(&self) -> String {
        self.terminal.screen().contents()
    }

    fn sees(&mut self, text: &str) -> &mut Self {
        let began = Instant::now();
        while !self.screen().contains(text) {
            assert!(began.elapsed() < DEADLINE, "There never was {text:?}:\n{}", self.screen());
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.terminal.process(&bytes);
            }
        }
        self
    }

    fn shows_no(&mut self, text: &str) -> &mut Self {
        assert!(!self.screen().contains(text), "{text:?} is there:\n{}", self.screen());
        self
    }

    /// The session answers from now on.
    fn allows(&mut self) -> &mut Self {
        std::fs::write(self.gate.path().join("open"), "").unwrap();
        self
    }

    /// The program ends, and has said this of the commands that its session heard.
    fn ends_with(mut self, heard: &str) {
        self.sees(heard);
        let _ = &self.master;
        assert!(self.child.wait().unwrap().success(), "{}", self.screen());
    }
}

#[test]
fn keys_are_seen_while_a_command_waits_and_commands_keep_their_order() {
    const NAME: &str = "keys_are_seen_while_a_command_waits_and_commands_keep_their_order";
    if program::plays() {
        return;
    }
    let mut stage = Stage::of(NAME, "late");
    stage.sees("plan mode").types(SHIFT_TAB).types("meanwhile").sees("> meanwhile");
    stage.types("\r").types("and on").sees("> and on").sees("plan mode");
    stage.allows().sees("accept edits").sees("> meanwhile");
    stage.types(CTRL_C).types(CTRL_C).sees("Ctrl+C again").types(CTRL_C);
    stage.ends_with("heard: CycleMode Prompt Close");
}

#[test]
fn a_session_that_never_answers_can_be_left() {
    const NAME: &str = "a_session_that_never_answers_can_be_left";
    if program::plays() {
        return;
    }
    let mut stage = Stage::of(NAME, "never");
    stage.types(SHIFT_TAB).types("words").sees("> words").types("\x1b").sees("Esc again to clear");
    stage.types(CTRL_C).types(CTRL_C).sees("Press Ctrl+C again to exit").types(CTRL_C);
    stage.ends_with("heard: CycleMode .");
}

#[test]
fn a_session_from_before_is_written_in_while_it_is_read() {
    const NAME: &str = "a_session_from_before_is_written_in_while_it_is_read";
    if program::plays() {
        return;
    }
    let mut stage = Stage::of(NAME, "resumed");
    stage.types("meanwhile").sees("> meanwhile").shows_no("long ago").shows_no("just now");
    stage.allows().sees("> just now");
    let screen = stage.screen();
    let count = |words: &str| screen.matches(words).count();
    assert_eq!((count("> long ago"), count("> just now"), count("> meanwhile")), (1, 1, 1), "{screen}");
    assert!(screen.find("long ago") < screen.find("just now"), "{screen}");
    stage.types(CTRL_C).types(CTRL_C).sees("Ctrl+C again").types(CTRL_C);
    stage.ends_with("heard: Close");
}

#[test]
fn what_is_typed_behind_a_command_that_leaves_is_not_lost() {
    const NAME: &str = "what_is_typed_behind_a_command_that_leaves_is_not_lost";
    if program::plays() {
        return;
    }
    let mut stage = Stage::of(NAME, "typed");
    stage.types("/clear\r/clear\rand on").sees("session 3").sees("> and on");
    stage.types(CTRL_C).types(CTRL_C).sees("Ctrl+C again").types(CTRL_C);
    stage.ends_with("heard: Close Close Close");
}
