//! Tools with a typed input, and what makes a [`Tool`](crate::Tool) of each.

mod adapter;
mod parse;
mod schema;

use std::borrow::Cow;
use std::future::Future;

use forelook_protocol::{Action, CallId, ChangePreview, ResultBlock, SessionEffect, ToolOutcome, ToolResult};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use self::adapter::{Adapter, EngineAdapter};
use crate::call::{CallKind, PreviewContext};
use crate::context::ToolContext;
use crate::output::shorten;
use crate::tool::{BadInput, CallLocation};

/// Characters of what is told about a bad input.
const MAX_BAD: usize = 2000;

/// What the model is told of a tool, and what the tool takes.
pub(crate) trait ToolMetadata: Send + Sync + 'static {
    /// Its input. Unknown fields must be denied: a field that is passed over in silence misleads the model.
    type Input: DeserializeOwned + JsonSchema + 'static;
    /// Its name, as models know it.
    const NAME: &'static str;
    /// Words to search by, if its schema may be held back.
    const DEFERRED: Option<&'static str> = None;
    /// Whether calls may run beside others.
    const CONCURRENCY_SAFE: bool = false;

    /// When and how to use it.
    fn description(&self) -> Cow<'static, str>;

    /// What to say of an input before its type does, where the type's own words would mislead.
    fn check_fields(&self, input: &Map<String, Value>) -> Result<(), BadInput> {
        let _ = input;
        Ok(())
    }

    /// What the type cannot say: ranges, lengths, counts.
    fn check(&self, input: &Self::Input) -> Result<(), BadInput> {
        let _ = input;
        Ok(())
    }
}

/// A tool that carries out its calls itself.
pub(crate) trait TypedTool: ToolMetadata<Input: Clone + Send + Sync> {
    /// What it would do.
    fn action(&self, input: &Self::Input, place: &CallLocation) -> Result<Action, BadInput>;

    /// What it would change in a file, or why it is bound to fail; see [`crate::RunnableCall::preview`].
    fn preview(
        &self,
        input: Self::Input,
        cx: PreviewContext,
    ) -> impl Future<Output = Result<Option<ChangePreview>, ToolFailure>> + Send {
        drop((input, cx));
        async { Ok(None) }
    }

    /// Does it.
    fn run(
        &self,
        input: Self::Input,
        cx: ToolContext,
    ) -> impl Future<Output = Result<ToolSuccess, ToolFailure>> + Send;
}

/// A tool whose calls the engine answers: they are about the session itself, which no tool holds.
pub(crate) trait EngineTool: ToolMetadata {
    /// What is asked of the engine. It may still refuse the input, so that nothing that is looked up for the call has to be
    /// looked up by a check before.
    fn call(&self, input: Self::Input) -> Result<CallKind, BadInput>;
}

/// What a call came to, before it has its call's id.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolSuccess {
    /// May be empty if there are pictures.
    pub(crate) text: String,
    /// What is shown after the text.
    pub(crate) pictures: Vec<Picture>,
    pub(crate) effects: Vec<SessionEffect>,
    /// The result in fields, for programs that watch.
    pub(crate) output: Option<Value>,
}

/// A picture for the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picture {
    /// Such as `image/png`.
    pub(crate) media_type: String,
    /// Base64.
    pub(crate) data: String,
}

impl ToolSuccess {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), pictures: Vec::new(), effects: Vec::new(), output: None }
    }

    pub(crate) fn with(mut self, effect: SessionEffect) -> Self {
        self.effects.push(effect);
        self
    }

    pub(crate) fn output(self, output: Value) -> Self {
        Self { output: Some(output), ..self }
    }

    /// The same as what came of this call.
    pub(crate) fn outcome(self, call: CallId) -> ToolOutcome {
        let Self { text, pictures, effects, output } = self;
        let words = (!text.is_empty() || pictures.is_empty()).then_some(ResultBlock::Text { text });
        let pictures =
            pictures.into_iter().map(|it| ResultBlock::Image { media_type: it.media_type, data: it.data });
        let content = words.into_iter().chain(pictures).collect();
        ToolOutcome { result: ToolResult { call, content, is_error: false }, effects, output }
    }
}

/// A failed call: words for the model, and what changed nevertheless.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolFailure {
    pub(crate) text: String,
    pub(crate) effects: Vec<SessionEffect>,
    /// The result in fields, for programs that watch.
    pub(crate) output: Option<Value>,
}

impl ToolFailure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), effects: Vec::new(), output: None }
    }

    pub(crate) fn output(self, output: Option<Value>) -> Self {
        Self { output, ..self }
    }

    /// The turn was interrupted before anything was done.
    pub(crate) fn interrupted() -> Self {
        Self::new("Interrupted before anything was done")
    }

    /// The same as what came of this call.
    pub(crate) fn outcome(self, call: CallId) -> ToolOutcome {
        let Self { text, effects, output } = self;
        ToolOutcome { result: ToolResult::error(call, text), effects, output }
    }
}

impl From<BadInput> for ToolFailure {
    fn from(bad: BadInput) -> Self {
        Self::new(shorten(&bad.0, MAX_BAD))
    }
}

/// Runs blocking work beside the runtime. An error of the task itself (a panic) is a failure like any.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        Err(ToolFailure::new("Failed inside Forelook; check the file before you try again"))
    })
}
