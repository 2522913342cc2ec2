//! The possible answers to a yes-or-no question, and their details.

use forelook_protocol::{Destination, HostAnswer, HostAsk, Mode, PermissionUpdate, PlanAnswer};

/// A possible answer to a yes-or-no question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerOption {
    /// Yes, once.
    Yes,
    /// Yes, and add this rule.
    Rule {
        /// The rule, as written.
        rule: String,
        /// Where it is stored.
        destination: Destination,
        /// The change that adds it.
        update: PermissionUpdate,
    },
    /// No, optionally with a message that says what to do instead.
    No,
}

impl AnswerOption {
    /// The answer; only a no uses the message.
    pub fn answer(&self, words: &str) -> HostAnswer {
        match self {
            AnswerOption::Yes => HostAnswer::yes(),
            AnswerOption::Rule { update, .. } => {
                HostAnswer::Allow { updates: vec![update.clone()], input: None }
            }
            AnswerOption::No => HostAnswer::Deny { message: non_empty(words) },
        }
    }

    /// Whether it is a rule that is stored there.
    pub fn is_rule_for(&self, place: Destination) -> bool {
        matches!(self, AnswerOption::Rule { destination, .. } if *destination == place)
    }
}

/// The possible answers. A review has its own choices ([`crate::review::ReviewState::choices`]), and so do the model's
/// questions ([`crate::question::QuestionSequence`]).
pub fn answer_options(ask: &HostAsk) -> Vec<AnswerOption> {
    match ask {
        HostAsk::Permission { reason, .. } => {
            let rules = reason.suggested_rule.iter().flat_map(|rule| rules(rule));
            std::iter::once(AnswerOption::Yes).chain(rules).chain([AnswerOption::No]).collect()
        }
        HostAsk::EnterPlan { .. } | HostAsk::Running { .. } => vec![AnswerOption::Yes, AnswerOption::No],
        _ => Vec::new(),
    }
}

fn rules(rule: &str) -> Vec<AnswerOption> {
    let option = |destination| {
        let update = PermissionUpdate::allow(rule, destination)?;
        Some(AnswerOption::Rule { rule: rule.to_owned(), destination, update })
    };
    [Destination::Session, Destination::LocalSettings].into_iter().filter_map(option).collect()
}

/// The permanent changes that an answer can make: rules, or the modes that an approval can choose.
pub fn suggestions(ask: &HostAsk) -> Vec<PermissionUpdate> {
    if let HostAsk::Review(review) = ask {
        let to = |&mode: &Mode| PermissionUpdate::SetMode { mode, destination: Destination::Session };
        return review.modes.iter().map(to).collect();
    }
    let update = |option| match option {
        AnswerOption::Rule { update, .. } => Some(update),
        AnswerOption::Yes | AnswerOption::No => None,
    };
    answer_options(ask).into_iter().filter_map(update).collect()
}

/// The answer that denies any kind of request.
pub fn denial(ask: &HostAsk, message: Option<&str>) -> HostAnswer {
    let message = message.filter(|message| !message.trim().is_empty()).map(str::to_owned);
    match ask {
        HostAsk::Permission { .. } | HostAsk::EnterPlan { .. } | HostAsk::Running { .. } => {
            HostAnswer::Deny { message }
        }
        HostAsk::Review(_) => {
            HostAnswer::Plan(PlanAnswer::KeepPlanning { feedback: message, comments: Vec::new() })
        }
        HostAsk::Choose { .. } => HostAnswer::Dismissed,
        // A request for a program has no yes or no; it can only fail.
        _ => HostAnswer::Failed { message: message.unwrap_or_default() },
    }
}

fn non_empty(words: &str) -> Option<String> {
    Some(words.trim().to_owned()).filter(|words| !words.is_empty())
}
