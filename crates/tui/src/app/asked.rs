//! What was asked of the session, and what is done with the answer.

use std::sync::Arc;

use forelook_protocol::{
    Body, Entry, Mode, Notice, NoticeLevel, PlanQuery, PlanShown, Query, Refused, Reply, Snapshot,
};
use ratatui_core::text::Line;

use super::{App, Cell, Errand, Scene, Wish, words_of};
use crate::markdown::Look;
use crate::text::{Hang, wrap};
use crate::theme::Theme;
use crate::view::{Pick, Transcript, Turn, View};

/// Done with the reply to a query.
pub(super) type Then = Box<dyn FnOnce(&mut App, &Reply) -> Vec<Wish> + Send>;

/// Turns of a former conversation that are shown.
const TURNS: usize = 3;

impl App {
    /// Asks the session something; `then` is done with what it says.
    pub(crate) fn ask(
        &mut self,
        query: Query,
        then: impl FnOnce(&mut App, &Reply) -> Vec<Wish> + Send + 'static,
    ) -> Vec<Wish> {
        self.asked.push((query.clone(), Box::new(then)));
        vec![Wish::See(Errand::Ask(query))]
    }

    /// The session replied. Whoever asked for the same is served by the same reply.
    pub(super) fn replied(&mut self, reply: Result<Reply, Refused>) -> Vec<Wish> {
        let reply = match reply {
            Ok(reply) => reply,
            Err(refused) => {
                self.asked.clear();
                self.refused(&refused.to_string());
                return Vec::new();
            }
        };
        let (served, rest) =
            std::mem::take(&mut self.asked).into_iter().partition(|(query, _)| answers(query, &reply));
        self.asked = rest;
        let served: Vec<(Query, Then)> = served;
        served.into_iter().flat_map(|(_, then)| then(self, &reply)).collect()
    }

    /// Everything that was said and done.
    pub(super) fn open_transcript(&mut self) -> Vec<Wish> {
        self.ask(Query::Transcript { until: None }, |app, reply| {
            if let Reply::Transcript(entries) = reply {
                let transcript = Transcript::new(entries, app.size, app.look());
                app.open(View::Transcript(Box::new(transcript)));
            }
            Vec::new()
        })
    }

    /// Gives the whole window to this.
    pub(crate) fn open(&mut self, view: View) {
        self.view = Some(view);
    }

    /// A view is done with a key.
    pub(super) fn turned(&mut self, turn: Turn) -> Vec<Wish> {
        if !matches!(turn, Turn::Stay(_)) {
            self.view = None;
            self.begin_guards();
        }
        match turn {
            Turn::Stay(wishes) | Turn::Close(wishes) => wishes,
            Turn::Chosen(pick) => self.picked(pick),
        }
    }

    fn picked(&mut self, pick: Pick) -> Vec<Wish> {
        match pick {
            Pick::Send(command) => vec![Wish::Send(command)],
            Pick::Leave(left) => vec![Wish::Leave(left)],
            Pick::Theme(name) => crate::commands::set_theme(self, name),
            Pick::Write(words) => {
                self.composer.paste(&words);
                Vec::new()
            }
        }
    }

    /// Shows rows above, among what is finished.
    pub(crate) fn show(&mut self, rows: Vec<Line<'static>>) {
        self.scene.finished.push(Cell::Rows(rows));
    }

    /// Shows something about plans above.
    pub(crate) fn show_plan(&mut self, shown: PlanShown) {
        self.scene.finished.push(Cell::Shown { shown: Box::new(shown), now: self.clock.now() });
    }

    /// Says something in passing, among what is finished.
    pub(crate) fn tell(&mut self, text: &str) {
        self.notice(Notice { level: NoticeLevel::Info, text: text.to_owned() });
    }

    /// The present instant.
    pub(crate) fn clock_now(&self) -> jiff::Timestamp {
        self.clock.now()
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    pub(crate) fn uses_vi(&self) -> bool {
        self.composer.uses_vi()
    }

    pub(crate) fn set_theme(&mut self, theme: Theme) {
        // What the terminal can show does not change.
        self.theme = theme.on(self.theme.depth);
    }

    /// Agents at work, in a few words each.
    pub(crate) fn agents_at_work(&self) -> Vec<String> {
        self.scene.agents_at_work()
    }

    /// The session as it stood when this front end attached; `before` is what is to be shown of its journal until then.
    pub(crate) fn begin(&mut self, snapshot: &Snapshot, before: &[Arc<Entry>]) {
        self.look_back(before);
        let queued = snapshot.queue.iter().map(|queued| words_of(&queued.prompt.content)).collect();
        let running = snapshot.turn.is_some() || !snapshot.queue.is_empty();
        self.scene.stands(queued, running, self.now);
        for request in &snapshot.requests {
            self.scene.asked(request);
            self.opened(request);
        }
    }

    /// The end of the conversation that this one goes on with, as it was shown then.
    fn look_back(&mut self, entries: &[Arc<Entry>]) {
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
        for entry in entries {
            self.facts.read_before(entry);
            if let Body::Review(reviewed) = &entry.body {
                self.past.answered(reviewed);
            }
        }
        for entry in shown {
            self.scene.recorded(entry, look, self.now);
        }
    }
}

fn is_prompt(entry: &Entry) -> bool {
    entry.agent.is_none() && matches!(entry.body, Body::Prompt(_))
}

fn is_message(entry: &Entry) -> bool {
    is_prompt(entry) || (entry.agent.is_none() && matches!(entry.body, Body::Answer(_)))
}

/// What an entry is shown as, by itself.
pub(crate) fn cells_of(entry: &Entry, look: Look) -> Vec<Cell> {
    let mut scene = Scene::default();
    scene.recorded(entry, look, 0);
    scene.finished
}

fn answers(query: &Query, reply: &Reply) -> bool {
    match query {
        Query::Status => matches!(reply, Reply::Status(_)),
        Query::Models => matches!(reply, Reply::Models(_)),
        Query::Files => matches!(reply, Reply::Files(_)),
        Query::Transcript { .. } => matches!(reply, Reply::Transcript(_)),
        Query::Rules => matches!(reply, Reply::Rules(_)),
        Query::Hooks => matches!(reply, Reply::Hooks(_)),
        Query::Fence => matches!(reply, Reply::Fence { .. }),
        Query::Plan(query) => matches!(reply, Reply::Plan(shown) if shows(*query, shown)),
    }
}

fn shows(query: PlanQuery, shown: &PlanShown) -> bool {
    match query {
        PlanQuery::Current => matches!(shown, PlanShown::Current { .. }),
        PlanQuery::Diff => matches!(shown, PlanShown::Diff { .. }),
        PlanQuery::History => matches!(shown, PlanShown::History(_)),
        PlanQuery::List => matches!(shown, PlanShown::List(_)),
        PlanQuery::Rehearsal => matches!(shown, PlanShown::Rehearsal(_)),
    }
}
