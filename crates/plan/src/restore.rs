//! Where a plan comes back from whose file is gone: the journal has it in up to four places.

use forelook_protocol::{AnswerBlock, EntryBody, HostAsk, PLAN_KEY, ReminderKind};
use serde_json::Value;

/// Where in the journal a plan was found, the best place first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanSource {
    /// A snapshot of the file.
    Snapshot,
    /// The call with which it was put to a reviewer, or what the reviewer made of it.
    Review,
    /// The person's message that began a conversation with it.
    Message,
    /// A reminder that gave it back to a conversation.
    Reminder,
}

impl PlanSource {
    /// In words, to follow "restored from".
    pub fn name(self) -> &'static str {
        match self {
            PlanSource::Snapshot => "its last snapshot",
            PlanSource::Review => "its last review",
            PlanSource::Message => "the message that contained it",
            PlanSource::Reminder => "its last reminder",
        }
    }
}

/// The plan of a session whose file is gone, from the bodies of the main agent's entries, oldest first: the newest
/// text of the best place that has one.
///
/// A new name is a new plan: what was there under another name does not come back as this one. A fork must
/// therefore copy the plan, and keep a snapshot after its new name.
pub fn recover_plan<'a>(bodies: impl IntoIterator<Item = &'a EntryBody>) -> Option<(PlanSource, String)> {
    let mut name: Option<&str> = None;
    let mut best: Option<(PlanSource, &str)> = None;
    for body in bodies {
        if let EntryBody::PlanNamed(named) = body {
            if name.is_some_and(|name| name != named.slug) {
                best = None;
            }
            name = Some(&named.slug);
        }
        // An empty text is not worth restoring, and must not hide one that is.
        let Some((origin, text)) = plan_in_entry(body).filter(|(_, text)| !text.trim().is_empty()) else {
            continue;
        };
        if best.is_none_or(|(found, _)| origin <= found) {
            best = Some((origin, text));
        }
    }
    best.map(|(origin, text)| (origin, text.to_owned()))
}

/// The plan that an entry carries.
fn plan_in_entry(body: &EntryBody) -> Option<(PlanSource, &str)> {
    match body {
        EntryBody::FileSnapshot(snapshot) if snapshot.key == PLAN_KEY => {
            Some((PlanSource::Snapshot, &snapshot.text))
        }
        EntryBody::QuestionOpened(opened) => match &opened.question.ask {
            HostAsk::Review(review) if review.from.is_none() => {
                Some((PlanSource::Review, review.plan.as_deref()?))
            }
            _ => None,
        },
        EntryBody::PlanReviewed(reviewed) => Some((PlanSource::Review, reviewed.plan.as_deref()?)),
        EntryBody::ModelAnswered(answered) => {
            answered.blocks.iter().rev().find_map(plan_of_call).map(|plan| (PlanSource::Review, plan))
        }
        EntryBody::PromptAccepted(taken) => Some((PlanSource::Message, taken.plan()?)),
        EntryBody::Reminder(reminder) => match &reminder.kind {
            ReminderKind::PlanFileReference { contents, .. } => Some((PlanSource::Reminder, contents)),
            _ => None,
        },
        _ => None,
    }
}

/// The plan in a call to leave plan mode. Ours has none in it; other programs' journals do.
fn plan_of_call(block: &AnswerBlock) -> Option<&str> {
    match block {
        AnswerBlock::ToolUse(call) if call.name == "ExitPlanMode" => {
            call.input.get("plan").and_then(Value::as_str)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
