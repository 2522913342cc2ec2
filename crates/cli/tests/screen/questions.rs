//! Questions on the screen, and who answers them.

use std::time::Duration;

use crate::keys::*;
use crate::play::{each, play};
use crate::stage::Stage;

const WRITES: &str = r##"
[[answer]]
delay_ms = 300
[[answer.call]]
tool = "Bash"
input = { command = "echo done > done.txt" }
[[answer]]
text = "After it."
"##;

const ASKS: &str = "Allow this";

#[test]
fn yes_and_no() {
    each(&[("y", true), ("n", false), (ESC, false), (KITTY_ESC, false)], |&(key, ran)| {
        let mut stage = play(WRITES).on(80, 24);
        stage.types("go").key(ENTER).sees(ASKS);
        stage.calm().key(key).sees_no_more(ASKS).sees_no_more("Working");
        assert_eq!(stage.lab.project().join("done.txt").exists(), ran, "{key:?}");
    });
}

/// How many of this letter were typed and stand in the composer.
fn typed(stage: &Stage, letter: char) -> usize {
    stage.screen().rsplit("\n> ").next().unwrap().matches(letter).count()
}

/// Typed ahead, and going on while the question appears: none of it answers, all of it is kept.
#[test]
fn keys_that_were_on_their_way_do_not_answer() {
    let mut stage = play(WRITES).on(200, 60);
    stage.types("go").key(ENTER).sees("Working");
    let mut count = 0;
    while !stage.screen().contains(ASKS) {
        count += 1;
        stage.types("y").until("what is typed", |stage| typed(stage, 'y') == count);
        // No quicker than a held key: while a question is open the composer shows one row, and all must fit.
        std::thread::sleep(Duration::from_millis(20));
    }
    stage.types("yny").until("all that was typed, kept", |stage| typed(stage, 'y') == count + 2);
    stage.sees(ASKS);
    stage.calm().key("n").sees_no_more(ASKS).sees("After it.");
    assert!(!stage.lab.project().join("done.txt").exists());
}

#[test]
fn on_a_small_window_too() {
    each(&[(40, 15), (200, 60)], |&(width, height)| {
        let mut stage = play(WRITES).on(width, height);
        stage.types("go").key(ENTER).sees(ASKS).sees("done.txt").sees("yes, once").sees("no (Esc)");
        stage.calm().key("y").sees_no_more(ASKS).file_says("done.txt", "done").sees("After it.");
    });
}

#[test]
fn enter_answers_nothing() {
    let mut stage = play(WRITES).on(80, 24);
    stage.types("go").key(ENTER).sees(ASKS);
    stage.calm().key(ENTER).key(" ").key(ENTER).types("q").sees(ASKS);
    assert!(!stage.lab.project().join("done.txt").exists());
    stage.key(ESC).sees_no_more(ASKS);
    assert!(!stage.lab.project().join("done.txt").exists());
}
