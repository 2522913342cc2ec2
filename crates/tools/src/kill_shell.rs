//! `KillShell`: ends a shell in the background.

use std::borrow::Cow;
use std::sync::Arc;

use forelook_protocol::{Action, Confinement, shorten};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::ToolContext;
use crate::shells::{ShellRegistry, ShellState};
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool};

/// Ends a shell in the background.
pub(crate) struct KillShell {
    pub(crate) shells: Arc<ShellRegistry>,
}

/// What is wanted.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The shell's id, such as `shell_1`.
    shell_id: String,
}

impl ToolMetadata for KillShell {
    type Input = Input;
    const NAME: &'static str = "KillShell";

    fn description(&self) -> Cow<'static, str> {
        "Stops a background shell of yours (Bash with `run_in_background`) and everything it started, and returns the \
         output since the last read. It gets SIGTERM first, and SIGKILL two seconds later. In plan mode it stops only \
         shells that you started while planning."
            .into()
    }
}

impl TypedTool for KillShell {
    /// Somebody else's is judged as strictly as one can be. Where there is none, nothing ends: the call may run, and says so.
    fn action(&self, input: &Input, place: &CallLocation) -> Result<Action, BadInput> {
        let sandbox = match self.shells.get(&input.shell_id, place.agent.as_ref()) {
            Ok(shell) => shell.sandbox,
            Err(_) if self.shells.find(&input.shell_id).is_some() => Confinement::Off,
            Err(_) => Confinement::ReadOnly,
        };
        Ok(Action::EndShell { shell: shorten(&input.shell_id, 100), sandbox })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        let shell = self.shells.get(&input.shell_id, cx.place.agent.as_ref()).map_err(ToolFailure::new)?;
        let was_running = shell.is_running();
        shell.end(ShellState::Killed);
        tokio::select! {
            () = shell.ended() => {}
            () = cx.cancel.cancelled() => {
                return Err(ToolFailure::new(format!("Interrupted; `{}` is still being stopped", shell.id)));
            }
        }
        let look = shell.read_new();
        let text = look.text.trim_end();
        let said = match (was_running, look.state) {
            (true, ShellState::Killed) => format!("`{}` and everything it started were stopped", shell.id),
            (_, state) => format!("`{}` had already ended: {}", shell.id, state.describe()),
        };
        Ok(ToolSuccess::new(if text.is_empty() { said } else { format!("{text}\n{said}") }))
    }
}
