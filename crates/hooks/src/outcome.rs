//! The outcome of all hooks at one event.

use forelook_protocol::HookDecision;
use serde_json::Value;

/// What came of all hooks at one occasion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookOutcome {
    /// The strictest word, with the reasons of all that said it. `Ask` and `Allow` come at `PreToolUse` and
    /// `PermissionRequest` only; elsewhere `Deny` is a block, and [`crate::HookEvent`] says what that means.
    pub decision: Option<HookDecision>,
    /// The input that should take the place of the call's; never with `Deny`. It is validated and judged anew.
    pub updated_input: Option<Value>,
    /// What the model should know, in the order of the settings.
    pub context: Vec<String>,
    /// The agent must stop, and why. It comes before everything else: where it is set nothing runs,
    /// whatever `decision` holds.
    pub stop: Option<String>,
    /// What hooks have to say to the person.
    pub messages: Vec<String>,
    /// What went wrong with hooks, for the person: which one, where it stands, what happened, what to do.
    pub problems: Vec<String>,
}
