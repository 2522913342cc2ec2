//! A folder that brings rules of its own.

use crate::keys::*;
use crate::play::{again, each, play};
use crate::stage::Stage;

const WRITES: &str = r##"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "touch done.txt" }
[[answer]]
text = "After it."
"##;

const SETTINGS: &str = r#"{"permissions": {"allow": ["Bash(touch *)"]}}"#;

const ASKS: &str = "Do you trust this folder?";

#[test]
fn yes_is_remembered() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let play = play(WRITES).file(".forelook/settings.json", SETTINGS).at_once();
        let mut stage = play.on(width, height);
        stage.sees(ASKS).sees("y  yes, I trust it").sees("n  no (Esc)");
        stage.calm().key(ENTER).key(" ").sees(ASKS).key("y").sees_no_more(ASKS).sees_a_frame();
        stage.types("go").key(ENTER).sees("After it.").key(CTRL_D).leaves(0);
        assert!(stage.lab.project().join("done.txt").exists());
        let mut stage = again(&stage.lab).on(width, height);
        stage.types("x").sees("> x").shows_no(ASKS);
    });
}

#[test]
fn no_means_that_its_rules_do_nothing() {
    each(&["n", ESC], |key| {
        let mut stage = play(WRITES).file(".forelook/settings.json", SETTINGS).at_once().on(80, 24);
        stage.sees(ASKS).calm().key(key).sees_no_more(ASKS).sees_a_frame();
        stage
            .types("go")
            .key(ENTER)
            .sees("Allow this")
            .calm()
            .key("n")
            .sees("After it.")
            .key(CTRL_D)
            .leaves(0);
        assert!(!stage.lab.project().join("done.txt").exists());
        let mut stage = again(&stage.lab).at_once().on(80, 24);
        stage.sees(ASKS);
    });
}

#[test]
fn ctrl_c_leaves_the_program() {
    each(&[CTRL_C, CTRL_D], |key| {
        let mut stage = play(WRITES).file(".forelook/settings.json", SETTINGS).at_once().on(80, 24);
        stage.sees(ASKS).sees("Ctrl+C leaves").key(key).leaves(130);
        let mut stage = again(&stage.lab).at_once().on(80, 24);
        stage.sees(ASKS);
    });
}

#[test]
fn the_end_while_it_is_asked() {
    let mut stage = play(WRITES).file(".forelook/settings.json", SETTINGS).at_once().on(80, 24);
    stage.sees(ASKS).signal(rustix::process::Signal::TERM).leaves(130);
    let mut stage = again(&stage.lab).at_once().on(80, 24);
    stage.sees(ASKS).closes();
    stage.ends();
}

const HOOKED: &str = r#"{
  "permissions": {"allow": ["Bash(touch *)"]},
  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh tools/stop.sh"}]}]}
}"#;

