//! Which script a model plays.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use forelook_providers::scripted::{Script, ScriptedProvider};

#[derive(Default)]
pub(super) struct Scripts {
    /// The script of the model `demo`.
    pub(super) demo: Option<String>,
    /// The script of every model whose name is no path.
    pub(super) any: Option<String>,
    /// Those that are being played, by the path before `/v1` and the model: each counts its failures.
    playing: Mutex<HashMap<(String, String), Arc<ScriptedProvider>>>,
}

impl Scripts {
    pub(super) fn new(demo: Option<String>, any: Option<String>) -> Self {
        Self { demo, any, playing: Mutex::default() }
    }

    /// The script of this model; `Err` says why there is none.
    pub(super) fn find(&self, run: &str, model: &str) -> Result<Arc<ScriptedProvider>, String> {
        let mut playing = self.playing.lock().unwrap();
        let key = (run.to_owned(), model.to_owned());
        if let Some(known) = playing.get(&key) {
            return Ok(Arc::clone(known));
        }
        let script =
            Script::parse(&self.text(model)?).map_err(|error| format!("model `{model}`: {error}"))?;
        let scripted = Arc::new(ScriptedProvider::new(script));
        playing.insert(key, Arc::clone(&scripted));
        Ok(scripted)
    }

    fn text(&self, model: &str) -> Result<String, String> {
        if Path::new(model).is_absolute() {
            return std::fs::read_to_string(model).map_err(|error| format!("model `{model}`: {error}"));
        }
        let known =
            if model == "demo" { self.demo.as_ref().or(self.any.as_ref()) } else { self.any.as_ref() };
        known.cloned().ok_or_else(|| format!("model `{model}` is not known here; name the path of a script"))
    }
}
