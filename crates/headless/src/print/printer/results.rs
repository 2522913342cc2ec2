//! Results: of turns, of prompts that began none, and of the whole run.

use forelook_protocol::{EndReason, TurnEnded, TurnId};
use forelook_view::TurnResult;

use super::{Output, Printer};
use crate::RunOutcome;
use crate::print::out::OutputClosed;
use crate::wire::outgoing::{self, TurnOutcome};

impl Printer {
    pub(super) async fn turn_end(&mut self, ended: &TurnEnded) -> Result<(), OutputClosed> {
        self.last = Some(ended.reason.clone());
        if self.out.output != Output::Text {
            self.look().await;
        }
        let mut turn = self.view.result().clone();
        if let (EndReason::Planned { .. }, Some(plan)) = (&ended.reason, turn.plan.take()) {
            turn.words = plan;
        }
        if let (Output::Text, Some(problem)) = (self.out.output, outgoing::explain(&ended.reason)) {
            self.out.complain(&problem);
        }
        self.result(ended, &turn)?;
        self.deferred.turn_over(self.view.turns().due());
        self.flush_deferred()
    }

    /// A prompt that began no turn has a result too: hosts wait for one.
    pub(super) fn defer_result(&mut self, reason: EndReason, words: String) -> Result<(), OutputClosed> {
        self.deferred.add(self.view.turns().due(), (reason, words));
        self.flush_deferred()
    }

    fn flush_deferred(&mut self) -> Result<(), OutputClosed> {
        for (reason, words) in self.deferred.take() {
            let turn = TurnResult { words, ..TurnResult::default() };
            self.result(&outgoing::unrecorded(TurnId::default(), &reason), &turn)?;
        }
        Ok(())
    }

    fn result(&mut self, ended: &TurnEnded, turn: &TurnResult) -> Result<(), OutputClosed> {
        if self.out.output != Output::Text {
            let outcome = TurnOutcome {
                session: self.out.session,
                ended,
                words: &turn.words,
                denials: &turn.denials,
                interrupted_calls: turn.interrupted_calls,
                spent: &self.status.spent,
                models: &self.models.known,
            };
            let line = outgoing::result(self.out.id(), &outcome);
            return self.out.write(&line.to_string());
        }
        // A plan is printed byte for byte, so that a file made of it has the plan's hash.
        match turn.words.strip_suffix('\n').unwrap_or(&turn.words) {
            "" => Ok(()),
            words => self.out.write(words),
        }
    }

    /// How the run ended. A host that drives us hears of refused calls itself.
    pub(in crate::print) fn ended(&self, streaming_input: bool) -> RunOutcome {
        if self.bad_input {
            return RunOutcome::BadInput;
        }
        let turn = self.view.result();
        let unanswered = turn.nobody_to_ask && !turn.denials.is_empty() && !streaming_input;
        match self.last.as_ref().map_or(RunOutcome::Done, RunOutcome::of) {
            RunOutcome::Interrupted => RunOutcome::Interrupted,
            _ if self.stopped => RunOutcome::Interrupted,
            RunOutcome::Done if unanswered && !self.planned() => RunOutcome::NobodyToAsk,
            ended => ended,
        }
    }

    /// The plan is there, or the person did not want it: both are what was asked for.
    fn planned(&self) -> bool {
        matches!(self.last, Some(EndReason::Planned { .. } | EndReason::Parked | EndReason::Abandoned))
    }
}
