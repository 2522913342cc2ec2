//! How the terminal program looks and behaves, and how its theme is saved.

use std::time::Duration;

use forelook_protocol::Source;

use crate::edit::SettingsChange;
use crate::keys::{self, NOTIFICATIONS_WORDS, THEMES};
use crate::layers::Layer;
use crate::load::SettingsPaths;
use crate::resolve::resolve_single;
use crate::save::{SaveError, SaveOutcome, write};
use crate::values::Value;

/// How long a status line may take if nobody says otherwise.
const STATUS_LINE_TIMEOUT: Duration = Duration::from_secs(1);

/// How the terminal program looks and behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenSettings {
    /// One of [`keys::THEMES`], if one is named.
    pub theme: Option<&'static str>,
    /// What stands below the prompt.
    pub status_line: Option<StatusLine>,
    /// The prompt is edited with the keys of vi.
    pub vi: bool,
    /// One of [`keys::NOTIFICATIONS_WORDS`].
    pub notifications: &'static str,
}

/// A command whose first line of output is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLine {
    /// For the shell.
    pub command: String,
    /// How long it may take.
    pub time_limit: Duration,
}

pub(crate) fn screen(layers: &[Layer]) -> ScreenSettings {
    let word = |key| resolve_single(layers, key, Value::as_word).map(|layered| layered.value);
    let status_line = resolve_single(layers, &keys::STATUS_LINE, |value| value.as_status_line().cloned());
    ScreenSettings {
        theme: word(&keys::THEME),
        status_line: status_line.map(|layered| StatusLine {
            command: layered.value.command,
            time_limit: layered.value.timeout.unwrap_or(STATUS_LINE_TIMEOUT),
        }),
        vi: resolve_single(layers, &keys::VI_KEYS, Value::as_switch).is_some_and(|layered| layered.value),
        notifications: word(&keys::NOTIFICATIONS)
            .or(NOTIFICATIONS_WORDS.first().copied())
            .unwrap_or_default(),
    }
}

/// Saves a theme in the person's own settings.
pub fn save_theme(theme: &str, settings_paths: &SettingsPaths) -> Result<SaveOutcome, SaveError> {
    let known =
        THEMES.iter().find(|known| **known == theme).ok_or_else(|| SaveError::Theme(theme.to_owned()))?;
    write(Source::UserSettings, &[SettingsChange::Theme(known)], settings_paths)
}
