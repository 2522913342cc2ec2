//! The whole program on a terminal: keys in, screens out. `screen/stage.rs` has the words these tests are written in.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test"
)]

#[path = "screen/commanding.rs"]
mod commanding;
#[path = "screen/demo.rs"]
mod demo;
#[path = "screen/drawing.rs"]
mod drawing;
#[path = "screen/editing.rs"]
mod editing;
#[path = "screen/ending.rs"]
mod ending;
#[path = "screen/hanging_up.rs"]
mod hanging_up;
#[path = "screen/keyboard.rs"]
mod keyboard;
#[path = "screen/leaving.rs"]
mod leaving;
#[path = "screen/looks.rs"]
mod looks;
#[path = "screen/menus.rs"]
mod menus;
#[path = "screen/permitting.rs"]
mod permitting;
#[path = "screen/planning.rs"]
mod planning;
#[path = "screen/play.rs"]
mod play;
#[path = "screen/questions.rs"]
mod questions;
#[path = "screen/rehearsing.rs"]
mod rehearsing;
#[path = "screen/reviewing.rs"]
mod reviewing;
#[path = "screen/sessions.rs"]
mod sessions;
#[path = "screen/stage.rs"]
mod stage;
#[path = "screen/suspending.rs"]
mod suspending;
#[path = "screen/tmux.rs"]
mod tmux;
#[path = "screen/trusting.rs"]
mod trusting;
#[path = "screen/watch.rs"]
mod watch;

/// What terminals send for keys.
mod keys {
    pub(crate) const TAB: &str = "\t";
    pub(crate) const UP: &str = "\x1b[A";
    pub(crate) const DOWN: &str = "\x1b[B";
    pub(crate) const RIGHT: &str = "\x1b[C";
    pub(crate) const HOME: &str = "\x1b[H";
    pub(crate) const DELETE: &str = "\x1b[3~";
    pub(crate) const END: &str = "\x1b[F";
    pub(crate) const PAGE_DOWN: &str = "\x1b[6~";
    pub(crate) const CTRL_G: &str = "\x07";
    pub(crate) const CTRL_O: &str = "\x0f";
    pub(crate) const CTRL_R: &str = "\x12";
    pub(crate) const ENTER: &str = "\r";
    pub(crate) const ESC: &str = "\x1b";
    pub(crate) const CTRL_C: &str = "\x03";
    pub(crate) const CTRL_D: &str = "\x04";
    pub(crate) const CTRL_J: &str = "\n";
    pub(crate) const CTRL_Z: &str = "\x1a";
    pub(crate) const ALT_ENTER: &str = "\x1b\r";
    /// In the oldest encoding.
    pub(crate) const SHIFT_TAB: &str = "\x1b[Z";
    /// In kitty's.
    pub(crate) const KITTY_SHIFT_TAB: &str = "\x1b[9;2u";
    pub(crate) const KITTY_SHIFT_ENTER: &str = "\x1b[13;2u";
    pub(crate) const KITTY_ESC: &str = "\x1b[27u";
    pub(crate) const KITTY_CTRL_C: &str = "\x1b[99;5u";
}
