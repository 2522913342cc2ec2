//! The demo, as a newcomer without a key meets it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test"
)]

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use forelook_testkit::{Lab, RunOutput};

/// What the mended tool prints for 10.00 between three.
const FIRST: &str = "a 3.34 b 3.33 c 3.33 ";
const LAST: &str = "a 3.33 b 3.33 c 3.34 ";

fn started(lab: &Lab, args: &[&str]) -> Child {
    std::fs::create_dir_all(lab.root().join("tmp")).unwrap();
    let mut command = lab.command(args);
    command
        .env_remove("FORELOOK_MODEL")
        .env_remove("ANTHROPIC_API_KEY")
        .env("TMPDIR", lab.root().join("tmp"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn demo(lab: &Lab, args: &[&str], stdin: &str) -> RunOutput {
    let mut child = started(lab, args);
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    RunOutput {
        stdout: String::from_utf8(out.stdout).unwrap(),
        stderr: String::from_utf8(out.stderr).unwrap(),
        code: out.status.code(),
    }
}

/// The sample project.
fn project(lab: &Lab) -> PathBuf {
    let mut found = std::fs::read_dir(lab.root().join("tmp")).unwrap().map(|entry| entry.unwrap().path());
    let project = found.next().unwrap();
    assert_eq!(found.next(), None, "there is one sample project");
    project
}

/// What the tool of the sample project prints, once its tests pass.
fn split_bill(lab: &Lab) -> String {
    let project = project(lab);
    let tests = Command::new("sh").arg("tests/run.sh").current_dir(&project).output().unwrap();
    assert!(tests.status.success(), "the sample project's tests fail");
    let out = Command::new("sh")
        .args(["bin/pocket", "10.00", "a", "b", "c"])
        .current_dir(&project)
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap().replace('\n', " ")
}

/// Plays the demo and checks what comes of it; `said` in this order.
fn check(args: &[&str], stdin: &str, expected: &str, said: &[&str]) -> Lab {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let ran = demo(&lab, args, stdin);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(split_bill(&lab), expected, "{stdin:?}: {}", ran.stdout);
    in_order(&ran.stdout, said);
    in_order(&ran.stdout, &["Plan approved", "All four tests pass", "plans show"]);
    assert!(ran.stderr.contains("--resume"), "{}", ran.stderr);
    lab.check();
    lab
}

/// Lets each case have a thread of its own: a demo takes its time.
fn each<T: Sync>(cases: &[T], check: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(|| check(case));
        }
    });
}

fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part:?} is missing, or too early:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

/// The plans that the program keeps.
fn plan_files(lab: &Lab) -> Vec<PathBuf> {
    let files = std::fs::read_dir(lab.home().join("plans")).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|it| it == "md")).collect()
}

#[test]
fn an_approved_plan_is_carried_out() {
    each(
        &[
            (&["demo"][..], "1\ny\n", FIRST, "Chosen: The first ones, one each"),
            (&["demo"], "2\ny\n", LAST, "Chosen: The last one, alone"),
            (&["demo"], "let the last one pay\ny\n", LAST, "In their own words: let the last one pay"),
            (&["demo"], "whatever you like\ny\n", FIRST, "In their own words: whatever you like"),
            (&["demo"], "\ny\n", FIRST, "Skipped: the user did not answer"),
            (&["demo"], "1\n\nok\ny: mind the tests\n", FIRST, "mind the tests"),
            // Without a subcommand and without a model it is the demo too.
            (&[], "7\n1\ny\n", FIRST, "Chosen: The first ones, one each"),
        ],
        |(args, stdin, expected, heard)| {
            let lab = check(args, stdin, expected, &[]);
            let results =
                lab.journal().iter().filter(|entry| entry["kind"] == "tool_finished").any(|entry| {
                    let text = entry.to_string();
                    text.contains(heard)
                });
            assert!(results, "{stdin:?}: the model did not hear {heard:?}");
        },
    );
}

#[test]
fn an_approval_can_say_how_to_go_on() {
    each(
        &[
            // A conversation that begins from the plan alone.
            ("1\ny f\n", FIRST, "Starting a new conversation with the plan"),
            ("2\ny f\n", LAST, "Starting a new conversation with the plan"),
            // Asked before each edit.
            ("1\no\ny\ny\n", FIRST, "Allow Edit(bin/pocket)?"),
        ],
        |(stdin, expected, said)| _ = check(&["demo"], stdin, expected, &[said]),
    );
}

#[test]
fn two_agents_explore_before_anything_is_asked() {
    let lab = check(
        &["demo"],
        "1\ny\n",
        FIRST,
        &[
            "plan mode on",
            "Where do cents get lost?",
            "Who relies on it?",
            "? Who pays",
            "ready for your review",
        ],
    );
    let journal = lab.journal();
    let of = |kind: &str| -> Vec<_> { journal.iter().filter(|entry| entry["kind"] == kind).collect() };
    assert_eq!((of("agent_started").len(), of("agent_ended").len()), (2, 2));
    // What they found is told with the place where it stands.
    let place = format!("{}/bin/pocket:13", project(&lab).display());
    let reports = of("tool_finished").into_iter().filter(|entry| entry.to_string().contains(&place)).count();
    assert_eq!(reports, 1, "the report of the first agent");
}

