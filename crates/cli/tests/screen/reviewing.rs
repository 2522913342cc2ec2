//! The review of a plan takes the window and gives it back.

use rustix::process::Signal;

use crate::keys::*;
use crate::play::{Play, again, each, play};
use crate::stage::Stage;

const PLAN: &str = "# Greet twice\n\n1. `greet.sh`: say it twice.\n2. Run the tests.\n";

/// A model that writes this plan, asks for its review, and changes it as often as it is sent back.
pub(crate) fn planner(plan: &str) -> Play {
    let script = format!(
        r##"
[capture]
plan = '(?:Create it with Write as|There is a plan in|and) `([^`]+\.md)`'
[[start]]
prompt = 'Carry out the plan below'
goto = 'fresh'
[[answer]]
text = "I write it down."
[[answer.call]]
tool = "Write"
input = {{ file_path = "{{plan}}", content = """{plan}""" }}
[[answer]]
name = "propose"
next = [{{ result = 'wants changes', goto = 'revise' }}, {{ goto = 'approved' }}]
[[answer.call]]
tool = "ExitPlanMode"
[[answer]]
name = "approved"
text = "I carry it out."
next = [{{ goto = 'approved' }}]
[[answer]]
name = "fresh"
text = "I begin with the plan alone."
[[answer]]
name = "revise"
text = "I change it."
next = [{{ goto = 'propose' }}]
[[answer.call]]
tool = "Edit"
input = {{ file_path = "{{plan}}", old_string = "say it twice", new_string = "say it three times" }}
"##
    );
    play(&script).with(&["--permission-mode", "plan"])
}

/// Goes on until the page is there and keys count.
pub(crate) fn opened(mut stage: Stage) -> Stage {
    stage.types("plan it").key(ENTER).is_on_page(true).sees("keep planning").calm();
    stage
}

fn reviewing(width: u16, height: u16) -> Stage {
    opened(planner(PLAN).on(width, height))
}

#[test]
fn a_comment_is_addressed() {
    each(&[(80, 24), (40, 15), (200, 60)], |&(width, height)| {
        let mut stage = reviewing(width, height);
        stage.key("jj").sees("❯3").key("c").sees("Comment on line 3").types("three times, please");
        stage.key(ENTER).sees("send 1 comment").sees("three times, please").key("s");
        stage
            .sees("changes since")
            .sees("three times")
            .calm()
            .snapshot(&format!("review-again-{width}x{height}"));
        stage
            .key("d")
            .sees_no_more("changes since")
            .sees("addressed")
            .snapshot(&format!("review-addressed-{width}x{height}"));
        stage.key("y").sees("Approve this plan").key(ENTER).is_on_page(false).sees("I carry it out.");
        stage.sees_no_more("Working").snapshot_all(&format!("review-done-{width}x{height}-all"));
    });
}

#[test]
fn words_send_it_back() {
    each(&["n", ESC, KITTY_ESC], |key| {
        let mut stage = reviewing(80, 24);
        stage.key(key).sees("What should change?").types("say it three times").sees("say it three times");
        stage.key(ENTER).is_on_page(true).sees("changes since").calm().key("y").key(ENTER).is_on_page(false);
        stage.sees("I carry it out.").sees_above("Plan sent back").sees_above("⎿ say it three times");
        stage.records("say it three times");
    });
}

#[test]
fn parked_or_abandoned() {
    each(&[("p", "Park the plan?", "Plan parked"), ("x", "Abandon the plan?", "Plan abandoned")], |case| {
        let (key, asks, said) = case;
        let mut stage = reviewing(80, 24);
        // Only Enter says it.
        stage.key(key).sees(asks).key("y").key(" ").key(ESC).sees_no_more(asks);
        stage.key(key).sees(asks).key(ENTER).is_on_page(false).sees(&format!("{said}: Greet twice"));
        stage.sees_no_more("Working").shows_no("I carry it out.").sees("default mode");
        stage.key(CTRL_C).key(CTRL_C).leaves(0);
    });
}

#[test]
fn enter_approves_nothing_by_itself() {
    let mut stage = reviewing(80, 24);
    stage.key(ENTER).sees("Nothing is chosen yet").key("y").sees("Approve this plan").key(ESC);
    stage
        .sees_no_more("Approve this plan")
        .key("x")
        .sees("Abandon")
        .key(ESC)
        .sees_no_more("Abandon the plan?");
    stage.key(ENTER).sees("Nothing is chosen yet");
}

#[test]
fn the_conversation_and_back() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = reviewing(width, height);
        stage.key("c").types("half a com").sees("half a com").key(ENTER).sees("send 1 comment");
        stage.key(CTRL_O).is_on_page(false).sees("Waiting for review (Esc").sees_above("I write it down.");
        stage.key(SHIFT_TAB).sees("Review the plan first").sees("plan mode on");
        stage.types("a word").sees("> a word").key(ESC).is_on_page(true).sees("half a com");
        stage.key(CTRL_O).is_on_page(false).sees("> a word").key(CTRL_O).is_on_page(true).sees("Transcript");
        stage.key(CTRL_O).is_on_page(false).sees("> a word").key(ESC).is_on_page(true);
        stage
            .calm()
            .key("y")
            .sees("Approve this plan")
            .sees("1 comment will be sent")
            .key(ENTER)
            .is_on_page(false);
        stage.sees("I carry it out.").sees("> a word");
    });
}

