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
    stage
        .sees("> /clear")
        .sees("── New session")
        .sees_a_frame()
        .types("talk of pears")
        .key(ENTER)
        .sees("Heard.")
        .sees_no_more("Working");
    stage.types("/resume").key(ENTER).is_on_page(true).sees("talk of apples").snapshot("picker-resume");
    stage.types("apples").key(ENTER).is_on_page(false).sees_above("── Resumed · 1 prompt");
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
        stage.sees_above("> five").sees_above("4 earlier messages (Ctrl+O shows");
        stage.snapshot_all(&format!("continued-{width}x{height}-all"));
        stage.types("six").key(ENTER).sees("> six").sees_no_more("Working").key(CTRL_D).leaves(0);
    });
}

#[test]
fn leaving_says_how_to_come_back() {
    each(&["exit", "/quit", "/exit", CTRL_D], |way| {
        let mut stage = play(HEARS).on(40, 15);
        stage.types("talk of apples").key(ENTER).sees("Apples it is.").sees_no_more("Working");
        match *way {
            CTRL_D => stage.key(CTRL_D),
            words => stage.types(words).key(ENTER),
        };
        stage.leaves(0).sees("To continue: forelook -r ");
        let screen = stage.screen();
        let (_, id) = screen.split_once("forelook -r ").unwrap();
        let mut stage = again(&stage.lab).with(&["-r", id.trim()]).on(80, 24);
        stage.sees_above("Apples it is.").types("more").key(ENTER);
        stage.until("its answer", |it| it.all().matches("Apples it is.").count() == 2);
        stage.sees_no_more("Working").key(CTRL_D).leaves(0);
        stage.lab.check();
    });
    // With nothing said there is nothing to come back to, and a word that begins so is said.
    let mut stage = play(HEARS).on(80, 24);
    stage.types("quit").key(ENTER).leaves(0).shows_no("To continue");
    let mut stage = play(HEARS).on(80, 24);
    stage.types("exit codes").key(ENTER).sees("Heard.");
}

#[test]
fn one_is_chosen_before_it_begins() {
    let mut stage = play(HEARS).on(80, 24);
    stage.types("talk of apples").key(ENTER).sees("Apples it is.").sees_no_more("Working");
    stage.types("/clear").key(ENTER).until("another session", |it| it.terminal.callbacks().begun == 2);
    stage.sees_a_frame().types("talk of pears").key(ENTER).sees("Heard.").sees_no_more("Working");
    stage.key(CTRL_D).leaves(0);
    let lab = stage.lab.clone();
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = again(&lab).with(&["-r"]).at_once().on(width, height);
        stage.is_on_page(true).sees("talk of apples").sees("talk of pears");
        stage.snapshot(&format!("picker-start-{width}x{height}")).key(ESC).leaves(0).is_on_page(false);
    });
    let mut stage = again(&lab).with(&["-r"]).at_once().on(80, 24);
    stage.is_on_page(true).types("apples").key(ENTER).sees_above("Apples it is.").is_on_page(false);
    stage.sees_a_frame().types("more").key(ENTER);
    stage.until("its answer", |it| it.all().matches("Apples it is.").count() == 2);
    stage.sees_no_more("Working").key(CTRL_D).leaves(0);
}

#[test]
fn a_theme_is_kept() {
    let mut stage = play(HEARS).on(80, 24);
    // That of the mode, in the last row with words.
    let colour = |stage: &crate::stage::Stage| {
        let row = stage.screen().lines().position(|row| row.contains("default mode")).unwrap();
        stage.terminal.screen().cell(row as u16, 1).unwrap().fgcolor()
    };
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

const SHELLS: &str = r##"
start = [{ prompt = 'more', goto = 'again' }]
[[answer]]
call = [
    { tool = "Bash", input = { command = "printf '%s on 3000' listening; sleep 987", run_in_background = true } },
    { tool = "Bash", input = { command = "sleep 988", run_in_background = true } },
]
[[answer]]
name = 'again'
text = 'Heard.'
next = [{ goto = 'again' }]
"##;

/// What runs beside the conversation is listed, looked at and ended, and does not outlive the program.
#[test]
fn shells_are_seen_and_ended_and_do_not_come_back() {
    for (width, height) in [(80, 24), (40, 15)] {
        let mut stage = play(SHELLS).with(&["--allowedTools", "Bash"]).on(width, height);
        stage.types("go").key(ENTER).sees("Heard.").sees("2 shells in the background");
        stage.types("/tasks").key(ENTER).is_on_page(true).sees("shell_2").key(DOWN).sees("❯ shell_1");
        stage.key(ENTER).sees("listening on 3000").key(ESC).sees("Enter output");
        stage.key("x").sees("End `shell_1`?").key("y").sees("stopped by").key(ESC).is_on_page(false);
        stage.sees("1 shell in the background: sleep 988").key(CTRL_D).leaves(0);
        let mut stage =
            again(&stage.lab.clone()).with(&["-c", "--permission-mode", "plan"]).on(width, height);
        stage
            .sees("Heard.")
            .sees("plan mode on")
            .shows_no("shell in the background")
            .shows_no("outside the fence");
        stage.types("/tasks").key(ENTER).is_on_page(true).sees("Nothing is running").key(ESC);
        stage.is_on_page(false).types("more").key(ENTER);
        stage.until("its answer", |it| it.all().matches("Heard.").count() == 2);
        let told = stage.lab.journal().iter().any(|entry| {
            entry["kind"] == "reminder"
                && entry["data"]["text"]
                    .as_str()
                    .is_some_and(|text| text.contains("ended when Forelook exited"))
        });
        assert!(told, "the model was not told");
        stage.lab.check();
    }
}
