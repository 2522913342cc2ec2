//! The whole of what is shown and what keys mean. It has no terminal, no clock and no session: events, keys and the time
//! go in, wishes and frames come out, so that a test can be the whole world.

mod desk;
mod modes;
mod scene;
mod status;
#[cfg(test)]
mod tests;
mod wish;
mod writing;

use std::collections::VecDeque;

use forelook_protocol::{Body, Command, Event, Live, Mode, Notice, NoticeLevel, Reply, Status};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect, Size};
use ratatui_core::text::Line;
use ratatui_core::widgets::Widget;

use crate::cells::Cell;
use crate::commands;
use crate::composer::Composer;
use crate::dialog::{Dialog, Guard, Step};
use crate::markdown::Look;
use crate::menu::Menus;
use crate::term::{Code, Input, Key};
use crate::theme::Theme;
use crate::view::{Page, Turn, View};
use scene::Scene;
pub use wish::Left;
pub(crate) use wish::{Brought, Errand, Wish};
use writing::Writing;

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
/// The wheel turns once in this time.
const SPIN_MS: u64 = 100;
const SPIN: [&str; 8] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠇"];

/// Everything.
pub(crate) struct App {
    theme: Theme,
    size: Size,
    now: u64,
    composer: Composer,
    menus: Menus,
    writing: Writing,
    scene: Scene,
    dialogs: VecDeque<(Dialog, Guard)>,
    /// What has the whole window.
    view: Option<View>,
    /// What events made us wish for.
    wishes: Vec<Wish>,
    mode: Mode,
    model: String,
    folder: String,
    /// A few words below the composer, until this time.
    note: Option<(String, u64)>,
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
            menus: Menus::new(&commands::ALL),
            writing: Writing::default(),
            scene: Scene::default(),
            dialogs: VecDeque::new(),
            view: None,
            wishes: Vec::new(),
            mode: status.mode,
            model: status.model.clone(),
            folder: status.folder.to_string(),
            note: None,
            leaving: None,
        }
    }

    /// It is now this many milliseconds after the start.
    pub(crate) fn at(&mut self, now: u64) {
        self.now = now;
        self.note.take_if(|(_, until)| *until <= now);
        self.leaving.take_if(|since| *since + TWICE_MS <= now);
    }

    /// When something changes by itself; nothing if only events can change what is shown.
    pub(crate) fn wakes_at(&self) -> Option<u64> {
        let spin = self.scene.is_running().then(|| (self.now / SPIN_MS + 1) * SPIN_MS);
        let note = self.note.as_ref().map(|(_, until)| *until);
        let leaving = self.leaving.map(|since| since + TWICE_MS);
        [spin, note, leaving].into_iter().flatten().min()
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
        let look = self.look();
        match event {
            Event::Live(live @ (Live::Answer { .. } | Live::Output { .. } | Live::Notice(_))) => {
                self.scene.live(live, look);
            }
            Event::Live(_) => {}
            Event::Recorded(entry) => {
                match (&entry.body, &entry.agent) {
                    (Body::Question(opened), _) => {
                        if let Some(dialog) = Dialog::new(&opened.question) {
                            self.dialogs.push_back((dialog, Guard::begin(self.now)));
                        }
                    }
                    (Body::Reply(replied), _) => {
                        self.dialogs.retain(|(dialog, _)| dialog.id != replied.question)
                    }
                    (Body::Mode(set), None) => self.mode = set.standing.mode(),
                    (Body::Review(reviewed), None) => self.mode = reviewed.standing.mode(),
                    (Body::Model(set), None) => self.model = set.model.clone(),
                    _ => {}
                }
                self.scene.recorded(entry, self.now);
            }
        }
    }

    pub(crate) fn input(&mut self, input: Input) -> Vec<Wish> {
        match input {
            Input::Key(key) => self.key(key),
            Input::Paste(text) => self.paste(&text),
            Input::Resized | Input::Focus(_) => Vec::new(),
        }
    }

    fn key(&mut self, key: Key) -> Vec<Wish> {
        if key == Key::ctrl('c') {
            return self.stop_or_leave();
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

    /// What is wished for without anybody having pressed a key.
    pub(crate) fn wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.wishes)
    }

    /// An errand brought something.
    pub(crate) fn brought(&mut self, brought: Brought) -> Vec<Wish> {
        match brought {
            Brought::History(_)
            | Brought::Matches(..)
            | Brought::Picture(..)
            | Brought::Edited(_)
            | Brought::Reply(Ok(Reply::Files(_))) => self.brought_to_composer(brought),
            _ => Vec::new(),
        }
    }

    fn stop_or_leave(&mut self) -> Vec<Wish> {
        if self.scene.is_running() {
            return vec![Wish::Send(Command::Interrupt)];
        }
        if self.composer.end_search() {
            return Vec::new();
        }
        if !self.composer.is_empty() {
            self.clear();
            return Vec::new();
        }
        if self.leaving.is_some() {
            return vec![Wish::Leave(Left::Done)];
        }
        self.leaving = Some(self.now);
        self.note = Some(("Ctrl+C again leaves".to_owned(), self.now + TWICE_MS));
        Vec::new()
    }

    fn look(&self) -> Look {
        Look { width: usize::from(self.size.width), theme: self.theme }
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
        let mut rows = self.scene.rows(look, self.now, spin);
        // The newest rows are the ones to see.
        let hidden = rows.len().saturating_sub(room);
        rows.drain(..hidden);
        let above = rows.len();
        rows.extend(below);
        rows.truncate(usize::from(self.size.height));
        let cursor = cursor.map(|(row, column)| Position::new(fit(column), fit(above + row)));
        Frame::Live { finished, live: drawn(&rows, self.size), cursor }
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
                let (written, at) = self.desk(look);
                cursor = Some((rows.len() + at.0, at.1));
                rows.extend(written);
            }
        }
        rows.push(status::row(self, look));
        (rows, cursor)
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
