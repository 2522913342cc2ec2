//! What is under way: the answer that streams, the calls that run, the agents at work.

use std::collections::{HashMap, VecDeque};

use forelook_protocol::{
    AgentId, AnswerBlock, AnswerEvent, Body, CallId, EndReason, Entry, Live, Notice, NoticeLevel, PlanAnswer,
    Reviewed, Todo, TodoStatus, ToolCall, UserBlock,
};
use forelook_wording::call_about;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::cells::{Cell, Outcome, marked};
use crate::markdown::{Look, Stream};

/// Rows of a running command's output that are shown.
const OUTPUT_ROWS: usize = 4;

/// What is under way.
#[derive(Debug, Default)]
pub(crate) struct Scene {
    answer: Option<Answering>,
    /// Calls that have no result yet, in their order.
    calls: VecDeque<Running>,
    agents: Vec<Agent>,
    todos: Vec<Todo>,
    /// Prompts that wait for the running turn.
    queued: VecDeque<String>,
    /// When the running turn began, in milliseconds of the front end's clock.
    pub(crate) turn_since: Option<u64>,
    /// Cells that are finished and not drawn yet.
    pub(crate) finished: Vec<Cell>,
    /// Calls that are told as something else: a review, a question.
    told: Vec<CallId>,
    /// Calls of subagents, which are counted and not shown one by one.
    theirs: HashMap<CallId, ToolCall>,
}

#[derive(Debug, Default)]
struct Answering {
    stream: Stream,
    /// Whether rows of it were handed out.
    begun: bool,
    /// Whether the open block is words; thinking is not shown.
    words: bool,
}

#[derive(Debug)]
struct Running {
    call: ToolCall,
    started: bool,
    output: VecDeque<String>,
    note: Option<String>,
}

#[derive(Debug)]
struct Agent {
    id: AgentId,
    call: CallId,
    kind: String,
    description: String,
    calls: usize,
    now: Option<String>,
}

impl Scene {
    /// A glimpse of something.
    pub(crate) fn live(&mut self, live: &Live, look: Look) {
        match live {
            Live::Answer { agent: None, event } => self.piece(event, look),
            Live::Output { call, text } => {
                if let Some(running) = self.calls.iter_mut().find(|it| it.call.id == *call) {
                    running.take_output(text);
                }
            }
            Live::Notice(notice) => self.finished.push(Cell::Notice(notice.clone())),
            _ => {}
        }
    }

    fn piece(&mut self, event: &AnswerEvent, look: Look) {
        // An answer stands two columns in.
        let look = Look { width: look.width.saturating_sub(2), ..look };
        match event {
            AnswerEvent::Started { .. } => self.answer = Some(Answering::default()),
            AnswerEvent::TextStarted => {
                self.close_answer(look);
                let answer = self.answer.get_or_insert_default();
                answer.words = true;
            }
            AnswerEvent::Text { text } => {
                let Some(answer) = self.answer.as_mut().filter(|it| it.words) else { return };
                let rows = answer.stream.push(text, look);
                self.hand_out(rows);
            }
            AnswerEvent::BlockEnded => self.close_answer(look),
            AnswerEvent::Again(retry) => {
                self.answer = None;
                let wait = retry.wait_ms.div_ceil(1000);
                let text = format!(
                    "{} Asking again in {wait} s ({} of {}); Esc ends it",
                    retry.failure.message, retry.attempt, retry.of
                );
                self.finished.push(Cell::Notice(Notice { level: NoticeLevel::Warning, text }));
            }
            _ => {}
        }
    }

    fn hand_out(&mut self, rows: Vec<Line<'static>>) {
        let Some(answer) = &mut self.answer else { return };
        if !rows.is_empty() {
            let begins = !std::mem::replace(&mut answer.begun, true);
            self.finished.push(Cell::Answer { rows, begins });
        }
    }

    /// The open block of words is whole.
    fn close_answer(&mut self, look: Look) {
        let Some(answer) = self.answer.as_mut().filter(|it| it.words) else { return };
        let rows = answer.stream.finish(look);
        self.hand_out(rows);
        self.answer = Some(Answering::default());
    }

