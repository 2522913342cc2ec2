//! How a session begins on the screen: what was said before, how things stand, and what the person is to know.

use std::sync::Arc;

use forelook_protocol::{Body, Entry, Notice, Snapshot};
use ratatui_core::text::Line;

use super::{App, Errand, Wish};
use crate::text::{Hang, wrap};

/// Turns of a former conversation that are shown.
const TURNS: usize = 3;

/// What is shown first, in this order.
#[derive(Debug)]
pub(crate) struct Opening {
    /// The session as it stood when this front end attached.
    pub(crate) snapshot: Snapshot,
    pub(crate) notices: Vec<Notice>,
    /// What is said then, for the person.
    pub(crate) prompt: Option<String>,
}

impl App {
    /// Begins. A session that goes on from before is asked for its journal first: the person can write meanwhile, and
    /// what happens waits ([`App::hears`]).
    pub(crate) fn open_session(&mut self, opening: Opening, resumed: bool) -> Vec<Wish> {
        let until = opening.snapshot.last;
        self.opening = Some(opening);
        match resumed {
            true => vec![Wish::See(Errand::Before(until))],
            false => self.opened_with(&[]),
        }
    }

    /// Whether events can be told. What stood in the journal before them comes first.
    pub(crate) fn hears(&self) -> bool {
        self.opening.is_none()
    }

    /// What stood in the journal is here.
    pub(super) fn opened_with(&mut self, before: &[Arc<Entry>]) -> Vec<Wish> {
        let Some(Opening { snapshot, notices, prompt }) = self.opening.take() else { return Vec::new() };
        self.begin(&snapshot, before);
        for notice in notices {
            self.notice(notice);
        }
        prompt.map(|words| self.say(&words)).unwrap_or_default()
    }

    /// The session as it stood when this front end attached; `before` is what is to be shown of its journal until then.
    pub(super) fn begin(&mut self, snapshot: &Snapshot, before: &[Arc<Entry>]) {
        self.look_back(snapshot, before);
        for request in &snapshot.requests {
            self.opened(request);
        }
    }

    /// The end of the conversation that this one goes on with, as it was shown then.
    fn look_back(&mut self, snapshot: &Snapshot, entries: &[Arc<Entry>]) {
        let prompts = entries.iter().enumerate().filter(|(_, entry)| is_prompt(entry));
        let begins: Vec<usize> = prompts.map(|(at, _)| at).collect();
        let first = begins.len().checked_sub(TURNS).map_or(0, |at| begins[at]);
        let (before, shown) = entries.split_at(first);
        let messages = before.iter().filter(|entry| is_message(entry)).count();
        let look = self.look();
        if messages > 0 {
            let count = forelook_wording::counted(messages as u64, "message", "messages");
            let words = format!("… {count} before (Ctrl+R shows everything)");
            self.show(wrap(&Line::styled(words, look.theme.quiet), look.width, &Hang::all("  ")));
        }
        self.scene.replay((before, shown), snapshot, look, self.now.ms);
    }
}

fn is_prompt(entry: &Entry) -> bool {
    entry.agent.is_none() && matches!(entry.body, Body::Prompt(_))
}

fn is_message(entry: &Entry) -> bool {
    is_prompt(entry) || (entry.agent.is_none() && matches!(entry.body, Body::Answer(_)))
}
