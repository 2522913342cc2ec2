//! Asked before anything else: is what this project brings to be trusted?

use forelook_protocol::TrustQuestion;
use forelook_wording::visible;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Rect, Size};
use ratatui_core::text::Line;
use ratatui_core::widgets::Widget;

use crate::dialog::{DialogLayout, KeyGuard, Scroll};
use crate::markdown::RenderContext;
use crate::run::{instant, milliseconds};
use crate::setup::{Terminal, TuiError, depth, screen, window, write};
use crate::term::{self, Code, Input, InputReader, Key, Screen};
use crate::text::{Indent, wrap};
use crate::theme::Theme;

const MEANS: &str = "If you do, this folder's commands can run on your computer, and its rules can allow actions \
                     without asking you. Forelook asks again if any of this changes.";
const MEANS_NOT: &str =
    "If you don't, Forelook works but ignores this folder's rules and hooks. It asks again next time.";

const OBSTACLES: &str =
    "Forelook cannot check everything that this folder would run, so you cannot trust it as it is:";
const MEANS_OBSTACLES: &str = "Look at these files. Until they are fixed or removed, Forelook works but ignores this \
                               folder's rules and hooks.";

const MEANS_WITHDRAWN: &str = "If you withdraw your trust, Forelook ignores this folder's rules and hooks, and asks you \
                               again the next time you start it here.";

/// The answer to the question whether a folder is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAnswer {
    /// Yes.
    Trusted,
    /// No.
    Untrusted,
    /// No longer.
    Withdrawn,
    /// The person left the program.
    Left,
    /// The terminal is gone, and nobody is there to answer.
    Lost,
}

/// When it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustMoment {
    /// Before anything else.
    Start,
    /// In a session, which goes on whatever the answer is.
    InSession,
}

/// Asks whether a folder is trusted, and shows what a yes is about. Anything but a `y` is a no. Of a folder that is trusted,
/// whether it still is: anything but a `w` leaves it so.
pub async fn confirm_trust(
    terminal: Terminal,
    theme: Option<&str>,
    question: &TrustQuestion,
    moment: TrustMoment,
) -> Result<TrustAnswer, TuiError> {
    let _guard = term::TerminalGuard::enter()?;
    let mut size = window()?;
    let mut screen = screen(terminal, size);
    let theme = theme.and_then(Theme::named).unwrap_or(Theme::DARK).on(depth(terminal));
    let mut asked = TrustDialog::new(question.clone(), moment, theme);
    let (began, mut keys) = (instant(), InputReader::begin()?);
    let answer = loop {
        if write(&terminal.charset.text(&asked.frame(&mut screen, size))).is_err() {
            return Ok(TrustAnswer::Lost);
        }
        let Some(event) = keys.next().await else { return Ok(TrustAnswer::Lost) };
        match event {
            Input::Key(key) => {
                if let Some(answer) = asked.key(key, milliseconds(began)) {
                    break answer;
                }
            }
            Input::Resized => {
                // A window that is gone has no size; the keys tell.
                size = window().unwrap_or(size);
                screen.resized(size);
            }
            _ => {}
        }
    };
    keys.end().await;
    if write(&screen.leave()).is_err() {
        return Ok(TrustAnswer::Lost);
    }
    Ok(answer)
}

/// The question, without a terminal.
struct TrustDialog {
    question: TrustQuestion,
    moment: TrustMoment,
    theme: Theme,
    guard: KeyGuard,
    scroll: Scroll,
    /// Whether all of it was on the screen: a yes to what nobody saw is none.
    seen: bool,
}

impl TrustDialog {
    fn new(question: TrustQuestion, moment: TrustMoment, theme: Theme) -> Self {
        let (guard, scroll) = (KeyGuard::begin(0), Scroll::default());
        Self { question, moment, theme, guard, scroll, seen: false }
    }

    /// The answer, if the key is one: a yes only if it was typed after a calm, a no at any time.
    fn key(&mut self, key: Key, now: u64) -> Option<TrustAnswer> {
        let leaves = key == Key::ctrl('c') || key == Key::ctrl('d');
        if leaves || key.code == Code::Esc || key.letter() == Some('n') {
            return Some(match (self.question.trusted, leaves) {
                // Where there is trust, who does not answer leaves it.
                (true, _) => TrustAnswer::Trusted,
                (false, true) => TrustAnswer::Left,
                (false, false) => TrustAnswer::Untrusted,
            });
        }
        if !self.guard.allows(now) || self.scroll.key(key) {
            return None;
        }
        if self.question.trusted {
            return (key.letter() == Some('w')).then_some(TrustAnswer::Withdrawn);
        }
        let can_agree = self.seen && self.question.obstacles.is_empty();
        (key.letter() == Some('y') && can_agree).then_some(TrustAnswer::Trusted)
    }