#[test]
fn a_plan_that_is_sent_back_is_revised() {
    let cases: &[(&str, &str, &[&str])] = &[
        // Words that the model knows what to do with.
        (
            "no, the last one should pay them\ny\n",
            LAST,
            &["Plan sent back", "+   Leftover cents: all to the last"][..],
        ),
        (
            "the last\nthe first, after all\ny\n",
            FIRST,
            &["+   Leftover cents: all", "+   Leftover cents: one each"],
        ),
        // Words that it only keeps: also those about what the plan says already.
        ("why the first?\ny\n", FIRST, &["Plan sent back", "+Requested in review: why the first?"]),
        (
            "the last\nwhy all to the last?\ny\n",
            LAST,
            &["+   Leftover cents: all", "+Requested in review: why all to the last?"],
        ),
        ("n\n2\ny\n", FIRST, &["What should the plan do differently?", "+Requested in review"]),
        ("add a changelog\ny\n", FIRST, &["Plan sent back", "+Requested in review: add a changelog"]),
        (
            "shorter\nand in verse\ny\n",
            FIRST,
            &["+Requested in review: shorter", "+Requested in review: and in verse"],
        ),
        // A comment on a line.
        ("#6 the last, please\nn\ny\n", LAST, &["Saved", "+   Leftover cents: all to the last"]),
        // No words at all: it asks.
        ("n\n1\ny\n", LAST, &["What should the plan do differently?", "+   Leftover cents: all to the last"]),
        ("n\nuse bc\ny\n", FIRST, &["What should the plan do differently?", "+Requested in review: use bc"]),
        ("n\n\ny\n", FIRST, &["What should the plan do differently?"]),
    ];
    each(cases, |(answers, expected, said)| {
        let lab = check(&["demo"], &format!("1\n{answers}"), expected, said);
        assert_eq!(plan_files(&lab).len(), 1);
        let failed = lab.journal().iter().any(|entry| entry.to_string().contains("`old_string` is not in"));
        assert!(!failed, "{answers:?}: an edit of the plan failed");
    });
}

/// Edits the plan while it is up for review, as a person does in their editor.
#[test]
fn an_edited_plan_counts_as_it_was_edited() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let mut child = started(&lab, &["demo"]);
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    keys.write_all(b"1\n").unwrap();
    let (mut printed, mut piece) = (Vec::new(), [0; 256]);
    while !String::from_utf8_lossy(&printed).contains("approve and") {
        let count = screen.read(&mut piece).unwrap();
        assert_ne!(count, 0, "it ended:\n{}", String::from_utf8_lossy(&printed));
        printed.extend_from_slice(&piece[..count]);
    }
    let plan = plan_files(&lab).pop().unwrap();
    let text = std::fs::read_to_string(&plan).unwrap();
    assert!(text.contains("one each, from the first name"), "{text}");
    std::fs::write(&plan, text.replace("one each, from the first name", "all of them to the last")).unwrap();
    // The first yes is for what was shown, the second for what is there.
    keys.write_all(b"y\ny\n").unwrap();
    drop(keys);
    screen.read_to_end(&mut printed).unwrap();
    let printed = String::from_utf8(printed).unwrap();
    in_order(
        &printed,
        &["from the first name", "all of them to the last", "Plan approved", "All four tests pass"],
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(split_bill(&lab), LAST);
    lab.check();
}

#[test]
fn nothing_changes_without_a_yes() {
    let cases: &[(&str, &[&str])] = &[
        ("", &["No one is available to answer", "No one approved the plan"]),
        ("1\n", &["⎿ The first ones, one each", "No one approved the plan"]),
        ("1\nadd a changelog\n", &["Plan sent back", "No one approved the plan"]),
        ("1\np\n", &["Plan parked"]),
        ("1\np\nwell?\n", &["Plan parked", "nothing was changed"]),
        ("1\nx\n", &["Plan abandoned"]),
    ];
    each(cases, |(stdin, said)| {
        let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
        let ran = demo(&lab, &["demo"], stdin);
        assert_eq!(ran.code, Some(0), "{stdin:?}: {}{}", ran.stdout, ran.stderr);
        in_order(&ran.stdout, said);
        assert!(!ran.stdout.contains("tests pass"), "{stdin:?}: {}", ran.stdout);
        assert!(!ran.stdout.contains("hook"), "there is none: {}", ran.stdout);
        assert!(!ran.stdout.contains("Edit(bin/pocket)"), "{stdin:?}: {}", ran.stdout);
        assert_eq!(plan_files(&lab).len(), 1, "{stdin:?}: the plan is kept");
        let tool = std::fs::read_to_string(project(&lab).join("bin/pocket")).unwrap();
        assert_eq!(tool, include_str!("../../host/src/demo/project/bin/pocket"), "{stdin:?}");
        lab.check();
    });
}

