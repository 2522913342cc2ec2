//! Tools that tests make: each shows one thing that no real tool does on purpose.

use std::sync::Arc;

use forelook_protocol::{Action, ChangePreview, ToolOutcome, ToolResult, ToolSpec};
use forelook_tools::{
    BadInput, CallKind, CallLocation, ParsedCall, PreviewContext, RunnableCall, Tool, ToolContext, Toolbox,
};
use futures::future::BoxFuture;
use serde_json::{Value, json};

/// What a look ahead finds.
pub(crate) type Preview = Result<Option<ChangePreview>, String>;

type Look = Box<dyn Fn() -> BoxFuture<'static, Preview> + Send + Sync>;
type Run = Box<dyn Fn(Value, ToolContext) -> BoxFuture<'static, ToolOutcome> + Send + Sync>;

/// A tool made of one function.
pub(crate) struct Made {
    spec: ToolSpec,
    safe: bool,
    action: Box<dyn Fn() -> Action + Send + Sync>,
    look: Look,
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
        let look: Look = Box::new(|| Box::pin(async { Ok(None) }));
        Self { spec, safe: false, action: Box::new(|| Action::Internal), look, run }
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

    /// This is found where somebody would be asked about a call.
    pub(crate) fn looking_ahead<F>(mut self, look: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Preview> + Send + 'static,
    {
        self.look = Box::new(move || Box::pin(look()));
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

    fn preview(self: Arc<Self>, _: PreviewContext) -> BoxFuture<'static, Preview> {
        (self.made.look)()
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
