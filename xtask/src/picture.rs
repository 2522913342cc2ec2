//! The picture in the README: what the real program prints in its demo, drawn.
//!
//! Nothing in it is written by hand, and the test run makes it again and compares, so it cannot show a program that
//! we do not have.

mod ansi;
mod svg;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::run::{Done, cargo, root, run, target};
use ansi::{Line, plain};

/// The beginnings of the parts that are shown, in order, and how many lines of each. What lies between them is left
/// out and counted. (What the agents do is: they work side by side, and who is first is chance.)
const SHOWN: &[(&str, usize)] = &[
    ("> /plan When friends split", usize::MAX),
    ("● I'll look before I plan", usize::MAX),
    ("● The cause is", usize::MAX),
    ("? Who pays", usize::MAX),
    ("? The plan is ready", usize::MAX),
    ("   1 │ # Split bills", usize::MAX),
    ("  y    approve", usize::MAX),
    ("● Plan approved", usize::MAX),
    ("● Edit(bin/pocket)", 0),
    ("● Edit(bin/pocket)", 0),
    ("● Bash(sh tests/run.sh)", usize::MAX),
    ("● All four tests pass", usize::MAX),
];

/// Makes the picture with the release binary.
pub(crate) fn write() -> Done {
    run(&mut cargo(&["build", "--release", "-p", "forelook-cli"]))?;
    std::fs::write(place(), draw(&target().join("release/forelook"))?)
        .map_err(|error| format!("Cannot write `docs/picture.svg`: {error}"))?;
    println!("wrote docs/picture.svg");
    Ok(())
}

/// Whether the picture is what the debug binary would give now.
pub(crate) fn check() -> Done {
    let now = draw(&target().join("debug/forelook"))?;
    if std::fs::read_to_string(place()).is_ok_and(|kept| kept == now) {
        println!("docs/picture.svg shows what the demo prints");
        return Ok(());
    }
    Err("`docs/picture.svg` is not what the demo prints\nRun `cargo xtask picture` and look at it".to_owned())
}

fn place() -> PathBuf {
    root().join("docs/picture.svg")
}

fn draw(program: &Path) -> Done<String> {
    let folder = std::env::temp_dir().join(format!("forelook-picture-{}", std::process::id()));
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("Cannot make `{}`: {error}", folder.display()))?;
    let printed = play(program, &folder);
    // A leftover in the folder for temporary files is no reason to fail.
    let _ = std::fs::remove_dir_all(&folder);
    let lines = ansi::lines(&impersonal(&printed?, &folder))?;
    Ok(svg::svg("forelook demo", &select(&lines, SHOWN)?))
}

