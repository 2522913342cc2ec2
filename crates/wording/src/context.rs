//! How what fills the context window reads.

use forelook_protocol::{Compacted, ContextPart, ContextPartKind, ContextUsage};

use crate::{counted, window};

/// What is told of a summary that has replaced the conversation.
pub fn compacted_line(compacted: &Compacted) -> String {
    let tokens = window(compacted.tokens);
    format!("A summary of the conversation has replaced it ({tokens} tokens); the journal keeps all of it")
}

/// What is told of old results that were removed.
pub fn cleared_line(results: usize) -> String {
    let results = counted(u64::try_from(results).unwrap_or(u64::MAX), "old result", "old results");
    format!("{results} removed from the conversation to make room")
}

/// What fills the window: a title, then name, tokens and part of the window for each part.
pub fn context_title(usage: &ContextUsage) -> String {
    let used = window(usage.used);
    match usage.window {
        Some(size) => format!("{used} of {} tokens used ({}%)", window(size), percent(usage.used, size)),
        None => format!("{used} tokens used; the size of the model's context window is not known"),
    }
}

/// Each part with its figures; the provider counts only the whole, so these are estimates.
pub fn context_rows(usage: &ContextUsage) -> Vec<(String, String)> {
    let row = |part: &ContextPart| (part_name(part), amount(part.tokens, usage.window));
    let mut rows: Vec<(String, String)> = usage.parts.iter().map(row).collect();
    if let Some(size) = usage.window {
        let free = size.saturating_sub(usage.used);
        rows.push(("free".to_owned(), amount(free, usage.window)));
    }
    rows
}

/// When the conversation becomes shorter by itself.
pub fn context_limit(usage: &ContextUsage) -> String {
    match usage.limit {
        Some(limit) => format!(
            "At {} tokens Forelook makes the conversation shorter; `/compact` does it now",
            window(limit)
        ),
        None => "Forelook makes the conversation shorter when the window is full; `/compact` does it now"
            .to_owned(),
    }
}

fn part_name(part: &ContextPart) -> String {
    let kind = match part.kind {
        ContextPartKind::System => "system prompt",
        ContextPartKind::Tools => "tools",
        ContextPartKind::Instructions => "instructions",
        ContextPartKind::Prompts => "your messages",
        ContextPartKind::Results => "tool results and files",
        ContextPartKind::Answers => "the model's answers",
        ContextPartKind::Reminders => "reminders and summaries",
    };
    part.name.clone().unwrap_or_else(|| kind.to_owned())
}

fn amount(tokens: u64, size: Option<u64>) -> String {
    match size {
        Some(size) => format!("{} ({}%)", window(tokens), percent(tokens, size)),
        None => window(tokens),
    }
}

fn percent(part: u64, of: u64) -> u64 {
    u64::try_from(u128::from(part) * 100 / u128::from(of.max(1))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(window: Option<u64>) -> ContextUsage {
        let part =
            |kind, name: Option<&str>, tokens| ContextPart { kind, name: name.map(str::to_owned), tokens };
        ContextUsage {
            model: "a/b".into(),
            window,
            limit: window.map(|window| window / 10 * 8),
            used: 50_000,
            parts: vec![
                part(ContextPartKind::System, None, 3_000),
                part(ContextPartKind::Instructions, Some("/w/AGENTS.md"), 7_000),
                part(ContextPartKind::Results, None, 40_000),
            ],
        }
    }

    #[test]
    fn parts_are_told_with_what_is_free() {
        let usage = usage(Some(200_000));
        let rows: Vec<String> =
            context_rows(&usage).into_iter().map(|(name, amount)| format!("{name}: {amount}")).collect();
        let expected = [
            "system prompt: 3k (1%)",
            "/w/AGENTS.md: 7k (3%)",
            "tool results and files: 40k (20%)",
            "free: 150k (75%)",
        ];
        assert_eq!(rows, expected);
        assert_eq!(context_title(&usage), "50k of 200k tokens used (25%)");
        assert!(context_limit(&usage).starts_with("At 160k tokens"));
    }

    #[test]
    fn a_window_that_is_not_known_is_no_number() {
        let usage = usage(None);
        assert_eq!(context_rows(&usage)[0].1, "3k");
        assert!(context_title(&usage).contains("not known") && context_limit(&usage).contains("full"));
    }
}
