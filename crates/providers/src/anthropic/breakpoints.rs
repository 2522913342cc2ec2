//! Where the server is asked to remember what it has read.
//!
//! A mark at a block makes it keep everything up to there, and look for what it has kept: at the block itself and at
//! the twenty before it. Four marks are allowed. One stands before the conversation; this is about the other three.

use std::sync::Arc;

use forelook_protocol::Message;

use super::message::accepts_breakpoint;
use crate::{CacheTtl, WireCached};

/// How a mark is written into a block, before its closing brace.
pub(super) fn text(cache_ttl: CacheTtl) -> &'static str {
    match cache_ttl {
        CacheTtl::Short => r#","cache_control":{"type":"ephemeral"}"#,
        CacheTtl::OneHour => r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#,
    }
}

/// The messages whose last block is marked:
///
/// - the last one, for the next request to find;
/// - what the request before this one ended with, so that its mark is found however much came since: sixty parallel
///   calls are more than twenty blocks. That is the message before the newest answer;
/// - the first message after that answer. A request may have ended there whose answer never came, and a long prompt
///   may have followed it.
pub(super) fn positions(messages: &[Arc<WireCached<Message>>]) -> [Option<usize>; 3] {
    let answer = messages.iter().rposition(|message| matches!(***message, Message::Assistant(_)));
    let previous = answer.and_then(|at| last(messages.get(..at)?));
    let results = answer.and_then(|at| last(messages.get(..=at + 1)?));
    [previous, results, last(messages)]
}

/// The same for a request and for the part of a later one that it was: both find the same message.
fn last(messages: &[Arc<WireCached<Message>>]) -> Option<usize> {
    messages.iter().rposition(|message| accepts_breakpoint(message))
}
