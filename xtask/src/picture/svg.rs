//! Screens as a picture: a window for each, below one another.

use std::fmt::Write as _;

use super::ansi::{Color, Line, Style};

// In pixels. A character is as wide as monospace fonts have it at this size; every run is placed and stretched to the
// grid, so a font with other ideas changes the letters and not the columns.
const CHAR: f64 = 8.4;
const FONT: f64 = 14.0;
const ROW: f64 = 19.0;
const EDGE: f64 = 16.0;
const BAR: f64 = 34.0;
const GAP: f64 = 18.0;

const FOREGROUND: Color = Color(0xd5, 0xda, 0xe3);
const BACKGROUND: Color = Color(0x16, 0x19, 0x1f);

/// A screen with what stands above it.
pub(super) struct Screen {
    pub(super) title: &'static str,
    pub(super) lines: Vec<Line>,
}

/// Draws the screens, each this many columns wide.
pub(super) fn svg(screens: &[Screen], columns: usize) -> String {
    let width = 2.0 * EDGE + columns as f64 * CHAR;
    let tall = |screen: &Screen| BAR + 2.0 * EDGE + screen.lines.len() as f64 * ROW;
    let height: f64 = screens.iter().map(|screen| tall(screen) + GAP).sum::<f64>() - GAP;
    let label: Vec<&str> = screens.iter().map(|screen| screen.title).collect();
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<!-- Made by `cargo xtask picture` from the screen of the running program. -->\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" aria-label=\"{}\">\n{STYLE}",
        escaped(&label.join("; ")),
    );
    let mut top = 0.0;
    for screen in screens {
        window(&mut out, screen, top, width, tall(screen));
        top += tall(screen) + GAP;
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
.b { font-weight: bold }
.i { font-style: italic }
.u { text-decoration: underline }
.s { text-decoration: line-through }
</style>";

fn window(out: &mut String, screen: &Screen, top: f64, width: f64, height: f64) {
    let _ = writeln!(
        out,
        "<rect class=\"window\" x=\"0.5\" y=\"{:.1}\" width=\"{:.0}\" height=\"{:.0}\" rx=\"10\"/>\n\
         <path class=\"bar\" d=\"M0.5 {:.1}V{:.1}a10 10 0 0 1 10-10H{:.1}a10 10 0 0 1 10 10V{:.1}z\"/>",
        top + 0.5,
        width - 1.0,
        height - 1.0,
        top + BAR,
        top + 10.5,
        width - 10.5,
        top + BAR,
    );
    for at in 0..3 {
        let (x, y) = (22 + at * 19, top + BAR / 2.0);
        let _ = writeln!(out, "<circle class=\"knob\" cx=\"{x}\" cy=\"{y:.0}\" r=\"5.5\"/>");
    }
    let (x, y, title) = (width / 2.0, top + BAR / 2.0 + 5.0, escaped(screen.title));
    let _ = writeln!(
        out,
        "<text class=\"title\" x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"middle\">{title}</text>"
    );
    for (at, line) in screen.lines.iter().enumerate() {
        draw(out, line, top + BAR + EDGE + at as f64 * ROW);
    }
}

/// A line, whose row begins at `top`.
fn draw(out: &mut String, line: &Line, top: f64) {
    let mut column = 0;
    for run in line {
        let text_style = TextStyle::of(run.style);
        let count = run.text.chars().count();
        if let Some(Color(r, g, b)) = text_style.background {
            let (x, width) = (EDGE + column as f64 * CHAR, count as f64 * CHAR);
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{top:.0}\" width=\"{width:.1}\" height=\"{ROW:.0}\" fill=\"#{r:02x}{g:02x}{b:02x}\"/>"
            );
        }
        let (mut at, mut text) = words(column, &run.text);
        let y = top + FONT;
        while let Some((shape, rest)) = drawn(text, EDGE + at as f64 * CHAR, y) {
            let _ = writeln!(out, "<path {} d=\"{shape}\"/>", text_style.fill());
            (at, text) = words(at + 1, rest);
        }
        put(out, &text_style, at, y, text);
        column += count;
    }
}

/// What a style comes to.
struct TextStyle {
    foreground: Color,
    background: Option<Color>,
    class: String,
}

