//! The program ends, or is ended: the terminal is as it was, and the session is on disk.

use rustix::process::Signal;

use crate::keys::*;
use crate::play::{each, play};
use crate::stage::Stage;

/// Waits in a command, and says where it is when it goes on.
const WAITS: &str = r##"
[[answer]]
text = "I wait."
[[answer.call]]
tool = "Bash"
input = { command = "echo begun > begun.txt; sleep 600" }
[[answer]]
text = "Going on."
"##;

const TALKS: &str = "[[answer]]\ntext = 'Heard.'\n[[answer]]\ntext = 'Going on.'";

fn at_work() -> Stage {
    let mut stage = play(WAITS).with(&["--allowedTools", "Bash"]).on(80, 24);
    stage.types("go").key(ENTER).file_says("begun.txt", "begun").sees("I wait.");
    stage
}

/// The session is on disk and can go on from where it was.
fn goes_on(stage: &Stage, said: &str) {
    let ran = stage.lab.run(&["--continue", "-p", "go on"]);
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), said), "{}", ran.stderr);
    stage.lab.check();
}

#[test]
fn by_its_own_command() {
    let mut stage = play(TALKS).on(80, 24);
    stage.types("hello").key(ENTER).sees("Heard.").sees_no_more("Working");
    stage.types("/exit").key(ENTER).leaves(0).sees("Heard.");
    // Nothing is left of the live area, and the shell's prompt comes right below.
    let screen = stage.screen();
    assert!(!screen.contains('─'), "{screen}");
    goes_on(&stage, "Going on.");
}

#[test]
fn by_signals() {
    each(&[Signal::TERM, Signal::HUP, Signal::INT], |&signal| {
        let mut stage = at_work();
        stage.signal(signal).leaves(130);
        goes_on(&stage, "Going on.");
    });
}

#[test]
fn by_the_loss_of_the_terminal() {
    each(&[false, true], |&typing| {
        let mut stage = at_work();
        if typing {
            stage.types(&"x".repeat(2000));
        }
        stage.closes();
        assert_eq!(stage.ends().exit_code(), 130);
        goes_on(&stage, "Going on.");
    });
}

/// Nothing can put the terminal back then. The session is on disk all the same.
#[test]
fn by_a_kill() {
    let mut stage = at_work();
    stage.signal(Signal::KILL).ends();
    goes_on(&stage, "Going on.");
}

/// A terminal that takes nothing, as one does that was stopped with Ctrl+S, holds up neither the session nor the end.
#[test]
fn from_a_terminal_that_was_stopped() {
    let script =
        format!("[[answer]]\ntext = '''{}'''\n[[answer]]\ntext = 'Going on.'", "many words ".repeat(20_000));
    let mut stage = play(&script).on(80, 24);
    stage.stops().types("go").key(ENTER).records("\"kind\":\"turn_ended\"");
    stage.signal(Signal::TERM);
    stage.ends_while_stopped();
    goes_on(&stage, "Going on.");
}

#[test]
fn a_terminal_that_goes_on_shows_everything() {
    let script = format!("[[answer]]\ntext = '''{}the end'''", "many words\n\n".repeat(1500));
    let mut stage = play(&script).on(80, 24);
    stage.stops().types("go").key(ENTER).records("\"kind\":\"turn_ended\"");
    stage.resize(60, 24).resize(70, 24).resize(80, 24).goes_on().sees("the end").sees_no_more("Working");
    // The end may be seen below before all that stands above it is.
    stage.until("all of it", |it| it.all().matches("many words").count() >= 1500);
    assert_eq!(stage.all().matches("many words").count(), 1500);
    stage.key(CTRL_D).leaves(0);
}