    /// Something that stands in the journal.
    pub(crate) fn recorded(&mut self, entry: &Entry, now: u64) {
        match (&entry.body, &entry.agent) {
            (Body::Prompt(taken), None) => {
                self.turn_since.get_or_insert(now);
                let words = words_of(&taken.content);
                if taken.queued.is_some() {
                    self.queued.pop_front();
                }
                self.finished.push(Cell::Prompt(words));
            }
            (Body::Queued(queued), None) => self.queued.push_back(words_of(&queued.prompt.content)),
            (Body::Answer(answered), None) => {
                self.answer = None;
                for block in &answered.blocks {
                    if let AnswerBlock::ToolUse(call) = block {
                        self.calls.push_back(Running::new(call.clone()));
                    }
                }
            }
            (Body::Started(started), None) => {
                if let Some(running) = self.calls.iter_mut().find(|it| it.call.id == started.call) {
                    running.started = true;
                }
            }
            (Body::Finished(finished), None) => self.finish(finished),
            (Body::AgentStarted(started), Some(agent)) => self.agents.push(Agent {
                id: agent.clone(),
                call: started.call.clone(),
                kind: started.kind.clone(),
                description: started.description.clone(),
                calls: 0,
                now: None,
            }),
            (Body::Answer(answered), Some(agent)) => self.agent_answered(agent, &answered.blocks),
            (Body::AgentEnded(_), Some(agent)) => self.agents.retain(|it| it.id != *agent),
            (Body::Review(reviewed), None) => self.reviewed(reviewed),
            (Body::TurnEnd(ended), None) => self.turn_ended(&ended.reason),
            _ => {}
        }
    }

    fn finish(&mut self, finished: &forelook_protocol::Finished) {
        let id = &finished.result.call;
        let Some(at) = self.calls.iter().position(|it| it.call.id == *id) else { return };
        let Some(Running { call, .. }) = self.calls.remove(at) else { return };
        if let Some(told) = self.told.iter().position(|it| it == id) {
            self.told.remove(told);
            return;
        }
        let outcome = Outcome::of(finished.verdict, &finished.result);
        if call.name == "TodoWrite" && outcome == Outcome::Done {
            self.todos = serde_json::from_value(call.input["todos"].clone()).unwrap_or_default();
            return;
        }
        self.finished.push(Cell::Call { call, result: finished.result.clone(), outcome });
    }

    fn agent_answered(&mut self, agent: &AgentId, blocks: &[AnswerBlock]) {
        let Some(agent) = self.agents.iter_mut().find(|it| it.id == *agent) else { return };
        for block in blocks {
            if let AnswerBlock::ToolUse(call) = block {
                agent.calls += 1;
                agent.now = Some(format!("{}({})", call.name, call_about(&call.input)));
                self.theirs.insert(call.id.clone(), call.clone());
            }
        }
    }

    fn reviewed(&mut self, reviewed: &Reviewed) {
        self.told.extend(reviewed.call.clone());
        let plan = reviewed.plan.clone().unwrap_or_default();
        let (title, boxed, words) = match &reviewed.answer {
            PlanAnswer::Approve(approval) => {
                ("● Plan approved", false, approval.note.clone().into_iter().collect())
            }
            PlanAnswer::KeepPlanning { feedback, comments } => {
                let comments = comments.iter().map(|it| match it.first == it.last {
                    true => format!("line {}: {}", it.first, it.text),
                    false => format!("lines {}-{}: {}", it.first, it.last, it.text),
                });
                ("✗ Plan sent back", true, feedback.clone().into_iter().chain(comments).collect())
            }
            PlanAnswer::Park => ("● Plan parked", true, vec![format!("It is kept in {}", reviewed.path)]),
            PlanAnswer::Abandon => ("● Plan abandoned", true, Vec::new()),
            PlanAnswer::HandOver => ("● The plan is the result", false, vec![reviewed.path.to_string()]),
        };
        let words: Vec<String> = words;
        self.finished.push(Cell::Plan { title: Line::from(title), plan, boxed, words });
    }

    fn turn_ended(&mut self, reason: &EndReason) {
        self.turn_since = None;
        self.answer = None;
        let said = match reason {
            EndReason::Done | EndReason::Parked | EndReason::Abandoned | EndReason::Planned { .. } => return,
            EndReason::Interrupted => {
                (NoticeLevel::Warning, "Interrupted. Say what to do instead.".to_owned())
            }
            EndReason::MaxTokens => (
                NoticeLevel::Warning,
                "The answer was cut off at the model's limit; say `go on` for the rest.".to_owned(),
            ),
            EndReason::Refusal => (NoticeLevel::Warning, "The model declined to answer.".to_owned()),
            EndReason::MaxTurns { limit } => {
                (NoticeLevel::Warning, format!("Stopped after {limit} answers, as was set."))
            }
            EndReason::Provider { failure } => {
                let hint = failure.hint.as_ref().map_or_else(String::new, |hint| format!("\n{hint}"));
                (NoticeLevel::Error, format!("{}{hint}", failure.message))
            }
            EndReason::Stuck { message } | EndReason::Hook { message } | EndReason::Internal { message } => {
                (NoticeLevel::Error, message.clone())
            }
        };
        self.finished.push(Cell::Notice(Notice { level: said.0, text: said.1 }));
    }

    /// A call that a dialog tells of, and that needs no cell of its own.
    pub(crate) fn tell_apart(&mut self, call: CallId) {
        self.told.push(call);
    }

