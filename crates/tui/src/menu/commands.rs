//! The commands that fit to what is typed behind a `/`.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui_core::text::{Line, Span};

use super::MenuAction;
use super::list::List;
use super::rows::{beginning, choice};
use crate::commands::SlashCommand;
use crate::markdown::RenderContext;

/// Commands to choose from. None is chosen at first.
pub(super) struct Commands {
    all: &'static [&'static SlashCommand],
    typed: String,
    found: Vec<&'static SlashCommand>,
    list: List,
}

/// The name that is being typed, if the text is the beginning of a command.
pub(super) fn typed<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let name = text.strip_prefix('/').filter(|_| !before.is_empty())?;
    name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).then_some(name)
}

impl Commands {
    pub(super) fn new(all: &'static [&'static SlashCommand], typed: &str) -> Self {
        let found = matching_commands(all, typed);
        Self { all, typed: typed.to_owned(), list: List::new(found.len(), None), found }
    }

    pub(super) fn follow(&mut self, typed: &str) {
        if self.typed != typed {
            *self = Self::new(self.all, typed);
        }
    }

    pub(super) fn list(&mut self) -> &mut List {
        &mut self.list
    }

    /// The chosen one, or a whole name, is run, unless it needs more. The beginning of a name is completed only: what is
    /// run was seen in full.
    pub(super) fn enter(&self) -> Option<MenuAction> {
        if let Some(slash) = self.list.chosen().and_then(|at| self.found.get(at)) {
            return Some(match needs_more(slash) {
                true => MenuAction::Write(completed(slash)),
                false => MenuAction::Say(format!("/{}", slash.name)),
            });
        }
        if self.found.iter().any(|slash| slash.name == self.typed) {
            return None;
        }
        let slash = self.found.iter().find(|slash| slash.name.starts_with(&self.typed))?;
        Some(match self.typed.is_empty() {
            true => MenuAction::Stay,
            false if needs_more(slash) => MenuAction::Write(completed(slash)),
            false => MenuAction::Write(format!("/{}", slash.name)),
        })
    }

    /// Completes the chosen one, or the first.
    pub(super) fn tab(&self) -> Option<MenuAction> {
        let slash = self.found.get(self.list.chosen().unwrap_or(0))?;
        Some(MenuAction::Write(completed(slash)))
    }

    pub(super) fn rows(&self, ctx: RenderContext, most: usize) -> Vec<Line<'static>> {
        let named = |slash: &SlashCommand| format!("/{} {}", slash.name, slash.usage).trim_end().to_owned();
        let widest = self.found.iter().map(|slash| named(slash).len()).max().unwrap_or(0);
        let column = widest.min(ctx.width / 2) + 2;
        let row = |at: usize| {
            let slash = self.found.get(at)?;
            let name = beginning(&named(slash), column - 2);
            let blanks = " ".repeat(column.saturating_sub(Span::raw(name.as_str()).width()));
            let about = beginning(slash.about, ctx.width.saturating_sub(column + 3));
            let words = vec![Span::raw(name), Span::raw(blanks), Span::styled(about, ctx.theme.quiet)];
            Some(choice(words, self.list.chosen() == Some(at), ctx))
        };
        self.list.rows(most, ctx, row)
    }
}

/// Names that begin with it first, then those that have its letters.
fn matching_commands(all: &[&'static SlashCommand], typed: &str) -> Vec<&'static SlashCommand> {
    let mut matcher = Matcher::new(Config::DEFAULT);
    let pattern = Pattern::new(typed, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut letters = Vec::new();
    let mut found: Vec<(bool, u32, &'static SlashCommand)> = Vec::new();
    for &slash in all {
        let score = pattern.score(Utf32Str::new(slash.name, &mut letters), &mut matcher);
        found.extend(score.map(|score| (slash.name.starts_with(typed), score, slash)));
    }
    // Sorting keeps the order of the menu among equals.
    found.sort_by_key(|(begins, score, _)| std::cmp::Reverse((*begins, *score)));
    found.into_iter().map(|(.., slash)| slash).collect()
}

/// `<words>` must be given, `[words]` may be.
fn needs_more(slash: &SlashCommand) -> bool {
    !slash.usage.is_empty() && !slash.usage.starts_with('[')
}

fn completed(slash: &SlashCommand) -> String {
    let blank = if slash.usage.is_empty() { "" } else { " " };
    format!("/{}{blank}", slash.name)
}
