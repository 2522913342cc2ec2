//! NotebookEdit, on real files.

use forelook_protocol::Action;
use serde_json::{Value, json};

use crate::testing::{Bench, parsed, passed_as_nobody};

const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "work",
   "metadata": {},
   "outputs": [
    {
     "data": {
      "text/plain": [
       "2"
      ]
     },
     "execution_count": 1,
     "metadata": {},
     "output_type": "execute_result"
    }
   ],
   "source": [
    "x = 1\n",
    "x + 1"
   ]
  }
 ],
 "metadata": {
  "language_info": {
   "name": "python"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

async fn bench(text: impl AsRef<[u8]>) -> Bench {
    let mut bench = Bench::new();
    bench.file("a.ipynb", text.as_ref());
    bench.saw("a.ipynb", text);
    bench
}

fn text(bench: &Bench) -> String {
    String::from_utf8(bench.bytes("a.ipynb")).unwrap()
}

#[tokio::test]
async fn a_cell_gets_a_new_source_and_loses_its_outputs() {
    let mut bench = bench(NOTEBOOK).await;
    let input = json!({"notebook_path": "a.ipynb", "cell_id": "work", "new_source": "x = 2\r\nx + 1"});
    let outcome = bench.call("NotebookEdit", input).await;
    let path = bench.path("a.ipynb");
    assert_eq!(
        outcome.result.text(),
        format!(
            "Changed cell `work` of `{path}`\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n x + 1\nIts outputs and execution \
             count were removed: they came from its old content\n"
        )
    );
    let output = outcome.output.unwrap();
    assert_eq!((&output["cellId"], &output["editMode"]), (&json!("work"), &json!("replace")));
    let (start, end) = (
        NOTEBOOK.find("[\n    {\n     \"data\"").unwrap(),
        NOTEBOOK.find(",\n   \"source\": [\n    \"x").unwrap(),
    );
    let expected = [&NOTEBOOK[..start], "[]", &NOTEBOOK[end..]].concat();
    let expected =
        expected.replace("\"execution_count\": 1", "\"execution_count\": null").replace("x = 1", "x = 2");
    assert_eq!(text(&bench), expected);
    // It counts as seen: the next one goes through. Nothing had run by now.
    let again = json!({"notebook_path": "a.ipynb", "cell_id": "work", "new_source": "y"});
    let said = bench.ok("NotebookEdit", again.clone()).await;
    assert!(!said.contains("outputs"), "{said}");
    let said = bench.failure("NotebookEdit", again).await;
    assert!(said.contains("already has this source"), "{said}");
}

#[tokio::test]
async fn cells_come_and_go() {
    let mut bench = bench(NOTEBOOK).await;
    let insert = |after: Option<&str>, kind: &str| {
        let mut input = json!({
            "notebook_path": "a.ipynb", "new_source": "new", "cell_type": kind, "edit_mode": "insert"
        });
        if let Some(after) = after {
            input["cell_id"] = json!(after);
        }
        input
    };
    let said = bench.ok("NotebookEdit", insert(Some("intro"), "code")).await;
    assert!(
        said.contains("Inserted code cell `") && said.contains("as cell 2 of 3\n@@ -0,0 +1 @@\n+new\n"),
        "{said}"
    );
    bench.ok("NotebookEdit", insert(None, "markdown")).await;
    bench.ok("NotebookEdit", insert(Some("work"), "markdown")).await;
    let notebook: Value = serde_json::from_str(&text(&bench)).unwrap();
    let cells = notebook["cells"].as_array().unwrap();
    let kinds: Vec<&str> = cells.iter().map(|cell| cell["cell_type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["markdown", "markdown", "code", "code", "markdown"]);
    let ids: std::collections::HashSet<&str> =
        cells.iter().map(|cell| cell["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 5);
    assert_eq!(cells[2]["outputs"], json!([]));
    for cell in [0, 2, 4].map(|at| cells[at]["id"].clone()) {
        let delete = json!({"notebook_path": "a.ipynb", "cell_id": cell, "edit_mode": "delete"});
        let said = bench.ok("NotebookEdit", delete).await;
        assert!(said.contains("Deleted cell") && said.contains("\n-new\n"), "{said}");
    }
    assert_eq!(text(&bench), NOTEBOOK);
}

#[tokio::test]
async fn without_ids_cells_are_named_by_place() {
    let old = NOTEBOOK.replace("   \"id\": \"intro\",\n", "").replace("   \"id\": \"work\",\n", "");
    let old = old.replace("\"nbformat_minor\": 5", "\"nbformat_minor\": 2");
    let mut bench = bench(&old).await;
    let input = json!({"notebook_path": "a.ipynb", "cell_id": "cell-0", "new_source": "# Other"});
    bench.ok("NotebookEdit", input).await;
    assert_eq!(text(&bench), old.replace("# Title", "# Other"));
    let insert =
        json!({"notebook_path": "a.ipynb", "cell_id": "cell-1", "new_source": "", "edit_mode": "insert"});
    assert!(bench.ok("NotebookEdit", insert).await.contains("code cell `cell-2`"));
    assert!(!text(&bench).contains("\"id\""));
}

#[tokio::test]
async fn encoding_and_mode_stay() {
    use std::os::unix::fs::PermissionsExt;
    let old = format!("\u{feff}{}", NOTEBOOK.replace('\n', "\r\n").trim_end());
    let mut bench = bench(&old).await;
    let path = bench.path("a.ipynb");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let input = json!({"notebook_path": "a.ipynb", "cell_id": "intro", "new_source": "# Tïtle\n\nText"});
    bench.ok("NotebookEdit", input).await;
    let expected = old.replace("\"# Title\"", "\"# Tïtle\\n\",\r\n    \"\\n\",\r\n    \"Text\"");
    assert_eq!(text(&bench), expected);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
}

#[tokio::test]
async fn failures_say_what_to_do() {
    let replace = |cell: &str| json!({"notebook_path": "a.ipynb", "cell_id": cell, "new_source": "x"});
    let twice = NOTEBOOK.replace("\"intro\"", "\"work\"");
    for (old, input, part) in [
        (NOTEBOOK, replace("none"), "no cell `none` in `"),
        (NOTEBOOK, replace("none"), "Its cells are: `intro` (markdown), `work` (code)"),
        (&twice, replace("work"), "2 cells of"),
        (&twice, replace("work"), "by its position: `cell-0`, `cell-1`"),
        (&NOTEBOOK[..300], replace("intro"), "not valid JSON: EOF"),
        (&NOTEBOOK[..300], replace("intro"), "Repair it with Edit"),
        ("{\"nbformat\": 3, \"worksheets\": []}", replace("intro"), "format 3"),
        ("{\"nbformat\": 4, \"cells\": []}", replace("intro"), "It has no cells"),
        ("{}", replace("intro"), "not a notebook"),
        ("\0\u{1}", replace("intro"), "binary file"),
        (NOTEBOOK, json!({"notebook_path": "a.ipynb", "new_source": "x"}), "`cell_id` is missing"),
        (NOTEBOOK, json!({"notebook_path": "a.ipynb", "cell_id": "work"}), "`new_source` is missing"),
        (NOTEBOOK, json!({"notebook_path": "a.py", "cell_id": "x", "new_source": ""}), "use Edit"),
        (NOTEBOOK, json!({"notebook_path": "b.ipynb", "cell_id": "x", "new_source": ""}), "There is no file"),
        (NOTEBOOK, json!({"notebook_path": "a.ipynb", "cell": "x"}), "unknown field `cell`"),
        (NOTEBOOK, json!({"notebook_path": "a.ipynb", "edit_mode": "move"}), "edit_mode"),
    ] {
        let mut bench = bench(old).await;
        let said = bench.failure("NotebookEdit", input.clone()).await;
        assert!(said.contains(part), "{input}: {said}");
        assert_eq!(bench.bytes("a.ipynb"), old.as_bytes());
    }
}

#[tokio::test]
async fn a_notebook_must_be_known_and_a_file() {
    let input = json!({"notebook_path": "a.ipynb", "cell_id": "work", "new_source": "y"});
    let mut bench = Bench::new();
    bench.file("a.ipynb", NOTEBOOK);
    let said = bench.failure("NotebookEdit", input.clone()).await;
    assert!(said.contains("was not read"), "{said}");
    bench.read("a.ipynb").await;
    bench.file("a.ipynb", NOTEBOOK.replace("x + 1", "x + 2"));
    let said = bench.failure("NotebookEdit", input.clone()).await;
    assert!(said.contains("has changed since"), "{said}");
    std::fs::remove_file(bench.path("a.ipynb")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("a.ipynb").as_path(), 0o600.into()).unwrap();
    let said = bench.failure("NotebookEdit", input.clone()).await;
    assert!(said.contains("a named pipe"), "{said}");
    std::fs::remove_file(bench.path("a.ipynb")).unwrap();
    std::fs::create_dir(bench.path("a.ipynb")).unwrap();
    let said = bench.failure("NotebookEdit", input).await;
    assert!(said.contains("is a directory"), "{said}");
}

#[test]
fn what_is_decided_on_is_where_the_path_leads() {
    let bench = Bench::new();
    let real = bench.file("real.ipynb", NOTEBOOK);
    std::os::unix::fs::symlink("real.ipynb", bench.path("a.ipynb")).unwrap();
    let input = json!({"notebook_path": "a.ipynb", "cell_id": "work", "new_source": "y"});
    let action = parsed("NotebookEdit", &input).action(&bench.cx.place).unwrap();
    let Action::Edit { file } = action else { panic!("{action:?}") };
    assert_eq!((file.named, file.real), (bench.path("a.ipynb"), real));
}

#[test]
fn a_read_only_notebook_stays_as_it_is() {
    if passed_as_nobody("notebook_edit::tests::a_read_only_notebook_stays_as_it_is") {
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut bench = bench(NOTEBOOK).await;
        std::fs::set_permissions(bench.path("a.ipynb"), std::fs::Permissions::from_mode(0o444)).unwrap();
        let input = json!({"notebook_path": "a.ipynb", "cell_id": "work", "new_source": "y"});
        let said = bench.failure("NotebookEdit", input).await;
        assert!(said.contains("Permission denied"), "{said}");
        assert_eq!(text(&bench), NOTEBOOK);
    });
}
