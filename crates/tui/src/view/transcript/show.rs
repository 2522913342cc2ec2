//! An item of the transcript as rows, with nothing folded.

use forelook_protocol::{
    AgentStarted, AnswerBlock, Body, Finished, Part, PermissionUpdate, RuleValue, ShellEnded, ToolCall,
};
use forelook_view::{CallOutcome, words_of};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::items::Item;
use crate::app::cells_of;
use crate::cells::{Cell, marked};
use crate::diff;
use crate::markdown::{self, Look};
use crate::text::{Hang, harmless, wrap};
use crate::whole;

/// What stands before everything that an agent did.
const AGENT: &str = "  │ ";

/// The rows of an item; a blank one stands before it.
pub(super) fn rows(item: &Item, look: Look) -> Vec<Line<'static>> {
    if !item.is_agents() || matches!(item.entry.body, Body::AgentStarted(_)) {
        return body_rows(item, look);
    }
    let inner = Look { width: look.width.saturating_sub(AGENT.chars().count()).max(8), ..look };
    let lead = || Span::styled(AGENT, look.theme.quiet);
    let under =
        |row: Line<'static>| Line::from_iter(std::iter::once(lead()).chain(row.spans)).style(row.style);
    body_rows(item, inner).into_iter().map(under).collect()
}

fn body_rows(item: &Item, look: Look) -> Vec<Line<'static>> {
    let mut rows = vec![Line::default()];
    match &item.entry.body {
        Body::Prompt(taken) => return Cell::Prompt(words_of(&taken.content)).rows(look),
        Body::Review(_) | Body::RehearsalApplied(_) | Body::TurnEnd(_) => {
            return cells_of(&item.entry, look).iter().flat_map(|cell| cell.rows(look)).collect();
        }
        Body::Answer(answered) => rows.extend(answer(&answered.blocks, look)),
        Body::Finished(finished) => rows.extend(call(item.call(), finished, look)),
        Body::ShellEnded(ended) => rows.extend(shell(ended, look)),
        Body::AgentStarted(started) => rows.extend(agent(started, look)),
        Body::Mode(set) => {
            let (sign, words) = forelook_wording::mode_words(set.standing.mode());
            let why = set.why.as_ref().map_or_else(String::new, |why| format!(". {why}"));
            rows.extend(quiet(&format!("{sign} {words}{why}"), look));
        }
        Body::Permission(set) => rows.extend(quiet(&permission(&set.update), look)),
        Body::Model(set) => rows.extend(quiet(&format!("The model is {}", set.model), look)),
        _ => {}
    }
    rows
}

fn quiet(text: &str, look: Look) -> Vec<Line<'static>> {
    text_rows(text, look.theme.quiet, look)
}

/// A text from elsewhere, two columns in.
fn text_rows(text: &str, style: Style, look: Look) -> Vec<Line<'static>> {
    let row = |line: &str| wrap(&Line::styled(line.to_owned(), style), look.width, &Hang::all("  "));
    harmless(text).lines().flat_map(row).collect()
}

fn answer(blocks: &[AnswerBlock], look: Look) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    for block in blocks {
        let block = match block {
            AnswerBlock::Text { text } => {
                marked(&markdown::rows(text, Look { width: look.width.saturating_sub(2), ..look }), true)
            }
            AnswerBlock::Thinking { thinking, .. } => {
                text_rows(thinking, look.theme.quiet.add_modifier(Modifier::ITALIC), look)
            }
            AnswerBlock::Sealed { .. } | AnswerBlock::ToolUse(_) => continue,
        };
        if !rows.is_empty() && !block.is_empty() {
            rows.push(Line::default());
        }
        rows.extend(block);
    }
    rows
}

