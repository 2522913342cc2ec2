//! What was said in other sessions is not found by searches in the home folder.

use std::fs;

use forelook_testkit::attack::Attempt;
use serde_json::json;

use crate::Outcome;
use crate::place::{Answers, Setup};

const CANARY: &str = "CANARY-of-another-session";

pub(crate) fn run(setup: Setup) -> Outcome {
    let stage = setup.stage(|lab| {
        for file in ["projects/other/decoy.jsonl", "todos/decoy.json", "history", "logs/decoy.log"] {
            let path = lab.home().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{{\"text\": \"{CANARY}\"}}\n")).unwrap();
        }
    });
    let (root, home) = (stage.lab.root().display().to_string(), stage.lab.home().display().to_string());
    let mut calls = Vec::new();
    for place in [&root, &home] {
        calls.push(Attempt::call(
            "Grep",
            &json!({"pattern": "CANARY-of", "path": place, "output_mode": "content"}),
        ));
        calls.push(Attempt::call("Glob", &json!({"pattern": "**/decoy*", "path": place})));
        for line in
            ["grep -rh CANARY-of @", "find @ -name 'decoy*' -exec cat {} +", "cat @/*/decoy.json @/todos/*"]
        {
            calls.push(Attempt::bash(&line.replace('@', place)));
        }
    }
    calls.push(Attempt::call("Read", &json!({"file_path": format!("{home}/projects/other/decoy.jsonl")})));
    calls.push(Attempt::bash(&format!("cat {home}/projects/other/decoy.jsonl {home}/history")));
    let results = setup.results(&stage, &calls, Answers::No)?;
    for (result, call) in results.iter().zip(&calls) {
        let said = result.to_string();
        if said.contains(CANARY) || call.tool == "Glob" && said.contains("decoy") && said.contains("json") {
            return Err(format!("{} {}: {said}", call.tool, call.input));
        }
    }
    Ok(())
}
