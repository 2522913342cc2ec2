//! What the fences of a session hold, for people.

use forelook_protocol::Holds;

use super::WorkspaceSetup;

/// What is confined, a line each.
pub(super) fn policies(holds: Holds, workspace: Option<&WorkspaceSetup>, at_home: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if holds.read_only {
        lines.push(
            "While planning, and for agents that only look: nothing can be changed, no network".to_owned(),
        );
    }
    if holds.rehearsal {
        lines.push(
            "Rehearsals: changes go to a layer that is thrown away, no network but a localhost of their own"
                .to_owned(),
        );
    }
    if at_home && workspace.is_some() {
        lines.push("In other modes: not held, since your home folder is a working folder".to_owned());
    } else if let Some(workspace) = workspace.filter(|_| holds.workspace) {
        let more: String = workspace.writable.iter().map(|folder| format!(", `{folder}`")).collect();
        let network = match workspace.domains.as_slice() {
            [] => "no network but a localhost of their own".to_owned(),
            domains => format!("network to {}", domains.join(", ")),
        };
        lines.push(format!("In other modes: changes in the working folders{more}; {network}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_what_is_confined() {
        let all = Holds { read_only: true, rehearsal: true, workspace: true };
        let workspace = WorkspaceSetup { domains: vec!["crates.io".into()], ..WorkspaceSetup::default() };
        assert_eq!(policies(all, Some(&workspace), false).len(), 3);
        assert!(policies(all, Some(&workspace), false)[2].ends_with("network to crates.io"));
        assert!(policies(all, Some(&workspace), true)[2].contains("not held"));
        assert_eq!(policies(Holds::default(), Some(&workspace), false), Vec::<String>::new());
    }
}
