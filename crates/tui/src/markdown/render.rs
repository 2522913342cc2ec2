//! Blocks of Markdown as rows.

use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::RenderContext;
use super::container::{MarkdownContainer, indent};
use super::source_ranges::source_ranges;
use super::table::Table;
use crate::syntax::Highlighter;
use crate::text::wrap;

/// The rows of a text without fenced code at its top.
pub(super) fn rows(text: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    page(text, ctx).rows
}

/// The same, each with the part of the text that it comes from, in bytes; a row between blocks comes from none.
pub(super) fn source_rows(text: &str, ctx: RenderContext) -> Vec<(Line<'static>, Option<Range<usize>>)> {
    let page = page(text, ctx);
    page.rows.into_iter().zip(page.places).collect()
}

fn page(text: &str, ctx: RenderContext) -> Renderer {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = Renderer::new(ctx);
    for (event, place) in Parser::new_ext(text, options).into_offset_iter() {
        page.place = match event {
            // What is written where something begins stands for its beginning only.
            Event::Start(_) => place.start..place.start,
            _ => place,
        };
        page.event(event);
    }
    page.flush();
    page
}

struct Renderer {
    ctx: RenderContext,
    rows: Vec<Line<'static>>,
    /// Where each row comes from.
    places: Vec<Option<Range<usize>>>,
    /// Where we are in the text.
    place: Range<usize>,
    line: Vec<Span<'static>>,
    /// Where each part of the line comes from.
    parts: Vec<Range<usize>>,
    styles: Vec<Style>,
    container: Vec<MarkdownContainer>,
    /// Where a link leads, to be told behind its words.
    links: Vec<(String, usize)>,
    table: Option<Table>,
    /// How many rows there were when the last blank one had been added.
    blank_at: usize,
    /// Inside of code that stands in a list or a quote.
    code: Option<Highlighter>,
}

