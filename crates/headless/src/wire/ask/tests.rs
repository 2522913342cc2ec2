//! Every question as a request, every response as an answer.

use super::*;
use crate::testing::{path, question, review};
use forelook_protocol::{
    AgentId, DecisionStep, PersonOption, PersonQuestion, PlanAnswer, QuestionAnswer, Reason,
};

fn permission(input: Value) -> HostAsk {
    let suggested_rules = vec!["Bash(ls)".into()];
    let reason = Reason { suggested_rules, ..Reason::new(DecisionStep::Fallback, "x") };
    HostAsk::Permission { tool: "Bash".into(), input, reason, change: None }
}

fn choose() -> HostAsk {
    let option =
        |label: &str| PersonOption { label: label.into(), description: String::new(), preview: None };
    let questions = vec![PersonQuestion {
        question: "Which?".into(),
        header: "Which".into(),
        options: vec![option("A"), option("B")],
        multi_select: false,
    }];
    HostAsk::Choose { questions }
}

/// A host's answers beside the questions as it was asked them.
fn answered(ask: &HostAsk, answers: Value) -> Value {
    let mut input = request(&question(1, ask.clone()), 1, None).unwrap()["request"]["input"].clone();
    input["answers"] = answers;
    json!({"behavior": "allow", "updatedInput": input})
}

#[test]
fn an_answer_is_to_what_was_asked() {
    let HostAsk::Choose { questions } = choose() else { panic!() };
    let mut other = questions.clone();
    other[0].options[1].label = "C".into();
    let said = read(
        &question(1, choose()),
        Ok(answered(&HostAsk::Choose { questions: other }, json!({"Which?": "C"}))),
    );
    assert_eq!(said.answer, HostAnswer::Dismissed);
    assert!(said.problem.unwrap().contains("do not match the questions"));
    // What belongs to no question is not lost in silence; the rest counts.
    let said = read(&question(1, choose()), Ok(answered(&choose(), json!({"Which?": "B", "Why?": "so"}))));
    assert_eq!(said.answer, HostAnswer::Chosen { choices: vec![QuestionAnswer::Options(vec!["B".into()])] });
    assert!(said.problem.unwrap().contains("`Why?`"));
}

