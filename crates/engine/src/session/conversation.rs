//! The conversation of one agent, in the form that every provider can be sent.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use forelook_protocol::{
    AnswerBlock, AttachOutcome, AttachReason, AttachedFile, CallId, ClearedResult, Compacted, FilesAttached,
    Message, ModelAnswered, Origin, Reminder, ReminderKind, ResultBlock, ToolCall, ToolResult, UserBlock,
};
use forelook_providers::{PreviousBody, WireCached};
use forelook_tools::wrap_call;

use super::images::ImageUsage;
use super::size::size;
use crate::classifier::{Author, AuthoredMessage};
use crate::context::reminder;

/// What was said, in the form that every provider can be sent: after an answer with calls comes one message
/// with all their results, in the order of the calls, whatever the order in which they ended.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// Shared with the request that is under way; nobody holds it any more when the next message comes.
    messages: Arc<Vec<Arc<WireCached<Message>>>>,
    /// Whose each of them is.
    authors: Vec<Author>,
    pending: Vec<OpenCall>,
    /// Prompts that came while results were missing; they follow the results.
    held: Vec<(Author, Arc<WireCached<Message>>)>,
    ids: HashSet<CallId>,
    /// Bytes of `messages`, and of those behind the last answer.
    bytes: MessageBytes,
    /// Of all pictures in `messages`.
    image_usage: ImageUsage,
    previous_body: Arc<PreviousBody>,
    reported: ReportedTools,
}

/// What the model was told last of each tool that joined or left: its fingerprint, or that it has left.
pub(super) type ReportedTools = BTreeMap<String, Option<String>>;

/// How much was said, in bytes of text; a picture counts for what it costs in place of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MessageBytes {
    /// In all.
    pub(super) total: usize,
    /// Since the last answer.
    pub(super) since_answer: usize,
}

#[derive(Debug, Clone)]
struct OpenCall {
    call: ToolCall,
    started: bool,
    result: Option<ToolResult>,
}

impl Conversation {
    /// All messages that are complete.
    pub fn messages(&self) -> &Arc<Vec<Arc<WireCached<Message>>>> {
        &self.messages
    }

    /// The same with whose each is, for somebody who judges by it.
    pub(super) fn authored_messages(&self) -> Vec<AuthoredMessage> {
        let pairs = self.authors.iter().zip(self.messages.iter());
        let authored = |(author, message): (&Author, &Arc<WireCached<Message>>)| AuthoredMessage {
            author: author.clone(),
            message: Arc::clone(message),
        };
        pairs.map(authored).collect()
    }

    /// How much was said.
    pub(super) fn bytes(&self) -> MessageBytes {
        self.bytes
    }

    /// Whether nothing was said.
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// What was said in prompts, oldest first.
    pub(super) fn prompts(&self) -> impl DoubleEndedIterator<Item = (&Origin, &Message)> {
        let pairs = self.authors.iter().zip(self.messages.iter());
        pairs.filter_map(|(author, message)| match author {
            Author::Prompt(origin) => Some((origin, &***message)),
            Author::Reminder | Author::Model | Author::Results => None,
        })
    }

    /// What was sent of it the last time.
    pub(super) fn previous_body(&self) -> &Arc<PreviousBody> {
        &self.previous_body
    }

    /// What the conversation says of tools that joined and left.
    pub(super) fn reported(&self) -> &ReportedTools {
        &self.reported
    }

    /// Calls of the last answer that have no result yet, and whether each was begun.
    pub fn unfinished(&self) -> impl Iterator<Item = (&ToolCall, bool)> {
        self.pending.iter().filter(|pending| pending.result.is_none()).map(|it| (&it.call, it.started))
    }

    /// Ids for new calls: each is the one that the model gave, or, where that was used before, a new one.
    pub fn fresh_ids(&self, given: Vec<CallId>) -> Vec<CallId> {
        let mut taken = HashSet::new();
        let mut fresh = |id: CallId| {
            let later = (2u64..).map(|n| CallId(format!("{id}-{n}")));
            let free = std::iter::once(id.clone())
                .chain(later)
                .find(|id| !self.ids.contains(id) && !taken.contains(id));
            let free = free.unwrap_or(id);
            taken.insert(free.clone());
            free
        };
        given.into_iter().map(&mut fresh).collect()
    }

