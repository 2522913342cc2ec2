//! `/config`: every setting that is in effect, and where it comes from.

use forelook_protocol::{Query, Reply, SettingInfo, SettingOrigin};
use forelook_wording::{matching_settings, no_matching_setting, setting_origin, visible};
use ratatui_core::text::{Line, Span};

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::markdown::RenderContext;
use crate::text::{Indent, wrap};

pub(super) const CONFIG: SlashCommand = SlashCommand {
    name: "config",
    usage: "[words]",
    about: "show settings and where they come from; words: only keys that contain them",
    run,
};

fn run(app: &mut App, rest: &str) -> Vec<UiEffect> {
    let words = rest.to_owned();
    app.ask(Query::Settings, move |app, reply| {
        if let Reply::Settings(settings) = reply {
            match matching_settings(settings, &words).as_slice() {
                [] => app.refused(&no_matching_setting(&words)),
                found => app.show(rows(found, app.render_context())),
            }
        }
        Vec::new()
    })
}

/// What somebody set comes first.
pub(super) fn rows(settings: &[&SettingInfo], ctx: RenderContext) -> Vec<Line<'static>> {
    let is_default = |setting: &&&SettingInfo| setting.origin == SettingOrigin::Default;
    let (defaults, set): (Vec<&SettingInfo>, Vec<&SettingInfo>) =
        settings.iter().partition(|setting| is_default(setting));
    let mut rows = Vec::new();
    for (title, settings) in [("Set", set), ("Defaults", defaults)] {
        if settings.is_empty() {
            continue;
        }
        if !rows.is_empty() {
            rows.push(Line::default());
        }
        rows.push(Line::styled(title, ctx.theme.heading));
        rows.extend(settings.into_iter().flat_map(|setting| row(setting, ctx)));
    }
    rows
}

fn row(setting: &SettingInfo, ctx: RenderContext) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    let value = visible(&setting.value).replace('\n', " ");
    let origin = match (&setting.origin, setting.counts) {
        (SettingOrigin::Default, _) => String::new(),
        (origin, true) => format!("  {}", setting_origin(origin)),
        (origin, false) => format!("  overridden; {}", setting_origin(origin)),
    };
    let value = match setting.counts {
        true => Span::raw(value),
        false => Span::styled(value, theme.quiet),
    };
    let key = Span::styled(format!("{}  ", setting.key), theme.quiet);
    let line = Line::from(vec![key, value, Span::styled(visible(&origin).into_owned(), theme.quiet)]);
    let indent = Indent { first: vec![Span::raw("  ")], rest: vec![Span::raw("    ")] };
    wrap(&line, ctx.width, &indent)
}
