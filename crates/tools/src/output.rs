//! A long output: its head and tail in memory, the whole in a file.

mod line;
mod whole;
mod window;

use forelook_protocol::AbsPath;
pub(crate) use forelook_protocol::shorten;

use crate::clean::{AGAIN, BACK, Cleaner};
use line::Line;
pub(crate) use whole::Unseen;
use whole::Whole;
pub(crate) use window::Window;

/// Collects what a program writes.
pub(crate) struct Collector {
    cleaner: Cleaner,
    line: Line,
    /// What came since the last look.
    window: Window,
    whole: Whole,
}

impl Collector {
    /// Collects; should something be cut, the whole goes to `path`.
    pub(crate) fn new(path: &AbsPath) -> Self {
        Self {
            cleaner: Cleaner::default(),
            line: Line::default(),
            window: Window::default(),
            whole: Whole::new(path),
        }
    }

    /// Takes bytes and returns them as plain text for somebody who watches: there every drawing of a line is one.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let text = self.cleaner.push(bytes);
        let settled = self.line.push(&text);
        self.add(&settled);
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
    pub(crate) fn keep_whole(&mut self) {
        if !self.whole.is_begun() {
            self.whole.begin(&self.window.text());
        }
    }

    /// What nobody has looked at yet, where it can be had completely.
    pub(crate) fn unseen(&self) -> Unseen {
        match self.window.is_cut() {
            true => self
                .whole
                .since(self.window.began(), self.line.drawn())
                .unwrap_or_else(|| Unseen::Text(self.report())),
            false => Unseen::Text(self.window.text() + self.line.drawn()),
        }
    }

    /// The text for the model: what came since the last look.
    pub(crate) fn look(&mut self) -> String {
        self.settle();
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
        let settled = self.line.push(&rest);
        self.add(&settled);
        self.settle();
    }

    fn settle(&mut self) {
        let drawn = self.line.settle();
        self.add(&drawn);
    }

    /// What to say of the whole where a part is left out.
    pub(crate) fn where_the_whole_is(&self) -> String {
        self.whole.place()
    }

    fn report(&self) -> String {
        self.window.report(&self.whole.place())
    }

    /// How many bytes are held.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.window.held() + self.line.drawn().len()
    }
}

/// What a program drew, as lines one after the other.
fn shown(text: &str) -> String {
    text.chars().filter(|c| *c != BACK).map(|c| if c == AGAIN { '\n' } else { c }).collect()
}

#[cfg(test)]
mod tests;
