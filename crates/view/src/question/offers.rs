//! What can be said to a question of yes or no, and what goes along with it.

use forelook_protocol::{Destination, HostAnswer, HostAsk, Mode, PermissionUpdate, PlanAnswer};

/// Something that a person can say to a question of yes or no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// Yes, this once.
    Yes,
    /// Yes, and this rule holds from now on.
    Rule {
        /// The rule, as it is written.
        rule: String,
        /// Where it is kept.
        destination: Destination,
        /// The change that it is.
        update: PermissionUpdate,
    },
    /// No. Words may go along, for what to do instead.
    No,
}

impl Offer {
    /// The answer; only a no takes words.
    pub fn answer(&self, words: &str) -> HostAnswer {
        match self {
            Offer::Yes => HostAnswer::yes(),
            Offer::Rule { update, .. } => HostAnswer::Allow { updates: vec![update.clone()], input: None },
            Offer::No => HostAnswer::Deny { message: said(words) },
        }
    }

    /// Whether it is a rule that is kept there.
    pub fn is_rule_for(&self, place: Destination) -> bool {
        matches!(self, Offer::Rule { destination, .. } if *destination == place)
    }
}

/// What is on offer. A review has choices of its own ([`crate::review::Review::choices`]), and so have the model's
/// questions ([`crate::question::Answers`]).
pub fn offers(ask: &HostAsk) -> Vec<Offer> {
    match ask {
        HostAsk::Permission { reason, .. } => {
            let rules = reason.would_allow.iter().flat_map(|rule| rules(rule));
            std::iter::once(Offer::Yes).chain(rules).chain([Offer::No]).collect()
        }
        HostAsk::EnterPlan { .. } | HostAsk::Running { .. } => vec![Offer::Yes, Offer::No],
        _ => Vec::new(),
    }
}

fn rules(rule: &str) -> Vec<Offer> {
    let offer = |destination| {
        let update = PermissionUpdate::allow(rule, destination)?;
        Some(Offer::Rule { rule: rule.to_owned(), destination, update })
    };
    [Destination::Session, Destination::LocalSettings].into_iter().filter_map(offer).collect()
}

/// What an answer can say that is to hold from now on: rules, or the modes that an approval can name.
pub fn suggestions(ask: &HostAsk) -> Vec<PermissionUpdate> {
    if let HostAsk::Review(review) = ask {
        let to = |&mode: &Mode| PermissionUpdate::SetMode { mode, destination: Destination::Session };
        return review.modes.iter().map(to).collect();
    }
    let update = |offer| match offer {
        Offer::Rule { update, .. } => Some(update),
        Offer::Yes | Offer::No => None,
    };
    offers(ask).into_iter().filter_map(update).collect()
}

/// A no to whatever was asked.
pub fn no(ask: &HostAsk, message: Option<&str>) -> HostAnswer {
    let message = message.filter(|message| !message.trim().is_empty()).map(str::to_owned);
    match ask {
        HostAsk::Permission { .. } | HostAsk::EnterPlan { .. } | HostAsk::Running { .. } => {
            HostAnswer::Deny { message }
        }
        HostAsk::Review(_) => {
            HostAnswer::Plan(PlanAnswer::KeepPlanning { feedback: message, comments: Vec::new() })
        }
        HostAsk::Choose { .. } => HostAnswer::Dismissed,
        // What is asked of a program has no yes and no no; it can only fail.
        _ => HostAnswer::Failed { message: message.unwrap_or_default() },
    }
}

fn said(words: &str) -> Option<String> {
    Some(words.trim().to_owned()).filter(|words| !words.is_empty())
}
