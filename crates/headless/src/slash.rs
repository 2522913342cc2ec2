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
    /// `/permissions`, with what stood behind it.
    Permissions(&'a str),
    /// `/trust`.
    Trust,
    /// `/diff`.
    Diff,
    /// `/config`, with the words that keys are to contain.
    Config(&'a str),
    /// `/cost`.
    Cost,
    /// `/todos`.
    Todos,
    /// `/tasks`, with what stood behind it.
    Tasks(&'a str),
    /// `/help`.
    Help,
    /// `/exit`.
    Exit,
    /// A word that is none of these.
    Unknown(&'a str),
}

/// What a person is told that there is, in lines that fit beside it.
pub(crate) const KNOWN: [(&str, &str); 13] = [
    (
        "/plan [task]",
        "plan first; in plan mode: show the plan, or open; also:\nreview, diff, history, restore N, rehearsal, list",
    ),
    ("/mode [name]", "change the permission mode; no name: list modes"),
    ("/model [name]", "change the model; no name: list models"),
    ("/permissions", "show rules; edit them: add, remove"),
    ("/trust", "show what you trust in this folder"),
    ("/diff", "show what this session changed in files"),
    ("/config [words]", "show settings and where they come from; words: only keys\nthat contain them"),
    ("/cost", "show tokens and cost by model"),
    ("/todos", "show the todo list"),
    ("/tasks [ID]", "list background shells, or show the output of one;\n/tasks end ID ends it"),
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
        "permissions" => SlashLine::Permissions(rest),
        "trust" => SlashLine::Trust,
        "diff" => SlashLine::Diff,
        "config" => SlashLine::Config(rest),
        "cost" => SlashLine::Cost,
        "todos" => SlashLine::Todos,
        "tasks" => SlashLine::Tasks(rest),
        "help" => SlashLine::Help,
        "exit" | "quit" => SlashLine::Exit,
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
            ("/permissions add allow Edit", Some(SlashLine::Permissions("add allow Edit"))),
            ("/trust", Some(SlashLine::Trust)),
            ("/diff", Some(SlashLine::Diff)),
            ("/config theme", Some(SlashLine::Config("theme"))),
            ("/cost", Some(SlashLine::Cost)),
            ("/todos", Some(SlashLine::Todos)),
            ("/tasks", Some(SlashLine::Tasks(""))),
            ("/tasks end shell_1", Some(SlashLine::Tasks("end shell_1"))),
            ("/help", Some(SlashLine::Help)),
            ("/exit", Some(SlashLine::Exit)),
            ("/quit", Some(SlashLine::Exit)),
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
