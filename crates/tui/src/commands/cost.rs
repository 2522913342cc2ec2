//! `/cost`: what was used, model by model.

use forelook_protocol::{Bill, Query, Reply, Status};
use forelook_wording::{COSTS, COSTS_UNKNOWN, cost_cells, cost_table, measure};
use ratatui_core::text::Line;

use super::{Slash, pairs};
use crate::app::{App, Wish};
use crate::markdown::Look;
use crate::text::{Hang, wrap};

pub(super) const COST: Slash =
    Slash { name: "cost", form: "", about: "what was used so far, model by model", run };

fn run(app: &mut App, _: &str) -> Vec<Wish> {
    app.ask(Query::Status, |app, reply| {
        if let Reply::Status(status) = reply {
            app.show(rows(status, app.look()));
        }
        Vec::new()
    })
}

pub(super) fn rows(status: &Status, look: Look) -> Vec<Line<'static>> {
    if status.spent.is_empty() {
        return vec![Line::styled("  No model has answered yet", look.theme.quiet)];
    }
    let (cells, total) = cost_cells(&status.spent);
    let lines = cost_table(&cells);
    let mut rows: Vec<Line<'static>> = match lines.iter().all(|line| measure(line) + 2 <= look.width) {
        true => {
            let style = |at: usize| if at == 0 { look.theme.quiet } else { Default::default() };
            let row = |(at, line): (usize, &String)| Line::styled(format!("  {line}"), style(at));
            lines.iter().enumerate().map(row).collect()
        }
        // Too wide: a model and its figures below each other.
        false => pairs(&cells.iter().map(in_words).collect::<Vec<_>>(), look),
    };
    if let Bill::AtLeast(_) = total {
        rows.extend(wrap(&Line::styled(COSTS_UNKNOWN, look.theme.quiet), look.width, &Hang::all("  ")));
    }
    rows
}

fn in_words(cells: &[String; 6]) -> (String, String) {
    let figures =
        COSTS.iter().zip(cells).skip(1).map(|(head, cell)| format!("{} {cell}", head.to_lowercase()));
    (cells[0].clone(), figures.collect::<Vec<_>>().join(", "))
}
