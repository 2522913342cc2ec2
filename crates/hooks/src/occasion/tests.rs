//! The JSON of every event, and what its matchers are held against.

use serde_json::json;

use super::*;

#[test]
fn every_event_is_told_as_documented() {
    let (session, call_id, agent) =
        (SessionId(uuid::Uuid::nil()), CallId("toolu_1".into()), AgentId("a1".into()));
    let path = |text: &str| AbsPath::new(text).unwrap();
    let (transcript, cwd) = (path("/t.jsonl"), path("/w"));
    let (input, response) = (json!({"command": "ls"}), json!("a\nb"));
    let call = Call { tool_name: "Bash", tool_input: &input, tool_use_id: &call_id };
    let tool = |more: Value| {
        let mut all = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let kinds = [
        (HookEvent::PreToolUse, Happening::PreToolUse(call), Some("Bash"), tool(json!({}))),
        (
            HookEvent::PostToolUse,
            Happening::PostToolUse { call, tool_response: &response },
            Some("Bash"),
            tool(json!({"tool_response": "a\nb"})),
        ),
        (
            HookEvent::PostToolUseFailure,
            Happening::PostToolUseFailure { call, error: "no" },
            Some("Bash"),
            tool(json!({"error": "no"})),
        ),
        (HookEvent::PermissionRequest, Happening::PermissionRequest(call), Some("Bash"), tool(json!({}))),
        (
            HookEvent::PermissionDenied,
            Happening::PermissionDenied { call, reason: "rule" },
            Some("Bash"),
            tool(json!({"reason": "rule"})),
        ),
        (
            HookEvent::UserPromptSubmit,
            Happening::UserPromptSubmit { prompt: "hi" },
            None,
            json!({"prompt": "hi"}),
        ),
        (
            HookEvent::SessionStart,
            Happening::SessionStart { source: Begin::Fork },
            Some("fork"),
            json!({"source": "fork"}),
        ),
        (
            HookEvent::SessionEnd,
            Happening::SessionEnd { reason: "exit" },
            Some("exit"),
            json!({"reason": "exit"}),
        ),
        (
            HookEvent::Stop,
            Happening::Stop { stop_hook_active: true },
            None,
            json!({"stop_hook_active": true}),
        ),
        (HookEvent::SubagentStart, Happening::SubagentStart, Some("Explore"), json!({})),
        (
            HookEvent::SubagentStop,
            Happening::SubagentStop { stop_hook_active: false },
            Some("Explore"),
            json!({"stop_hook_active": false}),
        ),
        (
            HookEvent::PreCompact,
            Happening::PreCompact { trigger: Trigger::Manual, custom_instructions: "keep" },
            Some("manual"),
            json!({"trigger": "manual", "custom_instructions": "keep"}),
        ),
        (
            HookEvent::PostCompact,
            Happening::PostCompact { trigger: Trigger::Auto, compact_summary: "s" },
            Some("auto"),
            json!({"trigger": "auto", "compact_summary": "s"}),
        ),
        (
            HookEvent::Notification,
            Happening::Notification { message: "m", notification_type: None },
            None,
            json!({"message": "m"}),
        ),
        (
            HookEvent::ModeChanged,
            Happening::ModeChanged { from: Mode::Plan, to: Mode::AcceptEdits, why: "approved" },
            Some("acceptEdits"),
            json!({"from": "plan", "to": "acceptEdits", "why": "approved"}),
        ),
        (
            HookEvent::PlanReviewed,
            Happening::PlanReviewed { verdict: Review::Rejected, plan: "# P", plan_hash: "ab", by: "person" },
            Some("rejected"),
            json!({"verdict": "rejected", "plan": "# P", "plan_hash": "ab", "by": "person"}),
        ),
    ];
    assert!(kinds.iter().map(|(event, ..)| *event).eq(HookEvent::ALL));
    for (event, happening, subject, own) in kinds {
        let inside = Some(Inside { agent_id: &agent, agent_type: "Explore" });
        let scene = Scene {
            session_id: session,
            transcript_path: &transcript,
            cwd: &cwd,
            permission_mode: Mode::DontAsk,
            inside,
        };
        let mut expected = json!({
            "session_id": session.to_string(), "transcript_path": "/t.jsonl", "cwd": "/w",
            "permission_mode": "dontAsk", "agent_id": "a1", "agent_type": "Explore",
            "hook_event_name": event.name(),
        });
        expected.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        let occasion = Occasion { scene, happening };
        assert_eq!(serde_json::to_value(&occasion).unwrap(), expected);
        assert_eq!((occasion.event(), occasion.subject()), (event, subject));
    }
}

#[test]
fn outside_of_subagents_nothing_is_said_of_one_and_odd_paths_are_text() {
    use std::os::unix::ffi::OsStrExt;
    let odd = AbsPath::new(std::ffi::OsStr::from_bytes(b"/w\xff")).unwrap();
    let scene = Scene {
        session_id: SessionId(uuid::Uuid::nil()),
        transcript_path: &odd,
        cwd: &odd,
        permission_mode: Mode::Default,
        inside: None,
    };
    let value =
        serde_json::to_value(Occasion { scene, happening: Happening::Stop { stop_hook_active: false } })
            .unwrap();
    assert_eq!(value["cwd"], "/w\u{fffd}");
    assert_eq!(value.get("agent_id"), None);
}
