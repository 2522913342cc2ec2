//! What the person said before.

use forelook_protocol::PastPrompt;
use forelook_wording::parse_mentions;

use super::Direction;

/// What was said, and how far back one has gone in it.
#[derive(Debug, Default)]
pub(crate) struct PromptHistory {
    said: Vec<PastPrompt>,
    /// How many steps back, and what was being written before the first of them.
    back: Option<(usize, Recalled)>,
}

/// A text that comes into the composer again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recalled {
    pub(super) text: String,
    /// What it seems to name with `@` and does not.
    pub(super) unnamed: Vec<String>,
}

impl Recalled {
    fn of(said: &PastPrompt) -> Self {
        let names = |named: &Vec<String>| {
            let all = parse_mentions(&said.text).into_iter();
            all.filter(|name| !named.contains(name)).collect()
        };
        Self { text: said.text.clone(), unnamed: said.named.as_ref().map(names).unwrap_or_default() }
    }
}

impl PromptHistory {
    /// What was said before all that is known, oldest first.
    pub(super) fn before(&mut self, said: Vec<PastPrompt>) {
        self.said.splice(0..0, said);
    }

    pub(super) fn add(&mut self, said: &PastPrompt) {
        if !said.text.is_empty() && self.said.last() != Some(said) {
            self.said.push(said.clone());
        }
        self.back = None;
    }

    pub(super) fn forget_place(&mut self) {
        self.back = None;
    }

    /// What was being written before the first step back, which ends going back.
    pub(super) fn take_draft(&mut self) -> Option<Recalled> {
        self.back.take().map(|(_, draft)| draft)
    }

    /// Whether this text is what the steps back led to, as it was said.
    pub(super) fn shows(&self, text: &str) -> bool {
        let steps = self.back.as_ref().map(|(steps, _)| *steps);
        let said = steps.and_then(|steps| self.said.get(self.said.len().checked_sub(steps)?));
        said.is_some_and(|said| said.text == text)
    }

    /// One step back from what is being written.
    pub(super) fn older(&mut self, written: Recalled) -> Option<Recalled> {
        let steps = self.back.as_ref().map_or(1, |(steps, _)| steps + 1);
        let said = Recalled::of(self.said.get(self.said.len().checked_sub(steps)?)?);
        let draft = self.back.take().map_or(written, |(_, draft)| draft);
        self.back = Some((steps, draft));
        Some(said)
    }

    /// One step forward; after the last, what was being written.
    pub(super) fn newer(&mut self) -> Option<Recalled> {
        let (steps, draft) = self.back.take()?;
        if steps == 1 {
            return Some(draft);
        }
        self.back = Some((steps - 1, draft));
        self.said.get(self.said.len() - (steps - 1)).map(Recalled::of)
    }

    /// A text that a search found.
    pub(super) fn recalled(&self, text: &str) -> Recalled {
        let said = self.said.iter().rev().find(|said| said.text == text);
        said.map_or_else(|| Recalled { text: text.to_owned(), unnamed: Vec::new() }, Recalled::of)
    }

    /// The next one that has these words in it, up (to older ones) or down from what a search has found; `None` begins
    /// at the newest. Those of this project come first, however old they are. The same words said twice are one.
    pub(super) fn find(&self, words: &str, from: Option<&str>, direction: Direction) -> Option<&str> {
        // Capitals count if one is looked for.
        let as_typed = words.chars().any(char::is_uppercase);
        let has = |said: &str| said.contains(words) || !as_typed && said.to_lowercase().contains(words);
        let newest_first = |here: bool| self.said.iter().rev().filter(move |said| said.here == here);
        let mut found: Vec<&str> = Vec::new();
        for said in newest_first(true).chain(newest_first(false)).map(|said| said.text.as_str()) {
            // Few have the words, and fewer of them are looked at.
            if has(said) && !found.contains(&said) {
                found.push(said);
            }
        }
        let Some(from) = from.and_then(|from| found.iter().position(|said| *said == from)) else {
            return found.first().copied();
        };
        let next = match direction {
            Direction::Up => from + 1,
            Direction::Down => from.checked_sub(1)?,
        };
        found.get(next).copied()
    }
}
