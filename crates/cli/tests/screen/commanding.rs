//! Commands and what they open.

use crate::keys::*;
use crate::play::{again, each, play};

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
        stage.types("/permissions").key(ENTER).is_on_page(true).sees("Bash(ls *)").key(ESC).is_on_page(false);
        stage.types("/nonsense").key(ENTER).sees("Unknown command `/nonsense`");
        stage.types("/hepl").key(ENTER).sees("Did you mean");
        stage.types("/help").key(ENTER).sees_above("Ctrl+O").sees_above("undo, redo");
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
            .key(CTRL_O)
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

const TOUCHES: &str = r##"
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
fn rules_are_added_looked_at_and_removed() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = play(TOUCHES).with(&["--disallowedTools", "WebFetch"]).on(width, height);
        stage.types("/permissions").key(ENTER).is_on_page(true).sees("a rule").key(DOWN).key(ENTER);
        stage.is_on_page(false).sees("> /permissions add allow").types("Bash(touch *)").key(ENTER);
        stage.sees_above("Rules added: allow Bash(touch *)");
        stage.file_says(".forelook/settings.local.json", "Bash(touch *)");
        stage.types("go").key(ENTER).sees("After it.").sees_no_more("Working");
        stage.types("/permissions").key(ENTER).is_on_page(true).sees("Bash(touch *)").types("touch");
        stage.sees("> touch").sees_no_more("WebFetch").key(DOWN).sees("❯");
        stage.snapshot(&format!("permissions-{width}x{height}")).key(ENTER).is_on_page(false);
        stage.sees("remove allow Bash(touch").key(ENTER).sees_above("Rules removed: allow");
        stage.types("go on").key(ENTER).sees("Allow this").calm().key("n").sees_no_more("Allow this");
        // What is typed in one go with an answer is not sent.
        stage
            .sees_no_more("Working")
            .calm()
            .types("/permissions remove WebFetch")
            .key(ENTER)
            .sees("does not change");
        let text = stage.lab.read(".forelook/settings.local.json");
        assert!(!text.contains("touch"), "{text}");
    });
}

#[test]
fn settings_with_where_they_come_from() {
    each(&[(80, 24), (40, 15), (200, 60)], |&(width, height)| {
        let settings = "{\n  \"theme\": \"light\",\n  \"plan\": {\"length\": \"trim\"}\n}";
        let play = play(TOUCHES).at_home("settings.json", settings);
        let mut stage = play.with(&["--permission-mode", "acceptEdits"]).on(width, height);
        stage.types("/config").key(ENTER).sees_above("Defaults").sees_above("settings.json:2");
        stage.sees_above("--permission-mode").sees_above("FORELOOK_MODEL");
        stage.types("/config nothing").key(ENTER).sees("No setting contains `nothing`");
        stage
            .types("/config THEME")
            .key(ENTER)
            .until("it twice", |it| it.all().matches("settings.json:2").count() == 2)
            .types("/config length plan")
            .key(ENTER)
            .until("it twice", |it| it.all().matches("settings.json:3").count() == 2);
    });
}

const CHANGES: &str = r##"
[[answer]]
[[answer.call]]
tool = "Read"
input = { file_path = "src/main.rs" }
[[answer]]
[[answer.call]]
tool = "Edit"
input = { file_path = "src/main.rs", old_string = "two", new_string = "2" }
[[answer]]
[[answer.call]]
tool = "Edit"
input = { file_path = "src/main.rs", old_string = "three", new_string = "3" }
[[answer]]
[[answer.call]]
tool = "Write"
input = { file_path = "notes/new.md", content = "# New\nwords\n" }
[[answer]]
text = "Changed."
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "rm notes/new.md" }
[[answer]]
text = "Removed."
"##;

#[test]
fn what_the_session_changed() {
    each(&[(80, 24), (40, 15), (200, 60)], |&(width, height)| {
        let long: String = (1..=40).map(|line| format!("// line {line}\n")).collect();
        let main = format!("one\ntwo\n{long}three\n");
        let play = play(CHANGES).file("src/main.rs", &main).with(&["--permission-mode", "acceptEdits"]);
        let mut stage = play.on(width, height);
        stage.types("/diff").key(ENTER).sees("No file was changed in this session");
        stage.types("go").key(ENTER).sees("Changed.").sees_no_more("Working").types("/diff").key(ENTER);
        stage.is_on_page(true).sees("This session changed 2 files (+4 −2)").sees("main.rs").sees("new.md");
        stage.snapshot(&format!("diff-{width}x{height}"));
        if height == 15 {
            stage
                .key("n")
                .sees("notes/new.md")
                .key("n")
                .sees("src/main.rs")
                .key("G")
                .sees("three")
                .key("g")
                .sees("new.md");
        }
        stage.key(ESC).is_on_page(false).key(CTRL_D).leaves(0);
        // Another run compares with the same beginning, and a command is told of.
        let mut stage = again(&stage.lab).with(&["-c", "--allowedTools", "Bash"]).on(width, height);
        stage.types("go on").key(ENTER).sees("Removed.").sees_no_more("Working").types("/diff").key(ENTER);
        stage.is_on_page(true).sees("This session changed 1 file (+2 −2)").sees("Commands ran too").key("q");
        stage.is_on_page(false).key(CTRL_D).leaves(0);
    });
}
