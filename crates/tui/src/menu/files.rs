//! The files that fit to what is typed behind an `@`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use forelook_protocol::Query;
use ratatui_core::text::Line;

use super::MenuAction;
use super::list::List;
use super::matching::{Match, MatchRequest, Paths, Ticket};
use super::rows::{choice, path};
use crate::app::{UiEffect, UiTask};
use crate::markdown::RenderContext;

/// A path that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Where its `@` is.
    pub(super) start: usize,
    pub(super) words: String,
}

/// Files to choose from. The first is chosen at once: a path in the text does nothing yet.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// All of them; from the last time, until they are read anew.
    paths: Option<Arc<Paths>>,
    /// What is typed.
    words: String,
    /// The newest question to the one who compares.
    newest: Arc<AtomicU64>,
    found: Vec<Match>,
    /// Whether what was found is for what is typed now.
    answered: bool,
    list: List,
}

/// The path at the end of this text: behind an `@` with a blank or nothing before it, in quotes if it has blanks.
pub(super) fn typed(before: &str) -> Option<Token> {
    let (start, _) = before.match_indices('@').rfind(|(at, _)| {
        let begins = before[..*at].chars().next_back().is_none_or(char::is_whitespace);
        begins && is_open(&before[at + 1..])
    })?;
    let words = &before[start + 1..];
    Some(Token { start, words: words.strip_prefix('"').unwrap_or(words).to_owned() })
}

fn is_open(words: &str) -> bool {
    match words.strip_prefix('"') {
        Some(quoted) => !quoted.contains(['"', '\n']),
        None => !words.contains(char::is_whitespace),
    }
}

impl Files {
    /// Something else is typed, or the menu opened.
    pub(super) fn follow(&mut self, token: Token, opened: bool) -> Vec<UiEffect> {
        let mut effects = Vec::new();
        if opened {
            self.list = List::default();
            self.found.clear();
            effects.push(UiEffect::Spawn(UiTask::Ask(Query::Files)));
        }
        if opened || token.words != self.words {
            self.words = token.words;
            self.answered = false;
            effects.extend(self.compare());
        }
        effects
    }

    /// Whoever compares may stop.
    pub(super) fn stop(&mut self) {
        self.newest.fetch_add(1, Ordering::Relaxed);
    }

    /// All files, read anew. What was found before still counts until they are compared: a key must not be lost to that.
    pub(super) fn known(&mut self, files: Arc<[String]>, open: bool) -> Vec<UiEffect> {
        self.paths = Some(Arc::new(Paths::new(files)));
        if open { self.compare().into_iter().collect() } else { Vec::new() }
    }

    fn compare(&mut self) -> Option<UiEffect> {
        let ticket = Ticket::next(&self.newest);
        let paths = Arc::clone(self.paths.as_ref()?);
        Some(UiEffect::Spawn(UiTask::Match(MatchRequest { paths, words: self.words.clone(), ticket })))
    }

    pub(super) fn found(&mut self, ticket: u64, found: Vec<Match>) {
        if ticket == self.newest.load(Ordering::Relaxed) {
            self.list = List::new(found.len(), Some(0));
            self.found = found;
            self.answered = true;
        }
    }

    pub(super) fn list(&mut self) -> &mut List {
        &mut self.list
    }

    /// Puts the chosen one in. Enter with a whole path sends the text, and so it does if nothing fits; before that is
    /// known it waits, or it would send half a path.
    pub(super) fn take(&self, before: &str, enter: bool) -> Option<MenuAction> {
        if !self.answered {
            return Some(MenuAction::Stay);
        }
        let chosen = self.found.get(self.list.chosen()?)?;
        if enter && chosen.path == self.words {
            return None;
        }
        let token = typed(before)?;
        Some(MenuAction::Complete { before: before.len() - token.start, text: written(&chosen.path) })
    }

    pub(super) fn rows(&self, ctx: RenderContext, most: usize) -> Vec<Line<'static>> {
        let say = |words: &'static str| vec![Line::styled(words, ctx.theme.quiet)];
        if self.paths.is_none() {
            return say("  loading files…");
        }
        if self.found.is_empty() {
            return if self.answered { say("  no matching files") } else { say("  …") };
        }
        let row = |at: usize| {
            let found = self.found.get(at)?;
            Some(choice(path(found, ctx.width.saturating_sub(3)), self.list.chosen() == Some(at), ctx))
        };
        self.list.rows(most, ctx, row)
    }
}

/// The path as it stands in the text. Behind a folder one can go on.
fn written(path: &str) -> String {
    match (path.contains(char::is_whitespace), path.ends_with('/')) {
        (true, _) => format!("@\"{path}\" "),
        (false, true) => format!("@{path}"),
        (false, false) => format!("@{path} "),
    }
}
