//! Lines as a picture of a terminal.

use std::fmt::Write as _;

use super::ansi::{Colour, Line, Run, Style};

/// Longer lines go on in the next row, as in a terminal of this width.
const COLUMNS: usize = 92;

// In pixels. A character is as wide as monospace fonts have it at this size; every run is placed and stretched to the
// grid, so a font with other ideas changes the letters and not the columns.
const CHAR: f64 = 8.4;
const FONT: f64 = 14.0;
const ROW: f64 = 20.0;
const EDGE: f64 = 20.0;
const BAR: f64 = 38.0;

/// Draws the lines in a window with a title.
pub(super) fn svg(title: &str, lines: &[Line]) -> String {
    let rows: Vec<Line> = lines.iter().flat_map(wrap).collect();
    let width = 2.0 * EDGE + COLUMNS as f64 * CHAR;
    let height = BAR + 2.0 * EDGE + rows.len() as f64 * ROW;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<!-- Made by `cargo xtask picture` from what the program prints. -->\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" aria-label=\"{title} in a terminal\">\n{STYLE}\n\
         <rect class=\"window\" x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"10\"/>\n\
         <path class=\"bar\" d=\"M0.5 {BAR}V10.5a10 10 0 0 1 10-10H{:.1}a10 10 0 0 1 10 10V{BAR}z\"/>",
        width - 1.0,
        height - 1.0,
        width - 10.5,
    );
    for at in 0..3 {
        let _ =
            writeln!(out, "<circle class=\"knob\" cx=\"{}\" cy=\"{}\" r=\"5.5\"/>", 22 + at * 19, BAR / 2.0);
    }
    let _ = writeln!(
        out,
        "<text class=\"title\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
        width / 2.0,
        BAR / 2.0 + 5.0,
        escaped(title),
    );
    for (at, row) in rows.iter().enumerate() {
        draw(&mut out, row, BAR + EDGE + at as f64 * ROW + FONT);
    }
    out.push_str("</svg>\n");
    out
}

