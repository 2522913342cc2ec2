//! A Jupyter notebook in words: its cells in order, with what came out of them.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::clean::Cleaner;
use crate::output::shorten;
use crate::typed::Picture;

use super::picture;

/// Pictures of one notebook that are shown.
const MAX_PICTURES: usize = 5;
/// Characters of one output.
const MAX_OUTPUT: usize = 10_000;

/// A notebook as the model reads it.
#[derive(Debug, Default)]
pub(super) struct RenderedNotebook {
    pub(super) text: String,
    pub(super) pictures: Vec<Picture>,
    left_out: usize,
}

/// Why a file is no notebook.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotebookRenderError {
    /// The JSON is broken.
    #[error("its JSON is broken at line {line}, column {column}: {what}")]
    Broken { line: usize, column: usize, what: String },
    /// It is something else in JSON.
    #[error("it is JSON, but has no `cells`")]
    NoCells,
}

/// Renders the text of a notebook file.
pub(super) fn render(
    text: &str,
    cancel: &CancellationToken,
) -> Result<RenderedNotebook, NotebookRenderError> {
    let notebook: Value = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let words = error.to_string();
        let what = words.split(" at line ").next().unwrap_or_default().to_owned();
        NotebookRenderError::Broken { line, column, what }
    })?;
    let cells = cells(&notebook).ok_or(NotebookRenderError::NoCells)?;
    let mut out = RenderedNotebook::default();
    let language = ["/metadata/language_info/name", "/metadata/kernelspec/language"]
        .iter()
        .find_map(|at| notebook.pointer(at)?.as_str());
    let kind = language.map(|language| format!(" in {language}")).unwrap_or_default();
    let _ = writeln!(out.text, "[Notebook{kind} with {} {}]", cells.len(), plural(cells.len(), "cell"));
    for (index, cell) in cells.iter().enumerate() {
        out.cell(index, cell, cancel);
    }
    if out.left_out > 0 {
        let _ = writeln!(
            out.text,
            "\n[{} more {} left out; at most {MAX_PICTURES} are shown]",
            out.left_out,
            plural(out.left_out, "image")
        );
    }
    Ok(out)
}

/// The cells of both formats that are about: in the older one they lie in worksheets.
fn cells(notebook: &Value) -> Option<Vec<&Value>> {
    if let Some(cells) = notebook.get("cells").and_then(Value::as_array) {
        return Some(cells.iter().collect());
    }
    let sheets = notebook.get("worksheets")?.as_array()?;
    Some(sheets.iter().filter_map(|sheet| sheet.get("cells")?.as_array()).flatten().collect())
}

impl RenderedNotebook {
    fn cell(&mut self, index: usize, cell: &Value, cancel: &CancellationToken) {
        let id = match cell.get("id").and_then(Value::as_str) {
            Some(id) => id.to_owned(),
            None => format!("cell-{index}"),
        };
        let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or("unknown");
        let count = cell.get("execution_count").or_else(|| cell.get("prompt_number")).and_then(Value::as_u64);
        let ran = count.map(|count| format!(", execution count {count}")).unwrap_or_default();
        let _ = writeln!(self.text, "\n[Cell `{id}`: {kind}{ran}]");
        let source = cell.get("source").or_else(|| cell.get("input")).map(joined).unwrap_or_default();
        self.block(&source);
        for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
            self.output(&id, output, cancel);
        }
    }

    fn output(&mut self, id: &str, output: &Value, cancel: &CancellationToken) {
        let Some(fields) = output.as_object() else { return };
        match fields.get("output_type").and_then(Value::as_str) {
            Some("stream") => {
                let name = fields.get("name").or_else(|| fields.get("stream")).and_then(Value::as_str);
                let _ = writeln!(self.text, "[Output of `{id}`: {}]", name.unwrap_or("stdout"));
                self.words(&fields.get("text").map(joined).unwrap_or_default());
            }
            Some("error" | "pyerr") => {
                let _ = writeln!(self.text, "[Output of `{id}`: error]");
                self.words(&error(fields));
            }
            // Format 4 has the data in a field of its own, format 3 beside the others and under short names.
            _ => self.data(id, fields.get("data").and_then(Value::as_object).unwrap_or(fields), cancel),
        }
    }

    fn data(&mut self, id: &str, data: &Map<String, Value>, cancel: &CancellationToken) {
        let get = |names: [&str; 2]| names.iter().find_map(|name| data.get(*name)).map(joined);
        let picture = ["image/png", "png", "image/jpeg", "jpeg", "image/gif", "image/webp"]
            .iter()
            .find_map(|name| data.get(*name));
        if let Some(picture) = picture {
            self.picture(id, &joined(picture), cancel);
        }
        let plain = get(["text/plain", "text"]);
        let words =
            plain.or_else(|| get(["text/markdown", "text/latex"])).or_else(|| get(["text/html", "html"]));
        match words {
            Some(words) => {
                let _ = writeln!(self.text, "[Output of `{id}`: result]");
                self.words(&words);
            }
            None if picture.is_some() => {}
            None => {
                let kinds: Vec<String> = data.keys().map(|kind| format!("`{kind}`")).collect();
                let kinds = shorten(&kinds.join(", "), 200);
                let _ = writeln!(self.text, "[Output of `{id}`: {kinds}, not shown]");
            }
        }
    }

    fn picture(&mut self, id: &str, base64: &str, cancel: &CancellationToken) {
        if self.pictures.len() == MAX_PICTURES {
            self.left_out += 1;
            let _ = writeln!(self.text, "[Output of `{id}`: an image, left out]");
            return;
        }
        let packed: String = base64.split_ascii_whitespace().collect();
        let bytes = STANDARD.decode(packed).ok();
        let shown = bytes.and_then(|bytes| picture::show(&bytes, picture::kind(&bytes)?, cancel).ok());
        let _ = match shown {
            Some(shown) => {
                self.pictures.push(shown.picture);
                writeln!(self.text, "[Output of `{id}`: image {}, shown below]", self.pictures.len())
            }
            None => writeln!(self.text, "[Output of `{id}`: a broken image]"),
        };
    }

    /// What a program said: without colours, and not all of a long one.
    fn words(&mut self, text: &str) {
        let mut cleaner = Cleaner::default();
        let clean = cleaner.push(text.as_bytes()) + &cleaner.finish();
        self.block(&shorten(&clean, MAX_OUTPUT));
    }

    fn block(&mut self, text: &str) {
        self.text.push_str(text);
        if !text.is_empty() && !text.ends_with('\n') {
            self.text.push('\n');
        }
    }
}

/// A text, which is one string or a list of lines.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The traceback, which has name and value in it; else these alone.
fn error(fields: &Map<String, Value>) -> String {
    let lines = fields.get("traceback").and_then(Value::as_array).into_iter().flatten();
    let traceback: Vec<&str> = lines.filter_map(Value::as_str).collect();
    if !traceback.is_empty() {
        return traceback.join("\n");
    }
    let word = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    format!("{}: {}", word("ename"), word("evalue"))
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}
