//! `/exit`: the person leaves, the session is kept.

use super::Slash;
use crate::app::{App, Wish};

pub(super) const EXIT: Slash = Slash { name: "exit", form: "", about: "leave; the session is kept", run };

fn run(_: &mut App, _: &str) -> Vec<Wish> {
    vec![Wish::Leave(crate::app::Left::Done)]
}
