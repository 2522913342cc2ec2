//! A Jupyter notebook: its cells in their order, everything else as it was.
//!
//! It is never written anew as a whole. What a change concerns is found in the text and replaced there, so that all the
//! rest keeps its bytes: outputs, unknown fields, numbers as somebody wrote them.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use self::style::Style;

mod style;

/// Why a text is no notebook that can be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotebookError {
    /// With the line and column.
    #[error("it is not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("it is JSON, but not a notebook: it has no number `nbformat` or no list `cells`")]
    NoCells,
    /// One of long ago, or of the future.
    #[error("it is a notebook of format {0}, and only format 4 is supported")]
    Format(u64),
}

/// A notebook, as a text and the places in it.
#[derive(Debug)]
pub(crate) struct Notebook<'a> {
    text: &'a str,
    /// What is inside the brackets of the list of cells.
    list: Range<usize>,
    pub(crate) cells: Vec<Cell<'a>>,
    /// Whether cells of this version have ids.
    has_ids: bool,
    style: Style,
}

/// A cell: where it stands, and its fields as they are written.
#[derive(Debug)]
pub(crate) struct Cell<'a> {
    range: Range<usize>,
    fields: Vec<(String, &'a str)>,
}

/// A change of the text: what goes, and what comes.
pub(crate) type TextChange = (Range<usize>, String);

/// What a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellKind {
    Code,
    Markdown,
    /// Raw text, or something newer.
    Other,
}

impl CellKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            CellKind::Code => "code",
            CellKind::Markdown => "markdown",
            CellKind::Other => "raw",
        }
    }
}

