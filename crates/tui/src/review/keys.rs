//! All keys of a review.

use ratatui_core::text::{Line, Span};

use super::Reviewing;
use crate::markdown::Look;
use crate::text::{Hang, wrap};

impl Reviewing {
    /// What each key does.
    pub(super) fn all_keys(&self, look: Look) -> Vec<Line<'static>> {
        let mut keys: Vec<(String, String)> = self
            .ways()
            .into_iter()
            .map(|(key, way)| (key.to_string(), format!("approve, and go on {}", way.words())))
            .collect();
        keys.extend(KEYS.map(|(key, what)| (key.to_owned(), what.to_owned())));
        if let Some(tried) = &self.tried {
            let look = ("t".to_owned(), format!("what was tried ({}), and back to the plan", tried.size()));
            let apply = "before the Enter of a yes: begin with what was tried; else it is thrown away";
            let after = keys.iter().position(|(key, _)| key == "r").map_or(keys.len(), |at| at + 1);
            keys.splice(after..after, [look, ("Ctrl+T".to_owned(), apply.to_owned())]);
        }
        let row = |(key, what): (String, String)| {
            let lead = Span::styled(format!(" {key:<9} "), look.theme.plan);
            wrap(&Line::from(what), look.width, &Hang::first(lead))
        };
        keys.push((String::new(), format!("The plan is in {}", self.review.path())));
        keys.into_iter().flat_map(row).collect()
    }
}

const KEYS: [(&str, &str); 18] = [
    ("", "each asks again, with room for a note and the choice of a fresh context"),
    ("n, Esc", "keep planning, and say what should change"),
    ("s", "keep planning, and send the comments"),
    ("e", "edit the plan in your editor, and come back"),
    ("p", "park it: stop here, the plan is kept"),
    ("x", "abandon it: stop here, and mark it so"),
    ("c", "comment on the line; on a comment: change it"),
    ("v", "begin a range of lines to comment on"),
    ("l", "all comments: Enter goes there, e changes, x removes"),
    ("d", "what changed, and back to the plan"),
    ("r", "the plan as it is written, and back"),
    ("↑ ↓ j k", "a row up, a row down"),
    ("PgUp PgDn", "a page up, a page down; Space too"),
    ("Home End", "to the beginning, to the end; g and G too"),
    ("Ctrl+O", "look at the conversation; the plan waits"),
    ("Ctrl+C", "stop the turn; nothing is approved"),
    ("Enter", "does nothing by itself"),
    ("?", "these keys"),
];
