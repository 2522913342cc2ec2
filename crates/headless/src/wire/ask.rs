//! Questions to a host, as control requests, and what its responses mean.
//!
//! Only a clear yes to exactly what was asked is a yes. A response that is an error, cannot be read or contradicts
//! itself is a no, and says why. To a review it is no answer: a plan is sent back only by somebody's word.

use forelook_protocol::{
    Destination, HostAnswer, HostAsk, HostRequest, Mode, PermissionUpdate, PlanReview, RequestId,
};
use forelook_view::question::{denial, suggestions};
use forelook_view::review::{AnswerDetails, PlanChoice, RehearsalChoice, ReviewState};
use serde::Deserialize;
use serde_json::{Value, json};

use super::outgoing::input_object;
use super::{choices, hooks};

/// The id of the request that puts a question to the host for the first, second… time: the question's, and later with a
/// number behind it.
pub(crate) fn wire_id(question: RequestId, times: u32) -> String {
    if times > 1 { format!("{question}-{times}") } else { question.to_string() }
}

/// The request that puts a question to the host; nothing for kinds that this front end never says it can answer. `why`: what
/// was wrong with the answer before.
pub(crate) fn request(question: &HostRequest, times: u32, why: Option<&str>) -> Option<Value> {
    let (tool, input) = match &question.ask {
        HostAsk::Permission { tool, input, .. } => (tool.as_str(), input_object(input)),
        HostAsk::EnterPlan { .. } => ("EnterPlanMode", json!({})),
        HostAsk::Review(review) => ("ExitPlanMode", review_input(review)),
        HostAsk::Running { shells } => ("KeepRunning", json!({ "shells": shells })),
        HostAsk::Choose { questions } => ("AskUserQuestion", json!({ "questions": questions })),
        HostAsk::Hook { callback, input } => return Some(hooks::request(question, callback, input)),
        HostAsk::ReadFile { .. }
        | HostAsk::WriteFile { .. }
        | HostAsk::RunCommand { .. }
        | HostAsk::Mcp { .. } => return None,
    };
    let mut request = json!({
        "subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": question.call,
        "permission_suggestions": suggestions(&question.ask), "blocked_path": null,
    });
    if let HostAsk::Permission { reason, .. } = &question.ask {
        request["decision_reason"] = json!(reason.text);
    }
    if let Some(why) = why {
        request["decision_reason"] = json!(why);
    }
    if let Some(agent) = &question.agent {
        request["agent_id"] = json!(agent);
    }
    let id = wire_id(question.id, times);
    Some(json!({"type": "control_request", "request_id": id, "request": request}))
}

/// The line that takes a request back.
pub(crate) fn cancel(id: &str) -> Value {
    json!({"type": "control_cancel_request", "request_id": id})
}

fn review_input(review: &PlanReview) -> Value {
    let mut input = json!({"plan": shown(review), "planFilePath": review.path, "hash": review.hash});
    if let Some(problem) = &review.problem {
        input["problem"] = json!(problem);
    }
    if let Some(rehearsal) = &review.rehearsal {
        input["rehearsal"] = json!(rehearsal);
    }
    input
}

fn shown(review: &PlanReview) -> &str {
    review.plan.as_deref().unwrap_or_default()
}

/// What a host said.
#[derive(Debug, PartialEq)]
pub(crate) struct HostReply {
    /// The answer to the question.
    pub(crate) answer: HostAnswer,
    /// Whether that is what stands for an answer that cannot be used: one to a review, which nobody answered.
    pub(crate) unusable: bool,
    /// Whether the turn is to be stopped too.
    pub(crate) interrupt: bool,
    /// What the host should know: something it said was not, or not wholly, followed.
    pub(crate) problem: Option<String>,
}

impl HostReply {
    /// Just this.
    fn of(answer: HostAnswer) -> Self {
        Self { answer, unusable: false, interrupt: false, problem: None }
    }
}

#[derive(Deserialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
enum PermissionResponse {
    #[serde(rename_all = "camelCase")]
    Allow {
        #[serde(default)]
        updated_input: Value,
        #[serde(default)]
        updated_permissions: Option<Vec<Value>>,
    },
    Deny {
        #[serde(default)]
        message: Option<String>,
        #[serde(default)]
        interrupt: Option<bool>,
    },
}

/// Reads the response to a question.
pub(crate) fn read(question: &HostRequest, response: Result<Value, String>) -> HostReply {
    let ask = &question.ask;
    if let HostAsk::Hook { .. } = ask {
        return HostReply::of(hooks::answer(response));
    }
    let response = match response {
        Ok(response) => response,
        Err(error) => return refusal(ask, format!("The host could not answer: {error}")),
    };
    match serde_json::from_value(response) {
        Ok(PermissionResponse::Allow { updated_input, updated_permissions }) => {
            let (values, unknown) = known_modes(ask, updated_permissions.unwrap_or_default());
            match updates(values) {
                Ok(updates) => {
                    let reply = allow(ask, &updated_input, updates);
                    HostReply { problem: reply.problem.or(unknown), ..reply }
                }
                Err(error) => refusal(
                    ask,
                    format!("Cannot parse the host's `updatedPermissions`, so nothing was allowed: {error}"),
                ),
            }
        }
        Ok(PermissionResponse::Deny { message, interrupt }) => {
            let answer = match (ask, message.filter(|message| !message.trim().is_empty())) {
                // What is said instead of an answer is for the model to read.
                (HostAsk::Choose { .. }, Some(words)) => HostAnswer::Deny { message: Some(words) },
                (_, message) => denial(ask, message.as_deref()),
            };
            HostReply { interrupt: interrupt.unwrap_or(false), ..HostReply::of(answer) }
        }
        Err(error) => refusal(ask, format!("Cannot parse the host's answer: {error}")),
    }
}

