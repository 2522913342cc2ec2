//! Keeps the blocks of an answer apart, however their pieces are mixed on the wire.

use std::collections::VecDeque;

use forelook_protocol::{AnswerEvent, CallId};

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// Words.
    Text,
    /// Thinking.
    Thinking,
    /// A call.
    Call {
        /// Its id.
        id: CallId,
        /// The tool's name.
        name: String,
    },
}

impl BlockKind {
    fn start(&self) -> AnswerEvent {
        match self {
            BlockKind::Text => AnswerEvent::TextStarted,
            BlockKind::Thinking => AnswerEvent::ThinkingStarted,
            BlockKind::Call { id, name } => AnswerEvent::CallStarted { id: id.clone(), name: name.clone() },
        }
    }

    fn piece(&self, text: String) -> AnswerEvent {
        match self {
            BlockKind::Text => AnswerEvent::Text { text },
            BlockKind::Thinking => AnswerEvent::Thinking { text },
            BlockKind::Call { .. } => AnswerEvent::Input { json: text },
        }
    }
}

#[derive(Debug)]
struct Block {
    key: u64,
    kind: BlockKind,
    begun: bool,
    ended: bool,
    /// Arrived while an earlier block was open.
    waiting: String,
    /// How many bytes have arrived in all.
    size: usize,
    after: Option<AnswerEvent>,
}

/// The open blocks of an answer, in the order in which they were opened. The pieces of the first one go out at once;
/// those of the others wait until it has ended: what hears an answer knows one open block only.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    open: VecDeque<Block>,
}

impl Blocks {
    /// Opens a block. One of words or thinking shows only once something is in it.
    pub(crate) fn open(&mut self, key: u64, kind: BlockKind, out: &mut Vec<AnswerEvent>) {
        let (waiting, size) = (String::new(), 0);
        self.open.push_back(Block { key, kind, begun: false, ended: false, waiting, size, after: None });
        self.flow(out);
    }

    /// How many bytes have arrived for this block, if it is open.
    pub(crate) fn size(&self, key: u64) -> Option<usize> {
        self.open.iter().find(|block| block.key == key && !block.ended).map(|block| block.size)
    }

    /// Adds to an open block.
    pub(crate) fn add(&mut self, key: u64, piece: &str, out: &mut Vec<AnswerEvent>) {
        let Some(at) = self.open.iter().position(|block| block.key == key && !block.ended) else {
            return tracing::warn!(key, "a delta for a block that is not open");
        };
        let Some(block) = self.open.get_mut(at).filter(|_| !piece.is_empty()) else { return };
        block.size += piece.len();
        if at > 0 {
            return block.waiting.push_str(piece);
        }
        if !std::mem::replace(&mut block.begun, true) {
            out.push(block.kind.start());
        }
        out.push(block.kind.piece(piece.to_owned()));
    }

    /// Ends a block; `after` follows it, in its place.
    pub(crate) fn end(&mut self, key: u64, after: Option<AnswerEvent>, out: &mut Vec<AnswerEvent>) {
        if let Some(block) = self.open.iter_mut().find(|block| block.key == key && !block.ended) {
            (block.ended, block.after) = (true, after);
        }
        self.flow(out);
    }

    /// Ends all of them.
    pub(crate) fn end_all(&mut self, out: &mut Vec<AnswerEvent>) {
        self.open.iter_mut().for_each(|block| block.ended = true);
        self.flow(out);
    }

    /// Lets out whatever need not wait.
    fn flow(&mut self, out: &mut Vec<AnswerEvent>) {
        while let Some(block) = self.open.front_mut() {
            let shows = matches!(block.kind, BlockKind::Call { .. }) || !block.waiting.is_empty();
            if shows && !std::mem::replace(&mut block.begun, true) {
                out.push(block.kind.start());
            }
            if !block.waiting.is_empty() {
                out.push(block.kind.piece(std::mem::take(&mut block.waiting)));
            }
            if !block.ended {
                return;
            }
            out.extend(block.begun.then_some(AnswerEvent::BlockEnded));
            out.extend(block.after.take());
            self.open.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> BlockKind {
        BlockKind::Call { id: CallId(id.to_owned()), name: "Read".to_owned() }
    }

    fn input(json: &str) -> AnswerEvent {
        AnswerEvent::Input { json: json.to_owned() }
    }

    #[test]
    fn a_later_block_waits_for_the_earlier_one() {
        let (mut blocks, mut out) = (Blocks::default(), Vec::new());
        blocks.open(1, call("a"), &mut out);
        blocks.open(2, call("b"), &mut out);
        blocks.add(1, "1", &mut out);
        blocks.add(2, "2", &mut out);
        blocks.add(1, "1", &mut out);
        blocks.end(2, None, &mut out);
        assert_eq!(out, [call("a").start(), input("1"), input("1")]);
        out.clear();
        blocks.end(1, None, &mut out);
        assert_eq!(out, [AnswerEvent::BlockEnded, call("b").start(), input("2"), AnswerEvent::BlockEnded]);
    }

    #[test]
    fn a_block_of_no_words_does_not_show() {
        let (mut blocks, mut out) = (Blocks::default(), Vec::new());
        blocks.open(1, BlockKind::Thinking, &mut out);
        blocks.open(2, BlockKind::Text, &mut out);
        blocks.add(2, "hello", &mut out);
        assert_eq!(out, []);
        blocks.end_all(&mut out);
        let hello = AnswerEvent::Text { text: "hello".to_owned() };
        assert_eq!(out, [AnswerEvent::TextStarted, hello, AnswerEvent::BlockEnded]);
    }
}
