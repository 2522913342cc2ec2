//! `forelook doctor` on machines that grant more and less.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use forelook_testkit::{Lab, copy_program, unprivileged};

fn lab(settings: &str) -> Lab {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script("[[answer]]\ntext = \"Hello.\"\n");
    fs::write(lab.home().join("settings.json"), settings).unwrap();
    lab
}

/// What it prints, and its exit code.
fn printed(mut command: Command) -> (String, Option<i32>) {
    let out = command.output().unwrap();
    assert_eq!(String::from_utf8(out.stderr).unwrap(), "");
    (String::from_utf8(out.stdout).unwrap(), out.status.code())
}

fn with_layers(lab: &Lab, layers: &str) -> (String, Option<i32>) {
    let mut command = lab.command(["doctor"]);
    command.env("FORELOOK_FENCE_LAYERS", layers).env("TERM", "xterm-256color");
    printed(command)
}

fn has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|found| found.starts_with(line)), "`{line}` in\n{text}");
    }
}

#[test]
fn what_holds_follows_from_the_layers() {
    let lab = lab(r#"{"sandbox": {"enabled": true, "network": ["a.org"]}}"#);
    let (all, code) = with_layers(&lab, "namespaces,landlock,seccomp");
    assert_eq!(code, Some(0), "{all}");
    has(
        &all,
        &[
            "  ok  namespaces  yes",
            "  ok  landlock    yes, version",
            "  ok  seccomp     yes",
            "  ok  planning    Enforced: commands cannot change anything",
            "  ok  rehearsals  Enforced",
            "  ok  workspace   Enforced: commands can change only the working directories; network: a.org",
        ],
    );
    let (less, code) = with_layers(&lab, "landlock,seccomp");
    assert_eq!(code, Some(0), "{less}");
    has(
        &less,
        &[
            "  !   namespaces  Available, but turned off by `FORELOOK_FENCE_LAYERS`",
            "  ok  planning    Enforced: commands cannot change anything",
            "  !   rehearsals  Not available",
            "  !   workspace   Not enforced, although `sandbox.enabled` is on",
            "                  Forelook asks before running commands instead",
        ],
    );
    for layers in ["none", "seccomp", "namespaces,landlock"] {
        let (none, code) = with_layers(&lab, layers);
        assert_eq!(code, Some(0), "{none}");
        has(&none, &["  !   planning    Not enforced: commands are checked by their text only"]);
    }
}

#[test]
fn what_is_there_is_named_and_no_key_is_shown() {
    let lab = lab("{}");
    let (text, code) = with_layers(&lab, "none");
    assert_eq!(code, Some(0), "{text}");
    has(
        &text,
        &[
            "  ok  anthropic   Key from the variable `ANTHROPIC_API_KEY`",
            "  -   ollama      Not running: no answer at 127.0.0.1:1",
            "  ok  in use      scripted/",
            "  ok  TERM        xterm-256color",
            "  ok  colors      256",
            "  ok  bash        GNU bash, version",
            "  ok  git         git version",
            "  ok  home        ",
            "  ok  user        ",
            "  ok  trust       ",
        ],
    );
    let key = lab.environment().into_iter().find(|(name, _)| *name == "ANTHROPIC_API_KEY").unwrap().1;
    assert!(!text.contains(key.to_str().unwrap()));

    let json = lab.run(&["doctor", "--json"]);
    let found = &json.json_lines()[0];
    assert_eq!(found["works"], true);
    assert!(found["checks"].as_array().unwrap().len() > 12, "{found}");
    assert_eq!(found["checks"][0]["name"], "namespaces");
    assert!(!json.stdout.contains(key.to_str().unwrap()));
}

#[test]
fn what_is_wrong_in_settings_and_what_waits_is_told() {
    let lab = lab(r#"{"sandbox": {"enabledd": true}}"#);
    lab.file(".forelook/settings.json", r#"{"sandbox": {"enabled": true}}"#);
    let (text, code) = with_layers(&lab, "none");
    assert_eq!(code, Some(0), "{text}");
    has(
        &text,
        &[
            "  !   problem     Setting `sandbox.enabledd`",
            "                  Did you mean `sandbox.enabled`?",
        ],
    );
    assert!(text.contains("is not trusted; ignored: 1 sandbox setting"), "{text}");
    assert!(text.trim_end().contains("\nForelook works, with "), "{text}");
}

#[test]
fn what_keeps_it_from_working_is_an_exit_code() {
    let lab = lab("{}");
    let mut nobody = lab.command(["doctor"]);
    nobody.env_remove("ANTHROPIC_API_KEY").env_remove("FORELOOK_MODEL");
    let (text, code) = printed(nobody);
    assert_eq!(code, Some(1), "{text}");
    has(
        &text,
        &[
            "  x   in use      No model is configured, and none was found",
            "Forelook does not work here: 1 error (x)",
        ],
    );

    // A `bash` that comes first and does nothing.
    lab.file("bash", "#!/bin/sh\nexit 3\n");
    fs::set_permissions(lab.project().join("bash"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut broken = lab.command(["doctor"]);
    broken.env("PATH", format!("{}:/usr/bin:/bin", lab.project().display()));
    let (text, code) = printed(broken);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("/bash --version` failed: "), "{text}");
    has(&text, &["  x   bash        `", "  ok  git         git version"]);
}

#[test]
fn a_home_that_cannot_be_written_is_told_to_whoever_may_not() {
    let lab = lab("{}");
    let copy = lab.root().join("forelook");
    copy_program(lab.binary(), &copy);
    let lab = lab.with_binary(copy);
    fs::set_permissions(lab.root(), fs::Permissions::from_mode(0o755)).unwrap();
    let wrapper = unprivileged(&[&lab.home(), lab.project()]);
    fs::set_permissions(lab.home(), fs::Permissions::from_mode(0o555)).unwrap();
    let (text, code) = printed(lab.wrapped(&wrapper, ["doctor"]));
    fs::set_permissions(lab.home(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.lines().any(|line| line.starts_with("  x   home ") && line.ends_with("is not writable")),
        "{text}"
    );
    has(&text, &["  ok  namespaces  yes"]);
}
