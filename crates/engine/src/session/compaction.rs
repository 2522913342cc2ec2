//! Makes a conversation shorter: when, and what comes back behind the summary.
//!
//! A turn asks for the summary (`turn/compact.rs`). What must not depend on the words of a model comes from disk or state,
//! and is written down in the same write as the summary: the plan, the todo list, what runs, and what the person allowed and
//! denied. Plan mode itself is state: its reminder is due with the next request.

use forelook_plan::{PlanFile, ReaderTools, reminder_text};
use forelook_protocol::{
    AbsPath, AgentId, BackgroundShell, Behavior, CommandAccepted, CommandError, CompactTrigger, Compacted,
    EntryBody, KeptPrompt, Message, PermissionUpdate, Reminder, ReminderKind, RuleValue, Todo, TodoStatus,
    TurnStarted, UserBlock, shorten_middle,
};
use forelook_providers::Request;

use super::size::{BYTES_PER_TOKEN, system_size, tokens, tools_size};
use super::{Conversation, Session};
use crate::handle::{AgentRun, CompactRequest, ContextEstimate, RecordError, Summary, session_ended};
use crate::model::ResolvedModel;
use crate::turn::TurnInput;

/// How many of the newest prompts follow a summary.
const MAX_PROMPTS: usize = 4;

/// How long they may be together.
const MAX_PROMPT_BYTES: usize = 16 * 1024;

/// After a summary the conversation must grow by this part of the limit before the next one: where the system prompt and the
/// tools fill the window, each answer would cost a summary.
const GROWTH_PART: u64 = 10;

impl Session {
    /// The person wants a summary: before the next request of a turn that runs, or at once.
    pub(super) async fn compact(&mut self, focus: Option<String>) -> Result<CommandAccepted, CommandError> {
        self.reap_turns().await;
        let focus = focus.map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
        let request = CompactRequest { trigger: CompactTrigger::Manual, focus };
        if !self.turns.is_empty() {
            self.compact_requested = Some(request);
            return Ok(CommandAccepted::Nothing);
        }
        if self.state.main.conversation.is_empty() {
            return Err(CommandError::NothingToCompact);
        }
        let begun = self.begin_compaction(request).await;
        begun.map_err(|RecordError(message)| CommandError::Journal(message))?;
        Ok(CommandAccepted::Turn(self.state.newest_turn))
    }

    async fn begin_compaction(&mut self, request: CompactRequest) -> Result<(), RecordError> {
        let turn = self.state.newest_turn.next();
        self.record(vec![EntryBody::TurnStarted(TurnStarted { turn })]).await?;
        self.start_turn(TurnInput::Compact(request));
        Ok(())
    }

    /// The turn that a summary was wanted in has ended without another request.
    pub(super) async fn compact_if_requested(&mut self) {
        let Some(request) = self.compact_requested.take() else { return };
        if let Err(RecordError(message)) = self.begin_compaction(request).await {
            self.warn(&format!("The conversation was not summarized: {message}"));
        }
    }

    /// Whether this request is to wait for a summary.
    pub(super) fn due_compaction(
        &mut self,
        agent: Option<&AgentRun>,
        context: ContextEstimate,
    ) -> Result<Option<CompactRequest>, RecordError> {
        if agent.is_none()
            && let Some(request) = self.compact_requested.take()
        {
            return Ok(Some(request));
        }
        let Some(limit) = context.limit else { return Ok(None) };
        let thread = self.state.thread(agent.map(|run| &run.id)).ok_or_else(session_ended)?;
        let grown =
            thread.compacted_to.is_none_or(|to| context.tokens.saturating_sub(to) >= limit / GROWTH_PART);
        let due = context.tokens >= limit && grown;
        Ok(due.then_some(CompactRequest { trigger: CompactTrigger::Auto, focus: None }))
    }

    /// How full a request makes the window, as far as can be known without asking the provider.
    pub(super) fn context_estimate(
        &self,
        agent: Option<&AgentRun>,
        request: &Request,
        model: Option<&ResolvedModel>,
    ) -> Result<ContextEstimate, RecordError> {
        let thread = self.state.thread(agent.map(|run| &run.id)).ok_or_else(session_ended)?;
        let bytes = thread.conversation.bytes();
        let counted = thread.context_tokens;
        let tokens = match counted {
            0 => tokens(bytes.total + system_size(&request.system) + tools_size(&request.tools)),
            counted => counted.saturating_add(tokens(bytes.since_answer)),
        };
        let window = |model: &ResolvedModel| model.facts.window;
        // A conversation that is too long for the model that plans goes on with the main one.
        let main = self.config.models.resolve(self.model()).ok().filter(|_| agent.is_none());
        let window = model.and_then(window).max(main.as_ref().and_then(window));
        Ok(ContextEstimate { counted, tokens, limit: self.config.compaction.limit(window) })
    }

