//! How the modes are called and look on a screen: a sign, words and a colour each, so that none is needed to know it.

use forelook_protocol::Mode;
use ratatui_core::style::Style;

use crate::theme::Theme;

/// Sign and words.
pub(super) fn words(mode: Mode) -> (&'static str, &'static str) {
    match mode {
        Mode::Plan => ("⏸", "plan mode on"),
        Mode::DontAsk => ("◇", "never asks, denies instead"),
        Mode::Default => ("○", "asks before edits"),
        Mode::AcceptEdits => ("✎", "accepts edits"),
        Mode::Auto => ("⏵", "auto mode on"),
        Mode::BypassPermissions => ("‼", "bypasses permissions"),
    }
}

pub(super) fn style(mode: Mode, theme: Theme) -> Style {
    match mode {
        Mode::Plan => theme.plan,
        Mode::DontAsk | Mode::Default => theme.quiet,
        Mode::AcceptEdits => theme.good,
        Mode::Auto => theme.warning,
        Mode::BypassPermissions => theme.bad,
    }
}
