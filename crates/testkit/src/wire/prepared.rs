//! Answers that are made in advance, for measurements: no request is read further than needed to know which is due.

use std::sync::OnceLock;

use bytes::Bytes;
use forelook_protocol::{AnswerEvent, CallId, StopReason, Usage};
use forelook_providers::Form;
use serde_json::json;

use super::encode::{self, Wanted};

/// What is played.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    /// By form, the answers; each piece is an event.
    answers: [OnceLock<Vec<Vec<Bytes>>>; 3],
}

#[derive(Debug)]
enum Plan {
    Reads(Reads),
    Texts(Texts),
}

/// So many calls of Read, one an answer, and then an end.
#[derive(Debug, Clone)]
pub struct Reads {
    /// How many.
    pub calls: usize,
    /// The file that is read.
    pub file: String,
}

/// One answer of words.
#[derive(Debug, Clone, Copy)]
pub struct Texts {
    /// In how many pieces.
    pub deltas: usize,
    /// How many bytes in all.
    pub bytes: usize,
}

/// What the ids of calls begin with; nothing else in a conversation does.
const MARK: &str = "call_bench_";

impl From<Reads> for Prepared {
    fn from(reads: Reads) -> Self {
        Self { plan: Plan::Reads(reads), answers: Default::default() }
    }
}

impl From<Texts> for Prepared {
    fn from(texts: Texts) -> Self {
        Self { plan: Plan::Texts(texts), answers: Default::default() }
    }
}

impl Prepared {
    /// The answer that is due after this request, event by event.
    pub(super) fn answer(&self, form: Form, body: &[u8]) -> &[Bytes] {
        let answers = self.answers(form);
        // The newest call stands near the end, so this is quick however long the conversation is.
        let newest = body.windows(MARK.len()).rposition(|it| it == MARK.as_bytes());
        let digits = newest.and_then(|at| body.get(at + MARK.len()..at + MARK.len() + 6));
        let number = digits.and_then(|it| std::str::from_utf8(it).ok()?.parse::<usize>().ok());
        let due = number.map_or(0, |number| number + 1);
        answers.get(due.min(answers.len() - 1)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Makes the answers of this form, if they are not there yet.
    pub(super) fn answers(&self, form: Form) -> &Vec<Vec<Bytes>> {
        let [anthropic, responses, chat] = &self.answers;
        let cell = match form {
            Form::Anthropic => anthropic,
            Form::Responses => responses,
            Form::Chat => chat,
        };
        cell.get_or_init(|| self.made(form))
    }

    fn made(&self, form: Form) -> Vec<Vec<Bytes>> {
        match &self.plan {
            Plan::Texts(texts) => vec![written(form, &words(texts))],
            Plan::Reads(reads) => {
                let calls = (0..reads.calls).map(|number| written(form, &call(number, &reads.file)));
                calls.chain([written(form, &words(&Texts { deltas: 1, bytes: 4 }))]).collect()
            }
        }
    }
}

fn written(form: Form, events: &[AnswerEvent]) -> Vec<Bytes> {
    let mut encoder = encode::encoder(form, Wanted { usage: true, seals: false });
    let event = |event| {
        let mut out = String::new();
        encoder.event(event, &mut out);
        (!out.is_empty()).then(|| Bytes::from(out))
    };
    events.iter().filter_map(event).collect()
}

fn whole(blocks: Vec<AnswerEvent>, stop: StopReason) -> Vec<AnswerEvent> {
    let usage = Usage { input_tokens: 100, output_tokens: 10, ..Usage::default() };
    let mut events = vec![AnswerEvent::Started { id: "msg_bench".to_owned(), model: "bench".to_owned() }];
    events.extend(blocks);
    events.extend([AnswerEvent::BlockEnded, AnswerEvent::Done { stop, usage }]);
    events
}

fn call(number: usize, file: &str) -> Vec<AnswerEvent> {
    let id = CallId(format!("{MARK}{number:06}"));
    let input = json!({"file_path": file}).to_string();
    let started = AnswerEvent::CallStarted { id, name: "Read".to_owned() };
    whole(vec![started, AnswerEvent::Input { json: input }], StopReason::ToolUse)
}

fn words(texts: &Texts) -> Vec<AnswerEvent> {
    const WORDS: &[u8] = b"lorem ipsum dolor sit amet ";
    let deltas = texts.deltas.max(1);
    let mut at = 0;
    let mut blocks = vec![AnswerEvent::TextStarted];
    for number in 0..deltas {
        // Pieces differ by a byte at most, and are of the asked size together.
        let end = texts.bytes * (number + 1) / deltas;
        let text = (at..end).map(|at| char::from(WORDS[at % WORDS.len()])).collect();
        blocks.push(AnswerEvent::Text { text });
        at = end;
    }
    whole(blocks, StopReason::EndTurn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(pieces: &[Bytes]) -> String {
        pieces.iter().map(|it| String::from_utf8(it.to_vec()).unwrap()).collect()
    }

    #[test]
    fn calls_come_one_after_the_other_and_then_an_end() {
        let prepared = Prepared::from(Reads { calls: 2, file: "/a".to_owned() });
        for form in super::super::FORMS {
            let at = |body: &str| text(prepared.answer(form, body.as_bytes()));
            assert!(at("{}").contains("call_bench_000000"), "{form:?}");
            assert!(at("…call_bench_000000…").contains("call_bench_000001"), "{form:?}");
            let end = at("…call_bench_000000…call_bench_000001…");
            assert!(end.contains("lore") && !end.contains("call_bench"), "{form:?}: {end}");
        }
    }

    #[test]
    fn words_have_the_asked_size() {
        let events = words(&Texts { deltas: 7, bytes: 1000 });
        let sizes: Vec<usize> = events
            .iter()
            .filter_map(|event| match event {
                AnswerEvent::Text { text } => Some(text.len()),
                _ => None,
            })
            .collect();
        assert_eq!((sizes.len(), sizes.iter().sum::<usize>()), (7, 1000));
    }
}
