//! A long output: its head and tail in memory, the whole in a file.

mod line;
mod output_file;
mod window;

use forelook_protocol::AbsPath;
pub(crate) use forelook_protocol::shorten;

use crate::clean::{AGAIN, BACK, Cleaner};
use line::LineBuffer;
use output_file::OutputFile;
pub(crate) use output_file::UnreadOutput;
pub(crate) use window::Window;

/// Collects what a program writes.
pub(crate) struct Collector {
    cleaner: Cleaner,
    line: LineBuffer,
    /// What came since the last look.
    window: Window,
    whole: OutputFile,
}

impl Collector {
    /// Collects; should something be cut, the whole goes to `path`.
    pub(crate) fn new(path: &AbsPath) -> Self {
        Self {
            cleaner: Cleaner::default(),
            line: LineBuffer::default(),
            window: Window::default(),
            whole: OutputFile::new(path),
        }
    }

    /// Takes bytes and returns them as plain text for somebody who watches: there every drawing of a line is one.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let text = self.cleaner.push(bytes);
        let flushed = self.line.push(&text);
        self.add(&flushed);
        if line::is_drawn(&text) { shown(&text) } else { text }
    }

    fn add(&mut self, text: &str) {
        // Nothing was looked at before the file begins, so the window has all there is.
        if !self.whole.is_begun() && self.window.would_be_cut(text) {
            self.whole.begin(&self.window.text());
        }
        self.whole.write(text);
        self.window.add(text);
    }

    /// Saves everything from now on, what is there included: the window will not always have all of it.
    pub(crate) fn save_to_file(&mut self) {
        if !self.whole.is_begun() {
            self.whole.begin(&self.window.text());
        }
    }

    /// What nobody has looked at yet, where it can be had completely.
    pub(crate) fn unread(&self) -> UnreadOutput {
        match self.window.is_cut() {
            true => self
                .whole
                .since(self.window.began(), self.line.drawn())
                .unwrap_or_else(|| UnreadOutput::Text(self.report())),
            false => UnreadOutput::Text(self.window.text() + self.line.drawn()),
        }
    }

    /// All there was, as far as it is kept.
    pub(crate) fn everything(&self) -> UnreadOutput {
        let whole = self.whole.since(0, self.line.drawn());
        whole.unwrap_or_else(|| UnreadOutput::Text(self.report() + self.line.drawn()))
    }

    /// The text for the model: what came since the last look.
    pub(crate) fn take_new(&mut self) -> String {
        self.flush_line();
        let text = self.report();
        self.window = Window::from(self.whole.length());
        text
    }

    /// The text for the model, of all there was.
    pub(crate) fn finish(mut self) -> String {
        self.end();
        self.report()
    }

    /// Nothing comes any more.
    pub(crate) fn end(&mut self) {
        let rest = self.cleaner.finish();
        let flushed = self.line.push(&rest);
        self.add(&flushed);
        self.flush_line();
    }

    fn flush_line(&mut self) {
        let drawn = self.line.flush();
        self.add(&drawn);
    }

    /// What to say of the whole where a part is left out.
    pub(crate) fn describe_output_file(&self) -> String {
        self.whole.describe_location()
    }

    fn report(&self) -> String {
        self.window.report(&self.whole.describe_location())
    }

    /// How many bytes are held.
    #[cfg(test)]
    pub(crate) fn buffered_bytes(&self) -> usize {
        self.window.buffered_bytes() + self.line.drawn().len()
    }
}

/// What a program drew, as lines one after the other.
fn shown(text: &str) -> String {
    text.chars().filter(|c| *c != BACK).map(|c| if c == AGAIN { '\n' } else { c }).collect()
}

#[cfg(test)]
mod tests;
