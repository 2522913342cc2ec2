//! `/help`: commands and keys.

use ratatui_core::text::Line;

use super::{ALL, Slash, pairs};
use crate::app::{App, Wish};
use crate::keys_help::{self, Keys};
use crate::markdown::Look;

pub(super) const HELP: Slash = Slash { name: "help", form: "", about: "commands and keys", run };

fn run(app: &mut App, _: &str) -> Vec<Wish> {
    app.show(rows(app.look(), app.uses_vi()));
    Vec::new()
}

pub(super) fn rows(look: Look, vi: bool) -> Vec<Line<'static>> {
    let form = |slash: &&Slash| format!("/{} {}", slash.name, slash.form).trim_end().to_owned();
    let commands: Vec<(String, String)> = ALL.iter().map(|it| (form(it), it.about.to_owned())).collect();
    let mut rows = vec![Line::styled("Commands", look.theme.heading)];
    rows.extend(pairs(&commands, look));
    let vi: &[(&str, Keys)] = if vi { &[("Keys of vi", keys_help::VI)] } else { &[] };
    for (title, keys) in
        [("Keys", keys_help::GENERAL), ("While you write", keys_help::WRITING)].iter().chain(vi)
    {
        let keys: Vec<(String, String)> =
            keys.iter().map(|(key, what)| ((*key).to_owned(), (*what).to_owned())).collect();
        rows.extend([Line::default(), Line::styled(*title, look.theme.heading)]);
        rows.extend(pairs(&keys, look));
    }
    rows
}
