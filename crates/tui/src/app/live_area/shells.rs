//! Shells that run beside the conversation.

use forelook_protocol::{BackgroundShell, Mode};
use forelook_wording::counted;
use ratatui_core::text::Line;

use crate::markdown::RenderContext;
use crate::text::{fitted, sanitize};

/// How many there are, and the newest. One that planning does not hold goes before others: it is what to know.
pub(super) fn row(shells: &[BackgroundShell], ctx: RenderContext, mode: Mode) -> Option<Line<'static>> {
    let outside = |shell: &&BackgroundShell| mode.is_plan() && shell.sandbox.can_change();
    let newest = shells.iter().rev().find(outside).or(shells.last())?;
    let (all, free) = (shells.len(), shells.iter().filter(outside).count());
    let count = counted(u64::try_from(all).unwrap_or(0), "shell", "shells");
    // Short, so that it is seen in a narrow window too.
    let (what, style) = match free {
        0 => (" in the background".to_owned(), ctx.theme.quiet),
        _ if free == all => (" outside the fence".to_owned(), ctx.theme.warning),
        _ => (format!(", {free} outside the fence"), ctx.theme.warning),
    };
    let text = format!("  {count}{what}: {}", sanitize(&newest.command));
    Some(Line::styled(fitted(&text, ctx.width), style))
}
