//! What a host wants beside prompts.

use forelook_protocol::{Command, Mode, Refused, SessionPort};
use serde_json::{Value, json};

use super::out::Out;
use crate::wire::incoming::Control;
use crate::wire::outgoing;

/// Carries a request out and gives the answer. `first_model` is the one that the session began with.
pub(super) async fn carry_out(
    out: &mut Out,
    session: &dyn SessionPort,
    request: Control,
    first_model: &str,
) -> Result<Value, String> {
    let send = async |command| session.send(command).await.map(|()| json!({})).map_err(words);
    match request {
        Control::Initialize { hooks, agents } => {
            if hooks {
                out.warn("Hooks of the host are not called by this version; put them into the settings");
            }
            if let Some(agents) = agents {
                send(Command::DefineAgents(agents)).await?;
            }
            Ok(outgoing::greeting(hooks))
        }
        Control::Interrupt => send(Command::Interrupt).await,
        Control::SetMode(mode) => match mode.parse::<Mode>() {
            Ok(mode) => send(Command::SetMode(mode)).await,
            Err(unknown) => Err(unknown.to_string()),
        },
        Control::SetModel(model) => {
            send(Command::SetModel(model.unwrap_or_else(|| first_model.to_owned()))).await
        }
        Control::Unknown(subtype) => Err(format!("Control request `{subtype}` is not known")),
    }
}

fn words(refused: Refused) -> String {
    refused.to_string()
}
