//! What the fences of a session enforce, as text for users.

use forelook_protocol::SandboxSupport;

use super::WorkspaceSetup;

/// What is confined, a line each.
pub(super) fn policies(
    holds: SandboxSupport,
    workspace: Option<&WorkspaceSetup>,
    at_home: bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    if holds.masked {
        lines.push("Files that rules deny reading: hidden from commands, also outside a fence".to_owned());
    }
    if holds.read_only {
        lines.push("While planning, and for read-only agents: no changes, no network".to_owned());
    }
    if holds.rehearsal {
        lines.push(
            "Rehearsals: changes go to an overlay that is discarded; no network except their own localhost"
                .to_owned(),
        );
    }
    if at_home && workspace.is_some() {
        lines
            .push("In other modes: not enforced, because your home folder is a working directory".to_owned());
    } else if let Some(workspace) = workspace.filter(|_| holds.workspace) {
        let more: String = workspace.writable.iter().map(|folder| format!(", `{folder}`")).collect();
        let network = match workspace.domains.as_slice() {
            [] => "no network except their own localhost".to_owned(),
            domains => format!("network access to {}", domains.join(", ")),
        };
        lines.push(format!("In other modes: changes only in the working directories{more}; {network}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_what_is_confined() {
        let all = SandboxSupport { masked: true, read_only: true, rehearsal: true, workspace: true };
        let workspace = WorkspaceSetup { domains: vec!["crates.io".into()], ..WorkspaceSetup::default() };
        assert_eq!(policies(all, Some(&workspace), false).len(), 4);
        assert!(policies(all, Some(&workspace), false)[3].ends_with("network access to crates.io"));
        assert!(policies(all, Some(&workspace), true)[3].contains("not enforced"));
        assert_eq!(policies(SandboxSupport::default(), Some(&workspace), false), Vec::<String>::new());
    }
}
