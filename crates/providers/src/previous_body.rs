//! The body of a conversation's last request: the next one is the same but for its end, and so is built upon it.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use forelook_protocol::Message;

use crate::{ModelFacts, WireCached, WireFormat};

/// The body of a conversation's last request.
///
/// Were each body put together from the bytes of all messages, half a megabyte would take about as long to copy as the
/// kernel takes to send it. To send the messages' own bytes, one after the other, would take a hundred system calls.
#[derive(Debug, Default)]
pub struct PreviousBody(Mutex<Option<SentBody>>);

#[derive(Debug)]
struct SentBody {
    wire_format: WireFormat,
    facts: ModelFacts,
    /// Nobody else holds it once the request is over, so that it can be had back without a copy.
    bytes: Bytes,
    /// The part before the conversation.
    head: usize,
    /// Messages whose bytes stay as they are, and where each ends.
    stable: StablePrefix,
}

/// What a body is made of.
pub(crate) struct BodyParts<'a, Piece> {
    pub(crate) wire_format: WireFormat,
    pub(crate) facts: &'a ModelFacts,
    /// Everything before the first message; ends with what opens the list, or with an item of it.
    pub(crate) head: String,
    pub(crate) messages: &'a [Arc<WireCached<Message>>],
    /// How many of them will be the same bytes in the next request.
    pub(crate) stable: usize,
    /// The bytes of the message with this number; none where it is left out.
    pub(crate) piece: Piece,
}

/// What stands after the last message.
const END: &[u8] = b"]}";

impl PreviousBody {
    /// The body that these parts make, which becomes the former one.
    pub(crate) fn next<'a, Piece>(&self, parts: BodyParts<'a, Piece>) -> Bytes
    where
        Piece: Fn(usize, &'a WireCached<Message>) -> Cow<'a, str>,
    {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut body, mut stable) = reuse_prefix(place.take(), &parts);
        let head = parts.head.len();
        for (at, message) in parts.messages.iter().enumerate().skip(stable.len()) {
            let piece = (parts.piece)(at, message);
            if !piece.is_empty() {
                if body.last() != Some(&b'[') {
                    body.extend_from_slice(b",");
                }
                body.extend_from_slice(piece.as_bytes());
            }
            if at < parts.stable {
                stable.push((Arc::clone(message), body.len()));
            }
        }
        body.extend_from_slice(END);
        let bytes = body.freeze();
        let (wire_format, facts) = (parts.wire_format, parts.facts.clone());
        *place = Some(SentBody { wire_format, facts, bytes: bytes.clone(), head, stable });
        bytes
    }
}

/// Messages whose bytes will stay, each with where it ends in the body.
type StablePrefix = Vec<(Arc<WireCached<Message>>, usize)>;

/// As much of the new body as the former one has, and the messages in it.
fn reuse_prefix<Piece>(
    previous_body: Option<SentBody>,
    parts: &BodyParts<'_, Piece>,
) -> (BytesMut, StablePrefix) {
    let of_use = |sent: &SentBody| {
        sent.wire_format == parts.wire_format
            && sent.facts == *parts.facts
            && sent.bytes.get(..sent.head) == Some(parts.head.as_bytes())
    };
    let Some(mut sent) = previous_body.filter(of_use) else {
        return (BytesMut::from(parts.head.as_bytes()), Vec::new());
    };
    let wanted = parts.messages.iter().take(parts.stable);
    let same = sent.stable.iter().zip(wanted).take_while(|((had, _), now)| Arc::ptr_eq(had, now)).count();
    sent.stable.truncate(same);
    let end = sent.stable.last().map_or(sent.head, |(_, end)| *end);
    let body = match sent.bytes.try_into_mut() {
        Ok(mut body) => {
            body.truncate(end);
            body
        }
        // A request is still under way with it: two that were asked at once.
        Err(bytes) => BytesMut::from(bytes.get(..end).unwrap_or_default()),
    };
    (body, sent.stable)
}

#[cfg(test)]
mod tests {
    use forelook_protocol::UserBlock;
    use proptest::prelude::*;

