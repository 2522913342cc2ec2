//! Questions checked, answers in words.

use serde_json::{Value, json};

use super::*;
use crate::testing::Bench;
use crate::{Place, Toolbox};

fn question(text: &str) -> Value {
    json!({
        "question": text,
        "header": "Database",
        "options": [{"label": "SQLite", "description": "One file"}, {"label": "Postgres", "preview": "`psql`"}],
        "multiSelect": false
    })
}

#[tokio::test]
async fn each_answer_reads_as_what_it_is() {
    let mut bench = Bench::new();
    let input = json!({"questions": [question("Which?"), question("And which else?")]});
    let chosen = |choices: Vec<Choice>| Answer::Chosen { choices };
    let options = |labels: &[&str]| Choice::Options(labels.iter().map(ToString::to_string).collect());
    for (answer, part) in [
        (chosen(vec![options(&["SQLite", "Postgres"])]), "Which?\nChosen: SQLite; Postgres\n"),
        (
            chosen(vec![options(&["SQLite"])]),
            "And which else?\nLeft open: the person did not answer this one",
        ),
        (chosen(vec![Choice::Words("both".into()), Choice::Skipped]), "Which?\nIn their own words: both\n"),
        (chosen(vec![options(&[])]), "Chosen: none of the options"),
    ] {
        bench.answer(answer);
        let text = bench.ok("AskUserQuestion", input.clone()).await;
        assert!(text.contains(part), "{text}");
    }
    for (answer, part) in [
        (Answer::Dismissed, "put the questions away"),
        (Answer::Interrupted, "was interrupted"),
        (Answer::Nobody, "no person here"),
        (Answer::Deny { message: Some("not now".into()) }, "said: not now"),
        (Answer::Deny { message: None }, "did not want to answer"),
        (Answer::yes(), "were not put to the person"),
    ] {
        bench.answer(answer);
        let text = bench.failure("AskUserQuestion", input.clone()).await;
        assert!(text.contains(part) && text.to_lowercase().contains("nothing was agreed"), "{text}");
    }
}

#[test]
fn the_person_is_asked_what_the_model_asked() {
    let tool = Toolbox::plain().get("AskUserQuestion").unwrap();
    let asked = json!({"questions": [question("Which?")]});
    let questions = tool.questions(&asked).unwrap();
    assert_eq!(questions[0].options[1].preview.as_deref(), Some("`psql`"));
    assert_eq!(questions[0].header, "Database");
    let root = forelook_protocol::AbsPath::new("/").unwrap();
    let place = Place { project: root.clone(), folder: root };
    assert_eq!(tool.action(&asked, &place), Ok(Action::AskPerson));
    assert_eq!(tool.questions(&json!({})), None);
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
        (json!({"questions": [question("a"), question("a")]}), "`questions[1].question` is the same"),
        (
            with(|q| q["header"] = json!("Thirteen char")),
            "`questions[0].header` has 13 characters: send at most 12",
        ),
        (with(|q| q["question"] = json!(" ")), "`questions[0].question` is empty"),
        (with(|q| q["options"] = json!([{"label": "a"}])), "`questions[0].options` has 1 items: send 2 to 4"),
        (with(|q| q["options"] = json!([{"label": "a"}, {"label": "a"}])), "`questions[0].options[1].label`"),
        (with(|q| q["options"][0]["color"] = json!("red")), "`questions[0].options[0].color`"),
        (with(|q| q["multiSelect"] = json!("yes")), "`questions[0].multiSelect`"),
    ] {
        let text = bench.failure("AskUserQuestion", input).await;
        assert!(text.contains(part), "{text}");
    }
}
