//! Rows of cells as bytes for a terminal.

use std::fmt::Write;

use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::{Color, Modifier, Style};
use unicode_width::UnicodeWidthStr;

/// How many colours the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ColorDepth {
    /// None, or none are wanted: bold, dim and underlined are left.
    None,
    /// The sixteen that every theme of a terminal defines.
    Sixteen,
    /// A palette of 256.
    Palette,
    /// Any.
    Full,
}

/// Writes the cells of one row, without blanks at its end; gives the columns it takes.
pub(crate) fn push_row(out: &mut String, buffer: &Buffer, row: u16, depth: ColorDepth) -> u16 {
    let cells = row_of(buffer, row);
    let used = cells.iter().rposition(|cell| !is_blank(cell)).map_or(0, |at| at + 1);
    let plain = Cell::EMPTY.style();
    let (mut style, mut column, mut skip) = (plain, 0, 0);
    for cell in &cells[..used] {
        if skip > 0 {
            // The second half of a wide character.
            skip -= 1;
            continue;
        }
        let now = cell.style();
        if now != style {
            push_style(out, now, depth);
            style = now;
        }
        out.push_str(cell.symbol());
        let width = cell.symbol().width().max(1);
        column += width;
        skip = width - 1;
    }
    if style != plain {
        out.push_str("\x1b[0m");
    }
    u16::try_from(column).unwrap_or(u16::MAX)
}

fn row_of(buffer: &Buffer, row: u16) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    let start = usize::from(row) * width;
    buffer.content.get(start..start + width).unwrap_or_default()
}

/// How many rows of a window of this width a terminal makes of so many columns of a row.
pub(crate) fn rows_of(buffer: &Buffer, row: u16, columns: u16, width: u16) -> u16 {
    let (mut rows, mut column, mut skip) = (1, 0, 0);
    for cell in row_of(buffer, row).iter().take(usize::from(columns)) {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let wide = cell.symbol().width().max(1);
        // A wide character that does not fit goes to the next row as a whole.
        if column + wide > usize::from(width) {
            rows += 1;
            column = 0;
        }
        column += wide;
        skip = wide - 1;
    }
    rows
}

/// Whether two buffers have the same cells in this row.
pub(crate) fn same_row(a: &Buffer, b: &Buffer, row: u16) -> bool {
    row_of(a, row) == row_of(b, row)
}

fn is_blank(cell: &Cell) -> bool {
    let seen = Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT;
    cell.symbol() == " " && cell.bg == Color::Reset && !cell.modifier.intersects(seen)
}

fn push_style(out: &mut String, style: Style, depth: ColorDepth) {
    out.push_str("\x1b[0");
    let modifier = style.add_modifier;
    for (flag, code) in [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ] {
        if modifier.contains(flag) {
            let _ = write!(out, ";{code}");
        }
    }
    push_color(out, style.fg.unwrap_or(Color::Reset), 30, depth);
    push_color(out, style.bg.unwrap_or(Color::Reset), 40, depth);
    out.push('m');
}

/// `base` is 30 for the letters and 40 for what is behind them.
fn push_color(out: &mut String, color: Color, base: u8, depth: ColorDepth) {
    let basic = |number: u8| if number < 8 { base + number } else { base + 52 + number };
    let _ = match (fitted(color, depth), depth) {
        (_, ColorDepth::None) | (Color::Reset, _) => Ok(()),
        (Color::Rgb(red, green, blue), _) => write!(out, ";{};2;{red};{green};{blue}", base + 8),
        (Color::Indexed(index), _) if index > 15 => write!(out, ";{};5;{index}", base + 8),
        (other, _) => write!(out, ";{}", basic(number_of(other))),
    };
}

