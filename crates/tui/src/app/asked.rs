//! What was asked of the session, and what is done with the answer.

use std::sync::Arc;

use forelook_protocol::{
    Entry, Event, Mode, Notice, NoticeLevel, PlanQuery, PlanShown, Query, Refused, Reply,
};
use ratatui_core::text::Line;

use super::{App, Cell, Errand, Scene, Wish};
use crate::markdown::Look;
use crate::theme::Theme;
use crate::view::{Pick, Transcript, Turn, View};

/// Done with the reply to a query.
pub(super) type Then = Box<dyn FnOnce(&mut App, &Reply) -> Vec<Wish> + Send>;

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
        self.scene.finished.push(Cell::Shown { shown: Box::new(shown), now: self.now.wall });
    }

    /// Says something in passing, among what is finished.
    pub(crate) fn tell(&mut self, text: &str) {
        self.notice(Notice { level: NoticeLevel::Info, text: text.to_owned() });
    }

    /// What a clock on the wall says.
    pub(crate) fn wall_time(&self) -> jiff::Timestamp {
        self.now.wall
    }

    pub(crate) fn mode(&self) -> Mode {
        self.scene.view.mode()
    }

    pub(crate) fn model(&self) -> &str {
        self.scene.view.model()
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
}

/// What an entry is shown as, by itself.
pub(crate) fn cells_of(entry: &Arc<Entry>, look: Look) -> Vec<Cell> {
    let mut scene = Scene::default();
    scene.event(&Event::Recorded(Arc::clone(entry)), look, 0);
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
