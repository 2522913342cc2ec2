//! The whole of what is shown and what keys mean. It has no terminal, no clock and no session: events, keys and the time
//! go in, wishes and frames come out, so that a test can be the whole world.

mod attention;
mod facts;
mod modes;
mod news;
mod scene;
mod status;
#[cfg(test)]
mod tests;
mod toasts;
mod wish;

use std::collections::VecDeque;

use forelook_protocol::{
    Command, Delivery, Event, Mode, Notice, NoticeLevel, Prompt, Reply, Status, UserBlock,
};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect, Size};
use ratatui_core::text::{Line, Span};
use ratatui_core::widgets::Widget;

use crate::cells::Cell;
use crate::commands;
use crate::composer::{Composer, Did};
use crate::dialog::{Dialog, Guard, Step};
use crate::markdown::Look;
use crate::term::{Code, Input, Key};
use crate::theme::Theme;
use crate::view::{Page, Turn, View};
use attention::Attention;
use facts::Facts;
use scene::{Moment, Scene};
use toasts::{Priority, Toast, Toasts, Tone};
pub use wish::Left;
pub(crate) use wish::{Brought, Errand, Wish};

/// One frame.
pub(crate) enum Frame {
    /// Below what is finished.
    Live {
        /// Rows that go above, once.
        finished: Vec<Line<'static>>,
        live: Buffer,
        cursor: Option<Position>,
    },
    /// The whole window.
    Page { page: Buffer, cursor: Option<Position> },
}

/// How long a second Ctrl+C is waited for.
const TWICE_MS: u64 = 2000;
/// The toast that says so.
const LEAVE: &str = "leave";
/// Blank rows that may stand for what was there before.
const HELD_ROWS: usize = 4;
/// The wheel turns once in this time.
const SPIN_MS: u64 = 100;
const SPIN: [&str; 8] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠇"];

/// Everything.
pub(crate) struct App {
    theme: Theme,
    size: Size,
    now: u64,
    composer: Composer,
    scene: Scene,
    dialogs: VecDeque<(Dialog, Guard)>,
    /// What has the whole window.
    view: Option<View>,
    /// What events made us wish for.
    wishes: Vec<Wish>,
    mode: Mode,
    model: String,
    /// Rows that what is under way took in the last frame.
    held: usize,
    facts: Facts,
    toasts: Toasts,
    attention: Attention,
    /// When Ctrl+C was pressed with nothing to stop.
    leaving: Option<u64>,
}

impl App {
    pub(crate) fn new(status: &Status, theme: Theme, size: Size) -> Self {
        Self {
            theme,
            size,
            now: 0,
            composer: Composer::default(),
            scene: Scene::new(status.todos.clone()),
            dialogs: VecDeque::new(),
            view: None,
            wishes: Vec::new(),
            mode: status.mode,
            model: status.model.clone(),
            held: 0,
            facts: Facts::new(status),
            toasts: Toasts::default(),
            attention: Attention::default(),
            leaving: None,
        }
    }

    /// It is now this many milliseconds after the start.
    pub(crate) fn at(&mut self, now: u64) {
        self.now = now;
        self.toasts.at(now);
        self.ask_the_script();
        self.leaving.take_if(|since| *since + TWICE_MS <= now);
    }

    /// When something changes by itself; nothing if only events can change what is shown.
    pub(crate) fn wakes_at(&self) -> Option<u64> {
        let moves = self.view.is_none() && self.scene.moves(!self.dialogs.is_empty());
        let spin = moves.then(|| (self.now / SPIN_MS + 1) * SPIN_MS);
        let leaving = self.leaving.map(|since| since + TWICE_MS);
        [spin, self.toasts.wakes_at(), leaving, self.facts.script.due()].into_iter().flatten().min()
    }

    pub(crate) fn resized(&mut self, size: Size) {
        self.size = size;
    }

    /// Something that the person should see.
    pub(crate) fn notice(&mut self, notice: Notice) {
        self.scene.finished.push(Cell::Notice(notice));
    }

