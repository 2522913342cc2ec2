//! Prints what happens.

use std::sync::Arc;

use forelook_protocol::{
    AbsPath, AgentId, CallStatus, Clock, EndReason, FilesAttached, HostAnswer, Mode, Notice, NoticeLevel,
    PlanReply, QuestionAnswer, Retry, Todo, ToolCall, UserShellEnded,
};
use forelook_view::{CallEnded, ReportedAs, SessionView, TextUpdate, ViewItem};
use forelook_wording::{AttachedLine, attached_lines};

use super::calls::{call_line, choice_rows, result_rows, todo_rows};
use super::text_output::TextOutput;
use super::{agents, modes, outcome};
use crate::plan_view::{self, PlanReader, WIDTH};
use crate::rehearsal_view;
use crate::slash::KNOWN;
use crate::style::{Row, TextStyle};

/// Prints.
pub(super) struct LineRenderer {
    text_output: TextOutput,
    clock: Arc<dyn Clock>,
}

impl LineRenderer {
    pub(super) fn new(text_output: TextOutput, clock: Arc<dyn Clock>) -> Self {
        Self { text_output, clock }
    }

    /// Something that happened.
    pub(super) fn item(&mut self, view: &SessionView, item: &ViewItem) {
        match item {
            ViewItem::Text(words) => self.words(words),
            ViewItem::Attached(attached) => self.attached(attached),
            ViewItem::Call(ended) => self.finished(view, ended),
            ViewItem::Shell(ended) => self.user_shell(ended),
            // Whoever was asked here should know why the question is gone.
            ViewItem::AnsweredElsewhere(closed) => {
                if let (Some(_), Some(name)) = (&closed.question, &closed.elsewhere) {
                    self.note(&format!("Answered by {name}"));
                }
            }
            ViewItem::Plan(reviewed) => {
                self.text_output.gap();
                self.text_output.rows(&outcome::rows(reviewed));
            }
            ViewItem::Applied(applied) => {
                self.text_output.gap();
                self.text_output.rows(&rehearsal_view::applied(applied));
            }
            ViewItem::Notice(notice) => self.notice(notice),
            ViewItem::AgentStarted { number, started, .. } => {
                self.text_output.gap();
                self.text_output.bullet(TextStyle::Plan, &agents::started(*number, started));
            }
            ViewItem::AgentEnded { id, ended } => self.text_output.rows(&[agents::ended(view, id, ended)]),
            ViewItem::Retry { agent: None, retry, void } => self.retry(retry, *void),
            ViewItem::Retry { agent: Some(agent), retry, .. } => {
                let why = forelook_wording::retry_message(retry, None);
                self.text_output.rows(&[agents::retrying(view, agent, &why)]);
            }
            ViewItem::Mode(mode) => self.mode(*mode),
            ViewItem::Compacted(compacted) => self.note(&forelook_wording::compacted_line(compacted)),
            ViewItem::ResultsCleared(results) => self.note(&forelook_wording::cleared_line(*results)),
            ViewItem::Model(model) => self.note(&format!("Model: {model}")),
            ViewItem::Prompt(said) if said.plan.is_some() => {
                self.note("Starting a new conversation with the plan")
            }
            // The calls that set todos tell of them; what begins a turn is there already.
            ViewItem::Prompt(_)
            | ViewItem::Thinking(_)
            | ViewItem::Todos(_)
            | ViewItem::TodosDone(_)
            | ViewItem::Editor(_)
            | ViewItem::TurnStarted(_)
            | ViewItem::TurnEnded { .. } => {}
        }
    }

    pub(super) fn person(&mut self, words: &str) {
        self.text_output.said(words);
    }

    pub(super) fn prompt_shown(&self) -> bool {
        self.text_output.prompt_shown()
    }

    pub(super) fn typed(&mut self, line: &str) {
        self.text_output.typed(line);
    }

    pub(super) fn show_prompt(&mut self, mode: Mode) {
        let (style, text) = modes::prompt_label(mode);
        self.text_output.gap();
        self.text_output.wait(style, &text);
    }

    pub(super) fn question(&mut self, rows: &[Row]) {
        self.text_output.gap();
        self.text_output.rows(rows);
        self.text_output.wait(TextStyle::Bold, "> ");
    }

    pub(super) fn problem(&mut self, text: &str) {
        for line in text.lines() {
            self.text_output.marked(TextStyle::Red, "✗ ", line);
        }
    }

    /// What became of the files that a prompt named.
    fn attached(&mut self, attached: &FilesAttached) {
        for line in attached_lines(attached) {
            match line {
                AttachedLine::Attached(text) | AttachedLine::Missing(text) => self.note(&text),
                AttachedLine::Refused(text) => self.problem(&text),
            }
        }
    }

    pub(super) fn note(&mut self, text: &str) {
        self.text_output.marked(TextStyle::Dim, "  ", text);
    }

    pub(super) fn notice(&mut self, notice: &Notice) {
        match notice.level {
            NoticeLevel::Info => self.note(&notice.text),
            NoticeLevel::Warning | NoticeLevel::Error => self.problem(&notice.text),
        }
    }

    pub(super) fn mode(&mut self, mode: Mode) {
        let (style, text) = modes::begins(mode);
        self.text_output.apart();
        self.text_output.line(style, &text);
    }

