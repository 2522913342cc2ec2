//! A front end in another process, over the serialized protocol: the example, and whoever gets it wrong.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use forelook_testkit::Lab;
use serde_json::{Value, json};

const PROMPT: &str = "When I split a bill, one cent goes missing";

fn fed(mut command: Command, stdin: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The example, with what the person says.
fn example(lab: &Lab, said: &str) -> Output {
    let forelook = Path::new(env!("CARGO_BIN_EXE_forelook"));
    let example = forelook.with_file_name("examples").join("front_end");
    assert!(example.exists(), "build it first: cargo build -p forelook-cli --examples");
    let folder = lab.root().join("tmp");
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new(example);
    command.envs(lab.environment()).env("TMPDIR", folder);
    command.args([forelook.to_str().unwrap(), PROMPT, "--demo"]);
    fed(command, said)
}

/// What the sample project's tool prints, if its tests pass.
fn split_bill(lab: &Lab) -> Option<String> {
    let project = std::fs::read_dir(lab.root().join("tmp")).unwrap().next().unwrap().unwrap().path();
    let run = |args: &[&str]| Command::new("sh").args(args).current_dir(&project).output().unwrap();
    let passed = run(&["tests/run.sh"]).status.success();
    passed.then(|| text(&run(&["bin/pocket", "10.00", "a", "b", "c"]).stdout).replace('\n', " "))
}

#[test]
fn the_demo_is_lived_through_from_question_to_approval() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let out = example(&lab, "1\nmore words, please\ny\n");
    let shown = text(&out.stdout);
    assert!(out.status.success(), "{shown}\n{}", text(&out.stderr));
    for part in [
        "Who pays the leftover",
        "Answered by example",
        "# Split bills",
        "now in acceptEdits mode",
        "ended: Done",
    ] {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
    assert_eq!(shown.matches("Approve this plan?").count(), 2, "sent back once:\n{shown}");
    assert_eq!(split_bill(&lab).as_deref(), Some("a 3.34 b 3.33 c 3.33 "));
}

#[test]
fn a_front_end_that_leaves_during_the_review_has_approved_nothing() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let out = example(&lab, "1\n");
    let shown = text(&out.stdout);
    assert!(!out.status.success() && shown.contains("# Split bills"), "{shown}");
    assert_eq!(split_bill(&lab), None, "the sample project was changed:\n{shown}");
}

/// A validator for one definition of the published schema.
fn schema(definition: &str) -> jsonschema::Validator {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocol.schema.json");
    let mut schema: Value = serde_json::from_str(&std::fs::read_to_string(page).unwrap()).unwrap();
    schema.as_object_mut().unwrap().remove("oneOf");
    schema["$ref"] = json!(format!("#/$defs/{definition}"));
    jsonschema::validator_for(&schema).unwrap()
}

fn fits(schema: &jsonschema::Validator, line: &str) {
    let value: Value = serde_json::from_str(line).unwrap();
    let wrong: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{line}");
}

#[test]
fn what_both_sides_say_is_what_the_schema_says() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let folder = lab.root().join("tmp");
    std::fs::create_dir_all(&folder).unwrap();
    let mut lines = vec![json!({"attach": {"version": {"major": 1, "minor": 0},
        "front_end": {"name": "test", "answers": ["permission", "review"]}}})];
    let queries = [
        json!("status"),
        json!("models"),
        json!("files"),
        json!({"transcript": {}}),
        json!("rules"),
        json!("hooks"),
        json!("fence"),
        json!({"plan": "current"}),
        json!({"plan": "list"}),
        json!({"plan": "rehearsal"}),
    ];
    let commands = [
        json!({"set_mode": "plan"}),
        json!({"prompt": {"content": [{"type": "text", "text": "hello"}], "delivery": "next_turn",
            "origin": {"type": "person"}}}),
        json!({"answer": {"request": "01890a5d-ac96-774b-bcce-b302099a8057", "answer": {"type": "dismissed"}}}),
        json!({"plan": "open"}),
    ];
    let command = |(id, command): (usize, Value)| json!({"command": {"id": id, "command": command}});
    let query = |(id, query): (usize, Value)| json!({"query": {"id": 100 + id, "query": query}});
    lines.extend(commands.into_iter().enumerate().map(command));
    lines.extend(queries.into_iter().enumerate().map(query));
    let client = schema("ClientFrame");
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    input.lines().for_each(|line| fits(&client, line));
    let mut command = lab.command(["serve", "--stdio", "--demo"]);
    command.env("TMPDIR", folder);
    let out = text(&fed(command, &format!("{input}not a frame\n")).stdout);
    let session = schema("SessionFrame");
    out.lines().for_each(|line| fits(&session, line));
    for kind in ["attached", "accepted", "reply", "refused", "event", "not_understood", "closed"] {
        assert!(out.contains(&format!("{{\"{kind}\":")), "no `{kind}` in\n{out}");
    }
    // Everything that a whole plan, review and implementation writes down.
    assert!(example(&lab, "1\nno\ny\n").status.success());
    let entry = schema("Entry");
    let journals = lab.journals();
    assert_eq!(journals.len(), 2);
    for journal in journals {
        std::fs::read_to_string(journal).unwrap().lines().for_each(|line| fits(&entry, line));
    }
}

#[test]
fn the_example_is_short_enough_to_read() {
    let lines = include_str!("../examples/front_end.rs").lines().count();
    assert!(lines <= 150, "{lines} lines");
}

#[test]
fn whoever_greets_wrong_is_told_what_to_say() {
    for (first, expected) in [
        (r#"{"query": {"id": 1, "query": "status"}}"#, "attach"),
        (r#"{"attach": {"version": {"major": 99, "minor": 0}, "front_end": {"name": "x"}}}"#, "99.0"),
        ("hello", "attach"),
    ] {
        let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
        let folder = lab.root().join("tmp");
        std::fs::create_dir_all(&folder).unwrap();
        let mut command = lab.command(["serve", "--stdio", "--demo"]);
        command.env("TMPDIR", folder);
        let out = fed(command, &format!("{first}\n"));
        let said = text(&out.stdout);
        assert!(said.contains("\"closed\"") && said.contains(expected), "{first} → {said}");
        assert_eq!(out.status.code(), Some(2), "{said}");
    }
}
