//! One request, in our own words; each provider translates it to its wire.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use forelook_protocol::{Message, ToolSpec};
use serde::{Serialize, Serializer};

use crate::PreviousBody;

/// Everything a model is given for one answer.
///
/// All of it is shared, not copied: a long conversation costs a pointer a message, and what a provider makes of a
/// message is kept beside it.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// The model's name, without its provider.
    pub model: String,
    /// The system prompt, block by block; the same for a whole session, so that it can be cached.
    pub system: Arc<WireCached<Vec<String>>>,
    /// The tools on offer, always in the same order.
    pub tools: Arc<WireCached<Vec<ToolSpec>>>,
    /// The conversation; a request only ever appends to the one before.
    pub messages: Arc<Vec<Arc<WireCached<Message>>>>,
    /// How long the provider should remember what it has read.
    #[serde(skip)]
    pub cache_ttl: CacheTtl,
    /// What was sent for this conversation the last time.
    #[serde(skip)]
    pub previous_body: Arc<PreviousBody>,
}

/// How long a provider should keep in its cache what it has read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheTtl {
    /// Its usual time, some minutes: a conversation goes on soon.
    #[default]
    Short,
    /// An hour: what is asked now and then, such as the classifier of auto mode.
    OneHour,
}

/// The forms of wire that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireFormat {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    Responses,
    /// OpenAI Chat Completions, and what is compatible.
    Chat,
}

impl WireFormat {
    /// Its name, as sealed blocks carry it.
    pub fn name(self) -> &'static str {
        match self {
            WireFormat::Anthropic => "anthropic",
            WireFormat::Responses => "responses",
            WireFormat::Chat => "chat",
        }
    }
}

/// Something that is sent again and again, with the bytes that it is on each wire: they are made once.
#[derive(Debug, Default)]
pub struct WireCached<T> {
    value: T,
    wire: [OnceLock<Box<str>>; 3],
}

impl<T> WireCached<T> {
    /// Something new to send.
    pub fn new(value: T) -> Self {
        Self { value, wire: Default::default() }
    }

    /// Its bytes in this form, made by `make` the first time.
    pub fn wire(&self, wire_format: WireFormat, make: impl FnOnce(&T) -> String) -> &str {
        let [anthropic, responses, chat] = &self.wire;
        let cell = match wire_format {
            WireFormat::Anthropic => anthropic,
            WireFormat::Responses => responses,
            WireFormat::Chat => chat,
        };
        cell.get_or_init(|| make(&self.value).into_boxed_str())
    }
}

impl<T> Deref for WireCached<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> From<T> for WireCached<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: PartialEq> PartialEq for WireCached<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Serialize> Serialize for WireCached<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_made_once_for_each_form() {
        let kept = WireCached::new(7);
        assert_eq!(kept.wire(WireFormat::Chat, |it| format!("chat {it}")), "chat 7");
        assert_eq!(kept.wire(WireFormat::Chat, |_| unreachable!()), "chat 7");
        assert_eq!(kept.wire(WireFormat::Anthropic, |it| format!("other {it}")), "other 7");
    }
}