    use super::*;

    type Messages = Vec<Arc<WireCached<Message>>>;

    fn message(text: &str) -> Arc<WireCached<Message>> {
        Arc::new(WireCached::new(Message::User(vec![UserBlock::text(text)])))
    }

    fn text(message: &WireCached<Message>) -> String {
        let Message::User(blocks) = &**message else { unreachable!() };
        let UserBlock::Text { text } = &blocks[0] else { unreachable!() };
        text.clone()
    }

    /// The last two are written otherwise, as messages with marks are.
    fn asked(previous_body: &PreviousBody, head: &str, messages: &Messages) -> Bytes {
        let stable = messages.len().saturating_sub(2);
        let piece = |at: usize, message: &WireCached<Message>| {
            Cow::Owned(if at < stable { text(message) } else { format!("<{}>", text(message)) })
        };
        let facts = ModelFacts::default();
        let head = head.to_owned();
        previous_body.next(BodyParts {
            wire_format: WireFormat::Chat,
            facts: &facts,
            head,
            messages,
            stable,
            piece,
        })
    }

    #[derive(Debug, Clone)]
    enum Change {
        Push(String),
        Cut(usize),
        Replace(usize, String),
        Head(&'static str),
        Hold,
    }

    fn changes() -> impl Strategy<Value = Vec<Change>> {
        let change = prop_oneof![
            8 => "[a-c]{0,3}".prop_map(Change::Push),
            1 => (0usize..20).prop_map(Change::Cut),
            1 => (0usize..20, "[a-c]{1,3}").prop_map(|(at, text)| Change::Replace(at, text)),
            1 => prop_oneof![Just("{\"a\":["), Just("{\"bc\":[")].prop_map(Change::Head),
            1 => Just(Change::Hold),
        ];
        prop::collection::vec(change, 1..40)
    }

    proptest! {
        #[test]
        fn a_body_is_the_same_as_one_made_from_nothing(changes in changes()) {
            let (previous_body, mut messages, mut head, mut held) = (PreviousBody::default(), Messages::new(), "{[", None);
            for change in changes {
                match change {
                    Change::Push(text) => messages.push(message(&text)),
                    Change::Cut(at) => messages.truncate(at),
                    Change::Replace(at, text) => {
                        if let Some(place) = messages.get_mut(at) {
                            *place = message(&text);
                        }
                    }
                    Change::Head(other) => head = other,
                    Change::Hold => held = Some(asked(&previous_body, head, &messages)),
                }
                let before = held.as_ref().map(|it: &Bytes| it.to_vec());
                let anew = asked(&PreviousBody::default(), head, &messages);
                prop_assert_eq!(asked(&previous_body, head, &messages), anew);
                prop_assert_eq!(held.as_ref().map(|it: &Bytes| it.to_vec()), before);
            }
        }
    }

    #[test]
    fn the_memory_of_the_former_body_is_had_back() {
        let (previous_body, mut messages) = (PreviousBody::default(), vec![message(&"a".repeat(1000)); 40]);
        let mut places = std::collections::HashSet::new();
        for number in 0..100 {
            messages.push(message(&number.to_string()));
            places.insert(asked(&previous_body, "[", &messages).as_ptr());
        }
        // It grows now and then, and is not copied each time.
        assert!(places.len() < 5, "{}", places.len());
    }

    #[test]
    fn what_is_settled_is_not_asked_for_again() {
        let (previous_body, facts) = (PreviousBody::default(), ModelFacts::default());
        let messages: Messages = (0..10).map(|number| message(&number.to_string())).collect();
        for until in 1..=messages.len() {
            let piece = |at: usize, it: &WireCached<Message>| {
                assert!(at + 2 >= until, "message {at} of {until} was made again");
                Cow::Owned(text(it))
            };
            let (messages, stable) = (&messages[..until], until - 1);
            previous_body.next(BodyParts {
                wire_format: WireFormat::Chat,
                facts: &facts,
                head: "[".into(),
                messages,
                stable,
                piece,
            });
        }
    }
}
