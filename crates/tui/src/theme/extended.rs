//! Themes for terminals with 256 colours and more.

use ratatui_core::style::{Color, Modifier, Style};

use super::{DiffBackgrounds, Syntax, Theme};
use crate::term::ColorDepth;

/// A colour: its exact value, and the nearest number of the palette of 256 that can still be read. Numbers below 16 are
/// not used: what they look like is the terminal's business.
#[derive(Clone, Copy)]
pub(super) struct ThemeColor(u32, u8);

impl ThemeColor {
    const fn at(self, depth: ColorDepth) -> Color {
        match depth {
            ColorDepth::Full => Color::from_u32(self.0),
            ColorDepth::None | ColorDepth::Sixteen | ColorDepth::Palette => Color::Indexed(self.1),
        }
    }
}

pub(super) struct ThemePalette {
    name: &'static str,
    quiet: ThemeColor,
    code: ThemeColor,
    link: ThemeColor,
    person: ThemeColor,
    good: ThemeColor,
    bad: ThemeColor,
    warning: ThemeColor,
    plan: ThemeColor,
    edits: ThemeColor,
    added: u32,
    removed: u32,
    keyword: ThemeColor,
    string: ThemeColor,
    number: ThemeColor,
    comment: ThemeColor,
    kind: ThemeColor,
}

pub(super) const DARK: ThemePalette = ThemePalette {
    name: "dark",
    quiet: ThemeColor(0x9a_9a_9a, 247),
    code: ThemeColor(0xd7_b0_87, 180),
    link: ThemeColor(0x87_b5_e0, 110),
    person: ThemeColor(0xd6_d6_d6, 252),
    good: ThemeColor(0x87_d7_87, 114),
    bad: ThemeColor(0xff_87_87, 210),
    warning: ThemeColor(0xff_d7_5f, 221),
    plan: ThemeColor(0x5f_d7_d7, 80),
    edits: ThemeColor(0xc7_a0_ff, 183),
    added: 0x16_30_1e,
    removed: 0x3a_1c_20,
    keyword: ThemeColor(0xd7_9a_e6, 176),
    string: ThemeColor(0xa5_d0_8a, 150),
    number: ThemeColor(0xe6_b4_7d, 216),
    comment: ThemeColor(0x9a_9a_9a, 247),
    kind: ThemeColor(0x7f_cf_e0, 116),
};

pub(super) const LIGHT: ThemePalette = ThemePalette {
    name: "light",
    quiet: ThemeColor(0x5f_5f_5f, 59),
    code: ThemeColor(0x8a_3d_00, 88),
    link: ThemeColor(0x00_51_a8, 25),
    person: ThemeColor(0x30_30_30, 236),
    good: ThemeColor(0x00_62_00, 22),
    bad: ThemeColor(0xb0_00_00, 124),
    warning: ThemeColor(0x7d_50_00, 94),
    plan: ThemeColor(0x00_5f_5f, 23),
    edits: ThemeColor(0x6a_1b_9a, 54),
    added: 0xdd_f4_e0,
    removed: 0xff_e2_e0,
    keyword: ThemeColor(0x87_00_87, 90),
    string: ThemeColor(0x00_5f_00, 22),
    number: ThemeColor(0x00_3f_af, 19),
    comment: ThemeColor(0x5f_5f_5f, 59),
    kind: ThemeColor(0x00_5f_87, 24),
};

pub(super) const HIGH_CONTRAST: ThemePalette = ThemePalette {
    name: "high-contrast",
    quiet: ThemeColor(0xd0_d0_d0, 252),
    code: ThemeColor(0xff_d7_af, 223),
    link: ThemeColor(0x87_d7_ff, 117),
    person: ThemeColor(0xff_ff_ff, 231),
    good: ThemeColor(0x5f_ff_5f, 83),
    bad: ThemeColor(0xff_af_af, 217),
    warning: ThemeColor(0xff_ff_00, 226),
    plan: ThemeColor(0x00_ff_ff, 51),
    edits: ThemeColor(0xd7_af_ff, 183),
    added: 0x00_2a_00,
    removed: 0x3a_00_00,
    keyword: ThemeColor(0xff_af_ff, 219),
    string: ThemeColor(0xaf_ff_af, 157),
    number: ThemeColor(0xff_d7_87, 222),
    comment: ThemeColor(0xd0_d0_d0, 252),
    kind: ThemeColor(0x87_ff_ff, 123),
};

pub(super) const COLOR_BLIND: ThemePalette = ThemePalette {
    name: "color-blind",
    quiet: ThemeColor(0x9a_9a_9a, 247),
    code: ThemeColor(0xd7_c8_a0, 187),
    link: ThemeColor(0xa8_c8_f0, 153),
    person: ThemeColor(0xd6_d6_d6, 252),
    good: ThemeColor(0x6f_b7_ff, 75),
    bad: ThemeColor(0xff_9a_3d, 215),
    warning: ThemeColor(0xff_f0_6a, 227),
    plan: ThemeColor(0xe0_b0_ff, 183),
    edits: ThemeColor(0xff_c8_e0, 218),
    added: 0x12_28_46,
    removed: 0x42_26_0a,
    keyword: ThemeColor(0x9c_c0_ff, 111),
    string: ThemeColor(0xff_c0_80, 222),
    number: ThemeColor(0xff_f0_6a, 227),
    comment: ThemeColor(0x9a_9a_9a, 247),
    kind: ThemeColor(0xe0_e0_ff, 189),
};

pub(super) fn named(name: &str) -> &'static ThemePalette {
    match name {
        "light" => &LIGHT,
        "high-contrast" => &HIGH_CONTRAST,
        "color-blind" => &COLOR_BLIND,
        _ => &DARK,
    }
}

pub(super) const fn theme(palette: &ThemePalette, depth: ColorDepth) -> Theme {
    const fn fg(color: ThemeColor, depth: ColorDepth) -> Style {
        Style::new().fg(color.at(depth))
    }
    const fn bg(value: u32) -> Style {
        Style::new().bg(Color::from_u32(value))
    }
    // Among 256 colours none is quiet enough to be behind letters.
    let ground = match depth {
        ColorDepth::Full => Some(DiffBackgrounds { added: bg(palette.added), removed: bg(palette.removed) }),
        ColorDepth::None | ColorDepth::Sixteen | ColorDepth::Palette => None,
    };
    Theme {
        name: palette.name,
        depth,
        quiet: fg(palette.quiet, depth),
        heading: Style::new().add_modifier(Modifier::BOLD),
        code: fg(palette.code, depth),
        link: fg(palette.link, depth).add_modifier(Modifier::UNDERLINED),
        person: fg(palette.person, depth),
        good: fg(palette.good, depth),
        bad: fg(palette.bad, depth),
        warning: fg(palette.warning, depth),
        plan: fg(palette.plan, depth),
        edits: fg(palette.edits, depth),
        changed: Modifier::REVERSED,
        ground,
        syntax: Syntax {
            keyword: fg(palette.keyword, depth),
            string: fg(palette.string, depth),
            number: fg(palette.number, depth),
            comment: fg(palette.comment, depth).add_modifier(Modifier::ITALIC),
            kind: fg(palette.kind, depth),
        },
    }
}
