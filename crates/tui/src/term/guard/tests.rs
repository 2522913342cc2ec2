//! Panics on a real terminal. The test starts itself on one, and is then the program that panics.

use std::io::Read;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::*;

const ROLE: &str = "FORELOOK_TEST_PANICS";

#[test]
#[expect(clippy::disallowed_methods, reason = "which of the two it is must be told somehow")]
fn a_panic_gives_the_terminal_back() {
    match std::env::var(ROLE).as_deref() {
        Ok("here") => panics_here(),
        Ok("elsewhere") => panics_elsewhere(),
        _ => {
            let page_left_before_it_is_told = |said: &str| {
                let (before, _) = said.split_once("this is told").expect(said);
                before.ends_with_leaving_and_a_new_row()
            };
            let here = said_by("here");
            assert!(here.contains("\x1b[?1049l") && page_left_before_it_is_told(&here), "{here:?}");
            assert_eq!(taken_and_given(&here), (1, 1), "{here:?}");
            let elsewhere = said_by("elsewhere");
            assert!(elsewhere.contains("it goes on"), "{elsewhere:?}");
            assert_eq!(taken_and_given(&elsewhere), (2, 2), "{elsewhere:?}");
        }
    }
}

/// With the other screen shown, which is what a reader would be in.
fn panics_here() {
    let guard = TerminalGuard::enter().unwrap();
    guard.shows_page(true);
    panic!("this is told");
}

/// Whoever panics is not us: the terminal is taken again.
fn panics_elsewhere() {
    let guard = TerminalGuard::enter().unwrap();
    let _ = std::thread::spawn(|| panic!("this is told")).join();
    assert!(guard.is_broken());
    drop(guard);
    let again = TerminalGuard::enter().unwrap();
    assert!(!again.is_broken());
    write("it goes on".to_owned()).unwrap();
}

/// Starts this test on a terminal; what it wrote there. The terminal must be as it was.
fn said_by(role: &str) -> String {
    let pty = native_pty_system().openpty(PtySize { rows: 24, cols: 200, ..PtySize::default() }).unwrap();
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", "term::guard::tests::a_panic_gives_the_terminal_back", "--nocapture"]);
    command.env(ROLE, role);
    let before = pty.master.get_termios().unwrap();
    let mut reader = pty.master.try_clone_reader().unwrap();
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let mut said = Vec::new();
    // Linux says that the other side is gone with an error.
    let _ = reader.read_to_end(&mut said);
    child.wait().unwrap();
    assert_eq!(pty.master.get_termios().unwrap().local_flags, before.local_flags, "{role}");
    String::from_utf8_lossy(&said).into_owned()
}

/// How often the newer encoding of keys was asked for, and put back.
fn taken_and_given(said: &str) -> (usize, usize) {
    (said.matches("\x1b[>1u").count(), said.matches("\x1b[<u").count())
}

trait Left {
    fn ends_with_leaving_and_a_new_row(&self) -> bool;
}

impl Left for str {
    /// Between that and the words there is only where it was.
    fn ends_with_leaving_and_a_new_row(&self) -> bool {
        self.split_once("\x1b[?25h\r\n\x1b[J")
            .is_some_and(|(_, where_it_was)| where_it_was.contains("panicked at"))
    }
}
