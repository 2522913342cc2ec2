//! The tables of `/model` and `/cost`.

use std::collections::BTreeMap;

use forelook_protocol::{Bill, ModelListed, Spent};

use crate::ink::{Ink, Row};
use forelook_wording::{UNKNOWN, bill, listed, price, window};
use forelook_wording::{measure, thousands, visible};

/// The models that can be chosen, with the one that is asked now.
pub(super) fn list(current: &str, models: &[ModelListed]) -> Vec<Row> {
    let stranger = listed(current, models).is_none().then(|| ModelListed {
        name: current.to_owned(),
        title: String::new(),
        window: None,
        output: None,
        price: None,
        missing: None,
    });
    let all: Vec<&ModelListed> = stranger.iter().chain(models).collect();
    let cells: Vec<[String; 4]> = all.iter().map(|model| cells(model)).collect();
    let head = ["Model", "Window", "For a million tokens", ""].map(str::to_owned);
    let mut lines = table(&head, &cells, [Side::Left, Side::Right, Side::Left, Side::Left]).into_iter();
    let mut rows: Vec<Row> =
        lines.next().map(|line| Row::exact("    ", Ink::Dim, line)).into_iter().collect();
    let now = listed(current, models).map_or(current, |model| &model.name);
    for (model, line) in all.iter().zip(lines) {
        rows.push(match (model.name == now, &model.missing) {
            (true, _) => Row::exact("  ▸ ", Ink::Bold, line),
            (false, None) => Row::exact("    ", Ink::Plain, line),
            (false, Some(_)) => Row::exact("    ", Ink::Dim, line),
        });
        rows.extend(model.missing.as_ref().map(|what| Row::led("      ", Ink::Yellow, what)));
    }
    rows.push(Row::dim("  /model NAME changes it from the next request on"));
    rows
}

fn cells(model: &ModelListed) -> [String; 4] {
    [
        visible(&model.name).into_owned(),
        model.window.map_or_else(|| UNKNOWN.to_owned(), window),
        model.price.as_ref().map_or_else(|| UNKNOWN.to_owned(), price),
        visible(&model.title).into_owned(),
    ]
}

/// What each model was used for, and what that cost as far as it is known.
pub(super) fn costs(spent: &BTreeMap<String, Spent>) -> Vec<Row> {
    if spent.is_empty() {
        return vec![Row::dim("  No model has answered yet")];
    }
    let mut total = Spent::default();
    let mut lines = Vec::new();
    for (model, each) in spent {
        total += *each;
        lines.push(figures(&visible(model), each, bill(each.cost)));
    }
    if spent.len() > 1 {
        lines.push(figures("Together", &total, bill(total.cost)));
    }
    let head = ["Model", "Read", "Cached", "To cache", "Written", "Cost"].map(str::to_owned);
    let sides = [Side::Left, Side::Right, Side::Right, Side::Right, Side::Right, Side::Right];
    let mut lines = table(&head, &lines, sides).into_iter();
    let mut rows: Vec<Row> = lines.next().map(|line| Row::exact("  ", Ink::Dim, line)).into_iter().collect();
    rows.extend(lines.map(|line| Row::exact("  ", Ink::Plain, line)));
    if let Bill::AtLeast(_) = total.cost {
        rows.push(Row::dim(
            "  Where the price of a model is not known, its tokens are counted but not its cost",
        ));
    }
    rows
}

fn figures(name: &str, spent: &Spent, cost: String) -> [String; 6] {
    let usage = &spent.usage;
    [
        name.to_owned(),
        thousands(usage.input_tokens),
        thousands(usage.cache_read_input_tokens),
        thousands(usage.cache_creation_input_tokens),
        thousands(usage.output_tokens),
        cost,
    ]
}

/// Where the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// The head and the cells as lines, each column as wide as its widest cell.
fn table<const N: usize>(head: &[String; N], cells: &[[String; N]], sides: [Side; N]) -> Vec<String> {
    let all = || std::iter::once(head).chain(cells);
    let widths: [usize; N] =
        std::array::from_fn(|at| all().map(|row| measure(&row[at])).max().unwrap_or_default());
    let line = |row: &[String; N]| {
        let padded = row.iter().zip(widths).zip(sides).map(|((cell, width), side)| {
            let blank = " ".repeat(width - measure(cell).min(width));
            match side {
                Side::Left => format!("{cell}{blank}"),
                Side::Right => format!("{blank}{cell}"),
            }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ink::bare;
    use crate::testing::model;
    use forelook_protocol::{Cost, Usage};

    #[test]
    fn models_on_paper() {
        let mut far = model("openai/far", Some((1_250, 10_000)));
        (far.window, far.missing) = (Some(1_048_576), Some("Set `OPENAI_API_KEY`".into()));
        let models =
            [model("anthropic/one", Some((3_000, 15_000))), far, model("ollama/wide-日本", Some((0, 0)))];
        // A model that nobody listed is still the one that is asked.
        let shown = ["anthropic/one", "far", "scripted/demo"].map(|now| bare(&list(now, &models)));
        insta::assert_snapshot!(shown.join("\n\n"));
    }

    #[test]
    fn costs_on_paper() {
        let whole = |cost| Bill::Whole(Cost(cost));
        let spent = |input_tokens, cost| Spent {
            usage: Usage {
                input_tokens,
                output_tokens: 345,
                cache_read_input_tokens: 1_234_567,
                cache_creation_input_tokens: 89,
            },
            cost,
        };
        let mut all = BTreeMap::new();
        let mut shown = vec![bare(&costs(&all))];
        for (name, spent) in [
            ("one", spent(12_345, whole(1_234_567_890))),
            ("own", spent(1, whole(0))),
            ("odd\u{1b}[2J", spent(2, Bill::AtLeast(Cost(0)))),
        ] {
            all.insert(name.to_owned(), spent);
            shown.push(bare(&costs(&all)));
        }
        insta::assert_snapshot!(shown.join("\n\n"));
    }
}
