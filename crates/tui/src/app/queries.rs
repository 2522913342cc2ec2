//! What was asked of the session, and what is done with the answer.

use std::sync::Arc;

use forelook_protocol::{
    Command, CommandError, Entry, Event, Mode, Notice, NoticeLevel, PermissionUpdate, PlanQuery, PlanReply,
    Query, Reply,
};
use ratatui_core::text::Line;

use super::{App, Cell, LiveArea, UiEffect, UiTask};
use crate::markdown::RenderContext;
use crate::theme::Theme;
use crate::view::{FullScreenView, PickAction, TranscriptView, ViewOutcome};

/// Done with the reply to a query.
pub(super) type ReplyHandler = Box<dyn FnOnce(&mut App, &Reply) -> Vec<UiEffect> + Send>;

/// A query whose reply is awaited.
pub(super) struct PendingQuery {
    query: Query,
    then: ReplyHandler,
    /// The line that asked it.
    line: Option<SlashLine>,
}

/// A line with a slash. What it shows stands below it, also where other lines are sent before the session replied.
#[derive(Debug, Clone)]
pub(super) struct SlashLine {
    number: u64,
    written: String,
}

impl PendingQuery {
    fn is_of(&self, line: &SlashLine) -> bool {
        self.line.as_ref().is_some_and(|it| it.number == line.number)
    }
}

impl App {
    /// Carries out a line with a slash. If what it shows comes later, it is shown with that.
    pub(super) fn run_line(
        &mut self,
        written: String,
        run: impl FnOnce(&mut Self) -> Vec<UiEffect>,
    ) -> Vec<UiEffect> {
        self.slash_lines += 1;
        let line = SlashLine { number: self.slash_lines, written };
        let above = self.live_area.finished.len();
        let effects = self.on_behalf_of(Some(line.clone()), run);
        let shows_later = self.pending_queries.iter().any(|it| it.is_of(&line));
        if !shows_later || self.live_area.finished.len() > above {
            self.shown_line = Some(line.number);
            self.live_area.finished.insert(above, Cell::Prompt(line.written));
        }
        effects
    }

    fn on_behalf_of(
        &mut self,
        line: Option<SlashLine>,
        run: impl FnOnce(&mut Self) -> Vec<UiEffect>,
    ) -> Vec<UiEffect> {
        let before = std::mem::replace(&mut self.slash_line, line);
        let effects = run(self);
        self.slash_line = before;
        effects
    }

    /// Shows the line whose reply comes, unless it was the last one that was shown.
    fn show_line(&mut self, line: Option<&SlashLine>) {
        let Some(line) = line.filter(|line| self.shown_line != Some(line.number)) else { return };
        self.shown_line = Some(line.number);
        self.live_area.finished.push(Cell::Prompt(line.written.clone()));
    }

    /// Asks the session something; `then` is done with what it says.
    pub(crate) fn ask(
        &mut self,
        query: Query,
        then: impl FnOnce(&mut App, &Reply) -> Vec<UiEffect> + Send + 'static,
    ) -> Vec<UiEffect> {
        let line = self.slash_line.clone();
        self.pending_queries.push(PendingQuery { query: query.clone(), then: Box::new(then), line });
        vec![UiEffect::Spawn(UiTask::Ask(query))]
    }

    /// The session replied. Whoever asked for the same is served by the same reply.
    pub(super) fn replied(&mut self, reply: &Reply) -> Vec<UiEffect> {
        if let Some(view) = &mut self.view {
            view.reply(reply);
        }
        let served = self.take_pending(|query| answers(query, reply));
        let serve = |PendingQuery { then, line, .. }| {
            self.show_line(line.as_ref());
            self.on_behalf_of(line, |app| then(app, reply))
        };
        served.into_iter().flat_map(serve).collect()
    }

    /// The session did not answer. Whoever asked for the same is told once; a view that asks again and again sees to it
    /// itself.
    pub(super) fn query_refused(&mut self, query: &Query, why: &CommandError) {
        let asked = self.take_pending(|pending| pending == query);
        let is_shown = self.view.as_mut().is_some_and(|view| view.refused(query, why));
        if asked.is_empty() && is_shown {
            return;
        }
        for pending in asked {
            self.show_line(pending.line.as_ref());
        }
        self.refused(&why.to_string());
    }

    fn take_pending(&mut self, is_meant: impl Fn(&Query) -> bool) -> Vec<PendingQuery> {
        let pending = std::mem::take(&mut self.pending_queries);
        let (taken, rest) = pending.into_iter().partition(|pending| is_meant(&pending.query));
        self.pending_queries = rest;
        taken
    }

    /// Everything that was said and done.
    pub(super) fn open_transcript(&mut self) -> Vec<UiEffect> {
        self.ask(Query::Transcript { until: None }, |app, reply| {
            if let Reply::Transcript(entries) = reply {
                let transcript = TranscriptView::new(entries, app.size, app.render_context());
                app.open(FullScreenView::Transcript(Box::new(transcript)));
            }
            Vec::new()
        })
    }

