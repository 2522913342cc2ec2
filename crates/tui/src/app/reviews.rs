//! The review of a plan among everything else: when it has the window, and what is kept of it.

use forelook_protocol::{EditorState, Event, LiveEvent, PlanEditor};
use forelook_wording::editor_failed;
use ratatui_core::text::Line;

use super::App;
use crate::markdown::RenderContext;
use crate::review::ReviewDialog;
use crate::term::{Code, Key};

impl App {
    /// The review that has the window.
    fn review(&mut self) -> Option<&mut ReviewDialog> {
        let (dialog, _) = self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open())?;
        dialog.review()
    }

    /// Whether a review is open, on the screen or set aside.
    pub(super) fn has_review(&self) -> bool {
        self.dialogs.iter().any(|(dialog, _)| dialog.is_page())
    }

    /// Whether a question has the whole window.
    pub(super) fn has_page(&self) -> bool {
        let open = self.dialogs.iter().find(|(dialog, _)| dialog.is_open());
        open.is_some_and(|(dialog, _)| dialog.is_page())
    }

    /// What the person must know is said where they look.
    pub(super) fn notify_review(&mut self, event: &Event) {
        let said = match event {
            Event::Live(LiveEvent::Notice(notice)) => notice.text.clone(),
            Event::Live(LiveEvent::PlanEditor(plan)) => self.editor_message(plan),
            _ => return,
        };
        self.show_on_review(&said);
    }

    /// What is said of the person's editor.
    fn editor_message(&mut self, plan: &PlanEditor) -> String {
        let editor = &plan.editor;
        if !matches!(plan.state, EditorState::Opening { .. }) {
            // Nor does the last of what was typed there answer anything here.
            self.begin_guards();
        }
        match &plan.state {
            EditorState::Opening { .. } => format!("Opening the plan in {editor}"),
            EditorState::Opened => format!("Opened the plan in {editor}"),
            EditorState::Failed { why } => editor_failed(plan, why),
        }
    }

    /// Says it on the review that has the window, if one has.
    pub(super) fn show_on_review(&mut self, said: &str) {
        if let Some(review) = self.review() {
            review.say(said);
        }
    }

    /// Whether it was an answer to a review that was refused: then it is open again, and says why.
    pub(super) fn review_refused(&mut self, why: &str) -> bool {
        let mut reviews = self.dialogs.iter_mut().filter_map(|(dialog, _)| dialog.review());
        let refused = reviews.find(|review| !review.is_aside());
        refused.map(|review| review.refused(why)).is_some()
    }

    /// Whether the key opens the plan again that was put aside. Esc would stop the turn otherwise, and nobody who has a
    /// plan to review means that.
    pub(super) fn open_again(&mut self, key: Key) -> bool {
        !self.has_page() && key == Key::plain(Code::Esc) && self.bring_review_forward()
    }

    /// Opens the plan again that was put aside, if there is one.
    pub(crate) fn bring_review_forward(&mut self) -> bool {
        let mut reviews = self.dialogs.iter_mut().filter_map(|(dialog, _)| dialog.review());
        let aside = reviews.find(|review| review.is_aside());
        aside.map(|review| review.open()).is_some()
    }

    pub(super) fn paste_into_review(&mut self, text: &str) -> bool {
        self.review().is_some_and(|review| review.paste(text))
    }

    /// A line for each plan that waits beside the conversation.
    pub(super) fn waiting_reviews(&mut self, ctx: RenderContext) -> Vec<Line<'static>> {
        let reviews = self.dialogs.iter_mut().filter_map(|(dialog, _)| dialog.review());
        reviews.filter_map(|review| review.reminder(ctx)).collect()
    }
}