    /// Begins anew with nothing said. Ids are free again: providers that count them begin anew too.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Begins anew with a summary of what was said, and with the newest prompts as they were. Between a call and its result
    /// there is no place for it: the session does it between two requests.
    pub(super) fn compact(&mut self, compacted: &Compacted) {
        self.clear();
        // The model wrote it, and what it read there may come from anywhere: it has the authority of neither a person nor us.
        let mut summary = UserBlock::text(compacted.summary.clone());
        escape_block(&mut summary);
        let head = UserBlock::text(reminder::wrap(include_str!("../context/text/compacted.md")));
        self.push_user(Author::Model, vec![head, summary]);
        for kept in &compacted.prompts {
            self.push_prompt(kept.origin.clone(), vec![UserBlock::text(kept.text.clone())]);
        }
    }

    /// Puts notes where results were; how many bytes that saved.
    pub(super) fn clear_results(&mut self, cleared: &[ClearedResult]) -> usize {
        let before = self.bytes.total;
        let notes: HashMap<&CallId, &str> =
            cleared.iter().map(|result| (&result.call, result.note.as_str())).collect();
        let is_cleared = |block: &UserBlock| matches!(block, UserBlock::ToolResult(result) if notes.contains_key(&result.call));
        for message in Arc::make_mut(&mut self.messages) {
            let Message::User(blocks) = &***message else { continue };
            if !blocks.iter().any(is_cleared) {
                continue;
            }
            let mut blocks = blocks.clone();
            for block in &mut blocks {
                if let UserBlock::ToolResult(result) = block
                    && let Some(note) = notes.get(&result.call)
                {
                    result.content = vec![ResultBlock::Text { text: (*note).to_owned() }];
                    escape_block(block);
                }
            }
            let shorter = kept(Message::User(blocks));
            self.image_usage =
                self.image_usage.without(ImageUsage::of(message)).and(ImageUsage::of(&shorter));
            self.bytes.total = (self.bytes.total + size(&shorter)).saturating_sub(size(message));
            *message = shorter;
        }
        before.saturating_sub(self.bytes.total)
    }

    fn push(&mut self, author: Author, message: Arc<WireCached<Message>>) {
        let bytes = size(&message);
        self.bytes.total += bytes;
        self.bytes.since_answer = if author == Author::Model { 0 } else { self.bytes.since_answer + bytes };
        self.authors.push(author);
        self.image_usage.push(Arc::make_mut(&mut self.messages), message);
    }

    pub(super) fn push_prompt(&mut self, origin: Origin, mut content: Vec<UserBlock>) {
        content.iter_mut().for_each(escape_block);
        self.push_user(Author::Prompt(origin), content);
    }

    /// What a prompt named. It is what files say, and not what the person said.
    pub(super) fn push_attached(&mut self, attached: &FilesAttached) {
        let attachment = |file| attachment(file, attached.reason);
        let mut content: Vec<UserBlock> = attached.files.iter().flat_map(attachment).collect();
        content.iter_mut().for_each(escape_block);
        if !content.is_empty() {
            self.push_user(Author::Results, content);
        }
    }

    /// Takes the last prompt back: it is not for the model.
    pub(super) fn drop_last_prompt(&mut self) {
        let is_prompt = |author: &Author| matches!(author, Author::Prompt(_));
        if let Some(at) = self.authors.iter().rposition(is_prompt) {
            self.authors.remove(at);
            let gone = Arc::make_mut(&mut self.messages).remove(at);
            self.bytes.total = self.bytes.total.saturating_sub(size(&gone));
            self.image_usage = self.image_usage.without(ImageUsage::of(&gone));
        }
    }

    fn push_user(&mut self, author: Author, content: Vec<UserBlock>) {
        let message = kept(Message::User(content));
        match self.pending.is_empty() {
            true => self.push(author, message),
            false => self.held.push((author, message)),
        }
    }