    /// Nothing runs: what had not ended when the program was stopped never will.
    pub(crate) fn rest(&mut self) {
        self.turn_since = None;
        self.calls.clear();
        self.agents.clear();
    }

    /// Agents at work, in a few words each.
    pub(crate) fn agents_at_work(&self) -> Vec<String> {
        self.agents.iter().map(|agent| format!("{}: {}", agent.kind, agent.description)).collect()
    }

    /// Who an agent is, in a few words.
    pub(crate) fn agent_words(&self, id: &AgentId) -> String {
        let agent = self.agents.iter().find(|agent| agent.id == *id);
        agent.map_or_else(|| id.to_string(), |agent| format!("{}: {}", agent.kind, agent.description))
    }

    pub(crate) fn is_running(&self) -> bool {
        self.turn_since.is_some()
    }

    /// The rows of what is under way, `spin` being the state of the wheel.
    pub(crate) fn rows(&self, look: Look, now: u64, spin: &'static str) -> Vec<Line<'static>> {
        let theme = look.theme;
        let mut rows = Vec::new();
        if let Some(answer) = &self.answer {
            let tail = answer.stream.tail(Look { width: look.width.saturating_sub(2), ..look });
            if !tail.is_empty() {
                if !answer.begun {
                    rows.push(Line::default());
                }
                rows.extend(marked(&tail, !answer.begun));
            }
        }
        for running in self.calls.iter().filter(|it| it.started && !self.is_agent(it)) {
            rows.push(Line::default());
            rows.extend(running.rows(look, spin));
        }
        for agent in &self.agents {
            rows.push(agent.row(look, spin));
        }
        if let Some(since) = self.turn_since {
            let seconds = now.saturating_sub(since) / 1000;
            rows.push(Line::default());
            rows.push(Line::styled(format!("{spin} Working… {seconds} s (Esc stops it)"), theme.quiet));
        }
        rows.extend(self.todo_rows(look));
        for queued in &self.queued {
            let first = queued.lines().next().unwrap_or_default();
            rows.push(Line::styled(format!("  waits: {first}"), theme.quiet));
        }
        rows
    }

    fn is_agent(&self, running: &Running) -> bool {
        self.agents.iter().any(|agent| agent.call == running.call.id)
    }

    fn todo_rows(&self, look: Look) -> Vec<Line<'static>> {
        if self.todos.iter().all(|todo| todo.status == TodoStatus::Completed) {
            return Vec::new();
        }
        let row = |todo: &Todo| {
            let (mark, style, words) = match todo.status {
                TodoStatus::Pending => ("☐", Style::new(), &todo.content),
                TodoStatus::InProgress => ("▸", Style::new().add_modifier(Modifier::BOLD), &todo.active_form),
                TodoStatus::Completed => ("☑", look.theme.quiet, &todo.content),
            };
            Line::styled(format!("  {mark} {words}"), style)
        };
        self.todos.iter().map(row).collect()
    }
}

impl Running {
    fn new(call: ToolCall) -> Self {
        Self { call, started: false, output: VecDeque::new(), note: None }
    }

    fn take_output(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if self.output.len() == OUTPUT_ROWS {
                self.output.pop_front();
            }
            self.output.push_back(crate::text::harmless(line).into_owned());
        }
    }

    fn rows(&self, look: Look, spin: &'static str) -> Vec<Line<'static>> {
        let (tool, what) = (self.call.name.clone(), call_about(&self.call.input));
        let note = self.note.as_ref().map_or_else(String::new, |note| format!("  {note}"));
        let line = Line::from(vec![
            Span::styled(format!("{spin} "), look.theme.good),
            Span::styled(tool, Style::new().add_modifier(Modifier::BOLD)),
            Span::raw(format!("({what}){note}")),
        ]);
        let mut rows = vec![line];
        rows.extend(self.output.iter().map(|line| Line::styled(format!("    {line}"), look.theme.quiet)));
        rows
    }
}

impl Agent {
    fn row(&self, look: Look, spin: &'static str) -> Line<'static> {
        let now = self.now.as_ref().map_or_else(String::new, |now| format!(": {now}"));
        let calls = if self.calls == 1 { "1 call".to_owned() } else { format!("{} calls", self.calls) };
        Line::from(vec![
            Span::styled(format!("{spin} "), look.theme.plan),
            Span::styled(format!("{} ", self.kind), Style::new().add_modifier(Modifier::BOLD)),
            Span::raw(self.description.clone()),
            Span::styled(format!("  {calls}{now}"), look.theme.quiet),
        ])
    }
}

/// What a person said, in words.
pub(crate) fn words_of(content: &[UserBlock]) -> String {
    let words = content.iter().map(|block| match block {
        UserBlock::Text { text } => text.as_str(),
        UserBlock::Image { .. } => "[a picture]",
        UserBlock::ToolResult(_) => "",
    });
    words.collect::<Vec<_>>().join("\n")
}
