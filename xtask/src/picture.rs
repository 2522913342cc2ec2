//! The picture in the README: the screen of the real program in its demo, drawn.
//!
//! Nothing in it is written by hand, and the test run makes it again and compares, so it cannot show a program that
//! we do not have.

mod ansi;
mod svg;
mod tmux;

use std::path::{Path, PathBuf};

use crate::run::{XtaskResult, cargo, root, run, target};
use crate::test_user::TestUser;
use ansi::plain;
use svg::Screen;
use tmux::TmuxWindow;

/// The window of the picture, in columns and rows.
const SIZE: (usize, usize) = (100, 30);

/// A moment of the play.
struct Shot {
    /// What is waited for.
    cue: &'static str,
    /// What the screen is called.
    title: &'static str,
    /// How the first row begins that is shown. (What is above is chance: agents work side by side, and either may be first.)
    from: &'static str,
    /// The keys that come then.
    keys: &'static [&'static str],
}

const SHOTS: [Shot; 3] = [
    Shot {
        cue: "Who pays the leftover",
        title: "It has read the project and asks you a question",
        from: "● Both point",
        keys: &["Down", "Enter"],
    },
    Shot {
        cue: "Plan: ",
        title: "It shows its plan; nothing has changed yet",
        from: "Plan: ",
        keys: &["y", "Enter"],
    },
    Shot {
        cue: "All four tests pass",
        title: "You approved it: it did what the plan says and no more",
        from: "● Bash(sh tests/run.sh)",
        keys: &[],
    },
];

/// Makes the picture with the release binary.
pub(crate) fn write() -> XtaskResult {
    run(&mut cargo(&["build", "--release", "-p", "forelook-cli"]))?;
    std::fs::write(place(), draw(&target().join("release/forelook"))?)
        .map_err(|error| format!("Cannot write `docs/picture.svg`: {error}"))?;
    println!("wrote docs/picture.svg");
    Ok(())
}

/// The same as [`check`], by whoever runs what is tested.
pub(crate) fn check_by(user: &TestUser) -> XtaskResult {
    run(user.command(target().join("debug/xtask")).args(["picture", "--check"]))
}

/// Whether the picture is what the debug binary would give now.
pub(crate) fn check() -> XtaskResult {
    let now = draw(&target().join("debug/forelook"))?;
    if std::fs::read_to_string(place()).is_ok_and(|kept| kept == now) {
        println!("docs/picture.svg shows what the demo shows");
        return Ok(());
    }
    Err("`docs/picture.svg` does not match the demo\nRun `cargo xtask picture`, then check the picture"
        .to_owned())
}

fn place() -> PathBuf {
    root().join("docs/picture.svg")
}

fn draw(program: &Path) -> XtaskResult<String> {
    // A name of fixed length: what is cut at the window's edge must be cut in the same place everywhere.
    let folder = std::env::temp_dir().join(format!("fl-{:07}", std::process::id()));
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("Cannot make `{}`: {error}", folder.display()))?;
    let screens = play(program, &folder);
    // A leftover in the folder for temporary files is no reason to fail.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(svg::svg(&screens?, SIZE.0))
}

/// Plays the demo on a terminal, and gives the screens that are shown.
fn play(program: &Path, folder: &Path) -> XtaskResult<Vec<Screen>> {
    let (home, temp) = (folder.join("home"), folder.display().to_string());
    // A person who has seen the tip: it goes away after a while, and how long the play takes is chance.
    let seen = r#"{"sessions": 1, "tipShown": 1}"#;
    std::fs::create_dir_all(&home)
        .and_then(|()| std::fs::write(home.join("state.json"), seen))
        .map_err(|error| format!("Cannot write to `{}`: {error}", home.display()))?;
    // Ids that are counted: the plan's name is drawn with them.
    let env = [
        ("FORELOOK_HOME", &*home.display().to_string()),
        ("TMPDIR", &*temp),
        ("FORELOOK_TEST_IDS", "1"),
        ("COLORTERM", ""),
        ("HOME", &*temp),
    ];
    let command = format!("exec '{}' demo 2>/dev/null", program.display());
    let window = TmuxWindow::open(SIZE, folder, &env, &command)?;
    let mut screens = Vec::new();
    for Shot { cue, title, from, keys } in SHOTS {
        window.wait_for(cue)?;
        let mut lines = ansi::lines(&impersonal(&window.capture()?, folder))?;
        while lines.last().is_some_and(|line| plain(line).trim().is_empty()) {
            lines.pop();
        }
        let first = lines.iter().position(|line| plain(line).starts_with(from));
        let first = first.ok_or_else(|| format!("No row on the screen begins with `{from}`"))?;
        screens.push(Screen { title, lines: lines.split_off(first) });
        window.keys(keys)?;
    }
    Ok(screens)
}

/// Takes out what differs from run to run and from machine to machine: the demo's folder and home, and how long things
/// took.
fn impersonal(screen: &str, folder: &Path) -> String {
    let start = format!("{}/forelook-demo-", folder.display());
    let screen = screen.replace(&format!("{}/home/", folder.display()), "~/.forelook/");
    let mut text = String::new();
    for (at, part) in screen.split(&start).enumerate() {
        let part =
            if at == 0 { part } else { part.trim_start_matches(|char: char| char.is_ascii_hexdigit()) };
        text.push_str(if at == 0 { "" } else { "pocket" });
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_leaves_no_trace_of_its_machine() {
        let screen = "Changed `/t/x/forelook-demo-01ab/bin/pocket`\n/t/x/home/plans/a.md\nb";
        assert_eq!(
            impersonal(screen, Path::new("/t/x")),
            "Changed `pocket/bin/pocket`\n~/.forelook/plans/a.md\nb"
        );
    }
}
