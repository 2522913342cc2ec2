//! The program is killed at random instants of a scenario, and goes on from what is left.
//!
//! `FORELOOK_KILLS` says how often; `cargo xtask soak` says thousands.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "how often to kill is for the one who runs the test to say; helpers stop at the first surprise"
)]

use std::time::Duration;

use forelook_testkit::kill::{SeededRng, assert_recorded, run_and_kill, time};
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

/// Explores with two agents, writes a plan and revises it, and has it approved by a script's word.
const PLANS: &str = r##"
[capture]
plan = '`([^`]+/plans/[^`]+\.md)`'
[[start]]
prompt = "TASK"
goto = "agent"
[[answer]]
text = "First I look around."
pace_ms = 1
[[answer.call]]
tool = "Agent"
input = { description = "Look", prompt = "TASK one", subagent_type = "Explore" }
[[answer.call]]
tool = "Agent"
input = { description = "Look too", prompt = "TASK two", subagent_type = "Explore" }
[[answer]]
[[answer.call]]
tool = "Write"
input = { file_path = "{plan}", content = "# Plan\none\n" }
[[answer]]
[[answer.call]]
tool = "Edit"
input = { file_path = "{plan}", old_string = "one", new_string = "two" }
[[answer]]
[[answer.call]]
tool = "ExitPlanMode"
[[answer]]
name = "last"
text = "Done."
next = [{ goto = "last" }]
[[answer]]
name = "agent"
[[answer.call]]
tool = "Bash"
input = { command = "ls" }
[[answer]]
text = "I saw it."
"##;

/// What is played, and with which flags.
#[derive(Clone, Copy)]
struct Story {
    script: &'static str,
    flags: &'static [&'static str],
}

const WORK: Story =
    Story { script: SCRIPT, flags: &["--permission-mode", "acceptEdits", "--allowedTools", "Bash"] };

const PLANNING: Story =
    Story { script: PLANS, flags: &["--permission-mode", "plan", "--on-plan", "approve"] };

impl Story {
    fn lab(self) -> Lab {
        Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(self.script)
    }

    fn first(self) -> Vec<&'static str> {
        [&["-p", "go", "--output-format", "stream-json"], self.flags].concat()
    }

    fn again(self) -> Vec<&'static str> {
        [&["--continue", "-p", "go on", "--output-format", "stream-json"], self.flags].concat()
    }
}

fn kills() -> u64 {
    std::env::var("FORELOOK_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(300)
}

#[test]
fn nothing_that_was_shown_is_lost_and_every_session_goes_on() {
    kill_often(WORK, kills(), |_| {});
}

#[test]
fn no_plan_is_lost_and_none_is_approved_by_a_kill() {
    kill_often(PLANNING, kills() / 3, plans_are_whole);
}

fn kill_often(story: Story, kills: u64, check: fn(&Lab)) {
    let whole = time(&story.lab(), &story.first()) + Duration::from_millis(5);
    let halves: Vec<_> = (0..2)
        .map(|half| {
            std::thread::spawn(move || {
                let seeds = half * kills / 2..(half + 1) * kills / 2;
                seeds.filter(|seed| kill_once(story, *seed, whole, check)).count()
            })
        })
        .collect();
    let in_time: usize = halves.into_iter().map(|half| half.join().expect("a failed kill")).sum();
    println!("{in_time} of {kills} kills hit a running program");
    assert!(in_time as u64 > kills / 2, "only {in_time} of {kills} kills came in time");
}

/// Kills once; tells whether the program was still running.
fn kill_once(story: Story, seed: u64, whole: Duration, check: fn(&Lab)) -> bool {
    let lab = story.lab();
    let mut rng = SeededRng::new(seed + 1);
    let delay = Duration::from_micros(rng.below(whole.as_micros() as u64));
    let killed = run_and_kill(&lab, &story.first(), delay);
    let journals = lab.journals();
    let Some(journal) = journals.first() else {
        assert!(killed.shown.is_empty(), "seed {seed}: shown without a journal");
        return killed.in_time;
    };
    assert_recorded(&killed.shown, &check::journal(journal));
    // A second kill, while it recovers.
    let killed_again =
        run_and_kill(&lab, &story.again(), Duration::from_micros(rng.below(whole.as_micros() as u64 / 2)));
    assert_recorded(&killed_again.shown, &check::journal(journal));
    let ran = lab.run(&story.again());
    // A journal without its first line is a session that never began.
    let begun = !check::journal(journal).is_empty();
    // A kill before the plan was written leaves the next run without one, and it says so.
    let has_no_plan = ran.stdout.contains("\"terminal_reason\":\"no_plan\"");
    let expected = match (begun, has_no_plan) {
        (false, _) => 2,
        (true, has_no_plan) => i32::from(has_no_plan),
    };
    assert_eq!(ran.code, Some(expected), "seed {seed}: {}{}", ran.stdout, ran.stderr);
    assert!(!has_no_plan || plan_files(&lab) == 0, "seed {seed}: {}", ran.stdout);
    lab.check();
    check(&lab);
    killed.in_time
}

fn plan_files(lab: &Lab) -> usize {
    let entries = std::fs::read_dir(lab.home().join("plans")).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|it| it == "md")).count()
}

/// The plan file says what the journal says it said last, and whoever left plan mode was let go by a review.
fn plans_are_whole(lab: &Lab) {
    let Some(journal) = lab.journals().first().map(|journal| check::journal(journal)) else { return };
    let of =
        |kind: &'static str| journal.iter().filter(move |entry| entry["kind"] == kind).map(|it| &it["data"]);
    if let Some(snapshot) = of("file_snapshot").next_back() {
        let text = std::fs::read_to_string(snapshot["path"].as_str().unwrap()).expect("the plan is there");
        assert_eq!(text, snapshot["text"].as_str().unwrap());
    }
    let left = of("mode_changed").filter(|set| set["mode_state"]["mode"] != "plan").count();
    assert_eq!(left, 0, "only a review leads out: {journal:#?}");
    assert!(of("plan_reviewed").all(|review| review["by"] == "policy"));
}
