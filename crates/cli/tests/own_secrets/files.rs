//! Tools that open files in our own process do not open what shows a process, also if the person says yes.

use std::os::unix::fs::symlink;

use forelook_testkit::PLANTED_KEY;
use forelook_testkit::attack::Attempt;
use serde_json::json;

use crate::Outcome;
use crate::place::{Answers, Setup};

const FILES: [&str; 14] = [
    "/proc/self/environ",
    "/proc/thread-self/environ",
    "/proc/self/task/../environ",
    "/proc/self/mem",
    "/proc/self/maps",
    "/proc/self/cmdline",
    "/proc/self/root/proc/self/environ",
    "/proc/self/cwd/../../../proc/self/environ",
    "/proc/1/environ",
    "/proc/kcore",
    "/dev/fd/../environ",
    "link",
    "folder/environ",
    "proc/self/environ",
];

const FOLDERS: [&str; 6] =
    ["/proc/self", "/proc/self/fd", "/proc/self/task", "/dev/fd", "folder", "proc/self"];

pub(crate) fn run(setup: Setup) -> Outcome {
    let stage = setup.stage(|lab| {
        symlink("/proc/self/environ", lab.project().join("link")).unwrap();
        symlink("/proc/self", lab.project().join("folder")).unwrap();
        symlink("/proc", lab.project().join("proc")).unwrap();
    });
    let mut calls = Vec::new();
    let path = |name: &str| stage.lab.project().join(name).display().to_string();
    for file in FILES {
        calls.push(Attempt::call("Read", &json!({"file_path": path(file)})));
        for output_mode in ["content", "count", "files_with_matches"] {
            // By what came back, a wrong guess must look like a right one.
            for pattern in [&PLANTED_KEY[..6], "ANTHROPIC", "surely-not-there"] {
                let input = json!({"pattern": pattern, "path": path(file), "output_mode": output_mode});
                calls.push(Attempt::call("Grep", &input));
            }
        }
        calls.push(Attempt::call(
            "Edit",
            &json!({"file_path": path(file), "old_string": "ANTHROPIC", "new_string": "x"}),
        ));
    }
    for folder in FOLDERS {
        calls.push(Attempt::call("Glob", &json!({"pattern": "**/*", "path": path(folder)})));
        calls.push(Attempt::call("Grep", &json!({"pattern": "ANTHROPIC", "path": path(folder)})));
    }
    let results = setup.results(&stage, &calls, Answers::Yes)?;
    for (result, call) in results.iter().zip(&calls) {
        if result["is_error"] != true {
            return Err(format!("{} {}: {result}", call.tool, call.input));
        }
    }
    Ok(())
}
