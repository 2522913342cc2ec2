//! What a host wants beside prompts.

use forelook_protocol::{Command, CommandError, HostHook, Mode, ModelInfo, Query, Reply, SessionPort};
use serde_json::{Value, json};

use super::host::HostChannel;
use super::out::PrintOutput;
use crate::wire::hooks::{self, HookDefinitions};
use crate::wire::incoming::Control;
use crate::wire::{models, outgoing};

/// What is remembered of models.
pub(super) struct Models {
    /// The one that the session began with.
    pub(super) first: String,
    /// Those that there are, once a host has asked: what is not asked for costs no time.
    pub(super) known: Vec<ModelInfo>,
}

impl Models {
    async fn ask(&mut self, session: &dyn SessionPort) -> Result<&[ModelInfo], String> {
        match session.query(Query::Models).await {
            Ok(Reply::Models(models)) => self.known = models,
            Ok(_) => {}
            Err(refused) => return Err(words(refused)),
        }
        Ok(&self.known)
    }
}

/// Carries a request out and gives the answer.
pub(super) async fn run_control(
    out: &mut PrintOutput,
    session: &dyn SessionPort,
    (host, models): (&HostChannel, &mut Models),
    request: Control,
) -> Result<Value, String> {
    let send = async |command| session.send(command).await.map(|_| json!({})).map_err(words);
    match request {
        Control::Initialize { hooks, agents } => {
            let hooks = defined(out, host, hooks)?;
            if !hooks.is_empty() {
                send(Command::DefineHooks(hooks)).await?;
            }
            if let Some(agents) = agents {
                send(Command::DefineAgents(agents)).await?;
            }
            Ok(outgoing::greeting(models.ask(session).await?))
        }
        Control::Interrupt => send(Command::Interrupt).await,
        Control::SetMode(mode) => match mode.parse::<Mode>() {
            Ok(mode) => send(Command::SetMode(mode)).await,
            Err(unknown) => Err(unknown.to_string()),
        },
        Control::SetModel(model) => {
            send(Command::SetModel(model.unwrap_or_else(|| models.first.clone()))).await
        }
        Control::ListModels => Ok(json!({"models": models::choices(models.ask(session).await?)})),
        Control::Unknown(subtype) => Err(format!("Unknown control request `{subtype}`")),
    }
}

/// The hooks that a host defines.
fn defined(out: &mut PrintOutput, host: &HostChannel, hooks: Value) -> Result<Vec<HostHook>, String> {
    let HookDefinitions { hooks, unknown } = hooks::read(hooks)?;
    for event in unknown {
        out.complain(&format!("The host's hooks for `{}` will never run: there is no such event", event.0));
    }
    // One that could not be called would be relied on all the same.
    match hooks.is_empty() || host.takes_hooks() {
        true => Ok(hooks),
        false => Err("Hooks need `--output-format stream-json`".to_owned()),
    }
}

fn words(refused: CommandError) -> String {
    refused.to_string()
}