    /// Writes a summary down, with what comes back behind it; the files that are to be read again, the newest last.
    pub(super) async fn compacted(
        &mut self,
        run: Option<&AgentRun>,
        summary: Summary,
    ) -> Result<Vec<AbsPath>, RecordError> {
        let agent = run.map(|run| &run.id);
        let thread = self.state.thread(agent).ok_or_else(session_ended)?;
        let room = summary.window.map_or(MAX_PROMPT_BYTES, |window| {
            let tenth = usize::try_from(window / 10).unwrap_or(MAX_PROMPT_BYTES);
            MAX_PROMPT_BYTES.min(tenth.saturating_mul(BYTES_PER_TOKEN))
        });
        let prompts = newest_prompts(&thread.conversation, room);
        let Summary { request, text, tokens, model, usage, cost, took_ms, window: _ } = summary;
        let CompactRequest { trigger, focus } = request;
        let recent: Vec<AbsPath> = thread.recent_files.iter().cloned().collect();
        let plan_file = self.policy_subject(agent)?.plan_file;
        let compacted =
            Compacted { trigger, focus, summary: text, prompts, tokens, model, usage, cost, took_ms };
        let mut bodies = vec![EntryBody::Compacted(compacted)];
        let reminders = [
            self.plan_reference(run, plan_file.as_ref()),
            todo_list(&thread.todos),
            self.session_state(agent),
        ];
        bodies.extend(reminders.into_iter().flatten().map(EntryBody::Reminder));
        self.record_for(agent.cloned(), bodies).await?;
        Ok(recent.into_iter().filter(|path| plan_file.as_ref() != Some(path)).collect())
    }

    /// The plan, word for word, as it is on the disk now.
    fn plan_reference(&self, run: Option<&AgentRun>, path: Option<&AbsPath>) -> Option<Reminder> {
        let path = path.filter(|_| run.is_some() || !self.state.plan.finished)?;
        let PlanFile::Text(contents) = self.config.planning.plans.look(path) else { return None };
        let toolbox = run.map_or(&self.runtime.tools, |run| &run.tools).snapshot();
        let kind = ReminderKind::PlanFileReference { path: path.clone(), contents };
        let text =
            reminder_text(&kind, &self.config.planning.workflow, &ReaderTools::of(|name| toolbox.has(name)));
        Some(Reminder { kind, text })
    }

    /// What runs, and what the person said about permissions in this session.
    fn session_state(&self, agent: Option<&AgentId>) -> Option<Reminder> {
        // What a subagent started in the background ends with it, and the rest is not its business.
        if agent.is_some() {
            return None;
        }
        let shell = |shell: &BackgroundShell| {
            format!("- Background shell `{}` is running: {}", shell.id, shell.command)
        };
        let mut lines: Vec<String> = self.state.shells.iter().map(shell).collect();
        let agents = self.state.agents.iter();
        lines.extend(agents.map(|(id, agent)| {
            format!("- Agent `{id}` ({}) is at work: {}", agent.started.kind, agent.started.description)
        }));
        lines.extend(self.state.updates.iter().flat_map(rule_lines));
        (!lines.is_empty()).then(|| Reminder {
            kind: ReminderKind::SessionState,
            text: format!("What holds in this session now:\n{}", lines.join("\n")),
        })
    }
}

fn todo_list(todos: &[Todo]) -> Option<Reminder> {
    let line = |todo: &Todo| {
        let mark = match todo.status {
            TodoStatus::Pending => "pending",
            TodoStatus::InProgress => "in progress",
            TodoStatus::Completed => "completed",
        };
        format!("- [{mark}] {}", todo.content)
    };
    let lines: Vec<String> = todos.iter().map(line).collect();
    (!lines.is_empty()).then(|| Reminder {
        kind: ReminderKind::Todos { count: todos.len() },
        text: format!("Your todo list has {} items:\n{}", todos.len(), lines.join("\n")),
    })
}

/// Rules that a person added in the session. Those of files are not told to a model anywhere.
fn rule_lines(update: &PermissionUpdate) -> Vec<String> {
    let line = |did: &str, behavior: Behavior, rule: &RuleValue| {
        let rule = match &rule.rule_content {
            Some(content) => format!("{}({content})", rule.tool_name),
            None => rule.tool_name.clone(),
        };
        format!("- The user {did} the {behavior} rule `{rule}`")
    };
    match update {
        PermissionUpdate::AddRules { rules, behavior, .. }
        | PermissionUpdate::ReplaceRules { rules, behavior, .. } => {
            rules.iter().map(|rule| line("added", *behavior, rule)).collect()
        }
        PermissionUpdate::RemoveRules { rules, behavior, .. } => {
            rules.iter().map(|rule| line("removed", *behavior, rule)).collect()
        }
        PermissionUpdate::AddDirectories { directories, .. } => directories
            .iter()
            .map(|folder| format!("- The user added the working directory `{folder}`"))
            .collect(),
        PermissionUpdate::RemoveDirectories { directories, .. } => directories
            .iter()
            .map(|folder| format!("- The user removed the working directory `{folder}`"))
            .collect(),
        PermissionUpdate::SetMode { .. } => Vec::new(),
    }
}

/// The newest prompts, oldest first, as far as there is room. The newest is always there: the work is about it.
fn newest_prompts(conversation: &Conversation, mut room: usize) -> Vec<KeptPrompt> {
    let mut kept = Vec::new();
    for (origin, message) in conversation.prompts().rev().take(MAX_PROMPTS) {
        let text = words(message);
        if text.is_empty() {
            continue;
        }
        if text.len() > room && !kept.is_empty() {
            break;
        }
        let text = shorten_middle(&text, room);
        room = room.saturating_sub(text.len());
        kept.push(KeptPrompt { origin: origin.clone(), text });
    }
    kept.reverse();
    kept
}

fn words(message: &Message) -> String {
    let Message::User(blocks) = message else { return String::new() };
    let words = blocks.iter().filter_map(|block| match block {
        UserBlock::Text { text } => Some(text.as_str()),
        UserBlock::Image { .. } => Some("[An image was here]"),
        UserBlock::ToolResult(_) => None,
    });
    words.collect::<Vec<_>>().join("\n")
}
