//! Lines that are for the program and not for the model.

use forelook_protocol::UserBlock;

/// A line that begins with a slash.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Slash<'a> {
    /// `/plan`, with what stood behind it.
    Plan(&'a str),
    /// `/mode`, with the mode if one was named.
    Mode(Option<&'a str>),
    /// `/model`, with the model if one was named.
    Model(Option<&'a str>),
    /// `/cost`.
    Cost,
    /// `/todos`.
    Todos,
    /// `/help`.
    Help,
    /// `/exit`.
    Exit,
    /// A word that is none of these.
    Unknown(&'a str),
}

/// What a person is told that there is.
pub(crate) const KNOWN: [(&str, &str); 8] = [
    (
        "/plan [words]",
        "plan first; while planning: show the plan, or open, diff,\n                 history, restore N, rehearsal, list",
    ),
    ("/mode [name]", "change the permission mode; without a name, to the next"),
    ("/model [name]", "change the model; without a name, show which there are"),
    ("/cost", "show what was used so far, model by model"),
    ("/todos", "show the todo list"),
    ("!command", "run a command in the shell yourself"),
    ("/help", "show this"),
    ("/exit", "leave"),
];

/// Reads a line. Nothing if it is meant for the model: `/etc/hosts is wrong` is a sentence, not a command.
pub(crate) fn parse(line: &str) -> Option<Slash<'_>> {
    let (name, rest) = forelook_wording::slash(line)?;
    Some(match name {
        "plan" => Slash::Plan(rest),
        "mode" => Slash::Mode(named(rest)),
        "model" => Slash::Model(named(rest)),
        "cost" => Slash::Cost,
        "todos" => Slash::Todos,
        "help" => Slash::Help,
        "exit" => Slash::Exit,
        _ => Slash::Unknown(name),
    })
}

fn named(rest: &str) -> Option<&str> {
    Some(rest).filter(|name| !name.is_empty())
}

/// What stands behind `/plan`, if that is all that a prompt says.
pub(crate) fn plan(content: &[UserBlock]) -> Option<&str> {
    let [UserBlock::Text { text }] = content else { return None };
    match parse(text) {
        Some(Slash::Plan(rest)) => Some(rest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_commands() {
        for (line, expected) in [
            ("/plan", Some(Slash::Plan(""))),
            (" /plan  add a flag ", Some(Slash::Plan("add a flag"))),
            ("/plan\nadd\na flag", Some(Slash::Plan("add\na flag"))),
            ("/planner", Some(Slash::Unknown("planner"))),
            ("/mode", Some(Slash::Mode(None))),
            ("/mode plan", Some(Slash::Mode(Some("plan")))),
            ("/model", Some(Slash::Model(None))),
            ("/model openai/gpt-5", Some(Slash::Model(Some("openai/gpt-5")))),
            ("/cost", Some(Slash::Cost)),
            ("/todos", Some(Slash::Todos)),
            ("/help", Some(Slash::Help)),
            ("/exit", Some(Slash::Exit)),
            ("/etc/hosts is wrong", None),
            ("/", None),
            ("// a comment", None),
            ("please /plan", None),
        ] {
            assert_eq!(parse(line), expected, "{line:?}");
        }
    }

    #[test]
    fn only_a_prompt_of_one_text_is_the_command() {
        let image = UserBlock::Image { media_type: "image/png".into(), data: String::new() };
        for (content, expected) in [
            (vec![UserBlock::text("/plan x")], Some("x")),
            (vec![UserBlock::text("/mode plan")], None),
            (vec![UserBlock::text("/plan x"), UserBlock::text("y")], None),
            (vec![UserBlock::text("/plan x"), image], None),
            (vec![], None),
        ] {
            assert_eq!(plan(&content), expected, "{content:?}");
        }
    }
}