/// The nearest colour that the terminal has.
fn fitted(color: Color, depth: ColorDepth) -> Color {
    match (color, depth) {
        (Color::Rgb(red, green, blue), ColorDepth::Palette) => Color::Indexed(in_palette(red, green, blue)),
        (Color::Rgb(red, green, blue), ColorDepth::Sixteen) => Color::Indexed(of_sixteen(red, green, blue)),
        (Color::Indexed(index @ 16..), ColorDepth::Sixteen) => {
            let (red, green, blue) = of_palette(index);
            Color::Indexed(of_sixteen(red, green, blue))
        }
        (other, _) => other,
    }
}

fn number_of(color: Color) -> u8 {
    match color {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::Indexed(index) => index.min(15),
        Color::White | Color::Reset | Color::Rgb(..) => 15,
    }
}

/// The cube of 6×6×6 that begins at 16; its steps are 0, 95, 135, 175, 215, 255.
fn in_palette(red: u8, green: u8, blue: u8) -> u8 {
    let step = |value: u8| match value {
        0..48 => 0,
        48..115 => 1,
        _ => (value - 35) / 40,
    };
    16 + 36 * step(red) + 6 * step(green) + step(blue)
}

/// What a number of the palette looks like.
pub(crate) fn of_palette(index: u8) -> (u8, u8, u8) {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match index {
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
        16..=231 => {
            let cube = index - 16;
            (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        _ => (255, 255, 255),
    }
}

/// By hue, not by distance: a dark red on a dark ground is still meant as red.
fn of_sixteen(red: u8, green: u8, blue: u8) -> u8 {
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    if most - least < 40 {
        return match most {
            0..64 => 0,
            64..150 => 8,
            150..220 => 7,
            _ => 15,
        };
    }
    let middle = least + (most - least) / 2;
    let bit = |value: u8, bit: u8| if value > middle { bit } else { 0 };
    let hue = bit(red, 1) + bit(green, 2) + bit(blue, 4);
    if most > 190 { 8 + hue } else { hue }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui_core::layout::Rect;
    use ratatui_core::style::Stylize;
    use ratatui_core::text::Line;
    use ratatui_core::widgets::Widget;

    fn row(line: Line<'_>, depth: ColorDepth) -> (String, u16) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 1));
        line.render(buffer.area, &mut buffer);
        let mut out = String::new();
        let width = push_row(&mut out, &buffer, 0, depth);
        (out, width)
    }

    #[test]
    fn a_row_has_its_styles_and_no_blanks_at_its_end() {
        let line = Line::from(vec!["a ".into(), "b".bold(), "漢".red(), "   ".into()]);
        assert_eq!(row(line.clone(), ColorDepth::Full), ("a \x1b[0;1mb\x1b[0;31m漢\x1b[0m".to_owned(), 5));
        assert_eq!(row(line, ColorDepth::None).0, "a \x1b[0;1mb\x1b[0m漢\x1b[0m");
        assert_eq!(row(Line::from("   "), ColorDepth::Full), (String::new(), 0));
        assert_eq!(row(Line::from(vec!["  ".on_blue()]), ColorDepth::Sixteen).0, "\x1b[0;44m  \x1b[0m");
    }

    #[test]
    fn colours_are_what_the_terminal_has() {
        let red = Line::from("x".fg(Color::Rgb(200, 30, 30)));
        for (depth, expected) in [
            (ColorDepth::Full, "\x1b[0;38;2;200;30;30mx\x1b[0m"),
            (ColorDepth::Palette, "\x1b[0;38;5;160mx\x1b[0m"),
            (ColorDepth::Sixteen, "\x1b[0;91mx\x1b[0m"),
            (ColorDepth::None, "\x1b[0mx\x1b[0m"),
        ] {
            assert_eq!(row(red.clone(), depth).0, expected, "{depth:?}");
        }
        for (index, expected) in [(196, 9), (22, 2), (240, 8), (255, 15), (16, 0)] {
            assert_eq!(
                fitted(Color::Indexed(index), ColorDepth::Sixteen),
                Color::Indexed(expected),
                "{index}"
            );
        }
    }
}
