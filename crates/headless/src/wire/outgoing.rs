//! Lines that we send.

use std::collections::BTreeMap;

use forelook_protocol::{
    AnswerBlock, CallId, Cost, EndReason, Entry, FailureKind, ModelAnswered, ModelInfo, ModelUsage,
    ResultBlock, SessionId, Status, StopReason, ToolCall, ToolFinished, TurnEnded, TurnId, Usage,
};
use forelook_wording::{NO_ANSWER, answer_limit};
use serde_json::{Value, json};

use super::models;

/// The version that hosts read to see what we can do. They want three numbers, and at least 2.0.0.
const ADVERTISED_VERSION: &str = "2.1.0";

/// The call that started the agent whose line it is; nothing for the main agent.
pub(crate) type Parent<'a> = Option<&'a CallId>;

/// The greeting of a turn.
pub(crate) fn init(uuid: impl ToString, status: &Status) -> Value {
    let agents: Vec<&str> = status.agents.iter().map(|it| it.name.as_str()).collect();
    json!({
        "type": "system", "subtype": "init",
        "uuid": uuid.to_string(), "session_id": status.session,
        "apiKeySource": "none", "claude_code_version": ADVERTISED_VERSION,
        "cwd": status.folder.as_path().to_string_lossy(), "tools": status.tools, "mcp_servers": [],
        "model": status.model, "permissionMode": status.mode,
        "slash_commands": ["plan"], "output_style": "default",
        "skills": [], "plugins": [], "agents": agents, "capabilities": [],
    })
}

/// An answer of the model.
pub(crate) fn assistant(
    entry: &Entry,
    session: SessionId,
    parent: Parent<'_>,
    answered: &ModelAnswered,
) -> Value {
    json!({
        "type": "assistant", "uuid": entry.id, "session_id": session, "parent_tool_use_id": parent,
        "message": {
            "id": answered.message, "type": "message", "role": "assistant", "model": answered.model,
            "content": answered.blocks.iter().filter_map(block).collect::<Vec<_>>(),
            "stop_reason": stop_reason(answered.stop), "stop_sequence": null, "usage": answered.usage,
        },
    })
}

/// What is sealed means nothing to a host.
fn block(block: &AnswerBlock) -> Option<Value> {
    Some(match block {
        AnswerBlock::Opaque { .. } => return None,
        AnswerBlock::Text { text } => json!({"type": "text", "text": text}),
        AnswerBlock::Thinking { thinking, signature } => {
            json!({"type": "thinking", "thinking": thinking, "signature": signature})
        }
        AnswerBlock::ToolUse(call) => json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": input_object(&call.input),
        }),
    })
}

/// Hosts expect an object; input that was no JSON is shown under a name of its own.
pub(crate) fn input_object(input: &Value) -> Value {
    if input.is_object() { input.clone() } else { json!({ "invalid_input": input }) }
}

/// The result of a call.
pub(crate) fn tool_result(
    entry: &Entry,
    session: SessionId,
    parent: Parent<'_>,
    finished: &ToolFinished,
) -> Value {
    let content: Vec<Value> = finished
        .result
        .content
        .iter()
        .map(|part| match part {
            ResultBlock::Text { text } => json!({"type": "text", "text": text}),
            ResultBlock::Image { media_type, data } => json!({
                "type": "image", "source": {"type": "base64", "media_type": media_type, "data": data},
            }),
        })
        .collect();
    let mut line = json!({
        "type": "user", "uuid": entry.id, "session_id": session, "parent_tool_use_id": parent,
        "message": {"role": "user", "content": [{
            "type": "tool_result", "tool_use_id": finished.result.call,
            "content": content, "is_error": finished.result.is_error,
        }]},
    });
    if let Some(output) = &finished.output {
        line["tool_use_result"] = output.clone();
    }
    line
}

