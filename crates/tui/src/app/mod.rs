//! The whole of what is shown and what keys mean. It has no terminal, no clock and no session: events, keys and the time
//! go in, wishes and frames come out, so that a test can be the whole world. The time goes in before whatever happened at
//! it ([`App::at`]), and stays what it is until it is told again.

mod answer_burst;
mod attention;
mod composer_view;
mod composing;
mod drafts;
mod draw;
mod effect;
mod greeting;
mod keys;
mod live_area;
mod modes;
mod opening;
mod queries;
mod questions;
#[cfg(test)]
mod review_tests;
mod reviews;
mod status;
mod status_info;
#[cfg(test)]
mod tests;
mod toasts;
mod updates;

use std::collections::VecDeque;

use forelook_protocol::{
    AnsweredBy, Event, FrontEndId, Notice, NoticeLevel, PermissionUpdate, Reply, SessionSnapshot,
};
use jiff::Timestamp;
use ratatui_core::layout::Size;
use ratatui_core::text::Line;

use crate::cells::Cell;
use crate::commands;
use crate::composer::Composer;
use crate::dialog::{Dialog, KeyGuard};
use crate::markdown::RenderContext;
use crate::menu::Menus;
use crate::theme::Theme;
use crate::view::FullScreenView;
use answer_burst::AnswerBurst;
use attention::Attention;
use composing::ComposerState;
use drafts::DraftSaver;
pub(crate) use draw::{Frame, page_frame};
pub use effect::ExitReason;
pub(crate) use effect::{TaskResult, UiEffect, UiTask};
use live_area::LiveArea;
pub(crate) use opening::Opening;
pub(crate) use queries::cells_of;
use queries::{PendingQuery, SlashLine};
use status_info::StatusInfo;
#[cfg(test)]
pub(crate) use tests::status as status_sample;
use toasts::{Priority, Toast, ToastTone, Toasts};

/// How long a second Ctrl+C is waited for.
const TWICE_MS: u64 = 2000;
/// The toast that says so.
const LEAVE: &str = "leave";
/// The wheel turns once in this time.
const SPIN_MS: u64 = 100;

/// Everything.
pub(crate) struct App {
    /// Who we are to the session.
    front_end: FrontEndId,
    theme: Theme,
    size: Size,
    now: Now,
    composer: Composer,
    menus: Menus,
    composing: ComposerState,
    live_area: LiveArea,
    /// Finished rows that no frame has taken yet.
    waiting: VecDeque<Line<'static>>,
    dialogs: VecDeque<(Dialog, KeyGuard)>,
    /// What is typed in one go with an answer.
    answer_burst: Option<AnswerBurst>,
    drafts: DraftSaver,
    /// What has the whole window.
    view: Option<FullScreenView>,
    /// What events made us wish for.
    effects: Vec<UiEffect>,
    /// Queries whose replies are awaited.
    pending_queries: Vec<PendingQuery>,
    /// The line with a slash that is being carried out, and the last one that was shown.
    slash_line: Option<SlashLine>,
    shown_line: Option<u64>,
    /// How many there were.
    slash_lines: u64,
    /// Whether something was typed that no frame shows yet.
    key_unseen: bool,
    /// Rows that what is under way took in the last frame.
    held: usize,
    status_info: StatusInfo,
    toasts: Toasts,
    attention: Attention,
    /// When Ctrl+C was pressed with nothing to stop.
    leaving: Option<u64>,
    /// What is shown first, while what was said before is still being read.
    opening: Option<Opening>,
    /// Until when the greeting waits for what it says.
    greeting_due: Option<u64>,
    /// Changes of the permissions that a command asked for: that they are made is told.
    awaited_changes: Vec<PermissionUpdate>,
    /// Whether a prompt was taken, now or before.
    has_conversation: bool,
}

/// The time: what the program knows of it is what it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Now {
    /// Milliseconds since the program began.
    pub(crate) ms: u64,
    /// What a clock on the wall says, for ages.
    pub(crate) wall: Timestamp,
}

impl App {
    pub(crate) fn new(snapshot: &SessionSnapshot, theme: Theme, size: Size, now: Now) -> Self {
        let status = &snapshot.status;
        Self {
            front_end: snapshot.front_end,
            theme,
            size,
            now,
            composer: Composer::default(),
            menus: Menus::new(&commands::ALL),
            composing: ComposerState::default(),
            live_area: LiveArea::new(snapshot),
            waiting: VecDeque::new(),
            dialogs: VecDeque::new(),
            answer_burst: None,
            drafts: DraftSaver::default(),
            view: None,
            effects: Vec::new(),
            pending_queries: Vec::new(),
            slash_line: None,
            shown_line: None,
            slash_lines: 0,
            key_unseen: false,
            held: 0,
            status_info: StatusInfo::new(status),
            toasts: Toasts::default(),
            attention: Attention::default(),
            leaving: None,
            opening: None,
            greeting_due: None,
            awaited_changes: Vec::new(),
            has_conversation: false,
        }
    }

