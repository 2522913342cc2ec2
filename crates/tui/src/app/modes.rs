//! The colours of the modes.

use forelook_protocol::Mode;
use ratatui_core::style::Style;

use crate::theme::Theme;

pub(super) fn style(mode: Mode, theme: Theme) -> Style {
    match mode {
        Mode::Plan => theme.plan,
        Mode::DontAsk | Mode::Default => theme.quiet,
        Mode::AcceptEdits => theme.good,
        Mode::Auto => theme.warning,
        Mode::BypassPermissions => theme.bad,
    }
}