/// How long a call has been running.
pub(crate) fn tool_progress(
    (uuid, session): (impl ToString, SessionId),
    parent: Parent<'_>,
    (call, tool): (&CallId, &str),
    elapsed_ms: u64,
) -> Value {
    json!({
        "type": "tool_progress", "tool_use_id": call, "tool_name": tool, "parent_tool_use_id": parent,
        "elapsed_time_seconds": elapsed_ms / 1000, "uuid": uuid.to_string(), "session_id": session,
    })
}

/// What a whole turn came to.
pub(crate) struct TurnOutcome<'a> {
    pub(crate) session: SessionId,
    pub(crate) ended: &'a TurnEnded,
    /// The model's last words, or the plan if that is what was wanted.
    pub(crate) words: &'a str,
    pub(crate) denials: &'a [ToolCall],
    /// Whether calls were running when it was interrupted.
    pub(crate) interrupted_calls: bool,
    /// What the session has used so far.
    pub(crate) spent: &'a BTreeMap<String, ModelUsage>,
    /// What is known of models, as far as anybody has asked.
    pub(crate) models: &'a [ModelInfo],
}

/// The line that ends a turn.
pub(crate) fn result(uuid: impl ToString, outcome: &TurnOutcome<'_>) -> Value {
    let ended = outcome.ended;
    let (subtype, is_error, terminal) = kind(&ended.reason, outcome.interrupted_calls);
    let mut line = json!({
        "type": "result", "subtype": subtype, "is_error": is_error,
        "duration_ms": ended.took_ms, "duration_api_ms": ended.model_ms, "num_turns": ended.answers,
        "session_id": outcome.session, "total_cost_usd": models::total(outcome.spent),
        "usage": ended.usage, "modelUsage": models::usage(outcome.spent, outcome.models),
        "permission_denials": outcome.denials.iter().map(|call| json!({
            "tool_name": call.name, "tool_use_id": call.id, "tool_input": call.input,
        })).collect::<Vec<_>>(),
        "stop_reason": null, "terminal_reason": terminal, "uuid": uuid.to_string(),
    });
    let text = explain(&ended.reason);
    if subtype == "success" {
        line["result"] = json!(text.as_deref().unwrap_or(outcome.words));
        line["stop_reason"] = json!(final_stop(&ended.reason));
    } else {
        line["errors"] = json!([text]);
    }
    if matches!(ended.reason, EndReason::MaxTokens | EndReason::Refusal) {
        // What there is of the answer is worth having.
        line["result"] = json!(outcome.words);
        line["stop_reason"] = json!(final_stop(&ended.reason));
    }
    match &ended.reason {
        EndReason::Planned { path, hash } => line["plan"] = json!({"file_path": path, "hash": hash}),
        EndReason::Provider { failure } => line["api_error_status"] = json!(failure.status),
        _ => {}
    }
    line
}

fn kind(reason: &EndReason, interrupted_calls: bool) -> (&'static str, bool, &'static str) {
    match reason {
        EndReason::Done | EndReason::Planned { .. } | EndReason::Parked | EndReason::Abandoned => {
            ("success", false, "completed")
        }
        EndReason::Refusal => ("error_during_execution", true, "refusal"),
        EndReason::MaxTokens => ("error_during_execution", true, "max_tokens"),
        EndReason::Empty => ("error_during_execution", true, "empty_answer"),
        EndReason::NoPlan { .. } => ("error_during_execution", true, "no_plan"),
        EndReason::Stuck { .. } => ("error_during_execution", true, "stuck"),
        EndReason::MaxTurns { .. } => ("error_max_turns", true, "max_turns"),
        EndReason::Interrupted if interrupted_calls => ("error_during_execution", true, "aborted_tools"),
        EndReason::Interrupted => ("error_during_execution", true, "aborted_streaming"),
        EndReason::Provider { failure } if failure.kind == FailureKind::ContextOverflow => {
            ("success", true, "prompt_too_long")
        }
        EndReason::Provider { .. } => ("success", true, "api_error"),
        EndReason::Hook { .. } => ("error_during_execution", true, "hook_stopped"),
        EndReason::Internal { .. } => ("error_during_execution", true, "internal_error"),
    }
}