#[test]
fn a_long_plan_is_read_to_its_end() {
    let lines: Vec<String> = (1..=199).map(|at| format!("Step {at} is done.")).collect();
    let plan = lines.join("\n\n");
    let mut stage = opened(planner(&plan).on(80, 24));
    let choices = ["y ", "n keep planning", "e edit", "p park", "x abandon", "? all keys"];
    for _ in 0..4 {
        let before = stage.screen();
        stage.key(PAGE_DOWN).until("another page", |stage| stage.screen() != before);
        let screen = stage.screen();
        assert!(choices.iter().all(|it| screen.contains(it)), "{screen}");
    }
    stage.key(END).sees("Step 199 is done.").sees("397 of 397");
    let screen = stage.screen();
    assert!(choices.iter().all(|it| screen.contains(it)), "{screen}");
    stage.key("g").sees("Step 1 is done.");
}

#[test]
fn another_size_while_it_is_open() {
    let mut stage = reviewing(80, 24);
    for (width, height) in [(40, 15), (200, 60), (60, 14), (80, 24)] {
        // The other screen is drawn anew, whatever the terminal made of it.
        stage.terminal.screen_mut().set_size(height, width);
        stage
            .tells(width, height)
            .sees(&"─".repeat(usize::from(width)))
            .sees("Greet twice")
            .sees("keep planning");
        let screen = stage.screen();
        assert_eq!(screen.matches("Greet twice").count(), 2, "{screen}");
    }
    stage.key("y").key(ENTER).is_on_page(false).sees("I carry it out.").sees_no_more("Working");
    assert_eq!(stage.all().matches("> plan it").count(), 1, "{}", stage.all());
}

#[test]
fn a_note_and_a_fresh_context() {
    let mut stage = reviewing(80, 24);
    stage
        .key("a")
        .sees("accept edits?")
        .types("mind the tests")
        .sees("mind the tests")
        .sees("☐ fresh context");
    stage.key(TAB).sees("☑ fresh context").key(ENTER).is_on_page(false);
    stage.sees("I begin with the plan alone.").sees_above("· fresh context").sees_above("mind the tests");
    stage.sees("accept edits").sees_no_more("Working").snapshot_all("review-fresh-all");
    let requests = stage.lab.requests();
    assert!(requests.last().unwrap().to_string().contains("mind the tests"));
}

#[test]
fn ctrl_c_stops_the_turn() {
    let mut stage = reviewing(80, 24);
    stage.key(CTRL_C).is_on_page(false).sees("Interrupted").shows_no("I carry it out.").sees("plan mode");
}

/// The plan is not lost, and nobody has approved it.
#[test]
fn the_end_while_it_is_open() {
    each(&[Some(Signal::TERM), Some(Signal::HUP), None], |signal| {
        let mut stage = reviewing(80, 24);
        match signal {
            Some(signal) => drop(stage.signal(*signal).leaves(130)),
            None => {
                stage.closes();
                assert_eq!(stage.ends().exit_code(), 130);
            }
        }
        stage.lab.check();
        let plans = std::fs::read_dir(stage.lab.home().join("plans")).unwrap();
        let plan = plans.map(|it| it.unwrap().path()).find(|it| it.extension().is_some_and(|it| it == "md"));
        assert!(std::fs::read_to_string(plan.unwrap()).unwrap().contains("say it twice"));
        let journal = std::fs::read_to_string(&stage.lab.journals()[0]).unwrap();
        assert!(!journal.contains("\"approve\""), "{journal}");
    });
}

/// Not even a kill takes what is written: a comment that is done, and words that are not.
#[test]
fn a_kill_loses_no_comment() {
    let mut stage = reviewing(80, 24);
    stage.key("jj").key("c").types("three times").key(ENTER).sees("send 1 comment");
    stage.key("n").types("and test it").sees("and test it").records("and test it");
    stage.signal(Signal::KILL).ends();
    let lab = std::sync::Arc::clone(&stage.lab);
    let mut stage = again(&lab).with(&["-c"]).on(80, 24);
    stage.is_on_page(true).sees("new, line 3: three times").sees("send 1 comment").calm();
    stage.key("n").sees("and test it").key(ENTER).is_on_page(true).sees("changes since").calm();
    stage.key("y").sees("Approve this plan").key(ENTER).is_on_page(false).sees("I carry it out.");
}

#[test]
fn a_parked_plan_is_reviewed_again() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = reviewing(width, height);
        stage.key("p").sees("Park the plan?").key(ENTER).is_on_page(false).sees_above("Plan parked");
        stage.sees_no_more("Working").types("/plan review").key(ENTER).is_on_page(true).calm();
        stage.key("/").sees("Search for").types("tests").key(ENTER).sees("1 of 1").key(ESC);
        stage.sees_no_more("1 of 1").key(CTRL_C).is_on_page(false).sees("default mode");
        stage.types("/plan review").key(ENTER).is_on_page(true).calm();
        stage.key("a").sees("accept edits?").key(ENTER).is_on_page(false).sees("I carry it out.");
        stage.sees("accept edits");
    });
}
