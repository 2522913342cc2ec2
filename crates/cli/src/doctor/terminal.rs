//! What is known of the terminal.

use std::io::IsTerminal as _;

use forelook_settings::Env;
use forelook_tui::{Colours, Terminal};

use super::check::{Check, State};

const AREA: &str = "Terminal";

/// Fewer columns or rows than these are too few for a review.
const SMALL: (u16, u16) = (60, 15);

/// Nothing is asked of it: an answer can come late.
pub(super) fn checks(env: &Env) -> Vec<Check> {
    let term = env.terminal("TERM");
    let colours = Terminal::of(env.no_color, &|name| env.terminal(name)).colours;
    vec![kind(term.as_deref()), size(), Check::new(AREA, "colours", State::Good, words(colours))]
}

fn kind(term: Option<&str>) -> Check {
    match term {
        Some(name) if Terminal::draws(Some(name)) => Check::new(AREA, "TERM", State::Good, name),
        Some(name) => Check::new(AREA, "TERM", State::Warning, format!("{name}: it cannot be drawn on"))
            .advice("Sessions are shown as plain lines"),
        None => Check::new(AREA, "TERM", State::Warning, "Not set").advice("Set it to what your terminal is"),
    }
}

fn size() -> Check {
    let out = std::io::stdout();
    if !out.is_terminal() {
        return Check::new(AREA, "size", State::Good, "Not known: standard output is no terminal here");
    }
    match rustix::termios::tcgetwinsize(&out) {
        Ok(size) if size.ws_col > 0 => room(size.ws_col, size.ws_row),
        _ => Check::new(AREA, "size", State::Warning, "The terminal does not say its size"),
    }
}

fn room(columns: u16, rows: u16) -> Check {
    let says = format!("{columns} columns, {rows} rows");
    match columns >= SMALL.0 && rows >= SMALL.1 {
        true => Check::new(AREA, "size", State::Good, says),
        false => Check::new(AREA, "size", State::Warning, says)
            .advice(format!("From {} by {} on, plans can be read at ease", SMALL.0, SMALL.1)),
    }
}

fn words(colours: Colours) -> &'static str {
    match colours {
        Colours::None => "None",
        Colours::Sixteen => "16",
        Colours::Palette => "256",
        Colours::Full => "All",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_does_less_is_told() {
        for (check, state) in [
            (kind(Some("xterm")), State::Good),
            (kind(Some("dumb")), State::Warning),
            (kind(None), State::Warning),
            (room(80, 24), State::Good),
            (room(40, 24), State::Warning),
            (room(80, 5), State::Warning),
        ] {
            assert_eq!(check.state, state, "{check:?}");
            assert_eq!(check.advice.is_some(), state == State::Warning, "{check:?}");
        }
    }
}