    /// A command was not carried out.
    pub(crate) fn refused(&mut self, why: &str) {
        self.notice(Notice { level: NoticeLevel::Warning, text: why.to_owned() });
    }

    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::Live(live) => {
                let look = self.look();
                self.scene.live(live, look, self.now);
            }
            Event::Recorded(entry) => self.recorded(entry),
        }
    }

    pub(crate) fn input(&mut self, input: Input) -> Vec<Wish> {
        match input {
            Input::Key(key) => {
                self.attention.typed(self.now);
                self.key(key)
            }
            Input::Paste(text) => {
                self.attention.typed(self.now);
                self.composer.paste(&text);
                Vec::new()
            }
            Input::Focus(has) => {
                self.attention.focus(has);
                Vec::new()
            }
            Input::Resized => Vec::new(),
        }
    }

    fn key(&mut self, key: Key) -> Vec<Wish> {
        if key == Key::ctrl('c') {
            return self.stop_or_leave();
        }
        // Whoever presses another key stays.
        if self.leaving.take().is_some() {
            self.toasts.drop(LEAVE, self.now);
        }
        if key == Key::ctrl('z') {
            return vec![Wish::Suspend];
        }
        if key == Key::shift(Code::Tab) {
            return vec![Wish::Send(Command::CycleMode)];
        }
        if let Some(view) = &mut self.view {
            return match view.key(key) {
                Turn::Stay(wishes) => wishes,
                Turn::Close(wishes) => {
                    self.view = None;
                    wishes
                }
            };
        }
        let now = self.now;
        if let Some((dialog, guard)) = self.dialogs.front_mut()
            && guard.lets_through(now)
        {
            let (id, call) = (dialog.id, dialog.call.clone());
            return match dialog.key(key) {
                Step::Open => Vec::new(),
                Step::Answered(answer) => {
                    self.dialogs.pop_front();
                    if matches!(answer, forelook_protocol::Answer::Chosen { .. }) {
                        self.scene.tell_apart(call);
                    }
                    vec![Wish::Send(Command::Answer { question: id, answer })]
                }
            };
        }
        self.write(key)
    }

    /// A key for the composer.
    fn write(&mut self, key: Key) -> Vec<Wish> {
        if key.code == Code::Esc && self.scene.is_running() {
            return self.stop();
        }
        if key == Key::ctrl('d') && self.composer.is_empty() {
            return vec![Wish::Leave(Left::Done)];
        }
        match self.composer.key(key, self.writing_width()) {
            Did::Sent(text) => self.say(&text),
            Did::Edited | Did::Nothing => Vec::new(),
        }
    }

    /// What the person wrote and sent: a command, or words for the model.
    pub(crate) fn say(&mut self, text: &str) -> Vec<Wish> {
        let text = text.trim();
        if let Some((name, rest)) = forelook_wording::slash(text) {
            return match commands::named(name) {
                Some(slash) => (slash.run)(self, rest),
                None => {
                    self.refused(&format!("`/{name}` is not a command; `/` shows which there are"));
                    Vec::new()
                }
            };
        }
        let content = vec![UserBlock::text(text)];
        vec![Wish::Send(Command::Prompt(Prompt { content, delivery: Delivery::NextTurn }))]
    }

    /// What is wished for without anybody having pressed a key.
    pub(crate) fn wishes(&mut self) -> Vec<Wish> {
        self.wish_for_a_title();
        std::mem::take(&mut self.wishes)
    }

    /// An errand brought something.
    pub(crate) fn brought(&mut self, brought: Brought) -> Vec<Wish> {
        match brought {
            Brought::History(said) => self.composer.remember(said),
            Brought::Branch(branch) => self.facts.branch = branch,
            Brought::StatusLine(answer) => self.script_answered(answer),
            Brought::Reply(Ok(Reply::Status(status))) => self.facts.stands(&status),
            _ => {}
        }
        Vec::new()
    }

    fn stop_or_leave(&mut self) -> Vec<Wish> {
        if self.scene.is_running() {
            return self.stop();
        }
        if !self.composer.is_empty() {
            self.composer.take();
            return Vec::new();
        }
        if self.leaving.is_some() {
            return vec![Wish::Leave(Left::Done)];
        }
        self.leaving = Some(self.now);
        let (tone, priority) = (Tone::Quiet, Priority::Immediate);
        self.toast(Toast {
            key: LEAVE,
            text: "Ctrl+C again leaves".to_owned(),
            tone,
            priority,
            lasts_ms: TWICE_MS,
        });
        Vec::new()
    }

    fn look(&self) -> Look {
        Look { width: usize::from(self.size.width), theme: self.theme }
    }

    /// Columns for words in the composer: two stand before them, and one behind for the cursor.
    fn writing_width(&self) -> usize {
        usize::from(self.size.width).saturating_sub(3)
    }

    /// What is to be drawn now; what is finished is handed out once.
    pub(crate) fn frame(&mut self) -> Frame {
        let (size, look) = (self.size, self.look());
        if let Some(view) = &mut self.view {
            let Page { rows, cursor } = view.page(size, look);
            let cursor = cursor.map(|(row, column)| Position::new(fit(column), fit(row)));
            let mut page = Buffer::empty(Rect::new(0, 0, size.width, size.height));
            for (at, row) in rows.iter().take(usize::from(size.height)).enumerate() {
                row.render(Rect::new(0, fit(at), size.width, 1), &mut page);
            }
            return Frame::Page { page, cursor };
        }
        self.live()
    }

    fn live(&mut self) -> Frame {
        let look = self.look();
        let finished = std::mem::take(&mut self.scene.finished);
        let finished: Vec<Line<'static>> = finished.iter().flat_map(|cell| cell.rows(look)).collect();
        let spin = SPIN[usize::try_from(self.now / SPIN_MS).unwrap_or(0) % SPIN.len()];

        let (below, cursor) = self.below(look);
        let room = usize::from(self.size.height).saturating_sub(below.len());
        let moment = Moment { now: self.now, spin, room, asking: !self.dialogs.is_empty() };
        let mut rows = self.scene.rows(look, moment);
        // The newest rows are the ones to see.
        let hidden = rows.len().saturating_sub(room);
        rows.drain(..hidden);
        self.hold(&mut rows, finished.len(), room);
        let above = rows.len();
        rows.extend(below);
        // The mode is always to be seen, however much there is above it.
        if let Some(status) = rows.pop() {
            rows.truncate(usize::from(self.size.height).saturating_sub(1));
            rows.push(status);
        }
        let cursor = cursor.map(|(row, column)| Position::new(fit(column), fit(above + row)));
        Frame::Live { finished, live: drawn(&rows, self.size), cursor }
    }

    /// While a turn runs, what is below does not jump up when something short takes the place of something long: the
    /// rows between stay, until what comes next fills them.
    fn hold(&mut self, rows: &mut Vec<Line<'static>>, finished: usize, room: usize) {
        let missing = self.held.saturating_sub(finished + rows.len()).min(HELD_ROWS);
        let blanks = if self.scene.is_running() { missing.min(room.saturating_sub(rows.len())) } else { 0 };
        rows.splice(..0, std::iter::repeat_n(Line::default(), blanks));
        self.held = rows.len();
    }

    /// The composer or a question, and the status line, with the place of the cursor.
    fn below(&self, look: Look) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        let mut rows = vec![Line::default()];
        let mut cursor = None;
        match self.dialogs.front() {
            Some((dialog, _)) => {
                rows.push(rule(look));
                rows.extend(dialog.rows(look));
                rows.push(rule(look));
                if !self.composer.is_empty() {
                    rows.extend(self.written(look).0);
                }
            }
            None => {
                rows.push(rule(look));
                let (written, at) = self.written(look);
                cursor = Some((rows.len() + at.0, at.1));
                rows.extend(written);
                rows.push(rule(look));
            }
        }
        let spare = usize::from(self.size.height).saturating_sub(rows.len() + 1);
        rows.extend(status::rows(self, look, spare));
        (rows, cursor)
    }

    /// What the person has written, at most a third of the window.
    fn written(&self, look: Look) -> (Vec<Line<'static>>, (usize, usize)) {
        let laid = self.composer.laid(self.writing_width());
        let most = (usize::from(self.size.height) / 3).max(1);
        let first = laid.cursor.0.saturating_sub(most - 1);
        let rows = laid.rows.iter().enumerate().skip(first).take(most).map(|(at, row)| {
            let lead = if at == 0 { "> " } else { "  " };
            Line::from(vec![Span::styled(lead, look.theme.quiet), Span::raw(row.text.clone())])
        });
        (rows.collect(), (laid.cursor.0 - first, laid.cursor.1 + 2))
    }
}

fn rule(look: Look) -> Line<'static> {
    Line::styled("─".repeat(look.width), look.theme.quiet)
}

fn drawn(rows: &[Line<'static>], size: Size) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, size.width, fit(rows.len())));
    for (at, row) in rows.iter().enumerate() {
        row.render(Rect::new(0, fit(at), size.width, 1), &mut buffer);
    }
    buffer
}

fn fit(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
