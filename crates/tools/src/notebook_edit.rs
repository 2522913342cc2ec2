//! `NotebookEdit`: a cell of a Jupyter notebook.

use std::borrow::Cow;

use forelook_protocol::{AbsPath, Action, ChangePreview};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::call::PreviewContext;
use crate::context::ToolContext;
use crate::notebook::{CellKind, Notebook, NotebookError, TextChange};
use crate::seen::SeenFiles;
use crate::target::{EditTarget, text_of};
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool, blocking};
use crate::{diff, endings, paths, seen, write};

/// Cells that are named when the one that is meant is not there.
const MAX_NAMED: usize = 100;

/// Changes a cell of a Jupyter notebook.
pub(crate) struct NotebookEdit;

/// What to change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Path of the notebook, an `.ipynb` file: absolute, or relative to the current directory.
    notebook_path: String,
    /// The cell's id as Read shows it; where cells have no ids, `cell-0` is the first one. When inserting, the new
    /// cell goes after this cell; if omitted, it goes first.
    #[serde(default)]
    cell_id: Option<String>,
    /// The complete new source of the cell; not needed to delete one.
    #[serde(default)]
    new_source: Option<String>,
    /// The cell's type. If omitted, the type stays the same; a new cell is code.
    #[serde(default)]
    cell_type: Option<CellType>,
    /// What to do; defaults to `replace`.
    #[serde(default)]
    edit_mode: EditMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CellType {
    Code,
    Markdown,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EditMode {
    #[default]
    Replace,
    Insert,
    Delete,
}

impl ToolMetadata for NotebookEdit {
    type Input = Input;
    const NAME: &'static str = "NotebookEdit";

    fn description(&self) -> Cow<'static, str> {
        "Changes one cell of a Jupyter notebook that you have read: replaces its source, inserts a new cell after \
         it, or deletes it. All other cells keep their outputs. A code cell with a new source loses its outputs, \
         since they came from the old source. The edit fails if the notebook was not read, or has changed since. For \
         other files, use Edit."
            .into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        let bad = |text: &str| Err(BadInput(text.to_owned()));
        if !input.notebook_path.to_ascii_lowercase().ends_with(".ipynb") {
            return bad("`notebook_path` does not end in `.ipynb`: for other files, use Edit");
        }
        if input.edit_mode != EditMode::Insert && input.cell_id.is_none() {
            return bad("`cell_id` is missing: send the cell's id as Read shows it");
        }
        if input.edit_mode != EditMode::Delete && input.new_source.is_none() {
            return bad("`new_source` is missing: send the complete source of the cell");
        }
        Ok(())
    }
}

impl TypedTool for NotebookEdit {
    fn action(&self, input: &Input, place: &CallLocation) -> Result<Action, BadInput> {
        Ok(Action::Edit { file: paths::file("notebook_path", &input.notebook_path, place)? })
    }

    async fn preview(&self, input: Input, cx: PreviewContext) -> Result<Option<ChangePreview>, ToolFailure> {
        blocking(move || {
            let target = EditTarget::previewed("notebook_path", &input.notebook_path, &cx)?;
            let old = known(&target, &cx.seen)?;
            let change = edited_notebook(target.path(), &old, &input, &cx.call.0)?;
            let [old, new] = change.sources.map(ended);
            Ok(Some(diff::between_whole(&old, &new).preview(target.path(), false)))
        })
        .await
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        // Not given up half-way when interrupted: whether it was written must be known.
        blocking(move || {
            let target = EditTarget::decided_as("notebook_path", &input.notebook_path, &cx)?;
            edit(&target, &input, &cx.call.0, &cx.files.seen)
        })
        .await
    }
}

fn edit(
    target: &EditTarget,
    input: &Input,
    seed: &str,
    seen: &SeenFiles,
) -> Result<ToolSuccess, ToolFailure> {
    let old = known(target, seen)?;
    let EditedNotebook { new, done, .. } = edited_notebook(target.path(), &old, input, seed)?;
    let saw = target.save(&[&new])?;
    Ok(done.with(saw))
}

/// The bytes of a notebook that the model knows as it is.
fn known(target: &EditTarget, seen: &SeenFiles) -> Result<Vec<u8>, ToolFailure> {
    let path = target.path();
    let Some(old) = target.read()? else {
        return Err(ToolFailure::new(format!(
            "There is no file `{path}`\nCheck the path; to create a notebook, use Write"
        )));
    };
    seen::must_be_seen(path, &seen::hash(&old), seen)?;
    Ok(old)
}

/// What becomes of a notebook.
struct EditedNotebook {
    new: Vec<u8>,
    done: ToolSuccess,
    /// The cell's source before and after.
    sources: [String; 2],
}

fn edited_notebook(
    path: &AbsPath,
    old: &[u8],
    input: &Input,
    seed: &str,
) -> Result<EditedNotebook, ToolFailure> {
    let Ok((encoding, text)) = text_of(old) else {
        return Err(ToolFailure::new(format!("`{path}` is a binary file, not a notebook\nCheck the path")));
    };
    let notebook = Notebook::parse(&text).map_err(|error| broken(path, &error))?;
    let CellEdit { change: (gone, come), done, sources } = edited(path, &notebook, input, seed)?;
    let new = [&text[..gone.start], &come, &text[gone.end..]].concat();
    Ok(EditedNotebook { new: write::to_bytes(path, encoding, new)?, done, sources })
}

/// What is to be done, and what is told of it when it is.
struct CellEdit {
    change: TextChange,
    done: ToolSuccess,
    /// The cell's source before and after.
    sources: [String; 2],
}

