//! Notebooks of both formats, and broken ones.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use forelook_protocol::SessionEffect;
use image::ImageFormat;
use serde_json::{Value, json};

use super::pictures::{encoded, plain};
use crate::testing::Bench;

fn png() -> String {
    STANDARD.encode(encoded(&plain(4, 4), ImageFormat::Png))
}

async fn read(bench: &mut Bench, notebook: &Value) -> (String, usize) {
    bench.file("it.ipynb", notebook.to_string());
    let outcome = bench.call("Read", json!({"file_path": "it.ipynb"})).await;
    assert!(!outcome.result.is_error, "{}", outcome.result.text());
    assert!(matches!(outcome.effects.as_slice(), [SessionEffect::FileSeen(_)]));
    let text = outcome.result.text();
    let lines = text.lines().map(|line| line.split_once('\t').map_or(line, |(_, line)| line));
    (lines.collect::<Vec<_>>().join("\n"), outcome.result.content.len() - 1)
}

#[tokio::test]
async fn cells_come_in_order_with_what_came_out() {
    let mut bench = Bench::new();
    let notebook = json!({
        "nbformat": 4, "nbformat_minor": 5,
        "metadata": {"language_info": {"name": "python"}},
        "cells": [
            {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Title\n", "words"]},
            {"cell_type": "code", "metadata": {}, "execution_count": 3, "source": "plot()\n", "outputs": [
                {"output_type": "stream", "name": "stderr", "text": ["\u{1b}[31mred\u{1b}[0m\n", "plain\n"]},
                {"output_type": "display_data", "data": {"image/png": png(), "text/plain": "<Figure>"}},
                {"output_type": "execute_result", "data": {"text/html": "<b>7</b>"}},
                {"output_type": "execute_result", "data": {"application/x": {}}},
                {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\u{1b}[0;31mE\u{1b}[0m: v"]},
            ]},
            {"cell_type": "raw", "id": "r", "source": ""},
        ],
    });
    let (text, pictures) = read(&mut bench, &notebook).await;
    assert_eq!(pictures, 1);
    insta::assert_snapshot!(text, @r"
    [Notebook in python with 3 cells]

    [Cell `intro`: markdown]
    # Title
    words

    [Cell `cell-1`: code, execution count 3]
    plot()
    [Output of `cell-1`: stderr]
    red
    plain
    [Output of `cell-1`: image 1, shown below]
    [Output of `cell-1`: result]
    <Figure>
    [Output of `cell-1`: result]
    <b>7</b>
    [Output of `cell-1`: `application/x`, not shown]
    [Output of `cell-1`: error]
    E: v

    [Cell `r`: raw]
    ");
    let part = bench.ok("Read", json!({"file_path": "it.ipynb", "offset": 3, "limit": 2})).await;
    assert_eq!(
        part,
        "     3\t[Cell `intro`: markdown]\n     4\t# Title\n\n[Lines 3 to 4 of 21. Continue with `offset` 5.]\n"
    );
}

#[tokio::test]
async fn the_older_format_is_known() {
    let mut bench = Bench::new();
    let notebook = json!({
        "nbformat": 3,
        "worksheets": [{"cells": [
            {"cell_type": "heading", "level": 1, "source": ["Old"]},
            {"cell_type": "code", "input": ["1 + 1"], "prompt_number": 1, "outputs": [
                {"output_type": "pyout", "text": ["2"], "prompt_number": 1},
                {"output_type": "display_data", "png": format!("{}\n", png())},
                {"output_type": "pyerr", "ename": "NameError", "evalue": "x"},
                {"output_type": "stream", "stream": "stdout", "text": "out"},
            ]},
        ]}],
    });
    let (text, pictures) = read(&mut bench, &notebook).await;
    assert_eq!(pictures, 1);
    insta::assert_snapshot!(text, @r"
    [Notebook with 2 cells]

    [Cell `cell-0`: heading]
    Old

    [Cell `cell-1`: code, execution count 1]
    1 + 1
    [Output of `cell-1`: result]
    2
    [Output of `cell-1`: image 1, shown below]
    [Output of `cell-1`: error]
    NameError: x
    [Output of `cell-1`: stdout]
    out
    ");
}

#[tokio::test]
async fn outputs_and_pictures_are_bounded() {
    let mut bench = Bench::new();
    let mut outputs: Vec<Value> =
        (0..8).map(|_| json!({"output_type": "display_data", "data": {"image/png": png()}})).collect();
    outputs.push(json!({"output_type": "display_data", "data": {"image/png": "no base64"}}));
    outputs.insert(
        0,
        json!({"output_type": "display_data", "data": {"image/png": STANDARD.encode("no picture")}}),
    );
    outputs.push(json!({"output_type": "stream", "name": "stdout", "text": "long line\n".repeat(100_000)}));
    let notebook = json!({"cells": [{"cell_type": "code", "id": "a", "source": "x", "outputs": outputs}]});
    let (text, pictures) = read(&mut bench, &notebook).await;
    assert_eq!(pictures, 5);
    assert!(text.contains("a broken image") && text.contains("[4 more images left out"), "{text}");
    assert!(text.contains("… [+990000 characters]") && text.len() < 20_000, "{}", text.len());
}

#[tokio::test]
async fn what_is_no_notebook_is_shown_as_text() {
    let mut bench = Bench::new();
    for (content, expected) in [
        (
            "{\"cells\": [\n  {\"id\" 1}]}\n",
            "[This is not a notebook: its JSON is broken at line 2, column 9: expected `:`. It is shown as text.]\n     \
             1\t{\"cells\": [\n     2\t  {\"id\" 1}]}\n",
        ),
        (
            "{\"cells\":",
            "[This is not a notebook: its JSON is broken at line 1, column 9: EOF while parsing a value. It is shown as \
             text.]\n     1\t{\"cells\":\n",
        ),
        (
            "{}",
            "[This is not a notebook: it is JSON, but has no `cells`. It is shown as text.]\n     1\t{}\n",
        ),
        (
            "{\"cells\": [1, {}, {\"outputs\": [2, {\"data\": 3}], \"source\": 4, \"id\": 5}]}",
            "[Notebook with 3 cells]",
        ),
        ("", "is empty"),
    ] {
        bench.file("it.ipynb", content);
        let outcome = bench.call("Read", json!({"file_path": "it.ipynb"})).await;
        assert!(
            !outcome.result.is_error && outcome.result.text().contains(expected),
            "{}",
            outcome.result.text()
        );
        assert!(matches!(outcome.effects.as_slice(), [SessionEffect::FileSeen(_)]));
    }
    bench.file("it.ipynb", "[".repeat(100_000));
    let text = bench.ok("Read", json!({"file_path": "it.ipynb"})).await;
    assert!(text.contains("recursion limit"), "{}", &text[..200]);
}
