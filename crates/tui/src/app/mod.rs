//! The whole of what is shown and what keys mean. It has no terminal, no clock and no session: events, keys and the time
//! go in, wishes and frames come out, so that a test can be the whole world.

mod asked;
mod attention;
mod desk;
mod facts;
mod modes;
mod news;
#[cfg(test)]
mod review_tests;
mod reviews;
mod scene;
mod status;
#[cfg(test)]
mod tests;
mod toasts;
mod wish;
mod writing;

use std::collections::VecDeque;
use std::sync::Arc;

use forelook_protocol::{
    Clock, Command, EntryId, Event, Live, Mode, Notice, NoticeLevel, Query, Reply, Status,
};
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
use crate::review::Past;
use crate::term::{Code, Input, Key};
use crate::theme::Theme;
use crate::view::{Page, Turn, View, Waits};
use asked::Then;
pub(crate) use asked::cells_of;
use attention::Attention;
use facts::Facts;
pub(crate) use scene::words_of;
use scene::{Moment, Scene};
use toasts::{Priority, Toast, Toasts, Tone};
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

/// So many finished rows go out with a frame. A terminal may be slower than what comes: were everything in one frame, a
/// key would be seen only behind all of it.
const ROWS: usize = 200;

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
    menus: Menus,
    writing: Writing,
    scene: Scene,
    /// Finished rows that no frame has taken yet.
    waiting: VecDeque<Line<'static>>,
    dialogs: VecDeque<(Dialog, Guard)>,
    /// The reviews before.
    past: Past,
    clock: Arc<dyn Clock>,
    /// What has the whole window.
    view: Option<View>,
    /// What events made us wish for.
    wishes: Vec<Wish>,
    /// Queries whose replies are awaited.
    asked: Vec<(Query, Then)>,
    /// The last entry that was shown before anything was heard.
    seen: Option<EntryId>,
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
    pub(crate) fn new(status: &Status, theme: Theme, size: Size, clock: Arc<dyn Clock>) -> Self {
        Self {
            theme,
            size,
            now: 0,
            composer: Composer::default(),
            menus: Menus::new(&commands::ALL),
            writing: Writing::default(),
            scene: Scene::new(status.todos.clone()),
            waiting: VecDeque::new(),
            dialogs: VecDeque::new(),
            past: Past::default(),
            clock,
            view: None,
            wishes: Vec::new(),
            asked: Vec::new(),
            seen: None,
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
        let moves = self.view.is_none() && !self.has_page() && self.scene.moves(!self.dialogs.is_empty());
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
        if self.review_refused(why) {
            return;
        }
        self.notice(Notice { level: NoticeLevel::Warning, text: why.to_owned() });
    }

    pub(crate) fn event(&mut self, event: &Event) {
        self.tell_review(event);
        match event {
            Event::Live(Live::Plan(shown)) => {
                let shown = Cell::Shown { shown: Box::new(shown.clone()), now: self.clock.now() };
                self.scene.finished.push(shown);
            }
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
                self.put_in(&text)
            }
            Input::Focus(has) => {
                self.attention.focus(has);
                Vec::new()
            }
            Input::Resized => Vec::new(),
        }
    }

    /// Pasted text: for the view or the question, if it wants words, or for the composer.
    fn put_in(&mut self, text: &str) -> Vec<Wish> {
        let now = self.now;
        if let Some(view) = &mut self.view {
            view.paste(text);
            return Vec::new();
        }
        if self.paste_into_review(text) {
            return Vec::new();
        }
        let taken = match self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open()) {
            Some((dialog, guard)) => guard.lets_through(now) && dialog.paste(text),
            None => false,
        };
        if taken { Vec::new() } else { self.paste(text) }
    }

    /// What appears now was not there when keys were typed until now.
    fn begin_guards(&mut self) {
        for (_, guard) in &mut self.dialogs {
            *guard = Guard::begin(self.now);
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
        // Where a yes leads is on the page; it stays so while that is read.
        if key == Key::shift(Code::Tab) && !self.has_page() {
            return vec![Wish::Send(Command::CycleMode)];
        }
        if let Some(view) = &mut self.view {
            let turn = view.key(key);
            return self.turned(turn);
        }
        if key == Key::ctrl('r') {
            return self.open_transcript();
        }
        if self.open_again(key) {
            return Vec::new();
        }
        let now = self.now;
        let open = self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open());
        if let Some((dialog, guard)) = open
            && guard.lets_through(now)
        {
            let id = dialog.id;
            return match dialog.key(key) {
                Step::Open => Vec::new(),
                Step::Edit => {
                    // What is typed next may be meant for the editor.
                    *guard = Guard::begin(now);
                    vec![Wish::Send(Command::Plan("open".to_owned()))]
                }
                Step::Aside => {
                    dialog.review().into_iter().for_each(|review| review.put_aside());
                    Vec::new()
                }
                Step::Answered(answer) => {
                    // A review stays until its answer is recorded: if it is refused, nothing of it is lost.
                    if !dialog.is_page() {
                        self.dialogs.retain(|(dialog, _)| dialog.id != id);
                        self.begin_guards();
                    }
                    vec![Wish::Send(Command::Answer { question: id, answer })]
                }
            };
        }
        self.write(key)
    }

    /// What is wished for without anybody having pressed a key.
    pub(crate) fn wishes(&mut self) -> Vec<Wish> {
        self.wish_for_a_title();
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
            Brought::Branch(branch) => {
                self.facts.branch = branch;
                Vec::new()
            }
            Brought::StatusLine(answer) => {
                self.script_answered(answer);
                Vec::new()
            }
            Brought::Reply(reply) => {
                if let Ok(Reply::Status(status)) = &reply {
                    self.facts.stands(status);
                }
                self.replied(reply)
            }
            Brought::Sessions(found) => {
                commands::sessions(self, found);
                Vec::new()
            }
            Brought::Written(written) => {
                commands::written(self, written);
                Vec::new()
            }
            Brought::ThemeKept(kept) => {
                commands::theme_kept(self, kept);
                Vec::new()
            }
        }
    }

    fn stop_or_leave(&mut self) -> Vec<Wish> {
        if self.view.is_some() {
            return self.turned(Turn::Close(Vec::new()));
        }
        if self.scene.is_running() {
            return self.stop();
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

    pub(crate) fn look(&self) -> Look {
        Look { width: usize::from(self.size.width), theme: self.theme }
    }

    /// What is to be drawn now; what is finished is handed out once.
    pub(crate) fn frame(&mut self) -> Frame {
        let (size, look) = (self.size, self.look());
        let waits = if self.dialogs.is_empty() { Waits::Nothing } else { Waits::Question };
        if let Some(view) = &mut self.view {
            return paged(view.page(size, look, waits), size);
        }
        let asked = self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open());
        match asked.and_then(|(dialog, _)| dialog.page(size, look)) {
            Some(page) => paged(page, size),
            None => self.live(),
        }
    }

    /// Whether another frame would show more than the last one did. A view has the window until it is put away.
    pub(crate) fn is_behind(&self) -> bool {
        self.view.is_none() && !self.has_page() && !self.waiting.is_empty()
    }

    /// All rows that are finished and in no frame yet, for when there will be none.
    pub(crate) fn take_finished(&mut self) -> Vec<Line<'static>> {
        self.gather();
        self.waiting.drain(..).collect()
    }

    /// What is finished becomes rows.
    fn gather(&mut self) {
        let look = self.look();
        let cells = std::mem::take(&mut self.scene.finished);
        self.waiting.extend(cells.iter().flat_map(|cell| cell.rows(look)));
    }

    fn live(&mut self) -> Frame {
        let look = self.look();
        self.gather();
        let finished: Vec<_> = self.waiting.drain(..self.waiting.len().min(ROWS)).collect();
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

    /// What is in the composer while a question is open: a row of it says that it is not lost.
    fn half_written(&self, look: Look) -> Option<Line<'static>> {
        (!self.dialogs.is_empty() && !self.composer.is_empty()).then(|| self.written(look).0.remove(0))
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
    fn below(&mut self, look: Look) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        let mut rows = vec![Line::default()];
        let cursor;
        let half_written = self.half_written(look);
        // Blank, two rules, the status.
        let room = usize::from(self.size.height).saturating_sub(4 + half_written.iter().len());
        match self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open()) {
            Some((dialog, _)) => {
                rows.push(rule(look));
                let page = dialog.rows(look, room);
                cursor = page.cursor.map(|(row, column)| (rows.len() + row, column));
                rows.extend(page.rows);
                rows.push(rule(look));
                rows.extend(half_written);
            }
            None => {
                rows.extend(self.waiting_reviews(look));
                let (written, at) = self.desk(look);
                cursor = Some((rows.len() + at.0, at.1));
                rows.extend(written);
            }
        }
        let spare = usize::from(self.size.height).saturating_sub(rows.len() + 1);
        rows.extend(status::rows(self, look, spare));
        (rows, cursor)
    }
}

fn paged(page: Page, size: Size) -> Frame {
    let cursor = page.cursor.map(|(row, column)| Position::new(fit(column), fit(row)));
    let mut buffer = Buffer::empty(Rect::new(0, 0, size.width, size.height));
    for (at, row) in page.rows.iter().take(usize::from(size.height)).enumerate() {
        row.render(Rect::new(0, fit(at), size.width, 1), &mut buffer);
    }
    Frame::Page { page: buffer, cursor }
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
