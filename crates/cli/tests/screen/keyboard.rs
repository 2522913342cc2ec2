//! Keys, as different terminals send them.

use crate::keys::*;
use crate::play::{each, play};
use crate::stage::Stage;

const SLOW: &str = r##"
chunk = 5
[[answer]]
text = "It takes a while to say all of this, and it is not done yet, not for long."
pace_ms = 100
[[answer]]
text = "The second answer."
"##;

const QUICK: &str = "[[answer]]\nname = 'again'\ntext = 'Heard.'\nnext = [{ goto = 'again' }]";

/// What the person said, as the model was sent it.
fn said(stage: &Stage) -> Vec<String> {
    let journal = stage.lab.journal();
    let taken = journal.iter().filter(|entry| entry["kind"] == "prompt_accepted");
    taken.map(|entry| entry["data"].to_string()).collect()
}

#[test]
fn the_mode_changes_in_every_encoding() {
    each(&[SHIFT_TAB, KITTY_SHIFT_TAB], |key| {
        let mut stage = play(QUICK).on(80, 24);
        let before = stage.screen();
        stage.key(key).until("another mode", |stage| stage.screen() != before);
        stage.sees("accept edits");
    });
}

#[test]
fn a_new_line_in_every_encoding() {
    each(&[ALT_ENTER, "\\\r", CTRL_J, KITTY_SHIFT_ENTER], |key| {
        let mut stage = play(QUICK).on(40, 15);
        stage.types("one").sees("> one").key(key).types("two").sees("\n  two");
        stage.key(ENTER).sees("Heard.");
        let said = said(&stage);
        assert!(said.iter().any(|it| it.contains("one\\ntwo")), "{key:?}: {said:?}");
    });
}

#[test]
fn esc_stops_the_answer() {
    each(&[ESC, KITTY_ESC, CTRL_C, KITTY_CTRL_C], |key| {
        let mut stage = play(SLOW).on(80, 24);
        stage.types("go").key(ENTER).sees("It takes").key(key).sees("Interrupted").sees_no_more("Working");
        stage.types("again").key(ENTER).sees("The second answer.");
    });
}

#[test]
fn what_is_said_meanwhile_waits() {
    let mut stage = play(SLOW).on(80, 24);
    stage.types("go").key(ENTER).sees("It takes").types("and this").key(ENTER).sees("queued: and this");
    stage.sees("The second answer.").sees_no_more("queued:");
}

#[test]
fn ctrl_c_clears_the_line_then_leaves() {
    let mut stage = play(QUICK).on(80, 24);
    stage.types("not this").sees("> not this").key(CTRL_C).sees_no_more("not this");
    stage.key(CTRL_C).sees("Press Ctrl+C again to exit").key(CTRL_C).leaves(0);
}

#[test]
fn ctrl_d_leaves_an_empty_line_only() {
    let mut stage = play(QUICK).on(80, 24);
    stage.types("x").sees("> x").key(CTRL_D).types("y").sees("> xy");
    stage.key(CTRL_C).sees_no_more("> xy").key(CTRL_D).leaves(0);
}

#[test]
fn a_large_paste_is_one_thing_and_arrives_whole() {
    let text: String = (0..2000).map(|at| format!("line {at} 漢\n")).collect();
    let mut stage = play(QUICK).on(80, 24);
    stage.pastes(&text).until("the paste on the screen", |stage| stage.screen().contains("2000"));
    stage.shows_no("line 1000").key(ENTER).sees("Heard.");
    let said = said(&stage).join("");
    for part in ["line 0 漢\\nline 1 漢", "line 1999 漢"] {
        assert!(said.contains(part), "{part:?} is missing");
    }
}

#[test]
fn a_paste_with_keys_in_it_is_only_text() {
    let mut stage = play(QUICK).on(80, 24);
    stage.pastes("one\ntwo \x03\x04 three").sees("three").key(ENTER).sees("Heard.");
}
