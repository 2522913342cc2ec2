//! Where the person writes: many lines, undo, history, pastes that fold, pictures, the keys of vi if wanted.

mod attachments;
mod buffer;
mod history;
mod keys;
mod layout;
mod picture_path;
mod search;
mod vi;

use forelook_protocol::{Mentions, PastPrompt, Prompt, UserBlock};
use forelook_view::user_text;
use forelook_wording::parse_mentions;

use attachments::Attachments;
use buffer::Buffer;
use history::PromptHistory;
pub(crate) use layout::TextLayout;
pub(crate) use picture_path::picture_path;
use search::HistorySearch;
use vi::Vi;

/// In a window that is narrower still, or not drawn yet, nothing more is folded than in one of this width.
const LEAST_WIDTH: usize = 20;

/// What a key came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ComposerOutcome {
    /// The text or the cursor changed, or could have.
    Edited,
    /// This is to be sent; the composer is empty again.
    Sent(Submission),
    /// The key means nothing here.
    Nothing,
}

/// What the person said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Submission {
    /// Its words, pastes unfolded.
    pub(crate) text: String,
    /// The same, to be called back.
    pub(crate) past: PastPrompt,
    /// As it was written: pastes and pictures as their names.
    pub(crate) written: String,
    /// Words and pictures in their order.
    pub(crate) content: Vec<UserBlock>,
    /// The files that were named in what was typed. What is folded was pasted, and names nothing.
    pub(crate) mentions: Mentions,
}

impl Submission {
    /// Whether it is words and nothing else.
    pub(crate) fn is_text(&self) -> bool {
        self.content.iter().all(|block| matches!(block, UserBlock::Text { .. }))
    }
}

/// What stands before the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Words for the model are written.
    Words,
    /// A line for the shell is written. Its `!` is the mark, and not shown again.
    Shell,
    /// Keys are commands of vi.
    Normal,
}

/// The text on its way.
#[derive(Debug, Default)]
pub(crate) struct Composer {
    buffer: Buffer,
    attachments: Attachments,
    history: PromptHistory,
    search: Option<HistorySearch>,
    vi: Option<Vi>,
    /// What seems to be named with `@` and is not: it was pasted, and folded when it was.
    unnamed: Vec<String>,
}

impl Composer {
    /// With the keys of vi, or without.
    pub(crate) fn use_vi(&mut self, vi: bool) {
        self.vi = vi.then(Vi::default);
    }

    pub(crate) fn uses_vi(&self) -> bool {
        self.vi.is_some()
    }

    /// What was said in sessions before, oldest first.
    pub(crate) fn remember(&mut self, said: Vec<PastPrompt>) {
        self.history.before(said);
        // Whoever is looking for something already finds it now.
        if let Some(search) = &mut self.search {
            search.restart(&self.history);
        }
    }

    /// The text as it is shown: what is folded as its names.
    pub(crate) fn text(&self) -> &str {
        self.buffer.text()
    }

    /// The text with pastes unfolded, for an editor.
    pub(crate) fn whole(&self) -> String {
        self.attachments.unfold(self.buffer.text())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.buffer.text().is_empty()
    }

    /// The words that are looked for, if that is going on, and whether something has them.
    pub(crate) fn search(&self) -> Option<(&str, bool)> {
        self.search.as_ref().map(|search| (search.words(), search.found().is_some()))
    }

    /// Ends the search, if one is going on; what is written is as before.
    pub(crate) fn end_search(&mut self) -> bool {
        self.search.take().is_some()
    }

    /// What stands before the text.
    pub(crate) fn mark(&self) -> Mark {
        match &self.vi {
            _ if self.shown().0.starts_with('!') => Mark::Shell,
            Some(vi) if vi.is_normal() => Mark::Normal,
            _ => Mark::Words,
        }
    }

    /// Whether keys are commands of vi.
    pub(crate) fn is_normal(&self) -> bool {
        self.vi.as_ref().is_some_and(Vi::is_normal)
    }

    /// The text with its cursor, or what a search has found.
    fn shown(&self) -> (&str, usize) {
        let found = self.search.as_ref().and_then(HistorySearch::found);
        found.map_or((self.buffer.text(), self.buffer.cursor()), |found| (found, found.len()))
    }

    /// The rows of the text in a window of this width, with the place of the cursor.
    pub(crate) fn layout(&self, width: usize) -> TextLayout {
        let (text, cursor) = self.shown();
        match text.strip_prefix('!') {
            Some(line) => layout::layout_text(line, cursor.saturating_sub(1), width),
            None => layout::layout_text(text, cursor, width),
        }
    }

    /// Another text instead, such as what an editor gave back.
    pub(crate) fn set(&mut self, text: &str) {
        self.search = None;
        self.buffer.replace_all(text);
    }

