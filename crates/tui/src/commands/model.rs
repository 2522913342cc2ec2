//! `/model`: which model is asked.

use forelook_protocol::{Command, ModelInfo, Query, Reply, capitalize};
use forelook_wording::{find_model, model_cells, models_with};

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::view::{FullScreenView, PickAction, Picker, PickerRow};

pub(super) const MODEL: SlashCommand =
    SlashCommand { name: "model", usage: "[name]", about: "change the model or list models", run };

fn run(app: &mut App, rest: &str) -> Vec<UiEffect> {
    if !rest.is_empty() {
        return vec![UiEffect::Send(Command::SetModel(rest.to_owned()))];
    }
    app.ask(Query::Models, |app, reply| {
        if let Reply::Models(models) = reply {
            app.open(FullScreenView::Picker(picker(app.model(), models)));
        }
        Vec::new()
    })
}

/// What is missing for a model is said; it cannot be chosen until it is there.
pub(super) fn picker(current: &str, models: &[ModelInfo]) -> Picker {
    let now = find_model(current, models).map_or(current, |model| &model.name);
    let row = |model: &ModelInfo| {
        let [name, window, price, title] = model_cells(model);
        let pick = model.missing.is_none().then(|| PickAction::Send(Command::SetModel(model.name.clone())));
        let row = PickerRow::new([&name, &window, &price, &title], pick);
        PickerRow { about: model.missing.as_deref().map(capitalize), current: model.name == now, ..row }
    };
    Picker::new(
        "Models: context window, price per million tokens",
        models_with(current, models).iter().map(row).collect(),
    )
}
