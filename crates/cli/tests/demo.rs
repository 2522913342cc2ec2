//! The demo, as a newcomer without a key meets it.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

use std::process::{Command, Stdio};

use forelook_testkit::{Lab, Ran};

fn demo(lab: &Lab, args: &[&str], stdin: &str) -> Ran {
    std::fs::create_dir_all(lab.root().join("tmp")).unwrap();
    let mut command = lab.command(args);
    command
        .env_remove("FORELOOK_MODEL")
        .env_remove("ANTHROPIC_API_KEY")
        .env("TMPDIR", lab.root().join("tmp"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), stdin.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    Ran {
        stdout: String::from_utf8(out.stdout).unwrap(),
        stderr: String::from_utf8(out.stderr).unwrap(),
        code: out.status.code(),
    }
}

/// What the mended tool of the sample project prints.
fn split_bill(lab: &Lab) -> String {
    let project = std::fs::read_dir(lab.root().join("tmp")).unwrap().next().unwrap().unwrap().path();
    let tests = Command::new("sh").arg("tests/run.sh").current_dir(&project).output().unwrap();
    assert!(tests.status.success(), "the sample project's tests fail");
    let out = Command::new("sh")
        .args(["bin/pocket", "10.00", "a", "b", "c"])
        .current_dir(&project)
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap().replace('\n', " ")
}

#[test]
fn every_answer_leads_to_passing_tests() {
    let first = "a 3.34 b 3.33 c 3.33 ";
    for (args, stdin, expected, said) in [
        (&["demo"][..], "1\n", first, "Chosen: One each, from the first"),
        (&["demo"], "2\n", "a 3.33 b 3.33 c 3.34 ", "Chosen: All to the last one"),
        (&["demo"], "whatever you like\n", first, "whatever you like"),
        (&["demo"], "\n", first, "Left open"),
        (&["demo"], "", first, "Nobody is here to answer"),
        // Without a subcommand and without a model it is the demo too.
        (&[], "7\n1\n", first, "There are only options 1 to 2"),
    ] {
        let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
        let ran = demo(&lab, args, stdin);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        assert_eq!(split_bill(&lab), expected, "{stdin:?}: {}", ran.stdout);
        assert!(ran.stdout.contains(said), "{stdin:?}: {}", ran.stdout);
        assert!(ran.stdout.contains("All four tests pass"), "{stdin:?}: {}", ran.stdout);
        lab.check();
    }
}
