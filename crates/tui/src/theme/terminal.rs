//! What is known of a terminal by the variables that it sets.
//!
//! Nothing is asked of the terminal itself: an answer can come late, and would be taken for keys.

use forelook_wording::Charset;

use crate::setup::{Colors, Terminal};

/// How a terminal tells its person something while they look elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NotifyStyle {
    /// A bell is all that is known of.
    #[default]
    Bell,
    /// Growl's sequence: `OSC 9`.
    Osc9,
    /// The sequence of rxvt-unicode: `OSC 777`.
    Osc777,
}

/// What looks up a variable.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Terminal {
    /// The terminal that has set these variables. `no_color` is whether the person wants no colours.
    pub fn of(no_color: bool, variable: Lookup<'_>) -> Self {
        let (term, colorterm) = (variable("TERM"), variable("COLORTERM"));
        Self {
            colors: Colors::of(no_color, term.as_deref(), colorterm.as_deref()),
            reflows: reflows(variable),
            notify_style: notify_style(variable),
            tmux: variable("TMUX").is_some(),
            charset: Charset::of(variable),
        }
    }
}

impl Terminal {
    /// Whether a terminal that calls itself so can be drawn on: one that is `dumb` can only be written to, and so can one
    /// that does not say what it is, such as a serial line or the pane of an old editor.
    pub fn draws(term: Option<&str>) -> bool {
        term.is_some_and(|term| !term.is_empty() && term != "dumb")
    }
}

impl Colors {
    /// How many colours a terminal has that calls itself so.
    pub fn of(no_color: bool, term: Option<&str>, colorterm: Option<&str>) -> Self {
        let term = term.unwrap_or_default();
        if no_color || term.is_empty() || term == "dumb" {
            return Colors::None;
        }
        let is =
            |names: &[&str]| names.iter().any(|name| term == *name || term.starts_with(&format!("{name}-")));
        // Over an old connection, `COLORTERM` may be that of another terminal than `TERM`: these have sixteen at most.
        if is(&["linux", "vt100", "vt220", "ansi", "cygwin"]) {
            return Colors::Sixteen;
        }
        let full = matches!(colorterm, Some("truecolor" | "24bit"));
        if full
            || term.ends_with("-direct")
            || is(&["xterm-kitty", "alacritty", "foot", "wezterm", "xterm-ghostty"])
        {
            return Colors::Full;
        }
        // `xterm` alone has eight by its description, and 256 wherever it is seen nowadays: sixteen are safe. Whoever
        // sets `COLORTERM` to anything has more.
        match term.contains("256color") || colorterm.is_some_and(|it| !it.is_empty()) {
            true => Colors::Palette,
            false => Colors::Sixteen,
        }
    }
}

/// Whether rows that have become too long are broken when the window becomes narrower. tmux, kitty, VTE (GNOME and most
/// other desktops), Konsole, iTerm2, Terminal.app, Windows Terminal, VS Code, WezTerm, Alacritty, foot, Ghostty and
/// rxvt-unicode do; xterm, GNU screen, st and the console of Linux cut.
fn reflows(variable: Lookup<'_>) -> bool {
    let term = variable("TERM").unwrap_or_default();
    // Inside of tmux nothing else matters: it draws everything anew.
    if variable("TMUX").is_some() {
        return true;
    }
    // screen says so by `STY`; the name alone may be tmux's on another machine, which broke rows.
    if variable("STY").is_some() {
        return false;
    }
    // xterm alone sets its version; everybody else only calls themselves xterm.
    let cuts =
        variable("XTERM_VERSION").is_some() || term == "linux" || term == "st" || term.starts_with("st-");
    !cuts
}

