//! The state of a session: the fold of its journal, and nothing else.
//!
//! [`State::apply`] is the only mutation. Resuming is the same fold over the lines of a file, so what a
//! running session knows and what a resumed one knows cannot differ.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use forelook_protocol::{
    AbsPath, AnswerBlock, Answered, Body, CallId, Effect, Entry, EntryId, Finished, Header, Message,
    PermissionUpdate, Prompt, Question, Reminder, Seen, SessionId, Standing, Todo, ToolCall, ToolResult,
    UserBlock,
};

/// What a session knows.
#[derive(Debug, Clone)]
pub struct State {
    /// The session.
    pub session: SessionId,
    /// The folder it works in.
    pub folder: AbsPath,
    /// How the permission system stands.
    pub standing: Standing,
    /// Changes to the permissions that were made in this session.
    pub updates: Vec<PermissionUpdate>,
    /// The model, if one was chosen in the session.
    pub model: Option<String>,
    /// What was said.
    pub conversation: Conversation,
    /// Prompts that wait.
    pub queue: VecDeque<(EntryId, Prompt)>,
    /// Questions that wait.
    pub open: Vec<Question>,
    /// The todo list.
    pub todos: Vec<Todo>,
    /// Where shell commands run.
    pub shell_folder: AbsPath,
    /// Files the model has seen, with the hash of what it saw. Shared with running tools, so a change
    /// copies it only while one of them still looks at it.
    pub seen: Arc<HashMap<AbsPath, String>>,
    /// Whether a turn was begun and has not ended.
    pub turn_open: bool,
    /// The newest entry: the parent of the next.
    pub last: Option<EntryId>,
}

impl State {
    /// The state before the first line.
    pub fn new(header: &Header) -> Self {
        Self {
            session: header.session,
            folder: header.folder.clone(),
            standing: Standing::default(),
            updates: Vec::new(),
            model: None,
            conversation: Conversation::default(),
            queue: VecDeque::new(),
            open: Vec::new(),
            todos: Vec::new(),
            shell_folder: header.folder.clone(),
            seen: Arc::default(),
            turn_open: false,
            last: None,
        }
    }

    /// Folds one more entry in.
    pub fn apply(&mut self, entry: &Entry) {
        self.last = Some(entry.id);
        match &entry.body {
            Body::Session(_) | Body::Unknown { .. } | Body::Decision(_) => {}
            Body::Queued(queued) => self.queue.push_back((entry.id, queued.prompt.clone())),
            Body::Prompt(taken) => {
                self.queue.retain(|(id, _)| Some(*id) != taken.queued);
                self.turn_open = true;
                self.conversation.push_prompt(taken.content.clone());
            }
            Body::Answer(answered) => self.conversation.push_answer(answered),
            Body::Started(started) => self.conversation.mark_started(&started.call),
            Body::Finished(finished) => self.finish(finished),
            Body::Question(opened) => self.open.push(opened.question.clone()),
            Body::Reply(replied) => self.open.retain(|question| question.id != replied.question),
            Body::Mode(set) => self.standing = set.standing,
            Body::Permission(set) => self.updates.push(set.update.clone()),
            Body::Reminder(reminder) => self.conversation.push_reminder(reminder),
            Body::Model(set) => self.model = Some(set.model.clone()),
            Body::TurnEnd(_) => self.turn_open = false,
        }
    }

    fn finish(&mut self, finished: &Finished) {
        self.conversation.finish(&finished.result);
        for effect in &finished.effects {
            match effect {
                Effect::SetTodos { todos } => self.todos.clone_from(todos),
                Effect::SetFolder { folder } => self.shell_folder = folder.clone(),
                Effect::Saw(Seen { path, hash }) => {
                    Arc::make_mut(&mut self.seen).insert(path.clone(), hash.clone());
                }
            }
        }
    }
}

/// What was said, in the form that every provider can be sent: after an answer with calls comes one message
/// with all their results, in the order of the calls, whatever the order in which they ended.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    messages: Vec<Arc<Message>>,
    pending: Vec<Pending>,
    /// Prompts that came while results were missing; they follow the results.
    held: Vec<Arc<Message>>,
    ids: HashSet<CallId>,
}

#[derive(Debug, Clone)]
struct Pending {
    call: ToolCall,
    started: bool,
    result: Option<ToolResult>,
}

impl Conversation {
    /// All messages that are complete.
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
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

    fn push_prompt(&mut self, content: Vec<UserBlock>) {
        let message = Arc::new(Message::User(content));
        if self.pending.is_empty() { self.messages.push(message) } else { self.held.push(message) }
    }

    /// Reminders stand in marks of their own, so that no words of a person's can be taken for one.
    fn push_reminder(&mut self, reminder: &Reminder) {
        self.push_prompt(vec![UserBlock::text(format!(
            "<reminder>\n{}\n</reminder>",
            reminder.text.trim_end()
        ))]);
    }

    fn push_answer(&mut self, answered: &Answered) {
        // Models end without a word now and then, and no provider takes an empty message back.
        if answered.blocks.is_empty() {
            return;
        }
        self.messages.push(Arc::new(Message::Assistant(answered.blocks.clone())));
        for block in &answered.blocks {
            if let AnswerBlock::ToolUse(call) = block {
                self.ids.insert(call.id.clone());
                self.pending.push(Pending { call: call.clone(), started: false, result: None });
            }
        }
    }

    fn mark_started(&mut self, call: &CallId) {
        if let Some(pending) = self.pending.iter_mut().find(|pending| pending.call.id == *call) {
            pending.started = true;
        }
    }

    fn finish(&mut self, result: &ToolResult) {
        if let Some(pending) = self.pending.iter_mut().find(|pending| pending.call.id == result.call) {
            pending.result.get_or_insert_with(|| result.clone());
        }
        if self.pending.iter().all(|pending| pending.result.is_some()) && !self.pending.is_empty() {
            let results = self.pending.drain(..).filter_map(|pending| pending.result);
            self.messages.push(Arc::new(Message::User(results.map(UserBlock::ToolResult).collect())));
            self.messages.append(&mut self.held);
        }
    }
}
