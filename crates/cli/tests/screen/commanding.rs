//! Commands and what they open.

use crate::keys::*;
use crate::play::{each, play};

const HEARS: &str = "[[answer]]\nname = 'again'\ntext = 'Heard.'\nusage = { input_tokens = 1000, output_tokens = 5 }\nnext = [{ goto = 'again' }]";

#[test]
fn pickers() {
    each(&[(80, 24), (40, 15), (200, 60)], |&(width, height)| {
        let mut stage = play(HEARS).on(width, height);
        // Enter alone chooses nothing.
        stage
            .types("/mode")
            .key(ENTER)
            .is_on_page(true)
            .sees("Permission modes")
            .key(ENTER)
            .sees("Permission modes");
        stage.snapshot(&format!("picker-mode-{width}x{height}"));
        stage.types("accept").sees("> accept").key(ENTER).is_on_page(false).sees("accept edits");
        stage.types("/model").key(ENTER).is_on_page(true).sees("Models").key(DOWN).sees("❯").key(ESC);
        stage.is_on_page(false).types("/theme").key(ENTER).is_on_page(true).sees("color-blind");
        stage.key(ESC).is_on_page(false).types("/mode plan").key(ENTER).sees("plan mode");
        stage.types("/mode nonsense").key(ENTER).sees("nonsense").sees("plan mode");
        stage.types("go").key(ENTER).sees("Heard.").sees_no_more("Working").key(CTRL_D).leaves(0);
    });
}

#[test]
fn what_they_say() {
    each(&[(80, 24), (40, 15), (200, 60)], |&(width, height)| {
        let play = play(HEARS).with(&["--allowedTools", "Bash(ls *)"]);
        let mut stage = play.on(width, height);
        stage.types("hello").key(ENTER).sees("Heard.").sees_no_more("Working");
        stage.types("/cost").key(ENTER).sees("../script.toml");
        stage.types("/permissions").key(ENTER).sees("Bash(ls *)");
        stage.types("/nonsense").key(ENTER).sees("Unknown command `/nonsense`");
        stage.types("/hepl").key(ENTER).sees("Did you mean");
        stage.types("/help").key(ENTER).sees_above("Ctrl+R").sees_above("undo, redo");
        stage.snapshot_all(&format!("commands-{width}x{height}-all"));
    });
}

#[test]
fn the_conversation_as_a_file() {
    let mut stage = play(HEARS).on(80, 24);
    stage.types("/export").key(ENTER).sees("Nothing to export yet");
    stage.types("hello there").key(ENTER).sees("Heard.").sees_no_more("Working");
    stage
        .types("/export")
        .key(ENTER)
        .sees("Saved the conversation to")
        .file_says("forelook-2026-01-02-hello-there.md", "## You\n\nhello there\n\n## Model\n\nHeard.");
    stage.types("/export").key(ENTER).sees("already exists").types("/export mine.md").key(ENTER);
    stage.file_says("mine.md", "hello there");
}

#[test]
fn the_whole_transcript() {
    let script = "[[answer]]\n[[answer.call]]\ntool = 'Bash'\ninput = { command = 'seq 1 300' }\n[[answer]]\ntext = 'Counted.'";
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = play(script).with(&["--allowedTools", "Bash"]).on(width, height);
        stage.types("count").key(ENTER).sees("Counted.").sees_no_more("Working").shows_no("217");
        stage
            .key(CTRL_R)
            .is_on_page(true)
            .sees("Counted.")
            .types("/217")
            .sees("/217")
            .key(ENTER)
            .sees_no_more("/217")
            .sees("217");
        stage.snapshot(&format!("transcript-{width}x{height}"));
        stage.key("g").sees("> count").types("/nowhere").key(ENTER).sees("Not found");
        stage.key(ESC).is_on_page(false).types("next").sees("> next");
        // Nothing of it is left among what is finished.
        stage.shows_no("217");
    });
}
