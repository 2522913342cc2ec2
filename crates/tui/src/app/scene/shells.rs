//! Shells that run beside the conversation.

use forelook_protocol::Mode;
use forelook_view::Shell;
use forelook_wording::counted;
use ratatui_core::text::Line;

use crate::markdown::Look;
use crate::text::fitted;

/// How many there are, and the newest. One that planning does not hold goes before others: it is what to know.
pub(super) fn row(shells: &[Shell], look: Look, mode: Mode) -> Option<Line<'static>> {
    let outside = |shell: &&Shell| mode.is_plan() && shell.within.can_change();
    let newest = shells.iter().rev().find(outside).or(shells.last())?;
    let (all, free) = (shells.len(), shells.iter().filter(outside).count());
    let count = counted(u64::try_from(all).unwrap_or(0), "shell", "shells");
    // Short, so that it is seen in a narrow window too.
    let (what, style) = match free {
        0 => (" in the background".to_owned(), look.theme.quiet),
        _ if free == all => (" outside the fence".to_owned(), look.theme.warning),
        _ => (format!(", {free} outside the fence"), look.theme.warning),
    };
    let text = format!("  {count}{what}: {}", newest.about);
    Some(Line::styled(fitted(&text, look.width), style))
}
