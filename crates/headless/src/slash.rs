//! Lines that are for the program and not for the model.

use forelook_protocol::UserBlock;

/// A line that begins with a slash.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SlashLine<'a> {
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
        "/plan [task]",
        "plan first; in plan mode: show the plan, or open, diff,\n                 history, restore N, rehearsal, list",
    ),
    ("/mode [name]", "change the permission mode; no name: next mode"),
    ("/model [name]", "change the model; no name: list models"),
    ("/cost", "show tokens and cost by model"),
    ("/todos", "show the todo list"),
    ("!command", "run a shell command yourself"),
    ("/help", "show this help"),
    ("/exit", "exit"),
];

/// Reads a line. Nothing if it is meant for the model: `/etc/hosts is wrong` is a sentence, not a command.
pub(crate) fn parse(line: &str) -> Option<SlashLine<'_>> {
    let (name, rest) = forelook_wording::parse_slash(line)?;
    Some(match name {
        "plan" => SlashLine::Plan(rest),
        "mode" => SlashLine::Mode(named(rest)),
        "model" => SlashLine::Model(named(rest)),
        "cost" => SlashLine::Cost,
        "todos" => SlashLine::Todos,
        "help" => SlashLine::Help,
        "exit" => SlashLine::Exit,
        _ => SlashLine::Unknown(name),
    })
}

fn named(rest: &str) -> Option<&str> {
    Some(rest).filter(|name| !name.is_empty())
}

/// What stands behind `/plan`, if that is all that a prompt says.
pub(crate) fn plan(content: &[UserBlock]) -> Option<&str> {
    let [UserBlock::Text { text }] = content else { return None };
    match parse(text) {
        Some(SlashLine::Plan(rest)) => Some(rest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_commands() {
        for (line, expected) in [
            ("/plan", Some(SlashLine::Plan(""))),
            (" /plan  add a flag ", Some(SlashLine::Plan("add a flag"))),
            ("/plan\nadd\na flag", Some(SlashLine::Plan("add\na flag"))),
            ("/planner", Some(SlashLine::Unknown("planner"))),
            ("/mode", Some(SlashLine::Mode(None))),
            ("/mode plan", Some(SlashLine::Mode(Some("plan")))),
            ("/model", Some(SlashLine::Model(None))),
            ("/model openai/gpt-5", Some(SlashLine::Model(Some("openai/gpt-5")))),
            ("/cost", Some(SlashLine::Cost)),
            ("/todos", Some(SlashLine::Todos)),
            ("/help", Some(SlashLine::Help)),
            ("/exit", Some(SlashLine::Exit)),
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
