//! The terminal stops, goes or comes back, and the program ends.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use portable_pty::ExitStatus;
use rustix::termios::LocalModes;

use crate::stage::{DEADLINE, Stage};

impl Stage {
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
        assert_eq!(watch.kept_titles, 0, "{watch:?}");
        self
    }

    /// Whether keys come one by one and are not shown.
    pub(crate) fn is_raw(&self) -> bool {
        let modes = self.master.as_ref().and_then(|it| it.get_termios()).expect("a terminal").local_flags;
        let cooked = (LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG).bits();
        modes.bits() & cooked != cooked
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.goes_on();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
