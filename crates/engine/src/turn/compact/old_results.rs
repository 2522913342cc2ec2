//! Which results of calls can go before a summary is needed: large ones that are not from just now.

use std::collections::HashMap;
use std::sync::Arc;

use forelook_protocol::{
    AnswerBlock, CallId, ClearedResult, Message, ResultBlock, ToolCall, ToolResult, UserBlock, shorten,
};
use forelook_providers::WireCached;

/// The results of so many last answers stay: the model works with them.
const KEPT_ANSWERS: usize = 3;

/// A shorter result is not worth a note in its place.
const WORTH_BYTES: usize = 2_000;

/// Characters of the input that a note repeats.
const MAX_INPUT: usize = 300;

/// Tools that only look, and so can be called again without a thought.
const READERS: [&str; 6] = ["Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch"];

/// Results that can go.
pub(super) struct OldResults {
    pub(super) results: Vec<ClearedResult>,
    /// About how many tokens they are.
    pub(super) saved_tokens: u64,
}

/// The large results of a conversation that are not from its last answers.
pub(super) fn old_results(messages: &[Arc<WireCached<Message>>]) -> OldResults {
    let is_answer = |message: &Arc<WireCached<Message>>| matches!(&***message, Message::Assistant(_));
    let answers = messages.iter().enumerate().filter(|(_, message)| is_answer(message));
    let kept_from = answers.rev().nth(KEPT_ANSWERS - 1).map_or(0, |(at, _)| at);
    let mut calls: HashMap<&CallId, &ToolCall> = HashMap::new();
    let (mut results, mut saved) = (Vec::new(), 0);
    for message in messages.iter().take(kept_from) {
        match &***message {
            Message::Assistant(blocks) => calls.extend(blocks.iter().filter_map(|block| match block {
                AnswerBlock::ToolUse(call) => Some((&call.id, call)),
                _ => None,
            })),
            Message::User(blocks) => {
                for block in blocks {
                    if let UserBlock::ToolResult(result) = block
                        && let Some(call) = calls.get(&result.call)
                        && bytes(result) >= WORTH_BYTES
                    {
                        saved += bytes(result);
                        results.push(ClearedResult { call: result.call.clone(), note: note(call, result) });
                    }
                }
            }
        }
    }
    OldResults { results, saved_tokens: u64::try_from(saved / 4).unwrap_or(u64::MAX) }
}

fn bytes(result: &ToolResult) -> usize {
    let part = |part: &ResultBlock| match part {
        ResultBlock::Text { text } => text.len(),
        // More than enough to be worth a note.
        ResultBlock::Image { .. } => WORTH_BYTES * 2,
    };
    result.content.iter().map(part).sum()
}

fn note(call: &ToolCall, result: &ToolResult) -> String {
    let input = shorten(&call.input.to_string(), MAX_INPUT);
    let again = match READERS.contains(&call.name.as_str()) {
        true => "call it again with the same input if you need it",
        false => "if you need it, call it again only where a second run does no harm",
    };
    let failed = if result.is_error { "error of" } else { "result of" };
    format!(
        "[The {failed} {} {input} was here ({} bytes). It was removed to make room; {again}]",
        call.name,
        bytes(result)
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kept(message: Message) -> Arc<WireCached<Message>> {
        Arc::new(WireCached::new(message))
    }

    fn exchange(number: usize, tool: &str, text: &str) -> [Arc<WireCached<Message>>; 2] {
        let id = CallId(format!("call_{number}"));
        let input = json!({"file_path": format!("/w/{number}")});
        let call = ToolCall { id: id.clone(), name: tool.to_owned(), input };
        let result = UserBlock::ToolResult(ToolResult::ok(id, text));
        [kept(Message::Assistant(vec![AnswerBlock::ToolUse(call)])), kept(Message::User(vec![result]))]
    }

    #[test]
    fn large_results_go_but_the_newest() {
        let long = "x".repeat(WORTH_BYTES);
        let said: Vec<_> = [exchange(1, "Read", &long), exchange(2, "Read", "short")]
            .into_iter()
            .chain((3..8).map(|number| exchange(number, "Bash", &long)))
            .flatten()
            .collect();
        let old = old_results(&said);
        let calls: Vec<&str> = old.results.iter().map(|result| result.call.0.as_str()).collect();
        assert_eq!(calls, ["call_1", "call_3", "call_4"]);
        insta::assert_snapshot!(old.results[0].note, @r#"[The result of Read {"file_path":"/w/1"} was here (2000 bytes). It was removed to make room; call it again with the same input if you need it]"#);
        assert!(old.results[1].note.contains("only where a second run does no harm"));
    }

    #[test]
    fn nothing_goes_twice() {
        let long = "x".repeat(WORTH_BYTES);
        let mut said: Vec<_> = (1..9).flat_map(|number| exchange(number, "Read", &long)).collect();
        for result in old_results(&said).results {
            let number: usize = result.call.0.strip_prefix("call_").unwrap().parse().unwrap();
            said[number * 2 - 1] = exchange(number, "Read", &result.note)[1].clone();
        }
        assert!(old_results(&said).results.is_empty());
    }
}
