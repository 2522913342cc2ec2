//! Results: of turns, of prompts that began none, and of the whole run.

use forelook_protocol::{EndReason, TurnEnded, TurnId};
use forelook_view::TurnResult;

use super::{Output, Printer};
use crate::RunOutcome;
use crate::print::out::OutputClosed;
use crate::wire::outgoing::{self, TurnOutcome};

impl Printer {
    pub(super) async fn turn_end(&mut self, ended: &TurnEnded) -> Result<(), OutputClosed> {
        // An end that could not be written was told; when the journal can be written again, it comes once more.
        if self.ended.is_some_and(|newest| ended.turn <= newest) {
            return Ok(());
        }
        (self.ended, self.last) = (Some(ended.turn), Some(ended.reason.clone()));
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
        match self.journal_lost.clone().filter(|_| RunOutcome::of(&ended.reason) == RunOutcome::Done) {
            // Said on standard error already; here for those who read nothing but results.
            Some(message) => {
                let reason = EndReason::Internal { message };
                self.last = Some(reason.clone());
                self.result(&TurnEnded { reason, ..ended.clone() }, &turn)?;
            }
            None => self.result(ended, &turn)?,
        }
        self.deferred.turn_over(self.view.turns().due());
        self.flush_deferred()
    }

    /// A prompt that began no turn has a result too: hosts wait for one.
    pub(super) fn defer_result(&mut self, reason: EndReason, words: String) -> Result<(), OutputClosed> {
        self.deferred.add(self.view.turns().due(), (reason, words));
        self.flush_deferred()
    }

    /// A prompt that waited will not begin any more.
    pub(super) fn not_started(&mut self, message: String) -> Result<(), OutputClosed> {
        let reason = EndReason::Internal { message };
        self.last = Some(reason.clone());
        self.result(&outgoing::unrecorded(TurnId::default(), &reason), &TurnResult::default())?;
        self.deferred.turn_over(self.view.turns().due());
        self.flush_deferred()
    }

    /// Nothing more is heard of what was read and has no result yet: the session has ended, or nobody waits for it.
    pub(in crate::print) fn settle(&mut self) -> Result<(), OutputClosed> {
        let owed = self.view.turns().due() + self.editors;
        for left in (0..owed).rev() {
            let turn = self.view.result().clone();
            self.result(&outgoing::unrecorded(TurnId::default(), &EndReason::Interrupted), &turn)?;
            self.deferred.turn_over(left);
            self.flush_deferred()?;
        }
        Ok(())
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
            let mut line = outgoing::result(self.out.id(), &outcome);
            if self.journal_lost.is_some() {
                // There is an answer, and it is nowhere else.
                line["result"] = turn.words.as_str().into();
            }
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
            RunOutcome::Done if self.journal_lost.is_some() => RunOutcome::Failed,
            RunOutcome::Done if unanswered && !self.planned() => RunOutcome::NobodyToAsk,
            ended => ended,
        }
    }

    /// The plan is there, or the person did not want it: both are what was asked for.
    fn planned(&self) -> bool {
        matches!(self.last, Some(EndReason::Planned { .. } | EndReason::Parked | EndReason::Abandoned))
    }
}
