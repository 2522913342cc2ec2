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

/// An answer that no test waits for.
const ENDLESS: &str = r##"
chunk = 5
[[answer]]
text = "It takes a while to say all of this, and it is not done yet, not for long."
pace_ms = 5000
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
    stage.types("go").key(ENTER).sees("It takes").types("and this").key(ENTER);
    stage.sees("next step: and this").sees("The second answer.").sees_no_more("next step:");
}

#[test]
fn a_stop_gives_back_what_waits_and_runs_none_of_it() {
    each(&[ESC, KITTY_ESC, CTRL_C, KITTY_CTRL_C], |key| {
        let mut stage = play(ENDLESS).on(80, 24);
        stage.types("go").key(ENTER).sees("It ta");
        stage.types("first later").key(TAB).sees("after this turn: first later");
        stage.types("then this").key(ENTER).sees("next step: then this").types("half a");
        stage.sees("> half a").key(key).sees("Interrupted").sees("> first later\n  then this\n  half a");
        stage
            .sees_no_more("next step:")
            .key(" word")
            .sees("half a word")
            .key(ENTER)
            .sees("The second answer.");
        let said = said(&stage);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[1].contains("first later\\nthen this\\nhalf a word"), "{said:?}");
    });
}

#[test]
fn up_takes_the_last_message_back_to_edit_it() {
    for (width, height) in [(80, 24), (40, 15)] {
        let mut stage = play(ENDLESS).on(width, height);
        stage.types("go").key(ENTER).sees("It ta").types("one").key(TAB).sees("after this turn: one");
        stage.types("twoo").key(ENTER).sees("next step: twoo").sees("Up: edit the last message");
        stage.key(UP).sees_no_more("next step:").sees("> twoo").sees("after this turn: one");
        stage.key("\x7f").sees_no_more("twoo").key(ENTER).sees("next step: two");
    }
}

/// A terminal far away may send both at once.
#[test]
fn esc_twice_in_one_read_is_pressed_twice() {
    let mut stage = play(QUICK).on(80, 24);
    stage.types("not this").sees("> not this").key("\x1b\x1b").sees_no_more("not this");
    stage.types("half").sees("> half").key("\x1b\x1b\x1b[A").sees_no_more("half").shows_no("[A");
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
