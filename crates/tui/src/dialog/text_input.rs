//! Words of the person's own, in a dialog.

use ratatui_core::text::{Line, Span};

use crate::composer::{Composer, ComposerOutcome};
use crate::markdown::RenderContext;
use crate::term::{Code, Key};
use crate::text::{Indent, wrap};

/// Rows of the words that are shown.
const ROWS: usize = 3;

/// Words that are being written.
#[derive(Debug, Default)]
pub(super) struct TextInput {
    composer: Composer,
    width: usize,
}

/// What a key came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextInputOutcome {
    /// They are still being written.
    Open,
    /// The person does not want to say anything after all.
    Back,
    /// These are the words, if there are any.
    Done(Option<String>),
}

impl TextInput {
    /// With this text in it.
    pub(super) fn with(text: &str) -> Self {
        let mut input = Self::default();
        input.composer.set(text);
        input
    }

    pub(super) fn key(&mut self, key: Key) -> TextInputOutcome {
        match key.code {
            Code::Esc => TextInputOutcome::Back,
            // Sending nothing is something here.
            Code::Enter if self.is_empty() => TextInputOutcome::Done(None),
            _ => match self.composer.key(key, self.width) {
                ComposerOutcome::Sent(words) => TextInputOutcome::Done(Some(words.text.trim().to_owned())),
                _ => TextInputOutcome::Open,
            },
        }
    }

    /// A key that moves or writes, for words that stay open.
    pub(super) fn edit(&mut self, key: Key) {
        if key.code != Code::Enter || key.shift || key.alt || key.ctrl {
            self.composer.key(key, self.width);
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.composer.paste(text, self.width);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.composer.text().trim().is_empty()
    }

    /// The words as they are shown.
    pub(super) fn text(&self) -> &str {
        self.composer.text()
    }

    /// The words as they are meant, pastes unfolded.
    pub(super) fn whole(&self) -> String {
        self.composer.whole()
    }

    /// The rows behind a lead, and the place of the cursor.
    pub(super) fn rows(
        &mut self,
        lead: &str,
        ctx: RenderContext,
    ) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        let (mut rows, cursor) = self.written(lead, ctx);
        let keys = Line::styled("Enter: send · Esc: back", ctx.theme.quiet);
        rows.extend(wrap(&keys, ctx.width, &Indent::all("  ")));
        (rows, Some(cursor))
    }

    /// The same without a word about keys.
    pub(super) fn written(&mut self, lead: &str, ctx: RenderContext) -> (Vec<Line<'static>>, (usize, usize)) {
        let indent = forelook_wording::display_width(lead);
        self.width = ctx.width.saturating_sub(indent + 1).max(2);
        let layout = self.composer.layout(self.width);
        let first = layout.cursor.0.saturating_sub(ROWS - 1);
        let row = |(at, text): (usize, String)| {
            let lead = if at == first { lead.to_owned() } else { " ".repeat(indent) };
            Line::from(vec![Span::raw(lead), Span::raw(text)])
        };
        let shown = layout.rows.iter().enumerate().skip(first).take(ROWS);
        let rows = shown.map(|(at, it)| row((at, it.text.clone()))).collect();
        (rows, (layout.cursor.0 - first, layout.cursor.1 + indent))
    }
}