fn edited(
    path: &AbsPath,
    notebook: &Notebook<'_>,
    input: &Input,
    seed: &str,
) -> Result<CellEdit, ToolFailure> {
    let cell = input.cell_id.as_deref().map(|id| cell(path, notebook, id)).transpose()?;
    let source = endings::normalize(input.new_source.as_deref().unwrap_or_default());
    let kind = input.cell_type.map(|kind| match kind {
        CellType::Code => CellKind::Code,
        CellType::Markdown => CellKind::Markdown,
    });
    match (input.edit_mode, cell) {
        (EditMode::Insert, after) => {
            let at = after.map_or(0, |at| at + 1);
            let kind = kind.unwrap_or(CellKind::Code);
            let (change, name) = notebook.insert(at, kind, &source, seed);
            let head = format!(
                "Inserted {} cell `{name}` in `{path}` as cell {} of {}",
                kind.as_str(),
                at + 1,
                notebook.cells.len() + 1
            );
            let done = report(path, &head, &name, ("", &source), "insert");
            Ok(CellEdit { change, done, sources: [String::new(), source.into_owned()] })
        }
        (EditMode::Replace, Some(at)) => replaced(path, notebook, at, kind, &source),
        (EditMode::Delete, Some(at)) => {
            let (name, source) = (notebook.name(at), notebook.cells.get(at).map(|cell| cell.source()));
            let head =
                format!("Deleted cell `{name}` from `{path}`; cells left: {}", notebook.cells.len() - 1);
            let source = source.unwrap_or_default();
            let done = report(path, &head, &name, (&source, ""), "delete");
            Ok(CellEdit { change: notebook.delete(at), done, sources: [source, String::new()] })
        }
        // `check` does not let this through.
        (_, None) => Err(ToolFailure::new("`cell_id` is missing: send the cell's id as Read shows it")),
    }
}

fn replaced(
    path: &AbsPath,
    notebook: &Notebook<'_>,
    at: usize,
    kind: Option<CellKind>,
    source: &str,
) -> Result<CellEdit, ToolFailure> {
    let name = notebook.name(at);
    let cell = notebook.cells.get(at).ok_or_else(|| missing(path, notebook, &name))?;
    let (was, old) = (cell.kind(), cell.source());
    let kind = kind.unwrap_or(was);
    if kind == was && source == old {
        return Err(ToolFailure::new(format!(
            "Cell `{name}` of `{path}` already has this source, so nothing was changed"
        )));
    }
    let head = format!("Changed cell `{name}` of `{path}`");
    let mut done = report(path, &head, &name, (&old, source), "replace");
    if kind != was {
        done.text.push_str(&format!("It is now a {} cell; it was a {} cell\n", kind.as_str(), was.as_str()));
    }
    if was == CellKind::Code && cell.has_run() {
        done.text.push_str("Its outputs and execution count were removed: they came from its old content\n");
    }
    let change = notebook.replace(cell, kind, source);
    Ok(CellEdit { change, done, sources: [old, source.to_owned()] })
}

fn report(path: &AbsPath, head: &str, name: &str, (old, new): (&str, &str), mode: &str) -> ToolSuccess {
    let patch = diff::between(&ended(old.to_owned()), &ended(new.to_owned()));
    ToolSuccess::new(format!("{head}\n{patch}")).output(json!({
        "type": "update", "filePath": path, "cellId": name, "editMode": mode, "structuredPatch": patch.value(),
    }))
}

/// A source has no newline at its end; that is nothing to tell.
fn ended(text: String) -> String {
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}

/// The place of the one cell that is called so.
fn cell(path: &AbsPath, notebook: &Notebook<'_>, name: &str) -> Result<usize, ToolFailure> {
    match notebook.find(name).as_slice() {
        [at] => Ok(*at),
        [] => Err(missing(path, notebook, name)),
        several => {
            let places: Vec<String> = several.iter().map(|at| format!("`cell-{at}`")).collect();
            Err(ToolFailure::new(format!(
                "{} cells of `{path}` have the id `{name}`, so nothing was changed\n\
                 Name the one you mean by its position: {}",
                several.len(),
                places.join(", ")
            )))
        }
    }
}

fn missing(path: &AbsPath, notebook: &Notebook<'_>, name: &str) -> ToolFailure {
    let named = |(at, cell): (usize, &crate::notebook::Cell<'_>)| {
        format!("`{}` ({})", notebook.name(at), cell.kind().as_str())
    };
    let names: Vec<String> = notebook.cells.iter().enumerate().take(MAX_NAMED).map(named).collect();
    let more = if notebook.cells.len() > MAX_NAMED { ", …" } else { "" };
    let known = match names.is_empty() {
        true => "It has no cells: insert one without `cell_id`".to_owned(),
        false => format!("Its cells are: {}{more}", names.join(", ")),
    };
    ToolFailure::new(format!("There is no cell `{name}` in `{path}`, so nothing was changed\n{known}"))
}

fn broken(path: &AbsPath, error: &NotebookError) -> ToolFailure {
    let next = match error {
        NotebookError::Json(_) => "Repair it with Edit, which treats it as text; then try again",
        NotebookError::NoCells => "Check the path; plain JSON can be changed with Edit",
        NotebookError::Format(_) => {
            "Convert it first with Bash, if Jupyter is installed: `jupyter nbconvert --to notebook --nbformat 4 \
             --inplace`"
        }
    };
    ToolFailure::new(format!("`{path}` cannot be edited as a notebook: {error}\n{next}"))
}

#[cfg(test)]
mod tests;
