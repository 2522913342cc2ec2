//! Results: of turns, of prompts that began none, and of the whole run.

use forelook_protocol::{EndReason, EntryId, Notice, PlanQuery, PlanReply, Query, Reply, TurnEnded, TurnId};
use forelook_view::TurnResult;

use super::{Output, Printer};
use crate::RunOutcome;
use crate::print::out::OutputClosed;
use crate::wire::outgoing::{self, TurnOutcome};

/// The tool that a plan is submitted with.
const EXIT_PLAN: &str = "ExitPlanMode";

impl Printer {
    /// A turn is over. Each prompt that began or joined it has its result; a turn of somebody else's has none.
    pub(super) async fn turn_end(&mut self, ended: &TurnEnded) -> Result<(), OutputClosed> {
        self.turn = self.turn.filter(|&running| running > ended.turn);
        // An end that could not be written was told; when the journal can be written again, it comes once more.
        let answered = self.owed.turn_over(ended.turn);
        if answered == 0 {
            return Ok(());
        }
        if self.out.output != Output::Text {
            self.look().await;
        }
        if let (Output::Text, Some(problem)) = (self.out.output, outgoing::explain(&ended.reason)) {
            self.out.complain(&problem);
        }
        let mut turn = self.view.result().clone();
        if let (EndReason::Planned { .. }, Some(plan)) = (&ended.reason, turn.plan.take()) {
            turn.words = plan;
        }
        if ended.reason == EndReason::Done
            && let Some(note) = self.unsubmitted_plan().await
        {
            let words = std::mem::take(&mut turn.words);
            turn.words = if words.is_empty() { note } else { format!("{}\n\n{note}", words.trim_end()) };
        }
        let mut ended = ended.clone();
        if let Some(message) =
            self.journal_lost.clone().filter(|_| RunOutcome::of(&ended.reason) == RunOutcome::Done)
        {
            // Said on standard error already; here for those who read nothing but results.
            ended.reason = EndReason::Internal { message };
        }
        self.result(&ended, &turn)?;
        // What the turn used is counted once, and its words are read once.
        let again = outgoing::unrecorded(ended.turn, &ended.reason);
        let results = if self.out.output == Output::Text { 1 } else { answered };
        for _ in 1..results {
            self.result(&again, &turn)?;
        }
        self.flush_ready()
    }

    /// What there is to say of a plan that the model could not submit: nobody would know of it.
    async fn unsubmitted_plan(&mut self) -> Option<String> {
        if !self.view.mode().is_plan() || self.status.tools.iter().any(|tool| tool == EXIT_PLAN) {
            return None;
        }
        let current = self.session.query(Query::Plan(PlanQuery::Current)).await;
        let Ok(Reply::Plan(PlanReply::Current { path, plan, problem, .. })) = current else { return None };
        if let Some(why) = problem {
            return Some(format!("The plan file cannot be read, so there is no plan to review\n{why}"));
        }
        plan?;
        let name = path.as_path().file_stem().unwrap_or_default().to_string_lossy();
        Some(format!(
            "The plan is in `{path}`. It waits for your review: `{EXIT_PLAN}` is not available in this session, so the \
             model could not submit it\n\
             Review it with `/plan review` in this session, or implement it with `forelook apply {name}`"
        ))
    }

    /// A prompt that began no turn has a result too: hosts wait for one.
    pub(super) fn ready(&mut self, reason: EndReason, words: String) -> Result<(), OutputClosed> {
        self.owed.ready((reason, words));
        self.flush_ready()
    }

    /// Prompts that waited were taken back. Hosts count results: each of them gets one, in its place.
    pub(super) fn withdrawn(&mut self, prompts: &[EntryId]) -> Result<(), OutputClosed> {
        prompts.iter().for_each(|prompt| self.owed.dropped(*prompt, EndReason::Interrupted));
        self.flush_ready()
    }

    /// A prompt that waited will not begin any more.
    pub(super) fn not_started(&mut self, prompt: EntryId, message: String) -> Result<(), OutputClosed> {
        self.owed.dropped(prompt, EndReason::Internal { message });
        self.flush_ready()
    }

    /// Nothing more is heard of what was read and has no result yet: the session has ended, or nobody waits for it.
    pub(in crate::print) fn settle(&mut self) -> Result<(), OutputClosed> {
        self.owed.settle(&EndReason::Interrupted);
        self.flush_ready()
    }

    /// The session broke off: nobody will hear more of what was begun.
    pub(super) fn failed(&mut self, notice: &Notice) -> Result<(), OutputClosed> {
        self.out.notice(notice)?;
        let reason = EndReason::Internal { message: notice.text.clone() };
        self.owed.settle(&reason);
        (self.turn, self.broken) = (None, true);
        self.flush_ready()
    }

    pub(super) fn flush_ready(&mut self) -> Result<(), OutputClosed> {
        for (reason, words) in self.owed.take_ready() {
            let turn = TurnResult { words, ..TurnResult::default() };
            self.result(&outgoing::unrecorded(TurnId::default(), &reason), &turn)?;
        }
        Ok(())
    }

    /// Prints a result. The last one counts for the run, in the order in which they are printed: that of the prompts.
    fn result(&mut self, ended: &TurnEnded, turn: &TurnResult) -> Result<(), OutputClosed> {
        self.last = Some(ended.reason.clone());
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
        if self.broken || self.out.unwritten.is_some() {
            return RunOutcome::Failed;
        }
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
