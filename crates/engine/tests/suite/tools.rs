//! Tools that tests make: each shows one thing that no real tool does on purpose.

use std::sync::Arc;

use forelook_protocol::{Action, ToolOutcome, ToolResult, ToolSpec};
use forelook_tools::{
    BadInput, CallKind, CallLocation, ParsedCall, RunnableCall, Tool, ToolContext, Toolbox,
};
use futures::future::BoxFuture;
use serde_json::{Value, json};

type Run = Box<dyn Fn(Value, ToolContext) -> BoxFuture<'static, ToolOutcome> + Send + Sync>;

/// A tool made of one function.
pub(crate) struct Made {
    spec: ToolSpec,
    safe: bool,
    action: Box<dyn Fn() -> Action + Send + Sync>,
    run: Run,
}

impl Made {
    /// A tool that runs `run` for each call, by itself.
    pub(crate) fn new<F>(name: &str, run: impl Fn(Value, ToolContext) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ToolOutcome> + Send + 'static,
    {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            input_schema: json!({"type": "object", "properties": {}}),
        };
        let run: Run = Box::new(move |input, cx| Box::pin(run(input, cx)));
        Self { spec, safe: false, action: Box::new(|| Action::Internal), run }
    }

    /// Its calls may run together.
    pub(crate) fn safe(mut self) -> Self {
        self.safe = true;
        self
    }

    pub(crate) fn action(mut self, action: impl Fn() -> Action + Send + Sync + 'static) -> Self {
        self.action = Box::new(action);
        self
    }

    pub(crate) fn describing(mut self, words: &str) -> Self {
        self.spec.description = words.to_owned();
        self
    }
}

impl Tool for Made {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn parse(self: Arc<Self>, input: &Value) -> Result<ParsedCall, BadInput> {
        let concurrency_safe = self.safe;
        let call = MadeCall { made: self, input: input.clone() };
        Ok(ParsedCall { concurrency_safe, kind: CallKind::Tool(Arc::new(call)) })
    }
}

/// A call of such a tool: the input is whatever was sent.
struct MadeCall {
    made: Arc<Made>,
    input: Value,
}

impl RunnableCall for MadeCall {
    fn action(&self, _: &CallLocation) -> Result<Action, BadInput> {
        Ok((self.made.action)())
    }

    fn run(self: Arc<Self>, cx: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        (self.made.run)(self.input.clone(), cx)
    }
}

pub(crate) fn done(cx: &ToolContext, words: &str) -> ToolOutcome {
    ToolResult::ok(cx.call.clone(), words).into()
}

/// The tools that are built in, and these.
pub(crate) fn with(made: impl IntoIterator<Item = Made>) -> Toolbox {
    beside(&crate::common::tools(&[]), made)
}

/// These tools, and those.
pub(crate) fn beside(built: &Toolbox, made: impl IntoIterator<Item = Made>) -> Toolbox {
    let mut tools: Vec<Arc<dyn Tool>> =
        built.specs().iter().filter_map(|spec| built.get(&spec.name)).collect();
    tools.extend(made.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>));
    Toolbox::new(tools)
}
