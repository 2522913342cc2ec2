//! Results of prompts that began no turn. Hosts wait for one, and count on the order.

use forelook_protocol::EndReason;

/// How it ended, and what there is to say.
pub(super) type Report = (EndReason, String);

/// Results that wait for those of the prompts before.
#[derive(Debug, Default)]
pub(super) struct DeferredResults(Vec<(usize, Report)>);

impl DeferredResults {
    /// One more, behind the results of so many turns.
    pub(super) fn add(&mut self, due: usize, report: Report) {
        self.0.push((due, report));
    }

    /// The result of a turn was given, and so many turns are due still.
    pub(super) fn turn_over(&mut self, due: usize) {
        for (before, _) in &mut self.0 {
            // Fewer may be due than were: a prompt that waited was taken into another's turn.
            *before = before.saturating_sub(1).min(due);
        }
    }

    /// Those that wait for nothing any more, in order.
    pub(super) fn take(&mut self) -> Vec<Report> {
        let still = self.0.iter().position(|(before, _)| *before > 0).unwrap_or(self.0.len());
        self.0.drain(..still).map(|(_, report)| report).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(reports: Vec<Report>) -> Vec<String> {
        reports.into_iter().map(|(_, words)| words).collect()
    }

    fn report(words: &str) -> Report {
        (EndReason::Done, words.to_owned())
    }

    #[test]
    fn a_result_comes_after_those_of_the_prompts_before_it() {
        let mut deferred = DeferredResults::default();
        deferred.add(0, report("at once"));
        assert_eq!(words(deferred.take()), ["at once"]);
        // One turn runs, another waits; then this; then a third waits.
        deferred.add(2, report("after two"));
        deferred.add(3, report("after three"));
        deferred.turn_over(2);
        assert!(deferred.take().is_empty());
        deferred.turn_over(1);
        assert_eq!(words(deferred.take()), ["after two"]);
        deferred.turn_over(0);
        assert_eq!(words(deferred.take()), ["after three"]);
    }

    #[test]
    fn nothing_is_owed_once_no_turn_is_due() {
        let mut deferred = DeferredResults::default();
        deferred.add(3, report("a"));
        // The two that waited were taken into the turn that ran.
        deferred.turn_over(0);
        assert_eq!(words(deferred.take()), ["a"]);
    }
}
