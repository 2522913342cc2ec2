//! Prints what happens.

use std::sync::Arc;

use forelook_protocol::{
    AbsPath, AgentId, Choice, Clock, EndReason, HostAnswer, Mode, Notice, NoticeLevel, PlanShown, Retry,
    ShellEnded, Todo, ToolCall, Verdict,
};
use forelook_view::{CallEnded, Item, SessionView, ToldAs, Words};

use super::calls::{call_line, choice_rows, result_rows, todo_rows};
use super::paper::Paper;
use super::{agents, modes, outcome};
use crate::ink::{Ink, Row};
use crate::plan_view::{self, Reader, WIDTH};
use crate::rehearsal_view;
use crate::slash::KNOWN;

/// Prints.
pub(super) struct Show {
    paper: Paper,
    clock: Arc<dyn Clock>,
}

impl Show {
    pub(super) fn new(paper: Paper, clock: Arc<dyn Clock>) -> Self {
        Self { paper, clock }
    }

    /// Something that happened.
    pub(super) fn item(&mut self, view: &SessionView, item: &Item) {
        match item {
            Item::Words(words) => self.words(words),
            Item::Call(ended) => self.finished(view, ended),
            Item::Shell(ended) => self.own_line(ended),
            // Whoever was asked here should know why the question is gone.
            Item::AnsweredElsewhere(closed) => {
                if let (Some(_), Some(name)) = (&closed.question, &closed.elsewhere) {
                    self.note(&format!("Answered by {name}"));
                }
            }
            Item::Plan(reviewed) => {
                self.paper.gap();
                self.paper.rows(&outcome::rows(reviewed));
            }
            Item::Applied(applied) => {
                self.paper.gap();
                self.paper.rows(&rehearsal_view::applied(applied));
            }
            Item::Notice(notice) => self.notice(notice),
            Item::AgentStarted { number, started, .. } => {
                self.paper.gap();
                self.paper.bullet(Ink::Plan, &agents::started(*number, started));
            }
            Item::AgentEnded { id, ended } => self.paper.rows(&[agents::ended(view, id, ended)]),
            Item::Retry { agent: None, retry, void } => self.again(retry, *void),
            Item::Retry { agent: Some(agent), retry, .. } => {
                let why = forelook_wording::again(retry, None);
                self.paper.rows(&[agents::again(view, agent, &why)]);
            }
            Item::Mode(mode) => self.mode(*mode),
            Item::Model(model) => self.note(&format!("{model} is asked from now on")),
            Item::Prompt(said) if said.plan.is_some() => self.note("A new conversation begins with the plan"),
            // The calls that set todos tell of them; what begins a turn is there already.
            Item::Prompt(_)
            | Item::Thinking(_)
            | Item::Todos(_)
            | Item::TodosDone(_)
            | Item::Editor(_)
            | Item::TurnStarted(_)
            | Item::TurnEnded { .. } => {}
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

    fn mode(&mut self, mode: Mode) {
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
    fn own_line(&mut self, ended: &ShellEnded) {
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

    /// What becomes of commands from before planning, where the question was about them and somebody answered it.
    pub(super) fn of_running(&mut self, count: Option<usize>, answer: &HostAnswer) {
        match (count, answer) {
            (Some(count), HostAnswer::Allow { .. }) => self.note(&forelook_wording::kept_running(count)),
            (Some(count), HostAnswer::Deny { .. }) => self.note(&forelook_wording::stopped_running(count)),
            _ => {}
        }
    }

    /// A review was interrupted.
    pub(super) fn unanswered(&mut self, plan: &AbsPath) {
        self.paper.gap();
        self.paper.rows(&[outcome::unanswered(plan)]);
    }

    /// What the person chose; the question stands above it.
    pub(super) fn chosen(&mut self, choices: &[Choice]) {
        self.paper.rows(&choice_rows(choices));
    }

    /// Words of the main agent's. Each was heard as it came, so the record has none to add.
    fn words(&mut self, words: &Words) {
        match words {
            Words::Begun => self.paper.speech(),
            Words::More(text) => self.paper.speak(text),
            Words::Ended => self.paper.end_line(),
            Words::Dropped | Words::Whole(_) => {}
        }
    }

    /// That a call still runs.
    pub(super) fn progress(&mut self, view: &SessionView, agent: Option<&AgentId>, text: String) {
        let row = match agent {
            None => Row::led("  … ", Ink::Dim, text),
            Some(agent) => agents::called(view, agent, &format!("… {text}"), None),
        };
        self.paper.rows(&[row]);
    }

    /// The answer is void and asked for again. A person at the keyboard can only wait, or end it.
    fn again(&mut self, retry: &Retry, void: bool) {
        self.paper.end_line();
        let void = void.then_some("the words above are discarded");
        self.paper.marked(
            Ink::Yellow,
            "↻ ",
            &format!("{} (Ctrl+C ends it)", forelook_wording::again(retry, void)),
        );
    }

    /// The turn is over: an answer that was not complete by then never will be.
    pub(super) fn turn_ends(&mut self, reason: &EndReason, half_said: bool) {
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

    fn finished(&mut self, view: &SessionView, ended: &CallEnded) {
        if let Some(agent) = &ended.agent {
            let line = call_line(&ended.call.name, &ended.call.input);
            return self.paper.rows(&[agents::called(view, agent, &line, failure(ended))]);
        }
        // Entering and leaving plan mode are told as what they are, not as calls.
        let (call, failed) = (&ended.call, ended.result.is_error);
        if ended.told == ToldAs::Before || (call.name == "EnterPlanMode" && !failed) {
            return;
        }
        let text = ended.result.text();
        if let Some(number) = ended.started {
            let width = self.paper.width().unwrap_or(WIDTH);
            return self.paper.rows(&[agents::reported(number, &text, width)]);
        }
        self.paper.gap();
        let ink = if failed { Ink::Red } else { Ink::Green };
        let (line, text) = brief(view, call, text);
        self.paper.bullet(ink, &Row::new(Ink::Bold, line));
        let todos = (ended.verdict == Verdict::Ran && call.name == "TodoWrite")
            .then(|| serde_json::from_value::<Vec<Todo>>(call.input["todos"].clone()).ok())
            .flatten();
        match todos {
            Some(todos) => self.paper.rows(&todo_rows(&todos)),
            None => self.paper.rows(&result_rows(&call.name, &text, failed)),
        }
    }
}

/// A call and its result. The plan file needs no path here: it was told when planning began.
fn brief(view: &SessionView, call: &ToolCall, text: String) -> (String, String) {
    match &view.totals().plan {
        Some(plan) if call.input["file_path"] == plan.to_string() => {
            (format!("{}(the plan)", call.name), text.replace(&format!("`{plan}`"), "the plan"))
        }
        _ => (call_line(&call.name, &call.input), text),
    }
}

/// Why a call came to nothing, in a word.
fn failure(ended: &CallEnded) -> Option<&'static str> {
    match ended.verdict {
        Verdict::Denied => Some("refused"),
        Verdict::Interrupted => Some("interrupted"),
        Verdict::Invalid => Some("wrong call"),
        Verdict::Ran => ended.result.is_error.then_some("failed"),
    }
}
