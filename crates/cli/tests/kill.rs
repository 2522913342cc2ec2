//! The program is killed at random instants of a scenario, and goes on from what is left.
//!
//! `FORELOOK_KILLS` says how often; `cargo xtask soak` says thousands.

#![expect(clippy::disallowed_methods, reason = "how often to kill is for the one who runs the test to say")]

use std::time::Duration;

use forelook_testkit::kill::{Dice, assert_recorded, run_and_kill, time};
use forelook_testkit::{Lab, check};

/// Writes, edits, runs and lists; whatever is asked after that ends at once.
const SCRIPT: &str = r#"
[[answer]]
text = "First I write a file."
pace_ms = 1
[[answer.call]]
tool = "Write"
input = { file_path = "a.txt", content = "one\n" }
[[answer.call]]
tool = "TodoWrite"
input = { todos = [{ content = "Write", status = "completed", activeForm = "Writing" }] }
[[answer]]
text = "Then I change it."
pace_ms = 1
[[answer.call]]
tool = "Edit"
input = { file_path = "a.txt", old_string = "one", new_string = "two" }
[[answer.call]]
tool = "Read"
input = { file_path = "a.txt" }
[[answer.call]]
tool = "Read"
input = { file_path = "a.txt" }
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "echo three >> a.txt; sleep 0.01; echo four >> a.txt; mkdir -p sub; cd sub" }
[[answer]]
[[answer.call]]
tool = "AskUserQuestion"
input = { questions = [{ question = "Well?", header = "Well", options = [{ label = "A", description = "a" }, { label = "B", description = "b" }], multiSelect = false }] }
[[answer]]
name = "last"
text = "Done."
next = [{ goto = "last" }]
"#;

const ARGS: [&str; 8] = [
    "-p",
    "go",
    "--permission-mode",
    "acceptEdits",
    "--allowedTools",
    "Bash",
    "--output-format",
    "stream-json",
];

#[test]
fn nothing_that_was_shown_is_lost_and_every_session_goes_on() {
    let kills: u64 = std::env::var("FORELOOK_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(300);
    let whole = time(&lab(), &ARGS) + Duration::from_millis(5);
    let halves: Vec<_> = (0..2)
        .map(|half| {
            std::thread::spawn(move || {
                (half * kills / 2..(half + 1) * kills / 2).filter(|seed| kill_once(*seed, whole)).count()
            })
        })
        .collect();
    let in_time: usize = halves.into_iter().map(|half| half.join().expect("a failed kill")).sum();
    println!("{in_time} of {kills} kills hit a running program");
    assert!(in_time as u64 > kills / 2, "only {in_time} of {kills} kills came in time");
}

fn lab() -> Lab {
    Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(SCRIPT)
}

/// Kills once; tells whether the program was still running.
fn kill_once(seed: u64, whole: Duration) -> bool {
    let lab = lab();
    let mut dice = Dice::new(seed + 1);
    let delay = Duration::from_micros(dice.below(whole.as_micros() as u64));
    let killed = run_and_kill(&lab, &ARGS, delay);
    let journals = lab.journals();
    let Some(journal) = journals.first() else {
        assert!(killed.shown.is_empty(), "seed {seed}: shown without a journal");
        return killed.in_time;
    };
    assert_recorded(&killed.shown, &check::journal(journal));
    // A second kill, while it recovers.
    let again = [
        "--continue",
        "-p",
        "go on",
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        "Bash",
        "--output-format",
        "stream-json",
    ];
    let killed_again =
        run_and_kill(&lab, &again, Duration::from_micros(dice.below(whole.as_micros() as u64 / 2)));
    assert_recorded(&killed_again.shown, &check::journal(journal));
    let ran =
        lab.run(&["--continue", "-p", "go on", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"]);
    // A journal without its first line is a session that never began.
    let begun = !check::journal(journal).is_empty();
    assert_eq!(ran.code, Some(if begun { 0 } else { 2 }), "seed {seed}: {}{}", ran.stdout, ran.stderr);
    lab.check();
    killed.in_time
}