impl Renderer {
    fn new(ctx: RenderContext) -> Self {
        Self {
            ctx,
            rows: Vec::new(),
            places: Vec::new(),
            place: 0..0,
            line: Vec::new(),
            parts: Vec::new(),
            styles: Vec::new(),
            container: Vec::new(),
            links: Vec::new(),
            table: None,
            blank_at: 0,
            code: None,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code.is_some() => self.code_lines(&text),
            Event::Text(text) => self.words(&text, Style::new()),
            Event::Code(text) => self.words(&text, self.ctx.theme.code),
            Event::InlineHtml(text) => self.words(&text, self.ctx.theme.quiet),
            Event::Html(text) => {
                self.words(text.trim_end(), self.ctx.theme.quiet);
                self.flush();
            }
            Event::SoftBreak => self.words(" ", Style::new()),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                let rule = "─".repeat(self.ctx.width.min(40));
                self.part(Span::styled(rule, self.ctx.theme.quiet), self.place.clone());
                self.flush();
            }
            Event::TaskListMarker(done) => {
                if let Some(MarkdownContainer::Item { mark, .. }) = self.container.last_mut() {
                    *mark = if done { "☑ " } else { "☐ " }.to_owned();
                }
            }
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let theme = self.ctx.theme;
        match tag {
            Tag::Heading { level, .. } => {
                self.gap();
                let mark = match level {
                    HeadingLevel::H1 => Style::new().add_modifier(Modifier::UNDERLINED),
                    _ => Style::new(),
                };
                self.styles.push(theme.heading.patch(mark));
            }
            Tag::Paragraph => self.paragraph(),
            Tag::HtmlBlock => self.gap(),
            Tag::BlockQuote(_) => {
                self.gap();
                self.container.push(MarkdownContainer::Quote);
            }
            Tag::List(first) => {
                self.flush();
                self.gap();
                self.container.push(MarkdownContainer::List(first));
            }
            Tag::Item => self.item(),
            Tag::Emphasis => self.styles.push(Style::new().add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.styles.push(Style::new().add_modifier(Modifier::BOLD)),
            Tag::Strikethrough => self.styles.push(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, title, .. } | Tag::Image { dest_url, title, .. } => {
                self.styles.push(theme.link);
                // Nothing that was written is hidden, not even what no page would show.
                let title = if title.is_empty() { String::new() } else { format!(" \"{title}\"") };
                self.links.push((format!("{dest_url}{title}"), self.line.len()));
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.gap();
                self.code = Some(match kind {
                    CodeBlockKind::Fenced(language) => Highlighter::fenced(&language),
                    CodeBlockKind::Indented => Highlighter::default(),
                });
            }
            Tag::Table(alignments) => {
                self.gap();
                self.table = Some(Table::new(alignments));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::Paragraph => self.flush(),
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.flush();
                self.container.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
                self.link_target();
            }
            TagEnd::CodeBlock => {
                self.flush();
                self.code = None;
            }
            TagEnd::TableCell => {
                let words = std::mem::take(&mut self.line);
                self.parts.clear();
                if let Some(table) = &mut self.table {
                    table.cell(Line::from(words));
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row(self.place.clone());
                }
            }
            TagEnd::Table => {
                let indent = indent(&self.container, self.ctx);
                let taken: usize = indent.rest.iter().map(Span::width).sum();
                if let Some(table) = self.table.take() {
                    for (row, place) in table.rows(self.ctx.width.saturating_sub(taken), self.ctx.theme) {
                        let spans = indent.rest.iter().cloned().chain(row.spans);
                        self.rows.push(Line::from_iter(spans));
                        self.places.push(place);
                    }
                }
            }
            _ => {}
        }
    }

    fn item(&mut self) {
        self.flush();
        let mark = match self.container.last_mut() {
            Some(MarkdownContainer::List(Some(number))) => {
                let mark = format!("{number}. ");
                *number += 1;
                mark
            }
            _ => "• ".to_owned(),
        };
        self.container.push(MarkdownContainer::Item { mark, written: false });
    }

    /// A blank row between blocks, not before the first and not inside of an item that has just begun.
    fn gap(&mut self) {
        let fresh = matches!(
            self.container.last(),
            Some(MarkdownContainer::Item { .. } | MarkdownContainer::List(_))
        );
        if !fresh {
            self.blank();
        }
    }

    /// In an item, a paragraph stands apart from what is before it in the same item.
    fn paragraph(&mut self) {
        match self.container.last() {
            Some(MarkdownContainer::Item { written: true, .. }) => self.blank(),
            _ => self.gap(),
        }
    }

    /// One blank row, never two.
    fn blank(&mut self) {
        if self.rows.len() > self.blank_at && self.line.is_empty() {
            let quote = self.container.iter().any(|it| matches!(it, MarkdownContainer::Quote));
            self.rows.push(if quote {
                Line::from(indent(&self.container, self.ctx).rest)
            } else {
                Line::default()
            });
            self.places.push(None);
            self.blank_at = self.rows.len();
        }
    }

    fn words(&mut self, text: &str, style: Style) {
        let style = self.styles.iter().fold(Style::new(), |all, one| all.patch(*one)).patch(style);
        self.part(Span::styled(text.to_owned(), style), self.place.clone());
    }

    fn part(&mut self, span: Span<'static>, place: Range<usize>) {
        self.line.push(span);
        self.parts.push(place);
    }

    fn code_lines(&mut self, text: &str) {
        let mut start = self.place.start;
        for line in text.split_inclusive('\n') {
            let Some(highlighter) = &mut self.code else { return };
            let spans = highlighter.line(line.trim_end_matches(['\n', '\r']), self.ctx.theme);
            let place = start..start + line.len();
            self.part(Span::raw("  "), place.clone());
            spans.into_iter().for_each(|span| self.part(span, place.clone()));
            start += line.len();
            self.flush();
        }
    }

    /// Where a link leads, unless its words say the same.
    fn link_target(&mut self) {
        let Some((target, start)) = self.links.pop() else { return };
        let words: String = self.line.iter().skip(start).map(|span| span.content.as_ref()).collect();
        if !target.is_empty() && words != target && !target.starts_with('#') {
            self.words(&format!(" ({target})"), self.ctx.theme.quiet);
        }
    }

    /// Ends the line: it becomes rows.
    fn flush(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let line = Line::from(std::mem::take(&mut self.line));
        let parts = std::mem::take(&mut self.parts);
        let indent = indent(&self.container, self.ctx);
        if let Some(MarkdownContainer::Item { written, .. }) =
            self.container.iter_mut().rev().find(|it| matches!(it, MarkdownContainer::Item { .. }))
        {
            *written = true;
        }
        let rows = wrap(&line, self.ctx.width, &indent);
        self.places.extend(source_ranges(&line, &parts, &rows, &indent));
        self.rows.extend(rows);
    }
}

/// Where the words of a cell stand.
pub(super) fn align(alignment: Alignment, width: usize, room: usize) -> (usize, usize) {
    let free = room.saturating_sub(width);
    match alignment {
        Alignment::Right => (free, 0),
        Alignment::Center => (free / 2, free - free / 2),
        Alignment::None | Alignment::Left => (0, free),
    }
}
