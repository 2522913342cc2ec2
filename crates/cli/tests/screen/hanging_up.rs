//! The terminal is gone and no signal says so, as for a program that is not a child of the terminal's own shell. The end of
//! input ends the program, whatever it is doing.

use rustix::process::Signal;

use crate::keys::*;
use crate::play::{Play, each, play};
use crate::stage::Stage;

/// Writes its process ID beside the project, in a session of its own: a hang-up signals only the terminal's session.
const APART: &str = r#"setsid -w sh -c 'echo $$ > ../pid; exec "$FORELOOK" --allowedTools "Bash(sleep *)"'"#;

/// Does not mind that the terminal is gone, and waits for the end of whoever started it.
const STUBBORN: &str =
    "#!/bin/sh\ntrap '' HUP INT\necho An editor\nwhile kill -0 $PPID; do sleep 0.05; done\n";

const TALKS: &str = "[[answer]]\ntext = 'Heard.'";
const ASKS: &str = "[[answer]]\n[[answer.call]]\ntool = 'Bash'\ninput = { command = 'touch done.txt' }";
const WAITS: &str = "[[answer]]\n[[answer.call]]\ntool = 'Bash'\ninput = { command = 'sleep 600' }";

/// A program in one of its phases.
struct Phase {
    name: &'static str,
    script: String,
    /// Leads into the phase.
    enter: fn(&mut Stage),
}

fn phase(name: &'static str, script: impl Into<String>, enter: fn(&mut Stage)) -> Phase {
    Phase { name, script: script.into(), enter }
}

fn with_editor(play: Play) -> Play {
    let path = play.lab.root().join("editor");
    play.own_program("editor", STUBBORN).set("EDITOR", path)
}

/// Waits for the end of a program that is not our child.
fn is_over(stage: &mut Stage) {
    let pid = std::fs::read_to_string(stage.lab.root().join("pid")).unwrap();
    let stat = format!("/proc/{}/stat", pid.trim());
    stage.until("an end", |_| match std::fs::read_to_string(&stat) {
        // Nobody may be there to take note of its end.
        Ok(text) => text.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')),
        Err(_) => true,
    });
}

#[test]
fn ends_the_program_in_every_phase() {
    let long = format!("[[answer]]\ntext = '''{}'''", "many words\n\n".repeat(20_000));
    let phases = [
        phase("idle", TALKS, |_| {}),
        phase("typing", TALKS, |stage| {
            stage.types(&"x".repeat(2000));
        }),
        phase("in the middle of a key", TALKS, |stage| {
            stage.types("x\x1b[");
        }),
        phase("with a dialog", ASKS, |stage| {
            stage.types("go").key(ENTER).sees("Allow this");
        }),
        phase("while a command runs", WAITS, |stage| {
            stage.types("go").key(ENTER).sees("sleep 600").records("\"kind\":\"tool_started\"");
        }),
        phase("while an answer streams", long, |stage| {
            stage.types("go").key(ENTER).sees("many words");
        }),
        phase("with an editor", TALKS, |stage| {
            stage.types("one").sees("> one").key(CTRL_G).sees("An editor");
        }),
    ];
    each(&phases, |phase| {
        let mut stage = with_editor(play(&phase.script).by(&["sh", "-c", APART])).on(80, 24);
        stage.sees_a_frame();
        (phase.enter)(&mut stage);
        eprintln!("hangs up {}", phase.name);
        stage.closes();
        is_over(&mut stage);
        stage.lab.check();
    });
}

#[test]
fn ends_the_program_while_it_asks_for_trust() {
    let settings = r#"{"permissions": {"allow": ["Bash(touch *)"]}}"#;
    let mut stage = play(TALKS).file(".forelook/settings.json", settings).by(&["sh", "-c", APART]).on(80, 24);
    stage.sees("Do you trust this folder?").closes();
    is_over(&mut stage);
}

/// Ctrl+C is for the editor; a request to end is for us.
#[test]
fn a_request_to_end_is_heard_while_an_editor_has_the_terminal() {
    each(&[Signal::TERM, Signal::HUP], |&signal| {
        let mut stage = with_editor(play(TALKS)).on(80, 24);
        stage.types("one").sees("> one").key(CTRL_G).sees("An editor");
        stage.signal(Signal::INT).signal(signal);
        assert_eq!(stage.ends().exit_code(), 130);
    });
}
