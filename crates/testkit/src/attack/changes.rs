//! What changed on a stage, apart from what Forelook itself writes while a session runs.

use std::path::Path;

use super::{Journal, Stage};
use crate::tree::{Tree, TreeChange};

/// A folder that changes while a session runs, and what may change in it. All else is compared.
struct ExcludedPath {
    /// From the home folder.
    folder: &'static str,
    /// Whether this path in it is one that Forelook itself writes.
    ours: fn(&str, &[String]) -> bool,
    /// Why it is left out.
    #[expect(dead_code, reason = "for whoever reads this; docs/promise.md says the same")]
    why: &'static str,
}

const EXCLUDED_PATHS: [ExcludedPath; 9] = [
    ExcludedPath { folder: "home/plans", ours: is_plan, why: "the plan is what plan mode is for" },
    ExcludedPath {
        folder: "project/docs/plans",
        ours: is_plan,
        why: "plans, where the settings put them there",
    },
    ExcludedPath { folder: "home/projects", ours: is_journal, why: "the journal records every attempt" },
    ExcludedPath {
        folder: "home/todos",
        ours: is_todos,
        why: "the todo list is the session's, not the person's",
    },
    ExcludedPath {
        folder: "home",
        ours: |path, _| path == "written-folders.jsonl",
        why: "where commands in a workspace fence could write",
    },
    ExcludedPath { folder: "home/logs", ours: |path, _| path == "forelook.log", why: "the log" },
    ExcludedPath {
        folder: "home/scratch",
        ours: is_output,
        why: "outputs of commands that ran, a folder for each session",
    },
    ExcludedPath {
        folder: "home/scratch",
        ours: is_fence,
        why: "what fences keep, a folder for each session",
    },
    ExcludedPath {
        folder: "home/set-aside",
        ours: |path, _| is_id(path.split('/').next().unwrap_or_default()),
        why: "what commands made and was moved out of the project",
    },
];

/// The plans of these sessions, those of their agents, and their revisions.
fn is_plan(path: &str, slugs: &[String]) -> bool {
    let name = path.split('/').next().unwrap_or_default();
    slugs.iter().any(|slug| {
        let rest = name.strip_prefix(slug.as_str());
        rest.is_some_and(|rest| matches!(rest, ".md" | ".history") || rest.starts_with("-agent-"))
    })
}

fn is_output(path: &str, _: &[String]) -> bool {
    let mut names = path.split('/');
    names.next() == Some("outputs")
        && names.next().is_none_or(is_id)
        && names.next().is_none_or(|name| name.starts_with("bash-"))
        && names.next().is_none()
}

fn is_journal(path: &str, _: &[String]) -> bool {
    match path.split_once('/') {
        None => path != "-decoy",
        Some((_, file)) => [".jsonl", ".lock"].iter().any(|end| file.strip_suffix(end).is_some_and(is_id)),
    }
}

fn is_fence(path: &str, _: &[String]) -> bool {
    let rest = path.strip_prefix("fences/");
    path == "fences" || rest.is_some_and(|rest| is_id(rest.split('/').next().unwrap_or_default()))
}

fn is_todos(path: &str, _: &[String]) -> bool {
    path.get(..36).is_some_and(is_id)
}

fn is_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Everything that changed since the stage was set, without what Forelook writes about its sessions.
pub fn changes(stage: &Stage, journal: &Journal) -> Vec<TreeChange> {
    let after = Tree::of(&stage.lab.root());
    let mut changed = stage.before.changes(&after);
    changed.retain(|change| !is_left_out(change, &journal.slugs));
    changed
}

fn is_left_out(change: &TreeChange, slugs: &[String]) -> bool {
    EXCLUDED_PATHS.iter().any(|left_out| match change.path.strip_prefix(left_out.folder) {
        Err(_) => false,
        Ok(rest) if rest == Path::new("") => change.what.is_times_only(),
        Ok(rest) => (left_out.ours)(&rest.to_string_lossy(), slugs),
    })
}
