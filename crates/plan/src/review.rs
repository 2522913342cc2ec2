//! What a reviewer is shown: the plan, its length against that of others, what changed, and where a yes can lead.

use std::time::Duration;

use forelook_protocol::{AbsPath, AgentId, Mode, PlanLength, PlanReview, Rehearsal, UnavailableMode, to_hex};
use sha2::{Digest as _, Sha256};
use similar::TextDiff;

use crate::PlanFile;

/// Below this length 20 % are sent back, and no fewer however short they are; from 26.3 million plans.
const FEWEST_REJECTED: (usize, u8) = (2_000, 20);
/// Above this length 50 %.
const MOST_REJECTED: (usize, u8) = (20_000, 50);
/// A diff need not be the shortest: after this time a rough one will do.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

/// What an approval can lead to, and who asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewOptions {
    /// The mode before planning: where an approval leads that names none.
    pub before: Mode,
    /// The modes that an approval can name, and those that it cannot; see [`approval_modes`].
    pub modes: ApprovalModes,
    /// Who asks; nothing for the main agent.
    pub from: Option<AgentId>,
    /// What was tried while planning, if anything was.
    pub rehearsal: Option<Rehearsal>,
}

/// Where an approval can lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalModes {
    /// The modes that can be had now.
    pub available: Vec<Mode>,
    /// The others, and why not.
    pub unavailable: Vec<UnavailableMode>,
}

/// A plan put before a reviewer. `last_reviewed` is the text that was reviewed last, if one was: then the review has
/// `changes`, empty if the plan is the same.
pub fn build_review(
    path: AbsPath,
    file: PlanFile,
    last_reviewed: Option<&str>,
    options: ReviewOptions,
) -> PlanReview {
    let problem = file.problem().map(str::to_owned);
    let plan = non_blank_plan(file.text());
    let text = plan.as_deref().unwrap_or_default();
    PlanReview {
        path,
        hash: plan_hash(text),
        length: plan_length(text),
        changes: last_reviewed.map(|old| changes(old, text)),
        before: options.before,
        modes: options.modes.available,
        unavailable: options.modes.unavailable,
        problem,
        from: options.from,
        rehearsal: options.rehearsal.map(Box::new),
        plan,
    }
}

