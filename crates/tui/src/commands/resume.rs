//! `/resume`: another session of this folder.

use forelook_protocol::SessionListed;
use forelook_wording::{age, counted};

use super::Slash;
use crate::app::{App, Errand, Left, Wish};
use crate::view::{Pick, Picker, Row, View};

pub(super) const RESUME: Slash = Slash { name: "resume", form: "", about: "go on with another session", run };

fn run(_: &mut App, _: &str) -> Vec<Wish> {
    vec![Wish::See(Errand::Sessions)]
}

/// The sessions that were found.
pub(crate) fn sessions(app: &mut App, found: Result<Vec<SessionListed>, String>) {
    match found {
        Ok(found) => app.open(View::Picker(picker(app.wall_time(), &found))),
        Err(why) => app.refused(&why),
    }
}

fn picker(now: jiff::Timestamp, found: &[SessionListed]) -> Picker {
    let row = |it: &SessionListed| {
        let when = age(now, it.time);
        let prompts = counted(it.prompts as u64, "prompt", "prompts");
        let title = if it.title.trim().is_empty() { "(nothing was said)" } else { it.title.as_str() };
        Row::new([&when, &prompts, title], Some(Pick::Leave(Left::For(it.id))))
    };
    Picker::new("Sessions of this folder, the newest first", found.iter().map(row).collect())
}
