//! Ctrl+Z and back, under a shell with job control.

use crate::keys::*;
use crate::play::play;

const TALKS: &str = "[[answer]]\nname = 'again'\ntext = 'Heard.'\nnext = [{ goto = 'again' }]";

#[test]
fn the_shell_has_the_terminal_meanwhile() {
    let shell = ["bash", "--norc", "--noprofile", "-i"];
    let mut stage = play(TALKS).by(&shell).on(80, 24);
    stage.types("PS1='shell: '\r").sees("\nshell:").types("\"$FORELOOK\"\r").sees_a_frame();
    stage
        .types("hello")
        .key(ENTER)
        .sees("Heard.")
        .sees_no_more("Working")
        .types("half a li")
        .sees("> half a li");

    stage.key(CTRL_Z).sees("Stopped").until("the shell's prompt", |stage| stage.screen().ends_with_prompt());
    let watch = stage.terminal.callbacks();
    assert_eq!((watch.keyboard, watch.focus), (0, false), "{watch:?}");
    stage.types("echo $((6 * 7))\r").sees("\n42\n");

    // It comes back with another size, and knows it.
    stage.resize(60, 20).types("fg\r").sees_a_frame().sees("> half a li").sees(&"─".repeat(60));
    stage.types("ne").sees("> half a line").key(ENTER);
    stage
        .until("a second answer", |stage| stage.all().matches("Heard.").count() == 2)
        .sees_no_more("Working");

    stage.key(CTRL_D).until("the shell's prompt", |stage| stage.screen().ends_with_prompt());
    stage.types("echo over; exit\r").sees("\nover");
    assert!(stage.ends().success());
}

/// Twice, and while the model works: what it says meanwhile is there afterwards.
#[test]
fn an_answer_goes_on() {
    let script = "chunk = 4\n[[answer]]\npace_ms = 20\ntext = 'It takes a while to say all of this, until the very end.'";
    let mut stage = play(script).by(&["bash", "--norc", "--noprofile", "-i"]).on(80, 24);
    stage.types("PS1='shell: '\r").sees("\nshell:").types("\"$FORELOOK\"\r").sees_a_frame();
    stage.types("hello").key(ENTER).sees("It takes");
    for _ in 0..2 {
        stage.key(CTRL_Z).until("the shell's prompt", |stage| stage.screen().ends_with_prompt());
        stage.types("fg\r").sees_a_frame();
    }
    stage.sees_above("the very end.").sees_no_more("Working").key(CTRL_D);
    stage.until("the shell's prompt", |stage| stage.screen().ends_with_prompt());
    stage.types("exit\r").ends();
}

/// Started by a terminal itself, with nobody to go back to: the kernel does not stop it then.
#[test]
fn without_a_shell_it_goes_on() {
    let mut stage = play(TALKS).on(80, 24);
    stage.types("one").sees("> one").key(CTRL_Z).types("two").sees("> onetwo").key(ENTER).sees("Heard.");
    stage.key(CTRL_D).leaves(0);
}

trait Prompt {
    fn ends_with_prompt(&self) -> bool;
}

impl Prompt for String {
    fn ends_with_prompt(&self) -> bool {
        self.trim_end().ends_with("shell:")
    }
}
