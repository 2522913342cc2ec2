//! Prints what happens.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use forelook_protocol::{
    AbsPath, AgentId, AnswerBlock, AnswerEvent, Body, CallId, Choice, Clock, EndReason, Entry, Finished,
    HostAnswer, Mode, Notice, NoticeLevel, PlanShown, RehearsalApplied, Retry, Reviewed, ShellEnded, Todo,
    ToolCall, Verdict,
};

use super::agents::Agents;
use super::calls::{call_line, choice_rows, result_rows, todo_rows};
use super::paper::Paper;
use super::waits::Waits;
use super::{modes, outcome};
use crate::ink::{Ink, Row};
use crate::plan_view::{self, Reader, WIDTH};
use crate::rehearsal_view;
use crate::slash::KNOWN;

/// The tool that starts subagents.
const AGENT: &str = "Agent";

/// Prints, and keeps what it needs to know of what it printed.
pub(super) struct Show {
    paper: Paper,
    clock: Arc<dyn Clock>,
    calls: HashMap<(Option<AgentId>, CallId), ToolCall>,
    /// Calls that were told as what they are.
    told: HashSet<CallId>,
    agents: Agents,
    waits: Waits,
    /// The plan file.
    plan: Option<AbsPath>,
    /// Whether words of an answer stand there that is not complete yet.
    half_said: bool,
}

impl Show {
    pub(super) fn new(paper: Paper, clock: Arc<dyn Clock>, plan: Option<AbsPath>) -> Self {
        Self {
            paper,
            clock,
            calls: HashMap::new(),
            told: HashSet::new(),
            agents: Agents::default(),
            waits: Waits::default(),
            plan,
            half_said: false,
        }
    }

    pub(super) fn person(&mut self, words: &str) {
        self.paper.said(words);
    }

    pub(super) fn invited(&self) -> bool {
        self.paper.invited()
    }

    pub(super) fn typed(&mut self, line: &str) {
        self.paper.typed(line);
    }

    pub(super) fn invite(&mut self, mode: Mode) {
        let (ink, text) = modes::invitation(mode);
        self.paper.gap();
        self.paper.wait(ink, &text);
    }

    pub(super) fn question(&mut self, rows: &[Row]) {
        self.paper.gap();
        self.paper.rows(rows);
        self.paper.wait(Ink::Bold, "> ");
    }

    pub(super) fn problem(&mut self, text: &str) {
        for line in text.lines() {
            self.paper.marked(Ink::Red, "✗ ", line);
        }
    }

    pub(super) fn note(&mut self, text: &str) {
        self.paper.marked(Ink::Dim, "  ", text);
    }

    pub(super) fn notice(&mut self, notice: &Notice) {
        match notice.level {
            NoticeLevel::Info => self.note(&notice.text),
            NoticeLevel::Warning | NoticeLevel::Error => self.problem(&notice.text),
        }
    }

    pub(super) fn mode(&mut self, mode: Mode) {
        let (ink, text) = modes::begins(mode);
        self.paper.apart();
        self.paper.line(ink, &text);
    }

    pub(super) fn help(&mut self) {
        let rows = KNOWN.map(|(form, what)| Row::led(format!("  {form:<15}"), Ink::Plain, what));
        self.paper.rows(&rows);
    }

    pub(super) fn rows(&mut self, rows: &[Row]) {
        self.paper.rows(rows);
    }

    /// What a line of the person's own came to: all of it, for it is what they asked for.
    pub(super) fn own_line(&mut self, ended: &ShellEnded) {
        let rows = ended.output.lines().map(|line| Row::exact("  ", Ink::Plain, line));
        self.paper.rows(&rows.collect::<Vec<_>>());
        if let Some(failed) = &ended.failed {
            self.problem(failed);
        }
    }

    pub(super) fn todos(&mut self, todos: &[Todo]) {
        match todos {
            [] => self.note("The todo list is empty"),
            todos => self.paper.rows(&todo_rows(todos)),
        }
    }

    pub(super) fn plan(&mut self, shown: &PlanShown) {
        let rows = plan_view::rows(shown, self.clock.now(), Reader::Person);
        // That the mode is on was said when it began.
        let skip = usize::from(matches!(shown, PlanShown::Entered { .. }));
        self.paper.rows(&rows[skip.min(rows.len())..]);
    }

