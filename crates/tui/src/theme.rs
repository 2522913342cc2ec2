//! What things look like: a style for each meaning, never a colour by itself.

use ratatui_core::style::{Color, Modifier, Style};

/// A style for each meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    /// Words that matter less.
    pub(crate) quiet: Style,
    /// Headings.
    pub(crate) heading: Style,
    /// Code in a line, and code whose language is unknown.
    pub(crate) code: Style,
    /// Links, paths.
    pub(crate) link: Style,
    /// What the person wrote.
    pub(crate) person: Style,
    /// Something that went well; lines that were added.
    pub(crate) good: Style,
    /// Something that failed; lines that were removed.
    pub(crate) bad: Style,
    /// Something to be careful with.
    pub(crate) warning: Style,
    /// Plan mode and plans.
    pub(crate) plan: Style,
    /// The part of a line that changed.
    pub(crate) changed: Modifier,
}

impl Theme {
    /// On a dark ground.
    pub(crate) const DARK: Self = Self {
        quiet: Style::new().fg(Color::Indexed(245)),
        heading: Style::new().add_modifier(Modifier::BOLD),
        code: Style::new().fg(Color::Indexed(180)),
        link: Style::new().fg(Color::Indexed(110)).add_modifier(Modifier::UNDERLINED),
        person: Style::new().fg(Color::Indexed(252)),
        good: Style::new().fg(Color::Indexed(114)),
        bad: Style::new().fg(Color::Indexed(203)),
        warning: Style::new().fg(Color::Indexed(221)),
        plan: Style::new().fg(Color::Indexed(80)),
        changed: Modifier::REVERSED,
    };
}
