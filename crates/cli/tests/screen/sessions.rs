//! From one session to another, and from one run to the next.

use crate::keys::*;
use crate::play::{again, each, play};

const HEARS: &str = r##"
[[start]]
prompt = 'apples'
goto = 'apples'
[[answer]]
name = 'again'
text = 'Heard.'
next = [{ goto = 'again' }]
[[answer]]
name = 'apples'
text = 'Apples it is.'
next = [{ goto = 'apples' }]
"##;

#[test]
fn another_one_and_back() {
    let mut stage = play(HEARS).on(80, 24);
    stage.types("talk of apples").key(ENTER).sees("Apples it is.").sees_no_more("Working");
    stage.types("/clear").key(ENTER).until("another session", |it| it.terminal.callbacks().begun == 2);
    stage.sees_a_frame().types("talk of pears").key(ENTER).sees("Heard.").sees_no_more("Working");
    stage.types("/resume").key(ENTER).is_on_page(true).sees("talk of apples").snapshot("picker-resume");
    stage.types("apples").key(ENTER).is_on_page(false);
    stage.until("the former conversation", |it| it.all().matches("Apples it is.").count() == 2);
    stage.types("more").key(ENTER).until("its answer", |it| it.all().matches("Apples it is.").count() == 3);
    stage.sees_no_more("Working").types("/resume").key(ENTER).is_on_page(true).sees("talk of pears");
    stage.types("pears").key(ENTER).is_on_page(false);
    stage.until("the other again", |it| it.all().matches("Heard.").count() == 2);
    stage.types("more").key(ENTER).until("its answer", |it| it.all().matches("Heard.").count() == 3);
    stage.sees_no_more("Working").types("/exit").key(ENTER).leaves(0);
    assert_eq!(stage.lab.journals().len(), 2);
    stage.lab.check();
}

/// The mode on the command line was for the session that it started.
#[test]
fn a_resumed_session_keeps_its_mode() {
    let mut stage = play(HEARS).with(&["--permission-mode", "acceptEdits"]).on(80, 24);
    stage.types("talk of apples").key(ENTER).sees("Apples it is.").sees_no_more("Working");
    stage.types("/mode plan").key(ENTER).sees("plan mode on");
    stage.types("/clear").key(ENTER).until("another session", |it| it.terminal.callbacks().begun == 2);
    stage.sees("accept edits on").types("/resume").key(ENTER).is_on_page(true).sees("talk of apples");
    stage
        .types("apples")
        .key(ENTER)
        .is_on_page(false)
        .until("the third", |it| it.terminal.callbacks().begun == 3);
    stage.sees("plan mode on").types("more").key(ENTER);
    stage.until("its answer", |it| it.all().matches("Apples it is.").count() == 3);
    stage.sees_no_more("Working").sees("plan mode on").key(CTRL_D).leaves(0);
    stage.lab.check();
}

#[test]
fn what_is_typed_behind_a_command_that_leaves_is_for_the_next_session() {
    let mut stage = play(HEARS).on(80, 24);
    stage.types("/clear\rtalk of pears");
    stage.until("another session", |it| it.terminal.callbacks().begun == 2).sees("> talk of pears");
    stage.key(ENTER).sees("Heard.").sees_no_more("Working");
    // All in one burst, over two sessions: the last words are sent to the third.
    stage.types("/clear\r/clear\rtalk of apples\r");
    stage.until("two more", |it| it.terminal.callbacks().begun == 4).sees("Apples it is.");
    stage.sees_no_more("Working").key(CTRL_D).leaves(0);
    stage.lab.check();
}

#[test]
fn the_end_of_the_former_conversation() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = play(HEARS).on(width, height);
        for (before, said) in ["one", "two", "three", "four", "five"].into_iter().enumerate() {
            stage.types(said).key(ENTER).sees(&format!("> {said}"));
            stage.records(said).until("an answer", |it| {
                let all = it.all();
                all.rsplit(&format!("> {said}")).next().unwrap().contains("Heard.")
            });
            // Whoever leaves before its end interrupts the turn, and that would be shown again.
            stage.until("the end of the turn", |it| {
                let journals = it.lab.journals();
                let text = journals.iter().map(|path| std::fs::read_to_string(path).unwrap_or_default());
                text.map(|it| it.matches("\"kind\":\"turn_ended\"").count()).sum::<usize>() > before
            });
        }
        stage.key(CTRL_D).leaves(0);
        let mut stage = again(&stage.lab).with(&["-c"]).on(width, height);
        stage.sees_above("> five").sees_above("4 earlier messages (Ctrl+R shows");
        stage.snapshot_all(&format!("continued-{width}x{height}-all"));
        stage.types("six").key(ENTER).sees("> six").sees_no_more("Working").key(CTRL_D).leaves(0);
    });
}

#[test]
fn a_theme_is_kept() {
    let mut stage = play(HEARS).on(80, 24);
    let colour = |stage: &crate::stage::Stage| stage.terminal.screen().cell(3, 1).unwrap().fgcolor();
    let dark = colour(&stage);
    stage.types("/theme light").key(ENTER).until("other colours", |it| colour(it) != dark);
    let light = colour(&stage);
    stage.until("it kept", |it| {
        std::fs::read_to_string(it.lab.home().join("settings.json")).is_ok_and(|text| text.contains("light"))
    });
    stage.key(CTRL_D).leaves(0);
    let mut stage = again(&stage.lab).on(80, 24);
    stage.until("the same colours", |it| colour(it) == light);
    stage.types("/theme nonsense").key(ENTER).sees("Unknown theme");
}

#[test]
fn a_tip_once() {
    let mut stage = play(HEARS).at_home("state.json", "{}").on(80, 24);
    stage.sees("Tip: Shift+Tab").until("the session counted", |it| {
        std::fs::read_to_string(it.lab.home().join("state.json")).is_ok_and(|text| text.contains("tipShown"))
    });
    stage.key(CTRL_D).leaves(0);
    let mut stage = again(&stage.lab).on(80, 24);
    stage.types("hello").key(ENTER).sees("Heard.").shows_no("Tip:");
}
