//! `/cost`: what was used, model by model.

use forelook_protocol::{Query, Reply, Status, TotalCost};
use forelook_wording::{COST_HEADERS, COSTS_UNKNOWN, cost_cells, cost_table, display_width};
use ratatui_core::text::Line;

use super::{SlashCommand, pairs};
use crate::app::{App, UiEffect};
use crate::markdown::RenderContext;
use crate::text::{Indent, wrap};

pub(super) const COST: SlashCommand =
    SlashCommand { name: "cost", usage: "", about: "show tokens and cost by model", run };

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Status, |app, reply| {
        if let Reply::Status(status) = reply {
            app.show(rows(status, app.render_context()));
        }
        Vec::new()
    })
}

pub(super) fn rows(status: &Status, ctx: RenderContext) -> Vec<Line<'static>> {
    if status.spent.is_empty() {
        return vec![Line::styled("  No usage yet", ctx.theme.quiet)];
    }
    let (cells, total) = cost_cells(&status.spent);
    let lines = cost_table(&cells);
    let mut rows: Vec<Line<'static>> = match lines.iter().all(|line| display_width(line) + 2 <= ctx.width) {
        true => {
            let style = |at: usize| if at == 0 { ctx.theme.quiet } else { Default::default() };
            let row = |(at, line): (usize, &String)| Line::styled(format!("  {line}"), style(at));
            lines.iter().enumerate().map(row).collect()
        }
        // Too wide: a model and its figures below each other.
        false => pairs(&cells.iter().map(in_words).collect::<Vec<_>>(), ctx),
    };
    if let TotalCost::AtLeast(_) = total {
        rows.extend(wrap(&Line::styled(COSTS_UNKNOWN, ctx.theme.quiet), ctx.width, &Indent::all("  ")));
    }
    rows
}

fn in_words(cells: &[String; 6]) -> (String, String) {
    let figures =
        COST_HEADERS.iter().zip(cells).skip(1).map(|(head, cell)| format!("{} {cell}", head.to_lowercase()));
    (cells[0].clone(), figures.collect::<Vec<_>>().join(", "))
}