#[test]
fn the_question_shows_what_it_is_about_and_a_change_asks_again() {
    let asks_again = "Do you still trust this folder?";
    let play = play(WRITES)
        .file(".forelook/settings.json", HOOKED)
        .file("tools/stop.sh", "true\n")
        .file(".mcp.json", r#"{"mcpServers": {"db": {"command": "npx"}}}"#);
    let mut stage = play.at_once().on(80, 24);
    stage.sees(ASKS).sees("allow rule `Bash(touch *)`").sees("hook `sh tools/stop.sh` (Stop)");
    stage.sees("script `tools/stop.sh`").sees("MCP server `db`");
    stage.calm().key("y").sees_no_more(ASKS).sees_a_frame().key(CTRL_D).leaves(0);

    stage.lab.file("tools/stop.sh", "touch stolen.txt\n");
    let mut stage = again(&stage.lab).at_once().on(80, 24);
    stage.sees(asks_again).sees("changed: script `tools/stop.sh`");
    stage.calm().key("n").sees_no_more(asks_again).sees_a_frame();
    stage.types("go").key(ENTER).sees("Allow this").calm().key("n").sees("After it.").key(CTRL_D).leaves(0);
    assert!(!stage.lab.project().join("stolen.txt").exists(), "the changed hook must not run");
    let mut stage = again(&stage.lab).at_once().on(80, 24);
    stage.sees(asks_again).calm().key("y").sees_no_more(asks_again).sees_a_frame().key(CTRL_D).leaves(0);
    let mut stage = again(&stage.lab).on(80, 24);
    stage.types("x").sees("> x").shows_no(asks_again);
}

const TWICE: &str = r##"
[[answer]]
name = "try"
[[answer.call]]
tool = "Bash"
input = { command = "touch done.txt" }
[[answer]]
text = "After it."
next = [{ goto = "try" }]
"##;

#[test]
fn trust_is_looked_at_withdrawn_and_given_again() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let play = play(TWICE).file(".forelook/settings.json", SETTINGS).at_once();
        let mut stage = play.on(width, height);
        stage.sees(ASKS).calm().key("n").sees_no_more(ASKS).sees_a_frame();
        stage.types("/permissions").key(ENTER).is_on_page(true).sees("waits").sees("Bash(touch *)").key(ESC);
        stage.is_on_page(false).types("/trust").key(ENTER).sees(ASKS).key(CTRL_C);
        // Only the question was left.
        is_back(&mut stage, 1).shows_no("trust this folder now").types("/trust").key(ENTER);
        stage.sees(ASKS).sees("y  yes, I trust it").calm().key("y");
        is_back(&mut stage, 2)
            .sees("You trust this folder now")
            .types("go")
            .key(ENTER)
            .sees("After it.")
            .sees_no_more("Working");
        assert!(stage.lab.project().join("done.txt").exists(), "the rule counts at once");
        stage.types("/trust").key(ENTER).sees("You trust this folder").sees("w  withdraw my trust");
        stage.snapshot(&format!("trusted-{width}x{height}")).calm().key(ESC);
        is_back(&mut stage, 3).types("/trust").key(ENTER).sees("w  withdraw").calm().key("w");
        is_back(&mut stage, 4).sees("You no longer trust this folder").types("again").key(ENTER);
        stage.sees("Allow this").calm().key("n").sees_no_more("Allow this").sees_no_more("Working");
        stage.key(CTRL_D).leaves(0);
        let mut stage = again(&stage.lab).at_once().on(width, height);
        stage.sees(ASKS);
    });
    // Where nothing needs it, nothing is asked.
    let mut stage = play(TWICE).on(80, 24);
    stage.types("/trust").key(ENTER).sees("Nothing in this folder needs your trust");
}

#[test]
fn whoever_answers_again_is_back_in_the_session_and_not_welcomed_twice() {
    let mut stage = play(WRITES).file(".forelook/settings.json", SETTINGS).at_once().on(80, 24);
    stage.sees(ASKS).key("n").sees_no_more(ASKS).sees_a_frame();
    stage.types("go").key(ENTER).sees("Allow this").calm().key("n").sees("After it.").sees_no_more("Working");
    comes_back(&mut stage);
    stage.key(CTRL_D).leaves(0).sees("To continue: forelook -r ").shows_no("Resumed");
    let mut stage = again(&stage.lab).with(&["-c"]).at_once().on(80, 24);
    stage.sees(ASKS).key("n").sees_no_more(ASKS).sees_above("Resumed ·").sees_above("After it.");
    comes_back(&mut stage);
    assert_eq!(stage.all().matches("Resumed").count(), 1, "{}", stage.all());
}

/// Waits until the question was answered so many times. A line says so, and behind it the session takes keys again.
fn is_back(stage: &mut Stage, times: usize) -> &mut Stage {
    stage.until("the session again", |it| it.all().matches("Back in this session").count() == times)
}

/// Leaves a session for the question; what was said before is not said again.
fn comes_back(stage: &mut Stage) {
    stage.sees_a_frame().types("/trust").key(ENTER).sees(ASKS).key("n");
    let all = is_back(stage, 1).all();
    let greeting = format!("Forelook {}", env!("CARGO_PKG_VERSION"));
    for words in [greeting.as_str(), "> go", "After it."] {
        assert_eq!(all.matches(words).count(), 1, "{words:?}:\n{all}");
    }
}
