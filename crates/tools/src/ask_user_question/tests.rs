//! Questions checked, answers in words.

use forelook_protocol::Action;
use serde_json::{Value, json};

use super::*;
use crate::testing::{Bench, parsed};

fn question(text: &str) -> Value {
    json!({
        "question": text,
        "header": "Database",
        "options": [{"label": "SQLite", "description": "One file"}, {"label": "Postgres", "preview": "`psql`"}],
        "multiSelect": false
    })
}

/// What the person is asked.
fn asked(questions: &Value) -> Vec<PersonQuestion> {
    match parsed("AskUserQuestion", &json!({ "questions": questions })).kind {
        CallKind::Ask(questions) => questions,
        _ => panic!("no question"),
    }
}

fn call() -> CallId {
    CallId("call".into())
}

#[test]
fn each_answer_reads_as_what_it_is() {
    let questions = asked(&json!([question("Which?"), question("And which else?")]));
    let chosen = |choices: Vec<QuestionAnswer>| HostAnswer::Chosen { choices };
    let options = |labels: &[&str]| QuestionAnswer::Options(labels.iter().map(ToString::to_string).collect());
    for (answer, part) in [
        (chosen(vec![options(&["SQLite", "Postgres"])]), "Which?\nChosen: SQLite; Postgres\n"),
        (
            chosen(vec![options(&["SQLite"])]),
            "And which else?\nSkipped: the user did not answer this question",
        ),
        (
            chosen(vec![QuestionAnswer::FreeText("both".into()), QuestionAnswer::Skipped]),
            "Which?\nIn their own words: both\n",
        ),
        (chosen(vec![options(&[])]), "Chosen: none of the options"),
    ] {
        let outcome = answered(call(), &questions, &answer);
        let text = outcome.result.text();
        assert!(!outcome.result.is_error && text.contains(part), "{text}");
    }
    for (answer, part) in [
        (HostAnswer::Dismissed, "dismissed the questions"),
        (HostAnswer::Interrupted, "was interrupted"),
        (HostAnswer::Nobody, "No user is available"),
        (HostAnswer::Deny { message: Some("not now".into()) }, "said: not now"),
        (HostAnswer::Deny { message: None }, "declined to answer"),
        (HostAnswer::yes(), "could not be shown to the user"),
    ] {
        let outcome = answered(call(), &questions, &answer);
        let text = outcome.result.text();
        assert!(outcome.result.is_error && outcome.output.is_none(), "{text}");
        assert!(text.contains(part) && text.to_lowercase().contains("nothing is decided"), "{text}");
    }
}

#[test]
fn programs_that_watch_get_the_answers_by_question() {
    let mut both = question("Which, then?");
    both["multiSelect"] = json!(true);
    let sent = json!([question("Which?"), both, question("And why?"), question("And when?")]);
    let labels = QuestionAnswer::Options(vec!["SQLite".into(), "Postgres".into()]);
    let answer = HostAnswer::Chosen {
        choices: vec![
            QuestionAnswer::FreeText("neither".into()),
            labels,
            QuestionAnswer::Skipped,
            QuestionAnswer::Options(vec![]),
        ],
    };
    let mut output = answered(call(), &asked(&sent), &answer).output.unwrap();
    assert_eq!(
        output["answers"],
        json!({"Which?": "neither", "Which, then?": "SQLite, Postgres", "And when?": ""})
    );
    // The questions stand beside them as they were asked, what was left out filled in.
    output["questions"][0]["options"][1].as_object_mut().unwrap().remove("description");
    assert_eq!(output["questions"][0], sent[0]);
}

#[test]
fn the_person_is_asked_what_the_model_asked() {
    let questions = asked(&json!([question("Which?")]));
    assert_eq!(questions[0].options[1].preview.as_deref(), Some("`psql`"));
    assert_eq!(questions[0].header, "Database");
    let call = parsed("AskUserQuestion", &json!({"questions": [question("Which?")]}));
    assert_eq!(call.action(&Bench::new().cx.place), Ok(Action::AskPerson));
    assert!(!call.concurrency_safe, "one question at a time");
}

#[tokio::test]
async fn bad_questions_name_the_field() {
    let mut bench = Bench::new();
    let with = |change: fn(&mut Value)| {
        let mut question = question("Which?");
        change(&mut question);
        json!({"questions": [question]})
    };
    for (input, part) in [
        (json!({"questions": []}), "`questions` has 0 items: send 1 to 4"),
        (json!({"questions": vec![question("a"); 5]}), "has 5 items"),
        (json!({"questions": [question("a"), question("a")]}), "`questions[1].question` repeats"),
        (
            with(|q| q["header"] = json!("Thirteen char")),
            "`questions[0].header` has 13 characters: send at most 12",
        ),
        (with(|q| q["question"] = json!(" ")), "`questions[0].question` is empty"),
        (with(|q| q["options"] = json!([{"label": "a"}])), "`questions[0].options` has 1 items: send 2 to 4"),
        (with(|q| q["options"] = json!([{"label": "a"}, {"label": "a"}])), "`questions[0].options[1].label`"),
        (
            with(|q| q["options"] = json!([{"label": "Yes"}, {"label": "yes "}])),
            "`questions[0].options[1].label` repeats",
        ),
        (
            with(|q| q["options"][0]["preview"] = json!("x".repeat(10_001))),
            "`questions[0].options[0].preview` has 10001 characters: send at most 10000",
        ),
        (json!({"questions": [question("a?"), question("A? ")]}), "`questions[1].question` repeats"),
        (with(|q| q["answers"] = json!({"a": "b"})), "`questions[0].answers`"),
        (json!({"questions": [question("a")], "answers": {"a": "SQLite"}}), "unknown field `answers`"),
        (with(|q| q["options"][0]["color"] = json!("red")), "`questions[0].options[0].color`"),
        (with(|q| q["multiSelect"] = json!("yes")), "`questions[0].multiSelect`"),
    ] {
        let text = bench.failure("AskUserQuestion", input).await;
        assert!(text.contains(part), "{text}");
    }
}
