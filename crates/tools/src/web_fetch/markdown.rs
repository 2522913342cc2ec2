//! From HTML to Markdown, in one pass over its tags.
//!
//! No tree is built: a stranger's page can be nested a hundred thousand deep, or made so that a tree of it is a thousand
//! times its size. Here whatever is open is on short stacks, and what is deeper than they are is text like any other.

mod inline;
mod table;

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};
use reqwest::Url;

use self::inline::Marks;
use self::table::Tables;

/// Lists and quotes inside each other.
const MAX_CONTAINERS: usize = 16;
const MAX_TITLE: usize = 300;

/// A page as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkdownText {
    pub(super) title: Option<String>,
    pub(super) text: String,
    /// Whether it is longer than what was wanted of it.
    pub(super) cut: bool,
}

/// The page at `base` as Markdown, about `limit` bytes of it. `go_on` is asked now and then.
pub(super) fn markdown(html: &str, base: &Url, limit: usize, go_on: impl Fn() -> bool) -> MarkdownText {
    let mut emitter = DefaultEmitter::default();
    // The contents of scripts are no tags.
    emitter.naively_switch_states(true);
    let mut writer = MarkdownWriter::new(base.clone(), limit);
    for (count, token) in Tokenizer::new_with_emitter(html, emitter).flatten().enumerate() {
        if writer.full || (count % 1024 == 0 && !go_on()) {
            break;
        }
        match token {
            Token::StartTag(tag) => writer.start(&tag),
            Token::EndTag(tag) => writer.end(&tag.name),
            Token::String(text) => writer.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    writer.finish()
}

/// Its contents are not for reading.
const SKIPPED: [&[u8]; 8] =
    [b"script", b"style", b"noscript", b"template", b"svg", b"math", b"iframe", b"canvas"];

/// Stands apart from what is before and after it.
const BLOCKS: [&[u8]; 27] = [
    b"address",
    b"article",
    b"aside",
    b"body",
    b"caption",
    b"center",
    b"dd",
    b"details",
    b"dialog",
    b"div",
    b"dl",
    b"dt",
    b"fieldset",
    b"figcaption",
    b"figure",
    b"footer",
    b"form",
    b"head",
    b"header",
    b"hgroup",
    b"html",
    b"main",
    b"nav",
    b"p",
    b"search",
    b"section",
    b"summary",
];

/// Something that all lines inside it begin with.
struct Container {
    kind: ContainerKind,
    first: String,
    rest: String,
    /// Nothing of it is written yet.
    fresh: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContainerKind {
    Quote,
    Item,
}

/// Text in which every space counts.
#[derive(Default)]
struct Pre {
    language: String,
    text: String,
}

/// What is written next begins…
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BlockGap {
    /// …where the last ended.
    None,
    /// …after a space.
    Space,
    /// …on a line of its own.
    Line,
    /// …after an empty line.
    Blank,
}

struct MarkdownWriter {
    out: String,
    limit: usize,
    full: bool,
    base: Url,
    gap: BlockGap,
    containers: Vec<Container>,
    /// The number of the next item of each open list; nothing if it has no numbers.
    lists: Vec<Option<u64>>,
    marks: Marks,
    /// How much was written when the last link or heading began.
    inline_began: usize,
    tables: Tables,
    heading: bool,
    pre: Option<Pre>,
    title: Option<String>,
    in_title: bool,
    /// What is skipped, and how many of it are open.
    skip: Option<(Vec<u8>, usize)>,
}

impl MarkdownWriter {
    fn new(base: Url, limit: usize) -> Self {
        Self {
            out: String::new(),
            limit,
            full: false,
            base,
            gap: BlockGap::None,
            containers: Vec::new(),
            lists: Vec::new(),
            marks: Marks::default(),
            inline_began: 0,
            tables: Tables::default(),
            heading: false,
            pre: None,
            title: None,
            in_title: false,
            skip: None,
        }
    }

    fn start(&mut self, tag: &StartTag<()>) {
        let name: &[u8] = &tag.name;
        if let Some((skipped, open)) = &mut self.skip {
            *open += usize::from(skipped == name && !tag.self_closing);
            return;
        }
        match name {
            _ if SKIPPED.contains(&name) && !tag.self_closing => self.skip = Some((name.to_vec(), 1)),
            b"title" if self.title.is_none() => self.in_title = true,
            b"title" => self.skip = Some((name.to_vec(), 1)),
            b"base" => {
                let href = attribute(tag, b"href").and_then(|href| self.base.join(&href).ok());
                self.base = href.unwrap_or_else(|| self.base.clone());
            }
            b"br" => self.apart(BlockGap::Line),
            b"hr" => {
                self.apart(BlockGap::Blank);
                self.word("---");
                self.apart(BlockGap::Blank);
            }
            [b'h', level @ b'1'..=b'6'] => self.heading(usize::from(level - b'0')),
            b"ul" | b"ol" | b"menu" => self.list(name == b"ol", attribute(tag, b"start")),
            b"li" => self.item(),
            b"blockquote" => self.quote(),
            b"pre" | b"listing" => self.begin_pre(tag),
            b"code" if self.pre.is_some() => self.language(tag),
            b"table" | b"tr" | b"td" | b"th" => self.table_start(name),
            b"img" => self.image(attribute(tag, b"alt"), attribute(tag, b"src")),
            _ if BLOCKS.contains(&name) => self.apart(BlockGap::Blank),
            _ => self.mark_start(name, attribute(tag, b"href")),
        }
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((skipped, open)) = &mut self.skip {
            *open -= usize::from(skipped == name);
            if *open == 0 {
                self.skip = None;
            }
            return;
        }
        match name {
            b"title" => self.in_title = false,
            [b'h', b'1'..=b'6'] => {
                self.close_marks();
                self.heading = false;
                self.apart(BlockGap::Blank);
            }
            b"ul" | b"ol" | b"menu" => self.end_list(),
            b"li" => {
                self.apart(BlockGap::Line);
                self.leave(ContainerKind::Item);
            }
            b"blockquote" => {
                self.apart(BlockGap::Blank);
                self.leave(ContainerKind::Quote);
            }
            b"pre" | b"listing" => self.end_pre(),
            b"table" | b"tr" | b"td" | b"th" => self.table_end(name),
            _ if BLOCKS.contains(&name) => self.apart(BlockGap::Blank),
            _ => self.mark_end(name),
        }
    }

    fn text(&mut self, text: &str) {
        if self.skip.is_some() {
            return;
        }
        if self.in_title {
            let title = self.title.get_or_insert_default();
            if title.len() < 4 * MAX_TITLE {
                title.push_str(text);
            }
            return;
        }
        if let Some(pre) = &mut self.pre {
            self.full |= pre.text.len() + text.len() > self.limit;
            pre.text.push_str(text);
            return;
        }
        let is_space = |it: char| it.is_ascii_whitespace() || it == '\u{a0}';
        let mut rest = text;
        while !rest.is_empty() && !self.full {
            let words = rest.trim_start_matches(is_space);
            if words.len() < rest.len() {
                self.gap = self.gap.max(BlockGap::Space);
            }
            let end = words.find(is_space).unwrap_or(words.len());
            let (word, after) = words.split_at(end);
            if !word.is_empty() {
                self.word(word);
            }
            rest = after;
        }
    }

    /// Whether what is written now cannot be broken into lines.
    fn is_inline(&self) -> bool {
        self.heading || self.marks.in_link() || self.tables.in_cell()
    }

    /// What comes next stands apart.
    fn apart(&mut self, gap: BlockGap) {
        self.gap = self.gap.max(if self.is_inline() { BlockGap::Space } else { gap });
    }

    /// Writes a word, and before it what is due.
    fn word(&mut self, word: &str) {
        self.gap_is_due();
        self.end_long_line();
        let marks = self.marks.take_due();
        self.push(&marks);
        let escaped = self.tables.in_cell() && word.contains('|');
        self.push(&if escaped { word.replace('|', "\\|") } else { word.to_owned() });
    }

    fn push(&mut self, text: &str) {
        let sink = self.tables.cell().unwrap_or(&mut self.out);
        sink.push_str(text);
        self.full |= self.written() > self.limit;
    }

    /// Bytes so far.
    fn written(&self) -> usize {
        self.out.len() + self.tables.waiting()
    }

    fn gap_is_due(&mut self) {
        let gap = std::mem::replace(&mut self.gap, BlockGap::None);
        if let Some(cell) = self.tables.cell() {
            if gap != BlockGap::None && !cell.is_empty() {
                cell.push(' ');
            }
            return;
        }
        let begins = self.out.is_empty();
        match gap {
            BlockGap::Line if !begins => self.out.push('\n'),
            BlockGap::Blank if !begins => {
                let empty: String =
                    self.containers.iter().filter(|it| !it.fresh).map(|it| &*it.rest).collect();
                self.out.push('\n');
                self.out.push_str(empty.trim_end());
                self.out.push('\n');
            }
            BlockGap::Space if !begins => {
                self.out.push(' ');
                return;
            }
            BlockGap::None if !begins => return,
            _ => {}
        }
        for container in &mut self.containers {
            let fresh = std::mem::replace(&mut container.fresh, false);
            self.out.push_str(if fresh { &container.first } else { &container.rest });
        }
    }

    fn heading(&mut self, level: usize) {
        self.close_marks();
        self.heading = false;
        self.apart(BlockGap::Blank);
        if self.is_inline() {
            return;
        }
        self.marks.due(&format!("{} ", "#".repeat(level)));
        self.heading = true;
        self.inline_began = self.written();
    }

    fn list(&mut self, numbered: bool, start: Option<String>) {
        self.close_marks();
        self.heading = false;
        self.apart(if self.lists.is_empty() { BlockGap::Blank } else { BlockGap::Line });
        if self.lists.len() < MAX_CONTAINERS {
            let start = start.and_then(|start| start.parse().ok()).unwrap_or(1);
            self.lists.push(numbered.then_some(start));
        }
    }

    fn end_list(&mut self) {
        self.close_marks();
        self.leave(ContainerKind::Item);
        self.lists.pop();
        self.apart(if self.lists.is_empty() { BlockGap::Blank } else { BlockGap::Line });
    }

    fn item(&mut self) {
        self.close_marks();
        // Most pages leave out the end of an item.
        let items = self.containers.iter().filter(|it| it.kind == ContainerKind::Item).count();
        if items >= self.lists.len().max(1) {
            self.leave(ContainerKind::Item);
        }
        self.apart(BlockGap::Line);
        let first = match self.lists.last_mut() {
            Some(Some(number)) => {
                let first = format!("{number}. ");
                *number = number.saturating_add(1);
                first
            }
            Some(None) | None => "- ".to_owned(),
        };
        let rest = " ".repeat(first.len());
        self.enter(Container { kind: ContainerKind::Item, first, rest, fresh: true });
    }

    fn quote(&mut self) {
        self.close_marks();
        self.heading = false;
        self.apart(BlockGap::Blank);
        let sign = "> ".to_owned();
        self.enter(Container { kind: ContainerKind::Quote, first: sign.clone(), rest: sign, fresh: true });
    }

    fn enter(&mut self, container: Container) {
        if self.containers.len() < MAX_CONTAINERS && !self.is_inline() {
            self.containers.push(container);
        }
    }

    fn leave(&mut self, kind: ContainerKind) {
        if let Some(at) = self.containers.iter().rposition(|it| it.kind == kind) {
            self.containers.truncate(at);
        }
    }

    fn begin_pre(&mut self, tag: &StartTag<()>) {
        if self.pre.is_some() {
            return;
        }
        self.apart(BlockGap::Blank);
        if !self.is_inline() {
            self.close_marks();
            self.pre = Some(Pre::default());
            self.language(tag);
        }
    }

    fn language(&mut self, tag: &StartTag<()>) {
        let class = attribute(tag, b"class").unwrap_or_default();
        let named = class.split_ascii_whitespace().find_map(|word| {
            let starts = ["language-", "lang-", "highlight-source-"];
            starts.iter().find_map(|start| word.strip_prefix(start)).filter(|it| it.len() <= 20)
        });
        if let (Some(pre), Some(named)) = (&mut self.pre, named) {
            pre.language = named.to_owned();
        }
    }

    fn end_pre(&mut self) {
        let Some(Pre { language, text }) = self.pre.take() else { return };
        let text = text.strip_prefix('\n').unwrap_or(&text).trim_end();
        if text.is_empty() {
            return;
        }
        let runs = text.split(|it| it != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(3.max(runs + 1));
        self.gap = self.gap.max(BlockGap::Blank);
        self.word(&format!("{fence}{language}"));
        for line in text.lines().chain([fence.as_str()]) {
            self.gap = BlockGap::Line;
            self.word(line);
        }
        self.gap = BlockGap::Blank;
    }

    fn finish(mut self) -> MarkdownText {
        self.end_pre();
        self.close_marks();
        self.close_tables();
        let title = self.title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
        let title = title.filter(|title| !title.is_empty());
        let title = title.map(|title| title.chars().take(MAX_TITLE).collect());
        MarkdownText { title, text: self.out.trim_end().to_owned(), cut: self.full }
    }
}

fn attribute(tag: &StartTag<()>, name: &[u8]) -> Option<String> {
    tag.attributes.get(name).map(|value| String::from_utf8_lossy(&value.value).trim().to_owned())
}

#[cfg(test)]
mod tests;
