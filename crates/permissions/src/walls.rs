//! What no rule allows, in any mode.
//!
//! | wall | default, acceptEdits | auto | dontAsk | bypass |
//! |---|---|---|---|---|
//! | a critical path is removed or overwritten | ask | ask | deny | ask |
//! | Forelook's own files are written | ask | ask | deny | ask |
//! | a protected path is written, or named where nothing is known of the word and no fence holds it | ask | classifier | deny | allow |
//! | a known secret is read, or named in the same way | ask | ask | deny | ask |
//! | git discards work | ask | ask | deny | ask |
//! | a rule or a hook allows a command that does not show which files it reads or writes, and no fence holds it | ask | ask | deny | allow |
//!
//! In plan mode the plan gate decides first; of these walls, it uses only the one for secrets.

use forelook_protocol::{AbsPath, Action, Decision, DecisionStep, FileRef, HookDecision, Mode, Reason};
use forelook_shell::Danger;

use crate::confine;
use crate::decision_input::DecisionInput;
use crate::explain;
use crate::line::{ResolvedPart, ResolvedTarget};
use crate::paths::{is_dependency, may_be_secret};

/// The wall that applies, and what it decides.
pub(crate) fn wall(input: &DecisionInput<'_>) -> Option<Decision> {
    if matches!(input.action, Action::Rehearse { .. }) {
        // What it would do happens to nothing real; and outside of planning it is refused anyway.
        return None;
    }
    let mode = input.policy.mode_state.mode();
    let ask_or_deny = |text: String| match mode {
        Mode::DontAsk => Decision::Deny(reason(explain::wall_denied(&text))),
        _ => Decision::Ask(reason(text)),
    };
    let hard = root(input)
        .or_else(|| own_file(input))
        .or_else(|| named_secret(input))
        .or_else(|| mentioned_secret(input))
        .or_else(|| discarded_work(input))
        .or_else(|| unnamed_file(input));
    if let Some(text) = hard {
        return Some(ask_or_deny(text));
    }
    if mode != Mode::BypassPermissions {
        let missing = input.missing_git_files();
        if !missing.is_empty() {
            return Some(Decision::NeedFacts(missing));
        }
    }
    let protected = protected_file(input).or_else(|| mentioned_protected_file(input));
    let text = explain::protected(&protected?.named);
    match mode {
        Mode::BypassPermissions => None,
        Mode::Auto => Some(Decision::Classify(reason(text))),
        _ => Some(ask_or_deny(text)),
    }
}

/// Whether the action names a secret that it reads, or a file that controls what is allowed or runs later and that it
/// writes: a wall stands before these.
pub(crate) fn names_guarded_file(input: &DecisionInput<'_>) -> bool {
    named_secret(input).is_some() || own_file(input).is_some() || protected_file(input).is_some()
}

fn protected_file(input: &DecisionInput<'_>) -> Option<FileRef> {
    let protects = |file: &FileRef| file.paths().any(|path| input.is_protected(path));
    let in_trees = || {
        let parts = input.line.iter().flat_map(|line| &line.parts);
        let trees = parts.flat_map(|part| &part.writes).filter_map(|place| match place {
            ResolvedTarget::Tree(file) => Some(file.clone()),
            _ => None,
        });
        trees.into_iter().find(|file| file.paths().any(|path| input.policy.may_hold_protected(path)))
    };
    written(input).into_iter().find(protects).or_else(in_trees)
}

/// The files that words of a command may name, where nothing keeps it from them.
fn unheld_mentions<'a>(input: &'a DecisionInput<'_>) -> impl Iterator<Item = &'a FileRef> {
    let held = !matches!(input.action, Action::Shell { .. }) || !confine::confinement(input).is_unconfined();
    let parts = input.line.iter().flat_map(|line| &line.parts).filter(move |_| !held);
    parts.flat_map(|part| &part.mentions)
}

/// A known secret that a word names. What the program does with it is not known, so it may read it.
fn mentioned_secret(input: &DecisionInput<'_>) -> Option<String> {
    let mut secret =
        unheld_mentions(input).filter(|file| file.paths().any(|path| input.policy.is_secret(path)));
    secret.next().map(|file| explain::secret(&file.named))
}

/// The same for a file that decides what runs later: it may be written.
fn mentioned_protected_file(input: &DecisionInput<'_>) -> Option<FileRef> {
    let protects = |file: &&FileRef| file.paths().any(|path| input.policy.is_protected(path));
    unheld_mentions(input).find(protects).cloned()
}

/// A known secret that would be read: the one wall that plan mode asks about too.
pub(crate) fn named_secret(input: &DecisionInput<'_>) -> Option<String> {
    let home = input.policy.user_home.as_ref();
    let known = |file: &FileRef| {
        file.paths().any(|path| input.policy.is_secret(path)).then(|| explain::secret(&file.named))
    };
    match input.action {
        Action::Read { file } => known(file),
        Action::Shell { .. } | Action::Rehearse { .. } => {
            let parts = &input.line.as_ref()?.parts;
            let by_place = parts.iter().flat_map(|part| &part.reads).find_map(|place| match place {
                ResolvedTarget::File(file) | ResolvedTarget::Tree(file) => known(file),
                ResolvedTarget::Below { folder, begins } => {
                    let elsewhere =
                        || may_hold_projects(input, folder).then(|| explain::secrets_elsewhere(folder));
                    let itself = || place.named().and_then(|file| known(&file));
                    let below =
                        || may_be_secret(folder, begins, home).then(|| explain::secrets_below(folder));
                    itself().or_else(below).or_else(elsewhere)
                }
                ResolvedTarget::Tracked { .. } | ResolvedTarget::Unknown => None,
            });
            by_place.or_else(|| parts.iter().flat_map(|part| &part.loose_reads).find_map(known))
        }
        _ => None,
    }
}