impl TextStyle {
    fn of(style: Style) -> Self {
        let (mut foreground, mut background) = (style.foreground.unwrap_or(FOREGROUND), style.background);
        if style.reversed {
            (foreground, background) = (background.unwrap_or(BACKGROUND), Some(foreground));
        }
        if style.dim {
            foreground = between(foreground, background.unwrap_or(BACKGROUND));
        }
        let classes = [(style.bold, "b"), (style.italic, "i"), (style.underlined, "u"), (style.struck, "s")];
        let classes: Vec<&str> = classes.into_iter().filter_map(|(on, class)| on.then_some(class)).collect();
        Self { foreground, background, class: classes.join(" ") }
    }

    fn fill(&self) -> String {
        let Color(r, g, b) = self.foreground;
        format!("fill=\"#{r:02x}{g:02x}{b:02x}\"")
    }
}

fn between(Color(r, g, b): Color, Color(r2, g2, b2): Color) -> Color {
    let mix = |a: u8, b: u8| u8::try_from((u16::from(a) * 2 + u16::from(b)) / 3).unwrap_or(a);
    Color(mix(r, r2), mix(g, g2), mix(b, b2))
}

/// Text without the blanks around it, and where it begins. Blanks are positions: not every viewer keeps them.
fn words(column: usize, text: &str) -> (usize, &str) {
    let inner = text.trim_start();
    (column + text.chars().count() - inner.chars().count(), inner.trim_end())
}

fn put(out: &mut String, text_style: &TextStyle, column: usize, y: f64, text: &str) {
    if text.is_empty() {
        return;
    }
    let class =
        if text_style.class.is_empty() { String::new() } else { format!(" class=\"{}\"", text_style.class) };
    // Attributes give way to the style sheet, a style of its own does not.
    let fill = if text_style.foreground == FOREGROUND {
        String::new()
    } else {
        format!(" style=\"{}\"", style_of(text_style))
    };
    let _ = writeln!(
        out,
        "<text{class}{fill} x=\"{:.1}\" y=\"{y:.0}\" textLength=\"{:.1}\" xml:space=\"preserve\">{}</text>",
        EDGE + column as f64 * CHAR,
        text.chars().count() as f64 * CHAR,
        escaped(text),
    );
}

fn style_of(text_style: &TextStyle) -> String {
    let Color(r, g, b) = text_style.foreground;
    format!("fill:#{r:02x}{g:02x}{b:02x}")
}

/// The shape of the first character, if it is one that many fonts lack, and what follows it.
fn drawn(text: &str, x: f64, y: f64) -> Option<(String, &str)> {
    let mut chars = text.chars();
    let shape = match chars.next()? {
        // Before a result.
        '⎿' => format!("M{:.1} {:.1}h1.2v9h5v1.2h-6.2z", x + 1.5, y - 11.5),
        // The marks of modes.
        '⏸' => {
            format!("M{:.1} {y1:.1}h2.2v10h-2.2zM{:.1} {y1:.1}h2.2v10h-2.2z", x + 1.0, x + 5.0, y1 = y - 10.0)
        }
        '⏵' => format!("M{:.1} {:.1}l6.5 5l-6.5 5z", x + 1.0, y - 10.0),
        _ => return None,
    };
    Some((shape, chars.as_str()))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::ansi::lines;

    fn of(text: &str) -> String {
        svg(&[Screen { title: "t", lines: lines(text).unwrap() }], 40)
    }

    #[test]
    fn runs_stand_on_the_grid_and_are_escaped() {
        let drawn = of("ab \x1b[38;5;196m  <c>\x1b[0m");
        let x = EDGE + 5.0 * CHAR;
        assert!(drawn.contains(&format!("<text style=\"fill:#ff0000\" x=\"{x:.1}\"")), "{drawn}");
        assert!(drawn.contains(">&lt;c&gt;</text>"), "{drawn}");
        let drawn = of("  ⎿ ok\n⏵⏵ on\n\x1b[36m⏸ on");
        assert!(!drawn.contains(['⎿', '⏵', '⏸']), "{drawn}");
        assert!(drawn.contains(&format!("<text x=\"{:.1}\"", EDGE + 4.0 * CHAR)), "{drawn}");
    }

    #[test]
    fn what_is_reversed_has_a_ground() {
        let drawn = of("\x1b[7mx");
        assert!(drawn.contains("<rect x=\"16.0\"") && drawn.contains("fill:#16191f"), "{drawn}");
    }
}
