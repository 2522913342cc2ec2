//! All keys of a review.

use forelook_wording::mode_unavailable;
use ratatui_core::text::{Line, Span};

use super::ReviewDialog;
use crate::markdown::RenderContext;
use crate::text::{Indent, wrap};

impl ReviewDialog {
    /// What each key does.
    pub(super) fn all_keys(&self, ctx: RenderContext) -> Vec<Line<'static>> {
        let mut keys: Vec<(String, String)> = self
            .approval_modes()
            .into_iter()
            .map(|(key, approval_mode)| (key.to_string(), format!("approve and {}", approval_mode.words())))
            .collect();
        keys.extend(self.unavailable().into_iter().map(|(key, it)| (key.to_string(), mode_unavailable(it))));
        keys.extend(KEYS.map(|(key, what)| (key.to_owned(), what.to_owned())));
        if let Some(tried) = &self.tried {
            let ctx =
                ("t".to_owned(), format!("switch between the rehearsal ({}) and the plan", tried.size()));
            let apply = "before you confirm an approval: apply the rehearsal (otherwise it is discarded)";
            let after = keys.iter().position(|(key, _)| key == "r").map_or(keys.len(), |at| at + 1);
            keys.splice(after..after, [ctx, ("Ctrl+T".to_owned(), apply.to_owned())]);
        }
        let row = |(key, what): (String, String)| {
            let lead = Span::styled(format!(" {key:<9} "), ctx.theme.plan);
            wrap(&Line::from(what), ctx.width, &Indent::first(lead))
        };
        keys.push((String::new(), format!("The plan is in {}", self.review.path())));
        keys.into_iter().flat_map(row).collect()
    }
}

const KEYS: [(&str, &str); 19] = [
    ("", "each asks you to confirm; you can add a note or start with a fresh context"),
    ("n, Esc", "keep planning and say what should change"),
    ("s", "keep planning and send your comments"),
    ("e", "edit the plan in your editor, then come back"),
    ("p", "park it: stop here and keep the plan"),
    ("x", "abandon it: stop here and mark it abandoned"),
    ("c", "comment on the line; on a comment: edit it"),
    ("v", "select a range of lines to comment on"),
    ("l", "list comments: Enter goes to one, e edits, x deletes"),
    ("d", "switch between the changes and the plan"),
    ("r", "switch between Markdown source and the plan"),
    ("/", "search; then n goes to the next place, N to the one before, Esc back"),
    ("↑ ↓ j k", "up or down a row"),
    ("PgUp PgDn", "up or down a page (Space: down)"),
    ("Home End", "to the start or end (also g and G)"),
    ("Ctrl+O", "look at the conversation; the plan waits"),
    ("Ctrl+C", "stop the turn, or close the review; nothing is approved"),
    ("Enter", "does nothing by itself"),
    ("?", "show these keys"),
];
