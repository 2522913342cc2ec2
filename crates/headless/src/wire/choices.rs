//! A host's answers to the model's own questions.

use forelook_protocol::{HostAnswer, PersonQuestion, QuestionAnswer};
use forelook_view::question::choice_by_label;
use serde_json::Value;

/// Reads `answers`: an object from the question's text to a label, labels joined by `, `, a list of labels, or words.
pub(crate) fn read(questions: &[PersonQuestion], answers: &Value) -> HostAnswer {
    let choices: Vec<QuestionAnswer> =
        questions.iter().map(|question| choice(question, &answers[question.question.as_str()])).collect();
    match choices.iter().all(|choice| *choice == QuestionAnswer::Skipped) {
        true => HostAnswer::Dismissed,
        false => HostAnswer::Chosen { choices },
    }
}

/// What in `answers` belongs to no question: words that would be lost without anybody's knowing.
pub(crate) fn strays(questions: &[PersonQuestion], answers: &Value) -> Option<String> {
    let fields = answers.as_object()?;
    let asked = |key: &str| questions.iter().any(|question| question.question == key);
    let stray = fields.keys().find(|key| !asked(key))?;
    Some(format!("`answers` has `{stray}`, which was not asked; each key must be the text of a question"))
}

fn choice(question: &PersonQuestion, answer: &Value) -> QuestionAnswer {
    match answer {
        Value::String(text) => choice_by_label(question, text),
        Value::Array(parts) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            choice_by_label(question, &parts.join(", "))
        }
        _ => QuestionAnswer::Skipped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::PersonOption;
    use serde_json::json;

    fn question(text: &str, multi_select: bool) -> PersonQuestion {
        let option =
            |label: &str| PersonOption { label: label.into(), description: String::new(), preview: None };
        let options = ["A", "A, but later", "B"].map(option).into();
        PersonQuestion { question: text.into(), header: String::new(), options, multi_select }
    }

    #[test]
    fn answers_become_choices() {
        let options =
            |labels: &[&str]| QuestionAnswer::Options(labels.iter().map(|&it| it.to_owned()).collect());
        for (multi, answer, expected) in [
            (false, json!("B"), options(&["B"])),
            (false, json!("A, but later"), options(&["A, but later"])),
            (true, json!("A, but later, B"), options(&["A, but later", "B"])),
            (true, json!(["B", "A"]), options(&["B", "A"])),
            (true, json!("B, A, B"), options(&["B", "A"])),
            (false, json!("A, B"), QuestionAnswer::FreeText("A, B".into())),
            (true, json!("A, C"), QuestionAnswer::FreeText("A, C".into())),
            (false, json!("none of these"), QuestionAnswer::FreeText("none of these".into())),
        ] {
            let question = question("Which?", multi);
            let answered = read(std::slice::from_ref(&question), &json!({"Which?": answer}));
            assert_eq!(answered, HostAnswer::Chosen { choices: vec![expected] }, "{answer}");
        }
    }

    #[test]
    fn what_is_left_out_is_skipped_and_nothing_at_all_is_no_answer() {
        let questions = [question("One?", false), question("Two?", false)];
        assert_eq!(
            read(&questions, &json!({"Two?": "B"})),
            HostAnswer::Chosen {
                choices: vec![QuestionAnswer::Skipped, QuestionAnswer::Options(vec!["B".into()])]
            }
        );
        for answers in [json!(null), json!({}), json!({"Three?": "B"}), json!({"One?": ""}), json!("B")] {
            assert_eq!(read(&questions, &answers), HostAnswer::Dismissed, "{answers}");
        }
    }
}
