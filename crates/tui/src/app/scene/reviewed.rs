//! Plans that were answered.

use forelook_protocol::{PlanAnswer, Reviewed};
use ratatui_core::text::Line;

use super::Scene;
use crate::cells::Cell;

impl Scene {
    pub(super) fn reviewed(&mut self, reviewed: &Reviewed) {
        self.told.extend(reviewed.call.clone());
        let plan = reviewed.plan.clone().unwrap_or_default();
        let (title, boxed, words) = match &reviewed.answer {
            PlanAnswer::Approve(approval) => {
                ("● Plan approved", false, approval.note.clone().into_iter().collect())
            }
            PlanAnswer::KeepPlanning { feedback, comments } => {
                let comments = comments.iter().map(|it| match it.first == it.last {
                    true => format!("line {}: {}", it.first, it.text),
                    false => format!("lines {}-{}: {}", it.first, it.last, it.text),
                });
                ("✗ Plan sent back", true, feedback.clone().into_iter().chain(comments).collect())
            }
            PlanAnswer::Park => ("● Plan parked", true, vec![format!("It is kept in {}", reviewed.path)]),
            PlanAnswer::Abandon => ("● Plan abandoned", true, Vec::new()),
            PlanAnswer::HandOver => ("● The plan is the result", false, vec![reviewed.path.to_string()]),
        };
        let words: Vec<String> = words;
        self.finished.push(Cell::Plan { title: Line::from(title), plan, boxed, words });
    }
}
