//! Lines that are for the program and not for the model.

use forelook_protocol::{UserBlock, nearest};

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
    /// `/compact`, with what to keep if that was said.
    Compact(Option<&'a str>),
    /// `/context`.
    Context,
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
pub(crate) const KNOWN: [(&str, &str); 15] = [
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
    ("/compact [focus]", "replace the conversation by a summary"),
    ("/context", "show what fills the context window"),
    ("/cost", "show tokens and cost by model"),
    ("/todos", "show the todo list"),
    ("/tasks [ID]", "list background shells, or show the output of one;\n/tasks end ID ends it"),
    ("!command", "run a shell command yourself"),
    ("/help", "show this help"),
    ("/exit", "exit"),
];

/// Commands that need a screen.
const ON_SCREEN: [&str; 9] =
    ["hooks", "agents", "status", "doctor", "resume", "clear", "export", "init", "theme"];

/// What is said of a name that is no command here.
pub(crate) fn unknown(name: &str) -> String {
    let needs_screen = |name: &str| ON_SCREEN.contains(&name);
    if needs_screen(name) {
        return format!("`/{name}` works only on a screen: start `forelook` in a terminal");
    }
    let forms = KNOWN.iter().filter_map(|(form, _)| form.strip_prefix('/'));
    let known: Vec<&str> = forms.filter_map(|form| form.split(' ').next()).collect();
    match nearest(name, known.iter().copied().chain(["quit"]).chain(ON_SCREEN)) {
        Some(near) if needs_screen(near) => {
            format!("Unknown command `/{name}`. Did you mean `/{near}`? It works only on a screen")
        }
        Some(near) => format!("Unknown command `/{name}`. Did you mean `/{near}`?"),
        None => format!("Unknown command `/{name}`. Commands: /{}", known.join(", /")),
    }
}

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
        "compact" => SlashLine::Compact(named(rest)),
        "context" => SlashLine::Context,
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
            ("/compact", Some(SlashLine::Compact(None))),
            ("/compact keep names", Some(SlashLine::Compact(Some("keep names")))),
            ("/context", Some(SlashLine::Context)),
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
    fn names_that_are_no_command() {
        for (name, expected) in [
            ("modle", "Unknown command `/modle`. Did you mean `/model`?"),
            ("exprt", "Unknown command `/exprt`. Did you mean `/export`? It works only on a screen"),
            ("resume", "`/resume` works only on a screen: start `forelook` in a terminal"),
            (
                "xyzzy",
                "Unknown command `/xyzzy`. Commands: /plan, /mode, /model, /permissions, /trust, /diff, /config, /compact, /context, /cost, \
                 /todos, /tasks, /help, /exit",
            ),
        ] {
            assert_eq!(unknown(name), expected);
        }
        for name in ON_SCREEN {
            assert_eq!(parse(&format!("/{name}")), Some(SlashLine::Unknown(name)));
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