fn call(call: Option<&ToolCall>, finished: &Finished, look: Look) -> Vec<Line<'static>> {
    let outcome = CallOutcome::of(finished.verdict, &finished.result);
    let (mark, style) = match outcome {
        CallOutcome::Done => ("● ", look.theme.good),
        CallOutcome::Failed => ("● ", look.theme.bad),
        CallOutcome::Refused => ("✗ ", look.theme.bad),
        CallOutcome::Interrupted => ("● ", look.theme.warning),
    };
    let name = call.map_or("A call", |call| call.name.as_str());
    let name = Span::styled(harmless(name).into_owned(), Style::new().add_modifier(Modifier::BOLD));
    let mut rows = vec![Line::from(vec![Span::styled(mark, style), name])];
    let text = finished.result.text();
    let changed = text.split_once("\n@@ ").filter(|_| outcome == CallOutcome::Done);
    match (call, changed) {
        // The result says what changed, and where.
        (Some(call), Some(_)) if matches!(call.name.as_str(), "Edit" | "Write" | "NotebookEdit") => {}
        (Some(call), _) => rows.extend(whole::input_rows(&call.name, &call.input, look)),
        (None, _) => {}
    }
    let style = if outcome == CallOutcome::Done { look.theme.quiet } else { look.theme.bad };
    match changed {
        Some((said, changes)) => {
            rows.extend(result(said, style, look));
            let inner = look.width.saturating_sub(4);
            let lead = |row: Line<'static>| {
                Line::from_iter(std::iter::once(Span::raw("    ")).chain(row.spans)).style(row.style)
            };
            rows.extend(diff::rows(&format!("@@ {changes}"), inner, look.theme).into_iter().map(lead));
        }
        None => rows.extend(result(&text, style, look)),
    }
    let pictures = finished.result.content.iter().filter(|part| matches!(part, Part::Image { .. }));
    rows.extend(pictures.flat_map(|_| result("[a picture]", style, look)));
    rows
}

fn result(text: &str, style: Style, look: Look) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    for (at, line) in harmless(text).lines().enumerate() {
        let hang = match at {
            0 => Hang::first(Span::styled("  ⎿ ", look.theme.quiet)),
            _ => Hang::all("    "),
        };
        rows.extend(wrap(&Line::styled(line.to_owned(), style), look.width, &hang));
    }
    rows
}

fn shell(ended: &ShellEnded, look: Look) -> Vec<Line<'static>> {
    let line = Line::styled(harmless(&ended.command).replace('\n', " "), look.theme.person);
    let mut rows = wrap(&line, look.width, &Hang::first("! "));
    rows.extend(result(&ended.output, look.theme.quiet, look));
    rows.extend(ended.failed.as_ref().map(|how| result(how, look.theme.bad, look)).unwrap_or_default());
    rows
}

fn agent(started: &AgentStarted, look: Look) -> Vec<Line<'static>> {
    let line = Line::from(vec![
        Span::styled(harmless(&started.kind).into_owned(), Style::new().add_modifier(Modifier::BOLD)),
        Span::raw(format!(": {}", harmless(&started.description))),
        Span::styled(format!("  {}", harmless(&started.model)), look.theme.quiet),
    ]);
    wrap(&line, look.width, &Hang::first(Span::styled("◆ ", look.theme.plan)))
}

fn permission(update: &PermissionUpdate) -> String {
    let named = |rules: &[RuleValue]| rules.iter().map(RuleValue::to_string).collect::<Vec<_>>().join(", ");
    match update {
        PermissionUpdate::AddRules { rules, behavior, destination } => {
            format!("From now on: {behavior} {} ({})", named(rules), destination.source())
        }
        PermissionUpdate::ReplaceRules { rules, behavior, destination } => {
            format!("Instead of all others: {behavior} {} ({})", named(rules), destination.source())
        }
        PermissionUpdate::RemoveRules { rules, behavior, destination } => {
            format!("No longer: {behavior} {} ({})", named(rules), destination.source())
        }
        PermissionUpdate::SetMode { mode, .. } => format!("The mode is {mode}"),
        PermissionUpdate::AddDirectories { directories, .. } => {
            format!("Working folders more: {}", directories.join(", "))
        }
        PermissionUpdate::RemoveDirectories { directories, .. } => {
            format!("Working folders less: {}", directories.join(", "))
        }
    }
}
