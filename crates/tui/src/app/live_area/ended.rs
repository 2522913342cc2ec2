//! What is said when a turn is over, and why.

use forelook_protocol::{EndReason, Notice, NoticeLevel};
use forelook_wording::{NO_ANSWER, answer_limit};

/// What the person should know about how a turn ended; nothing where that is plain to see.
pub(super) fn notice(reason: &EndReason) -> Option<Notice> {
    let (level, text) = match reason {
        EndReason::Done | EndReason::Parked | EndReason::Abandoned | EndReason::Planned { .. } => {
            return None;
        }
        EndReason::Interrupted => {
            (NoticeLevel::Warning, "Interrupted. Tell Forelook what to do instead.".to_owned())
        }
        EndReason::MaxTokens => (
            NoticeLevel::Warning,
            "The answer hit the model's output limit. Type `continue` for the rest.".to_owned(),
        ),
        EndReason::Empty => (
            NoticeLevel::Warning,
            format!("{NO_ANSWER}. Send your message again, or try another model with `/model`."),
        ),
        EndReason::Refusal => {
            (NoticeLevel::Warning, "The model declined to answer. Try rephrasing.".to_owned())
        }
        EndReason::MaxTurns { limit } => (
            NoticeLevel::Warning,
            format!("Stopped at the limit of {}. Type `continue` to keep going.", answer_limit(*limit)),
        ),
        EndReason::Provider { failure } => {
            let hint = failure.hint.as_ref().map_or_else(String::new, |hint| format!("\n{hint}"));
            (NoticeLevel::Error, format!("{}{hint}", failure.message))
        }
        EndReason::NoPlan { message }
        | EndReason::Stuck { message }
        | EndReason::Hook { message }
        | EndReason::Internal { message } => (NoticeLevel::Error, message.clone()),
    };
    Some(Notice { level, text })
}
