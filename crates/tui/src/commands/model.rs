//! `/model`: which model is asked.

use forelook_protocol::{Command, ModelListed, Query, Reply};
use forelook_wording::{listed, model_cells, models_with};

use super::Slash;
use crate::app::{App, Wish};
use crate::view::{Pick, Picker, Row, View};

pub(super) const MODEL: Slash =
    Slash { name: "model", form: "[name]", about: "change the model, or see which there are", run };

fn run(app: &mut App, rest: &str) -> Vec<Wish> {
    if !rest.is_empty() {
        return vec![Wish::Send(Command::SetModel(rest.to_owned()))];
    }
    app.ask(Query::Models, |app, reply| {
        if let Reply::Models(models) = reply {
            app.open(View::Picker(picker(app.model(), models)));
        }
        Vec::new()
    })
}

/// What is missing for a model is said; it cannot be chosen until it is there.
fn picker(current: &str, models: &[ModelListed]) -> Picker {
    let now = listed(current, models).map_or(current, |model| &model.name);
    let row = |model: &ModelListed| {
        let [name, window, price, title] = model_cells(model);
        let pick = model.missing.is_none().then(|| Pick::Send(Command::SetModel(model.name.clone())));
        let row = Row::new([&name, &window, &price, &title], pick);
        Row { about: model.missing.clone(), current: model.name == now, ..row }
    };
    Picker::new(
        "Models: window, price of a million tokens",
        models_with(current, models).iter().map(row).collect(),
    )
}
