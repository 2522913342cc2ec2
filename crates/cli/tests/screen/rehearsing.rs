//! What is tried while planning: it is shown, beside the plan too, and made real only by a yes that says so.

use crate::keys::*;
use crate::play::{Play, each, play};
use crate::stage::Stage;

/// A model that tries an edit and a command, writes a plan, and asks for its review.
fn rehearser() -> Play {
    let script = r##"
[capture]
plan = '(?:Create it with Write as|There is a plan in|and) `([^`]+\.md)`'
[[answer]]
[[answer.call]]
tool = "Rehearse"
input = { edits = [{ file_path = "greet.sh", old_string = "echo hello", new_string = "echo hello twice" }], command = "sh greet.sh > said.txt" }
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "rm old.txt", rehearse = true }
[[answer]]
[[answer.call]]
tool = "Write"
input = { file_path = "{plan}", content = """# Greet twice

1. `greet.sh`: say it twice.
""" }
[[answer]]
[[answer.call]]
tool = "ExitPlanMode"
[[answer]]
text = "I carry it out."
"##;
    play(script)
        .with(&["--permission-mode", "plan"])
        .file("greet.sh", "echo hello\n")
        .file("old.txt", "old\n")
}

/// Goes on until the page is there and keys count.
fn opened(width: u16, height: u16) -> Stage {
    let mut stage = rehearser().on(width, height);
    stage.types("plan it").key(ENTER).is_on_page(true).sees("keep planning").calm();
    stage
}

fn read(stage: &Stage, file: &str) -> Option<String> {
    std::fs::read_to_string(stage.lab.project().join(file)).ok()
}

#[test]
fn what_was_tried_is_seen_and_applied_with_a_yes_that_says_so() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = opened(width, height);
        assert_eq!(read(&stage, "greet.sh").unwrap(), "echo hello\n", "nothing is done yet");
        stage.sees("3 files, +2 −2").snapshot(&format!("tried-{width}x{height}"));
        stage.key("t").sees("rehearsal, not applied").sees("A said.txt").sees("D old.txt").sees("M greet.sh");
        stage.snapshot(&format!("tried-seen-{width}x{height}"));
        stage.key("y").sees("Approve this plan").sees("☐ apply").key("\x14").sees("☑ apply");
        stage.sees("this plan, apply the rehearsal").key(ENTER).is_on_page(false).sees("I carry it out.");
        stage.sees_above("Applied the rehearsal to 3 files").sees_no_more("Working");
        assert_eq!(read(&stage, "greet.sh").unwrap(), "echo hello twice\n");
        assert_eq!(read(&stage, "said.txt").unwrap(), "hello twice\n");
        assert_eq!(read(&stage, "old.txt"), None);
    });
}

#[test]
fn a_plain_yes_throws_it_away() {
    let mut stage = opened(80, 24);
    stage.key("t").sees("rehearsal, not applied").key(ESC).sees("── the plan").key("y").sees("☐ apply");
    stage.key(ENTER).is_on_page(false).sees("I carry it out.").sees_no_more("Working");
    stage.shows_no("Applied the rehearsal").types("/plan rehearsal").key(ENTER).sees("I carry it out.");
    assert_eq!(read(&stage, "greet.sh").unwrap(), "echo hello\n");
    assert_eq!(read(&stage, "said.txt"), None);
    assert_eq!(read(&stage, "old.txt").unwrap(), "old\n");
}

#[test]
fn slash_plan_rehearsal_shows_it() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = opened(width, height);
        stage.key("n").sees("What should change?").types("more").key(ENTER).is_on_page(false);
        stage.sees("I carry it out.").sees_no_more("Working");
        stage.sees_above("Rehearse(1 edit, then sh greet.sh").sees_above("Bash(rehearsed: rm old.txt)");
        stage.types("/plan rehearsal").key(ENTER).sees_above("Rehearsed, not applied: 3 files, +2 −2");
        stage.sees_above("D old.txt").sees_above("+ echo hello twice");
    });
}

#[test]
fn without_one_it_says_how_one_is_made() {
    let mut stage = play("[[answer]]\ntext = 'Hm.'").with(&["--permission-mode", "plan"]).on(80, 24);
    stage.types("/plan rehearsal").key(ENTER).sees("No rehearsed changes yet");
}
