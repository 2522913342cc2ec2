//! Every question as a request, every response as an answer.

use super::*;
use crate::testing::{path, question, review};
use forelook_protocol::{AgentId, Choice, PersonOption, PersonQuestion, Reason, Step};

fn permission(input: Value) -> Ask {
    let would_allow = Some("Bash(ls)".into());
    let reason = Reason { would_allow, ..Reason::new(Step::Rest, "x") };
    Ask::Permission { tool: "Bash".into(), input, reason }
}

fn choose() -> Ask {
    let option =
        |label: &str| PersonOption { label: label.into(), description: String::new(), preview: None };
    let questions = vec![PersonQuestion {
        question: "Which?".into(),
        header: "Which".into(),
        options: vec![option("A"), option("B")],
        multi_select: false,
    }];
    Ask::Choose { questions }
}

/// A host's answers beside the questions as it was asked them.
fn answered(ask: &Ask, answers: Value) -> Value {
    let mut input = request(&question(1, ask.clone()))["request"]["input"].clone();
    input["answers"] = answers;
    json!({"behavior": "allow", "updatedInput": input})
}

#[test]
fn an_answer_is_to_what_was_asked() {
    let Ask::Choose { questions } = choose() else { panic!() };
    let mut other = questions.clone();
    other[0].options[1].label = "C".into();
    let said =
        read(&question(1, choose()), Ok(answered(&Ask::Choose { questions: other }, json!({"Which?": "C"}))));
    assert_eq!(said.answer, Answer::Dismissed);
    assert!(said.problem.unwrap().contains("other questions"));
    // What belongs to no question is not lost in silence; the rest counts.
    let said = read(&question(1, choose()), Ok(answered(&choose(), json!({"Which?": "B", "Why?": "so"}))));
    assert_eq!(said.answer, Answer::Chosen { choices: vec![Choice::Options(vec!["B".into()])] });
    assert!(said.problem.unwrap().contains("`Why?`"));
}

