//! `/theme`: other colours.

use super::SlashCommand;
use crate::app::{App, UiEffect, UiTask};
use crate::theme::Theme;
use crate::view::{FullScreenView, PickAction, Picker, PickerRow};

pub(super) const THEME: SlashCommand =
    SlashCommand { name: "theme", usage: "[name]", about: "change the color theme", run };

fn run(app: &mut App, rest: &str) -> Vec<UiEffect> {
    if rest.is_empty() {
        let now = app.render_context().theme.name;
        let row = |theme: Theme| PickerRow {
            current: theme.name == now,
            ..PickerRow::new([theme.name], Some(PickAction::Theme(theme.name)))
        };
        app.open(FullScreenView::Picker(Picker::new("Themes", Theme::ALL.into_iter().map(row).collect())));
        return Vec::new();
    }
    set(app, rest)
}

/// Takes the theme of this name, and keeps it for sessions to come.
pub(crate) fn set(app: &mut App, name: &str) -> Vec<UiEffect> {
    let Some(theme) = Theme::named(name) else {
        let known = Theme::ALL.map(|theme| theme.name);
        app.refused(&format!("Unknown theme `{name}`. Themes: {}", known.join(", ")));
        return Vec::new();
    };
    let name = theme.name;
    app.set_theme(theme);
    vec![UiEffect::Spawn(UiTask::SaveTheme(name))]
}

/// Whether it was kept.
pub(crate) fn saved(app: &mut App, saved: Result<(), String>) {
    if let Err(why) = saved {
        app.refused(&format!("The theme is set for this session, but could not be saved: {why}"));
    }
}
