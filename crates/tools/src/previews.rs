//! Looks ahead at calls that change files: what is shown of them, and which are bound to fail.

use forelook_protocol::ChangePreview;
use serde_json::{Value, json};

use crate::PreviewContext;
use crate::testing::Bench;

async fn look(bench: &Bench, tool: &str, input: &Value) -> Result<ChangePreview, String> {
    let parsed = bench.parsed(tool, input);
    let cx = PreviewContext {
        call: bench.cx.call.clone(),
        action: parsed.action(&bench.cx.place).unwrap(),
        place: bench.cx.place.clone(),
        seen: bench.cx.files.seen.clone(),
    };
    parsed.runnable().unwrap().preview(cx).await.map(Option::unwrap)
}

fn edit(old: &str, new: &str) -> Value {
    json!({"file_path": "file", "old_string": old, "new_string": new})
}

fn notebook(cells: &[&str]) -> String {
    let cell = |(at, source): (usize, &&str)| {
        json!({"cell_type": "code", "execution_count": null, "id": format!("c{at}"), "metadata": {}, "outputs": [],
               "source": source})
    };
    let cells: Vec<Value> = cells.iter().enumerate().map(cell).collect();
    json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).to_string()
}

#[tokio::test]
async fn a_change_is_shown_where_it_stands_with_what_is_lost() {
    let mut bench = Bench::new();
    let lines: String = (1..=20).map(|line| format!("line {line}\r\n")).collect();
    let path = bench.file("file", &lines);
    bench.read("file").await;
    let shown = look(&bench, "Edit", &edit("line 10", "ten")).await.unwrap();
    let around = " line 7\n line 8\n line 9\n-line 10\n+ten\n line 11\n line 12\n line 13\n";
    let diff = format!("@@ -7,7 +7,7 @@\n{around}");
    assert_eq!(shown, ChangePreview { path: path.clone(), creates: false, diff, cut: false });
    let shown = look(&bench, "Write", &json!({"file_path": "file", "content": "one\n"})).await.unwrap();
    assert!(shown.diff.starts_with("@@ -1,20 +1 @@\n-line 1\n"), "{}", shown.diff);
    assert_eq!(shown.diff.matches("\n-line").count(), 20, "{}", shown.diff);
    let all = json!({"file_path": "file", "old_string": "line 1", "new_string": "x", "replace_all": true});
    assert_eq!(look(&bench, "Edit", &all).await.unwrap().diff.matches("\n+x").count(), 11);
    let new = json!({"file_path": "new", "content": "a\nb\n"});
    let shown = look(&bench, "Write", &new).await.unwrap();
    assert_eq!((shown.creates, shown.diff.as_str()), (true, "@@ -0,0 +1,2 @@\n+a\n+b\n"));
    assert_eq!(bench.bytes("file"), lines.as_bytes(), "nothing is done");
    assert!(!bench.path("new").as_path().exists());

    bench.file("work.ipynb", notebook(&["x = 1\nx", "y"]));
    bench.read("work.ipynb").await;
    let cell = json!({"notebook_path": "work.ipynb", "cell_id": "c0", "new_source": "x = 2\nx"});
    let shown = look(&bench, "NotebookEdit", &cell).await.unwrap();
    assert_eq!(shown.diff, "@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n x\n");
}

#[tokio::test]
async fn whoever_approves_sees_all_of_a_long_change() {
    let mut bench = Bench::new();
    let (old, wide) = ("old\n".repeat(2_000), "x".repeat(5_000));
    bench.file("file", &old);
    bench.read("file").await;
    let content = format!("{wide}\n{}", "new\n".repeat(2_000));
    let shown = look(&bench, "Write", &json!({"file_path": "file", "content": content})).await.unwrap();
    assert_eq!((shown.diff.matches("\n-old").count(), shown.diff.matches("\n+new").count()), (2_000, 2_000));
    assert!(!shown.cut && shown.diff.contains(&format!("\n+{wide}\n")));
    let huge = "y\n".repeat(400_000);
    let shown = look(&bench, "Write", &json!({"file_path": "file", "content": huge})).await.unwrap();
    assert!(shown.cut && shown.diff.len() < 1024 * 1024);
}

/// What a look ahead refuses, the call itself refuses in the same words.
#[tokio::test]
async fn calls_that_are_bound_to_fail_are_told_so() {
    let mut bench = Bench::new();
    bench.file("file", "one\ntwo\ntwo\n");
    bench.file("work.ipynb", notebook(&["x"]));
    bench.file("binary", b"a\0b");
    for name in ["file", "work.ipynb"] {
        bench.read(name).await;
    }
    bench.saw("binary", b"a\0b");
    let cell = |id: &str| json!({"notebook_path": "work.ipynb", "cell_id": id, "new_source": "y"});
    for (tool, input, said) in [
        ("Edit", edit("three", "x"), "not"),
        ("Edit", edit("two", "x"), "2"),
        ("Edit", json!({"file_path": "gone", "old_string": "a", "new_string": "b"}), "There is no file"),
        ("Edit", json!({"file_path": "binary", "old_string": "a", "new_string": "b"}), "binary file"),
        ("Write", json!({"file_path": "binary", "content": "b"}), "binary file"),
        ("NotebookEdit", cell("c9"), "There is no cell `c9`"),
    ] {
        let foreseen = look(&bench, tool, &input).await.unwrap_err();
        assert!(foreseen.contains(said), "{tool} {input}: {foreseen}");
        assert_eq!(bench.failure(tool, input).await, foreseen);
    }
    bench.file("file", "one\nand more\n");
    bench.file("work.ipynb", notebook(&["z"]));
    for (tool, input) in [
        ("Edit", edit("one", "x")),
        ("Write", json!({"file_path": "file", "content": "x"})),
        ("NotebookEdit", cell("c0")),
    ] {
        let foreseen = look(&bench, tool, &input).await.unwrap_err();
        assert!(foreseen.contains("has changed since it was read"), "{foreseen}");
        assert_eq!(bench.failure(tool, input).await, foreseen);
    }
}

/// Whether a text is in a file that the model never read is nothing that a refusal may tell.
#[tokio::test]
async fn nothing_is_said_of_what_is_in_a_file_that_was_not_read() {
    let bench = Bench::new();
    let mut said = Vec::new();
    for content in [&b"PASSWORD=hunter2\n"[..], b"nothing\n", b"a\0b"] {
        bench.file("file", content);
        for old in ["hunter2", "hunter3"] {
            said.push(look(&bench, "Edit", &edit(old, "x")).await.unwrap_err());
        }
        said.push(look(&bench, "Write", &json!({"file_path": "file", "content": "x"})).await.unwrap_err());
    }
    said.dedup();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("exists but was not read"), "{said:?}");
}
