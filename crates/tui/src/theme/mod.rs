//! What things look like: a style for each meaning, never a colour by itself.
//!
//! Each theme has its colours three times over: as exact values, as numbers of the palette of 256, and by name for
//! terminals with sixteen. The last is no rounding of the first: there, what is near may be what cannot be read.

mod basic;
mod extended;
mod terminal;
#[cfg(test)]
mod tests;

use ratatui_core::style::{Modifier, Style};

use crate::term::ColorDepth;

pub use terminal::NotifyStyle;

/// A style for each meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    /// What settings and commands call it.
    pub(crate) name: &'static str,
    /// What the terminal can show of it.
    pub(crate) depth: ColorDepth,
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
    /// The mode that accepts edits.
    pub(crate) edits: Style,
    /// The part of a line that changed.
    pub(crate) changed: Modifier,
    /// Behind lines that were added and removed, where there are colours enough to tell letters from what is behind them.
    pub(crate) ground: Option<DiffBackgrounds>,
    /// The parts of code.
    pub(crate) syntax: Syntax,
}

/// What is behind lines of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DiffBackgrounds {
    pub(crate) added: Style,
    pub(crate) removed: Style,
}

/// The parts of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Syntax {
    pub(crate) keyword: Style,
    pub(crate) string: Style,
    pub(crate) number: Style,
    pub(crate) comment: Style,
    /// Names of types.
    pub(crate) kind: Style,
}

impl Theme {
    /// On a dark ground.
    pub(crate) const DARK: Self = extended::theme(&extended::DARK, ColorDepth::Palette);
    /// On a light ground.
    pub(crate) const LIGHT: Self = extended::theme(&extended::LIGHT, ColorDepth::Palette);
    /// On a black ground, for eyes that need more.
    pub(crate) const HIGH_CONTRAST: Self = extended::theme(&extended::HIGH_CONTRAST, ColorDepth::Palette);
    /// On a dark ground, with blue and orange where others have green and red.
    pub(crate) const COLOR_BLIND: Self = extended::theme(&extended::COLOR_BLIND, ColorDepth::Palette);

    /// All of them, the usual one first.
    pub(crate) const ALL: [Self; 4] = [Self::DARK, Self::LIGHT, Self::HIGH_CONTRAST, Self::COLOR_BLIND];

    /// The theme of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name == name)
    }

    /// The same theme on a terminal with so many colours.
    pub(crate) fn on(self, depth: ColorDepth) -> Self {
        match depth {
            ColorDepth::None => basic::none(self.name),
            ColorDepth::Sixteen => basic::theme(self.name),
            ColorDepth::Palette | ColorDepth::Full => extended::theme(extended::named(self.name), depth),
        }
    }
}