/// The plan that is in a file: nothing but blanks is no plan.
pub fn non_blank_plan(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// SHA-256 of a text, in hex. No plan has the hash of an empty text.
pub fn plan_hash(text: &str) -> String {
    to_hex(&Sha256::digest(text))
}

fn changes(old: &str, new: &str) -> String {
    TextDiff::configure()
        .timeout(DIFF_TIMEOUT)
        .diff_lines(old, new)
        .unified_diff()
        .context_radius(3)
        .to_string()
}

/// How long a plan is, and how many of that length are sent back.
///
/// Two points are known: 20 % below 2,000 characters and 50 % above 20,000, rising all the way. Between them we
/// follow the logarithm of the length, the straightest line between points a factor of ten apart: as much is added
/// from 2,000 to 4,000 as from 10,000 to 20,000.
pub fn plan_length(text: &str) -> PlanLength {
    let characters = text.chars().count();
    PlanLength { characters, lines: text.lines().count(), rejected_percent: rejected_percent(characters) }
}

fn rejected_percent(characters: usize) -> u8 {
    let ((short, fewest), (long, most)) = (FEWEST_REJECTED, MOST_REJECTED);
    let characters = characters.clamp(short, long);
    let part = (characters as f64 / short as f64).ln() / (long as f64 / short as f64).ln();
    // In between the two, so no cast can go wrong.
    fewest + (part * f64::from(most - fewest)).round() as u8
}

/// The modes that an approval can name: auto only while its gate is open, bypass only where it can be had. Takes
/// both as `permissions` states them.
pub fn approval_modes<A: ToString, B: ToString>(
    auto: &Result<(), A>,
    bypass: &Result<(), B>,
) -> ApprovalModes {
    let mut modes =
        ApprovalModes { available: vec![Mode::Default, Mode::AcceptEdits], ..ApprovalModes::default() };
    let found = [
        (Mode::Auto, auto.as_ref().err().map(ToString::to_string)),
        (Mode::BypassPermissions, bypass.as_ref().err().map(ToString::to_string)),
    ];
    for (mode, missing) in found {
        match missing {
            None => modes.available.push(mode),
            Some(why) => modes.unavailable.push(UnavailableMode { mode, why }),
        }
    }
    modes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reviewed(plan: Option<&str>, last: Option<&str>) -> PlanReview {
        let path = AbsPath::new("/plans/calm-weaving-otter.md").unwrap();
        let options = ReviewOptions {
            before: Mode::Auto,
            modes: ApprovalModes::default(),
            from: None,
            rehearsal: None,
        };
        let file = plan.map_or(PlanFile::Missing, |text| PlanFile::Text(text.to_owned()));
        build_review(path, file, last, options)
    }

    #[test]
    fn a_blank_plan_is_none() {
        for plan in [None, Some(""), Some(" \n\t\n")] {
            let review = reviewed(plan, None);
            assert_eq!((review.plan, review.hash), (None, plan_hash("")));
            assert_eq!(review.length, plan_length(""));
        }
    }

    #[test]
    fn the_hash_is_of_exactly_the_text() {
        let review = reviewed(Some("abc"), None);
        assert_eq!(review.hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_ne!(plan_hash("abc\n"), review.hash);
    }

    #[test]
    fn changes_are_against_the_last_review() {
        assert_eq!(reviewed(Some("a\nb\n"), None).changes, None);
        assert_eq!(reviewed(Some("a\nb\n"), Some("a\nb\n")).changes.as_deref(), Some(""));
        assert_eq!(
            reviewed(Some("a\nc\n"), Some("a\nb\n")).changes.as_deref(),
            Some("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
        );
        assert_eq!(reviewed(None, Some("a\n")).changes.as_deref(), Some("@@ -1 +0,0 @@\n-a\n"));
    }

    #[test]
    fn a_length_and_how_many_are_sent_back() {
        for (characters, percent) in
            [(0, 20), (1_999, 20), (2_000, 20), (4_906, 32), (8_000, 38), (20_000, 50), (1_234_567, 50)]
        {
            let length = plan_length(&"é".repeat(characters));
            assert_eq!((length.characters, length.rejected_percent), (characters, percent));
        }
        assert_eq!(plan_length("a\nb\n\n").lines, 3);
    }

    #[test]
    fn modes_depend_on_what_is_open() {
        use Mode::{AcceptEdits, Auto, BypassPermissions, Default};
        for (auto, bypass, modes) in [
            (Err("no"), Err(1), vec![Default, AcceptEdits]),
            (Ok(()), Err(1), vec![Default, AcceptEdits, Auto]),
            (Err("no"), Ok(()), vec![Default, AcceptEdits, BypassPermissions]),
            (Ok(()), Ok(()), vec![Default, AcceptEdits, Auto, BypassPermissions]),
        ] {
            let found = approval_modes(&auto, &bypass);
            assert_eq!(found.available, modes);
            let missing: Vec<(Mode, &str)> =
                found.unavailable.iter().map(|it| (it.mode, it.why.as_str())).collect();
            let closed = [auto.err().map(|why| (Auto, why)), bypass.err().map(|_| (BypassPermissions, "1"))];
            assert_eq!(missing, closed.into_iter().flatten().collect::<Vec<_>>());
        }
    }

    proptest! {
        #[test]
        fn longer_plans_are_sent_back_no_less(one in 0usize..40_000, other in 0usize..40_000) {
            let (short, long) = (one.min(other), one.max(other));
            prop_assert!(rejected_percent(short) <= rejected_percent(long));
            prop_assert!((20..=50).contains(&rejected_percent(one)));
        }
    }
}
