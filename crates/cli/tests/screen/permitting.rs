//! May this run? On a small window, with a long command, with words, and with a rule.

use crate::keys::*;
use crate::play::{Play, each, play};

const ASKS: &str = "Allow this";

fn writer() -> Play {
    let many: String = (1..=40).map(|at| format!("part-{at:02} ")).collect();
    play(&format!(
        "[[answer]]\n[[answer.call]]\ntool = 'Bash'\ninput = {{ command = 'touch done.txt {many}the-end' }}\n\
         [[answer]]\ntext = 'After it.'"
    ))
}

#[test]
fn a_long_command_scrolls() {
    each(&[(40, 15), (80, 24)], |&(width, height)| {
        let mut stage = writer().on(width, height);
        stage.types("go").key(ENTER).sees(ASKS).sees("y").sees("no (Esc)").sees("part-01");
        stage.calm().snapshot_live(&format!("permission-{width}x{height}"));
        for _ in 0..10 {
            stage.key(PAGE_DOWN);
        }
        stage.sees("the-end").sees("no (Esc)").key("y").sees("After it.");
        assert!(stage.lab.project().join("the-end").exists());
    });
}

#[test]
fn no_with_words() {
    each(&[(40, 15), (80, 24)], |&(width, height)| {
        let mut stage = writer().on(width, height);
        stage
            .types("go")
            .key(ENTER)
            .sees(ASKS)
            .calm()
            .key("w")
            .sees("No. Instead:")
            .types("yes is not meant");
        stage.sees("yes is not meant").key(ENTER).sees("After it.").sees_no_more("Working");
        assert!(!stage.lab.project().join("done.txt").exists());
        let told = stage.lab.requests().last().unwrap().to_string();
        assert!(told.contains("yes is not meant"), "{told}");
        stage.snapshot_all(&format!("permission-no-{width}x{height}-all"));
    });
}

#[test]
fn a_rule_is_saved() {
    let script = r##"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "touch one.txt" }
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "touch one.txt" }
[[answer]]
text = "After both."
"##;
    let mut stage = play(script).on(80, 24);
    stage.types("go").key(ENTER).sees(ASKS).sees("save that rule").calm().key("a").sees("After both.");
    stage.file_says(".forelook/settings.local.json", "Bash(touch one.txt)");
}

const PLANTS: &str = r##"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "sh make.sh" }
[[answer]]
text = "After it."
"##;

/// What a command made that would run later is moved away; the user hears of it, and brings it back with a key.
#[test]
fn what_was_moved_away_is_brought_back() {
    each(&[(80, 24), (200, 60)], |&(width, height)| {
        let play = play(PLANTS).file("make.sh", "mkdir .vscode; echo x > .vscode/tasks.json\n");
        let mut stage = play.with(&["--permission-mode", "acceptEdits"]).on(width, height);
        stage.types("go").key(ENTER).sees("After it.").sees("A command created files");
        let file = stage.lab.project().join(".vscode/tasks.json");
        assert!(!file.exists());
        stage.types("/permissions restore").key(ENTER).sees("bring it back with Enter").sees(".vscode");
        stage.key(DOWN).key(ENTER).sees("Brought back").sees_a_frame();
        assert!(file.exists());
        stage.types("/permissions restore").key(ENTER).sees("Nothing was moved out of this project");
    });
}