fn final_stop(reason: &EndReason) -> Option<&'static str> {
    match reason {
        EndReason::Done | EndReason::Planned { .. } | EndReason::Parked | EndReason::Abandoned => {
            Some("end_turn")
        }
        EndReason::MaxTokens => Some("max_tokens"),
        EndReason::Refusal => Some("refusal"),
        _ => None,
    }
}

/// Why a turn did not simply end, in words.
pub(crate) fn explain(reason: &EndReason) -> Option<String> {
    match reason {
        EndReason::Done | EndReason::Planned { .. } | EndReason::Parked | EndReason::Abandoned => None,
        EndReason::Refusal => Some(
            "The model or its provider declined to answer. Rephrase the prompt, or try another model".to_owned(),
        ),
        EndReason::MaxTokens => Some(
            "The answer reached the model's output limit and was cut off. To get the rest, send the prompt `continue`"
                .to_owned(),
        ),
        EndReason::Empty => {
            Some(format!("{NO_ANSWER}. Send the prompt again, or try another model"))
        }
        EndReason::NoPlan { message } | EndReason::Stuck { message } => Some(message.clone()),
        EndReason::MaxTurns { limit } => {
            Some(format!(
                "Stopped after {} (`--max-turns`, or `model.maxAnswersPerTurn` in settings). Continue with `--continue`",
                answer_limit(*limit)
            ))
        }
        EndReason::Interrupted => Some("Interrupted".to_owned()),
        EndReason::Provider { failure } => Some(match &failure.hint {
            Some(hint) => format!("{}\n{hint}", failure.message),
            None => failure.message.clone(),
        }),
        EndReason::Hook { message } => Some(format!("Stopped by a hook: {message}")),
        EndReason::Internal { message } => Some(message.clone()),
    }
}

/// A turn whose end could not be written down.
pub(crate) fn unrecorded(turn: TurnId, reason: &EndReason) -> TurnEnded {
    TurnEnded {
        turn,
        reason: reason.clone(),
        answers: 0,
        usage: Usage::default(),
        cost: Cost::default(),
        took_ms: 0,
        model_ms: 0,
    }
}

/// The name that hosts know a reason by.
pub(crate) fn stop_reason(stop: StopReason) -> Option<&'static str> {
    match stop {
        StopReason::EndTurn => Some("end_turn"),
        StopReason::ToolUse => Some("tool_use"),
        StopReason::MaxTokens => Some("max_tokens"),
        StopReason::Refusal => Some("refusal"),
        StopReason::Paused => Some("pause_turn"),
        StopReason::WindowFull => Some("model_context_window_exceeded"),
        StopReason::Interrupted => None,
    }
}

/// Something a person should know.
pub(crate) fn notice(uuid: impl ToString, session: SessionId, notice: &forelook_protocol::Notice) -> Value {
    json!({
        "type": "system", "subtype": "notice", "uuid": uuid.to_string(), "session_id": session,
        "level": notice.level, "text": notice.text,
    })
}

/// The answer to a control request, with the id that it came with.
pub(crate) fn control_response(id: &Value, response: Result<Value, String>) -> Value {
    match response {
        Ok(response) => json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": id, "response": response},
        }),
        Err(error) => json!({
            "type": "control_response",
            "response": {"subtype": "error", "request_id": id, "error": error},
        }),
    }
}

/// What a host is told when it greets us. Hosts rely on their hooks only where they are told that they are called.
pub(crate) fn greeting(models: &[ModelInfo]) -> Value {
    json!({
        "commands": [{
            "name": "plan", "description": "Plan before changing anything, or show the plan",
            "argumentHint": "[task | open | review | diff | history | restore N | rehearsal | list]",
        }],
        "agents": [], "output_style": "default", "available_output_styles": ["default"],
        "models": models::choices(models), "account": {},
        "hooks_applied": true, "hook_on_failure_supported": true,
    })
}
