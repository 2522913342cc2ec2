//! The chunks of a stream, as far as they are read.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::openai::{LenientText, nullable};

#[derive(Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) id: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) model: LenientText<'a>,
    /// The type of the whole, which is how old vLLM marks an error.
    #[serde(borrow, default)]
    pub(super) object: LenientText<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(super) choices: Vec<Choice<'a>>,
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
    /// Where Groq puts its count of tokens.
    #[serde(borrow, default)]
    pub(super) x_groq: Option<Groq<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Groq<'a> {
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(super) delta: Delta<'a>,
    #[serde(borrow, default)]
    pub(super) finish_reason: LenientText<'a>,
    /// Where Moonshot puts its count of tokens.
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) content: Content<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) refusal: LenientText<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(super) tool_calls: Vec<CallPiece<'a>>,
    /// What calls were before there could be more than one.
    #[serde(borrow, default)]
    pub(super) function_call: Option<FunctionPiece<'a>>,
}

#[derive(Default, Deserialize)]
pub(super) struct CallPiece<'a> {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) id: LenientText<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(super) function: FunctionPiece<'a>,
}

impl CallPiece<'_> {
    /// Neither a name nor an input nor an id.
    pub(super) fn is_empty(&self) -> bool {
        self.id.is_empty() && self.function.name.is_empty() && self.function.input().trim().is_empty()
    }
}

#[derive(Clone, Default, Deserialize)]
pub(super) struct FunctionPiece<'a> {
    #[serde(borrow, default)]
    pub(super) name: LenientText<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

impl<'a> FunctionPiece<'a> {
    /// The piece of JSON text that this adds. Some servers send the input itself and not its text.
    pub(super) fn input(&self) -> Cow<'a, str> {
        match self.arguments.map(RawValue::get) {
            Some(text) if text.starts_with('"') => {
                serde_json::from_str::<LenientText<'a>>(text).map(|text| text.0).unwrap_or_default()
            }
            Some(json) => Cow::Borrowed(json),
            None => Cow::Borrowed(""),
        }
    }
}

/// Words: a plain text nearly always, and Mistral's list of thinking and words.
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Pieces(Vec<ContentPiece<'a>>),
}

#[derive(Default, Deserialize)]
pub(super) struct ContentPiece<'a> {
    #[serde(borrow, default)]
    pub(super) text: LenientText<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(super) thinking: Content<'a>,
}

impl Default for Content<'_> {
    fn default() -> Self {
        Content::Text(Cow::Borrowed(""))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Content::Pieces)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        ContentPiece::deserialize(MapAccessDeserializer::new(map)).map(|piece| Content::Pieces(vec![piece]))
    }
}
