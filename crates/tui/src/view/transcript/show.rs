//! An item of the transcript as rows, with nothing folded.

use forelook_protocol::{
    AgentStarted, AnswerBlock, AttachOutcome, EntryBody, FilesAttached, ResultBlock, ToolFinished,
    UserShellEnded,
};
use forelook_view::{CallOutcome, user_text};
use forelook_wording::{compacted_line, permission_change};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::items::TranscriptItem;
use crate::app::cells_of;
use crate::call_input;
use crate::cells::{self, Cell, marked};
use crate::diff;
use crate::markdown::{self, RenderContext};
use crate::text::{Indent, sanitize, wrap};

/// What stands before everything that an agent did.
const AGENT: &str = "  │ ";

/// The rows of an item; a blank one stands before it.
pub(super) fn rows(item: &TranscriptItem, ctx: RenderContext) -> Vec<Line<'static>> {
    if !item.is_agents() || matches!(item.entry.body, EntryBody::AgentStarted(_)) {
        return body_rows(item, ctx);
    }
    let inner = RenderContext { width: ctx.width.saturating_sub(AGENT.chars().count()).max(8), ..ctx };
    let lead = || Span::styled(AGENT, ctx.theme.quiet);
    let under =
        |row: Line<'static>| Line::from_iter(std::iter::once(lead()).chain(row.spans)).style(row.style);
    body_rows(item, inner).into_iter().map(under).collect()
}

fn body_rows(item: &TranscriptItem, ctx: RenderContext) -> Vec<Line<'static>> {
    let mut rows = vec![Line::default()];
    match &item.entry.body {
        EntryBody::PromptAccepted(taken) => return Cell::Prompt(user_text(&taken.content)).rows(ctx),
        EntryBody::PlanReviewed(_) | EntryBody::RehearsalApplied(_) | EntryBody::TurnEnded(_) => {
            return cells_of(&item.entry, ctx).iter().flat_map(|cell| cell.rows(ctx)).collect();
        }
        EntryBody::FilesAttached(files) => return attachments(files, ctx),
        EntryBody::ModelAnswered(answered) => rows.extend(answer(&answered.blocks, ctx)),
        EntryBody::ToolFinished(finished) => rows.extend(call(item, finished, ctx)),
        EntryBody::UserShellEnded(ended) => rows.extend(shell(ended, ctx)),
        EntryBody::AgentStarted(started) => rows.extend(agent(started, ctx)),
        EntryBody::ModeChanged(set) => {
            let (sign, words) = forelook_wording::mode_words(set.mode_state.mode());
            let why = set.why.as_ref().map_or_else(String::new, |why| format!(". {why}"));
            rows.extend(quiet(&format!("{sign} {words}{why}"), ctx));
        }
        EntryBody::PermissionsChanged(set) => rows.extend(quiet(&permission_change(&set.update), ctx)),
        EntryBody::Compacted(compacted) => {
            rows.extend(quiet(&compacted_line(compacted), ctx));
            rows.extend(text_rows(&compacted.summary, ctx.theme.quiet, ctx));
        }
        EntryBody::ModelChanged(set) => rows.extend(quiet(&format!("Model: {}", set.model), ctx)),
        _ => {}
    }
    rows
}

/// Files that a prompt named, with what the model read of them.
fn attachments(attached: &FilesAttached, ctx: RenderContext) -> Vec<Line<'static>> {
    let mut rows = cells::attached(attached, ctx);
    for file in &attached.files {
        let AttachOutcome::Attached { content, .. } = &file.outcome else { continue };
        rows.extend(text_rows(&format!("  @{}", file.named), ctx.theme.quiet, ctx));
        for part in content {
            match part {
                ResultBlock::Text { text } => rows.extend(text_rows(text, ctx.theme.quiet, ctx)),
                ResultBlock::Image { .. } => rows.extend(text_rows("[image]", ctx.theme.quiet, ctx)),
            }
        }
    }
    rows
}

fn quiet(text: &str, ctx: RenderContext) -> Vec<Line<'static>> {
    text_rows(text, ctx.theme.quiet, ctx)
}

/// A text from elsewhere, two columns in.
fn text_rows(text: &str, style: Style, ctx: RenderContext) -> Vec<Line<'static>> {
    let row = |line: &str| wrap(&Line::styled(line.to_owned(), style), ctx.width, &Indent::all("  "));
    sanitize(text).lines().flat_map(row).collect()
}

