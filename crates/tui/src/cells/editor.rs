//! The plan in the person's editor.

use forelook_protocol::{EditorState, Notice, NoticeLevel, PlanEditor};
use forelook_wording::editor_failed;
use ratatui_core::text::Line;

use super::notice;
use super::shown::quiet;
use crate::markdown::RenderContext;

pub(super) fn rows(plan: &PlanEditor, ctx: RenderContext) -> Vec<Line<'static>> {
    let PlanEditor { editor, state, .. } = plan;
    match state {
        EditorState::Opening { in_terminal: true } => {
            quiet(&format!("Opening the plan in {editor}; close it to return"), ctx)
        }
        EditorState::Opening { .. } => quiet(&format!("Opening the plan in {editor}"), ctx),
        EditorState::Opened => Vec::new(),
        EditorState::Failed { why } => {
            notice(&Notice { level: NoticeLevel::Error, text: editor_failed(plan, why) }, ctx)
        }
    }
}
