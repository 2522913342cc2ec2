//! What makes a conversation shorter when it fills the model's context window.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, Cost, Origin, Usage};

/// Old results of calls were replaced by short notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResultsCleared {
    /// The results.
    pub results: Vec<ClearedResult>,
}

/// A result that the model no longer gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClearedResult {
    /// The call.
    pub call: CallId,
    /// What the model reads in its place.
    pub note: String,
}

/// The conversation was replaced by a summary. The journal keeps what was said before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compacted {
    /// Why it was compacted.
    pub trigger: CompactTrigger,
    /// What the user asked the summary to keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// The summary, in the model's words.
    pub summary: String,
    /// The newest prompts, which follow the summary word for word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<KeptPrompt>,
    /// How many tokens the conversation had before, as far as known.
    pub tokens: u64,
    /// The model that wrote the summary.
    pub model: String,
    /// The tokens it used.
    pub usage: Usage,
    /// The cost, if the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Milliseconds from the request to the end of the summary.
    #[serde(default)]
    pub took_ms: u64,
}

/// A prompt that follows a summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptPrompt {
    /// Where it came from.
    pub origin: Origin,
    /// Its text; of a very long one, its beginning and its end.
    pub text: String,
}

/// Why a conversation was compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompactTrigger {
    /// The user asked for it.
    Manual,
    /// It came near the limit of the model's context window.
    Auto,
    /// The provider said that the window is full.
    Overflow,
}
