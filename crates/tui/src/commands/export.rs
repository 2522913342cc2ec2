//! `/export`: the conversation as a Markdown file.

use std::collections::HashMap;
use std::sync::Arc;

use forelook_protocol::{
    AbsPath, AnswerBlock, Body, CallId, Entry, Finished, PlanAnswer, Query, Reply, Reviewed, ToolCall,
};
use forelook_view::words_of;

use super::Slash;
use crate::app::{App, Errand, Wish};

pub(super) const EXPORT: Slash =
    Slash { name: "export", form: "[file]", about: "write the conversation to a Markdown file", run };

/// Letters of the first prompt that the name of the file has.
const NAME: usize = 40;

fn run(app: &mut App, rest: &str) -> Vec<Wish> {
    let file = rest.to_owned();
    app.ask(Query::Transcript { until: None }, move |app, reply| {
        let Reply::Transcript(entries) = reply else { return Vec::new() };
        if !entries.iter().any(|entry| matches!(entry.body, Body::Prompt(_))) {
            app.refused("There is nothing to export yet");
            return Vec::new();
        }
        let name = if file.is_empty() { default_name(entries) } else { file };
        vec![Wish::See(Errand::Write { name, text: markdown(entries) })]
    })
}

/// Where it was written.
pub(crate) fn written(app: &mut App, written: Result<AbsPath, String>) {
    match written {
        Ok(path) => app.tell(&format!("The conversation is in {path}")),
        Err(why) => app.refused(&why),
    }
}

/// `forelook-2026-03-01-add-a-flag.md`
pub(super) fn default_name(entries: &[Arc<Entry>]) -> String {
    let date = entries.last().map(|entry| entry.time.strftime("%Y-%m-%d").to_string()).unwrap_or_default();
    let first = entries.iter().find_map(|entry| match &entry.body {
        Body::Prompt(taken) if entry.agent.is_none() => Some(words_of(&taken.content)),
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
    for entry in entries.iter().filter(|entry| entry.agent.is_none()) {
        match &entry.body {
            Body::Prompt(taken) => section(&mut out, "## You", &words_of(&taken.content)),
            Body::Answer(answered) => {
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
            Body::Finished(finished) => {
                let call = calls.remove(&finished.result.call);
                section(&mut out, &call_heading(call), &call_text(call, finished));
            }
            Body::ShellEnded(ended) => {
                section(
                    &mut out,
                    "### Your command",
                    &fenced(&format!("$ {}\n{}", ended.command, ended.output)),
                );
            }
            Body::Review(reviewed) => section(&mut out, plan_heading(reviewed), &plan_text(reviewed)),
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
    format!("### {}", call.map_or("A call", |call| call.name.as_str()))
}

fn call_text(call: Option<&ToolCall>, finished: &Finished) -> String {
    let input = call.map(|call| match call.input["command"].as_str() {
        Some(command) => fenced(command),
        None => fenced(&serde_json::to_string_pretty(&call.input).unwrap_or_default()),
    });
    let result = fenced(&finished.result.text());
    input.into_iter().chain([result]).collect::<Vec<_>>().join("\n\n")
}

fn plan_heading(reviewed: &Reviewed) -> &'static str {
    match reviewed.answer {
        PlanAnswer::Approve(_) => "## Plan, approved",
        PlanAnswer::KeepPlanning { .. } => "## Plan, sent back",
        PlanAnswer::Park => "## Plan, parked",
        PlanAnswer::Abandon => "## Plan, abandoned",
        PlanAnswer::HandOver => "## Plan",
    }
}

fn plan_text(reviewed: &Reviewed) -> String {
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
