//! Which prompts have no result yet. Hosts count results: each prompt that was read gets exactly one, whatever turn it
//! began or joined, and turns of other prompts give none.

use forelook_protocol::{EndReason, EntryId, TurnId};

/// How it ended, and what there is to say.
pub(super) type Report = (EndReason, String);

/// What a prompt waits for.
#[derive(Debug, Clone, PartialEq)]
enum Owed {
    /// The end of this turn.
    Turn(TurnId),
    /// The turn that begins next: it was begun with a plan, in place of a prompt.
    NextTurn,
    /// A place in some turn.
    Queued(EntryId),
    /// What the person's editor reports.
    Editor,
    /// What becomes of the review that is open.
    Review,
    /// Only the results of the prompts before it.
    Ready(Report),
}

/// The prompts that have no result yet, in the order in which they were read.
#[derive(Debug, Default)]
pub(super) struct OwedResults(Vec<Owed>);

impl OwedResults {
    /// A prompt that this turn answers.
    pub(super) fn answered_by(&mut self, turn: TurnId) {
        self.0.push(Owed::Turn(turn));
    }

    /// A plan that the turn after this carries out.
    pub(super) fn begun(&mut self) {
        self.0.push(Owed::NextTurn);
    }

    /// A prompt that waits.
    pub(super) fn queued(&mut self, prompt: EntryId) {
        self.0.push(Owed::Queued(prompt));
    }

    /// A prompt that opened an editor.
    pub(super) fn edits(&mut self) {
        self.0.push(Owed::Editor);
    }

    /// A prompt that opened a review, or found it open.
    pub(super) fn reviews(&mut self) {
        self.0.push(Owed::Review);
    }

    /// A prompt that has its result already. It comes behind those of the prompts before.
    pub(super) fn ready(&mut self, report: Report) {
        self.0.push(Owed::Ready(report));
    }

    /// A turn begins.
    pub(super) fn turn_begins(&mut self, turn: TurnId) {
        self.replace(&Owed::NextTurn, Owed::Turn(turn));
    }

    /// The review was answered, and a turn of its own follows.
    pub(super) fn review_begins(&mut self) {
        self.replace(&Owed::Review, Owed::NextTurn);
    }

    /// The review was one of this turn's.
    pub(super) fn review_joins(&mut self, turn: TurnId) {
        self.replace(&Owed::Review, Owed::Turn(turn));
    }

    /// The review is over, and nothing follows.
    pub(super) fn review_over(&mut self, report: &Report) {
        self.replace(&Owed::Review, Owed::Ready(report.clone()));
    }

    /// A prompt that waited is in the conversation: this turn answers it.
    pub(super) fn joins(&mut self, prompt: EntryId, turn: TurnId) {
        self.replace(&Owed::Queued(prompt), Owed::Turn(turn));
    }

    /// A prompt that waited is in no turn any more.
    pub(super) fn dropped(&mut self, prompt: EntryId, reason: EndReason) {
        self.replace(&Owed::Queued(prompt), Owed::Ready((reason, String::new())));
    }

    /// An editor reports; whether somebody waited for that. It may have been open for long, and nothing waited for it.
    pub(super) fn edited(&mut self, report: Report) -> bool {
        let found = self.0.iter().position(|owed| *owed == Owed::Editor);
        found.map(|at| self.0.remove(at)).is_some_and(|_| {
            self.ready(report);
            true
        })
    }

    /// Whether an editor is waited for.
    pub(super) fn awaits_editor(&self) -> bool {
        self.0.contains(&Owed::Editor)
    }

    /// Whether a turn is waited for, or a review.
    pub(super) fn awaits_turn(&self) -> bool {
        self.0.iter().any(|owed| !matches!(owed, Owed::Editor | Owed::Ready(_)))
    }

    /// A turn is over; how many prompts it answered. Turns end in order, so what an earlier one owes is due as well.
    pub(super) fn turn_over(&mut self, turn: TurnId) -> usize {
        let before = self.0.len();
        self.0.retain(|owed| !matches!(owed, Owed::Turn(its) if *its <= turn));
        before - self.0.len()
    }

    /// Nothing more will be heard: what has no result yet ends like this.
    pub(super) fn settle(&mut self, reason: &EndReason) {
        for owed in &mut self.0 {
            if !matches!(owed, Owed::Ready(_)) {
                *owed = Owed::Ready((reason.clone(), String::new()));
            }
        }
    }

