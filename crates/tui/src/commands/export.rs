//! `/export`: the conversation as a Markdown file.

use std::collections::HashMap;
use std::sync::Arc;

use forelook_protocol::{
    AbsPath, AnswerBlock, CallId, Entry, EntryBody, PlanAnswer, PlanReviewed, Query, Reply, ToolCall,
};
use forelook_view::{PersonTexts, user_text};

use super::SlashCommand;
use crate::app::{App, UiEffect, UiTask};

pub(super) const EXPORT: SlashCommand =
    SlashCommand { name: "export", usage: "[file]", about: "save the conversation as Markdown", run };

/// Letters of the first prompt that the name of the file has.
const NAME: usize = 40;

fn run(app: &mut App, rest: &str) -> Vec<UiEffect> {
    let file = rest.to_owned();
    app.ask(Query::Transcript { until: None }, move |app, reply| {
        let Reply::Transcript(entries) = reply else { return Vec::new() };
        if !entries.iter().any(|entry| matches!(entry.body, EntryBody::PromptAccepted(_))) {
            app.refused("Nothing to export yet");
            return Vec::new();
        }
        let name = if file.is_empty() { default_name(entries) } else { file };
        vec![UiEffect::Spawn(UiTask::Write { name, text: markdown(entries) })]
    })
}

/// Where it was written.
pub(crate) fn written(app: &mut App, written: Result<AbsPath, String>) {
    match written {
        Ok(path) => app.show_note(&format!("Saved the conversation to {path}")),
        Err(why) => app.refused(&why),
    }
}

/// `forelook-2026-03-01-add-a-flag.md`
pub(super) fn default_name(entries: &[Arc<Entry>]) -> String {
    let date = entries.last().map(|entry| entry.time.strftime("%Y-%m-%d").to_string()).unwrap_or_default();
    let first = entries.iter().find_map(|entry| match &entry.body {
        EntryBody::PromptAccepted(taken) if entry.agent.is_none() => Some(user_text(&taken.content)),
        _ => None,
    });
    let letters = first.unwrap_or_default().to_lowercase();
    let words = letters.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut title = String::new();
    for word in words {
        if title.chars().count() + word.chars().count() > NAME {
            break;
        }
        title = if title.is_empty() { word.to_owned() } else { format!("{title}-{word}") };
    }
    match title.as_str() {
        "" => format!("forelook-{date}.md"),
        title => format!("forelook-{date}-{title}.md"),
    }
}

/// The conversation, without what agents said among themselves.
pub(super) fn markdown(entries: &[Arc<Entry>]) -> String {
    let mut out = String::from("# Conversation\n");
    let mut calls: HashMap<&CallId, &ToolCall> = HashMap::new();
    let mut person_texts = PersonTexts::default();
    for entry in entries.iter().filter(|entry| entry.agent.is_none()) {
        person_texts.read(entry);
        match &entry.body {
            EntryBody::PromptAccepted(taken) => section(&mut out, "## You", &user_text(&taken.content)),
            EntryBody::ModelAnswered(answered) => {
                for block in &answered.blocks {
                    match block {
                        AnswerBlock::Text { text } if !text.trim().is_empty() => {
                            section(&mut out, "## Model", text)
                        }
                        AnswerBlock::ToolUse(call) => drop(calls.insert(&call.id, call)),
                        _ => {}
                    }
                }
            }
            EntryBody::ToolFinished(finished) => {
                let call = calls.remove(&finished.result.call);
                let text = person_texts.take(None, call, finished).unwrap_or_else(|| finished.result.text());
                section(&mut out, &call_heading(call), &call_text(call, &text));
            }
            EntryBody::UserShellEnded(ended) => {
                section(
                    &mut out,
                    "### Your command",
                    &fenced(&format!("$ {}\n{}", ended.command, ended.output)),
                );
            }
            EntryBody::PlanReviewed(reviewed) => {
                section(&mut out, plan_heading(reviewed), &plan_text(reviewed))
            }
            _ => {}
        }
    }
    out
}

fn section(out: &mut String, heading: &str, text: &str) {
    out.push('\n');
    out.push_str(heading);
    out.push_str("\n\n");
    out.push_str(text.trim_end());
    out.push('\n');
}

fn call_heading(call: Option<&ToolCall>) -> String {
    format!("### {}", call.map_or("Tool call", |call| call.name.as_str()))
}

fn call_text(call: Option<&ToolCall>, text: &str) -> String {
    let input = call.map(|call| match call.input["command"].as_str() {
        Some(command) => fenced(command),
        None => fenced(&serde_json::to_string_pretty(&call.input).unwrap_or_default()),
    });
    let result = fenced(text);
    input.into_iter().chain([result]).collect::<Vec<_>>().join("\n\n")
}

fn plan_heading(reviewed: &PlanReviewed) -> &'static str {
    match reviewed.answer {
        PlanAnswer::Approve(_) => "## Plan (approved)",
        PlanAnswer::KeepPlanning { .. } => "## Plan (sent back)",
        PlanAnswer::Park => "## Plan (parked)",
        PlanAnswer::Abandon => "## Plan (abandoned)",
        PlanAnswer::HandOver => "## Plan",
    }
}

fn plan_text(reviewed: &PlanReviewed) -> String {
    let plan = reviewed.plan.clone().unwrap_or_default();
    match &reviewed.answer {
        PlanAnswer::KeepPlanning { feedback: Some(words), .. } => format!("{}\n\n> {words}", fenced(&plan)),
        _ => fenced(&plan),
    }
}

/// In a fence that nothing inside of it can close.
fn fenced(text: &str) -> String {
    let mut longest = 0;
    for line in text.lines() {
        longest = longest.max(line.trim_start().chars().take_while(|c| *c == '`').count());
    }
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end())
}
