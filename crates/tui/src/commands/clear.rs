//! `/clear`: a new session. The one before is kept.

use super::Slash;
use crate::app::{App, Left, Wish};

pub(super) const CLEAR: Slash =
    Slash { name: "clear", form: "", about: "begin a new session; this one is kept", run };

fn run(_: &mut App, _: &str) -> Vec<Wish> {
    vec![Wish::Leave(Left::ForNew)]
}