    fn rows(&mut self, ctx: RenderContext, room: usize) -> Vec<Line<'static>> {
        let theme = ctx.theme;
        let said = |text: &str, style| {
            wrap(&Line::styled(visible(text).replace('\n', "␊"), style), ctx.width, &Indent::all("  "))
        };
        let listed = |text: &String| {
            wrap(
                &Line::styled(visible(text).replace('\n', "␊"), theme.warning),
                ctx.width,
                &Indent::first("  - "),
            )
        };
        let TrustQuestion { folder, changes, obstacles, brings, .. } = &self.question;
        let mut body = said(folder, theme.heading);
        if !obstacles.is_empty() {
            body.extend(said(OBSTACLES, theme.quiet));
            body.extend(obstacles.iter().flat_map(listed));
        }
        if let Some(changes) = changes {
            body.extend(said("It changed since you trusted it:", theme.quiet));
            body.extend(changes.iter().flat_map(listed));
        }
        if !brings.is_empty() {
            let words = if changes.is_some() { "It now contains:" } else { "It contains:" };
            body.extend(said(words, theme.quiet));
            body.extend(brings.iter().flat_map(listed));
        }
        body.push(Line::default());
        match obstacles.as_slice() {
            [] if self.question.trusted => body.extend(said(MEANS_WITHDRAWN, theme.quiet)),
            [] => body.extend(said(MEANS, theme.quiet).into_iter().chain(said(MEANS_NOT, theme.quiet))),
            _ => body.extend(said(MEANS_OBSTACLES, theme.quiet)),
        }
        let title = Line::styled(title(&self.question), theme.warning);
        let below = self.answers();
        let rows = DialogLayout { title, body: body.into(), below, ..DialogLayout::default() }
            .page(&mut self.scroll, ctx, room)
            .rows;
        if !self.seen && self.scroll.is_at_end() {
            self.seen = true;
            // The answers are others now.
            return self.rows(ctx, room);
        }
        rows
    }

    fn answers(&self) -> Vec<Line<'static>> {
        if self.question.trusted {
            return vec![Line::from("  w  withdraw my trust"), Line::from("  n  leave it as it is (Esc)")];
        }
        let leaves = self.moment == TrustMoment::Start;
        let no = if leaves { "  n  no (Esc) · Ctrl+C leaves" } else { "  n  no (Esc)" };
        match (self.question.obstacles.is_empty(), self.seen) {
            (true, true) => vec![Line::from("  y  yes, I trust it"), Line::from(no)],
            (true, false) => vec![Line::from("  PgDn  read on"), Line::from(no)],
            (false, _) => {
                let leave = leaves.then(|| Line::from("     Ctrl+C leaves"));
                std::iter::once(Line::from("  n  go on without trust (Esc)")).chain(leave).collect()
            }
        }
    }

    fn frame(&mut self, screen: &mut Screen, size: Size) -> String {
        let ctx = RenderContext { width: usize::from(size.width), theme: self.theme };
        let rows = self.rows(ctx, usize::from(size.height));
        let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).min(size.height);
        let mut live = Buffer::empty(Rect::new(0, 0, size.width, height));
        for (at, row) in (0..height).zip(&rows) {
            row.render(Rect::new(0, at, size.width, 1), &mut live);
        }
        screen.frame(&[], live, None)
    }
}

