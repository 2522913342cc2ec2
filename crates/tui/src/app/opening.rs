//! How a session begins on the screen: what was said before, how things stand, and what the person is to know.

use std::sync::Arc;

use forelook_protocol::{Entry, EntryBody, Notice, SessionSnapshot};
use ratatui_core::text::Line;

use super::{App, UiEffect, UiTask};
use crate::setup::Entrance;
use crate::text::{Indent, wrap};

/// Turns of a former conversation that are shown.
const TURNS: usize = 3;

/// What is shown first, in this order.
#[derive(Debug)]
pub(crate) struct Opening {
    /// The session as it stood when this front end attached.
    pub(crate) snapshot: SessionSnapshot,
    /// How the person came to it.
    pub(crate) entrance: Entrance,
    pub(crate) notices: Vec<Notice>,
    /// What is said then, for the person.
    pub(crate) prompt: Option<String>,
}

impl App {
    /// Begins. A session that goes on from before is asked for its journal first: the person can write meanwhile, and
    /// what happens waits ([`App::accepts_events`]).
    pub(crate) fn open_session(&mut self, opening: Opening) -> Vec<UiEffect> {
        let (until, entrance) = (opening.snapshot.last, opening.entrance);
        self.opening = Some(opening);
        if entrance.begins_program() {
            self.greet();
        }
        match entrance.has_past() {
            true => vec![UiEffect::Spawn(UiTask::Journal(until))],
            false => self.on_journal(&[]),
        }
    }

    /// Whether events can be told. What stood in the journal before them comes first.
    pub(crate) fn accepts_events(&self) -> bool {
        self.opening.is_none()
    }

    /// What stood in the journal is here.
    pub(super) fn on_journal(&mut self, before: &[Arc<Entry>]) -> Vec<UiEffect> {
        let Some(Opening { snapshot, entrance, notices, prompt }) = self.opening.take() else {
            return Vec::new();
        };
        self.show_entrance(entrance, before);
        let turns = if entrance == Entrance::Returned { 0 } else { TURNS };
        self.begin(&snapshot, before, turns);
        for notice in notices {
            self.notice(notice);
        }
        prompt.map(|words| self.submit_text(&words)).unwrap_or_default()
    }

    /// The session as it stood when this front end attached; `before` is its journal until then, of which so many turns are
    /// shown.
    pub(super) fn begin(&mut self, snapshot: &SessionSnapshot, before: &[Arc<Entry>], turns: usize) {
        self.replay_recent(snapshot, before, turns);
        for request in &snapshot.requests {
            self.opened(request);
        }
    }

    /// The end of the conversation that this one goes on with, as it was shown then.
    fn replay_recent(&mut self, snapshot: &SessionSnapshot, entries: &[Arc<Entry>], turns: usize) {
        let prompts = entries.iter().enumerate().filter(|(_, entry)| is_prompt(entry));
        let begins: Vec<usize> = prompts.map(|(at, _)| at).collect();
        self.has_conversation |= !begins.is_empty();
        let behind = |at: usize| begins.get(at).copied().unwrap_or(entries.len());
        let first = begins.len().checked_sub(turns).map_or(0, behind);
        let (before, shown) = entries.split_at(first);
        let messages = before.iter().filter(|entry| is_message(entry)).count();
        let ctx = self.render_context();
        if messages > 0 && turns > 0 {
            let count = forelook_wording::counted(messages as u64, "earlier message", "earlier messages");
            let words = format!("… {count} (Ctrl+O shows everything)");
            self.show(wrap(&Line::styled(words, ctx.theme.quiet), ctx.width, &Indent::all("  ")));
        }
        self.live_area.replay((before, shown), snapshot, ctx, self.now.ms);
    }
}

fn is_prompt(entry: &Entry) -> bool {
    entry.agent.is_none() && matches!(entry.body, EntryBody::PromptAccepted(_))
}

fn is_message(entry: &Entry) -> bool {
    is_prompt(entry) || (entry.agent.is_none() && matches!(entry.body, EntryBody::ModelAnswered(_)))
}
