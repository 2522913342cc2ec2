//! Notebooks in all layouts: what is not meant keeps its bytes.

use proptest::prelude::*;
use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Value, json};

use super::*;

fn notebook(minor: u64, cells: Vec<Value>) -> Value {
    json!({
        "cells": cells,
        "metadata": {"kernelspec": {"name": "python3"}, "unknown": [1, {"a": null}]},
        "nbformat": 4,
        "nbformat_minor": minor,
        "zzz": "kept"
    })
}

fn code(id: Option<&str>, source: Value) -> Value {
    let mut cell = json!({"cell_type": "code", "execution_count": 3, "metadata": {"tags": ["x"]}, "outputs": [
        {"name": "stdout", "output_type": "stream", "text": ["é\n", "\u{1b}[31mred"]}
    ], "source": source});
    if let Some(id) = id {
        cell["id"] = json!(id);
    }
    cell
}

/// As Jupyter does it, with this indentation; or all in one line.
fn written(value: &Value, indent: &str) -> String {
    if indent.is_empty() {
        return value.to_string();
    }
    let mut out = Vec::new();
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter)).unwrap();
    String::from_utf8(out).unwrap()
}

fn applied(text: &str, (gone, come): TextChange) -> String {
    [&text[..gone.start], &come, &text[gone.end..]].concat()
}

/// Python's `json.dumps` without options.
fn spaced(text: &str) -> String {
    text.replace("\":", "\": ").replace(",\"", ", \"").replace("},{", "}, {")
}

const INDENTS: [&str; 5] = [" ", "  ", "    ", "\t", ""];

proptest! {
    /// What comes out is what writing the whole notebook in the same layout gives, to the byte.
    #[test]
    fn a_change_looks_like_the_rest(
        count in 0usize..4,
        at in 0usize..4,
        source in "([a-c \"\\\\é]|\n){0,12}",
        indent in 0usize..5,
        minor in 4u64..6,
        tail in "\n?",
        (crlf, what) in (any::<bool>(), 0usize..3),
    ) {
        let indent = INDENTS[indent];
        let ids = minor >= 5;
        let name = |at: usize| ids.then(|| format!("id-{at}"));
        let sources = |text: &str| json!(text.split_inclusive('\n').collect::<Vec<_>>());
        let cells: Vec<Value> = (0..count).map(|at| code(name(at).as_deref(), sources("a\nb"))).collect();
        let lay_out = |cells: Vec<Value>| {
            let text = written(&notebook(minor, cells), indent) + &tail;
            if crlf { text.replace('\n', "\r\n") } else { text }
        };
        let text = lay_out(cells.clone());
        let notebook = Notebook::parse(&text).unwrap();
        let mut expected = cells;
        let change = match what {
            0 if at < count => {
                expected[at]["source"] = sources(&source);
                expected[at]["outputs"] = json!([]);
                expected[at]["execution_count"] = json!(null);
                notebook.replace(&notebook.cells[at], CellKind::Code, &source)
            }
            1 if at < count => {
                expected.remove(at);
                notebook.delete(at)
            }
            _ => {
                let at = at.min(count);
                let (change, called) = notebook.insert(at, CellKind::Markdown, &source, "seed");
                let mut cell = json!({"cell_type": "markdown"});
                if ids {
                    cell["id"] = json!(called);
                }
                cell["metadata"] = json!({});
                cell["source"] = sources(&source);
                expected.insert(at, cell);
                change
            }
        };
        prop_assert_eq!(applied(&text, change), lay_out(expected));
    }
}