#[test]
fn questions_as_hosts_see_them() {
    let mut asked = question(2, Ask::EnterPlan { path: path() });
    asked.agent = Some(AgentId("a1".into()));
    let all = [
        question(1, permission(json!({"command": "ls"}))),
        asked,
        question(3, Ask::Review(Box::new(review()))),
        question(4, choose()),
    ];
    let lines: Vec<String> = all.iter().map(|question| request(question).to_string()).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn responses_become_answers() {
    let ls = || permission(json!({"command": "ls", "timeout": 1.0}));
    let enter = || Ask::EnterPlan { path: path() };
    let deny = |message: &str| Answer::Deny { message: Some(message.into()) };
    let chosen = Answer::Chosen { choices: vec![Choice::Options(vec!["B".into()])] };
    for (ask, response, expected) in [
        (ls(), json!({"behavior": "allow"}), Answer::yes()),
        (ls(), json!({"behavior": "allow", "updatedInput": null, "updatedPermissions": null}), Answer::yes()),
        (ls(), json!({"behavior": "allow", "updatedInput": {"timeout": 1, "command": "ls"}}), Answer::yes()),
        (ls(), json!({"behavior": "deny", "message": "no"}), deny("no")),
        (ls(), json!({"behavior": "deny", "message": " "}), Answer::Deny { message: None }),
        (ls(), json!({"behavior": "deny"}), Answer::Deny { message: None }),
        (
            permission(json!("not an object")),
            json!({"behavior": "allow", "updatedInput": {"invalid_input": "not an object"}}),
            Answer::yes(),
        ),
        (enter(), json!({"behavior": "allow", "updatedInput": {}}), Answer::yes()),
        (enter(), json!({"behavior": "deny", "message": "just do it"}), deny("just do it")),
        (
            choose(),
            json!({"behavior": "allow", "updatedInput": {"answers": {"Which?": "B"}}}),
            chosen.clone(),
        ),
        (choose(), answered(&choose(), json!({"Which?": "B"})), chosen),
        (choose(), json!({"behavior": "allow", "updatedInput": {}}), Answer::Dismissed),
        (choose(), json!({"behavior": "deny", "message": "let us talk"}), deny("let us talk")),
        (choose(), json!({"behavior": "deny", "message": " "}), Answer::Dismissed),
    ] {
        let said = read(&question(1, ask), Ok(response.clone()));
        assert_eq!(said, Said { answer: expected, interrupt: false, problem: None }, "{response}");
    }
}

#[test]
fn what_is_no_clear_yes_is_a_no_that_says_why() {
    let ls = || permission(json!({"command": "ls"}));
    for (ask, response) in [
        (ls(), Err("boom".to_owned())),
        (ls(), Ok(json!({}))),
        (ls(), Ok(json!("allow"))),
        (ls(), Ok(json!({"behavior": "Allow"}))),
        (ls(), Ok(json!({"behavior": "allow", "updatedInput": {"command": "rm"}}))),
        (ls(), Ok(json!({"behavior": "allow", "updatedInput": {"command": "ls", "more": 1}}))),
        (ls(), Ok(json!({"behavior": "allow", "updatedPermissions": [{"type": "addRules", "rules": []}]}))),
    ] {
        let said = read(&question(1, ask), response.clone());
        assert!(matches!(said.answer, Answer::Deny { message: Some(_) }), "{response:?} gave {said:?}");
        assert!(said.problem.is_some(), "{response:?}");
    }
    assert_eq!(read(&question(1, choose()), Err("boom".into())).answer, Answer::Dismissed);
}

#[test]
fn a_rehearsal_is_applied_by_its_hash_alone() {
    let rehearsal = Some(Box::new(crate::testing::rehearsal()));
    let ask = || Ask::Review(Box::new(Review { rehearsal: rehearsal.clone(), ..review() }));
    let shown = request(&question(1, ask()))["request"]["input"]["rehearsal"].clone();
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
            Answer::Plan(PlanAnswer::Approve(approval)) => Some(approval.apply),
            _ => None,
        };
        assert_eq!(approved, expected, "{apply}");
    }
    let nothing = json!({"behavior": "allow", "updatedInput": {"apply": "r1"}});
    let said = read(&question(1, Ask::Review(Box::new(review()))), Ok(nothing));
    assert!(matches!(said.answer, Answer::Plan(PlanAnswer::KeepPlanning { .. })), "{said:?}");
}

#[test]
fn what_runs_from_before_is_kept_by_an_allow_alone() {
    let shell = forelook_protocol::RunningShell { id: Some("shell_1".into()), command: "npm run dev".into() };
    let ask = || question(1, Ask::Running { shells: vec![shell.clone()] });
    let asked = request(&ask())["request"].clone();
    assert_eq!(asked["tool_name"], "KeepRunning");
    assert_eq!(asked["input"]["shells"], json!([{"id": "shell_1", "command": "npm run dev"}]));
    assert_eq!(read(&ask(), Ok(json!({"behavior": "allow"}))).answer, Answer::yes());
    for response in [Ok(json!({"behavior": "deny", "message": "what is that?"})), Err("unknown tool".into())]
    {
        assert!(matches!(read(&ask(), response).answer, Answer::Deny { .. }));
    }
}

#[test]
fn rules_without_a_place_are_for_the_session() {
    let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": null}], "behavior": "allow", "destination": null});
    let said = read(
        &question(1, permission(json!({}))),
        Ok(json!({"behavior": "allow", "updatedPermissions": [rule]})),
    );
    let Answer::Allow { updates } = said.answer else { panic!("{said:?}") };
    assert_eq!(updates[0].destination(), Destination::Session);
}

#[test]
fn rules_cannot_go_with_the_approval_of_a_plan() {
    let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "allow", "destination": "session"});
    let said = read(
        &question(1, Ask::Review(Box::new(review()))),
        Ok(json!({"behavior": "allow", "updatedPermissions": [rule]})),
    );
    assert!(matches!(said.answer, Answer::Plan(PlanAnswer::Approve(_))));
    assert!(said.problem.unwrap().contains("left out"));
}
