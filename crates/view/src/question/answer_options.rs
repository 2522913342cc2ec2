//! The possible answers to a yes-or-no question, and their details.

use forelook_protocol::{
    Destination, HostAnswer, HostAsk, Mode, PermissionUpdate, PlanAnswer, SuggestedRule,
};
use forelook_wording::visible;

/// A possible answer to a yes-or-no question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerOption {
    /// Yes, once.
    Yes,
    /// Yes, and switch to this mode, which allows it and others like it.
    Mode {
        /// The mode.
        mode: Mode,
    },
    /// Yes, and add these rules.
    Rules {
        /// The rules.
        rules: Vec<SuggestedRule>,
        /// Where they are stored.
        destination: Destination,
        /// The change that adds them.
        update: PermissionUpdate,
    },
    /// No, optionally with a message that says what to do instead.
    No,
}

/// The key that starts a change of the rules before they are added.
pub const EDIT_RULES_KEY: char = 'r';

/// The key that starts a message that says what to do instead.
pub const INSTEAD_KEY: char = 'w';

impl AnswerOption {
    /// The answer; only a no uses the message.
    pub fn answer(&self, words: &str) -> HostAnswer {
        match self {
            AnswerOption::Yes => HostAnswer::yes(),
            AnswerOption::Mode { mode } => HostAnswer::Allow { updates: vec![to_mode(*mode)], input: None },
            AnswerOption::Rules { update, .. } => {
                HostAnswer::Allow { updates: vec![update.clone()], input: None }
            }
            AnswerOption::No => HostAnswer::Deny { message: non_empty(words) },
        }
    }

    /// The key that chooses it, in every front end.
    pub fn key(&self) -> char {
        match self {
            AnswerOption::Yes => 'y',
            AnswerOption::Mode { .. } => 'e',
            AnswerOption::Rules { destination: Destination::Session, .. } => 's',
            AnswerOption::Rules { .. } => 'a',
            AnswerOption::No => 'n',
        }
    }

    /// What it means, in a few words. Rules are named where they are given for the session.
    pub fn words(&self) -> String {
        match self {
            AnswerOption::Yes => "yes, once".to_owned(),
            AnswerOption::Mode { mode: Mode::AcceptEdits } => {
                "yes, and accept all edits in this session".to_owned()
            }
            AnswerOption::Mode { mode } => format!("yes, and switch to mode `{mode}`"),
            AnswerOption::Rules { rules, destination: Destination::Session, .. } => {
                let rules: Vec<String> = rules.iter().map(|it| visible(&it.rule).into_owned()).collect();
                format!("yes, and allow {} for this session", rules.join(", "))
            }
            AnswerOption::Rules { rules, .. } => {
                let those = if rules.len() == 1 { "that rule" } else { "those rules" };
                format!("yes, and save {those} for this project")
            }
            AnswerOption::No => "no".to_owned(),
        }
    }
}

/// The possible answers. A review has its own choices ([`crate::review::ReviewState::choices`]), and so do the model's
/// questions ([`crate::question::QuestionSequence`]).
pub fn answer_options(ask: &HostAsk) -> Vec<AnswerOption> {
    match ask {
        HostAsk::Permission { reason, .. } => {
            let mode = reason.suggested_mode.map(|mode| AnswerOption::Mode { mode });
            let rules = rule_options(&reason.suggested_rules);
            [AnswerOption::Yes].into_iter().chain(mode).chain(rules).chain([AnswerOption::No]).collect()
        }
        HostAsk::EnterPlan { .. } | HostAsk::Running { .. } => vec![AnswerOption::Yes, AnswerOption::No],
        _ => Vec::new(),
    }
}

/// The answers that add these rules, such as those that were offered and then changed.
pub fn rule_options(rules: &[SuggestedRule]) -> Vec<AnswerOption> {
    let option = |destination| {
        let update = PermissionUpdate::allow(rules, destination)?;
        Some(AnswerOption::Rules { rules: rules.to_vec(), destination, update })
    };
    [Destination::Session, Destination::LocalSettings].into_iter().filter_map(option).collect()
}

fn to_mode(mode: Mode) -> PermissionUpdate {
    PermissionUpdate::SetMode { mode, destination: Destination::Session }
}

/// The permanent changes that an answer can make: rules, or the modes that an approval can choose.
pub fn suggestions(ask: &HostAsk) -> Vec<PermissionUpdate> {
    if let HostAsk::Review(review) = ask {
        return review.modes.iter().map(|mode| to_mode(*mode)).collect();
    }
    let update = |option| match option {
        AnswerOption::Rules { update, .. } => Some(without_examples(update)),
        AnswerOption::Mode { mode } => Some(to_mode(mode)),
        AnswerOption::Yes | AnswerOption::No => None,
    };
    answer_options(ask).into_iter().filter_map(update).collect()
}

/// Hosts know rules as a tool and what is in its parentheses.
fn without_examples(mut update: PermissionUpdate) -> PermissionUpdate {
    if let PermissionUpdate::AddRules { rules, .. } = &mut update {
        rules.iter_mut().for_each(|rule| rule.examples.clear());
    }
    update
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