/// A no that the host did not mean, told to both sides. To a review it is no answer.
fn refusal(ask: &HostAsk, why: String) -> HostReply {
    let (answer, unusable) = match no_answer(ask) {
        Some(none) => (none, true),
        None => (denial(ask, Some(&why)), false),
    };
    HostReply { answer, unusable, interrupt: false, problem: Some(why) }
}

/// What stands for an answer that cannot be used, where that is nobody's no.
pub(crate) fn no_answer(ask: &HostAsk) -> Option<HostAnswer> {
    matches!(ask, HostAsk::Review(_)).then_some(HostAnswer::Dismissed)
}

/// An approval that names a mode that there is not is one all the same, and leads to `default`, like one that names a mode
/// that cannot be had. Also what the host should know of that.
fn known_modes(ask: &HostAsk, mut values: Vec<Value>) -> (Vec<Value>, Option<String>) {
    let mut unknown = None;
    if matches!(ask, HostAsk::Review(_)) {
        for value in values.iter_mut().filter(|value| value["type"] == "setMode") {
            if let Some(mode) = value["mode"].as_str().filter(|mode| mode.parse::<Mode>().is_err()) {
                unknown =
                    Some(format!("There is no mode `{mode}`, so work continues in `{}`", Mode::Default));
                value["mode"] = json!(Mode::Default);
            }
        }
    }
    (values, unknown)
}

fn updates(values: Vec<Value>) -> Result<Vec<PermissionUpdate>, serde_json::Error> {
    let update = |mut value: Value| {
        // Hosts leave it out when they mean "for now".
        if let Some(fields) = value.as_object_mut()
            && fields.get("destination").is_none_or(Value::is_null)
        {
            fields.insert("destination".to_owned(), json!(Destination::Session));
        }
        serde_json::from_value(value)
    };
    values.into_iter().map(update).collect()
}

fn allow(ask: &HostAsk, input: &Value, updates: Vec<PermissionUpdate>) -> HostReply {
    match ask {
        HostAsk::Permission { input: asked, .. } => {
            // What is given back as it was shown is no change, so nothing needs to be decided anew.
            let changed = !input.is_null() && !same(input, &input_object(asked));
            HostReply::of(HostAnswer::Allow { updates, input: changed.then(|| input.clone()) })
        }
        HostAsk::EnterPlan { .. } | HostAsk::Running { .. } => {
            HostReply { problem: left_out(&updates), ..HostReply::of(HostAnswer::yes()) }
        }
        HostAsk::Review(review) => approve(ask, review, input, updates),
        // An answer is to what was shown, and to nothing that a host made of it.
        HostAsk::Choose { questions }
            if !input["questions"].is_null() && !same(&input["questions"], &json!(questions)) =>
        {
            refusal(ask, "The host's answers do not match the questions it was asked".to_owned())
        }
        HostAsk::Choose { questions } => {
            let answers = &input["answers"];
            let problem = choices::strays(questions, answers);
            HostReply { problem, ..HostReply::of(choices::read(questions, answers)) }
        }
        _ => refusal(ask, "This request cannot be answered with yes or no".to_owned()),
    }
}

fn approve(ask: &HostAsk, review: &PlanReview, input: &Value, updates: Vec<PermissionUpdate>) -> HostReply {
    if input["hash"].as_str().is_some_and(|hash| hash != review.hash) {
        return refusal(ask, "The host approved a different text from the one it was shown".to_owned());
    }
    let rehearsed = review.rehearsal.as_ref().map(|rehearsal| rehearsal.hash.as_str());
    let rehearsal = match &input["apply"] {
        Value::Null | Value::Bool(false) => RehearsalChoice::Discard,
        Value::String(hash) if rehearsed == Some(hash) => match input["apply_protected"] {
            Value::Bool(true) => RehearsalChoice::ApplyAll,
            _ => RehearsalChoice::Apply,
        },
        // Not even the plan is taken as approved: the two were meant together.
        _ => {
            let why =
                "The host's `apply` is not the hash of the rehearsal it was shown, so nothing was approved";
            return refusal(ask, why.to_owned());
        }
    };
    let mut mode = None;
    let mut others = Vec::new();
    for update in updates {
        match update {
            PermissionUpdate::SetMode { mode: to, .. } => mode = Some(to),
            other => others.push(other),
        }
    }
    let mut state = ReviewState::new(review, None, None);
    if let Some(plan) = input["plan"].as_str() {
        state.changed(plan);
    }
    let yes = PlanChoice::Approve(state.approval_mode(mode));
    let answer = state.host_answer(yes, &AnswerDetails { rehearsal, ..AnswerDetails::default() });
    HostReply { problem: left_out(&others), ..HostReply::of(answer) }
}

fn left_out(updates: &[PermissionUpdate]) -> Option<String> {
    let text = "An approval can only change the mode; the other `updatedPermissions` were ignored";
    (!updates.is_empty()).then(|| text.to_owned())
}

/// Whether two inputs are the same. Numbers go by value: on their way through a host `1.0` may become `1`.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests;
