//! A call as a person writes it, `Tool(input)`, as an action.

use forelook_protocol::{AbsPath, Action, Confinement, FileRef, McpHint, Shell};

use forelook_host::{Failure, FailureClass};

/// The tool and what it would do, in this folder.
pub(super) fn parse(
    call: &str,
    folder: &AbsPath,
    home: Option<&AbsPath>,
) -> Result<(String, Action), Failure> {
    let (tool, input) = match call.split_once('(') {
        Some((tool, rest)) => (tool.trim(), rest.strip_suffix(')').ok_or_else(|| not_a_call(call))?),
        None => (call.trim(), ""),
    };
    let named = |what: &str| match input.is_empty() {
        true => Err(Failure::new(FailureClass::Usage, format!("`{tool}` needs {what} in parentheses"))),
        false => Ok(input.to_owned()),
    };
    let file = || named("a path").map(|path| file(&path, folder, home));
    let action = match tool {
        "Bash" => Action::Shell { shell: Shell::Bash, command: named("a command")?, folder: folder.clone() },
        "PowerShell" => {
            Action::Shell { shell: Shell::PowerShell, command: named("a command")?, folder: folder.clone() }
        }
        "Rehearse" => {
            Action::Rehearse { edits: Vec::new(), command: Some(named("a command")?), folder: folder.clone() }
        }
        "Read" | "Glob" | "Grep" | "LS" => Action::Read { file: file()? },
        "Edit" | "Write" | "NotebookEdit" | "MultiEdit" => Action::Edit { file: file()? },
        "WebFetch" => Action::Fetch { host: host(&named("a URL")?) },
        "Agent" | "Task" => {
            let kind = named("an agent")?;
            Action::Agent { read_only: matches!(kind.as_str(), "Explore" | "Plan"), kind }
        }
        "Skill" => Action::Skill { name: named("a skill")? },
        "KillShell" => Action::EndShell { shell: named("a shell")?, sandbox: Confinement::Off },
        "TodoWrite" | "ToolSearch" | "BashOutput" => Action::Internal,
        "AskUserQuestion" => Action::AskPerson,
        "EnterPlanMode" => Action::EnterPlan,
        "ExitPlanMode" => Action::ExitPlan,
        other => mcp(other).ok_or_else(|| not_a_call(call))?,
    };
    Ok((tool.to_owned(), action))
}

fn not_a_call(call: &str) -> Failure {
    Failure::new(FailureClass::Usage, format!("`{call}` is not a tool call"))
        .hint("Write it as Tool(input): 'Bash(git push origin main)', 'Edit(src/main.rs)', 'WebFetch(https://example.com)'")
}

fn mcp(name: &str) -> Option<Action> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some(Action::Mcp { server: server.to_owned(), tool: tool.to_owned(), hint: McpHint::Unknown })
}

fn file(path: &str, folder: &AbsPath, home: Option<&AbsPath>) -> FileRef {
    let named = match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(path),
    };
    let real = forelook_disk::resolve(&named).unwrap_or_else(|_| named.clone());
    FileRef { named, real }
}

fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    host.split(':').next().unwrap_or(host).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_as_people_write_them() {
        let folder = AbsPath::new("/p").unwrap();
        for (call, expected) in [
            ("Bash(echo (a))", "Shell"),
            ("Edit(src/a.rs)", "Edit"),
            ("Rehearse(make)", "Rehearse"),
            ("WebFetch(https://me@Example.com:8080/x?y)", "Fetch { host: \"example.com\" }"),
            ("mcp__git__log", "Mcp"),
            ("TodoWrite", "Internal"),
        ] {
            let (_, action) = parse(call, &folder, None).unwrap_or_else(|_| panic!("{call}"));
            assert!(format!("{action:?}").contains(expected), "{call}: {action:?}");
        }
        for call in ["", "Bash", "Bash(x", "Nonsense(x)"] {
            assert!(parse(call, &folder, None).is_err(), "{call}");
        }
    }
}
