//! Which answer comes next: a pure function of the script and the conversation.

use std::borrow::Cow;
use std::sync::Arc;

use forelook_protocol::{Message, ToolResult, UserBlock};

use super::script::{Branch, Script};
use crate::WireCached;

/// The answer to give, and how many came before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScriptPosition {
    /// Its place in the script.
    pub(super) index: usize,
    /// How many answers the conversation already holds: makes ids of calls new.
    pub(super) played: usize,
    /// The branch that the conversation began with, counted from one: makes ids new in a session whose conversation
    /// begins anew.
    pub(super) start: Option<usize>,
}

/// Plays the script along the conversation and returns the answer that is due, if there is one.
pub(super) fn next_answer(script: &Script, messages: &[Arc<WireCached<Message>>]) -> Option<ScriptPosition> {
    let mut said = messages.split(|message| matches!(***message, Message::Assistant(_)));
    let opening = said.next().unwrap_or_default();
    let start = script.start.iter().position(|branch| fits(branch, opening));
    let first = start.and_then(|at| script.start.get(at)).and_then(|branch| script.index_of(&branch.goto));
    let mut index = first.unwrap_or(0);
    let mut played = 0;
    for turn_messages in said {
        let branches = script.answers.get(index).map(|answer| answer.next.as_slice()).unwrap_or_default();
        index = choose(script, branches, turn_messages).unwrap_or(index + 1);
        played += 1;
    }
    (index < script.answers.len()).then_some(ScriptPosition { index, played, start: start.map(|at| at + 1) })
}

fn choose(script: &Script, branches: &[Branch], turn_messages: &[Arc<WireCached<Message>>]) -> Option<usize> {
    let mut branches = script.anywhere.iter().chain(branches);
    let branch = branches.find(|branch| fits(branch, turn_messages))?;
    script.index_of(&branch.goto)
}

fn fits(branch: &Branch, turn_messages: &[Arc<WireCached<Message>>]) -> bool {
    let result = branch
        .result
        .as_ref()
        .is_none_or(|regex| results(turn_messages).any(|it| regex.is_match(&it.text())));
    let prompt = branch.prompt.as_ref().is_none_or(|regex| words(turn_messages).any(|it| regex.is_match(it)));
    let error = branch.error.is_none_or(|wanted| results(turn_messages).any(|it| it.is_error) == wanted);
    result && prompt && error
}

fn blocks(turn_messages: &[Arc<WireCached<Message>>]) -> impl Iterator<Item = &UserBlock> {
    turn_messages.iter().flat_map(|message| match &***message {
        Message::User(blocks) => blocks.as_slice(),
        Message::Assistant(_) => &[],
    })
}

/// Everything that the model was told, oldest first: words and results.
pub(super) fn user_texts(messages: &[Arc<WireCached<Message>>]) -> impl Iterator<Item = Cow<'_, str>> {
    blocks(messages).filter_map(|block| match block {
        UserBlock::Text { text } => Some(Cow::Borrowed(text.as_str())),
        UserBlock::ToolResult(result) => Some(Cow::Owned(result.text())),
        UserBlock::Image { .. } => None,
    })
}

fn results(turn_messages: &[Arc<WireCached<Message>>]) -> impl Iterator<Item = &ToolResult> {
    blocks(turn_messages).filter_map(|block| match block {
        UserBlock::ToolResult(result) => Some(result),
        UserBlock::Text { .. } | UserBlock::Image { .. } => None,
    })
}

fn words(turn_messages: &[Arc<WireCached<Message>>]) -> impl Iterator<Item = &str> {
    blocks(turn_messages).filter_map(|block| match block {
        UserBlock::Text { text } => Some(text.as_str()),
        UserBlock::ToolResult(_) | UserBlock::Image { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::{AnswerBlock, CallId};

    const SCRIPT: &str = r#"
        start = [{ prompt = "again", goto = "loop" }]
        [[answer]]
        name = "first"
        text = "one"
        next = [{ result = "FAIL", goto = "loop" }, { error = true, goto = "sorry" }]
        [[answer]]
        text = "two"
        [[answer]]
        name = "loop"
        text = "three"
        next = [{ prompt = "stop", goto = "sorry" }, { goto = "loop" }]
        [[answer]]
        name = "sorry"
        text = "four"
    "#;

    fn said() -> Arc<WireCached<Message>> {
        Arc::new(WireCached::new(Message::Assistant(vec![AnswerBlock::Text { text: "x".into() }])))
    }
    fn prompt(text: &str) -> Arc<WireCached<Message>> {
        Arc::new(WireCached::new(Message::User(vec![UserBlock::text(text)])))
    }
    fn result(text: &str) -> Arc<WireCached<Message>> {
        Arc::new(WireCached::new(Message::User(vec![UserBlock::ToolResult(ToolResult::ok(
            CallId("c".into()),
            text,
        ))])))
    }
    fn error(text: &str) -> Arc<WireCached<Message>> {
        Arc::new(WireCached::new(Message::User(vec![UserBlock::ToolResult(ToolResult::error(
            CallId("c".into()),
            text,
        ))])))
    }

    #[test]
    fn branches_follow_what_was_answered() {
        let script = Script::parse(SCRIPT).unwrap();
        for (messages, expected) in [
            (vec![prompt("hi")], Some(0)),
            (vec![prompt("once again")], Some(2)),
            (vec![prompt("hi"), said(), result("fine")], Some(1)),
            (vec![prompt("hi"), said(), result("2 FAILED")], Some(2)),
            (vec![prompt("hi"), said(), error("no")], Some(3)),
            (vec![prompt("again"), said(), prompt("more"), said(), prompt("more")], Some(2)),
            (vec![prompt("again"), said(), prompt("stop")], Some(3)),
            (vec![prompt("hi"), said(), error("no"), said(), prompt("x")], None),
        ] {
            assert_eq!(
                next_answer(&script, &messages).map(|position| position.index),
                expected,
                "{messages:?}"
            );
        }
    }

    #[test]
    fn what_holds_anywhere_comes_before_what_an_answer_says() {
        let script =
            Script::parse(&format!("anywhere = [{{ prompt = 'yes', goto = 'sorry' }}]\n{SCRIPT}")).unwrap();
        for (messages, expected) in [
            (vec![prompt("yes")], 0),
            (vec![prompt("hi"), said(), prompt("yes")], 3),
            (vec![prompt("again"), said(), prompt("yes")], 3),
            (vec![prompt("again"), said(), prompt("no")], 2),
        ] {
            let position = next_answer(&script, &messages).map(|position| position.index);
            assert_eq!(position, Some(expected), "{messages:?}");
        }
    }

    #[test]
    fn conversations_that_begin_elsewhere_are_told_apart() {
        let script = Script::parse(SCRIPT).unwrap();
        let position = |words| next_answer(&script, &[prompt(words)]).unwrap();
        assert_eq!((position("hi").start, position("once again").start), (None, Some(1)));
    }
}
