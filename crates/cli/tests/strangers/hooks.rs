//! What trusted hooks run is what was trusted, also after the model worked on it.
//!
//! A hook runs outside of every fence. If the model could write its script, it could run anything.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use forelook_testkit::{Lab, RunOutput};

use crate::{BINARY, trust};

const HONEST: &str = "echo honest >> \"$FORELOOK_PROJECT_DIR\"/by-hook.txt\n";
const EVIL: &str = "touch evil.txt";

/// A trusted project whose hook runs a script, and another one if it is there.
fn trusted(call: &str) -> Lab {
    let script = format!("[[answer]]\n[[answer.call]]\n{call}\n[[answer]]\ntext = \"Done.\"\n");
    let lab = Lab::new(BINARY).with_script(&script);
    let hook = "sh tools/check.sh; if [ -x tools/more.sh ]; then tools/more.sh; fi";
    let settings = serde_json::json!({"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": hook}]}],
        "Stop": [{"hooks": [{"type": "command", "command": hook}]}]}});
    lab.file("tools/check.sh", HONEST)
        .file(".forelook/settings.json", settings.to_string())
        .file("evil.sh", EVIL)
        .file(
            "swap.sh",
            "cp evil.sh tools/check.sh; cp evil.sh tools/more.sh; chmod +x tools/more.sh; true\n",
        )
        .file("move.sh", "mv tools old; mkdir tools; cp evil.sh tools/check.sh; true\n");
    fs::set_permissions(lab.project().join("evil.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    trust(&lab.home(), lab.project(), None);
    lab
}

fn ran_nothing_else(lab: &Lab, run: &RunOutput, call: &str) {
    assert!(!lab.project().join("evil.txt").exists(), "{call}: {}", run.stderr);
}

/// By a tool, by a command that names the script, and by commands in the fence that do not.
#[test]
fn the_model_cannot_write_what_a_hook_runs() {
    for call in [
        "tool = \"Write\"\ninput = { file_path = \"tools/more.sh\", content = \"touch evil.txt\" }",
        "tool = \"Bash\"\ninput = { command = \"cp evil.sh tools/check.sh\" }",
        "tool = \"Bash\"\ninput = { command = \"cp evil.sh tools/more.sh\" }",
        "tool = \"Bash\"\ninput = { command = \"sh swap.sh\" }",
        "tool = \"Bash\"\ninput = { command = \"sh move.sh\" }",
    ] {
        let lab = trusted(call);
        let run = lab.run(&["-p", "go", "--permission-mode", "acceptEdits"]);
        ran_nothing_else(&lab, &run, call);
        if !call.contains("move.sh") {
            assert_eq!(lab.read("tools/check.sh"), HONEST, "{call}");
            assert!(!lab.project().join("tools/more.sh").exists(), "{call}");
            assert!(lab.read("by-hook.txt").contains("honest"), "{call}: {}", run.stderr);
        }
    }
}

/// However it came to be another one: a rule let the command through, and no fence held it.
#[test]
fn a_script_that_changed_in_the_middle_of_a_session_does_not_run() {
    let call = "tool = \"Bash\"\ninput = { command = \"sh swap.sh\" }";
    let lab = trusted(call);
    let run = lab.run(&["-p", "go", "--allowedTools", "Bash(sh swap.sh)"]);
    assert_eq!(lab.read("tools/check.sh"), EVIL, "{}", run.stderr);
    ran_nothing_else(&lab, &run, call);
    assert!(!lab.project().join("by-hook.txt").exists());
    assert!(
        run.stderr.contains("was not run") && run.stderr.contains("changed since you trusted"),
        "{}",
        run.stderr
    );
}

/// A hook of the person's own, which no trust is about: what it takes code from is not the model's to write either, and what
/// Forelook cannot tell is said.
#[test]
fn the_model_cannot_write_what_a_hook_of_the_person_takes_code_from() {
    for (hook, file, told) in [
        ("env -C lib/tools sh ./check.sh", "lib/tools/check.sh", false),
        ("for f in lib/tools/*.sh; do sh $f; done", "lib/tools/new.sh", true),
        ("PATH=\"$FORELOOK_PROJECT_DIR/lib/tools:$PATH\" check.sh", "lib/tools/check.sh", true),
        ("PYTHONPATH=lib/tools python3 -c 1", "lib/tools/sitecustomize.py", true),
    ] {
        let call =
            format!("tool = \"Write\"\ninput = {{ file_path = \"{file}\", content = \"touch evil.txt\" }}");
        let script = format!("[[answer]]\n[[answer.call]]\n{call}\n[[answer]]\ntext = \"Done.\"\n");
        let lab = Lab::new(BINARY).with_script(&script);
        lab.file("lib/tools/keep.txt", "");
        let settings =
            serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": hook}]}]}});
        fs::write(lab.home().join("settings.json"), settings.to_string()).unwrap();
        let run = lab.run(&["-p", "go", "--permission-mode", "acceptEdits"]);
        assert!(!lab.project().join(file).exists(), "{hook}: {}", run.stderr);
        assert_eq!(run.stderr.contains("files that Forelook cannot tell"), told, "{hook}: {}", run.stderr);
    }
}

/// Hooks run for the person: they are not told that they run for a model.
#[test]
fn a_hook_is_not_marked() {
    let lab = trusted("tool = \"Bash\"\ninput = { command = \"echo in-tool=$FORELOOK_IN_TOOL\" }");
    lab.file(
        "tools/check.sh",
        "echo mark=$FORELOOK_IN_TOOL >> by-hook.txt; bash -c 'ulimit -Hx' >> by-hook.txt\n",
    );
    trust(&lab.home(), lab.project(), None);
    let run = lab.run(&["-p", "go"]);
    let said = lab.read("by-hook.txt");
    assert!(said.starts_with("mark=\nunlimited\n"), "{said}: {}", run.stderr);
    assert!(lab.requests().iter().any(|it| it.to_string().contains("in-tool=1")), "{}", run.stderr);
}

/// A session that a model starts takes no wider mode from the user's settings.
#[test]
fn a_session_of_a_model_begins_in_no_wider_mode() {
    let lab = Lab::new(BINARY).with_script("[[answer]]\n[[answer.call]]\ntool = \"Write\"\ninput = { file_path = \"made.txt\", content = \"x\" }\n[[answer]]\ntext = \"Done.\"\n");
    fs::write(lab.home().join("settings.json"), r#"{"permissions": {"defaultMode": "acceptEdits"}}"#)
        .unwrap();
    for (mark, made) in [(true, false), (false, true)] {
        let mut command = lab.command(["-p", "go"]);
        if mark {
            command.env("FORELOOK_IN_TOOL", "1");
        }
        let done = command.output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(lab.project().join("made.txt").exists(), made, "{said}");
        assert_eq!(said.contains("a model started this session"), mark, "{said}");
    }
}
