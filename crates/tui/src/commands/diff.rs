//! `/diff`: what this session changed in files.

use forelook_protocol::{Query, Rehearsal, Reply, SessionChanges};
use forelook_wording::{COMMANDS_RAN, counted, no_changes, unknown_change, visible};
use ratatui_core::text::Line;

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::cells::rehearsal_rows;
use crate::markdown::RenderContext;
use crate::text::{Indent, wrap};
use crate::view::{FullScreenView, Pager, PagerRows};

pub(super) const DIFF: SlashCommand =
    SlashCommand { name: "diff", usage: "", about: "show what this session changed in files", run };

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Changes, |app, reply| {
        let Reply::Changes(changes) = reply else { return Vec::new() };
        if changes.files.is_empty() && changes.unknown.is_empty() {
            app.show_note(no_changes(changes.commands_ran));
            return Vec::new();
        }
        let (title, changes) = (title(changes), changes.clone());
        app.open(FullScreenView::Pager(Box::new(Pager::new(title, move |ctx| rows(&changes, ctx)))));
        Vec::new()
    })
}

fn title(changes: &SessionChanges) -> String {
    let (added, removed) =
        changes.files.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
    let files = counted((changes.files.len() + changes.unknown.len()) as u64, "file", "files");
    format!("This session changed {files} (+{added} −{removed})")
}

/// The files, what is not known, and then each file's changes under its name.
pub(super) fn rows(changes: &SessionChanges, ctx: RenderContext) -> PagerRows {
    let note = |text: &str| {
        wrap(&Line::styled(visible(text).into_owned(), ctx.theme.warning), ctx.width, &Indent::all("  "))
    };
    let list = Rehearsal { files: changes.files.clone(), ..Rehearsal::default() };
    let mut rows = if changes.files.is_empty() { Vec::new() } else { rehearsal_rows(&list, ctx) };
    for path in &changes.unknown {
        rows.extend(note(&unknown_change(path)));
    }
    if changes.commands_ran {
        rows.extend(note(COMMANDS_RAN));
    }
    let mut parts = Vec::new();
    for diff in &changes.diffs {
        rows.push(Line::default());
        parts.push(rows.len());
        rows.extend(crate::diff::rows_of_files(&visible(diff), ctx));
    }
    PagerRows { rows, parts }
}
