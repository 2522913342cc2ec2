//! The colours of the modes.

use forelook_protocol::Mode;
use forelook_wording::{ModeTone, mode_display};
use ratatui_core::style::Style;

use crate::theme::Theme;

pub(super) fn style(mode: Mode, theme: Theme) -> Style {
    match mode_display(mode).tone {
        ModeTone::Plan => theme.plan,
        ModeTone::Quiet => theme.quiet,
        ModeTone::Usual => theme.person,
        ModeTone::Edits => theme.edits,
        ModeTone::Careful => theme.warning,
        ModeTone::Danger => theme.bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::ColorDepth;

    #[test]
    fn each_mode_has_its_own_look() {
        for theme in Theme::ALL {
            for depth in [ColorDepth::Sixteen, ColorDepth::Palette, ColorDepth::Full] {
                let styles: Vec<Style> = Mode::ALL.map(|mode| style(mode, theme.on(depth))).to_vec();
                for (at, one) in styles.iter().enumerate() {
                    assert!(!styles[..at].contains(one), "{} {depth:?} {}", theme.name, Mode::ALL[at]);
                }
            }
        }
    }
}