#[test]
fn a_parked_plan_is_taken_up_again() {
    let said = &["Plan parked", "plan mode on", "I'll reread the plan", "ready for your review"];
    check(&["demo"], "2\np\n/plan continue\ny\n", LAST, said);
}

/// No call waits for such a review: the approval arrives as a prompt, whatever the model said last.
#[test]
fn a_plan_that_is_reviewed_again_is_carried_out() {
    each(
        &[
            ("1\np\n/plan review\ny\n", FIRST),
            ("2\np\n/plan review\ny\n", LAST),
            ("2\np\n/plan review\ny f\n", LAST),
            // After words of the model that say it waits.
            ("2\np\nwell?\n/plan review\ny\n", LAST),
            ("1\np\n/plan review\np\n/plan review\ny\n", FIRST),
            // Sent back there, and revised.
            ("1\np\n/plan review\nno, the last one\ny\n", LAST),
            ("1\np\n/plan review\nadd a changelog\ny\n", FIRST),
        ],
        |(stdin, expected)| _ = check(&["demo"], stdin, expected, &["Plan parked"]),
    );
}

#[test]
fn an_abandoned_plan_is_not_reviewed_again() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let ran = demo(&lab, &["demo"], "1\nx\n/plan review\n");
    in_order(&ran.stdout, &["Plan abandoned", "The plan of this session was abandoned"]);
    assert!(!ran.stdout.contains("tests pass"), "{}", ran.stdout);
    lab.check();
}

#[test]
fn a_plan_that_waits_is_reviewed_in_the_resumed_session() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let ran = demo(&lab, &["demo"], "2\n");
    let session = ran.stderr.split("--resume ").nth(1).map(str::trim).unwrap();
    let again = demo(&lab, &["--resume", session], "/plan review\ny\n");
    in_order(&again.stdout, &["Plan approved", "All four tests pass"]);
    assert_eq!(split_bill(&lab), LAST);
    lab.check();
}

/// A plan that was carried out and is approved once more: nothing fails, and nothing is done twice.
#[test]
fn a_plan_is_not_carried_out_twice() {
    let said = &["Plan approved", "All four tests pass", "Plan approved", "pass already"];
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let ran = demo(&lab, &["demo"], "1\ny\n/plan review\ny\n");
    in_order(&ran.stdout, said);
    assert!(!ran.stdout.contains("old_string"), "{}", ran.stdout);
    assert_eq!(split_bill(&lab), FIRST);
    lab.check();
}

#[test]
fn the_session_can_be_resumed_without_a_model() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let ran = demo(&lab, &["demo"], "2\n");
    let session = ran.stderr.split("--resume ").nth(1).map(str::trim).unwrap();
    let again = demo(&lab, &["--resume", session], "go on\ny\n");
    assert_eq!(again.code, Some(0), "{}{}", again.stdout, again.stderr);
    in_order(&again.stdout, &["I'll reread the plan", "Plan approved", "All four tests pass"]);
    assert_eq!(split_bill(&lab), LAST);
    lab.check();
}

/// The demo's model and its allow rule have no place in a session of somebody's project, nor in a copy that goes on there.
#[test]
fn only_the_demos_own_session_goes_on_as_the_demo() {
    let check = |lab: &Lab, args: &[&str]| {
        let journals = lab.journals().len();
        let ran = demo(lab, args, "");
        assert_eq!(ran.code, Some(2), "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("No model is configured"), "{args:?}: {}", ran.stderr);
        assert_eq!(lab.journals().len(), journals, "{args:?}");
        lab.check();
    };
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script("[[answer]]\ntext = 'Hello.'\n");
    assert_eq!(lab.run(&["-p", "hello"]).code, Some(0));
    let journal = lab.journal();
    check(&lab, &["--continue"]);
    check(&lab, &["--continue", "hi"]);
    check(&lab, &["--continue", "--fork-session"]);
    check(&lab, &["--input-format", "stream-json"]);
    assert_eq!(lab.journal(), journal);
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let ran = demo(&lab, &["demo"], "2\n");
    let session = ran.stderr.split("--resume ").nth(1).map(str::trim).unwrap();
    check(&lab, &["--resume", session, "--fork-session"]);
}

/// Whoever reads may go away at any time: that is no reason to panic.
#[test]
fn a_demo_that_nobody_reads_ends_like_any_other() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let mut child = started(&lab, &["demo"]);
    drop((child.stdout.take(), child.stderr.take(), child.stdin.take()));
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(0 | 130)), "{code:?}");
}