const STYLE: &str = "\
<style>
.window { fill: #16191f; stroke: #3a414d }
.bar { fill: #232830; stroke: #3a414d }
.knob { fill: #4a5261 }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace;
  fill: #d5dae3; white-space: pre }
.title { fill: #9aa4b5; font-size: 13px }
.bold { font-weight: bold; fill: #ffffff }
.dim { fill: #8a94a6 }
.red { fill: #f2857d }
.green { fill: #84d48c }
.yellow { fill: #ecc46a }
.violet { fill: #c8a6f2 }
.cyan { fill: #7cc9dd }
.hook { fill: none; stroke: #8a94a6 }
</style>";

fn draw(out: &mut String, row: &Line, y: f64) {
    let mut column = 0;
    for run in row {
        let (mut at, mut text) = words(column, &run.text);
        let class = class(run.style);
        while let Some((shape, rest)) = drawn(text, EDGE + at as f64 * CHAR, y) {
            let kind = if text.starts_with('⎿') { "hook " } else { "" };
            let _ = writeln!(out, "<path class=\"{kind}{class}\" d=\"{shape}\"/>");
            (at, text) = words(at + 1, rest);
        }
        put(out, class, at, y, text);
        column += run.text.chars().count();
    }
}

/// Text without the blanks around it, and where it begins. Blanks are positions: not every viewer keeps them.
fn words(column: usize, text: &str) -> (usize, &str) {
    let inner = text.trim_start();
    (column + text.chars().count() - inner.chars().count(), inner.trim_end())
}

fn put(out: &mut String, class: &str, column: usize, y: f64, text: &str) {
    if text.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{:.1}\" y=\"{y:.0}\" textLength=\"{:.1}\" xml:space=\"preserve\">{}</text>",
        EDGE + column as f64 * CHAR,
        text.chars().count() as f64 * CHAR,
        escaped(text),
    );
}

/// The shape of the first character, if it is one that many fonts lack, and what follows it.
fn drawn(text: &str, x: f64, y: f64) -> Option<(String, &str)> {
    let mut chars = text.chars();
    let shape = match chars.next()? {
        // Before a result.
        '⎿' => format!("M{:.1} {:.1}v10h6", x + 1.5, y - 11.5),
        // The marks of modes.
        '⏸' => {
            format!("M{:.1} {y1:.1}h2.2v10h-2.2zM{:.1} {y1:.1}h2.2v10h-2.2z", x + 1.0, x + 5.0, y1 = y - 10.0)
        }
        '⏵' => format!("M{:.1} {:.1}l6.5 5l-6.5 5z", x + 1.0, y - 10.0),
        _ => return None,
    };
    Some((shape, chars.as_str()))
}

fn class(style: Style) -> &'static str {
    match (style.colour, style.bold, style.dim) {
        (Some(Colour::Red), ..) => "red",
        (Some(Colour::Green), ..) => "green",
        (Some(Colour::Yellow), ..) => "yellow",
        (Some(Colour::Violet), ..) => "violet",
        (Some(Colour::Cyan), ..) => "cyan",
        (None, true, _) => "bold",
        (None, false, true) => "dim",
        (None, false, false) => "text",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Breaks a line that is too long, at a blank if there is one, and lets the rest begin below the first word.
///
/// A terminal breaks in the middle of words and begins at the edge. This is easier to read, and every letter is still
/// the program's.
fn wrap(line: &Line) -> Vec<Line> {
    let letters: Vec<(Style, char)> =
        line.iter().flat_map(|run| run.text.chars().map(|char| (run.style, char))).collect();
    let indent = hang(&letters);
    let mut rows = Vec::new();
    let mut rest = letters.as_slice();
    loop {
        let room = if rows.is_empty() { COLUMNS } else { COLUMNS - indent };
        let end = if rest.len() <= room { rest.len() } else { break_at(rest, room) };
        let (row, after) = rest.split_at(end);
        rows.push(runs(if rows.is_empty() { 0 } else { indent }, row));
        let blanks = after.iter().take_while(|(_, char)| *char == ' ').count();
        rest = after.get(blanks..).unwrap_or_default();
        if rest.is_empty() {
            return rows;
        }
    }
}

/// The last place within the room where a word ends; the room's end if it is one long word.
fn break_at(letters: &[(Style, char)], room: usize) -> usize {
    let blank = letters.iter().take(room + 1).rposition(|(_, char)| *char == ' ');
    blank.filter(|at| *at > room / 2).unwrap_or(room)
}

/// The column where the words of a line begin, after blanks and a mark such as `● `.
fn hang(letters: &[(Style, char)]) -> usize {
    let word = |char: char| char.is_alphanumeric() || "`'\"$+-@".contains(char);
    letters.iter().position(|(_, char)| word(*char)).unwrap_or(0).min(COLUMNS / 4)
}

fn runs(indent: usize, letters: &[(Style, char)]) -> Line {
    let mut line = Line::new();
    if indent > 0 {
        line.push(Run { style: Style::default(), text: " ".repeat(indent) });
    }
    for (style, char) in letters {
        match line.last_mut() {
            Some(run) if run.style == *style => run.text.push(*char),
            _ => line.push(Run { style: *style, text: char.to_string() }),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::ansi::{lines, plain};

    #[test]
    fn long_lines_break_at_words_and_keep_every_letter() {
        let words = "● ".to_owned() + &"seven77 ".repeat(20);
        let rows = wrap(&lines(&words).unwrap()[0]);
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|row| plain(row).chars().count() <= COLUMNS));
        assert!(plain(&rows[1]).starts_with("  seven77"), "{rows:?}");
        let kept: String = rows.iter().map(plain).collect();
        assert_eq!(kept.replace(' ', ""), words.replace(' ', ""));
        assert_eq!(wrap(&lines(&"x".repeat(COLUMNS + 1)).unwrap()[0]).len(), 2);
        assert_eq!(wrap(&Line::new()), [Line::new()]);
    }

    #[test]
    fn runs_stand_on_the_grid_and_are_escaped() {
        let drawn = svg("t", &lines("ab \x1b[31m  <c>\x1b[0m").unwrap());
        let x = EDGE + 5.0 * CHAR;
        assert!(drawn.contains(&format!("<text class=\"red\" x=\"{x:.1}\"")), "{drawn}");
        assert!(drawn.contains(">&lt;c&gt;</text>"), "{drawn}");
        let drawn = svg("t", &lines("  ⎿ ok\n⏵⏵ on\n\x1b[36m⏸ on").unwrap());
        let x = EDGE + 4.0 * CHAR;
        assert!(drawn.contains("class=\"hook text\"") && drawn.contains("<path class=\"cyan\""), "{drawn}");
        assert!(!drawn.contains(['⎿', '⏵', '⏸']), "{drawn}");
        assert!(drawn.contains(&format!("<text class=\"text\" x=\"{x:.1}\"")), "{drawn}");
    }
}