    /// Reminders have a tag of their own (`context/reminder.rs`), which no other text of the conversation has.
    pub(super) fn push_reminder(&mut self, reminder: &Reminder) {
        if let ReminderKind::ToolsChanged { added: joined, removed: left } = &reminder.kind {
            self.reported.extend(left.iter().map(|name| (name.clone(), None)));
            self.reported.extend(joined.iter().map(|it| (it.name.clone(), Some(it.fingerprint.clone()))));
        }
        self.push_user(Author::Reminder, vec![UserBlock::text(reminder::wrap(&reminder.text))]);
    }

    pub(super) fn push_answer(&mut self, answered: &ModelAnswered) {
        // Models end without a word now and then, and no provider takes an empty message back.
        if answered.blocks.is_empty() {
            return;
        }
        self.push(Author::Model, kept(Message::Assistant(as_sent(answered))));
        for block in &answered.blocks {
            if let AnswerBlock::ToolUse(call) = block {
                self.ids.insert(call.id.clone());
                self.pending.push(OpenCall { call: call.clone(), started: false, result: None });
            }
        }
    }

    pub(super) fn mark_started(&mut self, call: &CallId) {
        if let Some(pending) = self.pending.iter_mut().find(|pending| pending.call.id == *call) {
            pending.started = true;
        }
    }

    /// A call of the last answer.
    pub(super) fn call(&self, id: &CallId) -> Option<&ToolCall> {
        self.pending.iter().map(|pending| &pending.call).find(|call| call.id == *id)
    }

    pub(super) fn finish(&mut self, result: &ToolResult) {
        if let Some(pending) = self.pending.iter_mut().find(|pending| pending.call.id == result.call) {
            pending.result.get_or_insert_with(|| result.clone());
        }
        if self.pending.iter().all(|pending| pending.result.is_some()) && !self.pending.is_empty() {
            let results = self.pending.drain(..).filter_map(|pending| pending.result);
            let mut results: Vec<UserBlock> = results.map(UserBlock::ToolResult).collect();
            results.iter_mut().for_each(escape_block);
            let results = kept(Message::User(results));
            self.push(Author::Results, results);
            for (author, message) in std::mem::take(&mut self.held) {
                self.push(author, message);
            }
        }
    }
}

/// What the model reads of a file that was read for it.
fn attachment(file: &AttachedFile, reason: AttachReason) -> Vec<UserBlock> {
    let named = &file.named;
    match &file.outcome {
        AttachOutcome::Attached { path, content, seen } => {
            let text = match seen {
                _ if reason == AttachReason::Compaction => {
                    format!(
                        "You had `{path}` in view before the summary. This is what Read returns for it now:\n"
                    )
                }
                Some(_) => format!("The user attached `@{named}`. This is what Read returns for `{path}`:\n"),
                None => format!("The user attached `@{named}`:\n"),
            };
            let parts = content.iter().map(|part| match part {
                ResultBlock::Text { text } => UserBlock::text(text.clone()),
                ResultBlock::Image { media_type, data } => {
                    UserBlock::Image { media_type: media_type.clone(), data: data.clone() }
                }
            });
            std::iter::once(UserBlock::text(text)).chain(parts).collect()
        }
        AttachOutcome::Refused { why } => {
            vec![UserBlock::text(format!("`@{named}` was not attached. {why}"))]
        }
        AttachOutcome::Missing => Vec::new(),
    }
}

/// An answer in the model's own words: a call that it sent through the generic tool goes back to it as that.
fn as_sent(answered: &ModelAnswered) -> Vec<AnswerBlock> {
    let sent = |block: &AnswerBlock| match block {
        AnswerBlock::ToolUse(call) if answered.wrapped.contains(&call.id) => {
            AnswerBlock::ToolUse(wrap_call(call))
        }
        block => block.clone(),
    };
    answered.blocks.iter().map(sent).collect()
}

/// Takes from a text that is not ours what would read as a reminder.
fn escape_block(block: &mut UserBlock) {
    match block {
        UserBlock::Text { text } => reminder::escape_owned(text),
        UserBlock::Image { .. } => {}
        UserBlock::ToolResult(result) => result.content.iter_mut().for_each(|part| match part {
            ResultBlock::Text { text } => reminder::escape_owned(text),
            ResultBlock::Image { .. } => {}
        }),
    }
}

fn kept(message: Message) -> Arc<WireCached<Message>> {
    Arc::new(WireCached::new(message))
}
