//! Colours, as many as the terminal has; and the person's own status line.

use crate::keys::*;
use crate::play::{Play, each, play};

const ANSWER: &str = r##"
[[answer]]
text = """
# Head

`code` and **bold**:

```rust
fn main() { println!("hello"); } // said
```
"""
[[answer.call]]
tool = "Write"
input = { file_path = "a.txt", content = "one\ntwo\n" }
[[answer]]
text = "Over."
"##;

/// All numbers of all sequences that set how letters look.
fn looks(play: Play) -> Vec<Vec<u16>> {
    let mut stage = play.with(&["--permission-mode", "acceptEdits"]).on(80, 24);
    stage.types("/mode").key(ENTER).is_on_page(true).key(DOWN).key(ESC).is_on_page(false);
    stage.types("go").key(ENTER).sees("Over.").sees_no_more("Working").key(CTRL_D).leaves(0);
    let raw = String::from_utf8_lossy(&stage.raw).into_owned();
    let found = regex::Regex::new("\x1b\\[([0-9;:]*)m").unwrap();
    let numbers = |text: &str| text.split([';', ':']).map(|it| it.parse().unwrap_or(0)).collect();
    found.captures_iter(&raw).map(|it| numbers(&it[1])).collect()
}

#[test]
fn no_colours_where_none_are_wanted() {
    for look in looks(play(ANSWER).set("NO_COLOR", "1").set("COLORTERM", "truecolor")) {
        assert!(look.iter().all(|it| *it < 30), "{look:?}");
    }
}

#[test]
fn sixteen_colours_where_there_are_no_more() {
    let looks = looks(play(ANSWER).set("TERM", "linux"));
    for look in &looks {
        assert!(!look.contains(&38) && !look.contains(&48), "{look:?}");
    }
    assert!(looks.iter().flatten().any(|it| (30..38).contains(it) || (90..98).contains(it)));
}

#[test]
fn all_colours_where_there_are_all() {
    let looks = looks(play(ANSWER).set("COLORTERM", "truecolor"));
    assert!(looks.iter().any(|look| look.windows(2).any(|it| it == [38, 2])), "{looks:?}");
}

/// A terminal that can only be written to gets lines.
#[test]
fn lines_on_a_terminal_that_is_dumb() {
    let mut stage = play("[[answer]]\ntext = 'Heard.'").set("TERM", "dumb").at_once().on(80, 24);
    stage.types("hello\r").sees("Heard.").types("/mode plna\r").sees("Did you mean `plan`?");
    stage.types("/mode default\r").sees("default mode").types("/exit\r").ends();
    let raw = String::from_utf8_lossy(&stage.raw).into_owned();
    assert!(raw.contains("To continue: forelook -r "), "{raw:?}");
    assert!(!raw.contains("\x1b[?") && !raw.contains("\x1b[2J"), "{raw:?}");
}

#[test]
fn a_status_line_of_ones_own() {
    each(&[(80, 24), (200, 60)], |&(width, height)| {
        let play = play("[[answer]]\nname = 'it'\ntext = 'Heard.'\nnext = [{ goto = 'it' }]");
        let script = "#!/bin/sh\ncat > \"$HOME/got.json\"\necho \"mine: $(tr -d '\\n' < \"$HOME/got.json\" | grep -o '\"mode\":\"[a-zA-Z]*\"')\"\n";
        let path = play.lab.root().join("status");
        let settings = format!(r#"{{"statusLine": "{}"}}"#, path.display());
        let mut stage =
            play.own_program("status", script).at_home("settings.json", &settings).on(width, height);
        stage.sees(r#"mine: "mode":"default""#);
        let row = stage.screen().lines().find(|row| row.contains("mine:")).unwrap().to_owned();
        assert!(row.starts_with(" ○ default mode"), "{row}");
        stage.key(SHIFT_TAB).sees(r#"mine: "mode":"acceptEdits""#);
        let got: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(stage.lab.root().join("got.json")).unwrap())
                .unwrap();
        assert!(got["model"].is_string() || got["model"].is_object(), "{got}");
    });
}

/// What a terminal shows that takes bytes beyond ASCII for letters of its own.
#[test]
fn a_locale_without_utf_8_gets_ascii() {
    let asks =
        "[[answer]]\ntext = '- one → two'\n[[answer.call]]\ntool = 'Bash'\ninput = { command = 'touch x' }";
    each(&["C", "POSIX", "de_DE.ISO-8859-1"], |locale| {
        let mut stage = play(asks).set("LANG", *locale).at_once().on(80, 24);
        stage.sees("----").types("go").key(ENTER).sees("Allow this").calm();
        assert!(stage.screen().contains("one > two"), "{}", stage.screen());
        assert!(stage.raw.is_ascii(), "{}", String::from_utf8_lossy(&stage.raw));
        stage.key("n").key(CTRL_C).signal(rustix::process::Signal::TERM).ends();
    });
    // The same in plain lines.
    let mut stage = play(asks).set("LANG", "C").set("TERM", "dumb").at_once().on(80, 24);
    stage.sees(">").types("go\r").sees("one > two").sees("Allow");
    assert!(stage.raw.is_ascii(), "{}", String::from_utf8_lossy(&stage.raw));
    stage.signal(rustix::process::Signal::TERM).ends();
}

/// A terminal that does not say what it is cannot be drawn on.
#[test]
fn without_a_terminal_type_there_are_plain_lines() {
    let mut stage = play("[[answer]]\ntext = 'Heard.'").without("TERM").at_once().on(80, 24);
    stage.sees(">").types("go\r").sees("Heard.");
    assert!(!stage.raw.contains(&0x1b), "{}", String::from_utf8_lossy(&stage.raw));
    stage.key(CTRL_D).ends();
}
