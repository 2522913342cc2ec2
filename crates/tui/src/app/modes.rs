//! The colours of the modes.

use forelook_protocol::Mode;
use forelook_wording::{Tone, mode_look};
use ratatui_core::style::Style;

use crate::theme::Theme;

pub(super) fn style(mode: Mode, theme: Theme) -> Style {
    match mode_look(mode).tone {
        Tone::Plan => theme.plan,
        Tone::Quiet => theme.quiet,
        Tone::Usual => theme.person,
        Tone::Edits => theme.edits,
        Tone::Careful => theme.warning,
        Tone::Danger => theme.bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Depth;

    #[test]
    fn each_mode_has_its_own_look() {
        for theme in Theme::ALL {
            for depth in [Depth::Sixteen, Depth::Palette, Depth::Full] {
                let styles: Vec<Style> = Mode::ALL.map(|mode| style(mode, theme.on(depth))).to_vec();
                for (at, one) in styles.iter().enumerate() {
                    assert!(!styles[..at].contains(one), "{} {depth:?} {}", theme.name, Mode::ALL[at]);
                }
            }
        }
    }
}
