//! Tells the calls of an answer apart, by what servers give to tell them by.

use forelook_protocol::{AnswerEvent, CallId};
use serde::de::IgnoredAny;

use super::wire::CallPiece;
use crate::openai::{BlockKind, Blocks};

/// A call while it arrives.
#[derive(Debug)]
struct PendingCall {
    key: u64,
    slot: u64,
    /// As the server gave it; empty where it gave none.
    id: String,
    name: String,
    json: String,
    /// It shows: name and id are settled. They are so once its input begins.
    shown: bool,
    ended: bool,
}

impl PendingCall {
    /// Whether its input is all there.
    fn is_complete(&self) -> bool {
        // The last byte first: for most pieces that is all there is to look at.
        self.json.trim_end().ends_with('}') && serde_json::from_str::<IgnoredAny>(&self.json).is_ok()
    }
}

/// Where a piece stood in its chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct PiecePosition {
    /// Its number in the list.
    pub(super) at: u64,
    /// It was the only one.
    pub(super) only: bool,
}

/// The calls of an answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    all: Vec<PendingCall>,
}

impl Calls {
    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        !self.all.is_empty()
    }

    /// Whether one of them has an input that breaks off.
    pub(super) fn any_truncated(&self) -> bool {
        self.all.iter().any(|call| !call.json.trim().is_empty() && !call.is_complete())
    }

    /// Which call this is a piece of; nothing, if it begins a new one.
    ///
    /// 1. With number and id: the call with both. A number with another id is another call: Ollama numbers all with 0.
    /// 2. With a number alone: the last call with it.
    /// 3. With an id alone: the last call with it.
    /// 4. With neither: by its place in the list, or, if it stands alone, the last call.
    ///
    /// But a name and an input after a call that is whole are a new call, whatever they are marked with: Gemini numbers
    /// all with 0 and gives no ids.
    pub(super) fn find(&self, piece: &CallPiece<'_>, position: PiecePosition) -> Option<usize> {
        let same_id = |call: &PendingCall| *call.id == *piece.id;
        let found = match (piece.index, piece.id.is_empty()) {
            (Some(slot), false) => {
                self.all.iter().rposition(|call| call.slot == slot && (same_id(call) || call.id.is_empty()))
            }
            (Some(slot), true) => self.all.iter().rposition(|call| call.slot == slot),
            (None, false) => self.all.iter().rposition(same_id),
            (None, true) if position.only => self.all.len().checked_sub(1),
            (None, true) => self.all.iter().rposition(|call| call.slot == position.at),
        }?;
        let call = self.all.get(found)?;
        // What cannot be a beginning is not worth a look at the whole input so far.
        let begins = !piece.function.name.is_empty() && piece.function.input().trim_start().starts_with('{');
        (!begins || !call.is_complete() || repeats(call, piece)).then_some(found)
    }

    /// A new call, which shows itself later.
    pub(super) fn begin(&mut self, key: u64, piece: &CallPiece<'_>, position: PiecePosition) -> usize {
        self.all.push(PendingCall {
            key,
            slot: piece.index.unwrap_or(position.at),
            id: String::new(),
            name: String::new(),
            json: String::new(),
            shown: false,
            ended: false,
        });
        self.all.len() - 1
    }

    /// Adds a piece to a call. `answer` is the server's id of the whole answer.
    pub(super) fn add(
        &mut self,
        at: usize,
        piece: &CallPiece<'_>,
        answer: &str,
        (blocks, out): (&mut Blocks, &mut Vec<AnswerEvent>),
    ) {
        let Some(call) = self.all.get_mut(at).filter(|call| !repeats(call, piece)) else { return };
        if call.id.is_empty() {
            call.id.push_str(&piece.id);
        }
        if !call.shown {
            join(&mut call.name, &piece.function.name);
        }
        let input = piece.function.input();
        if input.is_empty() {
            return;
        }
        self.show(at, answer, (blocks, out));
        if let Some(call) = self.all.get_mut(at) {
            if call.ended {
                return tracing::warn!(name = call.name, "more input for a complete call");
            }
            call.json.push_str(&input);
            blocks.add(call.key, &input, out);
        }
    }

    /// Shows a call and all before it.
    fn show(&mut self, at: usize, answer: &str, (blocks, out): (&mut Blocks, &mut Vec<AnswerEvent>)) {
        let first = self.all.iter().take_while(|call| call.shown).count();
        for at in first..=at {
            let id = CallId(self.id(at, answer));
            if let Some(call) = self.all.get_mut(at) {
                call.shown = true;
                blocks.open(call.key, BlockKind::Call { id, name: call.name.clone() }, out);
            }
        }
    }

    /// The server's id, or one that is made from the answer's where the server gave none. The session renames ids that
    /// were there before; that one came twice must not be hidden from it.
    fn id(&self, at: usize, answer: &str) -> String {
        let given = self.all.get(at).map_or("", |call| &call.id);
        if !given.is_empty() {
            return given.to_owned();
        }
        let letters: Vec<char> = answer.chars().filter(char::is_ascii_alphanumeric).collect();
        let tail: String = letters.iter().skip(letters.len().saturating_sub(24)).collect();
        let answer = if tail.is_empty() { "call".to_owned() } else { format!("call_{tail}") };
        format!("{answer}_{at}")
    }

    /// Something else begins: calls whose input is all there are at their end, so that they need not wait for it.
    pub(super) fn close_complete(&mut self, blocks: &mut Blocks, out: &mut Vec<AnswerEvent>) {
        for call in self.all.iter_mut().filter(|call| call.shown && !call.ended) {
            if call.is_complete() {
                call.ended = true;
                blocks.end(call.key, None, out);
            }
        }
    }

    /// All of them are at their end.
    pub(super) fn end(&mut self, answer: &str, (blocks, out): (&mut Blocks, &mut Vec<AnswerEvent>)) {
        if let Some(last) = self.all.len().checked_sub(1) {
            self.show(last, answer, (blocks, out));
        }
    }
}

/// Whether a piece only says again what a call is: some servers close with all calls once more.
fn repeats(call: &PendingCall, piece: &CallPiece<'_>) -> bool {
    !piece.id.is_empty()
        && *call.id == *piece.id
        && call.name == *piece.function.name
        && !call.json.is_empty()
        && call.json == *piece.function.input()
}

/// A name comes whole, or in pieces, or whole in every piece, or longer with every piece.
fn join(name: &mut String, piece: &str) {
    if piece.starts_with(name.as_str()) {
        name.clear();
    }
    name.push_str(piece);
}