    /// Gives the whole window to this.
    pub(crate) fn open(&mut self, view: FullScreenView) {
        self.view = Some(view);
    }

    /// A view is done with a key.
    pub(super) fn on_view_outcome(&mut self, outcome: ViewOutcome) -> Vec<UiEffect> {
        if !matches!(outcome, ViewOutcome::Stay(_)) {
            self.view = None;
            self.begin_guards();
        }
        match outcome {
            ViewOutcome::Stay(effects) | ViewOutcome::Close(effects) => effects,
            ViewOutcome::Chosen(pick) => self.on_pick(pick),
        }
    }

    fn on_pick(&mut self, pick: PickAction) -> Vec<UiEffect> {
        match pick {
            PickAction::Send(command) => vec![UiEffect::Send(command)],
            PickAction::Leave(left) => vec![UiEffect::Leave(left)],
            PickAction::Theme(name) => crate::commands::set_theme(self, name),
            PickAction::Write(words) => {
                self.composer.insert(&words);
                Vec::new()
            }
        }
    }

    /// Shows rows above, among what is finished.
    pub(crate) fn show(&mut self, rows: Vec<Line<'static>>) {
        self.live_area.finished.push(Cell::Rows(rows));
    }

    /// Shows something about plans above.
    pub(crate) fn show_plan(&mut self, shown: PlanReply) {
        self.live_area.finished.push(Cell::Shown { shown: Box::new(shown), now: self.now.wall });
    }

    /// Says something in passing, among what is finished.
    pub(crate) fn show_note(&mut self, text: &str) {
        self.notice(Notice { level: NoticeLevel::Info, text: text.to_owned() });
    }

    /// Changes the permissions, and tells when that is done.
    pub(crate) fn change_permissions(&mut self, update: PermissionUpdate) -> Vec<UiEffect> {
        self.awaited_changes.push(update.clone());
        vec![UiEffect::Send(Command::UpdatePermissions(update))]
    }

    /// Whether something runs that would end with the session.
    pub(crate) fn is_at_work(&self) -> bool {
        self.live_area.view.is_running() || !self.live_area.view.shells().all().is_empty()
    }

    /// What a clock on the wall says.
    pub(crate) fn wall_time(&self) -> jiff::Timestamp {
        self.now.wall
    }

    pub(crate) fn mode(&self) -> Mode {
        self.live_area.view.mode()
    }

    pub(crate) fn model(&self) -> &str {
        self.live_area.view.model()
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
        self.live_area.agents_at_work()
    }
}

/// What an entry is shown as, by itself.
pub(crate) fn cells_of(entry: &Arc<Entry>, ctx: RenderContext) -> Vec<Cell> {
    let mut live_area = LiveArea::default();
    live_area.event(&Event::Recorded(Arc::clone(entry)), ctx, 0);
    live_area.finished
}

fn answers(query: &Query, reply: &Reply) -> bool {
    match query {
        Query::Status => matches!(reply, Reply::Status(_)),
        Query::Models => matches!(reply, Reply::Models(_)),
        Query::Files => matches!(reply, Reply::Files(_)),
        Query::Transcript { .. } => matches!(reply, Reply::Transcript(_)),
        Query::CheckRules { rules, .. } => {
            matches!(reply, Reply::CheckRules(check) if check.rules == *rules)
        }
        Query::Rules => matches!(reply, Reply::Rules(_)),
        Query::Hooks => matches!(reply, Reply::Hooks(_)),
        Query::Settings => matches!(reply, Reply::Settings(_)),
        Query::Trust => matches!(reply, Reply::Trust(_)),
        Query::Context => matches!(reply, Reply::Context(_)),
        Query::Changes => matches!(reply, Reply::Changes(_)),
        Query::Fence => matches!(reply, Reply::Fence { .. }),
        Query::SetAside => matches!(reply, Reply::SetAside(_)),
        Query::Tasks => matches!(reply, Reply::Tasks(_)),
        Query::TaskOutput(task) => matches!(reply, Reply::TaskOutput { task: shown, .. } if shown == task),
        Query::Plan(query) => matches!(reply, Reply::Plan(shown) if shows(*query, shown)),
    }
}

fn shows(query: PlanQuery, shown: &PlanReply) -> bool {
    match query {
        PlanQuery::Current => matches!(shown, PlanReply::Current { .. }),
        PlanQuery::Diff => matches!(shown, PlanReply::Diff { .. }),
        PlanQuery::History => matches!(shown, PlanReply::History(_)),
        PlanQuery::List => matches!(shown, PlanReply::List(_)),
        PlanQuery::Rehearsal => matches!(shown, PlanReply::Rehearsal(_)),
    }
}
