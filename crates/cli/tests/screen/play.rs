//! What a test sets up before the program begins.

use std::ffi::OsString;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};

use forelook_testkit::Lab;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::stage::Stage;
use crate::watch::Watch;

const SCROLLBACK: usize = 10_000;

/// What is played, before it begins.
pub(crate) struct Play {
    pub(crate) lab: Arc<Lab>,
    program: Vec<String>,
    /// Variables of the environment, beside those of every test.
    variables: Vec<(&'static str, OsString)>,
    unset: Vec<&'static str>,
    /// Whether the program itself is started on the terminal.
    directly: bool,
}

/// A play with this script for the model.
pub(crate) fn play(script: &str) -> Play {
    let play = again(&Arc::new(Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(script)));
    // The tip of the first session comes and goes by the clock.
    play.at_home("state.json", r#"{"sessions": 1, "tipShown": 1}"#)
}

/// The demo, as who has no key gets it.
pub(crate) fn demo() -> Play {
    let play = play("");
    let tmp = play.lab.root().join("tmp");
    std::fs::create_dir(&tmp).unwrap();
    play.without("FORELOOK_MODEL").without("ANTHROPIC_API_KEY").set("TMPDIR", tmp).with(&["demo"])
}

/// Another run where one was before.
pub(crate) fn again(lab: &Arc<Lab>) -> Play {
    let program = vec![lab.binary().display().to_string()];
    Play { lab: Arc::clone(lab), program, variables: Vec::new(), unset: Vec::new(), directly: true }
}

impl Play {
    /// With a file in the project.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        self.lab.file(path, text);
        self
    }

    /// With a file in the program's home.
    pub(crate) fn at_home(self, path: &str, text: &str) -> Self {
        std::fs::write(self.lab.home().join(path), text).unwrap();
        self
    }

    /// With a program of the person's own beside the project.
    pub(crate) fn own_program(self, name: &str, text: &str) -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.lab.root().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// With a variable of the environment.
    pub(crate) fn set(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Without a variable that tests have.
    pub(crate) fn without(mut self, name: &'static str) -> Self {
        self.unset.push(name);
        self
    }

    /// Nothing is waited for when it begins.
    pub(crate) fn at_once(mut self) -> Self {
        self.directly = false;
        self
    }

    /// With arguments for the program.
    pub(crate) fn with(mut self, args: &[&str]) -> Self {
        self.program.extend(args.iter().map(|it| (*it).to_owned()));
        self
    }

    /// Another program, which starts ours; `$FORELOOK` is where it is.
    pub(crate) fn by(mut self, program: &[&str]) -> Self {
        self.program = program.iter().map(|it| (*it).to_owned()).collect();
        self.directly = false;
        self
    }

    /// Begins on a terminal of this size, and waits for the first frame.
    pub(crate) fn on(self, width: u16, height: u16) -> Stage {
        let pty = native_pty_system().openpty(size(width, height)).unwrap();
        let mut command = CommandBuilder::new(&self.program[0]);
        command.args(&self.program[1..]);
        command.cwd(self.lab.project());
        command.env_clear();
        for (name, value) in self.lab.environment() {
            command.env(name, value);
        }
        // The emulator cuts rows that are too long for a narrower window, as xterm does and says so.
        command.env("TERM", "xterm-256color");
        command.env("XTERM_VERSION", "XTerm(390)");
        // Without a name that is as long as the machine's temporary folder.
        command.env("FORELOOK_MODEL", "scripted/../script.toml");
        command.env("FORELOOK", self.lab.binary());
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        for name in &self.unset {
            command.env_remove(name);
        }
        let child = pty.slave.spawn_command(command).unwrap();
        let terminal = vt100::Parser::new_with_callbacks(height, width, SCROLLBACK, Watch::default());
        let tap = Arc::new(Tap::default());
        let output = read(pty.master.try_clone_reader().unwrap(), Arc::clone(&tap));
        let input = Some(pty.master.take_writer().unwrap());
        let master = Some(pty.master);
        let mut stage = Stage { lab: self.lab, master, input, output, tap, terminal, raw: Vec::new(), child };
        if self.directly {
            // Keys that come before would be shown by the terminal itself.
            stage.is_greeted();
        }
        stage
    }
}

/// Tries all cases at once: most of the time they wait.
pub(crate) fn each<T: Sync>(cases: &[T], test: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(|| test(case));
        }
    });
}

pub(crate) fn size(width: u16, height: u16) -> PtySize {
    PtySize { rows: height, cols: width, pixel_width: 0, pixel_height: 0 }
}

/// Whether the terminal takes what the program writes.
#[derive(Default)]
pub(crate) struct Tap {
    pub(crate) shut: Mutex<bool>,
    pub(crate) gone: AtomicBool,
    pub(crate) turned: Condvar,
}

fn read(mut reader: Box<dyn Read + Send>, tap: Arc<Tap>) -> Receiver<Vec<u8>> {
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut piece = [0; 16_384];
        loop {
            drop(tap.turned.wait_while(tap.shut.lock().unwrap(), |shut| *shut).unwrap());
            // Linux says that the other side is gone with an error.
            let Ok(count @ 1..) = reader.read(&mut piece) else { return };
            if tap.gone.load(Ordering::Acquire) {
                return;
            }
            if sender.send(piece[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    output
}
