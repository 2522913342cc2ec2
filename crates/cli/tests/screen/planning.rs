//! Planning and the kernel: what still runs when it begins, and what holds.

use crate::keys::*;
use crate::play::{Play, each, play};
use crate::stage::Stage;

const ASKS: &str = "is still running. Keep it?";
const OUTSIDE: &str = "outside the fence: ../serve 300";

/// A model that leaves something running, and then plans nothing.
fn runner() -> Play {
    play(
        r##"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "../serve 300", run_in_background = true }
[[answer]]
text = "It runs."
"##,
    )
    .own_program("serve", "#!/bin/sh\nexec sleep \"$1\"\n")
    .with(&["--allowedTools", "Bash(../serve:*)"])
}

/// Goes on until planning begins and asks.
fn asked(width: u16, height: u16) -> Stage {
    let mut stage = runner().on(width, height);
    stage.types("go").key(ENTER).sees("It runs.").sees("1 shell in the background").sees_no_more("Working");
    stage.types("/plan").key(ENTER).sees("stop it (Esc)").sees("shell_1: ../serve 300");
    stage
}

#[test]
fn what_runs_from_before_is_kept() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = asked(width, height);
        // Enter chooses nothing.
        stage.calm().key(ENTER).snapshot_live(&format!("running-{width}x{height}"));
        stage.key("k").sees_no_more("stop it (Esc)").sees("outside the fence");
        stage.records(r#""answer":{"type":"allow"}"#);
        stage.types("/status").key(ENTER).sees_above("Sandbox");
        stage.sees_above("shell_1: ../serve 300");
    });
}

#[test]
fn what_may_not_go_on_is_stopped() {
    each(&["s", ESC, KITTY_ESC], |key| {
        let mut stage = asked(80, 24);
        stage.sees(ASKS).sees(OUTSIDE).calm().key(key).sees_no_more(ASKS);
        stage.sees_no_more(OUTSIDE).records(r#""answer":{"type":"deny"}"#);
        stage.types("/doctor").key(ENTER).sees("Sandbox").sees("Planning");
    });
}

#[test]
fn a_key_that_was_typed_before_keeps_nothing() {
    let mut stage = runner().on(80, 24);
    stage.types("go").key(ENTER).sees("It runs.").sees_no_more("Working");
    // Typed into what one is writing, before the question is there.
    stage.types("/plan").key(ENTER).key("k").sees(ASKS).sees("> k").calm();
    stage.key("s").sees_no_more(ASKS).sees("> k").records(r#""answer":{"type":"deny"}"#);
}
