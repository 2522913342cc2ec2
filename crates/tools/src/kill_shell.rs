//! `KillShell`: ends a shell in the background.

use std::borrow::Cow;
use std::sync::Arc;

use forelook_protocol::Action;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::ToolContext;
use crate::shells::{Shells, State};
use crate::tool::{BadInput, Place};
use crate::typed::{Described, Done, Failure, TypedTool};

/// Ends a shell in the background.
pub(crate) struct KillShell {
    pub(crate) shells: Arc<Shells>,
}

/// What is wanted.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The shell, such as `shell_1`.
    shell_id: String,
}

impl Described for KillShell {
    type Input = Input;
    const NAME: &'static str = "KillShell";

    fn description(&self) -> Cow<'static, str> {
        "Ends a shell in the background (Bash with `run_in_background`) and everything it started, and gives what it \
        wrote since the last look. It is asked first and killed two seconds later."
            .into()
    }
}

impl TypedTool for KillShell {
    fn action(&self, _: &Input, _: &Place) -> Result<Action, BadInput> {
        Ok(Action::Internal)
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        let shell = self.shells.get(&input.shell_id).map_err(Failure::new)?;
        let was_running = shell.is_running();
        shell.end();
        tokio::select! {
            () = shell.ended() => {}
            () = cx.cancel.cancelled() => {
                return Err(Failure::new(format!("Interrupted; `{}` is being ended all the same", shell.id)));
            }
        }
        let look = shell.look();
        let text = look.text.trim_end();
        let said = match (was_running, look.state) {
            (true, State::Killed) => format!("`{}` and everything it started were ended", shell.id),
            (_, state) => format!("`{}` was over already: {}", shell.id, state.words()),
        };
        Ok(Done::new(if text.is_empty() { said } else { format!("{text}\n{said}") }))
    }
}