#[test]
fn questions_as_hosts_see_them() {
    let mut asked = question(2, HostAsk::EnterPlan { path: path() });
    asked.agent = Some(AgentId("a1".into()));
    let all = [
        question(1, permission(json!({"command": "ls"}))),
        asked,
        question(3, HostAsk::Review(Box::new(review()))),
        question(4, choose()),
    ];
    let lines: Vec<String> =
        all.iter().map(|question| request(question, 1, None).unwrap().to_string()).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn responses_become_answers() {
    let ls = || permission(json!({"command": "ls", "timeout": 1.0}));
    let enter = || HostAsk::EnterPlan { path: path() };
    let deny = |message: &str| HostAnswer::Deny { message: Some(message.into()) };
    let chosen = HostAnswer::Chosen { choices: vec![QuestionAnswer::Options(vec!["B".into()])] };
    for (ask, response, expected) in [
        (ls(), json!({"behavior": "allow"}), HostAnswer::yes()),
        (
            ls(),
            json!({"behavior": "allow", "updatedInput": null, "updatedPermissions": null}),
            HostAnswer::yes(),
        ),
        (
            ls(),
            json!({"behavior": "allow", "updatedInput": {"timeout": 1, "command": "ls"}}),
            HostAnswer::yes(),
        ),
        (ls(), json!({"behavior": "deny", "message": "no"}), deny("no")),
        (ls(), json!({"behavior": "deny", "message": " "}), HostAnswer::Deny { message: None }),
        (ls(), json!({"behavior": "deny"}), HostAnswer::Deny { message: None }),
        (
            permission(json!("not an object")),
            json!({"behavior": "allow", "updatedInput": {"invalid_input": "not an object"}}),
            HostAnswer::yes(),
        ),
        (enter(), json!({"behavior": "allow", "updatedInput": {}}), HostAnswer::yes()),
        (enter(), json!({"behavior": "deny", "message": "just do it"}), deny("just do it")),
        (
            choose(),
            json!({"behavior": "allow", "updatedInput": {"answers": {"Which?": "B"}}}),
            chosen.clone(),
        ),
        (choose(), answered(&choose(), json!({"Which?": "B"})), chosen),
        (choose(), json!({"behavior": "allow", "updatedInput": {}}), HostAnswer::Dismissed),
        (choose(), json!({"behavior": "deny", "message": "let us talk"}), deny("let us talk")),
        (choose(), json!({"behavior": "deny", "message": " "}), HostAnswer::Dismissed),
    ] {
        let said = read(&question(1, ask), Ok(response.clone()));
        assert_eq!(said, HostReply::of(expected), "{response}");
    }
}

#[test]
fn a_changed_input_is_for_the_session_to_decide_on() {
    let ask = || permission(json!({"command": "ls", "timeout": 1.0}));
    for changed in [json!({"command": "rm"}), json!({"command": "ls", "timeout": 1, "more": 1}), json!({})] {
        let said = read(&question(1, ask()), Ok(json!({"behavior": "allow", "updatedInput": changed})));
        let answer = HostAnswer::Allow { updates: Vec::new(), input: Some(changed) };
        assert_eq!(said, HostReply::of(answer));
    }
}

#[test]
fn kinds_that_are_no_hosts_are_not_asked() {
    let ask = HostAsk::Mcp { server: "calc".into(), message: json!({}) };
    assert_eq!(request(&question(1, ask.clone()), 1, None), None);
    let said = read(&question(1, ask), Ok(json!({"behavior": "allow"})));
    assert!(matches!(said.answer, HostAnswer::Failed { .. }), "{said:?}");
}

#[test]
fn what_is_no_clear_yes_is_a_no_that_says_why() {
    let ls = || permission(json!({"command": "ls"}));
    for (ask, response) in [
        (ls(), Err("boom".to_owned())),
        (ls(), Ok(json!({}))),
        (ls(), Ok(json!("allow"))),
        (ls(), Ok(json!({"behavior": "Allow"}))),
        (ls(), Ok(json!({"behavior": "allow", "updatedPermissions": [{"type": "addRules", "rules": []}]}))),
    ] {
        let said = read(&question(1, ask), response.clone());
        assert!(matches!(said.answer, HostAnswer::Deny { message: Some(_) }), "{response:?} gave {said:?}");
        assert!(said.problem.is_some(), "{response:?}");
    }
    assert_eq!(read(&question(1, choose()), Err("boom".into())).answer, HostAnswer::Dismissed);
}

#[test]
fn a_rehearsal_is_applied_by_its_hash_alone() {
    let rehearsal = Some(Box::new(crate::testing::rehearsal()));
    let ask = || HostAsk::Review(Box::new(PlanReview { rehearsal: rehearsal.clone(), ..review() }));
    let shown = request(&question(1, ask()), 1, None).unwrap()["request"]["input"]["rehearsal"].clone();
    assert_eq!((&shown["hash"], &shown["files"][1]["change"]), (&json!("r1"), &json!("added")));
    let said = |apply: Value| {
        read(&question(1, ask()), Ok(json!({"behavior": "allow", "updatedInput": {"apply": apply}}))).answer
    };
    for (apply, expected) in [
        (json!(null), Some(None)),
        (json!(false), Some(None)),
        (json!("r1"), Some(Some("r1".to_owned()))),
        (json!("r2"), None),
        (json!(true), None),
    ] {
        let approved = match said(apply.clone()) {
            HostAnswer::Plan(PlanAnswer::Approve(approval)) => Some(approval.apply),
            _ => None,
        };
        assert_eq!(approved, expected, "{apply}");
    }
    for (protected, expected) in [(json!(true), true), (json!("yes"), false), (json!(null), false)] {
        let input = json!({"apply": "r1", "apply_protected": protected});
        let said = read(&question(1, ask()), Ok(json!({"behavior": "allow", "updatedInput": input}))).answer;
        let HostAnswer::Plan(PlanAnswer::Approve(approval)) = said else { panic!("{said:?}") };
        assert_eq!(approval.apply_protected, expected, "{protected}");
    }
    let nothing = json!({"behavior": "allow", "updatedInput": {"apply": "r1"}});
    let said = read(&question(1, HostAsk::Review(Box::new(review()))), Ok(nothing));
    assert!(said.unusable && said.answer == HostAnswer::Dismissed, "{said:?}");
}

#[test]
fn what_runs_from_before_is_kept_by_an_allow_alone() {
    let shell = forelook_protocol::RunningShell { id: Some("shell_1".into()), command: "npm run dev".into() };
    let ask = || question(1, HostAsk::Running { shells: vec![shell.clone()] });
    let asked = request(&ask(), 1, None).unwrap()["request"].clone();
    assert_eq!(asked["tool_name"], "KeepRunning");
    assert_eq!(asked["input"]["shells"], json!([{"id": "shell_1", "command": "npm run dev"}]));
    assert_eq!(read(&ask(), Ok(json!({"behavior": "allow"}))).answer, HostAnswer::yes());
    for response in [Ok(json!({"behavior": "deny", "message": "what is that?"})), Err("unknown tool".into())]
    {
        assert!(matches!(read(&ask(), response).answer, HostAnswer::Deny { .. }));
    }
}

#[test]
fn rules_without_a_place_are_for_the_session() {
    let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": null}], "behavior": "allow", "destination": null});
    let said = read(
        &question(1, permission(json!({}))),
        Ok(json!({"behavior": "allow", "updatedPermissions": [rule]})),
    );
    let HostAnswer::Allow { updates, .. } = said.answer else { panic!("{said:?}") };
    assert_eq!(updates[0].destination(), Destination::Session);
}

#[test]
fn rules_cannot_go_with_the_approval_of_a_plan() {
    let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "allow", "destination": "session"});
    let said = read(
        &question(1, HostAsk::Review(Box::new(review()))),
        Ok(json!({"behavior": "allow", "updatedPermissions": [rule]})),
    );
    assert!(matches!(said.answer, HostAnswer::Plan(PlanAnswer::Approve(_))));
    assert!(said.problem.unwrap().contains("were ignored"));
}