#[test]
fn one_line_with_spaces_stays_so() {
    let text =
        spaced(&notebook(5, vec![code(Some("a"), json!(["x"])), code(Some("b"), json!("y\nz"))]).to_string());
    let notebook = Notebook::parse(&text).unwrap();
    let new = applied(&text, notebook.replace(&notebook.cells[1], CellKind::Code, "é"));
    assert!(new.contains(r#""outputs": [], "source": "é", "id": "b"}]"#), "{new}");
    let (change, _) = notebook.insert(1, CellKind::Code, "1\n2", "");
    let new = applied(&text, change);
    assert!(
        new.contains(r#", "metadata": {}, "outputs": [], "source": ["1\n", "2"]}, {"cell_type""#),
        "{new}"
    );
}

#[test]
fn numbers_and_escapes_elsewhere_keep_their_form() {
    let text = "{\"cells\": [\n {\"cell_type\":\"code\",\"source\":[\"a\"],\"outputs\":[{\"x\":1.50e3}],\"execution_count\":1},\n \
                {\"cell_type\":\"code\",\"source\":[],\"outputs\":[{\"y\":0.10,\"z\":\"\\u00e9\\/\"}]}\n], \"nbformat\":4,\"n\":1E5}";
    let notebook = Notebook::parse(text).unwrap();
    let new = applied(text, notebook.replace(&notebook.cells[0], CellKind::Code, "é😀"));
    assert!(new.contains("{\"y\":0.10,\"z\":\"\\u00e9\\/\"}") && new.ends_with("\"n\":1E5}"), "{new}");
    // Nothing in it is beyond ASCII, and that stays so.
    assert!(new.contains("\\u00e9\\ud83d\\ude00"), "{new}");
    assert_eq!(Notebook::parse(&new).unwrap().cells[0].source(), "é😀");
}

#[test]
fn a_cell_can_become_another_kind() {
    let mut markdown =
        json!({"attachments": {"a.png": {}}, "cell_type": "markdown", "metadata": {}, "source": ["# A"]});
    let text = written(&notebook(4, vec![markdown.clone(), code(None, json!(["x"]))]), " ");
    let parsed = Notebook::parse(&text).unwrap();
    let new = applied(&text, parsed.replace(&parsed.cells[0], CellKind::Code, "a()"));
    let expected = json!({"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": ["a()"]});
    assert_eq!(new, written(&notebook(4, vec![expected, code(None, json!(["x"]))]), " "));
    let new = applied(&text, parsed.replace(&parsed.cells[1], CellKind::Markdown, "B"));
    let expected = json!({"cell_type": "markdown", "metadata": {"tags": ["x"]}, "source": ["B"]});
    markdown["source"] = json!(["# A"]);
    assert_eq!(new, written(&notebook(4, vec![markdown, expected]), " "));
}

#[test]
fn cells_are_found_by_id_and_by_place() {
    let text =
        notebook(5, vec![code(Some("a"), json!([])), code(None, json!([])), code(Some("cell-0"), json!([]))]);
    let text = text.to_string();
    let notebook = Notebook::parse(&text).unwrap();
    for (name, found) in
        [("a", &[0][..]), ("cell-1", &[1]), ("cell-0", &[2]), ("cell-3", &[]), ("cell-x", &[]), ("b", &[])]
    {
        assert_eq!(notebook.find(name), found, "{name}");
    }
    assert_eq!([0, 1, 2].map(|at| notebook.name(at)), ["a", "cell-1", "cell-0"]);
}

#[test]
fn what_is_no_notebook_is_told() {
    for (text, part) in [
        ("", "not valid JSON: EOF"),
        ("{\"cells\": [\n  {]\n", "at line 2 column 4"),
        ("{\"nbformat\": 4, \"cells\": [1]}", "not valid JSON: invalid type"),
        ("[]", "not valid JSON: invalid type"),
        ("{\"nbformat\": 4}", "no list `cells`"),
        ("{\"nbformat\": 4, \"cells\": {}}", "no list `cells`"),
        ("{\"nbformat\": 3, \"worksheets\": []}", "format 3"),
        ("{\"nbformat\": 5, \"cells\": []}", "format 5"),
        ("{\"a\": 1}", "no number `nbformat`"),
    ] {
        let error = Notebook::parse(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    // Depth is no danger.
    let deep =
        format!("{{\"nbformat\": 4, \"cells\": [], \"x\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Notebook::parse(&deep).is_ok());
}
