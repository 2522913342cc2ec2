//! What a line with a slash does, a file for each command.

mod agents;
mod clear;
mod compact;
mod config;
mod cost;
mod diff;
mod doctor;
mod exit;
mod export;
mod help;
mod hooks;
mod init;
mod mode;
mod model;
mod permissions;
mod plan;
mod resume;
mod status;
mod tasks;
#[cfg(test)]
mod tests;
mod theme;
mod todos;
mod trust;

use crate::app::{App, UiEffect};
use crate::markdown::RenderContext;
use crate::text::{Indent, sanitize, wrap};
use forelook_protocol::nearest;
use ratatui_core::text::{Line, Span};

pub(crate) use export::written;
pub(crate) use resume::{session_picker, sessions};
pub(crate) use theme::{saved as theme_saved, set as set_theme};

/// A command.
pub(crate) struct SlashCommand {
    /// Its name, without the slash.
    pub(crate) name: &'static str,
    /// What may stand behind it, such as `[name]`.
    pub(crate) usage: &'static str,
    /// What it does, in a few words.
    pub(crate) about: &'static str,
    /// Does it, with what stood behind it.
    pub(crate) run: fn(&mut App, &str) -> Vec<UiEffect>,
}

/// All of them, in the order of the menu.
pub(crate) const ALL: [&SlashCommand; 23] = [
    &plan::PLAN,
    &mode::MODE,
    &model::MODEL,
    &permissions::PERMISSIONS,
    &trust::TRUST,
    &config::CONFIG,
    &hooks::HOOKS,
    &todos::TODOS,
    &agents::AGENTS,
    &diff::DIFF,
    &tasks::TASKS,
    &compact::COMPACT,
    &compact::CONTEXT,
    &cost::COST,
    &status::STATUS,
    &doctor::DOCTOR,
    &resume::RESUME,
    &clear::CLEAR,
    &export::EXPORT,
    &init::INIT,
    &theme::THEME,
    &help::HELP,
    &exit::EXIT,
];

/// Other names, for fingers that know them from elsewhere. The menu does not show them.
const ALIASES: [(&str, &SlashCommand); 1] = [("quit", &exit::EXIT)];

/// The command of this name.
pub(crate) fn named(name: &str) -> Option<&'static SlashCommand> {
    let alias = || ALIASES.into_iter().find(|(alias, _)| *alias == name).map(|(_, slash)| slash);
    ALL.into_iter().find(|slash| slash.name == name).or_else(alias)
}

/// What is said of a name that no command has.
pub(crate) fn unknown(name: &str) -> String {
    match nearest(name, ALL.iter().map(|slash| slash.name).chain(ALIASES.map(|(alias, _)| alias))) {
        Some(near) => format!("Unknown command `/{name}`. Did you mean `/{near}`?"),
        None => format!("Unknown command `/{name}`. Type `/help` for a list"),
    }
}

/// Pairs of a name and what is said of it, the names in a column.
fn pairs(pairs: &[(String, String)], ctx: RenderContext) -> Vec<Line<'static>> {
    let widest =
        pairs.iter().map(|(name, _)| forelook_wording::display_width(name)).max().unwrap_or_default();
    // In a narrow window the words stand below the name.
    let beside = widest + 24 <= ctx.width;
    let mut rows = Vec::new();
    for (name, words) in pairs {
        let name = sanitize(name).into_owned();
        let words = Line::from(sanitize(words).into_owned());
        if beside {
            let blanks = " ".repeat(widest.saturating_sub(forelook_wording::display_width(&name)) + 2);
            let lead = Span::styled(format!("  {name}{blanks}"), ctx.theme.quiet);
            rows.extend(wrap(&words, ctx.width, &Indent::first(lead)));
        } else {
            // A line without a name goes on with the one before.
            let named = !name.is_empty();
            let name = wrap(&Line::styled(name, ctx.theme.quiet), ctx.width, &Indent::all("  "));
            rows.extend(name.into_iter().filter(|_| named));
            rows.extend(wrap(&words, ctx.width, &Indent::all("    ")));
        }
    }
    rows
}
