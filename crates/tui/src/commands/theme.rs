//! `/theme`: other colours.

use super::Slash;
use crate::app::{App, Errand, Wish};
use crate::theme::Theme;
use crate::view::{Pick, Picker, Row, View};

pub(super) const THEME: Slash = Slash { name: "theme", form: "[name]", about: "change the colours", run };

/// All themes, by name.
fn all() -> Vec<(&'static str, Theme)> {
    vec![("dark", Theme::DARK)]
}

fn run(app: &mut App, rest: &str) -> Vec<Wish> {
    if rest.is_empty() {
        let now = app.look().theme;
        let row = |(name, theme): (&'static str, Theme)| Row {
            current: theme == now,
            ..Row::new([name], Some(Pick::Theme(name)))
        };
        app.open(View::Picker(Picker::new("Themes", all().into_iter().map(row).collect())));
        return Vec::new();
    }
    set(app, rest)
}

/// Takes the theme of this name, and keeps it for sessions to come.
pub(crate) fn set(app: &mut App, name: &str) -> Vec<Wish> {
    let Some((name, theme)) = all().into_iter().find(|(it, _)| *it == name) else {
        let known: Vec<&str> = all().iter().map(|(name, _)| *name).collect();
        app.refused(&format!("`{name}` is not a theme; there are {}", known.join(", ")));
        return Vec::new();
    };
    app.set_theme(theme);
    vec![Wish::See(Errand::KeepTheme(name))]
}

/// Whether it was kept.
pub(crate) fn kept(app: &mut App, kept: Result<(), String>) {
    if let Err(why) = kept {
        app.refused(&format!("The theme holds for this session, but it was not kept: {why}"));
    }
}
