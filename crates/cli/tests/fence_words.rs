//! What the program says about the kernel's fence: which settings put it up, what each command is held to, and what is
//! said on a machine that grants less.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

use forelook_testkit::{Lab, RunOutput};

const ALL: &str = "namespaces,landlock,seccomp";
const LESS: &str = "landlock,seccomp";
const NONE: &str = "none";

fn lab(settings: &str) -> Lab {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    std::fs::write(lab.home().join("settings.json"), settings).unwrap();
    lab
}

fn run(lab: &Lab, layers: &str, args: &[&str]) -> RunOutput {
    let out = lab.command(args).env("FORELOOK_FENCE_LAYERS", layers).output().unwrap();
    RunOutput {
        stdout: String::from_utf8(out.stdout).unwrap(),
        stderr: String::from_utf8(out.stderr).unwrap(),
        code: out.status.code(),
    }
}

#[test]
fn explain_knows_the_folders_of_the_command_line() {
    let lab = lab("{}");
    let other = lab.home().join("other");
    std::fs::create_dir_all(&other).unwrap();
    let call = format!("Edit({})", other.join("a").display());
    let explain = ["permissions", "explain", call.as_str(), "--mode", "acceptEdits"];
    let ran = run(&lab, NONE, &explain);
    assert!(!ran.stdout.contains("Decision: allow"), "{}", ran.stdout);
    let added = [&explain[..], &["--add-dir", other.to_str().unwrap()]].concat();
    let ran = run(&lab, NONE, &added);
    println!("{}", ran.stdout);
    assert!(decided(&ran).contains("allow"), "{}", ran.stdout);
}

/// The decision and what is below it.
fn decided(ran: &RunOutput) -> &str {
    ran.stdout.split("\n\n").last().unwrap().trim_end()
}

#[test]
fn explain_says_what_a_command_is_held_to() {
    let wanted = r#"{"sandbox": {"enabled": true, "outside": ["docker:*"]}}"#;
    for (settings, layers, mode, call, verdict, held) in [
        ("{}", ALL, "plan", "Bash(./x.sh)", "allow", Some("It runs read-only, without network access.")),
        ("{}", LESS, "plan", "Bash(./x.sh)", "allow", Some("It runs read-only, without network access.")),
        ("{}", ALL, "plan", "Bash(ls)", "allow", Some("It runs read-only, without network access.")),
        ("{}", ALL, "plan", "Bash(rm x)", "deny", None),
        (
            "{}",
            ALL,
            "plan",
            "Bash(cat .env)",
            "ask",
            Some("If approved, it runs read-only, without network access, and sees secrets."),
        ),
        ("{}", NONE, "plan", "Bash(./x.sh)", "ask", Some("If approved, it runs without a fence")),
        ("{}", NONE, "plan", "Bash(ls)", "allow", Some("It runs without a fence")),
        (
            "{}",
            ALL,
            "plan",
            "Rehearse(make)",
            "allow",
            Some("It runs in an overlay on the working directories"),
        ),
        ("{}", ALL, "default", "Bash(./x.sh)", "ask", None),
        (wanted, ALL, "default", "Bash(./x.sh)", "allow", Some("It runs in the fence")),
        (
            wanted,
            ALL,
            "default",
            "Bash(docker run x)",
            "ask",
            Some("If approved, it runs outside the fence."),
        ),
        (wanted, LESS, "default", "Bash(./x.sh)", "ask", Some("If approved, it runs outside the fence.")),
        (wanted, ALL, "bypassPermissions", "Bash(./x.sh)", "allow", Some("It runs outside the fence.")),
        (wanted, ALL, "plan", "Bash(./x.sh)", "allow", Some("It runs read-only, without network access.")),
        (wanted, ALL, "default", "Edit(a)", "ask", None),
    ] {
        let lab = lab(settings);
        let ran = run(&lab, layers, &["permissions", "explain", call, "--mode", mode]);
        let text = decided(&ran);
        let case = format!("{call} in {mode} with {layers} and {settings}: {}{}", ran.stdout, ran.stderr);
        assert!(text.starts_with(&format!("{verdict}: ")), "{case}");
        assert_eq!(text.contains("\nIt ") || text.contains("\nIf approved, it "), held.is_some(), "{case}");
        assert!(held.is_none_or(|held| text.contains(held)), "{case}");
        let json = run(&lab, layers, &["permissions", "explain", call, "--mode", mode, "--json"]);
        assert_eq!(json.json_lines()[0]["confinement"].is_null(), held.is_none(), "{case}");
    }
}

#[test]
fn a_fence_that_cannot_be_held_is_said_once_and_only_where_it_is_wanted() {
    let script = "[[answer]]\ntext = \"Done.\"\n";
    for (settings, layers, said) in [
        (r#"{"sandbox": {"enabled": true}}"#, LESS, 1),
        (r#"{"sandbox": {"enabled": true}}"#, ALL, 0),
        ("{}", NONE, 0),
    ] {
        let lab = lab(settings).with_script(script);
        let ran = run(&lab, layers, &["-p", "go"]);
        assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "Done."), "{}", ran.stderr);
        let text = "`sandbox.enabled` is on, but the kernel cannot enforce it here";
        assert_eq!(ran.stderr.matches(text).count(), said, "{settings} {layers}: {}", ran.stderr);
    }
}

#[test]
fn layers_that_are_none_stop_the_program() {
    let ran = run(&lab("{}"), "landlok", &["permissions", "shell", "ls"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("`FORELOOK_FENCE_LAYERS` must be any of `namespaces`"), "{}", ran.stderr);
}

#[test]
fn a_line_that_nobody_can_judge_runs_while_planning_where_it_is_held() {
    for (layers, expected) in
        [(ALL, "it runs read-only"), (LESS, "it runs read-only"), (NONE, "it needs your approval")]
    {
        let ran = run(&lab("{}"), layers, &["permissions", "shell", "./x.sh"]);
        assert!(ran.stdout.contains(&format!("\n  In plan mode, {expected}: ")), "{}", ran.stdout);
    }
}

const SESSION: &str = r#"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "sh x.sh" }
[[answer.call]]
tool = "Read"
input = { file_path = "x.sh" }
[[answer]]
text = "Done."
"#;

#[test]
fn audit_counts_what_is_confined_apart_and_replay_sees_the_difference() {
    let lab = lab("{}").with_script(SESSION);
    lab.file("x.sh", "echo hello\n");
    let ran = run(&lab, ALL, &["-p", "go", "--permission-mode", "plan"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);

    let audit = run(&lab, ALL, &["permissions", "audit"]).stdout;
    assert!(audit.contains("confined") && audit.contains("Bash(sh x.sh)  [read-only] "), "{audit}");
    assert!(audit.trim_end().ends_with("allow 1, confined 1"), "{audit}");
    let rows = run(&lab, ALL, &["permissions", "audit", "--json"]).json_lines();
    assert_eq!((&rows[0][0]["verdict"], &rows[0][0]["sandbox"]), (&"confined".into(), &"read_only".into()));
    assert_eq!((&rows[0][1]["verdict"], &rows[0][1]["sandbox"]), (&"allow".into(), &"off".into()));

    lab.file("rules.json", "{}");
    let same = run(&lab, ALL, &["permissions", "replay", "--rules", "rules.json"]).stdout;
    assert!(same.contains("0 of 2 decisions in 1 session would change"), "{same}");
    let less = run(&lab, NONE, &["permissions", "replay", "--rules", "rules.json"]).stdout;
    assert!(less.contains("allow (read-only) -> ask  Bash(sh x.sh)"), "{less}");
}