    /// Those that wait for nothing any more, in order.
    pub(super) fn take_ready(&mut self) -> Vec<Report> {
        let waits = |owed: &Owed| !matches!(owed, Owed::Ready(_) | Owed::Editor);
        let still = self.0.iter().position(waits).unwrap_or(self.0.len());
        let rest = self.0.split_off(still);
        let (ready, editors): (Vec<Owed>, Vec<Owed>) =
            std::mem::take(&mut self.0).into_iter().partition(|owed| matches!(owed, Owed::Ready(_)));
        self.0 = editors.into_iter().chain(rest).collect();
        let reports = ready.into_iter().filter_map(|owed| match owed {
            Owed::Ready(report) => Some(report),
            _ => None,
        });
        reports.collect()
    }

    fn replace(&mut self, old: &Owed, new: Owed) {
        self.0.iter_mut().filter(|owed| *owed == old).for_each(|owed| owed.clone_from(&new));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn words(reports: Vec<Report>) -> Vec<String> {
        reports.into_iter().map(|(_, words)| words).collect()
    }

    fn report(words: &str) -> Report {
        (EndReason::Done, words.to_owned())
    }

    fn prompt(number: u128) -> EntryId {
        EntryId(Uuid::from_u128(number))
    }

    #[test]
    fn a_result_comes_after_those_of_the_prompts_before_it() {
        let mut owed = OwedResults::default();
        owed.ready(report("at once"));
        assert_eq!(words(owed.take_ready()), ["at once"]);
        owed.answered_by(TurnId(1));
        owed.queued(prompt(2));
        owed.ready(report("after two"));
        owed.queued(prompt(3));
        assert_eq!((owed.turn_over(TurnId(1)), owed.take_ready().len()), (1, 0));
        owed.joins(prompt(2), TurnId(2));
        assert_eq!(owed.turn_over(TurnId(2)), 1);
        assert_eq!(words(owed.take_ready()), ["after two"]);
        assert!(owed.awaits_turn());
    }

    #[test]
    fn a_turn_answers_all_that_joined_it_and_none_that_it_does_not_know() {
        let mut owed = OwedResults::default();
        assert_eq!(owed.turn_over(TurnId(1)), 0);
        owed.answered_by(TurnId(2));
        owed.queued(prompt(1));
        owed.queued(prompt(2));
        owed.joins(prompt(2), TurnId(2));
        assert_eq!(owed.turn_over(TurnId(2)), 2);
        assert_eq!(owed.turn_over(TurnId(2)), 0, "told twice, answered once");
        owed.joins(prompt(1), TurnId(3));
        assert_eq!(owed.turn_over(TurnId(3)), 1);
    }

    #[test]
    fn a_prompt_that_is_taken_back_keeps_its_place() {
        let mut owed = OwedResults::default();
        owed.answered_by(TurnId(1));
        owed.queued(prompt(1));
        owed.ready(report("behind the first"));
        owed.dropped(prompt(1), EndReason::Interrupted);
        assert!(owed.take_ready().is_empty());
        owed.turn_over(TurnId(1));
        assert_eq!(words(owed.take_ready()), ["", "behind the first"]);
    }

    #[test]
    fn a_prompt_that_opened_a_review_waits_for_what_follows_from_it() {
        let reviewed = || {
            let mut owed = OwedResults::default();
            owed.reviews();
            owed.reviews();
            owed.ready(report("behind it"));
            assert!(owed.take_ready().is_empty() && owed.awaits_turn());
            owed
        };
        let mut owed = reviewed();
        owed.review_begins();
        owed.turn_begins(TurnId(4));
        assert_eq!(owed.turn_over(TurnId(4)), 2);
        let mut owed = reviewed();
        owed.review_joins(TurnId(4));
        assert_eq!(owed.turn_over(TurnId(4)), 2);
        let mut owed = reviewed();
        owed.review_over(&report("parked"));
        assert_eq!(words(owed.take_ready()), ["parked", "parked", "behind it"]);
    }

    #[test]
    fn nothing_waits_for_an_editor() {
        let mut owed = OwedResults::default();
        owed.edits();
        owed.ready(report("behind it"));
        assert_eq!(words(owed.take_ready()), ["behind it"]);
        assert!(owed.awaits_editor());
        assert!(owed.edited(report("closed")) && !owed.edited(report("again")));
        assert_eq!(words(owed.take_ready()), ["closed"]);
    }

    #[test]
    fn all_that_is_left_ends_when_nothing_more_is_heard() {
        let mut owed = OwedResults::default();
        owed.answered_by(TurnId(1));
        owed.ready(report("a"));
        owed.queued(prompt(1));
        owed.edits();
        owed.begun();
        owed.settle(&EndReason::Interrupted);
        assert_eq!(words(owed.take_ready()), ["", "a", "", "", ""]);
        assert!(!owed.awaits_turn() && !owed.awaits_editor());
    }
}