/// Which sequence shows something on the desktop. A terminal that does not know a sequence should pass over it, but some
/// print it, so only those that are known to know it are sent one.
fn notify_style(variable: Lookup<'_>) -> NotifyStyle {
    let term = variable("TERM").unwrap_or_default();
    // Inside of tmux `TERM_PROGRAM` is tmux, but what else the terminal around it has set is still there.
    let program = variable("LC_TERMINAL").or_else(|| variable("TERM_PROGRAM")).unwrap_or_default();
    match program.as_str() {
        "iTerm2" | "iTerm.app" | "WezTerm" | "ghostty" => return NotifyStyle::Osc9,
        _ => {}
    }
    if variable("KITTY_WINDOW_ID").is_some() || term == "xterm-kitty" || term == "xterm-ghostty" {
        return NotifyStyle::Osc9;
    }
    if variable("WEZTERM_PANE").is_some() || variable("GHOSTTY_RESOURCES_DIR").is_some() {
        return NotifyStyle::Osc9;
    }
    match term.starts_with("foot") || term.starts_with("rxvt-unicode") {
        true => NotifyStyle::Osc777,
        false => NotifyStyle::Bell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_by_what_a_terminal_calls_itself() {
        for (no_color, term, colorterm, expected) in [
            (true, Some("xterm-256color"), Some("truecolor"), Colors::None),
            (false, None, Some("truecolor"), Colors::None),
            (false, Some("dumb"), Some("truecolor"), Colors::None),
            (false, Some("linux"), Some("truecolor"), Colors::Sixteen),
            (false, Some("xterm"), None, Colors::Sixteen),
            (false, Some("xterm"), Some(""), Colors::Sixteen),
            (false, Some("xterm"), Some("yes"), Colors::Palette),
            (false, Some("screen"), None, Colors::Sixteen),
            (false, Some("xterm-256color"), None, Colors::Palette),
            (false, Some("tmux-256color"), None, Colors::Palette),
            (false, Some("tmux-256color"), Some("truecolor"), Colors::Full),
            (false, Some("xterm-256color"), Some("24bit"), Colors::Full),
            (false, Some("xterm-kitty"), None, Colors::Full),
            (false, Some("xterm-direct"), None, Colors::Full),
            (false, Some("foot"), None, Colors::Full),
            (false, Some("football"), None, Colors::Sixteen),
        ] {
            assert_eq!(Colors::of(no_color, term, colorterm), expected, "{no_color} {term:?} {colorterm:?}");
        }
    }

    #[test]
    fn a_dumb_terminal_is_not_drawn_on() {
        for (term, expected) in
            [(None, false), (Some(""), false), (Some("dumb"), false), (Some("vt100"), true)]
        {
            assert_eq!(Terminal::draws(term), expected, "{term:?}");
        }
    }

    #[test]
    fn terminals_by_their_variables() {
        let of = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(String, String)> =
                pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let found = move |name: &str| pairs.iter().find(|it| it.0 == name).map(|it| it.1.clone());
            let terminal = Terminal::of(false, &found);
            (terminal.reflows, terminal.notify_style, terminal.tmux)
        };
        let xterm = ("TERM", "xterm-256color");
        for (pairs, expected) in [
            (&[xterm][..], (true, NotifyStyle::Bell, false)),
            (&[xterm, ("XTERM_VERSION", "XTerm(379)")], (false, NotifyStyle::Bell, false)),
            (&[xterm, ("VTE_VERSION", "7600")], (true, NotifyStyle::Bell, false)),
            (&[xterm, ("WT_SESSION", "x")], (true, NotifyStyle::Bell, false)),
            (&[xterm, ("TERM_PROGRAM", "iTerm.app")], (true, NotifyStyle::Osc9, false)),
            (&[xterm, ("TERM_PROGRAM", "vscode")], (true, NotifyStyle::Bell, false)),
            (&[("TERM", "xterm-kitty")], (true, NotifyStyle::Osc9, false)),
            (&[("TERM", "foot")], (true, NotifyStyle::Osc777, false)),
            (&[("TERM", "linux")], (false, NotifyStyle::Bell, false)),
            (&[("TERM", "st-256color")], (false, NotifyStyle::Bell, false)),
            (&[("TERM", "screen"), ("STY", "1.a")], (false, NotifyStyle::Bell, false)),
            (&[("TERM", "screen"), ("TMUX", "/a"), ("XTERM_VERSION", "1")], (true, NotifyStyle::Bell, true)),
            (&[("TERM", "tmux"), ("TMUX", "/a"), ("KITTY_WINDOW_ID", "1")], (true, NotifyStyle::Osc9, true)),
        ] {
            assert_eq!(of(pairs), expected, "{pairs:?}");
        }
    }
}
