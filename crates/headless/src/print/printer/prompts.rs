//! Prompts, and those of them that are `/plan`: what they show is their result.

use forelook_protocol::{Command, Delivery, EndReason, PlanShown, Prompt, SessionPort, UserBlock};

use super::{Output, Printer};
use crate::ink::bare;
use crate::plan_view::{self, Reader};
use crate::print::out::Unheard;
use crate::print::turn::Turn;
use crate::slash;
use crate::wire::{outgoing, plan};

impl Printer {
    pub(in crate::print) async fn prompt(&mut self, session: &dyn SessionPort, content: Vec<UserBlock>) {
        let plan = slash::plan(&content).map(str::to_owned);
        let command = match &plan {
            Some(rest) => Command::Plan(rest.clone()),
            None => Command::Prompt(Prompt { content, delivery: Delivery::NextTurn }),
        };
        if plan.is_some() {
            self.asked = Some(self.turns.taken());
        }
        match session.send(command).await {
            Ok(()) => self.turns.sent(),
            Err(refused) => {
                let reason = EndReason::Internal { message: refused.to_string() };
                self.out.complain(&refused.to_string());
                self.last = Some(reason.clone());
                if self.asked.take().is_some() {
                    self.owed.push((reason, String::new()));
                    self.turns.sent();
                }
            }
        }
    }

    /// Everything is heard that followed from what was sent.
    pub(in crate::print) fn settled(&mut self) -> Result<(), Unheard> {
        if let Some(before) = self.asked.take() {
            let shown = std::mem::take(&mut self.shown).join("\n\n");
            if self.editor.owes() {
                // The result is what becomes of the editor.
            } else if let Some(report) = self.editor.report() {
                self.owed.push(report);
            } else if self.turns.taken() == before {
                self.owed.push((EndReason::Done, shown));
            } else {
                self.shown.push(shown);
                self.tell_shown();
            }
        }
        if self.turns.inside() { Ok(()) } else { self.pay() }
    }

    /// What a command showed is no result once a turn has come of it; it is told beside, before the turn's own.
    pub(super) fn tell_shown(&mut self) {
        let shown = std::mem::take(&mut self.shown).join("\n\n");
        if self.out.output == Output::Text && !shown.is_empty() {
            self.out.complain(&shown);
        }
    }

    /// A prompt that began no turn has a result too: hosts wait for one.
    pub(super) fn pay(&mut self) -> Result<(), Unheard> {
        for (reason, words) in std::mem::take(&mut self.owed) {
            self.result(&outgoing::unrecorded(&reason), &Turn::of_words(words))?;
        }
        Ok(())
    }

    pub(super) fn plan(&mut self, shown: &PlanShown) -> Result<(), Unheard> {
        let words = bare(&plan_view::rows(shown, self.clock.now(), Reader::Program));
        let uuid = self.out.id();
        self.out.stream(|session| plan::line(uuid, session, shown))?;
        let text = self.out.output == Output::Text;
        match (shown, self.asked) {
            // Whoever waits for an editor wants to know it at once.
            (PlanShown::Opening { .. } | PlanShown::Opened { .. }, _) if text => self.out.write(&words)?,
            (PlanShown::Opening { .. } | PlanShown::Opened { .. }, _) => {}
            (_, Some(_)) => self.shown.push(words.clone()),
            (_, None) if text => self.out.write(&words)?,
            (_, None) => {}
        }
        match shown {
            PlanShown::Opening { .. } => self.editor.opens(),
            PlanShown::Opened { .. } => {
                return self.edited(EndReason::Done, if text { String::new() } else { words });
            }
            _ => {}
        }
        Ok(())
    }

    /// The editor has reported back. Whoever asked for it gets a result, once it is known that no turn came of it.
    pub(super) fn edited(&mut self, reason: EndReason, words: String) -> Result<(), Unheard> {
        self.owed.extend(self.editor.closes((reason, words), self.asked.is_some()));
        if self.turns.inside() || self.asked.is_some() { Ok(()) } else { self.pay() }
    }
}
