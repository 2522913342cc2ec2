//! What things look like: a style for each meaning, never a colour by itself.
//!
//! Each theme has its colours three times over: as exact values, as numbers of the palette of 256, and by name for
//! terminals with sixteen. The last is no rounding of the first: there, what is near may be what cannot be read.

mod few;
mod rich;
mod terminal;
#[cfg(test)]
mod tests;

use ratatui_core::style::{Modifier, Style};

use crate::term::Depth;

pub use terminal::Speaks;

/// A style for each meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    /// What settings and commands call it.
    pub(crate) name: &'static str,
    /// What the terminal can show of it.
    pub(crate) depth: Depth,
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
    pub(crate) ground: Option<Grounds>,
    /// The parts of code.
    pub(crate) syntax: Syntax,
}

/// What is behind lines of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grounds {
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
    pub(crate) const DARK: Self = rich::theme(&rich::DARK, Depth::Palette);
    /// On a light ground.
    pub(crate) const LIGHT: Self = rich::theme(&rich::LIGHT, Depth::Palette);
    /// On a black ground, for eyes that need more.
    pub(crate) const HIGH_CONTRAST: Self = rich::theme(&rich::HIGH_CONTRAST, Depth::Palette);
    /// On a dark ground, with blue and orange where others have green and red.
    pub(crate) const COLOUR_BLIND: Self = rich::theme(&rich::COLOUR_BLIND, Depth::Palette);

    /// All of them, the usual one first.
    pub(crate) const ALL: [Self; 4] = [Self::DARK, Self::LIGHT, Self::HIGH_CONTRAST, Self::COLOUR_BLIND];

    /// The theme of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name == name)
    }

    /// The same theme on a terminal with so many colours.
    pub(crate) fn on(self, depth: Depth) -> Self {
        match depth {
            Depth::None => few::none(self.name),
            Depth::Sixteen => few::theme(self.name),
            Depth::Palette | Depth::Full => rich::theme(rich::named(self.name), depth),
        }
    }
}
