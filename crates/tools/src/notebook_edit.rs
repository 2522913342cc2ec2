//! `NotebookEdit`: a cell of a Jupyter notebook.

use std::borrow::Cow;

use forelook_protocol::{AbsPath, Action};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::notebook::{Change, Kind, NotANotebook, Notebook};
use crate::seen::SeenFiles;
use crate::target::{Target, text_of};
use crate::tool::{BadInput, Place};
use crate::typed::{Described, Done, Failure, TypedTool, blocking};
use crate::{diff, endings, paths, seen, write};

/// Cells that are named when the one that is meant is not there.
const MAX_NAMED: usize = 100;

/// Changes a cell of a Jupyter notebook.
pub(crate) struct NotebookEdit;

/// What to change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The notebook, an `.ipynb` file: an absolute path, or one relative to the current folder.
    notebook_path: String,
    /// The cell, by the id that Read shows; `cell-0` is the first one where cells have none. To insert, the cell after
    /// which the new one comes; without it, the new one comes first.
    #[serde(default)]
    cell_id: Option<String>,
    /// The whole new source of the cell; not needed to delete one.
    #[serde(default)]
    new_source: Option<String>,
    /// What the cell is. If left out, it stays what it is; a new one is code.
    #[serde(default)]
    cell_type: Option<CellType>,
    /// What to do; `replace` if left out.
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

impl Described for NotebookEdit {
    type Input = Input;
    const NAME: &'static str = "NotebookEdit";

    fn description(&self) -> Cow<'static, str> {
        "Changes one cell of a Jupyter notebook that you have read: gives it a new source, inserts a new cell after \
        it, or deletes it. All other cells keep their outputs. A code cell that gets a new source loses its own, \
        since they came from the old one. A notebook that was not read, or that changed since, is refused. For any \
        other file use Edit."
            .into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        let bad = |text: &str| Err(BadInput(text.to_owned()));
        if !input.notebook_path.to_ascii_lowercase().ends_with(".ipynb") {
            return bad("`notebook_path` does not end in `.ipynb`: for any other file use Edit");
        }
        if input.edit_mode != EditMode::Insert && input.cell_id.is_none() {
            return bad("`cell_id` is missing: send the id of the cell, as Read shows it");
        }
        if input.edit_mode != EditMode::Delete && input.new_source.is_none() {
            return bad("`new_source` is missing: send the whole source of the cell");
        }
        Ok(())
    }
}

impl TypedTool for NotebookEdit {
    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        Ok(Action::Edit { file: paths::file("notebook_path", &input.notebook_path, place)? })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        // Not given up half-way when interrupted: whether it was written must be known.
        blocking(move || {
            let target = Target::decided_as("notebook_path", &input.notebook_path, &cx)?;
            edit(&target, &input, &cx.call.0, &cx.files.seen)
        })
        .await
    }
}

fn edit(target: &Target, input: &Input, seed: &str, seen: &SeenFiles) -> Result<Done, Failure> {
    let path = target.path();
    let Some(old) = target.read()? else {
        return Err(Failure::new(format!(
            "There is no file `{path}`\nCheck the path; to make a new notebook use Write"
        )));
    };
    seen::must_be_seen(path, &seen::hash(&old), seen)?;
    let Ok((encoding, text)) = text_of(&old) else {
        return Err(Failure::new(format!("`{path}` is a binary file, not a notebook\nCheck the path")));
    };
    let notebook = Notebook::parse(&text).map_err(|error| broken(path, &error))?;
    let Edited { change: (gone, come), done } = edited(path, &notebook, input, seed)?;
    let new = [&text[..gone.start], &come, &text[gone.end..]].concat();
    let saw = target.save(&[&write::to_bytes(path, encoding, new)?])?;
    Ok(done.with(saw))
}

/// What is to be done, and what is told of it when it is.
struct Edited {
    change: Change,
    done: Done,
}

