//! Questions to a host, as `can_use_tool` requests, and what its responses mean.
//!
//! Only a clear yes to exactly what was asked is a yes. A response that is an error, cannot be read or contradicts
//! itself is a no, and says why.

use forelook_protocol::{
    Answer, Approval, Ask, Destination, Mode, PermissionUpdate, PlanAnswer, Question, QuestionId, Review,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::choices;
use super::outgoing::input_object;

/// The request that puts a question to the host. Its id is the question's.
pub(crate) fn request(question: &Question) -> Value {
    let (tool, input, suggestions) = match &question.ask {
        Ask::Permission { tool, input, reason } => {
            let rule = reason.would_allow.as_deref();
            let add = |destination| rule.and_then(|rule| PermissionUpdate::allow(rule, destination));
            let rules = [add(Destination::Session), add(Destination::LocalSettings)];
            (tool.as_str(), input_object(input), rules.into_iter().flatten().collect())
        }
        Ask::EnterPlan { .. } => ("EnterPlanMode", json!({}), Vec::new()),
        Ask::Review(review) => ("ExitPlanMode", review_input(review), modes(review)),
        Ask::Running { shells } => ("KeepRunning", json!({ "shells": shells }), Vec::new()),
        Ask::Choose { questions } => ("AskUserQuestion", json!({ "questions": questions }), Vec::new()),
    };
    let mut request = json!({
        "subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": question.call,
        "permission_suggestions": suggestions, "blocked_path": null,
    });
    if let Some(agent) = &question.agent {
        request["agent_id"] = json!(agent);
    }
    json!({"type": "control_request", "request_id": question.id, "request": request})
}

/// The line that takes a request back.
pub(crate) fn cancel(question: QuestionId) -> Value {
    json!({"type": "control_cancel_request", "request_id": question})
}

fn review_input(review: &Review) -> Value {
    let mut input = json!({"plan": shown(review), "planFilePath": review.path, "hash": review.hash});
    if let Some(rehearsal) = &review.rehearsal {
        input["rehearsal"] = json!(rehearsal);
    }
    input
}

fn shown(review: &Review) -> &str {
    review.plan.as_deref().unwrap_or_default()
}

/// The modes that an approval can name, in the form that an approval names them.
fn modes(review: &Review) -> Vec<PermissionUpdate> {
    let to = |&mode: &Mode| PermissionUpdate::SetMode { mode, destination: Destination::Session };
    review.modes.iter().map(to).collect()
}

/// What a host said.
#[derive(Debug, PartialEq)]
pub(crate) struct Said {
    /// The answer to the question.
    pub(crate) answer: Answer,
    /// Whether the turn is to be stopped too.
    pub(crate) interrupt: bool,
    /// What the host should know: something it said was not, or not wholly, followed.
    pub(crate) problem: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
enum Response {
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
pub(crate) fn read(question: &Question, response: Result<Value, String>) -> Said {
    let ask = &question.ask;
    let response = match response {
        Ok(response) => response,
        Err(error) => return refusal(ask, format!("The host could not answer: {error}")),
    };
    match serde_json::from_value(response) {
        Ok(Response::Allow { updated_input, updated_permissions }) => {
            match updates(updated_permissions.unwrap_or_default()) {
                Ok(updates) => allow(ask, &updated_input, updates),
                Err(error) => refusal(
                    ask,
                    format!(
                        "The host's `updatedPermissions` were not understood, so nothing was allowed: {error}"
                    ),
                ),
            }
        }
        Ok(Response::Deny { message, interrupt }) => {
            let answer = match (ask, message.filter(|message| !message.trim().is_empty())) {
                // What is said instead of an answer is for the model to read.
                (Ask::Choose { .. }, Some(words)) => Answer::Deny { message: Some(words) },
                (_, message) => no(ask, message),
            };
            Said { answer, interrupt: interrupt.unwrap_or(false), problem: None }
        }
        Err(error) => refusal(ask, format!("The host's answer was not understood: {error}")),
    }
}

/// A no to whatever was asked.
pub(crate) fn no(ask: &Ask, message: Option<String>) -> Answer {
    let message = message.filter(|message| !message.trim().is_empty());
    match ask {
        Ask::Permission { .. } | Ask::EnterPlan { .. } | Ask::Running { .. } => Answer::Deny { message },
        Ask::Review(_) => Answer::Plan(PlanAnswer::KeepPlanning { feedback: message, comments: Vec::new() }),
        Ask::Choose { .. } => Answer::Dismissed,
    }
}

/// A no that the host did not mean, told to both sides.
fn refusal(ask: &Ask, why: String) -> Said {
    Said { answer: no(ask, Some(why.clone())), interrupt: false, problem: Some(why) }
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

fn allow(ask: &Ask, input: &Value, updates: Vec<PermissionUpdate>) -> Said {
    let said = |answer| Said { answer, interrupt: false, problem: None };
    match ask {
        // What runs must be what was decided about and written down, so a changed input is not taken.
        Ask::Permission { input: asked, .. } if !input.is_null() && !same(input, &input_object(asked)) => {
            refusal(
                ask,
                "The host changed the input of this call, which is not supported; it did not run".to_owned(),
            )
        }
        Ask::Permission { .. } => said(Answer::Allow { updates }),
        Ask::EnterPlan { .. } | Ask::Running { .. } => {
            Said { problem: left_out(&updates), ..said(Answer::yes()) }
        }
        Ask::Review(review) => approve(ask, review, input, updates),
        // An answer is to what was shown, and to nothing that a host made of it.
        Ask::Choose { questions }
            if !input["questions"].is_null() && !same(&input["questions"], &json!(questions)) =>
        {
            refusal(ask, "The host answered other questions than the ones it was asked".to_owned())
        }
        Ask::Choose { questions } => {
            let answers = &input["answers"];
            let problem = choices::strays(questions, answers);
            Said { problem, ..said(choices::read(questions, answers)) }
        }
    }
}

fn approve(ask: &Ask, review: &Review, input: &Value, updates: Vec<PermissionUpdate>) -> Said {
    if input["hash"].as_str().is_some_and(|hash| hash != review.hash) {
        return refusal(ask, "The host approved another text than the one it was shown".to_owned());
    }
    let rehearsed = review.rehearsal.as_ref().map(|rehearsal| rehearsal.hash.as_str());
    let apply = match &input["apply"] {
        Value::Null | Value::Bool(false) => None,
        Value::String(hash) if rehearsed == Some(hash) => Some(hash.clone()),
        // Not even the plan is taken as approved: the two were meant together.
        _ => {
            let why = "The host's `apply` is not the hash of the rehearsal that it was shown, so nothing was approved";
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
    let edited = input["plan"].as_str().filter(|&plan| plan != shown(review));
    let approval = Approval {
        hash: review.hash.clone(),
        mode,
        edited: edited.map(str::to_owned),
        apply,
        ..Approval::default()
    };
    Said { answer: Answer::Plan(PlanAnswer::Approve(approval)), interrupt: false, problem: left_out(&others) }
}

fn left_out(updates: &[PermissionUpdate]) -> Option<String> {
    let text = "Only a change of mode can go with an approval; the other `updatedPermissions` were left out";
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
