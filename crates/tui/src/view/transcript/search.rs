//! Words that are looked for in the transcript.

use forelook_protocol::{AnswerBlock, AttachOutcome, EntryBody, ResultBlock};
use forelook_view::user_text;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::items::TranscriptItem;

/// What is looked for.
#[derive(Debug, Default)]
pub(crate) struct TextSearch {
    /// In small letters.
    term: Vec<char>,
}

impl TextSearch {
    pub(crate) fn new(term: &str) -> Self {
        Self { term: term.chars().map(small).collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.term.is_empty()
    }

    /// Whether it stands in the item, without making rows of it.
    pub(super) fn is_in(&self, item: &TranscriptItem) -> bool {
        self.is_within(&text_of(item))
    }

    pub(crate) fn is_within(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().map(small).collect();
        !self.is_empty() && text.windows(self.term.len()).any(|part| part == self.term)
    }

    /// The row with what was found marked.
    pub(crate) fn marked(&self, row: Line<'static>) -> Line<'static> {
        if self.is_empty() || !self.is_within(&row.to_string()) {
            return row;
        }
        let style = row.style;
        let mut letters: Vec<(char, Style)> =
            row.spans.iter().flat_map(|span| span.content.chars().map(|c| (c, span.style))).collect();
        let text: Vec<char> = letters.iter().map(|(letter, _)| small(*letter)).collect();
        for (at, part) in text.windows(self.term.len()).enumerate() {
            if part == self.term {
                for (_, style) in &mut letters[at..at + self.term.len()] {
                    *style = style.add_modifier(Modifier::REVERSED);
                }
            }
        }
        let spans = letters
            .chunk_by(|a, b| a.1 == b.1)
            .map(|run| Span::styled(run.iter().map(|(letter, _)| *letter).collect::<String>(), run[0].1));
        Line::from_iter(spans).style(style)
    }
}

fn small(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

/// All words of an item, as they came.
fn text_of(item: &TranscriptItem) -> String {
    match &item.entry.body {
        EntryBody::PromptAccepted(taken) => user_text(&taken.content),
        EntryBody::FilesAttached(attached) => {
            let texts = attached.files.iter().flat_map(|file| match &file.outcome {
                AttachOutcome::Attached { content, .. } => content.as_slice(),
                AttachOutcome::Refused { .. } | AttachOutcome::Missing => &[],
            });
            let texts = texts.filter_map(|part| match part {
                ResultBlock::Text { text } => Some(text.as_str()),
                ResultBlock::Image { .. } => None,
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        EntryBody::ModelAnswered(answered) => {
            let words = answered.blocks.iter().filter_map(|block| match block {
                AnswerBlock::Text { text } => Some(text.as_str()),
                AnswerBlock::Thinking { thinking, .. } => Some(thinking.as_str()),
                AnswerBlock::Opaque { .. } | AnswerBlock::ToolUse(_) => None,
            });
            words.collect::<Vec<_>>().join("\n")
        }
        EntryBody::ToolFinished(finished) => {
            let mut text =
                item.call().map_or_else(String::new, |call| format!("{} {}\n", call.name, call.input));
            for part in &finished.result.content {
                if let ResultBlock::Text { text: words } = part {
                    text.push_str(words);
                    text.push('\n');
                }
            }
            text
        }
        EntryBody::UserShellEnded(ended) => format!("{}\n{}", ended.command, ended.output),
        EntryBody::PlanReviewed(reviewed) => reviewed.plan.clone().unwrap_or_default(),
        EntryBody::AgentStarted(started) => format!("{}: {}", started.kind, started.description),
        EntryBody::Compacted(compacted) => compacted.summary.clone(),
        EntryBody::ModelChanged(set) => set.model.clone(),
        _ => String::new(),
    }
}
