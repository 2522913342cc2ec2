//! `/permissions`: the rules in force, and what was moved out of the project.

use forelook_protocol::{AbsPath, Behavior, Command, Query, Reply, RuleOrigin, SetAsideFile};
use ratatui_core::text::{Line, Span};

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::markdown::RenderContext;
use crate::text::{Indent, wrap};
use crate::view::{FullScreenView, PickAction, Picker, PickerRow};

pub(super) const PERMISSIONS: SlashCommand = SlashCommand {
    name: "permissions",
    usage: "",
    about: "show active rules; restore: bring back files that were moved out of the project",
    run,
};

fn run(app: &mut App, rest: &str) -> Vec<UiEffect> {
    match rest {
        "" => show_rules(app),
        "restore" => show_set_aside(app),
        _ => {
            app.refused("Use `/permissions` or `/permissions restore`");
            Vec::new()
        }
    }
}

fn show_set_aside(app: &mut App) -> Vec<UiEffect> {
    app.ask(Query::SetAside, |app, reply| {
        match reply {
            Reply::SetAside(files) if files.is_empty() => {
                let words = "Nothing was moved out of this project";
                app.show(vec![Line::styled(format!("  {words}"), app.render_context().theme.quiet)]);
            }
            Reply::SetAside(files) => app.open(FullScreenView::Picker(picker(files))),
            _ => {}
        }
        Vec::new()
    })
}

/// Each file, to be brought back with a key.
fn picker(files: &[SetAsideFile]) -> Picker {
    let row = |file: &SetAsideFile| {
        // Commands chose the names.
        let shown = |path: &AbsPath| forelook_wording::visible(&path.to_string()).into_owned();
        let restore = PickAction::Send(Command::RestoreSetAside { id: file.id.clone() });
        PickerRow::new([&shown(&file.from), &format!("now at {}", shown(&file.kept))], Some(restore))
    };
    Picker::new(
        "Moved out of the project. Check a file, then bring it back with Enter",
        files.iter().map(row).collect(),
    )
}

fn show_rules(app: &mut App) -> Vec<UiEffect> {
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
