//! Every theme can be read, whatever the terminal has.

use ratatui_core::style::{Color, Modifier, Style};

use super::*;

const DEPTHS: [ColorDepth; 4] =
    [ColorDepth::None, ColorDepth::Sixteen, ColorDepth::Palette, ColorDepth::Full];

/// What xterm shows for the sixteen; other palettes are kinder.
const SIXTEEN: [(Color, u32); 16] = [
    (Color::Black, 0x00_00_00),
    (Color::Red, 0xcd_00_00),
    (Color::Green, 0x00_cd_00),
    (Color::Yellow, 0xcd_cd_00),
    (Color::Blue, 0x00_00_ee),
    (Color::Magenta, 0xcd_00_cd),
    (Color::Cyan, 0x00_cd_cd),
    (Color::Gray, 0xe5_e5_e5),
    (Color::DarkGray, 0x7f_7f_7f),
    (Color::LightRed, 0xff_00_00),
    (Color::LightGreen, 0x00_ff_00),
    (Color::LightYellow, 0xff_ff_00),
    (Color::LightBlue, 0x5c_5c_ff),
    (Color::LightMagenta, 0xff_00_ff),
    (Color::LightCyan, 0x00_ff_ff),
    (Color::White, 0xff_ff_ff),
];

fn value(color: Color) -> (u8, u8, u8) {
    let of_number = |number: u32| {
        let [_, red, green, blue] = number.to_be_bytes();
        (red, green, blue)
    };
    match color {
        Color::Rgb(red, green, blue) => (red, green, blue),
        Color::Indexed(index) => {
            assert!(index > 15, "what {index} looks like is not known");
            crate::term::of_palette(index)
        }
        named => of_number(SIXTEEN.into_iter().find(|it| it.0 == named).unwrap().1),
    }
}

/// WCAG 2.2, relative luminance.
fn luminance((red, green, blue): (u8, u8, u8)) -> f64 {
    let part = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
}

fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// What the letters of each meaning look like.
fn letters(theme: Theme) -> Vec<(&'static str, Style)> {
    let Syntax { keyword, string, number, comment, kind } = theme.syntax;
    vec![
        ("quiet", theme.quiet),
        ("heading", theme.heading),
        ("code", theme.code),
        ("link", theme.link),
        ("person", theme.person),
        ("good", theme.good),
        ("bad", theme.bad),
        ("warning", theme.warning),
        ("plan", theme.plan),
        ("edits", theme.edits),
        ("keyword", keyword),
        ("string", string),
        ("number", number),
        ("comment", comment),
        ("kind", kind),
    ]
}

/// Grounds that such a theme is used on.
fn grounds(theme: Theme, depth: ColorDepth) -> Vec<(u8, u8, u8)> {
    match (theme.name, depth) {
        ("light", ColorDepth::Sixteen) => vec![(255, 255, 255)],
        ("light", _) => vec![(255, 255, 255), (0xf5, 0xf5, 0xf5)],
        ("high-contrast", _) | (_, ColorDepth::Sixteen) => vec![(0, 0, 0)],
        _ => vec![(0, 0, 0), (0x28, 0x2c, 0x34)],
    }
}

#[test]
fn letters_stand_out_from_the_ground() {
    for (theme, depth) in Theme::ALL.into_iter().flat_map(|theme| DEPTHS.map(|depth| (theme, depth))) {
        let least = if theme.name == "high-contrast" { 7.0 } else { 4.5 };
        let theme = theme.on(depth);
        let behind = theme.ground.map(|it| [it.added, it.removed].map(|it| value(it.bg.unwrap())));
        for (name, style) in letters(theme) {
            let Some(color) = style.fg else { continue };
            let code = ["keyword", "string", "number", "kind"].contains(&name);
            let behind = behind.into_iter().flatten().filter(|_| code);
            for ground in grounds(theme, depth).into_iter().chain(behind) {
                let found = contrast(value(color), ground);
                assert!(found >= least, "{} {depth:?} {name} on {ground:02x?}: {found:.2}", theme.name);
            }
        }
    }
}

#[test]
fn meanings_can_be_told_apart() {
    for (theme, depth) in Theme::ALL.into_iter().flat_map(|theme| DEPTHS.map(|depth| (theme, depth))) {
        let theme = theme.on(depth);
        assert_eq!(theme.depth, depth);
        let plain = Style::new();
        let mut pairs = vec![
            ("bad and good", theme.bad, theme.good),
            ("link and text", theme.link, plain),
            ("heading and text", theme.heading, plain),
            ("plan and text", theme.plan, plain),
            ("warning and text", theme.warning, plain),
            ("bad and text", theme.bad, plain),
        ];
        if theme.name != "high-contrast" {
            pairs.push(("quiet and text", theme.quiet, plain));
        }
        if depth != ColorDepth::None {
            pairs.extend([
                ("bad and warning", theme.bad, theme.warning),
                ("good and warning", theme.good, theme.warning),
                ("plan and good", theme.plan, theme.good),
                ("plan and bad", theme.plan, theme.bad),
                ("plan and warning", theme.plan, theme.warning),
                ("edits and plan", theme.edits, theme.plan),
                ("edits and bad", theme.edits, theme.bad),
                ("edits and warning", theme.edits, theme.warning),
                ("code and text", theme.code, plain),
                ("keyword and string", theme.syntax.keyword, theme.syntax.string),
                ("string and number", theme.syntax.string, theme.syntax.number),
                ("comment and string", theme.syntax.comment, theme.syntax.string),
                ("keyword and kind", theme.syntax.keyword, theme.syntax.kind),
            ]);
        }
        for (what, a, b) in pairs {
            assert_ne!(a, b, "{} {depth:?}: {what}", theme.name);
        }
        assert!(!theme.changed.is_empty());
    }
}

#[test]
fn without_colours_there_are_none() {
    for theme in Theme::ALL {
        let theme = theme.on(ColorDepth::None);
        let allowed = Modifier::BOLD | Modifier::DIM | Modifier::UNDERLINED;
        for (name, style) in letters(theme) {
            assert_eq!((style.fg, style.bg), (None, None), "{name}");
            assert!(allowed.contains(style.add_modifier), "{name}");
        }
        assert!(allowed.contains(theme.changed) && theme.ground.is_none());
    }
}

/// Red and green are what most cannot tell apart: what is good is blue there, and what is bad is orange.
#[test]
fn good_and_bad_without_red_and_green() {
    for depth in [ColorDepth::Palette, ColorDepth::Full] {
        let theme = Theme::COLOR_BLIND.on(depth);
        let (good, bad) = (value(theme.good.fg.unwrap()), value(theme.bad.fg.unwrap()));
        assert!(good.2 > good.0 && good.2 > good.1, "{good:?} is blue");
        assert!(bad.0 > bad.1 && bad.1 > bad.2, "{bad:?} is orange");
    }
}

#[test]
fn themes_have_names() {
    for theme in Theme::ALL {
        assert_eq!(Theme::named(theme.name), Some(theme));
        assert_eq!(DEPTHS.map(|depth| theme.on(depth).name), [theme.name; 4]);
    }
    assert_eq!(Theme::named("plaid"), None);
}
