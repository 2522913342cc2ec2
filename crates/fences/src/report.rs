//! What the fences of a session enforce, as text for users.

use forelook_protocol::SandboxSupport;

use super::{WorkspaceScope, WorkspaceSetup};

/// What is confined, a line each.
pub(super) fn policies(
    holds: SandboxSupport,
    workspace: Option<&WorkspaceSetup>,
    scope: WorkspaceScope,
) -> Vec<String> {
    let mut lines = Vec::new();
    if !holds.read_only {
        lines.push(
            "No fence: commands need approval if they read configuration in their folder, or do not show which folder or \
             files they use"
                .to_owned(),
        );
    }
    if holds.masked {
        lines.push("Files that rules deny reading: hidden from commands, also outside a fence".to_owned());
    }
    if holds.read_only {
        lines.push(
            "Commands that run without asking because they only read: no changes, no network, no secrets"
                .to_owned(),
        );
        lines.push("While planning, and for read-only agents: no changes, no network".to_owned());
    }
    if holds.rehearsal {
        lines.push(
            "Rehearsals: changes go to an overlay that is discarded; no network except their own localhost"
                .to_owned(),
        );
    }
    let WorkspaceScope { modes, at_home } = scope;
    if at_home && workspace.is_some() {
        lines.push(format!("{modes}: not enforced, because your home folder is a working directory"));
    } else if let Some(workspace) = workspace.filter(|_| holds.workspace) {
        let more: String = workspace.writable.iter().map(|folder| format!(", `{folder}`")).collect();
        let network = match workspace.domains.as_slice() {
            [] => "no network except their own localhost".to_owned(),
            domains => format!("network access to {}", domains.join(", ")),
        };
        lines.push(format!("{modes}: changes only in the working directories{more}; {network}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_what_is_confined() {
        let all = SandboxSupport { read_only: true, rehearsal: true, workspace: true, masked: true };
        let here = WorkspaceScope { modes: "Other modes", at_home: false };
        let home = WorkspaceScope { modes: "Mode `acceptEdits`", at_home: true };
        let workspace = WorkspaceSetup { domains: vec!["crates.io".into()], ..WorkspaceSetup::default() };
        assert_eq!(policies(all, Some(&workspace), here).len(), 5);
        assert!(policies(all, Some(&workspace), here)[4].ends_with("network access to crates.io"));
        assert!(policies(all, Some(&workspace), home)[4].starts_with("Mode `acceptEdits`: not enforced"));
        let nothing = policies(SandboxSupport::default(), Some(&workspace), here);
        assert!(nothing.len() == 1 && nothing[0].starts_with("No fence"), "{nothing:?}");
    }
}
