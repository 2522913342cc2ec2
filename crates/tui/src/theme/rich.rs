//! Themes for terminals with 256 colours and more.

use ratatui_core::style::{Color, Modifier, Style};

use super::{Grounds, Syntax, Theme};
use crate::term::Depth;

/// A colour: its exact value, and the nearest number of the palette of 256 that can still be read. Numbers below 16 are
/// not used: what they look like is the terminal's business.
#[derive(Clone, Copy)]
pub(super) struct Ink(u32, u8);

impl Ink {
    const fn at(self, depth: Depth) -> Color {
        match depth {
            Depth::Full => Color::from_u32(self.0),
            Depth::None | Depth::Sixteen | Depth::Palette => Color::Indexed(self.1),
        }
    }
}

pub(super) struct Inks {
    name: &'static str,
    quiet: Ink,
    code: Ink,
    link: Ink,
    person: Ink,
    good: Ink,
    bad: Ink,
    warning: Ink,
    plan: Ink,
    edits: Ink,
    added: u32,
    removed: u32,
    keyword: Ink,
    string: Ink,
    number: Ink,
    comment: Ink,
    kind: Ink,
}

pub(super) const DARK: Inks = Inks {
    name: "dark",
    quiet: Ink(0x9a_9a_9a, 247),
    code: Ink(0xd7_b0_87, 180),
    link: Ink(0x87_b5_e0, 110),
    person: Ink(0xd6_d6_d6, 252),
    good: Ink(0x87_d7_87, 114),
    bad: Ink(0xff_87_87, 210),
    warning: Ink(0xff_d7_5f, 221),
    plan: Ink(0x5f_d7_d7, 80),
    edits: Ink(0xc7_a0_ff, 183),
    added: 0x16_30_1e,
    removed: 0x3a_1c_20,
    keyword: Ink(0xd7_9a_e6, 176),
    string: Ink(0xa5_d0_8a, 150),
    number: Ink(0xe6_b4_7d, 216),
    comment: Ink(0x9a_9a_9a, 247),
    kind: Ink(0x7f_cf_e0, 116),
};

pub(super) const LIGHT: Inks = Inks {
    name: "light",
    quiet: Ink(0x5f_5f_5f, 59),
    code: Ink(0x8a_3d_00, 88),
    link: Ink(0x00_51_a8, 25),
    person: Ink(0x30_30_30, 236),
    good: Ink(0x00_62_00, 22),
    bad: Ink(0xb0_00_00, 124),
    warning: Ink(0x7d_50_00, 94),
    plan: Ink(0x00_5f_5f, 23),
    edits: Ink(0x6a_1b_9a, 54),
    added: 0xdd_f4_e0,
    removed: 0xff_e2_e0,
    keyword: Ink(0x87_00_87, 90),
    string: Ink(0x00_5f_00, 22),
    number: Ink(0x00_3f_af, 19),
    comment: Ink(0x5f_5f_5f, 59),
    kind: Ink(0x00_5f_87, 24),
};

pub(super) const HIGH_CONTRAST: Inks = Inks {
    name: "high-contrast",
    quiet: Ink(0xd0_d0_d0, 252),
    code: Ink(0xff_d7_af, 223),
    link: Ink(0x87_d7_ff, 117),
    person: Ink(0xff_ff_ff, 231),
    good: Ink(0x5f_ff_5f, 83),
    bad: Ink(0xff_af_af, 217),
    warning: Ink(0xff_ff_00, 226),
    plan: Ink(0x00_ff_ff, 51),
    edits: Ink(0xd7_af_ff, 183),
    added: 0x00_2a_00,
    removed: 0x3a_00_00,
    keyword: Ink(0xff_af_ff, 219),
    string: Ink(0xaf_ff_af, 157),
    number: Ink(0xff_d7_87, 222),
    comment: Ink(0xd0_d0_d0, 252),
    kind: Ink(0x87_ff_ff, 123),
};

pub(super) const COLOUR_BLIND: Inks = Inks {
    name: "colour-blind",
    quiet: Ink(0x9a_9a_9a, 247),
    code: Ink(0xd7_c8_a0, 187),
    link: Ink(0xa8_c8_f0, 153),
    person: Ink(0xd6_d6_d6, 252),
    good: Ink(0x6f_b7_ff, 75),
    bad: Ink(0xff_9a_3d, 215),
    warning: Ink(0xff_f0_6a, 227),
    plan: Ink(0xe0_b0_ff, 183),
    edits: Ink(0xff_c8_e0, 218),
    added: 0x12_28_46,
    removed: 0x42_26_0a,
    keyword: Ink(0x9c_c0_ff, 111),
    string: Ink(0xff_c0_80, 222),
    number: Ink(0xff_f0_6a, 227),
    comment: Ink(0x9a_9a_9a, 247),
    kind: Ink(0xe0_e0_ff, 189),
};

pub(super) fn named(name: &str) -> &'static Inks {
    match name {
        "light" => &LIGHT,
        "high-contrast" => &HIGH_CONTRAST,
        "colour-blind" => &COLOUR_BLIND,
        _ => &DARK,
    }
}

pub(super) const fn theme(inks: &Inks, depth: Depth) -> Theme {
    const fn fg(ink: Ink, depth: Depth) -> Style {
        Style::new().fg(ink.at(depth))
    }
    const fn bg(value: u32) -> Style {
        Style::new().bg(Color::from_u32(value))
    }
    // Among 256 colours none is quiet enough to be behind letters.
    let ground = match depth {
        Depth::Full => Some(Grounds { added: bg(inks.added), removed: bg(inks.removed) }),
        Depth::None | Depth::Sixteen | Depth::Palette => None,
    };
    Theme {
        name: inks.name,
        depth,
        quiet: fg(inks.quiet, depth),
        heading: Style::new().add_modifier(Modifier::BOLD),
        code: fg(inks.code, depth),
        link: fg(inks.link, depth).add_modifier(Modifier::UNDERLINED),
        person: fg(inks.person, depth),
        good: fg(inks.good, depth),
        bad: fg(inks.bad, depth),
        warning: fg(inks.warning, depth),
        plan: fg(inks.plan, depth),
        edits: fg(inks.edits, depth),
        changed: Modifier::REVERSED,
        ground,
        syntax: Syntax {
            keyword: fg(inks.keyword, depth),
            string: fg(inks.string, depth),
            number: fg(inks.number, depth),
            comment: fg(inks.comment, depth).add_modifier(Modifier::ITALIC),
            kind: fg(inks.kind, depth),
        },
    }
}
