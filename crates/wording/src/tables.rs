//! Tables: cells in, lines out.

use std::collections::BTreeMap;

use forelook_protocol::{ModelInfo, ModelUsage, TotalCost};

use crate::{UNKNOWN, bill, display_width, find_model, missing_short, price, thousands, visible, window};

/// Where the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnAlign {
    /// At its left.
    Left,
    /// At its right.
    Right,
}

/// The head and the cells as lines, each column as wide as its widest cell.
pub fn table<const N: usize>(head: [&str; N], cells: &[[String; N]], sides: [ColumnAlign; N]) -> Vec<String> {
    let head = head.map(str::to_owned);
    let all = || std::iter::once(&head).chain(cells);
    let widths: [usize; N] =
        std::array::from_fn(|at| all().map(|row| display_width(&row[at])).max().unwrap_or_default());
    let line = |row: &[String; N]| {
        let padded = row.iter().zip(widths).zip(sides).map(|((cell, width), side)| {
            let blank = " ".repeat(width - display_width(cell).min(width));
            match side {
                ColumnAlign::Left => format!("{cell}{blank}"),
                ColumnAlign::Right => format!("{blank}{cell}"),
            }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all().map(line).collect()
}

/// What is known of a model: name, window, price, title. What is missing stands before the title, so that it is seen where
/// there is little room.
pub fn model_cells(model: &ModelInfo) -> [String; 4] {
    let title = match missing_short(model) {
        Some(missing) => format!("({missing}) {}", model.title),
        None => model.title.clone(),
    };
    [
        visible(&model.name).into_owned(),
        model.window.map_or_else(|| UNKNOWN.to_owned(), window),
        model.price.as_ref().map_or_else(|| UNKNOWN.to_owned(), price),
        visible(title.trim_end()).into_owned(),
    ]
}

/// The models that can be chosen. One that nobody listed is still the one that is asked now.
pub fn models_with(current: &str, models: &[ModelInfo]) -> Vec<ModelInfo> {
    let stranger = find_model(current, models).is_none().then(|| ModelInfo {
        name: current.to_owned(),
        title: String::new(),
        window: None,
        output: None,
        price: None,
        missing: None,
    });
    stranger.into_iter().chain(models.iter().cloned()).collect()
}

/// The head of the table of costs.
pub const COST_HEADERS: [&str; 6] = ["Model", "Input", "Cache read", "Cache write", "Output", "Cost"];

/// What is said below a sum that lacks some of its parts.
pub const COSTS_UNKNOWN: &str = "Models without a known price count toward tokens, not toward cost";

/// What each model was used for, and all of them together; with what that cost.
pub fn cost_cells(spent: &BTreeMap<String, ModelUsage>) -> (Vec<[String; 6]>, TotalCost) {
    let mut total = ModelUsage::default();
    let mut rows = Vec::new();
    for (model, each) in spent {
        total += *each;
        rows.push(usage_row(&visible(model), each));
    }
    if spent.len() > 1 {
        rows.push(usage_row("Total", &total));
    }
    (rows, total.cost)
}

/// The table of costs, the head first.
pub fn cost_table(rows: &[[String; 6]]) -> Vec<String> {
    let sides = [
        ColumnAlign::Left,
        ColumnAlign::Right,
        ColumnAlign::Right,
        ColumnAlign::Right,
        ColumnAlign::Right,
        ColumnAlign::Right,
    ];
    table(COST_HEADERS, rows, sides)
}

fn usage_row(name: &str, spent: &ModelUsage) -> [String; 6] {
    let usage = &spent.usage;
    [
        name.to_owned(),
        thousands(usage.input_tokens),
        thousands(usage.cache_read_input_tokens),
        thousands(usage.cache_creation_input_tokens),
        thousands(usage.output_tokens),
        bill(spent.cost),
    ]
}
