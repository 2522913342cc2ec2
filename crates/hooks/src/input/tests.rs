//! The JSON of every event, and what its matchers are held against.

use forelook_protocol::CompactTrigger;
use serde_json::json;

use super::*;

#[test]
fn every_event_is_told_as_documented() {
    let (session, call_id, agent) =
        (SessionId(uuid::Uuid::nil()), CallId("toolu_1".into()), AgentId("a1".into()));
    let path = |text: &str| AbsPath::new(text).unwrap();
    let (transcript, cwd) = (path("/t.jsonl"), path("/w"));
    let (input, response) = (json!({"command": "ls"}), json!("a\nb"));
    let call = HookToolCall { tool_name: "Bash", tool_input: &input, tool_use_id: &call_id };
    let tool = |more: Value| {
        let mut all = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let kinds = [
        (HookEvent::PreToolUse, HookPayload::PreToolUse(call), Some("Bash"), tool(json!({}))),
        (
            HookEvent::PostToolUse,
            HookPayload::PostToolUse { call, tool_response: &response },
            Some("Bash"),
            tool(json!({"tool_response": "a\nb"})),
        ),
        (
            HookEvent::PostToolUseFailure,
            HookPayload::PostToolUseFailure { call, error: "no" },
            Some("Bash"),
            tool(json!({"error": "no"})),
        ),
        (HookEvent::PermissionRequest, HookPayload::PermissionRequest(call), Some("Bash"), tool(json!({}))),
        (
            HookEvent::PermissionDenied,
            HookPayload::PermissionDenied { call, reason: "rule" },
            Some("Bash"),
            tool(json!({"reason": "rule"})),
        ),
        (
            HookEvent::UserPromptSubmit,
            HookPayload::UserPromptSubmit { prompt: "hi" },
            None,
            json!({"prompt": "hi"}),
        ),
        (
            HookEvent::SessionStart,
            HookPayload::SessionStart { source: SessionSource::Fork },
            Some("fork"),
            json!({"source": "fork"}),
        ),
        (
            HookEvent::SessionEnd,
            HookPayload::SessionEnd { reason: "exit" },
            Some("exit"),
            json!({"reason": "exit"}),
        ),
        (
            HookEvent::Stop,
            HookPayload::Stop { stop_hook_active: true },
            None,
            json!({"stop_hook_active": true}),
        ),
        (HookEvent::SubagentStart, HookPayload::SubagentStart, Some("Explore"), json!({})),
        (
            HookEvent::SubagentStop,
            HookPayload::SubagentStop { stop_hook_active: false },
            Some("Explore"),
            json!({"stop_hook_active": false}),
        ),
        (
            HookEvent::PreCompact,
            HookPayload::PreCompact { trigger: CompactTrigger::Manual, custom_instructions: "keep" },
            Some("manual"),
            json!({"trigger": "manual", "custom_instructions": "keep"}),
        ),
        (
            HookEvent::PostCompact,
            HookPayload::PostCompact { trigger: CompactTrigger::Auto, compact_summary: "s" },
            Some("auto"),
            json!({"trigger": "auto", "compact_summary": "s"}),
        ),
        (
            HookEvent::Notification,
            HookPayload::Notification { message: "m", notification_type: None },
            None,
            json!({"message": "m"}),
        ),
        (
            HookEvent::ModeChanged,
            HookPayload::ModeChanged { from: Mode::Plan, to: Mode::AcceptEdits, why: "approved" },
            Some("acceptEdits"),
            json!({"from": "plan", "to": "acceptEdits", "why": "approved"}),
        ),
        (
            HookEvent::PlanReviewed,
            HookPayload::PlanReviewed {
                verdict: PlanVerdict::Rejected,
                plan: "# P",
                plan_hash: "ab",
                by: "person",
            },
            Some("rejected"),
            json!({"verdict": "rejected", "plan": "# P", "plan_hash": "ab", "by": "person"}),
        ),
    ];
    assert!(kinds.iter().map(|(event, ..)| *event).eq(HookEvent::ALL));
    for (event, payload, subject, own) in kinds {
        let agent = Some(HookAgent { agent_id: &agent, agent_type: "Explore" });
        let context = HookContext {
            session_id: session,
            transcript_path: &transcript,
            cwd: &cwd,
            permission_mode: Mode::DontAsk,
            agent,
        };
        let mut expected = json!({
            "session_id": session.to_string(), "transcript_path": "/t.jsonl", "cwd": "/w",
            "permission_mode": "dontAsk", "agent_id": "a1", "agent_type": "Explore",
            "hook_event_name": event.name(),
        });
        expected.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        let input = HookInput { context, payload };
        assert_eq!(serde_json::to_value(&input).unwrap(), expected);
        assert_eq!((input.event(), input.subject()), (event, subject));
    }
}

#[test]
fn outside_of_subagents_nothing_is_said_of_one_and_odd_paths_are_text() {
    use std::os::unix::ffi::OsStrExt;
    let odd = AbsPath::new(std::ffi::OsStr::from_bytes(b"/w\xff")).unwrap();
    let context = HookContext {
        session_id: SessionId(uuid::Uuid::nil()),
        transcript_path: &odd,
        cwd: &odd,
        permission_mode: Mode::Default,
        agent: None,
    };
    let value =
        serde_json::to_value(HookInput { context, payload: HookPayload::Stop { stop_hook_active: false } })
            .unwrap();
    assert_eq!(value["cwd"], "/w\u{fffd}");
    assert_eq!(value.get("agent_id"), None);
}
