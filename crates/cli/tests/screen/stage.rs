//! The real program on a real pseudo-terminal, with an emulator behind it. What is done and seen there is a line each:
//!
//! ```ignore
//! play(SCRIPT).on(80, 24).types("fix it").key(ENTER).sees("Done.").snapshot("done");
//! ```
//!
//! Whatever is waited for is waited for until it is there. No step sleeps for a fixed time.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use forelook_testkit::Lab;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

use super::watch::Watch;

/// Long enough for the slowest machine; it only passes when a test fails.
const DEADLINE: Duration = Duration::from_secs(30);
const SCROLLBACK: usize = 10_000;

/// What is played, before it begins.
pub(crate) struct Play {
    pub(crate) lab: Lab,
    program: Vec<String>,
    /// Whether the program itself is started on the terminal.
    directly: bool,
    removed: Vec<&'static str>,
}

/// A play with this script for the model.
pub(crate) fn play(script: &str) -> Play {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(script);
    let program = vec![lab.binary().display().to_string()];
    Play { lab, program, directly: true, removed: Vec::new() }
}

impl Play {
    /// With a file in the project.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        self.lab.file(path, text);
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

    /// Without a variable of the environment.
    pub(crate) fn without(mut self, variable: &'static str) -> Self {
        self.removed.push(variable);
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
        command.env("TERM", "xterm-256color");
        // Without a name that is as long as the machine's temporary folder.
        command.env("FORELOOK_MODEL", "scripted/../script.toml");
        command.env("FORELOOK", self.lab.binary());
        for name in &self.removed {
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
            stage.sees_a_frame();
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

fn size(width: u16, height: u16) -> PtySize {
    PtySize { rows: height, cols: width, pixel_width: 0, pixel_height: 0 }
}

/// Whether the terminal takes what the program writes.
#[derive(Default)]
struct Tap {
    shut: Mutex<bool>,
    gone: AtomicBool,
    turned: Condvar,
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

/// The program at work.
pub(crate) struct Stage {
    pub(crate) lab: Lab,
    master: Option<Box<dyn MasterPty + Send>>,
    input: Option<Box<dyn Write + Send>>,
    output: Receiver<Vec<u8>>,
    tap: Arc<Tap>,
    pub(crate) terminal: vt100::Parser<Watch>,
    /// Every byte that was written.
    pub(crate) raw: Vec<u8>,
    child: Box<dyn Child + Send + Sync>,
}

impl Stage {
    /// Types text, all at once.
    pub(crate) fn types(&mut self, text: &str) -> &mut Self {
        self.key(text)
    }

    /// Presses a key, named by what a terminal sends for it.
    pub(crate) fn key(&mut self, bytes: &str) -> &mut Self {
        let input = self.input.as_mut().expect("the terminal is there");
        input.write_all(bytes.as_bytes()).unwrap();
        input.flush().unwrap();
        self
    }

    /// Pastes text.
    pub(crate) fn pastes(&mut self, text: &str) -> &mut Self {
        // As terminals do it: line ends come as the Enter key sends them.
        self.key(&format!("\x1b[200~{}\x1b[201~", text.replace('\n', "\r")))
    }

    /// Types nothing for so long that the next key counts as an answer. The one step that needs time: it is what the
    /// program asks for, and it is the same on every machine.
    pub(crate) fn calm(&mut self) -> &mut Self {
        std::thread::sleep(Duration::from_millis(400));
        self
    }

    /// Waits until the program has the terminal and has drawn.
    pub(crate) fn sees_a_frame(&mut self) -> &mut Self {
        self.until("a first frame", |stage| {
            stage.terminal.callbacks().keyboard > 0 && stage.screen().contains('─')
        })
    }

    /// Waits until the screen shows this.
    pub(crate) fn sees(&mut self, text: &str) -> &mut Self {
        self.until(&format!("{text:?} on the screen"), |stage| stage.screen().contains(text))
    }

    /// Waits until the screen no longer shows this.
    pub(crate) fn sees_no_more(&mut self, text: &str) -> &mut Self {
        self.until(&format!("no more {text:?} on the screen"), |stage| !stage.screen().contains(text))
    }

    /// Waits until this is on the screen or above it.
    pub(crate) fn sees_above(&mut self, text: &str) -> &mut Self {
        self.until(&format!("{text:?} on the screen or above"), |stage| stage.all().contains(text))
    }

    /// The screen does not show this now. Only after something that comes later was seen does that mean anything.
    pub(crate) fn shows_no(&mut self, text: &str) -> &mut Self {
        assert!(!self.all().contains(text), "{text:?} is there:\n{}", self.all());
        self
    }

    /// Waits until a file of the project is there and says this.
    pub(crate) fn file_says(&mut self, path: &str, text: &str) -> &mut Self {
        let path = self.lab.project().join(path);
        self.until(&format!("{text:?} in {}", path.display()), |_| {
            std::fs::read_to_string(&path).is_ok_and(|it| it.contains(text))
        })
    }

    /// Waits until the journal says this.
    pub(crate) fn records(&mut self, text: &str) -> &mut Self {
        self.until(&format!("{text:?} in the journal"), |stage| {
            let journals = stage.lab.journals();
            journals.iter().any(|path| std::fs::read_to_string(path).is_ok_and(|it| it.contains(text)))
        })
    }

    /// Waits until this is so.
    pub(crate) fn until(&mut self, what: &str, mut is_so: impl FnMut(&mut Self) -> bool) -> &mut Self {
        let began = Instant::now();
        loop {
            self.take_all();
            // A frame is looked at when it is whole.
            if !self.terminal.callbacks().frame && is_so(self) {
                return self;
            }
            assert!(began.elapsed() < DEADLINE, "There never was {what}:\n{}", self.all());
            match self.output.recv_timeout(Duration::from_millis(10)) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => {}
                // It has ended; what is waited for may be elsewhere.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    fn take_all(&mut self) {
        while let Ok(bytes) = self.output.try_recv() {
            self.take(&bytes);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.terminal.process(bytes);
    }

    /// Gives the window another size.
    pub(crate) fn resize(&mut self, width: u16, height: u16) -> &mut Self {
        self.take_all();
        let (row, _) = self.terminal.screen().cursor_position();
        // The emulator cuts rows below; terminals move the others up, so that the cursor stays.
        let up = usize::from((row + 1).saturating_sub(height));
        if up > 0 {
            let moved = format!("\x1b7\x1b[999;1H{}\x1b8\x1b[{up}A", "\n".repeat(up));
            self.terminal.process(moved.as_bytes());
        }
        self.terminal.screen_mut().set_size(height, width);
        self.master.as_ref().expect("the terminal is there").resize(size(width, height)).unwrap();
        self
    }

    /// The terminal takes nothing from now on.
    pub(crate) fn stops(&mut self) -> &mut Self {
        *self.tap.shut.lock().unwrap() = true;
        self
    }

    /// It takes things again.
    pub(crate) fn goes_on(&mut self) -> &mut Self {
        *self.tap.shut.lock().unwrap() = false;
        self.tap.turned.notify_all();
        self
    }

    /// Takes the terminal away, as closing its window does. It is gone when something more was written to it.
    pub(crate) fn closes(&mut self) -> &mut Self {
        self.tap.gone.store(true, Ordering::Release);
        self.goes_on();
        self.input = None;
        self.master = None;
        self
    }

    /// Sends a signal to the program.
    pub(crate) fn signal(&mut self, signal: rustix::process::Signal) -> &mut Self {
        let id = i32::try_from(self.child.process_id().expect("it runs")).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(id).unwrap(), signal).unwrap();
        self
    }

    /// Waits for the end of the program.
    pub(crate) fn ends(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            self.take_all();
            if let Some(status) = self.child.try_wait().unwrap() {
                // What it wrote last.
                while let Ok(bytes) = self.output.recv_timeout(DEADLINE) {
                    self.take(&bytes);
                }
                return status;
            }
            assert!(began.elapsed() < DEADLINE, "It does not end:\n{}", self.all());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits for the end of the program without taking what it writes.
    pub(crate) fn ends_while_stopped(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < DEADLINE, "It does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// It ends with this code and leaves the terminal as it was.
    pub(crate) fn leaves(&mut self, code: u32) -> &mut Self {
        let status = self.ends();
        assert_eq!(status.exit_code(), code, "{status:?}\n{}", self.all());
        self.is_restored();
        self
    }

    /// The terminal is as a shell wants it.
    pub(crate) fn is_restored(&mut self) -> &mut Self {
        self.take_all();
        assert!(!self.is_raw(), "the terminal is raw:\n{}", self.all());
        let (screen, watch) = (self.terminal.screen(), self.terminal.callbacks());
        let left = (screen.hide_cursor(), screen.bracketed_paste(), screen.alternate_screen());
        assert_eq!(left, (false, false, false), "cursor hidden, pastes marked, other screen");
        assert_eq!((watch.keyboard, watch.frame, watch.focus), (0, false, false), "{watch:?}");
        self
    }

    /// Whether keys come one by one and are not shown.
    pub(crate) fn is_raw(&self) -> bool {
        use rustix::termios::LocalModes as Local;
        let modes = self.master.as_ref().and_then(|it| it.get_termios()).expect("a terminal").local_flags;
        let cooked = (Local::ICANON | Local::ECHO | Local::ISIG).bits();
        modes.bits() & cooked != cooked
    }

    /// What is on the screen, row by row.
    pub(crate) fn screen(&self) -> String {
        let screen = self.terminal.screen();
        let rows: Vec<String> = screen.rows(0, screen.size().1).map(|it| it.trim_end().to_owned()).collect();
        rows.join("\n")
    }

    /// What is above the screen and on it, without blank rows at its end.
    pub(crate) fn all(&mut self) -> String {
        let screen = self.terminal.screen_mut();
        let width = screen.size().1;
        screen.set_scrollback(usize::MAX);
        let mut rows = Vec::new();
        for offset in (1..=screen.scrollback()).rev() {
            screen.set_scrollback(offset);
            rows.extend(screen.rows(0, width).next());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, width));
        rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// The screen must be as it was accepted.
    pub(crate) fn snapshot(&mut self, name: &str) -> &mut Self {
        let screen = self.screen();
        self.compare(name, &screen)
    }

    /// The screen and all that is above it must be as it was accepted.
    pub(crate) fn snapshot_all(&mut self, name: &str) -> &mut Self {
        let all = self.all();
        self.compare(name, &all)
    }

    fn compare(&mut self, name: &str, text: &str) -> &mut Self {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, text));
        self
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.goes_on();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
