//! Finds the provider of a model.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use forelook_engine::{ModelChoice, Models};
use forelook_protocol::AbsPath;
use forelook_providers::Provider;
use forelook_providers::scripted::{Script, Scripted};

use crate::demo;
use crate::record::Recording;

/// The model of the demo.
pub(crate) const DEMO: &str = "scripted/demo";

/// All models that this program can ask.
pub(crate) struct KnownModels {
    /// What a script's path is relative to.
    folder: AbsPath,
    /// Where requests are written down, in tests.
    requests: Option<AbsPath>,
    /// Providers that were made. One for each model: they hold connections, and a script its place.
    made: Mutex<HashMap<String, ModelChoice>>,
}

impl KnownModels {
    pub(crate) fn new(folder: AbsPath, requests: Option<AbsPath>) -> Self {
        Self { folder, requests, made: Mutex::default() }
    }

    fn make(&self, model: &str) -> Result<ModelChoice, String> {
        let Some((provider, name)) = model.split_once('/') else {
            return Err(format!("`{model}` should have the form provider/name, such as scripted/FILE"));
        };
        let script = match provider {
            "scripted" if model == DEMO => scripted(demo::SCRIPT, model)?,
            "scripted" => scripted(&self.read(Path::new(name))?, model)?,
            "anthropic" | "openai" => {
                return Err(format!(
                    "this version cannot speak to `{provider}` yet; `forelook demo` needs no model"
                ));
            }
            _ => return Err(format!("there is no provider `{provider}`; known is scripted")),
        };
        let window = script.window();
        let provider = self.recorded(Arc::new(Scripted::new(script)));
        Ok(ModelChoice { name: name.to_owned(), provider, window })
    }

    fn recorded(&self, inner: Arc<dyn Provider>) -> Arc<dyn Provider> {
        match &self.requests {
            Some(path) => Arc::new(Recording { path: path.clone(), inner }),
            None => inner,
        }
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        let path = self.folder.join(path);
        std::fs::read_to_string(&path)
            .map_err(|error| format!("the script `{path}` could not be read: {error}"))
    }
}

fn scripted(text: &str, model: &str) -> Result<Script, String> {
    Script::parse(text).map_err(|error| format!("`{model}`: {error}"))
}

impl Models for KnownModels {
    fn find(&self, model: &str) -> Result<ModelChoice, String> {
        let mut made = self.made.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(choice) = made.get(model) {
            return Ok(choice.clone());
        }
        let choice = self.make(model)?;
        made.insert(model.to_owned(), choice.clone());
        Ok(choice)
    }
}
