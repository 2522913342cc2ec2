//! `/help`: commands and keys.

use ratatui_core::text::Line;

use super::{ALL, Slash, pairs};
use crate::app::{App, Wish};
use crate::markdown::Look;

pub(super) const HELP: Slash = Slash { name: "help", form: "", about: "commands and keys", run };

/// Keys that mean something wherever one is.
const KEYS: [(&str, &str); 8] = [
    ("Shift+Tab", "changes the mode"),
    ("Ctrl+R", "shows everything that was said and done"),
    ("Esc", "stops the model; closes what is open"),
    ("Ctrl+C", "stops, clears what is written, and leaves when pressed twice"),
    ("Ctrl+D", "leaves, if nothing is written"),
    ("Ctrl+Z", "goes back to the shell; `fg` comes back"),
    ("Enter", "sends; while the model works, it is sent after that"),
    ("Alt+Enter", "begins a new line, as do Shift+Enter and Ctrl+J"),
];

fn run(app: &mut App, _: &str) -> Vec<Wish> {
    app.show(rows(app.look()));
    Vec::new()
}

pub(super) fn rows(look: Look) -> Vec<Line<'static>> {
    let form = |slash: &&Slash| format!("/{} {}", slash.name, slash.form).trim_end().to_owned();
    let commands: Vec<(String, String)> = ALL.iter().map(|it| (form(it), it.about.to_owned())).collect();
    let keys = KEYS.map(|(keys, what)| (keys.to_owned(), what.to_owned()));
    let mut rows = vec![Line::styled("Commands", look.theme.heading)];
    rows.extend(pairs(&commands, look));
    rows.push(Line::default());
    rows.push(Line::styled("Keys", look.theme.heading));
    rows.extend(pairs(&keys, look));
    rows
}
