//! What the user reads about a call that did not run or that was a question to them. Its result is written for the
//! model.

use std::collections::{HashMap, HashSet};

use forelook_protocol::{
    AgentId, CallId, CallStatus, Decision, Entry, EntryBody, HostAnswer, HostAsk, HostRequest,
    PersonQuestion, QuestionAnswer, Reason, RequestId, ToolCall, ToolFinished, without_fence_hints,
};

type CallKey = (Option<AgentId>, CallId);

/// Texts for the user, collected from the entries before a call's result.
#[derive(Debug, Clone, Default)]
pub struct PersonTexts {
    /// Open questions about a call; with the model's questions, if the call is one that asks them.
    open: HashMap<RequestId, (CallKey, Option<Vec<PersonQuestion>>)>,
    refusals: HashMap<CallKey, String>,
    /// Why a call was not simply allowed.
    reasons: HashMap<CallKey, Reason>,
    answers: HashMap<CallKey, String>,
    started: HashSet<CallKey>,
}

impl PersonTexts {
    /// Reads the next entry of a journal.
    pub fn read(&mut self, entry: &Entry) {
        match &entry.body {
            EntryBody::PermissionDecided(decided) => {
                let key = (entry.agent.clone(), decided.call.clone());
                if let Decision::Deny(reason) | Decision::Ask(reason) = &decided.decision {
                    self.reasons.insert(key.clone(), reason.clone());
                }
                match &decided.decision {
                    // One that nobody is asked about after all is blocked for the same reason.
                    Decision::Deny(reason) | Decision::Ask(reason) => {
                        self.refuse(key, format!("Blocked: {}", reason.text));
                    }
                    _ => drop(self.refusals.remove(&key)),
                }
            }
            EntryBody::ToolStarted(started) => {
                self.started.insert((entry.agent.clone(), started.call.clone()));
            }
            EntryBody::QuestionOpened(opened) => self.question_opened(&opened.question),
            EntryBody::QuestionClosed(closed) => {
                if let Some((key, questions)) = self.open.remove(&closed.question) {
                    self.question_closed(key, questions.as_deref(), &closed.answer);
                }
            }
            EntryBody::PlanReviewed(reviewed) => {
                if let Some((key, _)) = reviewed.question.and_then(|question| self.open.remove(&question)) {
                    self.refuse(key, "Plan sent back".to_owned());
                }
            }
            EntryBody::TurnEnded(_) if entry.agent.is_none() => *self = Self::default(),
            _ => {}
        }
    }

    /// A question is waiting for an answer.
    pub fn question_opened(&mut self, request: &HostRequest) {
        let questions = match &request.ask {
            HostAsk::Permission { .. } | HostAsk::EnterPlan { .. } | HostAsk::Review(_) => None,
            HostAsk::Choose { questions } => Some(questions.clone()),
            // Whatever the answer is, it is no answer to a call.
            _ => return,
        };
        if let Some(call) = &request.call {
            self.open.insert(request.id, ((request.agent.clone(), call.clone()), questions));
        }
    }

    fn question_closed(&mut self, key: CallKey, questions: Option<&[PersonQuestion]>, answer: &HostAnswer) {
        match questions {
            Some(questions) => drop(self.answers.insert(key, answer_text(questions, answer))),
            None => match refusal_text(answer, self.reasons.get(&key)) {
                Some(text) => self.refuse(key, text),
                None => drop(self.refusals.remove(&key)),
            },
        }
    }

    /// Why a call that has its result now was not simply allowed; `None` if it was.
    pub(crate) fn take_reason(&mut self, agent: Option<&AgentId>, call: &CallId) -> Option<Reason> {
        self.reasons.remove(&(agent.cloned(), call.clone()))
    }

    fn refuse(&mut self, key: CallKey, text: String) {
        self.refusals.insert(key, text);
    }

    /// What the user reads instead of this result; `None` if the result itself is right for them.
    pub fn take(
        &mut self,
        agent: Option<&AgentId>,
        call: Option<&ToolCall>,
        finished: &ToolFinished,
    ) -> Option<String> {
        let key = (agent.cloned(), finished.result.call.clone());
        let (refusal, answer) = (self.refusals.remove(&key), self.answers.remove(&key));
        let started = self.started.remove(&key);
        match finished.status {
            CallStatus::Ran => answer
                .or_else(|| call.and_then(|call| background_text(call, finished)))
                .or_else(|| without_fence_hints(&finished.result.text())),
            CallStatus::Denied => Some(refusal.unwrap_or_else(|| "Not run".to_owned())),
            CallStatus::Interrupted if started => Some("Interrupted; it may have run partway".to_owned()),
            CallStatus::Interrupted => Some("Interrupted before it ran".to_owned()),
            CallStatus::Invalid => None,
        }
    }
}

/// The line that says a command runs in the background. The rest of the result tells the model how to use it.
fn background_text(call: &ToolCall, finished: &ToolFinished) -> Option<String> {
    let started = call.input["run_in_background"] == true && !finished.result.is_error;
    started.then(|| finished.result.text().lines().next().unwrap_or_default().to_owned())
}

/// Why a call was not approved; `None` if it was.
fn refusal_text(answer: &HostAnswer, reason: Option<&Reason>) -> Option<String> {
    match answer {
        HostAnswer::Allow { .. } => None,
        HostAnswer::Deny { message: Some(words) } => Some(format!("Denied by you: {words}")),
        HostAnswer::Nobody => {
            let why = reason.map_or("it needs approval", |reason| reason.text.as_str());
            Some(format!("Blocked: {why}; no one is available to approve it"))
        }
        // Either nobody answered it, or it was decided without them.
        HostAnswer::Outdated | HostAnswer::Interrupted => Some("Not run".to_owned()),
        _ => Some("Denied by you".to_owned()),
    }
}

/// The answers to the model's questions.
fn answer_text(questions: &[PersonQuestion], answer: &HostAnswer) -> String {
    match answer {
        HostAnswer::Chosen { choices } => match questions {
            [_] => choices.iter().map(choice_text).collect(),
            questions => {
                let line = |(question, choice): (&PersonQuestion, &QuestionAnswer)| {
                    format!("{} {}", question.question, choice_text(choice))
                };
                questions.iter().zip(choices).map(line).collect::<Vec<_>>().join("\n")
            }
        },
        HostAnswer::Deny { message: Some(words) } => words.clone(),
        HostAnswer::Nobody => "Not answered: no one was available".to_owned(),
        _ => "Skipped".to_owned(),
    }
}

fn choice_text(choice: &QuestionAnswer) -> String {
    match choice {
        QuestionAnswer::Options(labels) if labels.is_empty() => "None of the options".to_owned(),
        QuestionAnswer::Options(labels) => labels.join(", "),
        QuestionAnswer::FreeText(words) => words.clone(),
        QuestionAnswer::Skipped => "Skipped".to_owned(),
    }
}
