//! What can be chosen while one writes: commands behind a `/`, files behind an `@`.

mod commands;
mod files;
mod list;
mod matching;
mod rows;

use std::sync::Arc;

use ratatui_core::text::Line;

use crate::app::UiEffect;
use crate::commands::SlashCommand;
use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use commands::Commands;
use files::Files;
pub(crate) use matching::{Match, MatchRequest};

/// Rows that a menu has at most.
const MOST_ROWS: usize = 8;

/// The menus, of which at most one is open.
pub(crate) struct Menus {
    commands: &'static [&'static SlashCommand],
    open: OpenMenu,
    files: Files,
}

enum OpenMenu {
    None,
    /// The person closed the menu of the word that begins here.
    Dismissed(usize),
    Commands(Commands),
    Files,
}

/// What a key came to in an open menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MenuAction {
    /// It was the menu's.
    Stay,
    /// This goes in the place of so many bytes before the cursor.
    Complete { before: usize, text: String },
    /// This is the whole text from now on.
    Write(String),
    /// This is said.
    Say(String),
}

/// Whether a menu may open now. What comes from elsewhere, as from the history, opens none: keys that go on through the
/// history must not get caught in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditKind {
    Typing,
    Other,
}

impl Menus {
    /// Menus with these commands.
    pub(crate) fn new(commands: &'static [&'static SlashCommand]) -> Self {
        Self { commands, open: OpenMenu::None, files: Files::default() }
    }

    /// The text or the cursor changed.
    pub(crate) fn follow(&mut self, text: &str, before: &str, after: EditKind) -> Vec<UiEffect> {
        let dismissed = match self.open {
            OpenMenu::Dismissed(start) => Some(start),
            _ => None,
        };
        let typing = after == EditKind::Typing;
        if let Some(name) = commands::typed(text, before) {
            match &mut self.open {
                OpenMenu::Dismissed(0) => {}
                OpenMenu::Commands(commands) => commands.follow(name),
                _ if typing => self.open = OpenMenu::Commands(Commands::new(self.commands, name)),
                _ => self.open = OpenMenu::None,
            }
            return Vec::new();
        }
        match files::typed(before) {
            Some(token) if dismissed == Some(token.start) => Vec::new(),
            Some(token) if typing || matches!(self.open, OpenMenu::Files) => {
                let opened = !matches!(self.open, OpenMenu::Files);
                self.open = OpenMenu::Files;
                self.files.follow(token, opened)
            }
            _ => {
                self.close();
                Vec::new()
            }
        }
    }

    /// Nothing is to be chosen any more.
    pub(crate) fn close(&mut self) {
        self.files.stop();
        self.open = OpenMenu::None;
    }

    /// A key, while this is what stands before the cursor; nothing if it is not the menu's.
    pub(crate) fn key(&mut self, key: Key, before: &str) -> Option<MenuAction> {
        if key == Key::plain(Code::Esc) && self.is_open() {
            let start = match self.open {
                OpenMenu::Files => files::typed(before).map_or(0, |token| token.start),
                _ => 0,
            };
            self.files.stop();
            self.open = OpenMenu::Dismissed(start);
            return Some(MenuAction::Stay);
        }
        let list = match &mut self.open {
            OpenMenu::None | OpenMenu::Dismissed(_) => return None,
            OpenMenu::Commands(commands) => commands.list(),
            OpenMenu::Files => self.files.list(),
        };
        match key {
            Key { code: Code::Up, .. } | Key { code: Code::Char('p'), ctrl: true, .. } => list.up(),
            Key { code: Code::Down, .. } | Key { code: Code::Char('n'), ctrl: true, .. } => list.down(),
            _ => return self.take(key, before),
        }
        .then_some(MenuAction::Stay)
    }

    fn take(&mut self, key: Key, before: &str) -> Option<MenuAction> {
        let enter = key == Key::plain(Code::Enter);
        if !enter && key != Key::plain(Code::Tab) {
            return None;
        }
        match &self.open {
            OpenMenu::Commands(commands) if enter => commands.enter(),
            OpenMenu::Commands(commands) => commands.tab(),
            OpenMenu::Files => self.files.take(before, enter),
            OpenMenu::None | OpenMenu::Dismissed(_) => None,
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.open, OpenMenu::Commands(_) | OpenMenu::Files)
    }

    /// The files of the project are known.
    pub(crate) fn files(&mut self, files: Arc<[String]>) -> Vec<UiEffect> {
        let open = matches!(self.open, OpenMenu::Files);
        self.files.known(files, open)
    }

    /// Files that match what was typed, if nothing was typed since.
    pub(crate) fn matches(&mut self, ticket: u64, found: Vec<Match>) {
        self.files.found(ticket, found);
    }

    /// The open menu, in at most so many rows.
    pub(crate) fn rows(&self, ctx: RenderContext, most: usize) -> Vec<Line<'static>> {
        let most = most.min(MOST_ROWS);
        match &self.open {
            OpenMenu::None | OpenMenu::Dismissed(_) => Vec::new(),
            OpenMenu::Commands(commands) => commands.rows(ctx, most),
            OpenMenu::Files => self.files.rows(ctx, most),
        }
    }
}

#[cfg(test)]
mod tests;
