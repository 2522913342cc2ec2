//! Asked before anything else: is what this project brings to be trusted?

use std::io::Write;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Rect, Size};
use ratatui_core::text::Line;
use ratatui_core::widgets::Widget;

use crate::dialog::{DialogLayout, KeyGuard, Scroll};
use crate::markdown::RenderContext;
use crate::run::{instant, milliseconds};
use crate::setup::{Terminal, TuiError, depth, screen, window};
use crate::term::{self, Code, Input, InputReader, Key, Screen, input};
use crate::text::{Indent, sanitize, wrap};
use crate::theme::Theme;

const MEANS: &str = "If you do, this folder's commands can run on your computer, and its rules can allow actions \
                     without asking you. Forelook remembers this.";
const MEANS_NOT: &str =
    "If you don't, Forelook works but ignores this folder's rules and hooks. It asks again next time.";

/// Asks whether a folder is trusted; `brings` says in sentences what it would bring. Anything but a `y` is a no.
pub async fn confirm_trust(
    terminal: Terminal,
    theme: Option<&str>,
    folder: &str,
    brings: &[String],
) -> Result<bool, TuiError> {
    let _guard = term::TerminalGuard::enter()?;
    let mut size = window()?;
    let mut screen = screen(terminal, size);
    let theme = theme.and_then(Theme::named).unwrap_or(Theme::DARK).on(depth(terminal));
    let mut asked = TrustDialog::new(folder, brings, theme);
    let (began, mut keys) = (instant(), InputReader::begin()?);
    let trusted = loop {
        write(&asked.frame(&mut screen, size))?;
        // A terminal that is gone says no.
        let Some(event) = keys.next().await else { break false };
        match input(event) {
            Some(Input::Key(key)) => {
                if let Some(trusted) = asked.key(key, milliseconds(began)) {
                    break trusted;
                }
            }
            Some(Input::Resized) => {
                size = window()?;
                screen.resized(size);
            }
            _ => {}
        }
    };
    keys.end().await;
    write(&screen.leave())?;
    Ok(trusted)
}

fn write(bytes: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes.as_bytes())?;
    out.flush()
}

/// The question, without a terminal.
struct TrustDialog {
    folder: String,
    brings: Vec<String>,
    theme: Theme,
    guard: KeyGuard,
    scroll: Scroll,
}

impl TrustDialog {
    fn new(folder: &str, brings: &[String], theme: Theme) -> Self {
        let (guard, scroll) = (KeyGuard::begin(0), Scroll::default());
        Self { folder: folder.to_owned(), brings: brings.to_vec(), theme, guard, scroll }
    }

    /// The answer, if the key is one: a yes only if it was typed after a calm, a no at any time.
    fn key(&mut self, key: Key, now: u64) -> Option<bool> {
        if key.code == Code::Esc
            || key == Key::ctrl('c')
            || key == Key::ctrl('d')
            || key.letter() == Some('n')
        {
            return Some(false);
        }
        if !self.guard.allows(now) || self.scroll.key(key) {
            return None;
        }
        (key.letter() == Some('y')).then_some(true)
    }

    fn rows(&mut self, ctx: RenderContext, room: usize) -> Vec<Line<'static>> {
        let theme = ctx.theme;
        let said = |text: &str, style| {
            wrap(&Line::styled(sanitize(text).replace('\n', " "), style), ctx.width, &Indent::all("  "))
        };
        let mut body = said(&self.folder, theme.heading);
        body.extend(self.brings.iter().flat_map(|brings| said(brings, theme.warning)));
        body.push(Line::default());
        body.extend(said(MEANS, theme.quiet));
        body.extend(said(MEANS_NOT, theme.quiet));
        let title = Line::styled("Do you trust this folder?", theme.warning);
        let below = vec![Line::from("  y  yes, I trust it"), Line::from("  n  no (Esc)")];
        DialogLayout { title, body: body.into(), below, ..DialogLayout::default() }
            .page(&mut self.scroll, ctx, room)
            .rows
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

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> TrustDialog {
        let brings = ["Its settings contain 2 allow rules and 1 hook.", "It defines agents."];
        TrustDialog::new("/home/me/projects/cloned-project", &brings.map(str::to_owned), Theme::DARK)
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
            (vec![(y, 100), (y, 500)], Some(true)),
            (vec![(y, 400)], Some(true)),
            (vec![(enter, 400)], None),
            (vec![(Key::plain(Code::Char(' ')), 400)], None),
            (vec![(Key::alt(Code::Char('y')), 400)], None),
            (vec![(n, 100)], Some(false)),
            (vec![(esc, 400)], Some(false)),
            (vec![(Key::ctrl('c'), 10)], Some(false)),
        ] {
            let mut asked = asked();
            let answer = keys.iter().map(|(key, at)| asked.key(*key, *at)).last().flatten();
            assert_eq!(answer, expected, "{keys:?}");
        }
    }
}
