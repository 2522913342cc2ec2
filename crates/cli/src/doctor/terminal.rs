//! What is known of the terminal.

use std::io::IsTerminal as _;

use forelook_settings::Env;
use forelook_tui::{Colors, Terminal};

use super::check::{Check, CheckState};

const AREA: &str = "Terminal";

/// Fewer columns or rows than these are too few for a review.
const SMALL: (u16, u16) = (60, 15);

/// Nothing is asked of it: an answer can come late.
pub(super) fn checks(env: &Env) -> Vec<Check> {
    let term = env.terminal("TERM");
    let colors = Terminal::of(env.no_color, &|name| env.terminal(name)).colors;
    vec![kind(term.as_deref()), size(), Check::new(AREA, "colors", CheckState::Good, words(colors))]
}

fn kind(term: Option<&str>) -> Check {
    match term {
        Some(name) if Terminal::draws(Some(name)) => Check::new(AREA, "TERM", CheckState::Good, name),
        Some(name) => Check::new(
            AREA,
            "TERM",
            CheckState::Warning,
            format!("{name}: cannot show the full-screen interface"),
        )
        .advice("Forelook shows sessions as plain text"),
        None => {
            Check::new(AREA, "TERM", CheckState::Warning, "Not set: cannot show the full-screen interface")
                .advice("Set it to your terminal's type, such as `xterm-256color`")
        }
    }
}

fn size() -> Check {
    let out = std::io::stdout();
    if !out.is_terminal() {
        return Check::new(AREA, "size", CheckState::Absent, "Standard output is not a terminal");
    }
    match rustix::termios::tcgetwinsize(&out) {
        Ok(size) if size.ws_col > 0 => room(size.ws_col, size.ws_row),
        _ => Check::new(AREA, "size", CheckState::Warning, "The terminal does not report its size"),
    }
}

fn room(columns: u16, rows: u16) -> Check {
    let message = format!("{columns} columns, {rows} rows");
    match columns >= SMALL.0 && rows >= SMALL.1 {
        true => Check::new(AREA, "size", CheckState::Good, message),
        false => Check::new(AREA, "size", CheckState::Warning, message)
            .advice(format!("Plans are easier to read at {} by {} or larger", SMALL.0, SMALL.1)),
    }
}

fn words(colors: Colors) -> &'static str {
    match colors {
        Colors::None => "None",
        Colors::Sixteen => "16",
        Colors::Palette => "256",
        Colors::Full => "16 million",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_does_less_is_told() {
        for (check, state) in [
            (kind(Some("xterm")), CheckState::Good),
            (kind(Some("dumb")), CheckState::Warning),
            (kind(None), CheckState::Warning),
            (room(80, 24), CheckState::Good),
            (room(40, 24), CheckState::Warning),
            (room(80, 5), CheckState::Warning),
        ] {
            assert_eq!(check.state, state, "{check:?}");
            assert_eq!(check.advice.is_some(), state == CheckState::Warning, "{check:?}");
        }
    }
}