impl<'a> Notebook<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, NotebookError> {
        let Fields(fields) = serde_json::from_str(text)?;
        let field =
            |name: &str| fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.get());
        let number = |name: &str| field(name).and_then(|value| value.parse::<u64>().ok());
        match number("nbformat") {
            Some(4) => {}
            Some(other) => return Err(NotebookError::Format(other)),
            None => return Err(NotebookError::NoCells),
        }
        let list = field("cells").filter(|list| list.starts_with('[')).ok_or(NotebookError::NoCells)?;
        let cells: Vec<&RawValue> = serde_json::from_str(list)?;
        let cells = cells.into_iter().map(|cell| {
            let Fields(fields) = serde_json::from_str(cell.get())?;
            let fields = fields.into_iter().map(|(key, value)| (key, value.get())).collect();
            Ok(Cell { range: range_in(text, cell.get()), fields })
        });
        let cells = cells.collect::<Result<Vec<_>, serde_json::Error>>()?;
        let list = range_in(text, list);
        let list = list.start + 1..list.end - 1;
        let first = cells.first().map(|cell| &text[list.start..cell.range.start]);
        Ok(Self {
            text,
            style: Style::of(text, first),
            list,
            cells,
            has_ids: number("nbformat_minor").is_some_and(|minor| minor >= 5),
        })
    }

    /// What a cell is called: its id, or its place.
    pub(crate) fn name(&self, at: usize) -> String {
        self.cells.get(at).and_then(Cell::id).unwrap_or_else(|| format!("cell-{at}"))
    }

    /// The places of the cells that are called so. An id goes before a place.
    pub(crate) fn find(&self, name: &str) -> Vec<usize> {
        let called = |(at, cell): (usize, &Cell<'_>)| (cell.id().as_deref() == Some(name)).then_some(at);
        let mut found: Vec<usize> = self.cells.iter().enumerate().filter_map(called).collect();
        if found.is_empty() {
            let place = name.strip_prefix("cell-").and_then(|number| number.parse::<usize>().ok());
            found.extend(place.filter(|at| *at < self.cells.len()));
        }
        found
    }

    /// A cell with another source, and perhaps of another kind. A code cell loses its outputs and its count: they came
    /// from what it was before.
    pub(crate) fn replace(&self, cell: &Cell<'_>, kind: CellKind, source: &str) -> TextChange {
        let as_list = cell.raw("source").is_none_or(|source| source.starts_with('['));
        let source = self.style.source(source, as_list);
        let mut fields: Vec<(&str, String)> = Vec::new();
        for (key, value) in &cell.fields {
            let value = match (key.as_str(), kind) {
                ("source", _) => source.clone(),
                ("cell_type", CellKind::Code | CellKind::Markdown) => format!("\"{}\"", kind.as_str()),
                ("outputs", CellKind::Code) => "[]".to_owned(),
                ("execution_count", CellKind::Code) => "null".to_owned(),
                // What a cell of this kind may not have.
                ("outputs" | "execution_count", CellKind::Markdown) | ("attachments", CellKind::Code) => {
                    continue;
                }
                _ => (*value).to_owned(),
            };
            fields.push((key, value));
        }
        let has = |name: &str| fields.iter().any(|(key, _)| *key == name);
        let mut missing = vec![("source", source)];
        if kind == CellKind::Code {
            missing.push(("execution_count", "null".to_owned()));
            missing.push(("outputs", "[]".to_owned()));
        }
        missing.retain(|(key, _)| !has(key));
        for (key, value) in missing {
            // Jupyter sorts them; where they are sorted, they stay so.
            let at = fields.iter().position(|(other, _)| *other > key).unwrap_or(fields.len());
            fields.insert(at, (key, value));
        }
        (cell.range.clone(), self.style.cell(&fields))
    }

    /// A new cell at this place, and what it is called.
    pub(crate) fn insert(&self, at: usize, kind: CellKind, source: &str, seed: &str) -> (TextChange, String) {
        let id = self.has_ids.then(|| self.fresh_id(seed));
        let as_list =
            self.cells.iter().find_map(|cell| cell.raw("source")).is_none_or(|it| it.starts_with('['));
        let fields: Vec<(&str, String)> = [
            ("cell_type", Some(format!("\"{}\"", kind.as_str()))),
            ("execution_count", (kind == CellKind::Code).then(|| "null".to_owned())),
            ("id", id.as_ref().map(|id| format!("\"{id}\""))),
            ("metadata", Some("{}".to_owned())),
            ("outputs", (kind == CellKind::Code).then(|| "[]".to_owned())),
            ("source", Some(self.style.source(source, as_list))),
        ]
        .into_iter()
        .filter_map(|(key, value)| value.map(|value| (key, value)))
        .collect();
        let cell = self.style.cell(&fields);
        let change = match at.checked_sub(1).map(|before| self.cells.get(before).or(self.cells.last())) {
            Some(Some(before)) => {
                (before.range.end..before.range.end, format!(",{}{cell}", self.style.between()))
            }
            _ => match self.cells.first() {
                Some(first) => {
                    (first.range.start..first.range.start, format!("{cell},{}", self.style.between()))
                }
                None => (self.list.clone(), self.style.only(&cell)),
            },
        };
        (change, id.unwrap_or_else(|| format!("cell-{}", at.min(self.cells.len()))))
    }

    /// The list without a cell.
    pub(crate) fn delete(&self, at: usize) -> TextChange {
        let range = |at: usize| self.cells.get(at).map(|cell| cell.range.clone());
        let gone = match (at.checked_sub(1).and_then(range), range(at), range(at + 1)) {
            (Some(before), Some(cell), _) => before.end..cell.end,
            (None, Some(cell), Some(after)) => cell.start..after.start,
            (_, _, _) => self.list.clone(),
        };
        (gone, String::new())
    }

    /// An id that no cell has. Not by chance, so that the same call makes the same file.
    fn fresh_id(&self, seed: &str) -> String {
        let ids: Vec<String> = self.cells.iter().filter_map(Cell::id).collect();
        let id = |round: usize| {
            crate::seen::hash(format!("{round} {seed} {}", self.text).as_bytes())[..8].to_owned()
        };
        (0..).map(id).find(|id| !ids.contains(id)).unwrap_or_default()
    }
}

impl Cell<'_> {
    fn raw(&self, name: &str) -> Option<&str> {
        self.fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    fn id(&self) -> Option<String> {
        self.raw("id").and_then(|id| serde_json::from_str(id).ok())
    }

    pub(crate) fn kind(&self) -> CellKind {
        match self.raw("cell_type") {
            Some("\"code\"") => CellKind::Code,
            Some("\"markdown\"") => CellKind::Markdown,
            _ => CellKind::Other,
        }
    }

    /// Its text, be it written as one or as a list of lines.
    pub(crate) fn source(&self) -> String {
        let source = self.raw("source").unwrap_or_default();
        let lines = || serde_json::from_str::<Vec<String>>(source).map(|lines| lines.concat());
        serde_json::from_str::<String>(source).or_else(|_| lines()).unwrap_or_default()
    }

    /// Whether it keeps what came of running it.
    pub(crate) fn has_run(&self) -> bool {
        let none = |name: &str, value: &str| self.raw(name).is_none_or(|it| it.trim() == value);
        let empty = self.raw("outputs").is_none_or(|it| it.trim_matches(['[', ']']).trim().is_empty());
        !(empty && none("execution_count", "null"))
    }
}

/// Where a part of a text lies in it.
fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

/// The fields of an object in their order, as they are written.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

#[cfg(test)]
mod tests;