fn answer(blocks: &[AnswerBlock], ctx: RenderContext) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    for block in blocks {
        let block = match block {
            AnswerBlock::Text { text } => marked(
                &markdown::rows(text, RenderContext { width: ctx.width.saturating_sub(2), ..ctx }),
                true,
            ),
            AnswerBlock::Thinking { thinking, .. } => {
                text_rows(thinking, ctx.theme.quiet.add_modifier(Modifier::ITALIC), ctx)
            }
            AnswerBlock::Opaque { .. } | AnswerBlock::ToolUse(_) => continue,
        };
        if !rows.is_empty() && !block.is_empty() {
            rows.push(Line::default());
        }
        rows.extend(block);
    }
    rows
}

fn call(item: &TranscriptItem, finished: &ToolFinished, ctx: RenderContext) -> Vec<Line<'static>> {
    let call = item.call();
    let outcome = CallOutcome::of(finished.status, &finished.result);
    let (mark, style) = match outcome {
        CallOutcome::Done => ("● ", ctx.theme.good),
        CallOutcome::Failed => ("● ", ctx.theme.bad),
        CallOutcome::Refused => ("✗ ", ctx.theme.bad),
        CallOutcome::Interrupted => ("● ", ctx.theme.warning),
    };
    let name = call.map_or("Tool call", |call| call.name.as_str());
    let name = Span::styled(sanitize(name).into_owned(), Style::new().add_modifier(Modifier::BOLD));
    let mut rows = vec![Line::from(vec![Span::styled(mark, style), name])];
    let text = item.person_text.clone().unwrap_or_else(|| finished.result.text());
    let changed = text.split_once("\n@@ ").filter(|_| outcome == CallOutcome::Done);
    match (call, changed) {
        // The result says what changed, and where.
        (Some(call), Some(_)) if matches!(call.name.as_str(), "Edit" | "Write" | "NotebookEdit") => {}
        (Some(call), _) => rows.extend(call_input::input_rows(&call.name, &call.input, ctx)),
        (None, _) => {}
    }
    let style = if outcome == CallOutcome::Done { ctx.theme.quiet } else { ctx.theme.bad };
    match changed {
        Some((said, changes)) => {
            rows.extend(result(said, style, ctx));
            let inner = ctx.width.saturating_sub(4);
            let lead = |row: Line<'static>| {
                Line::from_iter(std::iter::once(Span::raw("    ")).chain(row.spans)).style(row.style)
            };
            rows.extend(diff::rows(&format!("@@ {changes}"), inner, ctx.theme).into_iter().map(lead));
        }
        None => rows.extend(result(&text, style, ctx)),
    }
    let pictures = finished.result.content.iter().filter(|part| matches!(part, ResultBlock::Image { .. }));
    rows.extend(pictures.flat_map(|_| result("[image]", style, ctx)));
    rows
}

fn result(text: &str, style: Style, ctx: RenderContext) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    for (at, line) in sanitize(text).lines().enumerate() {
        let indent = match at {
            0 => Indent::first(Span::styled("  ⎿ ", ctx.theme.quiet)),
            _ => Indent::all("    "),
        };
        rows.extend(wrap(&Line::styled(line.to_owned(), style), ctx.width, &indent));
    }
    rows
}

fn shell(ended: &UserShellEnded, ctx: RenderContext) -> Vec<Line<'static>> {
    let line = Line::styled(sanitize(&ended.command).replace('\n', " "), ctx.theme.person);
    let mut rows = wrap(&line, ctx.width, &Indent::first("! "));
    rows.extend(result(&ended.output, ctx.theme.quiet, ctx));
    rows.extend(ended.failed.as_ref().map(|how| result(how, ctx.theme.bad, ctx)).unwrap_or_default());
    rows
}

fn agent(started: &AgentStarted, ctx: RenderContext) -> Vec<Line<'static>> {
    let line = Line::from(vec![
        Span::styled(sanitize(&started.kind).into_owned(), Style::new().add_modifier(Modifier::BOLD)),
        Span::raw(format!(": {}", sanitize(&started.description))),
        Span::styled(format!("  {}", sanitize(&started.model)), ctx.theme.quiet),
    ]);
    wrap(&line, ctx.width, &Indent::first(Span::styled("◆ ", ctx.theme.plan)))
}
