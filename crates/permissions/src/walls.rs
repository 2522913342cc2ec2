//! What no rule lets through, in any mode.
//!
//! | wall | default, acceptEdits | auto | dontAsk | bypass |
//! |---|---|---|---|---|
//! | removing or overwriting a root | ask | ask | deny | ask |
//! | the program's own files are written | ask | ask | deny | ask |
//! | a protected path is written | ask | classifier | deny | allowed |
//! | a known secret is read | ask | ask | deny | ask |
//! | git throws work away | ask | ask | deny | ask |
//!
//! In plan mode the plan gate has spoken before; of these only the secrets concern it.

use forelook_protocol::{AbsPath, Action, Decision, FileRef, Mode, Reason, Step};
use forelook_shell::Danger;

use crate::case::Case;
use crate::explain;
use crate::line::Where;
use crate::paths::{is_protected, may_be_secret};

/// A wall that stands in the way, and what it says.
pub(crate) fn wall(case: &Case<'_>) -> Option<Decision> {
    if matches!(case.action, Action::Rehearse { .. }) {
        // What it would do happens to nothing real; and outside of planning it is refused anyway.
        return None;
    }
    let mode = case.policy.standing.mode();
    let ask_or_deny = |text: String| match mode {
        Mode::DontAsk => Decision::Deny(reason(explain::wall_denied(&text))),
        _ => Decision::Ask(reason(text)),
    };
    let hard =
        root(case).or_else(|| own_file(case)).or_else(|| secret(case)).or_else(|| discarded_work(case));
    if let Some(text) = hard {
        return Some(ask_or_deny(text));
    }
    let home = case.policy.user_home.as_ref();
    let path = written(case).into_iter().find(|file| file.both().any(|path| is_protected(path, home)))?;
    let text = explain::protected(&path.named);
    match mode {
        Mode::BypassPermissions => None,
        Mode::Auto => Some(Decision::Judge(reason(text))),
        _ => Some(ask_or_deny(text)),
    }
}

/// A known secret that would be read: the one wall that plan mode asks about too.
pub(crate) fn secret(case: &Case<'_>) -> Option<String> {
    let home = case.policy.user_home.as_ref();
    let known = |file: &FileRef| {
        file.both().any(|path| case.policy.is_secret(path)).then(|| explain::secret(&file.named))
    };
    match case.action {
        Action::Read { file } => known(file),
        Action::Shell { .. } | Action::Rehearse { .. } => {
            case.line.as_ref()?.parts.iter().flat_map(|part| &part.reads).find_map(|place| match place {
                Where::File(file) => known(file),
                Where::Below { folder, begins } => {
                    may_be_secret(folder, begins, home).then(|| explain::secrets_below(folder))
                }
                Where::Unknown => None,
            })
        }
        _ => None,
    }
}

fn reason(text: String) -> Reason {
    Reason::new(Step::Wall, text)
}

fn root(case: &Case<'_>) -> Option<String> {
    let line = case.line.as_ref()?;
    let dangers = line.analysis.parts.iter().flat_map(|part| &part.dangers);
    let mut named = dangers.filter_map(|danger| match danger {
        Danger::Root { path } | Danger::Device { path } => Some(explain::root(path)),
        Danger::IrreversibleGit { .. } => None,
    });
    named.next().or_else(|| working_folder(case))
}

/// `rm -r ../project`: a working folder or one above it, by whatever name.
fn working_folder(case: &Case<'_>) -> Option<String> {
    let line = case.line.as_ref()?;
    let removes = |program: Option<&str>| {
        matches!(program, Some("rm" | "rmdir" | "mv" | "shred" | "unlink" | "truncate"))
    };
    let parts = line.both().filter(|(part, _)| removes(part.program()));
    let mut written = parts.flat_map(|(_, view)| &view.writes).filter_map(Where::file);
    let holds_work = |path: &AbsPath| {
        case.policy.folders.iter().any(|folder| folder.is_inside(path))
            || case.policy.user_home.as_ref() == Some(path)
    };
    written.find(|file| file.both().any(holds_work)).map(|file| explain::root(&file.named.to_string()))
}

fn own_file(case: &Case<'_>) -> Option<String> {
    let own = |path: &AbsPath| {
        let files = &case.policy.own;
        let home = path.is_inside(&files.home) && !path.is_inside(&files.home.join("plans"));
        let project = path.parent().is_some_and(|folder| {
            let settings = path
                .as_path()
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"settings"));
            settings && folder.as_path().file_name().is_some_and(|name| name == ".forelook")
        });
        home || project || path.is_inside(&files.managed)
    };
    written(case).into_iter().find(|file| file.both().any(own)).map(|file| explain::own(&file.named))
}

fn discarded_work(case: &Case<'_>) -> Option<String> {
    let line = case.line.as_ref()?;
    line.both().find_map(|(part, view)| {
        let what = part.dangers.iter().find_map(|danger| match danger {
            Danger::IrreversibleGit { what } => Some(what),
            Danger::Root { .. } | Danger::Device { .. } => None,
        })?;
        // What was pushed over or dropped from the stash is gone on a clean tree too.
        let always = what.contains("push") || what.contains("stash");
        (always || view.discards == Some(true)).then(|| explain::discards(what))
    })
}

fn written(case: &Case<'_>) -> Vec<FileRef> {
    match case.action {
        Action::Edit { file } => vec![file.clone()],
        Action::Shell { .. } => {
            let parts = case.line.iter().flat_map(|line| &line.parts);
            let places = parts.flat_map(|part| part.writes.iter().chain(&part.redirected));
            places
                .filter_map(|place| if let Where::File(file) = place { Some(file.clone()) } else { None })
                .collect()
        }
        _ => Vec::new(),
    }
}
