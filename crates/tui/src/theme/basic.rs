//! Themes for terminals with sixteen colours, and for none.
//!
//! What the sixteen look like is the terminal's business, so each meaning has the one that is readable in the palettes
//! that terminals come with. Grey is none of them: "bright black" is the ground itself in some palettes; what matters
//! less is dim.

use ratatui_core::style::{Color, Modifier, Style};

use super::{Syntax, Theme};
use crate::term::ColorDepth;

const PLAIN: Style = Style::new();
const BOLD: Style = PLAIN.add_modifier(Modifier::BOLD);
const DIM: Style = PLAIN.add_modifier(Modifier::DIM);
const UNDERLINED: Style = PLAIN.add_modifier(Modifier::UNDERLINED);

/// No colours: signs and words say it all, and these stress them.
const NONE: Theme = Theme {
    name: "dark",
    depth: ColorDepth::None,
    quiet: DIM,
    heading: BOLD,
    code: PLAIN,
    link: UNDERLINED,
    person: PLAIN,
    good: PLAIN,
    bad: BOLD,
    warning: BOLD,
    plan: BOLD,
    edits: PLAIN,
    changed: Modifier::BOLD.union(Modifier::UNDERLINED),
    ground: None,
    syntax: Syntax { keyword: PLAIN, string: PLAIN, number: PLAIN, comment: DIM, kind: PLAIN },
};

const fn fg(color: Color) -> Style {
    Style::new().fg(color)
}

const DARK: Theme = Theme {
    depth: ColorDepth::Sixteen,
    code: fg(Color::Yellow),
    link: fg(Color::LightCyan).add_modifier(Modifier::UNDERLINED),
    good: fg(Color::LightGreen),
    bad: fg(Color::LightRed),
    warning: fg(Color::LightYellow),
    plan: fg(Color::LightCyan),
    edits: fg(Color::LightMagenta),
    changed: Modifier::REVERSED,
    syntax: Syntax {
        keyword: fg(Color::LightMagenta),
        string: fg(Color::LightGreen),
        number: fg(Color::LightYellow),
        comment: DIM,
        kind: fg(Color::LightCyan),
    },
    ..NONE
};

/// Green, yellow and cyan cannot be read on white in most palettes.
const LIGHT: Theme = Theme {
    name: "light",
    code: fg(Color::Magenta),
    link: fg(Color::Blue).add_modifier(Modifier::UNDERLINED),
    good: fg(Color::Blue),
    bad: fg(Color::Red),
    warning: fg(Color::Magenta).add_modifier(Modifier::BOLD),
    plan: fg(Color::Blue).add_modifier(Modifier::BOLD),
    edits: fg(Color::Magenta),
    syntax: Syntax {
        keyword: fg(Color::Magenta),
        string: fg(Color::Blue),
        number: fg(Color::Red),
        comment: DIM,
        kind: BOLD,
    },
    ..DARK
};

/// Neither red nor magenta stands out enough: what failed is turned round instead.
const HIGH_CONTRAST: Theme = Theme {
    name: "high-contrast",
    quiet: PLAIN,
    person: BOLD,
    code: fg(Color::LightYellow),
    bad: BOLD.add_modifier(Modifier::REVERSED),
    edits: fg(Color::LightGreen).add_modifier(Modifier::BOLD),
    warning: fg(Color::LightYellow).add_modifier(Modifier::BOLD),
    changed: Modifier::UNDERLINED,
    syntax: Syntax {
        keyword: BOLD,
        string: fg(Color::LightGreen),
        number: fg(Color::LightYellow),
        comment: PLAIN.add_modifier(Modifier::ITALIC),
        kind: fg(Color::LightCyan),
    },
    ..DARK
};

/// Cyan and yellow are the blue and the orange of the sixteen: blue itself is too dark.
const COLOR_BLIND: Theme = Theme {
    name: "color-blind",
    good: fg(Color::LightCyan),
    bad: fg(Color::LightYellow),
    warning: fg(Color::LightYellow).add_modifier(Modifier::BOLD),
    plan: fg(Color::LightMagenta),
    edits: fg(Color::White).add_modifier(Modifier::BOLD),
    syntax: Syntax {
        keyword: BOLD,
        string: fg(Color::LightYellow),
        number: fg(Color::LightMagenta),
        comment: DIM,
        kind: fg(Color::LightCyan),
    },
    ..DARK
};

/// Without colours all themes are one.
pub(super) fn none(name: &'static str) -> Theme {
    Theme { name, ..NONE }
}

pub(super) fn theme(name: &str) -> Theme {
    match name {
        "light" => LIGHT,
        "high-contrast" => HIGH_CONTRAST,
        "color-blind" => COLOR_BLIND,
        _ => DARK,
    }
}
