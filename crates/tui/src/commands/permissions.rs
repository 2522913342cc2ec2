//! `/permissions`: the rules in force.

use forelook_protocol::{Behavior, Query, Reply, RuleOrigin};
use ratatui_core::text::{Line, Span};

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::markdown::RenderContext;
use crate::text::{Indent, wrap};

pub(super) const PERMISSIONS: SlashCommand = SlashCommand {
    name: "permissions",
    usage: "",
    about: "show active rules and where they are defined",
    run,
};

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Rules, |app, reply| {
        if let Reply::Rules(rules) = reply {
            app.show(rows(rules, app.render_context()));
        }
        Vec::new()
    })
}

/// What forbids stands first, as it counts first.
pub(super) fn rows(rules: &[RuleOrigin], ctx: RenderContext) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    if rules.is_empty() {
        let words = "No rules. The permission mode decides what needs your approval";
        return wrap(&Line::styled(words, theme.quiet), ctx.width, &Indent::all("  "));
    }
    let mut rows = Vec::new();
    for (behavior, title, style) in [
        (Behavior::Deny, "Denied", theme.bad),
        (Behavior::Ask, "Always ask", theme.warning),
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
            rows.extend(wrap(&line, ctx.width, &Indent::all("  ")));
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
