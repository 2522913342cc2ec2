//! What makes a [`Tool`] of a typed one.

use std::sync::Arc;

use forelook_protocol::{Action, ChangePreview, ToolOutcome, ToolSpec};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::parse::parse;
use super::schema::schema;
use super::{EngineTool, MAX_BAD, ToolFailure, ToolMetadata, TypedTool};
use crate::call::{CallKind, ParsedCall, PreviewContext, RunnableCall};
use crate::context::ToolContext;
use crate::output::shorten;
use crate::tool::{BadInput, CallLocation, Tool};

/// A typed tool as a [`Tool`].
pub(crate) struct Adapter<T> {
    tool: Arc<T>,
    spec: ToolSpec,
}

impl<T: TypedTool> Adapter<T> {
    pub(crate) fn new(tool: T) -> Self {
        Self { spec: spec(&tool), tool: Arc::new(tool) }
    }
}

impl<T: TypedTool> Tool for Adapter<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn deferred(&self) -> Option<&str> {
        T::DEFERRED
    }

    fn parse(self: Arc<Self>, input: &Value) -> Result<ParsedCall, BadInput> {
        let input = parse(&*self.tool, &self.spec, input)?;
        let call = TypedCall { tool: Arc::clone(&self.tool), input };
        Ok(ParsedCall { concurrency_safe: T::CONCURRENCY_SAFE, kind: CallKind::Tool(Arc::new(call)) })
    }
}

/// A tool that the engine answers for, as a [`Tool`].
pub(crate) struct EngineAdapter<T> {
    tool: T,
    spec: ToolSpec,
}

impl<T: EngineTool> EngineAdapter<T> {
    pub(crate) fn new(tool: T) -> Self {
        Self { spec: spec(&tool), tool }
    }
}

impl<T: EngineTool> Tool for EngineAdapter<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn deferred(&self) -> Option<&str> {
        T::DEFERRED
    }

    fn parse(self: Arc<Self>, input: &Value) -> Result<ParsedCall, BadInput> {
        let kind = self.tool.call(parse(&self.tool, &self.spec, input)?)?;
        Ok(ParsedCall { concurrency_safe: T::CONCURRENCY_SAFE, kind })
    }
}

fn spec<T: ToolMetadata>(tool: &T) -> ToolSpec {
    ToolSpec {
        name: T::NAME.to_owned(),
        description: tool.description().into_owned(),
        input_schema: schema::<T::Input>(),
    }
}

/// A call of a typed tool.
struct TypedCall<T: TypedTool> {
    tool: Arc<T>,
    input: T::Input,
}

// Not derived: that would ask for tools that can be cloned.
impl<T: TypedTool> Clone for TypedCall<T> {
    fn clone(&self) -> Self {
        Self { tool: Arc::clone(&self.tool), input: self.input.clone() }
    }
}

impl<T: TypedTool> RunnableCall for TypedCall<T> {
    fn action(&self, place: &CallLocation) -> Result<Action, BadInput> {
        self.tool.action(&self.input, place).map_err(|bad| BadInput(shorten(&bad.0, MAX_BAD)))
    }

    fn preview(
        self: Arc<Self>,
        cx: PreviewContext,
    ) -> BoxFuture<'static, Result<Option<ChangePreview>, String>> {
        async move {
            let Self { tool, input } = Arc::unwrap_or_clone(self);
            tool.preview(input, cx).await.map_err(|failure| failure.text)
        }
        .boxed()
    }

    fn run(self: Arc<Self>, cx: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        async move {
            let call = cx.call.clone();
            if cx.cancel.is_cancelled() {
                return ToolFailure::interrupted().outcome(call);
            }
            let Self { tool, input } = Arc::unwrap_or_clone(self);
            match tool.run(input, cx).await {
                Ok(done) => done.outcome(call),
                Err(failure) => failure.outcome(call),
            }
        }
        .boxed()
    }
}
