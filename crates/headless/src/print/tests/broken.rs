//! Lines of a host that are not what they should be: nobody waits for ever because of one.

use super::hosts::{permission, response};
use super::*;

#[tokio::test]
async fn a_control_request_that_cannot_be_read_is_answered() {
    let request = |id: Value, request: Value| {
        json!({"type": "control_request", "request_id": id, "request": request}).to_string()
    };
    let lines = [
        request(json!("q1"), json!({"subtype": "set_permission_mode", "mode": null})),
        request(json!("q2"), json!({"subtype": "set_model", "model": 5})),
        request(json!("q3"), json!(null)),
        request(json!("q4"), json!({"subtype": ["interrupt"]})),
        request(json!(5), json!({"subtype": "set_model", "model": "other"})),
    ];
    let seen =
        streamed(HostQuestions::Nobody, STREAM, &lines.each_ref().map(String::as_str), |stage, command| {
            if let Command::SetModel(_) = command {
                stage.hangs_up();
            }
            Ok(())
        })
        .await;
    let answers: Vec<Value> =
        seen.of("control_response").into_iter().map(|line| line["response"].clone()).collect();
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["request_id"]).collect();
    assert_eq!(json!(ids), json!(["q1", "q2", "q3", "q4", 5]), "{}", seen.stdout);
    let kinds: Vec<&Value> = answers.iter().map(|answer| &answer["subtype"]).collect();
    assert_eq!(json!(kinds), json!(["error", "error", "error", "error", "success"]));
    assert!(answers[1]["error"].as_str().unwrap().contains("`model`"), "{}", answers[1]);
    let set = |it: &Command| matches!(it, Command::SetMode(_) | Command::SetModel(_));
    assert_eq!(seen.fake.commands().iter().filter(|it| set(it)).count(), 1);
    assert_eq!(seen.ended, RunOutcome::Done);
}

/// A turn that asks this many questions and ends with the first answer; the host writes this.
async fn asked(questions: u64, said: Vec<String>) -> Seen {
    streamed(HostQuestions::Everything, STREAM, &[&user("go")], move |stage, command| {
        match command {
            Command::Prompt(_) => {
                stage.begins("go");
                (1..=questions).for_each(|number| stage.asks(number, permission()));
                said.iter().for_each(|line| stage.types(line));
            }
            Command::Answer { answer, .. } => {
                (1..=questions).for_each(|number| stage.closes(number, answer.clone()));
                stage.ends(EndReason::Done);
                stage.hangs_up();
            }
            _ => {}
        }
        Ok(())
    })
    .await
}

fn answer_to(id: Value) -> Value {
    let response = json!({"subtype": "success", "request_id": id, "response": {"behavior": "allow"}});
    json!({"type": "control_response", "response": response})
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_denies_the_only_question() {
    let cut = r#"{"type":"control_response","response":{"subtype":"success","response":{"behavior":"al"#;
    let mut kind = answer_to(json!(uuid(1)));
    kind["response"]["subtype"] = json!(true);
    for (line, told) in [
        (cut.to_owned(), true),
        (answer_to(json!(1)).to_string(), true),
        (answer_to(json!(null)).to_string(), true),
        (json!({"type": "control_response"}).to_string(), true),
        (kind.to_string(), false),
    ] {
        let seen = asked(1, vec![line.clone()]).await;
        assert!(matches!(&seen.answers()[..], [HostAnswer::Deny { .. }]), "{line}: {:?}", seen.answers());
        let id = uuid(1).to_string();
        assert_eq!(
            seen.stderr.contains(&id) && seen.stderr.contains("allows nothing"),
            told,
            "{}",
            seen.stderr
        );
        let notice = &seen.of("notice")[0]["text"];
        assert!(notice.as_str().unwrap().contains("The host could not answer"), "{notice}");
    }
}

#[tokio::test]
async fn an_answer_to_nobody_knows_what_denies_nothing() {
    let allow = response(1, json!({"behavior": "allow"})).to_string();
    for (questions, line, part) in [
        (1, answer_to(json!("another")).to_string(), "`another`"),
        (2, answer_to(json!(1)).to_string(), "Several requests are open"),
    ] {
        let seen = asked(questions, vec![line, allow.clone()]).await;
        assert_eq!(seen.answers(), [HostAnswer::Allow { updates: vec![], input: None }]);
        assert!(seen.stderr.contains(part), "{}", seen.stderr);
    }
}
