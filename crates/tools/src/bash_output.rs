//! `BashOutput`: what a shell in the background wrote.

use std::borrow::Cow;

use forelook_protocol::Action;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::tool::{BadInput, Place, ToolContext};
use crate::typed::{Done, Failure, TypedTool};

/// What a shell in the background wrote.
pub(crate) struct BashOutput;

/// What is wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The shell.
    bash_id: String,
}

impl TypedTool for BashOutput {
    type Input = Input;
    const NAME: &'static str = "BashOutput";

    fn description(&self) -> Cow<'static, str> {
        "".into()
    }

    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        let _ = (input, place);
        Ok(Action::Internal)
    }

    async fn run(&self, _: Input, _: ToolContext) -> Result<Done, Failure> {
        Err(Failure::new("Not here yet"))
    }
}
