//! Asks a person in lines: numbers choose, words are words.

use forelook_protocol::{
    Answer, Ask, Behavior, Choice, Destination, PermissionUpdate, PersonQuestion, RuleValue,
};

use super::show::call_line;

/// A question that is being answered, line by line.
pub(super) struct Asking {
    ask: Ask,
    choices: Vec<Choice>,
}

/// What a line led to.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// The next of several questions.
    More,
    /// The line was not understood; ask again.
    Unclear(String),
    /// All is answered.
    Done(Answer),
}

impl Asking {
    pub(super) fn new(ask: &Ask) -> Self {
        Self { ask: ask.clone(), choices: Vec::new() }
    }

    /// What to print.
    pub(super) fn text(&self) -> String {
        match &self.ask {
            Ask::Permission { tool, input, reason } => {
                let mut text = format!("May this run? {}\n  {}", call_line(tool, input), reason.text);
                text.push_str("\n  y = yes, n = no, or say what to do instead");
                if let Some(rule) = &reason.would_allow {
                    text.push_str(&format!(
                        "\n  s = yes, and for this session the rule {rule}\n  l = yes, and save that rule here"
                    ));
                }
                text
            }
            Ask::Choose { questions } => match questions.get(self.choices.len()) {
                Some(question) => question_text(question),
                None => String::new(),
            },
        }
    }

    /// Takes one line.
    pub(super) fn answer(&mut self, line: &str) -> Step {
        let line = line.trim();
        match &self.ask {
            Ask::Permission { reason, .. } => permission(line, reason.would_allow.as_deref()),
            Ask::Choose { questions } => {
                let Some(question) = questions.get(self.choices.len()) else {
                    return Step::Done(Answer::Dismissed);
                };
                match choice(question, line) {
                    Ok(choice) => self.choices.push(choice),
                    Err(why) => return Step::Unclear(why),
                }
                if self.choices.len() < questions.len() {
                    return Step::More;
                }
                Step::Done(Answer::Chosen { choices: std::mem::take(&mut self.choices) })
            }
        }
    }
}

fn permission(line: &str, rule: Option<&str>) -> Step {
    let with_rule = |destination| rule.and_then(|rule| add_rule(rule, destination));
    match line.to_lowercase().as_str() {
        "y" | "yes" => Step::Done(Answer::yes()),
        "n" | "no" => Step::Done(Answer::Deny { message: None }),
        // An empty line must never let something run.
        "" => Step::Unclear("Type y or n, or say what to do instead".to_owned()),
        word @ ("s" | "l") => {
            let destination = if word == "s" { Destination::Session } else { Destination::LocalSettings };
            match with_rule(destination) {
                Some(update) => Step::Done(Answer::Allow { updates: vec![update] }),
                None => Step::Unclear("There is no rule for exactly this; type y or n".to_owned()),
            }
        }
        _ => Step::Done(Answer::Deny { message: Some(line.to_owned()) }),
    }
}

/// The change that adds an allow rule such as `Bash(npm test)`.
fn add_rule(rule: &str, destination: Destination) -> Option<PermissionUpdate> {
    let value = match rule.split_once('(') {
        Some((tool, content)) => RuleValue {
            tool_name: tool.to_owned(),
            rule_content: Some(content.strip_suffix(')')?.to_owned()),
        },
        None => RuleValue { tool_name: rule.to_owned(), rule_content: None },
    };
    Some(PermissionUpdate::AddRules { rules: vec![value], behavior: Behavior::Allow, destination })
}

fn question_text(question: &PersonQuestion) -> String {
    let mut text = question.question.clone();
    for (at, option) in question.options.iter().enumerate() {
        text.push_str(&format!("\n  {}. {}", at + 1, option.label));
        if !option.description.is_empty() {
            text.push_str(&format!(" - {}", option.description));
        }
    }
    text.push_str(if question.multi_select {
        "\n  Numbers (1,3), or your own words; empty to skip"
    } else {
        "\n  A number, or your own words; empty to skip"
    });
    text
}

fn choice(question: &PersonQuestion, line: &str) -> Result<Choice, String> {
    if line.is_empty() {
        return Ok(Choice::Skipped);
    }
    let parts: Vec<&str> = line.split([',', ' ']).filter(|part| !part.is_empty()).collect();
    let Ok(numbers) = parts.iter().map(|part| part.parse::<usize>()).collect::<Result<Vec<_>, _>>() else {
        return Ok(Choice::Words(line.to_owned()));
    };
    if numbers.len() > 1 && !question.multi_select {
        return Err("Only one of these can be chosen".to_owned());
    }
    let label = |number: usize| {
        number.checked_sub(1).and_then(|at| question.options.get(at)).map(|it| it.label.clone())
    };
    let labels: Option<Vec<String>> = numbers.into_iter().map(label).collect();
    labels
        .map(Choice::Options)
        .ok_or_else(|| format!("There are only options 1 to {}", question.options.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::{PersonOption, Reason, Step as Decided};

    fn question(multi_select: bool) -> PersonQuestion {
        let option =
            |label: &str| PersonOption { label: label.into(), description: String::new(), preview: None };
        PersonQuestion {
            question: "Which?".into(),
            header: "Which".into(),
            options: vec![option("A"), option("B")],
            multi_select,
        }
    }

    #[test]
    fn lines_become_choices() {
        let options = |labels: &[&str]| Ok(Choice::Options(labels.iter().map(|&it| it.to_owned()).collect()));
        for (multi, line, expected) in [
            (false, "2", options(&["B"])),
            (true, "1, 2", options(&["A", "B"])),
            (false, "", Ok(Choice::Skipped)),
            (false, "neither, use C", Ok(Choice::Words("neither, use C".into()))),
            (false, "3", Err("There are only options 1 to 2".into())),
            (false, "0", Err("There are only options 1 to 2".into())),
            (false, "1 2", Err("Only one of these can be chosen".into())),
        ] {
            assert_eq!(choice(&question(multi), line), expected, "{line:?}");
        }
    }

    #[test]
    fn nothing_but_yes_is_a_yes() {
        let would_allow = Some("Bash(ls -l)".into());
        let reason = Reason { step: Decided::Rest, text: "x".into(), rule: None, would_allow };
        let ask = Ask::Permission { tool: "Bash".into(), input: serde_json::json!({}), reason };
        for (line, allowed) in
            [("y", true), ("YES", true), ("", false), ("n", false), ("yeah, but first", false)]
        {
            assert_eq!(Asking::new(&ask).answer(line) == Step::Done(Answer::yes()), allowed, "{line:?}");
        }
        let Step::Done(Answer::Allow { updates }) = Asking::new(&ask).answer("s") else { panic!("no yes") };
        let expected = r#"[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls -l"}],"behavior":"allow","destination":"session"}]"#;
        assert_eq!(serde_json::to_string(&updates).unwrap(), expected);
    }

    #[test]
    fn several_questions_are_asked_one_by_one() {
        let mut asking = Asking::new(&Ask::Choose { questions: vec![question(false), question(true)] });
        assert_eq!(asking.answer("1"), Step::More);
        assert!(matches!(asking.answer("9"), Step::Unclear(_)));
        assert!(matches!(asking.answer("1,2"), Step::Done(Answer::Chosen { choices }) if choices.len() == 2));
    }
}