    /// It is now this time: for what happens next, and for what goes away by itself.
    pub(crate) fn at(&mut self, now: Now) {
        self.now = now;
        self.toasts.at(now.ms);
        self.run_status_script();
        if let Some(view) = &mut self.view {
            self.effects.extend(view.at(now.ms));
        }
        self.save_due_draft();
        self.leaving.take_if(|since| *since + TWICE_MS <= now.ms);
        if self.greeting_due.is_some_and(|due| due <= now.ms) {
            self.finish_greeting();
        }
    }

    /// When something changes by itself; nothing if only events can change what is shown.
    pub(crate) fn next_wakeup(&self) -> Option<u64> {
        let is_animated =
            self.view.is_none() && !self.has_page() && self.live_area.is_animated(!self.dialogs.is_empty());
        let spin = is_animated.then(|| (self.now.ms / SPIN_MS + 1) * SPIN_MS);
        let leaving = self.leaving.map(|since| since + TWICE_MS);
        let view = self.view.as_ref().and_then(FullScreenView::next_wakeup);
        let due = [self.status_info.script.due(), self.greeting_due, view, self.drafts.due()];
        [spin, self.toasts.next_wakeup(), leaving].into_iter().chain(due).flatten().min()
    }

    /// Whether something was said that one could go on with.
    pub(crate) fn has_conversation(&self) -> bool {
        self.has_conversation
    }

    pub(crate) fn resized(&mut self, size: Size) {
        self.size = size;
    }

    /// Something that the person should see.
    pub(crate) fn notice(&mut self, notice: Notice) {
        self.live_area.finished.push(Cell::Notice(notice));
    }

    /// Whether this program did something, and no other front end.
    fn is_by_us(&self, by: &AnsweredBy) -> bool {
        matches!(by, AnsweredBy::FrontEnd { id, .. } if *id == self.front_end)
    }

    /// A command was not carried out.
    pub(crate) fn refused(&mut self, why: &str) {
        if self.review_refused(why) {
            return;
        }
        self.notice(Notice { level: NoticeLevel::Warning, text: why.to_owned() });
    }

    pub(crate) fn event(&mut self, event: &Event) {
        self.notify_review(event);
        match event {
            Event::Live(_) => {
                let ctx = self.render_context();
                self.live_area.event(event, ctx, self.now.ms);
            }
            Event::Recorded(entry) => self.recorded(entry),
        }
    }

    /// What is wished for without anybody having pressed a key.
    pub(crate) fn effects(&mut self) -> Vec<UiEffect> {
        self.update_title();
        std::mem::take(&mut self.effects)
    }

    /// An errand brought something.
    pub(crate) fn on_task_result(&mut self, result: TaskResult) -> Vec<UiEffect> {
        match result {
            TaskResult::History(_)
            | TaskResult::Matches(..)
            | TaskResult::Picture(..)
            | TaskResult::Edited(_)
            | TaskResult::Reply(Reply::Files(_)) => self.on_composer_result(result),
            TaskResult::Branch(branch) => {
                self.status_info.branch = branch;
                self.finish_greeting();
                Vec::new()
            }
            TaskResult::StatusLine(answer) => {
                self.script_answered(answer);
                Vec::new()
            }
            TaskResult::Reply(reply) => {
                if let Reply::Status(status) = &reply {
                    self.live_area.view.set_status(status);
                }
                self.replied(&reply)
            }
            TaskResult::Refused(query, why) => {
                self.query_refused(&query, &why);
                Vec::new()
            }
            TaskResult::Sent(Ok(shown)) => {
                shown.into_iter().for_each(|shown| self.show_plan(shown));
                Vec::new()
            }
            TaskResult::Sent(Err(refused)) => {
                self.on_refused(&refused);
                Vec::new()
            }
            TaskResult::Journal(entries) => self.on_journal(&entries),
            TaskResult::Sessions(mut found) => {
                // The one on the screen is no other one.
                if let Ok(found) = &mut found {
                    found.retain(|it| !self.status_info.are_of(it.id));
                }
                commands::sessions(self, found);
                Vec::new()
            }
            TaskResult::Written(written) => {
                commands::written(self, written);
                Vec::new()
            }
            TaskResult::ThemeSaved(kept) => {
                commands::theme_saved(self, kept);
                Vec::new()
            }
        }
    }

    pub(crate) fn render_context(&self) -> RenderContext {
        RenderContext { width: usize::from(self.size.width), theme: self.theme }
    }
}