    pub(super) fn review(&mut self, reviewed: &Reviewed) {
        self.told.extend(reviewed.call.clone());
        self.paper.gap();
        self.paper.rows(&outcome::rows(reviewed));
    }

    pub(super) fn rehearsal_applied(&mut self, applied: &RehearsalApplied) {
        self.paper.gap();
        self.paper.rows(&rehearsal_view::applied(applied));
    }

    /// What becomes of commands from before planning, where the question was about them and somebody answered it.
    pub(super) fn of_running(&mut self, count: Option<usize>, answer: &HostAnswer) {
        match (count, answer) {
            (Some(count), HostAnswer::Allow { .. }) => self.note(&forelook_wording::kept_running(count)),
            (Some(count), HostAnswer::Deny { .. }) => self.note(&forelook_wording::stopped_running(count)),
            _ => {}
        }
    }

    /// A review was interrupted.
    pub(super) fn unanswered(&mut self, call: Option<CallId>, plan: &AbsPath) {
        self.told.extend(call);
        self.paper.gap();
        self.paper.rows(&[outcome::unanswered(plan)]);
    }

    /// What the person chose; the question stands above it.
    pub(super) fn chosen(&mut self, call: Option<CallId>, choices: &[Choice]) {
        self.told.extend(call);
        self.paper.rows(&choice_rows(choices));
    }

    /// What an agent is called; nothing for the main one.
    pub(super) fn label(&self, agent: Option<&AgentId>) -> Option<String> {
        agent.map(|agent| self.agents.label(agent))
    }

    /// A piece of an answer. Subagents speak to their parent, so their words are not shown.
    pub(super) fn piece(&mut self, agent: Option<&AgentId>, event: &AnswerEvent) {
        match (event, agent) {
            (AnswerEvent::Again(retry), None) => self.again(retry),
            (AnswerEvent::Again(retry), Some(agent)) => {
                self.early_agents();
                let row = self.agents.again(agent, &forelook_wording::again(retry, None));
                self.paper.rows(&[row]);
            }
            (_, Some(_)) => {}
            (AnswerEvent::TextStarted, None) => self.paper.speech(),
            (AnswerEvent::Text { text }, None) => {
                self.half_said |= !text.is_empty();
                self.paper.speak(text);
            }
            (AnswerEvent::BlockEnded, None) => self.paper.end_line(),
            _ => {}
        }
    }

    /// A call takes long. Not told while something is waited for from the person, who may be in the middle of a
    /// line; nor of a call that waits for an agent, whose own calls are told of.
    pub(super) fn progress(
        &mut self,
        (agent, call): (Option<&AgentId>, &CallId),
        elapsed_ms: u64,
        note: Option<&str>,
    ) {
        let key = (agent.cloned(), call.clone());
        let Some(called) = self.calls.get(&key).filter(|called| called.name != AGENT) else { return };
        if self.invited() || !self.waits.due(&key, elapsed_ms) {
            return;
        }
        let call = call_line(&called.name, &called.input);
        let text = match note {
            Some(note) => format!("{call}: {}, {note}", forelook_wording::lasting(elapsed_ms)),
            None => format!("{call}: {}", forelook_wording::lasting(elapsed_ms)),
        };
        self.early_agents();
        let row = match agent {
            None => Row::led("  … ", Ink::Dim, text),
            Some(agent) => self.agents.called(agent, &format!("… {text}"), None),
        };
        self.paper.rows(&[row]);
    }

    /// The answer is void and asked for again. A person at the keyboard can only wait, or end it.
    fn again(&mut self, retry: &Retry) {
        self.paper.end_line();
        let void = std::mem::take(&mut self.half_said).then_some("the words above are discarded");
        self.paper.marked(
            Ink::Yellow,
            "↻ ",
            &format!("{} (Ctrl+C ends it)", forelook_wording::again(retry, void)),
        );
    }

