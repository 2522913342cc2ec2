//! What is drawn, on windows of three sizes.

use crate::keys::ENTER;
use crate::play::{each, play};

const SIZES: [(u16, u16); 3] = [(80, 24), (40, 15), (200, 60)];

const ANSWER: &str = r##"
chunk = 7
[[answer]]
text = """
# What I found

The greeting is *wrong* in `greet.sh`, see [the guide](https://example.com/guide):

1. it says **Hullo**, which nobody says;
2. it is said once, where twice is meant.

| file | lines | what to do |
|---|---:|---|
| greet.sh | 12 | say Hello |
| 漢字.txt | 3 | nothing at all, it is fine as it is |

```sh
for name in a b; do
	echo "Hello, $name"
done
```

That is all 🙂."""
"##;

#[test]
fn the_first_frame() {
    each(&SIZES, |&(width, height)| {
        _ = play(ANSWER).on(width, height).snapshot(&format!("first-{width}x{height}"));
    });
}

/// The branch is read from git's own file: there is no `git` to ask.
#[test]
fn the_greeting_names_the_branch() {
    let head = "ref: refs/heads/mend-the-greeting\n";
    let play = play(ANSWER).file(".git/HEAD", head).file(".git/config", "").file(".git/objects/x", "");
    let mut stage = play.file(".git/refs/x", "").set("PATH", "/nowhere").on(80, 24);
    stage.sees("~/project (mend-the-greeting) · scripted/../script.toml");
}

#[test]
fn an_answer_with_everything() {
    each(&SIZES, |&(width, height)| {
        let mut stage = play(ANSWER).on(width, height);
        stage.types("what is wrong?").sees("> what is wrong?").key(ENTER);
        stage.sees("That is all").sees_no_more("Working");
        // How far the screen has scrolled depends on which frames were drawn; what it holds does not.
        stage.snapshot_all(&format!("answer-{width}x{height}-all"));
    });
}

/// Five rows of a paragraph each: what scrolls away while it streams is there once.
#[test]
fn what_scrolls_away_is_there_once() {
    let words: Vec<String> = (0..400).map(|at| format!("word{at:03}")).collect();
    let script = format!("chunk = 40\n[[answer]]\npace_ms = 1\ntext = '''\n{}\n'''", words.join(" "));
    let mut stage = play(&script).on(40, 15);
    stage.types("go").key(ENTER).sees_above("word399").sees_no_more("Working");
    let all = stage.all();
    for word in words {
        assert_eq!(all.matches(&word).count(), 1, "{word}:\n{all}");
    }
}

const NASTY: &str = r##"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "cat nasty.txt" }
[[answer]]
text = "Seen: \u001b]0;owned\u0007 and \u001b]52;c;b3duZWQ=\u0007 and \u001b[2J\u001b[31mred."
"##;

const NASTY_FILE: &str = "tab\there\r\nwide 漢字 and 🙂 and e\u{301}\r\nred \x1b[31mred\x1b[0m\n\
    title \x1b]0;owned\x07 copied \x1b]52;c;b3duZWQ=\x07 asked \x1b[6n \x1bc\n";

#[test]
fn what_a_tool_prints_cannot_reach_the_terminal() {
    each(&SIZES, |&(width, height)| {
        let mut stage =
            play(NASTY).file("nasty.txt", NASTY_FILE).with(&["--allowedTools", "Bash"]).on(width, height);
        stage.types("show it").key(ENTER).sees("Seen:").sees_no_more("Working");
        let watch = stage.terminal.callbacks();
        assert!(watch.titles.iter().all(|title| !title.contains("owned")), "{:?}", watch.titles);
        assert_eq!((watch.clipboard, &watch.other), (0, &Vec::new()));
        let raw = String::from_utf8_lossy(&stage.raw).into_owned();
        assert!(
            !raw.contains("\x1b]0;owned") && !raw.contains("\x1b]52") && !raw.contains("\x1bc"),
            "{raw:?}"
        );
        stage.sees_above("漢字").snapshot_all(&format!("nasty-{width}x{height}-all"));
    });
}

#[test]
fn long_output_is_folded() {
    let script = "[[answer]]\n[[answer.call]]\ntool = 'Bash'\ninput = { command = 'seq 1 500' }\n[[answer]]\ntext = 'Counted.'";
    each(&SIZES, |&(width, height)| {
        let mut stage = play(script).with(&["--allowedTools", "Bash"]).on(width, height);
        stage.types("count").key(ENTER).sees("Counted.").sees_no_more("Working");
        let rows = stage.all().lines().count();
        assert!(rows < 40, "{rows} rows:\n{}", stage.all());
    });
}

/// Narrower windows are tried under tmux: this emulator cuts rows where terminals break them.
#[test]
fn a_window_that_changes_keeps_what_is_written() {
    let mut stage = play(ANSWER).on(80, 24);
    stage.types("what is wrong?").key(ENTER).sees("That is all").sees_no_more("Working");
    stage.types("and then").sees("> and then");
    for (width, height) in [(80, 15), (90, 15), (120, 40), (120, 12), (200, 60)] {
        stage.resize(width, height).sees(&"─".repeat(usize::from(width))).sees("> and then");
        let all = stage.all();
        assert_eq!(all.matches("> and then").count(), 1, "{width}x{height}:\n{all}");
        assert_eq!(all.matches("That is all").count(), 1, "{width}x{height}:\n{all}");
    }
}

/// Nothing can be read there, and nothing breaks. Only the program is told: the emulator itself breaks on one row.
#[test]
fn a_window_may_be_tiny() {
    let mut stage = play(ANSWER).on(80, 24);
    stage.types("what is wrong?").key(ENTER);
    for (width, height) in [(40, 5), (7, 3), (3, 2), (2, 1), (1, 1), (1, 9), (80, 24)] {
        let frames = stage.frames();
        stage.tells(width, height).until("another frame", |stage| stage.frames() > frames);
    }
    // Not before the last change has arrived: a key in the same instant is seen only with the next one.
    stage.sees(&"─".repeat(80)).sees_no_more("Working").types("and then").sees("> and then");
}
