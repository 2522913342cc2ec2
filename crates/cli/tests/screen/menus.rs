//! What opens while one writes.

use crate::keys::*;
use crate::play::{again, each, play};

/// Says what it was told: the person's own command, a picture, or neither.
const HEARS: &str = r##"
[[start]]
prompt = '(?s)echo hi.*hi'
goto = 'told'
[[answer]]
name = 'again'
text = 'Heard.'
next = [{ prompt = '(?s)echo hi.*hi', goto = 'told' }, { goto = 'again' }]
[[answer]]
name = 'told'
text = 'I was told of hi.'
next = [{ goto = 'again' }]
"##;

#[test]
fn commands() {
    each(&[(80, 24), (40, 15), (200, 60)], |&(width, height)| {
        let mut stage = play(HEARS).on(width, height);
        stage.types("/").sees("/plan").sees("/mode").snapshot(&format!("menu-{width}x{height}"));
        stage.types("mo").sees("/model").sees_no_more("/plan").key(ESC).sees_no_more("/model").sees("> /mo");
        stage.key(CTRL_C).sees_no_more("/mo").types("/sta").sees("/status").key(TAB).sees("> /status");
        stage.key(ENTER).sees_above("Session").sees_above("Folder");
        // What was asked stands above what it says, and is written no more.
        stage.until("an empty composer", |it| {
            it.all().matches("> /status").count() == 1 && it.screen().contains(">\n")
        });
        // The beginning of a name is completed and not run.
        stage.types("/cos").sees("/cost").key(ENTER).sees("> /cost").shows_no("No model has answered");
        stage.key(ENTER).sees("No usage yet");
        // A chosen one is run.
        stage.types("/hel").sees("/help").key(DOWN).key(ENTER).sees_above("switch permission mode");
    });
}

#[test]
fn files() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let play = play(HEARS).file("src/greet.sh", "echo hello").file("my notes/to do.txt", "nothing");
        let mut stage = play.on(width, height);
        stage.types("see @gree").sees("src/greet.sh").key(TAB).sees("> see @src/greet.sh");
        stage.types("and @todo").sees("my notes/to do.txt").snapshot(&format!("menu-files-{width}x{height}"));
        // It goes on in the next row where it is too long.
        stage.key(ENTER).sees("@\"my notes/to").shows_no("Heard.").types("now").sees("now").key(ENTER);
        stage.sees("Heard.");
        let said = stage.lab.requests().last().unwrap().to_string();
        assert!(said.contains(r#"see @src/greet.sh and @\"my notes/to do.txt\" now"#), "{said}");
    });
}

#[test]
fn what_was_said_in_another_run() {
    let mut stage = play(HEARS).on(80, 24);
    stage.types("the first thing").key(ENTER).sees("Heard.").sees_no_more("Working");
    stage
        .types("another thing")
        .key(ENTER)
        .until("two answers", |it| it.all().matches("Heard.").count() == 2);
    stage.sees_no_more("Working").key(CTRL_D).leaves(0);

    let mut stage = again(&stage.lab).on(80, 24);
    stage
        .types("half")
        .sees("> half")
        .key(CTRL_R)
        .types("thing")
        .sees("search: thing")
        .sees("another thing")
        .snapshot("history-search");
    stage.key(CTRL_R).sees("the first thing").key(ESC).sees("> half").shows_no("the first thing");
    stage.key(CTRL_R).types("first").sees("the first thing").key(TAB).sees("> the first thing");
    stage
        .key(CTRL_C)
        .sees(">\n")
        .key(UP)
        .sees("> another thing")
        .key(UP)
        .sees("> the first thing")
        .key(ENTER);
    stage.sees("Heard.");
}

#[test]
fn what_was_said_in_this_project_is_found_first() {
    let said = |text: &str, project: &str| format!("{{\"text\":\"{text}\",\"project\":\"{project}\"}}\n");
    let play = play(HEARS);
    let project = play.lab.project().canonicalize().unwrap();
    let history = format!(
        "\"fix the oldest\"\n{}{}",
        said("fix the parser here", &project.display().to_string()),
        said("fix the lexer there", "/elsewhere")
    );
    let mut stage = play.at_home("history", &history).on(80, 24);
    stage.key(CTRL_R).types("fix").sees("fix the parser here");
    stage.key(CTRL_R).sees("fix the lexer there").key(CTRL_R).sees("fix the oldest");
    stage.key(ENTER).sees("> fix the oldest").key(ENTER).sees("Heard.");
}

#[test]
fn a_line_for_the_shell() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = play(HEARS).on(width, height);
        stage.types("!echo hi").sees("echo hi").key(ENTER).sees("⎿ hi");
        stage.types("what was it?").key(ENTER).sees("I was told of hi.").sees_no_more("Working");
        stage.snapshot_all(&format!("shell-{width}x{height}-all"));
    });
}

#[test]
fn files_that_are_named_are_attached() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let play = play(HEARS).file("notes/the plan.md", "Plant roses.\n").file(".env", "TOKEN=1\n");
        let mut stage = play.on(width, height);
        stage.pastes(&"@.env\n".repeat(20));
        stage
            .types(" see @\"notes/the plan.md\", @../project/notes and @.env, @bob")
            .sees("no matching files")
            .key(ENTER)
            .sees("Heard.");
        stage.sees_no_more("Working").snapshot(&format!("attached-{width}x{height}"));
        let said = stage.lab.requests().last().unwrap().to_string();
        assert!(
            said.contains("Plant roses.") && said.contains("the plan.md\"") && !said.contains("TOKEN"),
            "{said}"
        );
        stage.key(CTRL_O).is_on_page(true).sees("Plant roses.").key(ESC).is_on_page(false);
        stage.key(CTRL_D).leaves(0);
        let mut stage = again(&stage.lab).with(&["-c"]).on(width, height);
        stage.sees_above("Attached notes/the plan.md").key(CTRL_D).leaves(0);
    });
}

/// A picture of one pixel.
const PIXEL: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82";

#[test]
fn a_picture_by_its_path() {
    let play = play(HEARS);
    play.lab.file("my pic.png", PIXEL);
    let mut stage = play.on(80, 24);
    let path = stage.lab.project().join("my pic.png").display().to_string();
    stage.pastes(&format!("'{path}'")).sees("[image 1]").types(" what is it?").key(ENTER).sees("Heard.");
    let said = stage.lab.requests().last().unwrap().to_string();
    assert!(said.contains("image/png"), "{said}");
    // What is no picture is only text.
    stage.pastes("no such.png").sees("> no such.png");
}

#[test]
fn a_paste_stays_folded_once_it_is_sent() {
    each(&[(80, 24), (40, 15), (200, 60)], |&(width, height)| {
        let mut stage = play(HEARS).on(width, height);
        stage.types("look: ").pastes(&"pasted words\n".repeat(30)).sees("> look: [Pasted text 1: 30 lines]");
        stage.key(ENTER).sees("Heard.").sees_no_more("Working");
        stage.sees("> look: [Pasted text 1: 30 lines]").shows_no("pasted words");
        // The model was sent all of it, and so is who asks for the whole conversation.
        let said = stage.lab.requests().last().unwrap().to_string();
        assert_eq!(said.matches("pasted words").count(), 30);
        stage.key(CTRL_O).is_on_page(true).sees("pasted words");
    });
}
