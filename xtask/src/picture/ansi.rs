//! What a program wrote to a terminal, as lines of runs of one style.

use crate::run::Done;

/// A line.
pub(super) type Line = Vec<Run>;

/// Text of one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) style: Style,
    pub(super) text: String,
}

impl Run {
    /// Text that stands back.
    pub(super) fn dim(text: String) -> Self {
        Self { style: Style { dim: true, ..Style::default() }, text }
    }
}

/// How text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) colour: Option<Colour>,
    pub(super) bold: bool,
    pub(super) dim: bool,
}

/// The colours that the program uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    Red,
    Green,
    Yellow,
    Violet,
    Cyan,
}

/// A line without its styles.
pub(super) fn plain(line: &Line) -> String {
    line.iter().map(|run| run.text.as_str()).collect()
}

/// Reads the output. A sequence that is not known is an error: a picture that guesses would not be true.
pub(super) fn lines(output: &str) -> Done<Vec<Line>> {
    let mut lines = vec![Line::new()];
    let mut style = Style::default();
    let mut rest = output;
    while let Some(first) = rest.chars().next() {
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        match first {
            '\x1b' => {
                let (codes, after) = rest
                    .strip_prefix('[')
                    .and_then(|rest| rest.split_once('m'))
                    .ok_or("The program sent something to the terminal that is no colour")?;
                style = codes.split(';').try_fold(style, styled)?;
                rest = after;
            }
            '\n' => lines.push(Line::new()),
            char if char.is_control() => {}
            char => push(&mut lines, style, char),
        }
    }
    Ok(lines)
}

fn styled(style: Style, code: &str) -> Done<Style> {
    Ok(match code {
        "" | "0" => Style::default(),
        "1" => Style { bold: true, ..style },
        "2" => Style { dim: true, ..style },
        "31" => Style { colour: Some(Colour::Red), ..style },
        "32" => Style { colour: Some(Colour::Green), ..style },
        "33" => Style { colour: Some(Colour::Yellow), ..style },
        "35" => Style { colour: Some(Colour::Violet), ..style },
        "36" => Style { colour: Some(Colour::Cyan), ..style },
        other => {
            return Err(format!(
                "Style `{other}` of the terminal is not known\nAdd it to xtask/src/picture/ansi.rs"
            ));
        }
    })
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
        let lines = lines("a\x1b[1;32mb\x1b[0m\r\n\x1b[2m\nc").unwrap();
        let run = |text: &str, style| Run { style, text: text.into() };
        let bold_green = Style { colour: Some(Colour::Green), bold: true, dim: false };
        assert_eq!(
            lines,
            [vec![run("a", Style::default()), run("b", bold_green)], vec![], vec![Run::dim("c".into())]]
        );
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        assert!(lines("\x1b[34mblue").is_err());
        assert!(lines("\x1b]0;title\x07").is_err());
    }
}
