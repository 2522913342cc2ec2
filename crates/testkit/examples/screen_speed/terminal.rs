//! A program in a terminal: what it draws, and when.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::answer::END;

/// Nothing takes as long as this.
const LONG: Duration = Duration::from_secs(30);
/// The borders of a frame.
const FRAME_BEGIN: &[u8] = b"\x1b[?2026h";
const FRAME_END: &[u8] = b"\x1b[?2026l";
/// The cursor is shown, which it is in the composer.
const CURSOR: &[u8] = b"\x1b[?25h";

/// A program that runs.
pub(crate) struct Terminal {
    pub(crate) id: u32,
    /// Just before it was started.
    pub(crate) began: Instant,
    /// Bytes it has drawn.
    pub(crate) read: usize,
    /// When the end of an answer was drawn.
    pub(crate) ended: Option<Instant>,
    border: Vec<u8>,
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    drawn: Receiver<(Instant, Vec<u8>)>,
    /// What was drawn last, and when each piece of it came.
    recent: Vec<(Instant, Vec<u8>)>,
    _terminal: Box<dyn MasterPty + Send>,
}

/// The key number `n`: a letter that stands in no other text and is no other key of late.
pub(crate) fn keys(n: usize) -> String {
    let letter = u32::try_from(n % 0x80).unwrap();
    char::from_u32(0x400 + letter).unwrap().to_string()
}

impl Terminal {
    pub(crate) fn start<'a>(
        program: &Path,
        arguments: impl Iterator<Item = &'a str>,
        folder: &Path,
        variables: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let size = PtySize { rows: 24, cols: 80, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(folder);
        command.env_clear();
        for (name, value) in variables {
            command.env(name, value);
        }
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keyboard = pair.master.take_writer().unwrap();
        let (send, drawn) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count) = reader.read(&mut buffer) {
                let now = Instant::now();
                if count == 0 || send.send((now, buffer[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
        let began = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        let id = child.process_id().unwrap();
        Self {
            id,
            began,
            read: 0,
            ended: None,
            border: Vec::new(),
            child,
            keyboard,
            drawn,
            recent: Vec::new(),
            _terminal: pair.master,
        }
    }

    /// Types.
    pub(crate) fn write(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Types a key in the place of the last one; gives the instant before. What was drawn until now is forgotten.
    pub(crate) fn press(&mut self, key: &str) -> Instant {
        while let Ok(piece) = self.drawn.try_recv() {
            self.take(piece);
        }
        self.recent.clear();
        let now = Instant::now();
        self.write(&format!("\x7f{key}"));
        now
    }

    /// When the first frame with the composer was whole.
    pub(crate) fn prompt(&mut self) -> Instant {
        self.wait(|recent| {
            let cursor = position(recent, CURSOR)?;
            Some(cursor + position(&recent[cursor..], FRAME_END)?)
        })
    }

    /// When this was drawn in a frame: before the first one, the kernel itself shows what is typed.
    pub(crate) fn seen(&mut self, what: &[u8]) -> Instant {
        self.wait(|recent| {
            let frame = position(recent, FRAME_BEGIN)?;
            Some(frame + position(&recent[frame..], what)?)
        })
    }

    fn wait(&mut self, find: impl Fn(&[u8]) -> Option<usize>) -> Instant {
        let until = Instant::now() + LONG;
        loop {
            if let Some(at) = find(&self.all()) {
                return self.instant_of(at);
            }
            if !self.more(until) {
                panic!("not drawn within {LONG:?}; drawn was {:?}", String::from_utf8_lossy(&self.all()));
            }
        }
    }

    /// Takes what is drawn next; false if nothing is until then.
    pub(crate) fn more(&mut self, until: Instant) -> bool {
        match self.drawn.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(piece) => self.take(piece),
            Err(_) => return false,
        }
        true
    }

    fn take(&mut self, piece: (Instant, Vec<u8>)) {
        self.read += piece.1.len();
        // The mark may have come in two pieces.
        self.border.extend(&piece.1);
        if position(&self.border, END.as_bytes()).is_some() {
            self.ended.get_or_insert(piece.0);
        }
        self.border.drain(..self.border.len().saturating_sub(END.len()));
        self.recent.push(piece);
    }

    /// When this was drawn of late, if it was; what can matter no more is forgotten.
    pub(crate) fn found(&mut self, what: &[u8]) -> Option<Instant> {
        let found = position(&self.all(), what).map(|at| self.instant_of(at));
        let keep = self.recent.len().saturating_sub(2);
        self.recent.drain(..keep);
        found
    }

    /// What was drawn of late.
    fn all(&self) -> Vec<u8> {
        self.recent.iter().flat_map(|(_, piece)| piece).copied().collect()
    }

    fn instant_of(&self, mut at: usize) -> Instant {
        for (instant, piece) in &self.recent {
            match at.checked_sub(piece.len()) {
                Some(rest) => at = rest,
                None => return *instant,
            }
        }
        self.recent.last().unwrap().0
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn position(text: &[u8], what: &[u8]) -> Option<usize> {
    let first = *what.first()?;
    let mut from = 0;
    while let Some(at) = text.get(from..)?.iter().position(|byte| *byte == first) {
        if text[from + at..].starts_with(what) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}
