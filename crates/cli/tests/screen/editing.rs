//! The terminal is lent to an editor and taken back.

use crate::keys::*;
use crate::play::{Play, each, play};
use crate::reviewing::{opened, planner};
use crate::stage::Stage;

const PLAN: &str = "# Greet twice\n\n1. `greet.sh`: say it twice.\n";

/// Shows that it is there, waits for a line, and writes what was typed into the file.
const EDITOR: &str = r#"#!/bin/sh
printf 'An editor has %s\n' "$(stty -a | tr ' ' '\n' | grep -x -e icanon -e -icanon)"
read -r words
printf '%s\n' "$words" >> "$1"
"#;

fn with_editor(play: Play) -> Play {
    let path = play.lab.root().join("editor");
    play.own_program("editor", EDITOR).set("EDITOR", path)
}

/// The editor has the terminal as a shell would give it, on the first screen.
fn is_lent(stage: &mut Stage) {
    stage.is_on_page(false).sees("An editor has icanon");
    stage.is_restored();
}

#[test]
fn a_plan() {
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = opened(with_editor(planner(PLAN)).on(width, height));
        stage.key("e");
        is_lent(&mut stage);
        // Letters that would answer the review, were they to reach it.
        stage.types("2. y n p x\r").is_on_page(true).sees("changes since").sees("2. y n p x");
        stage.calm().snapshot(&format!("edited-{width}x{height}"));
        stage.key("y").sees("Approve this plan").key(ENTER).is_on_page(false).sees("I carry it out.");
        stage.sees_above("2. y n p x").shows_no("Plan parked").shows_no("Plan sent back");
        // The model is sent what the person made of it.
        let told = stage.lab.requests().last().unwrap().to_string();
        let approved = told.split("# Approved plan").last().unwrap();
        assert!(approved.starts_with(", as edited by the user"), "{approved}");
        assert!(approved.contains("say it twice.\\n2. y n p x"), "{approved}");
        stage.key(CTRL_D).leaves(0);
    });
}

#[test]
fn what_is_being_written() {
    let script = "[[answer]]\ntext = 'Heard.'";
    each(&[(80, 24), (40, 15)], |&(width, height)| {
        let mut stage = with_editor(play(script)).on(width, height);
        stage.types("one").sees("> one").key(CTRL_G);
        is_lent(&mut stage);
        stage.types("/exit and two\r").sees("> one").sees("exit and two");
        assert!(stage.is_raw());
        stage.key(ENTER).sees("Heard.");
        let said = stage.lab.requests().last().unwrap().to_string();
        assert!(said.contains("one/exit and two"), "it was not sent whole: {said}");
        stage.sees_no_more("Working").key(CTRL_D).leaves(0);
    });
}

#[test]
fn an_editor_that_is_not_there() {
    let mut stage = play("[[answer]]\ntext = 'Heard.'").set("EDITOR", "no-such-editor").on(80, 24);
    stage
        .types("one")
        .sees("> one")
        .key(CTRL_G)
        .sees("no-such-editor")
        .sees("> one")
        .key(ENTER)
        .sees("Heard.");
}

/// Nobody named an editor, and one that machines have is on the PATH.
#[test]
fn without_a_name_nano_is_found() {
    let play = play("[[answer]]\ntext = 'Heard.'").own_program("nano", EDITOR);
    let path = format!("{}:/usr/bin:/bin", play.lab.root().display());
    let mut stage = play.set("PATH", path).on(80, 24);
    stage.types("one").sees("> one").key(CTRL_G);
    is_lent(&mut stage);
    stage.types(" and two\r").sees("> one").sees("and two").key(ENTER).sees("Heard.");
    stage.sees_no_more("Working").key(CTRL_D).leaves(0);
}
