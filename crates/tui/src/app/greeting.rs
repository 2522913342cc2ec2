//! The first rows of a session: what runs where, and what to know at once; and what became of the session before.

use forelook_protocol::{Entry, EntryBody, UserBlock};
use forelook_wording::{age, counted, display_width};
use ratatui_core::text::Line;

use std::sync::Arc;

use super::{App, Cell};
use crate::setup::Entrance;
use crate::text::{fitted, sanitize};

/// For so long the greeting waits for the branch, and what comes behind it waits with it. A folder on a server that does not
/// answer must not keep the conversation from being seen.
const PATIENCE_MS: u64 = 500;

/// What the two keys are that lead to all others; the second form is for narrow windows.
const KEYS: [&str; 2] =
    ["/help lists commands and keys · Shift+Tab changes the mode", "/help: commands · Shift+Tab: mode"];

impl App {
    /// Greets, as soon as the branch is known. It is read beside the first frame, which waits for no disk.
    pub(super) fn greet(&mut self) {
        self.greeting_due = Some(self.now.ms + PATIENCE_MS);
    }

    /// The greeting goes above everything else, with or without a branch.
    pub(super) fn finish_greeting(&mut self) {
        if self.greeting_due.take().is_some() {
            let rows = self.greeting();
            self.live_area.finished.insert(0, Cell::Rows(rows));
        }
    }

    /// Version; folder, branch and model; keys.
    fn greeting(&self) -> Vec<Line<'static>> {
        let ctx = self.render_context();
        let version = Line::styled(format!("Forelook {}", env!("CARGO_PKG_VERSION")), ctx.theme.heading);
        let mut rows = vec![version];
        let info = &self.status_info;
        let branch = info.branch.as_ref().map_or_else(String::new, |branch| format!(" ({branch})"));
        let places = [info.folder_from_home(), format!("…/{}", info.folder_name())]
            .map(|folder| sanitize(&format!("{folder}{branch}")).into_owned());
        let model = sanitize(self.model());
        let mut lines = places.iter().map(|place| format!("{place} · {model}"));
        match lines.find(|line| display_width(line) <= ctx.width) {
            Some(line) => rows.push(Line::from(line)),
            None => rows.extend([&places[1], &*model].map(|text| Line::from(fitted(text, ctx.width)))),
        }
        let keys = KEYS.iter().find(|keys| display_width(keys) <= ctx.width).unwrap_or(&KEYS[1]);
        rows.push(Line::styled(*keys, ctx.theme.quiet));
        rows
    }

    /// A line between this session and the one that was on the screen before, or the time before this one.
    pub(super) fn show_entrance(&mut self, entrance: Entrance, before: &[Arc<Entry>]) {
        let words = match entrance {
            Entrance::Start => return,
            Entrance::Cleared => "New session · /resume goes back to the one before".to_owned(),
            Entrance::Continued | Entrance::Resumed => format!("Resumed · {}", self.summary(before)),
            Entrance::Returned => "Back in this session".to_owned(),
        };
        let ctx = self.render_context();
        let words = fitted(&sanitize(&words), ctx.width.saturating_sub(4));
        let rest = ctx.width.saturating_sub(display_width(&words) + 4);
        self.show(vec![Line::styled(format!("── {words} {}", "─".repeat(rest)), ctx.theme.quiet)]);
    }

    /// How much was said, how long ago, and what came first.
    fn summary(&self, entries: &[Arc<Entry>]) -> String {
        let mut prompts = entries.iter().filter_map(|entry| match (&entry.body, &entry.agent) {
            (EntryBody::PromptAccepted(taken), None) => Some(&taken.content),
            _ => None,
        });
        let first = prompts.next();
        let count = first.iter().len() + prompts.count();
        let mut words = counted(count as u64, "prompt", "prompts");
        if let Some(last) = entries.last() {
            words += &format!(", {}", age(self.now.wall, last.time));
        }
        if let Some(UserBlock::Text { text }) = first.and_then(|content| content.first()) {
            words += &format!(" · {}", text.lines().next().unwrap_or_default());
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use forelook_protocol::{AbsPath, Status};
    use ratatui_core::layout::Size;

    use super::super::tests::{noon, snapshot, status};
    use super::*;
    use crate::app::TaskResult;
    use crate::setup::UserPreferences;
    use crate::theme::Theme;

    fn app(width: u16) -> App {
        let status = Status { model: "anthropic/claude-sonnet-5-5".into(), ..status() };
        let mut app = App::new(&snapshot(status), Theme::DARK, Size::new(width, 24), noon(0));
        app.status_info.home =
            UserPreferences { home: AbsPath::new("/home/me").ok(), ..Default::default() }.home;
        app.greet();
        app
    }

    fn rows(app: &mut App) -> String {
        app.take_finished()
            .iter()
            .map(|row| row.to_string().replace(env!("CARGO_PKG_VERSION"), "X") + "\n")
            .collect()
    }

    #[test]
    fn three_rows_that_fit() {
        let mut all = String::new();
        for width in [80, 60, 40] {
            let mut app = app(width);
            app.on_task_result(TaskResult::Branch(Some("main".into())));
            let shown = rows(&mut app);
            assert!(shown.lines().all(|row| display_width(row) <= usize::from(width)), "{shown}");
            all += &shown;
        }
        insta::assert_snapshot!(all);
    }

    #[test]
    fn what_comes_behind_it_waits_for_the_branch_and_not_for_long() {
        let mut app = app(80);
        app.show_note("to know");
        app.frame();
        assert_eq!(
            (app.waiting.len(), app.live_area.finished.len()),
            (0, 1),
            "nothing is above the greeting"
        );
        assert_eq!(app.next_wakeup(), Some(PATIENCE_MS));
        app.at(noon(PATIENCE_MS));
        app.on_task_result(TaskResult::Branch(Some("late".into())));
        let shown = rows(&mut app);
        assert!(shown.starts_with("\nForelook X\n~/project · anthropic/"), "{shown}");
        assert!(shown.contains("to know") && shown.matches("Forelook").count() == 1, "{shown}");
    }

    #[test]
    fn who_leaves_at_once_was_greeted() {
        assert!(rows(&mut app(80)).contains("Forelook X"));
    }
}