fn edited(path: &AbsPath, notebook: &Notebook<'_>, input: &Input, seed: &str) -> Result<Edited, Failure> {
    let cell = input.cell_id.as_deref().map(|id| cell(path, notebook, id)).transpose()?;
    let source = endings::plain(input.new_source.as_deref().unwrap_or_default());
    let kind = input.cell_type.map(|kind| match kind {
        CellType::Code => Kind::Code,
        CellType::Markdown => Kind::Markdown,
    });
    match (input.edit_mode, cell) {
        (EditMode::Insert, after) => {
            let at = after.map_or(0, |at| at + 1);
            let kind = kind.unwrap_or(Kind::Code);
            let (change, name) = notebook.insert(at, kind, &source, seed);
            let head = format!(
                "Inserted {} cell `{name}` in `{path}`, as number {} of {}",
                kind.as_str(),
                at + 1,
                notebook.cells.len() + 1
            );
            Ok(Edited { change, done: told(path, &head, &name, ("", &source), "insert") })
        }
        (EditMode::Replace, Some(at)) => replaced(path, notebook, at, kind, &source),
        (EditMode::Delete, Some(at)) => {
            let (name, source) = (notebook.name(at), notebook.cells.get(at).map(|cell| cell.source()));
            let head = format!("Deleted cell `{name}` of `{path}`; {} are left", notebook.cells.len() - 1);
            let done = told(path, &head, &name, (&source.unwrap_or_default(), ""), "delete");
            Ok(Edited { change: notebook.delete(at), done })
        }
        // `check` does not let this through.
        (_, None) => Err(Failure::new("`cell_id` is missing: send the id of the cell, as Read shows it")),
    }
}

fn replaced(
    path: &AbsPath,
    notebook: &Notebook<'_>,
    at: usize,
    kind: Option<Kind>,
    source: &str,
) -> Result<Edited, Failure> {
    let name = notebook.name(at);
    let cell = notebook.cells.get(at).ok_or_else(|| missing(path, notebook, &name))?;
    let (was, old) = (cell.kind(), cell.source());
    let kind = kind.unwrap_or(was);
    if kind == was && source == old {
        return Err(Failure::new(format!(
            "Cell `{name}` of `{path}` has this source already, so nothing was changed"
        )));
    }
    let head = format!("Changed cell `{name}` of `{path}`");
    let mut done = told(path, &head, &name, (&old, source), "replace");
    if kind != was {
        done.text.push_str(&format!("It is a {} cell now; it was a {} cell\n", kind.as_str(), was.as_str()));
    }
    if was == Kind::Code && cell.has_run() {
        done.text.push_str(
            "Its outputs and its execution count were taken out: they came from what it was before\n",
        );
    }
    Ok(Edited { change: notebook.replace(cell, kind, source), done })
}

fn told(path: &AbsPath, head: &str, name: &str, (old, new): (&str, &str), mode: &str) -> Done {
    // A source has no newline at its end; that is nothing to tell.
    let ended = |text: &str| match text.is_empty() || text.ends_with('\n') {
        true => text.to_owned(),
        false => format!("{text}\n"),
    };
    let patch = diff::between(&ended(old), &ended(new));
    Done::new(format!("{head}\n{patch}")).output(json!({
        "type": "update", "filePath": path, "cellId": name, "editMode": mode, "structuredPatch": patch.value(),
    }))
}

/// The place of the one cell that is called so.
fn cell(path: &AbsPath, notebook: &Notebook<'_>, name: &str) -> Result<usize, Failure> {
    match notebook.find(name).as_slice() {
        [at] => Ok(*at),
        [] => Err(missing(path, notebook, name)),
        several => {
            let places: Vec<String> = several.iter().map(|at| format!("`cell-{at}`")).collect();
            Err(Failure::new(format!(
                "{} cells of `{path}` have the id `{name}`, so nothing was changed\nName the one that is meant by its \
                 place: {}",
                several.len(),
                places.join(", ")
            )))
        }
    }
}

fn missing(path: &AbsPath, notebook: &Notebook<'_>, name: &str) -> Failure {
    let named = |(at, cell): (usize, &crate::notebook::Cell<'_>)| {
        format!("`{}` ({})", notebook.name(at), cell.kind().as_str())
    };
    let names: Vec<String> = notebook.cells.iter().enumerate().take(MAX_NAMED).map(named).collect();
    let more = if notebook.cells.len() > MAX_NAMED { ", …" } else { "" };
    let known = match names.is_empty() {
        true => "It has no cells: insert one without `cell_id`".to_owned(),
        false => format!("Its cells are: {}{more}", names.join(", ")),
    };
    Failure::new(format!("There is no cell `{name}` in `{path}`, so nothing was changed\n{known}"))
}

fn broken(path: &AbsPath, error: &NotANotebook) -> Failure {
    let next = match error {
        NotANotebook::Json(_) => "Mend it with Edit, which takes it as text; then try again",
        NotANotebook::NoCells => "Check the path; as plain JSON it can be changed with Edit",
        NotANotebook::Format(_) => {
            "Convert it first with Bash, if Jupyter is there: `jupyter nbconvert --to notebook --nbformat 4 --inplace`"
        }
    };
    Failure::new(format!("`{path}` cannot be changed as a notebook: {error}\n{next}"))
}

#[cfg(test)]
mod tests;
