//! `/permissions`: the rules in force.

use forelook_protocol::{Behavior, Query, Reply, RuleOrigin};
use ratatui_core::text::{Line, Span};

use super::Slash;
use crate::app::{App, Wish};
use crate::markdown::Look;
use crate::text::{Hang, wrap};

pub(super) const PERMISSIONS: Slash =
    Slash { name: "permissions", form: "", about: "the rules in force, and where they stand", run };

fn run(app: &mut App, _: &str) -> Vec<Wish> {
    app.ask(Query::Rules, |app, reply| {
        if let Reply::Rules(rules) = reply {
            app.show(rows(rules, app.look()));
        }
        Vec::new()
    })
}

/// What forbids stands first, as it counts first.
pub(super) fn rows(rules: &[RuleOrigin], look: Look) -> Vec<Line<'static>> {
    let theme = look.theme;
    if rules.is_empty() {
        let words = "There are no rules: the mode alone decides, and you are asked about the rest";
        return wrap(&Line::styled(words, theme.quiet), look.width, &Hang::all("  "));
    }
    let mut rows = Vec::new();
    for (behavior, title, style) in [
        (Behavior::Deny, "Never", theme.bad),
        (Behavior::Ask, "Always asked", theme.warning),
        (Behavior::Allow, "Allowed", theme.good),
    ] {
        let of_kind: Vec<&RuleOrigin> = rules.iter().filter(|rule| rule.behavior == behavior).collect();
        if of_kind.is_empty() {
            continue;
        }
        rows.push(Line::styled(title, style));
        for rule in of_kind {
            let text = Span::raw(forelook_wording::visible(&rule.rule).into_owned());
            let line = Line::from(vec![text, Span::styled(format!("  {}", place(rule)), theme.quiet)]);
            rows.extend(wrap(&line, look.width, &Hang::all("  ")));
        }
    }
    rows
}

fn place(rule: &RuleOrigin) -> String {
    match (&rule.file, rule.line) {
        (Some(file), Some(line)) => format!("{}, {file}:{line}", rule.source),
        (Some(file), None) => format!("{}, {file}", rule.source),
        (None, _) => rule.source.to_string(),
    }
}