    /// Takes everything away; undo brings it back.
    pub(crate) fn clear(&mut self) {
        self.set("");
        self.unnamed.clear();
        self.history.forget_place();
        if let Some(vi) = &mut self.vi {
            vi.renew();
        }
    }

    /// What is folded becomes text like any other, in an editor say. That does not make names of what is in it.
    pub(crate) fn unfolds(&mut self) {
        let typed = parse_mentions(self.buffer.text());
        let all = parse_mentions(&self.whole());
        self.unnamed.extend(all.into_iter().filter(|name| !typed.contains(name)));
    }

    /// Text that was put in at once: one that takes many rows of this width is folded.
    pub(crate) fn paste(&mut self, text: &str, width: usize) {
        self.search = None;
        match self.attachments.fold(text, width.max(LEAST_WIDTH)) {
            Some(name) => self.insert_name(&name),
            None => self.buffer.insert(text),
        }
    }

    /// Words of the program's own.
    pub(crate) fn insert(&mut self, words: &str) {
        self.search = None;
        self.buffer.insert(words);
    }

    /// A picture, at the cursor.
    pub(crate) fn attach(&mut self, picture: UserBlock) {
        self.search = None;
        let name = self.attachments.picture(picture);
        self.insert_name(&name);
    }

    /// Puts prompts that were sent and never delivered before what is written, in their order.
    pub(crate) fn put_before(&mut self, prompts: Vec<Prompt>, width: usize) {
        self.search = None;
        let drafts = self.take_drafts();
        let prompts = prompts.into_iter().map(|prompt| {
            let names = parse_mentions(&user_text(&prompt.content));
            self.unnamed.extend(names.into_iter().filter(|name| !prompt.mentions.paths.contains(name)));
            self.written(prompt.content, width)
        });
        let mut parts: Vec<String> = prompts.collect();
        parts.extend(drafts);
        self.buffer.replace_all(&parts.join("\n"));
    }

    /// What the person is writing, and was before they went back in what they said. Something of that which is only looked
    /// at is no part of it.
    fn take_drafts(&mut self) -> Vec<String> {
        let shown = self.buffer.text().to_owned();
        let is_past = self.history.shows(&shown);
        if is_past {
            self.unnamed.clear();
        }
        let draft = self.history.take_draft().map(|draft| {
            self.unnamed.extend(draft.unnamed);
            draft.text
        });
        let drafts = draft.into_iter().chain((!is_past).then_some(shown));
        drafts.filter(|draft| !draft.is_empty()).collect()
    }

    /// A prompt as it was written: pictures and long texts by their names.
    fn written(&mut self, content: Vec<UserBlock>, width: usize) -> String {
        let mut words = Vec::new();
        for block in content {
            let (text, name) = match block {
                UserBlock::Text { text } => match self.attachments.fold(&text, width) {
                    Some(name) => (name, true),
                    None => (text, false),
                },
                picture @ UserBlock::Image { .. } => (self.attachments.picture(picture), true),
                UserBlock::ToolResult(_) => continue,
            };
            if name {
                self.buffer.name(&text);
            }
            words.push(text);
        }
        words.join(" ")
    }

    fn insert_name(&mut self, name: &str) {
        self.buffer.name(name);
        self.buffer.insert(name);
    }

    /// Puts text in at the cursor, instead of the letters before it.
    pub(crate) fn complete(&mut self, before: usize, text: &str) {
        self.buffer.replace_before(before, text);
    }

    /// The text before the cursor.
    pub(crate) fn before_cursor(&self) -> &str {
        &self.buffer.text()[..self.buffer.cursor()]
    }

    /// What is written is said; nothing if there are no words.
    pub(crate) fn send(&mut self) -> Option<Submission> {
        let written = self.buffer.text();
        if written.trim_start_matches('!').trim().is_empty() {
            return None;
        }
        let text = self.attachments.words(written).trim().to_owned();
        let content = self.attachments.content(written);
        let mut named = parse_mentions(written);
        named.retain(|name| !self.unnamed.contains(name));
        let is_all = parse_mentions(&text) == named;
        let past = PastPrompt { named: (!is_all).then(|| named.clone()), ..PastPrompt::here(text.as_str()) };
        let mentions = Mentions::typed(named);
        let written = written.trim().to_owned();
        self.history.add(&past);
        self.unnamed.clear();
        // What names stood for goes, and with it a past that speaks of them.
        self.attachments = Attachments::default();
        self.buffer.renew();
        if let Some(vi) = &mut self.vi {
            vi.renew();
        }
        Some(Submission { text, past, written, content, mentions })
    }
}

/// Up or down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
}

#[cfg(test)]
mod tests;
