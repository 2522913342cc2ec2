//! A terminal's screen with its colours, as lines of runs of one style.

use crate::run::XtaskResult;

/// A line.
pub(super) type Line = Vec<Run>;

/// Text of one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) style: Style,
    pub(super) text: String,
}

/// How text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) foreground: Option<Color>,
    pub(super) background: Option<Color>,
    pub(super) bold: bool,
    pub(super) dim: bool,
    pub(super) italic: bool,
    pub(super) underlined: bool,
    pub(super) reversed: bool,
    pub(super) struck: bool,
}

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Color(pub(super) u8, pub(super) u8, pub(super) u8);

/// The first sixteen colours, which every terminal has in its own way.
const SIXTEEN: [Color; 16] = [
    Color(0x3a, 0x41, 0x4d),
    Color(0xf2, 0x85, 0x7d),
    Color(0x84, 0xd4, 0x8c),
    Color(0xec, 0xc4, 0x6a),
    Color(0x7f, 0xb0, 0xf0),
    Color(0xc8, 0xa6, 0xf2),
    Color(0x7c, 0xc9, 0xdd),
    Color(0xd5, 0xda, 0xe3),
    Color(0x8a, 0x94, 0xa6),
    Color(0xff, 0x9d, 0x96),
    Color(0xa0, 0xe8, 0xa8),
    Color(0xff, 0xda, 0x85),
    Color(0x9c, 0xc6, 0xff),
    Color(0xdc, 0xbe, 0xff),
    Color(0x96, 0xe2, 0xf5),
    Color(0xff, 0xff, 0xff),
];

/// A line without its styles.
pub(super) fn plain(line: &Line) -> String {
    line.iter().map(|run| run.text.as_str()).collect()
}

/// Reads a screen. A sequence that is not known is an error: a picture that guesses would not be true.
pub(super) fn lines(screen: &str) -> XtaskResult<Vec<Line>> {
    let mut lines = vec![Line::new()];
    let mut style = Style::default();
    let mut rest = screen;
    while let Some(first) = rest.chars().next() {
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        match first {
            '\x1b' => {
                let (codes, after) = rest
                    .strip_prefix('[')
                    .and_then(|rest| rest.split_once('m'))
                    .ok_or("The terminal sent an invalid color")?;
                style = styled(style, codes)?;
                rest = after;
            }
            '\n' => lines.push(Line::new()),
            char if char.is_control() => {}
            char => push(&mut lines, style, char),
        }
    }
    Ok(lines)
}

fn styled(mut style: Style, codes: &str) -> XtaskResult<Style> {
    let unknown = || format!("Unknown terminal style `{codes}`\nAdd it to xtask/src/picture/ansi.rs");
    let mut codes_left =
        codes.split(';').map(|code| if code.is_empty() { Ok(0) } else { code.parse::<u8>() });
    while let Some(code) = codes_left.next() {
        let mut next = || codes_left.next().and_then(Result::ok).ok_or_else(unknown);
        match code.map_err(|_| unknown())? {
            0 => style = Style::default(),
            1 => style.bold = true,
            2 => style.dim = true,
            3 => style.italic = true,
            4 => style.underlined = true,
            7 => style.reversed = true,
            9 => style.struck = true,
            22 => (style.bold, style.dim) = (false, false),
            23 => style.italic = false,
            24 => style.underlined = false,
            27 => style.reversed = false,
            29 => style.struck = false,
            code @ 30..=37 => style.foreground = Some(palette(code - 30)),
            code @ 90..=97 => style.foreground = Some(palette(code - 82)),
            38 => style.foreground = Some(given(&mut next)?),
            39 => style.foreground = None,
            code @ 40..=47 => style.background = Some(palette(code - 40)),
            48 => style.background = Some(given(&mut next)?),
            49 => style.background = None,
            _ => return Err(unknown()),
        }
    }
    Ok(style)
}

fn given(next: &mut dyn FnMut() -> XtaskResult<u8>) -> XtaskResult<Color> {
    match next()? {
        5 => Ok(palette(next()?)),
        _ => Ok(Color(next()?, next()?, next()?)),
    }
}

/// Sixteen of its own, a cube of six shades, and greys.
fn palette(at: u8) -> Color {
    let shade = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match at {
        0..16 => SIXTEEN.get(usize::from(at)).copied().unwrap_or(Color(0, 0, 0)),
        16..232 => Color(shade((at - 16) / 36), shade((at - 16) / 6 % 6), shade((at - 16) % 6)),
        232.. => Color(8 + 10 * (at - 232), 8 + 10 * (at - 232), 8 + 10 * (at - 232)),
    }
}

fn push(lines: &mut [Line], style: Style, char: char) {
    let Some(line) = lines.last_mut() else { return };
    match line.last_mut() {
        Some(run) if run.style == style => run.text.push(char),
        _ => line.push(Run { style, text: char.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_cover_what_follows_until_they_are_reset() {
        let lines = lines("a\x1b[1;38;5;196mb\x1b[22;7mc\x1b[0m\r\n\x1b[48;2;1;2;3m\nd").unwrap();
        let run = |text: &str, style| Run { style, text: text.into() };
        let red = Style { foreground: Some(Color(255, 0, 0)), bold: true, ..Style::default() };
        let on = Style { background: Some(Color(1, 2, 3)), ..Style::default() };
        assert_eq!(
            lines,
            [
                vec![
                    run("a", Style::default()),
                    run("b", red),
                    run("c", Style { bold: false, reversed: true, ..red })
                ],
                vec![],
                vec![run("d", on)]
            ]
        );
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        assert!(lines("\x1b[58mx").is_err());
        assert!(lines("\x1b]0;title\x07").is_err());
    }
}
