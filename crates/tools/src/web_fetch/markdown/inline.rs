//! Marks inside a line: links, emphasis, code, pictures.

use reqwest::Url;

use super::{BlockGap, MarkdownWriter};

/// Marks that are open at once.
const MAX_OPEN: usize = 32;
/// A longer link or heading was forgotten to be closed.
const MAX_LINE: usize = 1000;
const MAX_ADDRESS: usize = 1000;

/// What is open inside a line.
#[derive(Default)]
pub(super) struct Marks {
    open: Vec<Mark>,
    /// Written before the next word, if one comes.
    due: String,
    link: bool,
}

struct Mark {
    kind: MarkKind,
    /// Where in `due` it begins, as long as it is not written.
    waits: Option<usize>,
}

#[derive(PartialEq, Eq)]
enum MarkKind {
    Strong,
    Emphasis,
    Struck,
    Code,
    Link(Option<String>),
}

impl MarkKind {
    fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"b" | b"strong" => MarkKind::Strong,
            b"i" | b"em" | b"cite" => MarkKind::Emphasis,
            b"s" | b"del" | b"strike" => MarkKind::Struck,
            b"code" | b"kbd" | b"samp" | b"tt" => MarkKind::Code,
            b"a" => MarkKind::Link(None),
            _ => return None,
        })
    }

    fn is_alike(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    fn before(&self) -> &'static str {
        match self {
            MarkKind::Strong => "**",
            MarkKind::Emphasis => "_",
            MarkKind::Struck => "~~",
            MarkKind::Code => "`",
            MarkKind::Link(Some(_)) => "[",
            MarkKind::Link(None) => "",
        }
    }

    fn after(&self) -> String {
        match self {
            MarkKind::Link(Some(address)) => format!("]({address})"),
            other => other.before().to_owned(),
        }
    }
}

impl Marks {
    pub(super) fn in_link(&self) -> bool {
        self.link
    }

    /// Has this written before the next word.
    pub(super) fn due(&mut self, text: &str) {
        self.due = text.to_owned();
    }

    pub(super) fn take_due(&mut self) -> String {
        self.open.iter_mut().for_each(|mark| mark.waits = None);
        std::mem::take(&mut self.due)
    }

    fn begin(&mut self, kind: MarkKind) {
        if self.open.len() < MAX_OPEN {
            self.link |= matches!(kind, MarkKind::Link(Some(_)));
            let waits = Some(self.due.len());
            self.due.push_str(kind.before());
            self.open.push(Mark { kind, waits });
        }
    }

    /// Closes the last one; returns what to write.
    fn close(&mut self) -> String {
        let Some(Mark { kind, waits }) = self.open.pop() else { return String::new() };
        if matches!(kind, MarkKind::Link(Some(_))) {
            self.link = false;
        }
        match waits {
            // Nothing stood in it.
            Some(at) => {
                self.due.truncate(at);
                String::new()
            }
            None => kind.after(),
        }
    }
}

impl MarkdownWriter {
    pub(super) fn mark_start(&mut self, name: &[u8], href: Option<String>) {
        let Some(kind) = MarkKind::of(name) else { return };
        if self.pre.is_some() {
            return;
        }
        match kind {
            MarkKind::Link(_) => {
                // There is no link in a link.
                self.mark_end(name);
                self.marks.begin(MarkKind::Link(href.and_then(|href| self.address(&href))));
                self.inline_began = self.written();
            }
            kind => self.marks.begin(kind),
        }
    }

    pub(super) fn mark_end(&mut self, name: &[u8]) {
        let Some(kind) = MarkKind::of(name) else { return };
        let Some(at) = self.marks.open.iter().rposition(|mark| mark.kind.is_alike(&kind)) else { return };
        while self.marks.open.len() > at {
            let after = self.marks.close();
            self.push(&after);
        }
    }

    /// Closes all that is open inside the line.
    pub(super) fn close_marks(&mut self) {
        while !self.marks.open.is_empty() {
            let after = self.marks.close();
            self.push(&after);
        }
        self.marks.due.clear();
    }

    /// Closes a link or a heading whose end was forgotten.
    pub(super) fn end_long_line(&mut self) {
        if (self.marks.link || self.heading) && self.written().saturating_sub(self.inline_began) > MAX_LINE {
            self.mark_end(b"a");
            self.heading = false;
        }
    }

    pub(super) fn image(&mut self, alt: Option<String>, src: Option<String>) {
        let alt = alt.map(|alt| alt.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default();
        if alt.is_empty() || self.pre.is_some() {
            return;
        }
        let picture = match src.and_then(|src| self.address(&src)) {
            Some(address) if !self.is_inline() => format!("![{alt}]({address})"),
            _ => format!("![{alt}]"),
        };
        self.gap = self.gap.max(BlockGap::Space);
        self.word(&picture);
        self.gap = self.gap.max(BlockGap::Space);
    }

    /// Where a link leads, if a page is there.
    fn address(&self, href: &str) -> Option<String> {
        if href.is_empty() || href.starts_with('#') || href.len() > MAX_ADDRESS {
            return None;
        }
        let url: Url = self.base.join(href).ok()?;
        matches!(url.scheme(), "http" | "https" | "mailto")
            .then(|| url.as_str().replace('(', "%28").replace(')', "%29"))
    }
}
