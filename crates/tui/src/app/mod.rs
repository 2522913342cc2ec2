//! The whole of what is shown and what keys mean. It has no terminal, no clock and no session: events, keys and the time
//! go in, wishes and frames come out, so that a test can be the whole world. The time goes in before whatever happened at
//! it ([`App::at`]), and stays what it is until it is told again.

mod asked;
mod attention;
mod desk;
mod draw;
mod facts;
mod keys;
mod modes;
mod news;
mod opening;
mod questions;
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

use forelook_protocol::{Event, Notice, NoticeLevel, Query, Reply, Snapshot};
use jiff::Timestamp;
use ratatui_core::layout::Size;
use ratatui_core::text::Line;

use crate::cells::Cell;
use crate::commands;
use crate::composer::Composer;
use crate::dialog::{Dialog, Guard};
use crate::markdown::Look;
use crate::menu::Menus;
use crate::theme::Theme;
use crate::view::View;
use asked::Then;
pub(crate) use asked::cells_of;
use attention::Attention;
pub(crate) use draw::Frame;
use facts::Facts;
pub(crate) use opening::Opening;
use scene::Scene;
#[cfg(test)]
pub(crate) use tests::status as status_sample;
use toasts::{Priority, Toast, Toasts, Tone};
pub use wish::Left;
pub(crate) use wish::{Brought, Errand, Wish};
use writing::Writing;

/// How long a second Ctrl+C is waited for.
const TWICE_MS: u64 = 2000;
/// The toast that says so.
const LEAVE: &str = "leave";
/// The wheel turns once in this time.
const SPIN_MS: u64 = 100;

/// Everything.
pub(crate) struct App {
    theme: Theme,
    size: Size,
    now: Now,
    composer: Composer,
    menus: Menus,
    writing: Writing,
    scene: Scene,
    /// Finished rows that no frame has taken yet.
    waiting: VecDeque<Line<'static>>,
    dialogs: VecDeque<(Dialog, Guard)>,
    /// What has the whole window.
    view: Option<View>,
    /// What events made us wish for.
    wishes: Vec<Wish>,
    /// Queries whose replies are awaited.
    asked: Vec<(Query, Then)>,
    /// Whether something was typed that no frame shows yet.
    key_unseen: bool,
    /// Rows that what is under way took in the last frame.
    held: usize,
    facts: Facts,
    toasts: Toasts,
    attention: Attention,
    /// When Ctrl+C was pressed with nothing to stop.
    leaving: Option<u64>,
    /// What is shown first, while what was said before is still being read.
    opening: Option<Opening>,
}

/// The time: what the program knows of it is what it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Now {
    /// Milliseconds since the program began.
    pub(crate) ms: u64,
    /// What a clock on the wall says, for ages.
    pub(crate) wall: Timestamp,
}

impl App {
    pub(crate) fn new(snapshot: &Snapshot, theme: Theme, size: Size, now: Now) -> Self {
        let status = &snapshot.status;
        Self {
            theme,
            size,
            now,
            composer: Composer::default(),
            menus: Menus::new(&commands::ALL),
            writing: Writing::default(),
            scene: Scene::new(snapshot),
            waiting: VecDeque::new(),
            dialogs: VecDeque::new(),
            view: None,
            wishes: Vec::new(),
            asked: Vec::new(),
            key_unseen: false,
            held: 0,
            facts: Facts::new(status),
            toasts: Toasts::default(),
            attention: Attention::default(),
            leaving: None,
            opening: None,
        }
    }

    /// It is now this time: for what happens next, and for what goes away by itself.
    pub(crate) fn at(&mut self, now: Now) {
        self.now = now;
        self.toasts.at(now.ms);
        self.ask_the_script();
        self.leaving.take_if(|since| *since + TWICE_MS <= now.ms);
    }

    /// When something changes by itself; nothing if only events can change what is shown.
    pub(crate) fn wakes_at(&self) -> Option<u64> {
        let moves = self.view.is_none() && !self.has_page() && self.scene.moves(!self.dialogs.is_empty());
        let spin = moves.then(|| (self.now.ms / SPIN_MS + 1) * SPIN_MS);
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
            Event::Live(_) => {
                let look = self.look();
                self.scene.event(event, look, self.now.ms);
            }
            Event::Recorded(entry) => self.recorded(entry),
        }
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
                    self.scene.view.stands(status);
                }
                self.replied(reply)
            }
            Brought::Sent(Ok(shown)) => {
                shown.into_iter().for_each(|shown| self.show_plan(shown));
                Vec::new()
            }
            Brought::Sent(Err(refused)) => {
                self.turned_down(&refused);
                Vec::new()
            }
            Brought::Before(entries) => self.opened_with(&entries),
            Brought::Sessions(mut found) => {
                // The one on the screen is no other one.
                if let Ok(found) = &mut found {
                    found.retain(|it| !self.facts.are_of(it.id));
                }
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

    pub(crate) fn look(&self) -> Look {
        Look { width: usize::from(self.size.width), theme: self.theme }
    }
}
