//! Responses from models, and switches to another model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AnswerBlock, CallId, Cost, StopReason, Usage};

/// A response from the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelAnswered {
    /// The provider's ID of the message.
    pub message: String,
    /// The model that responded.
    pub model: String,
    /// The content of the response.
    pub blocks: Vec<AnswerBlock>,
    /// Calls that the model sent through the generic tool because their tools were not in its list. In `blocks` they
    /// appear as the calls they stand for; only the model sees them again the way it sent them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrapped: Vec<CallId>,
    /// Why the model stopped.
    pub stop: StopReason,
    /// The tokens it used.
    pub usage: Usage,
    /// The cost, if the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Milliseconds from the request to the end of the response.
    #[serde(default)]
    pub took_ms: u64,
}

/// What a question to the small model used. Its answer is in the result of the call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SmallModelAnswered {
    /// The call that asked the question.
    pub call: CallId,
    /// The model that responded.
    pub model: String,
    /// The tokens it used.
    pub usage: Usage,
    /// The cost, if the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Milliseconds from the request to the end of the response.
    #[serde(default)]
    pub took_ms: u64,
}

/// The session switched to another model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelChanged {
    /// The new model, as `provider/name`.
    pub model: String,
}