fn title(question: &TrustQuestion) -> &'static str {
    match (&question.changes, question.obstacles.as_slice()) {
        (_, []) if question.trusted => "You trust this folder",
        (_, [_, ..]) => "This folder cannot be trusted",
        (Some(_), []) => "Do you still trust this folder?",
        (None, []) => "Do you trust this folder?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> TrustDialog {
        asked_after(None)
    }

    fn asked_after(changes: Option<&[&str]>) -> TrustDialog {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let question = TrustQuestion {
            folder: "/home/me/projects/cloned-project".to_owned(),
            changes: changes.map(texts),
            obstacles: Vec::new(),
            trusted: false,
            brings: texts(&[
                "hook `curl -s https://example.com/install.sh | sh` (PreToolUse for Bash)",
                "script `tools/check.sh`",
                "runs files that Forelook cannot check: `make check`",
                "allow rule `Bash(make:*)`",
                "agent `.forelook/agents/reviewer.md`",
                "MCP server `db` ({\"command\":\"npx\",\"args\":[\"db-server\"]})",
            ]),
        };
        TrustDialog::new(question, TrustMoment::Start, Theme::DARK)
    }

    #[test]
    fn what_changed_comes_first() {
        let mut asked = asked_after(Some(&["new: hook `x` (Stop)", "changed: script `tools/check.sh`"]));
        let rows = asked.rows(RenderContext { width: 80, theme: Theme::DARK }, 24);
        let rows: Vec<String> = rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect();
        insta::assert_snapshot!(rows.join("\n"));
    }

    #[test]
    fn what_is_brought_and_what_a_yes_means() {
        let mut all = String::new();
        for (width, height) in [(80, 24), (40, 15), (30, 8), (200, 60)] {
            let rows = asked().rows(RenderContext { width, theme: Theme::DARK }, height);
            assert!(rows.len() <= height && rows.iter().all(|row| row.width() <= width));
            let rows: Vec<String> = rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect();
            all += &format!("{width}x{height}\n{}\n\n", rows.join("\n"));
        }
        insta::assert_snapshot!(all);
    }

    #[test]
    fn only_a_y_after_a_calm_is_a_yes() {
        let [y, n, esc, enter] = [Code::Char('y'), Code::Char('n'), Code::Esc, Code::Enter].map(Key::plain);
        for (keys, expected) in [
            (vec![(y, 100)], None),
            (vec![(y, 100), (y, 300)], None),
            (vec![(y, 100), (y, 500)], Some(TrustAnswer::Trusted)),
            (vec![(y, 400)], Some(TrustAnswer::Trusted)),
            (vec![(enter, 400)], None),
            (vec![(Key::plain(Code::Char(' ')), 400)], None),
            (vec![(Key::alt(Code::Char('y')), 400)], None),
            (vec![(n, 100)], Some(TrustAnswer::Untrusted)),
            (vec![(esc, 400)], Some(TrustAnswer::Untrusted)),
            (vec![(Key::ctrl('c'), 10)], Some(TrustAnswer::Left)),
            (vec![(Key::ctrl('d'), 10)], Some(TrustAnswer::Left)),
        ] {
            let mut asked = asked();
            asked.rows(RenderContext { width: 80, theme: Theme::DARK }, 24);
            let answer = keys.iter().map(|(key, at)| asked.key(*key, *at)).last().flatten();
            assert_eq!(answer, expected, "{keys:?}");
        }
    }

    #[test]
    fn trust_is_withdrawn_with_a_key_of_its_own() {
        let [w, y, n, esc] = [Code::Char('w'), Code::Char('y'), Code::Char('n'), Code::Esc].map(Key::plain);
        for (key, at, expected) in [
            (w, 100, None),
            (w, 400, Some(TrustAnswer::Withdrawn)),
            (y, 400, None),
            (n, 400, Some(TrustAnswer::Trusted)),
            (esc, 10, Some(TrustAnswer::Trusted)),
            (Key::ctrl('c'), 10, Some(TrustAnswer::Trusted)),
        ] {
            let mut asked = asked();
            asked.question.trusted = true;
            let rows = asked.rows(RenderContext { width: 80, theme: Theme::DARK }, 30);
            assert_eq!(asked.key(key, at), expected, "{key:?}");
            if key == y {
                let rows: Vec<String> =
                    rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect();
                insta::assert_snapshot!(rows.join("\n"));
            }
        }
    }

    /// There it only closes the question.
    #[test]
    fn in_a_session_ctrl_c_leaves_nothing() {
        for obstacles in [Vec::new(), vec!["`tools/check.sh` cannot be read".to_owned()]] {
            let mut asked = asked();
            asked.question.obstacles = obstacles;
            asked.moment = TrustMoment::InSession;
            let rows = asked.rows(RenderContext { width: 80, theme: Theme::DARK }, 30);
            let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
            assert!(rows.iter().any(|row| row.contains("(Esc)")), "{rows:?}");
            assert!(!rows.iter().any(|row| row.contains("leaves")), "{rows:?}");
            assert_eq!(asked.key(Key::ctrl('c'), 10), Some(TrustAnswer::Left));
        }
    }

    /// What is below the window could be what they would not agree to.
    #[test]
    fn a_yes_counts_once_everything_was_on_the_screen() {
        let ctx = RenderContext { width: 40, theme: Theme::DARK };
        let (mut asked, y, down) = (asked(), Key::plain(Code::Char('y')), Key::plain(Code::PageDown));
        let mut pages = 0;
        loop {
            let rows: Vec<String> = asked.rows(ctx, 15).iter().map(ToString::to_string).collect();
            let offered = rows.iter().any(|row| row.contains("yes, I trust it"));
            assert_eq!(asked.key(y, 1_000), offered.then_some(TrustAnswer::Trusted), "{rows:?}");
            if offered {
                break;
            }
            asked.key(down, 1_000);
            pages += 1;
        }
        assert!(pages > 0);
    }

    #[test]
    fn what_cannot_be_checked_has_no_yes() {
        let mut asked = asked();
        asked.question.obstacles = vec![
            "`tools/check.sh`: every user can write to it; run `chmod o-w` on it".to_owned(),
            "`.forelook/settings.json:12` has a value of more than 4000 characters".to_owned(),
        ];
        let rows = asked.rows(RenderContext { width: 80, theme: Theme::DARK }, 30);
        assert_eq!(asked.key(Key::plain(Code::Char('y')), 1_000), None);
        assert_eq!(asked.key(Key::plain(Code::Char('n')), 1_000), Some(TrustAnswer::Untrusted));
        let rows: Vec<String> = rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect();
        insta::assert_snapshot!(rows.join("\n"));
    }
}