/// Plays the demo on a terminal, because only there it has colours, and gives all that it printed.
///
/// The answer is typed when the question is there: a terminal shows what is typed at once, and typed ahead it would
/// stand where nobody asked.
fn play(program: &Path, folder: &Path) -> Done<String> {
    let failed = |error: std::io::Error| format!("The demo could not be played: {error}");
    let shell = "exec \"$FORELOOK_BINARY\" demo 2>/dev/null";
    let mut command = Command::new("timeout");
    command.args(["60", "script", "--quiet", "--return", "--command", shell, "/dev/null"]);
    command.env("FORELOOK_BINARY", program).env("FORELOOK_HOME", folder.join("home")).env("TMPDIR", folder);
    // Ids that are counted: the plan's name is drawn with them.
    command.env("SHELL", "/bin/sh").env("FORELOOK_TEST_IDS", "1").env_remove("NO_COLOR").current_dir(folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut keys = child.stdin.take().ok_or("The demo has no input")?;
    let mut screen = child.stdout.take().ok_or("The demo has no output")?;
    // What to wait for, and what to type then. The last is the end of the input.
    let talk = [("empty to skip", "1\n"), ("ready for your review", "y\n"), ("All four tests pass", "\x04")];
    let mut talk = talk.into_iter().peekable();
    let (mut printed, mut heard, mut buffer) = (Vec::new(), 0, [0; 4096]);
    loop {
        // The terminal of a program that has ended may give an error instead of an end.
        let count = screen.read(&mut buffer).unwrap_or(0);
        printed.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let text = String::from_utf8_lossy(printed.get(heard..).unwrap_or_default()).into_owned();
        if let Some((cue, answer)) = talk.peek()
            && text.find(cue).is_some_and(|at| text.get(at..).is_some_and(|rest| rest.contains("> ")))
        {
            heard = printed.len();
            keys.write_all(answer.as_bytes()).map_err(failed)?;
            talk.next();
        }
        if count == 0 {
            break;
        }
    }
    let end = child.wait().map_err(failed)?;
    if !end.success() || talk.peek().is_some() {
        return Err(format!(
            "The demo did not go as it should ({end})\n{}",
            String::from_utf8_lossy(&printed)
        ));
    }
    String::from_utf8(printed).map_err(|_| "The demo printed something that is not UTF-8".to_owned())
}

/// Takes out what differs from run to run and from machine to machine: the demo's folder and home, and how this
/// machine's awk puts it that one cannot divide by zero.
fn impersonal(printed: &str, folder: &Path) -> String {
    let start = format!("{}/forelook-demo-", folder.display());
    let printed = printed.replace(&format!("{}/home/", folder.display()), "~/.forelook/");
    let mut text = String::new();
    for (at, part) in printed.split(&start).enumerate() {
        let part =
            if at == 0 { part } else { part.trim_start_matches(|char: char| char.is_ascii_hexdigit()) };
        text.push_str(if at == 0 { "" } else { "pocket" });
        text.push_str(part);
    }
    let short = |line: &str| match line.split_once("', got '") {
        Some((before, _)) if line.contains("a bill for nobody") => format!("{before}', got …\x1b[0m"),
        _ => line.trim_end_matches('\r').to_owned(),
    };
    text.split('\n').map(short).collect::<Vec<_>>().join("\n")
}

/// The parts that are shown, with a blank line between two and a line that counts what is left out.
fn select(lines: &[Line], shown: &[(&str, usize)]) -> Done<Vec<Line>> {
    let mut picture = Vec::new();
    let mut left_out = 0;
    let mut rest = lines;
    for (start, limit) in shown {
        let at = rest.iter().position(|line| plain(line).starts_with(start)).ok_or_else(|| {
            format!(
                "The demo prints nothing that begins with `{start}`\nAdapt `SHOWN` in xtask/src/picture.rs"
            )
        })?;
        let (before, from) = rest.split_at(at);
        let length = from.iter().position(|line| plain(line).is_empty()).unwrap_or(from.len());
        let (part, after) = from.split_at(length);
        let (seen, unseen) = part.split_at(length.min(*limit));
        left_out += before.iter().filter(|line| !plain(line).is_empty()).count();
        if !seen.is_empty() {
            if left_out > 0 {
                let gap = format!("⋯ {left_out} lines are left out here");
                picture.extend([Line::new(), vec![ansi::Run::dim(gap)]]);
            }
            if !picture.is_empty() {
                picture.push(Line::new());
            }
            picture.extend(seen.iter().cloned());
            left_out = 0;
        }
        left_out += unseen.len();
        rest = after;
    }
    // After the last part only the invitation to say more is left.
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_leaves_no_trace_of_its_machine() {
        let printed = "Changed `/t/x/forelook-demo-01ab/bin/pocket`\r\n/t/x/home/plans/a.md\r\n\
            FAILED  a bill for nobody is refused: expected 'a', got 'awk: no'\x1b[0m\r\nb";
        assert_eq!(
            impersonal(printed, Path::new("/t/x")),
            "Changed `pocket/bin/pocket`\n~/.forelook/plans/a.md\nFAILED  a bill for nobody is refused: expected 'a', got …\x1b[0m\nb"
        );
    }

    #[test]
    fn parts_are_chosen_and_gaps_are_counted() {
        let lines = ansi::lines("> a\n\n\n● b\nc\n\n● d\n  e\n  f\n\n● b\n").unwrap();
        let chosen = |shown: &[(&str, usize)]| {
            select(&lines, shown).map(|lines| lines.iter().map(plain).collect::<Vec<_>>().join("|"))
        };
        assert_eq!(chosen(&[("> a", 9), ("● b", 9)]).unwrap(), "> a||● b|c");
        assert_eq!(chosen(&[("> a", 9), ("● d", 2)]).unwrap(), "> a||⋯ 2 lines are left out here||● d|  e");
        assert_eq!(
            chosen(&[("> a", 9), ("● b", 0), ("● b", 1)]).unwrap(),
            "> a||⋯ 5 lines are left out here||● b",
            "a part of no lines is passed over"
        );
        assert!(chosen(&[("● z", 9)]).unwrap_err().contains("● z"));
    }
}