#[test]
fn a_review_is_answered_by_nobody_until_an_answer_can_be_used() {
    let ask = || question(1, HostAsk::Review(Box::new(review())));
    let mode =
        |mode: Value| json!({"behavior": "allow", "updatedPermissions": [{"type": "setMode", "mode": mode}]});
    for response in [
        Err("boom".to_owned()),
        Ok(json!(null)),
        Ok(json!({"behavior": "perhaps"})),
        Ok(json!({"behavior": "allow", "updatedInput": {"hash": "other"}})),
        Ok(json!({"behavior": "allow", "updatedPermissions": [{"type": "fly"}]})),
        Ok(mode(json!(7))),
    ] {
        let said = read(&ask(), response.clone());
        assert!(said.unusable && said.answer == HostAnswer::Dismissed, "{response:?} gave {said:?}");
        assert!(said.problem.is_some(), "{response:?}");
    }
    let said = read(&ask(), Ok(mode(json!("yolo"))));
    let HostAnswer::Plan(PlanAnswer::Approve(approval)) = said.answer else { panic!("{said:?}") };
    assert_eq!(approval.mode, Some(Mode::Default));
    assert!(said.problem.unwrap().contains("`yolo`") && !said.unusable);
}

#[test]
fn a_host_is_told_why_it_is_asked_again_and_why_there_is_no_plan() {
    let problem = Some("it is a directory".to_owned());
    let asked = question(1, HostAsk::Review(Box::new(PlanReview { plan: None, problem, ..review() })));
    let line = request(&asked, 2, Some("not JSON")).unwrap();
    assert_eq!(line["request_id"], json!(format!("{}-2", asked.id)));
    assert_eq!(line["request"]["decision_reason"], "not JSON");
    assert_eq!(line["request"]["input"]["problem"], "it is a directory");
}
