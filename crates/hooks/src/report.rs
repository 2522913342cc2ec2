//! Messages about a hook for the user: which one, where it is defined, what happened, what to do.

use std::time::Duration;

use crate::{Hook, HookEvent};

/// As much of a command as names it.
const MAX_COMMAND: usize = 80;
/// As much of an output as shows what is wrong.
const MAX_EXCERPT: usize = 500;

/// `Event hook `cmd` (file:line) what`, and the hint on its own line.
pub(crate) fn problem(hook: &Hook, what: &str, hint: &str) -> String {
    let run = hook.handler.to_string();
    let name = shortened(run.trim().lines().next().unwrap_or_default(), MAX_COMMAND);
    format!("{} hook `{name}` ({}) {what}\n{hint}", hook.event, hook.origin)
}

/// A reason and whose it is: a refusal that cannot be traced to its file cannot be mended.
pub(crate) fn reason(hook: &Hook, given: &str, fallback: &str) -> String {
    let given = plain(given);
    let words = if given.is_empty() { fallback } else { &given };
    format!("{words} (hook {})", hook.origin)
}

/// What is said of a block that has no meaning at an event.
pub(crate) fn cannot_block(hook: &Hook, why: &str) -> String {
    problem(
        hook,
        &format!("tried to block, which this event does not allow: {}", excerpt(why)),
        &format!("Use an event that hooks can block: {}", blockable()),
    )
}

fn blockable() -> String {
    let names = HookEvent::ALL.into_iter().filter(|event| event.can_block()).map(HookEvent::name);
    names.collect::<Vec<_>>().join(", ")
}

/// The beginning of an output.
pub(crate) fn excerpt(text: &str) -> String {
    shortened(&plain(text), MAX_EXCERPT)
}

/// Text without what a terminal would obey: these sentences are shown as they are.
pub(crate) fn plain(text: &str) -> String {
    let visible = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.trim().chars().filter(visible).collect::<String>().trim().to_owned()
}

/// A time-out as people write it.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        let hook = Hook::new(HookEvent::Stop, "check.sh --all\necho", "settings.json:3");
        assert_eq!(
            problem(&hook, "failed", "Mend it"),
            "Stop hook `check.sh --all` (settings.json:3) failed\nMend it"
        );
        assert_eq!(reason(&hook, " no\x1b[2J \n", "x"), "no[2J (hook settings.json:3)");
        assert_eq!(reason(&hook, "\x07\n", "Blocked"), "Blocked (hook settings.json:3)");
        assert_eq!(seconds(Duration::from_millis(1500)), "1.5 s");
        assert_eq!(seconds(Duration::from_secs(60)), "60 s");
        assert_eq!(shortened("äöü", 2), "äö…");
        assert!(cannot_block(&hook, "no").ends_with("PreCompact"));
    }
}
