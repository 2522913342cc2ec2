//! `/theme`: other colours.

use super::Slash;
use crate::app::{App, Errand, Wish};
use crate::theme::Theme;
use crate::view::{Pick, Picker, Row, View};

pub(super) const THEME: Slash = Slash { name: "theme", form: "[name]", about: "change the colours", run };

fn run(app: &mut App, rest: &str) -> Vec<Wish> {
    if rest.is_empty() {
        let now = app.look().theme.name;
        let row = |theme: Theme| Row {
            current: theme.name == now,
            ..Row::new([theme.name], Some(Pick::Theme(theme.name)))
        };
        app.open(View::Picker(Picker::new("Themes", Theme::ALL.into_iter().map(row).collect())));
        return Vec::new();
    }
    set(app, rest)
}

/// Takes the theme of this name, and keeps it for sessions to come.
pub(crate) fn set(app: &mut App, name: &str) -> Vec<Wish> {
    let Some(theme) = Theme::named(name) else {
        let known = Theme::ALL.map(|theme| theme.name);
        app.refused(&format!("`{name}` is not a theme; there are {}", known.join(", ")));
        return Vec::new();
    };
    let name = theme.name;
    app.set_theme(theme);
    vec![Wish::See(Errand::KeepTheme(name))]
}

/// Whether it was kept.
pub(crate) fn kept(app: &mut App, kept: Result<(), String>) {
    if let Err(why) = kept {
        app.refused(&format!("The theme holds for this session, but it was not kept: {why}"));
    }
}
