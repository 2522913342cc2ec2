//! The tables of `/model`, `/cost` and `/context`.

use std::collections::BTreeMap;

use forelook_protocol::{ContextUsage, ModelInfo, ModelUsage, TotalCost};

use crate::style::{Row, TextStyle};
use forelook_wording::{
    COSTS_UNKNOWN, ColumnAlign, context_limit, context_rows, context_title, cost_cells, cost_table,
    find_model, missing_hints, model_cells, models_with, table,
};

/// The models that can be chosen, with the one that is asked now.
pub(super) fn list(current: &str, models: &[ModelInfo]) -> Vec<Row> {
    let all = models_with(current, models);
    let cells: Vec<[String; 4]> = all.iter().map(model_cells).collect();
    let head = ["Model", "Context", "Price per million tokens", ""];
    let mut lines =
        table(head, &cells, [ColumnAlign::Left, ColumnAlign::Right, ColumnAlign::Left, ColumnAlign::Left])
            .into_iter();
    let mut rows: Vec<Row> =
        lines.next().map(|line| Row::exact("    ", TextStyle::Dim, line)).into_iter().collect();
    let now = find_model(current, models).map_or(current, |model| &model.name);
    for (model, line) in all.iter().zip(lines) {
        rows.push(match (model.name == now, &model.missing) {
            (true, _) => Row::exact("  ▸ ", TextStyle::Bold, line),
            (false, None) => Row::exact("    ", TextStyle::Plain, line),
            (false, Some(_)) => Row::exact("    ", TextStyle::Dim, line),
        });
    }
    rows.extend(missing_hints(&all).into_iter().map(|hint| Row::led("  ", TextStyle::Yellow, hint)));
    rows.push(Row::dim("  /model NAME changes it, starting with the next request"));
    rows
}

/// What each model was used for, and what that cost as far as it is known.
pub(super) fn costs(spent: &BTreeMap<String, ModelUsage>) -> Vec<Row> {
    if spent.is_empty() {
        return vec![Row::dim("  No usage yet")];
    }
    let (cells, total) = cost_cells(spent);
    let mut lines = cost_table(&cells).into_iter();
    let mut rows: Vec<Row> =
        lines.next().map(|line| Row::exact("  ", TextStyle::Dim, line)).into_iter().collect();
    rows.extend(lines.map(|line| Row::exact("  ", TextStyle::Plain, line)));
    if let TotalCost::AtLeast(_) = total {
        rows.push(Row::dim(format!("  {COSTS_UNKNOWN}")));
    }
    rows
}

/// What fills the model's context window.
pub(super) fn context(usage: &ContextUsage) -> Vec<Row> {
    let cells: Vec<[String; 2]> =
        context_rows(usage).into_iter().map(|(name, amount)| [name, amount]).collect();
    let mut rows = vec![Row::exact("  ", TextStyle::Bold, context_title(usage))];
    let lines = table(["Part", "Tokens"], &cells, [ColumnAlign::Left, ColumnAlign::Left]);
    rows.extend(lines.into_iter().map(|line| Row::exact("  ", TextStyle::Plain, line)));
    rows.push(Row::dim(format!("  {}", context_limit(usage))));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::bare;
    use crate::testing::model;
    use forelook_protocol::{Cost, Usage};

    #[test]
    fn models_on_paper() {
        let mut far = model("openai/far", Some((1_250, 10_000)));
        let missing = "no key for OpenAI: set the variable `OPENAI_API_KEY`";
        (far.window, far.missing) = (Some(1_048_576), Some(missing.into()));
        let further = ModelInfo { name: "openai/further".into(), ..far.clone() };
        let models = [
            model("anthropic/one", Some((3_000, 15_000))),
            far,
            further,
            model("ollama/wide-日本", Some((0, 0))),
        ];
        // A model that nobody listed is still the one that is asked.
        let shown = ["anthropic/one", "far", "scripted/demo"].map(|now| bare(&list(now, &models)));
        insta::assert_snapshot!(shown.join("\n\n"));
    }

    #[test]
    fn costs_on_paper() {
        let whole = |cost| TotalCost::Exact(Cost(cost));
        let spent = |input_tokens, cost| ModelUsage {
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
            ("odd\u{1b}[2J", spent(2, TotalCost::AtLeast(Cost(0)))),
        ] {
            all.insert(name.to_owned(), spent);
            shown.push(bare(&costs(&all)));
        }
        insta::assert_snapshot!(shown.join("\n\n"));
    }
}