    pub(super) fn help(&mut self) {
        let rows = KNOWN.map(|(form, what)| {
            let what = what.replace('\n', &format!("\n{:19}", ""));
            Row::led(format!("  {form:<17}"), TextStyle::Plain, what)
        });
        self.text_output.rows(&rows);
    }

    pub(super) fn rows(&mut self, rows: &[Row]) {
        self.text_output.rows(rows);
    }

    /// What a line of the person's own came to: all of it, for it is what they asked for.
    fn user_shell(&mut self, ended: &UserShellEnded) {
        let rows = ended.output.lines().map(|line| Row::exact("  ", TextStyle::Plain, line));
        self.text_output.rows(&rows.collect::<Vec<_>>());
        if let Some(failed) = &ended.failed {
            self.problem(failed);
        }
    }

    pub(super) fn todos(&mut self, todos: &[Todo]) {
        match todos {
            [] => self.note("The todo list is empty"),
            todos => self.text_output.rows(&todo_rows(todos)),
        }
    }

    pub(super) fn plan(&mut self, shown: &PlanReply) {
        let rows = plan_view::rows(shown, self.clock.now(), PlanReader::Person);
        // That the mode is on was said when it began.
        let skip = usize::from(matches!(shown, PlanReply::Entered { .. }));
        self.text_output.rows(&rows[skip.min(rows.len())..]);
    }

    /// What becomes of commands from before planning, where the question was about them and somebody answered it.
    pub(super) fn running_shells(&mut self, count: Option<usize>, answer: &HostAnswer) {
        match (count, answer) {
            (Some(count), HostAnswer::Allow { .. }) => self.note(&forelook_wording::kept_running(count)),
            (Some(count), HostAnswer::Deny { .. }) => self.note(&forelook_wording::stopped_running(count)),
            _ => {}
        }
    }

    /// A review was interrupted.
    pub(super) fn unanswered(&mut self, plan: &AbsPath) {
        self.text_output.gap();
        self.text_output.rows(&[outcome::unanswered(plan)]);
    }

    /// What the person chose; the question stands above it.
    pub(super) fn chosen(&mut self, choices: &[QuestionAnswer]) {
        self.text_output.rows(&choice_rows(choices));
    }

    /// Words of the main agent's. Each was heard as it came, so the record has none to add.
    fn words(&mut self, words: &TextUpdate) {
        match words {
            TextUpdate::Started => self.text_output.begin_answer(),
            TextUpdate::Appended(text) => self.text_output.append_answer(text),
            TextUpdate::Ended => self.text_output.end_line(),
            TextUpdate::Dropped | TextUpdate::Whole(_) => {}
        }
    }

    /// That a call still runs.
    pub(super) fn progress(&mut self, view: &SessionView, agent: Option<&AgentId>, text: String) {
        let row = match agent {
            None => Row::led("  … ", TextStyle::Dim, text),
            Some(agent) => agents::called(view, agent, &format!("… {text}"), None),
        };
        self.text_output.rows(&[row]);
    }

    /// The answer is void and asked for again. A person at the keyboard can only wait, or end it.
    fn retry(&mut self, retry: &Retry, void: bool) {
        self.text_output.end_line();
        let void = void.then_some("discarding the text above");
        self.text_output.marked(
            TextStyle::Yellow,
            "↻ ",
            &format!("{} (Ctrl+C to cancel)", forelook_wording::retry_message(retry, void)),
        );
    }

    /// The turn is over: an answer that was not complete by then never will be.
    pub(super) fn turn_ends(&mut self, reason: &EndReason, partial_text: bool) {
        if matches!(reason, EndReason::Provider { .. }) && partial_text {
            self.note("The model's last answer above is discarded");
        }
    }

    fn finished(&mut self, view: &SessionView, ended: &CallEnded) {
        if let Some(agent) = &ended.agent {
            let line = call_line(&ended.call.name, &ended.call.input);
            return self.text_output.rows(&[agents::called(view, agent, &line, failure(ended))]);
        }
        // Entering and leaving plan mode are told as what they are, not as calls.
        let (call, failed) = (&ended.call, ended.result.is_error);
        if ended.reported_as == ReportedAs::Before || (call.name == "EnterPlanMode" && !failed) {
            return;
        }
        let text = ended.text();
        if let Some(number) = ended.started {
            let width = self.text_output.width().unwrap_or(WIDTH);
            return self.text_output.rows(&[agents::reported(number, &text, width)]);
        }
        self.text_output.gap();
        let style = if failed { TextStyle::Red } else { TextStyle::Green };
        let (line, text) = brief(view, call, text);
        self.text_output.bullet(style, &Row::new(TextStyle::Bold, line));
        let todos = (ended.verdict == CallStatus::Ran && call.name == "TodoWrite")
            .then(|| serde_json::from_value::<Vec<Todo>>(call.input["todos"].clone()).ok())
            .flatten();
        match todos {
            Some(todos) => self.text_output.rows(&todo_rows(&todos)),
            None => self.text_output.rows(&result_rows(&call.name, &text, failed)),
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
        CallStatus::Denied => Some("denied"),
        CallStatus::Interrupted => Some("interrupted"),
        CallStatus::Invalid => Some("invalid call"),
        CallStatus::Ran => ended.result.is_error.then_some("failed"),
    }
}
