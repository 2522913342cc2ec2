//! The events of a stream, as far as they are read.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::openai::{LenientText, nullable};

// One struct for all events, and not an enum by their type: that would take every event apart into values first.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: LenientText<'a>,
    #[serde(default)]
    pub(super) output_index: Option<u64>,
    #[serde(default)]
    pub(super) summary_index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) delta: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) arguments: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) item: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) response: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
pub(super) struct Item<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) id: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) call_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) name: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) arguments: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) phase: LenientText<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(super) content: Vec<Piece<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(super) summary: Vec<Piece<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Piece<'a> {
    #[serde(borrow, default)]
    pub(super) text: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) refusal: LenientText<'a>,
}

#[derive(Default, Deserialize)]
pub(super) struct Response<'a> {
    #[serde(borrow, default)]
    pub(super) id: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) model: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) incomplete_details: Option<Details<'a>>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(super) output: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Details<'a> {
    #[serde(borrow, default)]
    pub(super) reason: LenientText<'a>,
}
