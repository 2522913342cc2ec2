//! What a person asked to see about plans, as a line.

use forelook_protocol::{EditorState, PlanEditor, PlanReply, RehearsalApplied, SessionId};
use serde_json::{Value, json};

/// The line; `shown` says which kind it is, and the rest is its data.
pub(crate) fn line(uuid: impl ToString, session: SessionId, shown: &PlanReply) -> Value {
    of(uuid, session, data(shown))
}

/// The plan in the person's editor, in the same form. That it failed is told as a notice.
pub(crate) fn editor(uuid: impl ToString, session: SessionId, told: &PlanEditor) -> Option<Value> {
    let mut data = json!({"file_path": told.path, "editor": told.editor});
    let kind = match &told.state {
        EditorState::Opening { in_terminal } => {
            data["in_terminal"] = json!(in_terminal);
            "opening"
        }
        EditorState::Opened => "opened",
        EditorState::Failed { .. } => return None,
    };
    Some(of(uuid, session, (kind, data)))
}

fn of(uuid: impl ToString, session: SessionId, (kind, data): (&str, Value)) -> Value {
    let mut line = json!({
        "type": "system", "subtype": "plan", "uuid": uuid.to_string(), "session_id": session,
    });
    line["shown"] = json!(kind);
    if let (Some(line), Value::Object(data)) = (line.as_object_mut(), data) {
        line.extend(data);
    }
    line
}

/// What was made of a rehearsal, with the plan's approval.
pub(crate) fn applied(uuid: impl ToString, session: SessionId, applied: &RehearsalApplied) -> Value {
    let failed: Vec<Value> =
        applied.failed.iter().map(|(path, why)| json!({"file_path": path, "error": why})).collect();
    json!({
        "type": "system", "subtype": "rehearsal_applied", "uuid": uuid.to_string(), "session_id": session,
        "hash": applied.hash, "files": applied.files, "failed": failed,
    })
}

fn data(shown: &PlanReply) -> (&'static str, Value) {
    match shown {
        PlanReply::Entered { path } => ("entered", json!({"file_path": path})),
        PlanReply::Current { path, plan, problem, editor } => {
            let mut data = json!({"file_path": path, "plan": plan, "editor": editor});
            if let Some(problem) = problem {
                data["problem"] = json!(problem);
            }
            ("current", data)
        }
        PlanReply::Diff { from, to, diff } => ("diff", json!({"from": from, "to": to, "diff": diff})),
        PlanReply::History(revisions) => ("history", json!({"revisions": revisions})),
        PlanReply::Restored { revision, path } => {
            ("restored", json!({"revision": revision, "file_path": path}))
        }
        PlanReply::Rehearsal(rehearsal) => ("rehearsal", json!({"rehearsal": rehearsal})),
        PlanReply::List(plans) => ("list", json!({"plans": plans})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::AbsPath;

    #[test]
    fn a_line_says_its_kind_and_has_its_data() {
        let session: SessionId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let path = AbsPath::new("/p/a.md").unwrap();
        let shown = PlanReply::Current { path, plan: Some("# A".into()), problem: None, editor: None };
        insta::assert_snapshot!(line("u", session, &shown), @r##"{"type":"system","subtype":"plan","uuid":"u","session_id":"01890a5d-ac96-774b-bcce-b302099a8057","shown":"current","file_path":"/p/a.md","plan":"# A","editor":null}"##);
        let diff = PlanReply::Diff { from: Some(1), to: None, diff: "+a".into() };
        assert_eq!(line("u", session, &diff)["from"], 1);
        let empty = PlanReply::List(Vec::new());
        assert_eq!(line("u", session, &empty)["plans"], json!([]));
        let tried = PlanReply::Rehearsal(Some(Box::new(crate::testing::rehearsal())));
        assert_eq!(line("u", session, &tried)["rehearsal"]["hash"], "r1");
    }

    #[test]
    fn an_editor_is_told_of_in_the_same_form() {
        let session: SessionId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let told = |state| {
            editor("u", session, &PlanEditor { path: crate::testing::path(), editor: "vi".into(), state })
        };
        let opening = told(EditorState::Opening { in_terminal: true }).unwrap();
        assert_eq!((&opening["shown"], &opening["in_terminal"]), (&json!("opening"), &json!(true)));
        assert_eq!(told(EditorState::Opened).unwrap()["shown"], "opened");
        assert_eq!(told(EditorState::Failed { why: "x".into() }), None);
    }

    #[test]
    fn what_was_applied_names_every_file() {
        let session: SessionId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let path = |path: &str| AbsPath::new(path).unwrap();
        let done = RehearsalApplied {
            hash: "r1".into(),
            files: vec![path("/w/a")],
            failed: vec![(path("/w/b"), "gone".into())],
        };
        insta::assert_snapshot!(applied("u", session, &done), @r#"{"type":"system","subtype":"rehearsal_applied","uuid":"u","session_id":"01890a5d-ac96-774b-bcce-b302099a8057","hash":"r1","files":["/w/a"],"failed":[{"file_path":"/w/b","error":"gone"}]}"#);
    }
}