    /// The turn is over: an answer that was not complete by then never will be.
    pub(super) fn turn_ends(&mut self, reason: &EndReason) {
        let half_said = std::mem::take(&mut self.half_said);
        match reason {
            EndReason::Provider { .. } if half_said => {
                self.note("The model's last words above are discarded")
            }
            EndReason::MaxTokens => {
                self.note("The answer was cut off at the model's limit; say `go on` for the rest")
            }
            EndReason::Refusal => self.note("The model declined to answer"),
            _ => {}
        }
    }

    pub(super) fn entry(&mut self, entry: &Entry) {
        match (&entry.body, &entry.agent) {
            (Body::Answer(answered), agent) => {
                self.half_said &= agent.is_some();
                for block in &answered.blocks {
                    if let AnswerBlock::ToolUse(call) = block {
                        if agent.is_none() && call.name == AGENT {
                            self.agents.called_for(&call.id);
                        }
                        self.calls.insert((agent.clone(), call.id.clone()), call.clone());
                    }
                }
            }
            (Body::Finished(finished), agent) => {
                let key = (agent.clone(), finished.result.call.clone());
                self.waits.over(&key);
                let Some(call) = self.calls.remove(&key) else { return };
                self.agents.over(&call.id);
                self.early_agents();
                match agent {
                    None => self.finished(&call, finished),
                    Some(agent) => self.agent_finished(agent, &call, finished),
                }
            }
            (Body::AgentStarted(started), Some(agent)) => {
                let rows = self.agents.started(agent, started);
                self.agents_begin(&rows);
            }
            (Body::AgentEnded(ended), Some(agent)) => {
                self.early_agents();
                let row = self.agents.ended(agent, ended);
                self.paper.rows(&[row]);
            }
            (Body::Model(set), None) => self.note(&format!("{} is asked from now on", set.model)),
            (Body::PlanNamed(named), None) => self.plan = Some(named.path.clone()),
            (Body::Prompt(prompt), None) if prompt.plan().is_some() => {
                self.note("A new conversation begins with the plan");
            }
            _ => {}
        }
    }

    fn agents_begin(&mut self, rows: &[Row]) {
        for row in rows {
            self.paper.gap();
            self.paper.bullet(Ink::Plan, row);
        }
    }

    fn early_agents(&mut self) {
        let rows = self.agents.early();
        self.agents_begin(&rows);
    }

    fn finished(&mut self, call: &ToolCall, finished: &Finished) {
        // Entering and leaving plan mode are told as what they are, not as calls.
        let failed = finished.result.is_error;
        if self.told.remove(&call.id) || (call.name == "EnterPlanMode" && !failed) {
            return;
        }
        let text = finished.result.text();
        let width = self.paper.width().unwrap_or(WIDTH);
        if let Some(row) = self.agents.reported(&call.id, &text, width) {
            return self.paper.rows(&[row]);
        }
        self.paper.gap();
        let ink = if failed { Ink::Red } else { Ink::Green };
        let (line, text) = self.brief(call, text);
        self.paper.bullet(ink, &Row::new(Ink::Bold, line));
        let todos = (finished.verdict == Verdict::Ran && call.name == "TodoWrite")
            .then(|| serde_json::from_value::<Vec<Todo>>(call.input["todos"].clone()).ok())
            .flatten();
        match todos {
            Some(todos) => self.paper.rows(&todo_rows(&todos)),
            None => self.paper.rows(&result_rows(&call.name, &text, failed)),
        }
    }

    /// A call and its result. The plan file needs no path here: it was told when planning began.
    fn brief(&self, call: &ToolCall, text: String) -> (String, String) {
        let line = call_line(&call.name, &call.input);
        match &self.plan {
            Some(plan) if call.input["file_path"] == plan.to_string() => {
                (format!("{}(the plan)", call.name), text.replace(&format!("`{plan}`"), "the plan"))
            }
            _ => (line, text),
        }
    }

    fn agent_finished(&mut self, agent: &AgentId, call: &ToolCall, finished: &Finished) {
        let failed = match finished.verdict {
            Verdict::Denied => Some("refused"),
            Verdict::Interrupted => Some("interrupted"),
            Verdict::Invalid => Some("wrong call"),
            Verdict::Ran => finished.result.is_error.then_some("failed"),
        };
        let row = self.agents.called(agent, &call_line(&call.name, &call.input), failed);
        self.paper.rows(&[row]);
    }
}