/// Files that a command touches and does not name may be any of those that walls stand before. A fence hides and protects
/// them. Without one, a rule for the command does not speak for them; and where there is no rule, somebody is asked anyway,
/// with a reason that says more.
fn unnamed_file(input: &DecisionInput<'_>) -> Option<String> {
    let allowed =
        || matches!(input.facts.hook, Some(HookDecision::Allow(_))) || input.covering_rule().is_some();
    unheld_files(input).filter(|_| allowed())
}

/// Why a rule for this command would change nothing, if it would not: the command touches files that it does not name, and
/// no fence holds it.
pub(crate) fn unheld_files(input: &DecisionInput<'_>) -> Option<String> {
    let parts = &input.line.as_ref()?.parts;
    if input.policy.mode_state.mode() == Mode::BypassPermissions
        || !confine::confinement(input).is_unconfined()
    {
        return None;
    }
    let unnamed = |place: &ResolvedTarget| place.file().is_none();
    let written = |part: &ResolvedPart| part.writes.iter().chain(&part.redirected).any(unnamed);
    match () {
        () if parts.iter().any(written) => Some(explain::unnamed_writes()),
        () if parts.iter().any(|part| part.reads.iter().any(unnamed)) => Some(explain::unnamed_secrets()),
        () => None,
    }
}

/// Whether secrets of other projects may lie below this folder. Fences look for secrets in the working directories and at
/// known places, and nowhere else.
fn may_hold_projects(input: &DecisionInput<'_>, folder: &AbsPath) -> bool {
    !input.policy.is_working(folder) && !is_dependency(folder, input.policy.user_home.as_ref())
}

fn reason(text: String) -> Reason {
    Reason::new(DecisionStep::Wall, text)
}

fn root(input: &DecisionInput<'_>) -> Option<String> {
    let line = input.line.as_ref()?;
    let dangers = line.analysis.parts.iter().flat_map(|part| &part.dangers);
    let mut named = dangers.filter_map(|danger| match danger {
        Danger::Root { path } | Danger::Device { path } => Some(explain::root(path)),
        Danger::IrreversibleGit { .. } => None,
    });
    named.next().or_else(|| working_folder(input))
}

/// `rm -r ../project`: a working directory or a parent of it, under any name.
fn working_folder(input: &DecisionInput<'_>) -> Option<String> {
    let line = input.line.as_ref()?;
    let removes = |program: Option<&str>| {
        matches!(program, Some("rm" | "rmdir" | "mv" | "shred" | "unlink" | "truncate"))
    };
    let parts = line.zip_parts().filter(|(part, _)| removes(part.program()));
    let mut written = parts.flat_map(|(_, view)| &view.writes).filter_map(ResolvedTarget::file);
    let holds_work = |path: &AbsPath| {
        input.policy.folders.iter().any(|folder| folder.is_inside(path))
            || input.policy.user_home.as_ref() == Some(path)
    };
    written.find(|file| file.paths().any(holds_work)).map(|file| explain::root(&file.named.to_string()))
}

fn own_file(input: &DecisionInput<'_>) -> Option<String> {
    let own = |path: &AbsPath| {
        let files = &input.policy.own;
        let home = path.is_inside(&files.home) && !path.is_inside(&files.home.join("plans"));
        let project = path.parent().is_some_and(|folder| {
            let settings = path
                .as_path()
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"settings"));
            settings && folder.as_path().file_name().is_some_and(|name| name == ".forelook")
        });
        // The whole folder: moved, removed, or filled with what an archive holds.
        let folder = path.as_path().file_name().is_some_and(|name| name == ".forelook");
        home || project || folder || path.is_inside(&files.managed)
    };
    written(input).into_iter().find(|file| file.paths().any(own)).map(|file| explain::own(&file.named))
}

fn discarded_work(input: &DecisionInput<'_>) -> Option<String> {
    let line = input.line.as_ref()?;
    line.zip_parts().find_map(|(part, view)| {
        let what = part.dangers.iter().find_map(|danger| match danger {
            Danger::IrreversibleGit { what } => Some(what),
            Danger::Root { .. } | Danger::Device { .. } => None,
        })?;
        // What was pushed over or dropped from the stash is gone on a clean tree too.
        let always = matches!(what.split(' ').nth(1), Some("push" | "stash"));
        (always || view.discards == Some(true)).then(|| explain::discards(what))
    })
}

/// The files that the action names and writes to.
pub(crate) fn written(input: &DecisionInput<'_>) -> Vec<FileRef> {
    match input.action {
        Action::Edit { file } => vec![file.clone()],
        Action::Shell { .. } => {
            let parts = input.line.iter().flat_map(|line| &line.parts);
            let written = |part: &ResolvedPart| {
                let places = part.writes.iter().chain(&part.redirected).filter_map(ResolvedTarget::place);
                places.chain(part.loose_writes.iter().cloned()).collect::<Vec<_>>()
            };
            parts.flat_map(written).collect()
        }
        _ => Vec::new(),
    }
}
