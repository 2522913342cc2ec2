//! The real program on a real pseudo-terminal, with an emulator behind it. What is done and seen there is a line each:
//!
//! ```ignore
//! play(SCRIPT).on(80, 24).types("fix it").key(ENTER).sees("Done.").snapshot("done");
//! ```
//!
//! Whatever is waited for is waited for until it is there. No step sleeps for a fixed time.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use forelook_testkit::Lab;
use portable_pty::{Child, MasterPty};

use crate::play::{Tap, size};
use crate::watch::Watch;

/// Long enough for the slowest machine; it only passes when a test fails.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// The program at work.
pub(crate) struct Stage {
    pub(crate) lab: Arc<Lab>,
    pub(crate) master: Option<Box<dyn MasterPty + Send>>,
    pub(crate) input: Option<Box<dyn Write + Send>>,
    pub(crate) output: Receiver<Vec<u8>>,
    pub(crate) tap: Arc<Tap>,
    pub(crate) terminal: vt100::Parser<Watch>,
    /// Every byte that was written.
    pub(crate) raw: Vec<u8>,
    pub(crate) child: Box<dyn Child + Send + Sync>,
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

    /// Waits until the program has greeted, which it does behind its first frame; or asks something before it begins.
    pub(crate) fn is_greeted(&mut self) -> &mut Self {
        self.sees_a_frame().until("a greeting", |stage| {
            stage.screen().contains("Do you trust") || stage.all().contains("/help")
        })
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

    /// Waits until the other screen is shown, or the first again.
    pub(crate) fn is_on_page(&mut self, page: bool) -> &mut Self {
        let what = if page { "the other screen" } else { "the first screen" };
        self.until(what, |stage| stage.terminal.screen().alternate_screen() == page)
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

    pub(crate) fn take_all(&mut self) {
        while let Ok(bytes) = self.output.try_recv() {
            self.take(&bytes);
        }
    }

    pub(crate) fn take(&mut self, bytes: &[u8]) {
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
        self.tells(width, height)
    }

    /// Tells the program that the window has this size.
    pub(crate) fn tells(&mut self, width: u16, height: u16) -> &mut Self {
        self.master.as_ref().expect("the terminal is there").resize(size(width, height)).unwrap();
        self
    }

    /// How many frames were drawn so far.
    pub(crate) fn frames(&mut self) -> usize {
        self.take_all();
        self.terminal.callbacks().frames
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

    /// The live area must be as it was accepted. How far the screen has scrolled above it depends on which frames were
    /// drawn.
    pub(crate) fn snapshot_live(&mut self, name: &str) -> &mut Self {
        let screen = self.screen();
        let at = screen.find('─').unwrap_or(0);
        self.compare(name, &screen[at..])
    }

    /// The screen and all that is above it must be as it was accepted.
    pub(crate) fn snapshot_all(&mut self, name: &str) -> &mut Self {
        let all = self.all();
        self.compare(name, &all)
    }

    pub(crate) fn compare(&mut self, name: &str, text: &str) -> &mut Self {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        // The temporary folder has another name each time, of the same length.
        let text = regex::Regex::new(r"\.tmp\w{6}").unwrap().replace_all(text, ".tmpXXXXXX");
        // The version changes with each release.
        let text = text.replace(&format!("Forelook {}", env!("CARGO_PKG_VERSION")), "Forelook X.Y.Z");
        settings.bind(|| insta::assert_snapshot!(name, text));
        self
    }
}
