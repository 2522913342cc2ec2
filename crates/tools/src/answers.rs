//! What the engine answered, in the words that the model reads.
//!
//! Each of these stands beside the description of its tool, so that what a tool promises and what it says in the end
//! are one file.

pub use crate::agent::reported as agent_reported;
pub use crate::ask_user_question::answered as question_answered;
pub use crate::enter_plan_mode::{
    declined as plan_declined, entered as plan_entered, for_subagent as plan_refused_to_subagent,
    not_entered as plan_not_entered,
};
pub use crate::exit_plan_mode::{
    for_subagent as plan_of_subagent, reviewed as plan_reviewed, unreviewed as plan_unreviewed,
};
