//! `ToolSearch`: finds tools whose schemas were held back, and has them sent along from then on.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use forelook_protocol::{Action, Effect, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::names::alike;
use crate::output::shorten;
use crate::tool::{BadInput, Place, Tool, ToolContext};
use crate::typed::{Done, Failure, TypedTool};

/// Tools that one search gives.
const MAX_FOUND: usize = 5;
const MAX_QUERY: usize = 1000;
/// Words that say nothing about what is looked for.
const EMPTY_WORDS: [&str; 9] = ["the", "and", "for", "with", "that", "this", "tool", "tools", "use"];

/// Searches tools.
pub(crate) struct ToolSearch {
    tools: Vec<Searchable>,
}

/// A tool that can be found.
struct Searchable {
    spec: ToolSpec,
    /// Words to search by; nothing for a tool that is always in the list.
    hint: Option<String>,
}

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Words that say what the tool should do, or `select:` and exact names with commas between them.
    query: String,
}

impl ToolSearch {
    /// Searches these.
    pub(crate) fn new(tools: &[Arc<dyn Tool>]) -> Self {
        let searchable = |tool: &Arc<dyn Tool>| Searchable {
            spec: tool.spec().clone(),
            hint: tool.deferred().map(str::to_owned),
        };
        Self { tools: tools.iter().map(searchable).collect() }
    }

    /// The tools of these names, and the names that no tool has.
    fn select<'a>(&'a self, names: &'a str) -> Found<'a> {
        let mut found = Found::default();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let exact = self.tools.iter().find(|tool| tool.spec.name == name);
            let tool =
                exact.or_else(|| self.tools.iter().find(|tool| tool.spec.name.eq_ignore_ascii_case(name)));
            match tool {
                Some(tool) => found.add(tool),
                None => found.missing.push(name),
            }
        }
        found
    }

    /// The tools that fit these words best.
    fn search(&self, query: &str) -> Found<'_> {
        let wanted = words(query);
        let mut scored: Vec<(u32, &Searchable)> = self
            .tools
            .iter()
            .map(|tool| (tool.score(&wanted), tool))
            .filter(|(score, _)| *score > 0)
            .collect();
        // Stable: of equals the one that stands first in the list.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let mut found = Found::default();
        scored.into_iter().take(MAX_FOUND).for_each(|(_, tool)| found.add(tool));
        found
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.spec.name.as_str())
    }

    fn missing(&self, name: &str) -> String {
        let meant = alike(name, self.names()).map(|meant| format!("; did you mean `{meant}`?"));
        format!("There is no tool `{}`{}\n", shorten(name, 100), meant.unwrap_or_default())
    }
}

impl Searchable {
    /// How well it fits: a word of its name counts most, one of its hint more than one of its text.
    fn score(&self, wanted: &[String]) -> u32 {
        let name = words(&self.spec.name);
        let whole = self.spec.name.to_lowercase();
        let hint = words(self.hint.as_deref().unwrap_or_default());
        let text = words(&self.spec.description);
        let one = |word: &String| {
            if *word == whole {
                20
            } else if has(&name, word) {
                10
            } else if has(&hint, word) {
                4
            } else {
                u32::from(has(&text, word))
            }
        };
        wanted.iter().map(one).sum()
    }
}

/// Whether a word is among these, or one that begins alike (`plan`, `planning`).
fn has(words: &[String], wanted: &str) -> bool {
    words.iter().any(|word| {
        let (short, long) =
            if word.len() < wanted.len() { (word.as_str(), wanted) } else { (wanted, word.as_str()) };
        short == long || (short.len() >= 4 && long.starts_with(short))
    })
}

/// The words of a text in small letters; those of a name such as `ExitPlanMode` one by one, and whole as well.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in text.split(|character: char| !character.is_alphanumeric()) {
        let mut before = false;
        let mut parts: Vec<String> = vec![String::new()];
        for character in run.chars() {
            if character.is_uppercase() && before {
                parts.push(String::new());
            }
            before = character.is_lowercase();
            if let Some(part) = parts.last_mut() {
                part.extend(character.to_lowercase());
            }
        }
        if parts.len() > 1 {
            words.push(parts.concat());
        }
        words.append(&mut parts);
    }
    words.retain(|word| word.chars().count() > 2 && !EMPTY_WORDS.contains(&word.as_str()));
    words.sort_unstable();
    words.dedup();
    words
}

/// What a search came to.
#[derive(Default)]
struct Found<'a> {
    held_back: Vec<&'a Searchable>,
    listed: Vec<&'a Searchable>,
    missing: Vec<&'a str>,
}

impl<'a> Found<'a> {
    fn add(&mut self, tool: &'a Searchable) {
        let kind = if tool.hint.is_some() { &mut self.held_back } else { &mut self.listed };
        if !kind.iter().any(|known| known.spec.name == tool.spec.name) {
            kind.push(tool);
        }
    }
}

fn list(tools: &[&Searchable]) -> String {
    tools.iter().map(|tool| format!("`{}`", tool.spec.name)).collect::<Vec<_>>().join(", ")
}

impl TypedTool for ToolSearch {
    type Input = Input;
    const NAME: &'static str = "ToolSearch";
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        let held: Vec<&Searchable> = self.tools.iter().filter(|tool| tool.hint.is_some()).collect();
        let mut text = String::from(
            "Finds tools that are not in your list yet. Not every tool is described from the start; what this finds \
             comes with its description and schema, and can be called from then on. `query` is words that say what \
             the tool should do, such as `leave plan mode`, or `select:` and exact names, such as \
             `select:ExitPlanMode`.",
        );
        if !held.is_empty() {
            let _ = write!(text, " To be found: {}.", list(&held));
        }
        text.into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        let query = input.query.trim();
        let rest = query.strip_prefix("select:").unwrap_or(query);
        if rest.trim_matches(|character: char| character == ',' || character.is_whitespace()).is_empty()
            || query.chars().count() > MAX_QUERY
        {
            return Err(BadInput(format!(
                "`query` must have 1 to {MAX_QUERY} characters: words to search by, or `select:` and exact names"
            )));
        }
        Ok(())
    }

    fn action(&self, _: &Input, _: &Place) -> Result<Action, BadInput> {
        Ok(Action::Internal)
    }

    async fn run(&self, input: Input, _: ToolContext) -> Result<Done, Failure> {
        let query = input.query.trim();
        let found = match query.strip_prefix("select:") {
            Some(names) => self.select(names),
            None => self.search(query),
        };
        let mut text: String = found.missing.iter().map(|name| self.missing(name)).collect();
        if found.held_back.is_empty() && found.listed.is_empty() {
            let names: Vec<String> = self.names().map(|name| format!("`{name}`")).collect();
            let _ = write!(text, "Nothing was found. By name there are: {}", names.join(", "));
            return Ok(Done::new(text).output(json!({"query": query, "loaded": [], "listed": []})));
        }
        if !found.held_back.is_empty() {
            text.push_str("Can be called from now on:\n");
        }
        for tool in &found.held_back {
            let ToolSpec { name, description, input_schema } = &tool.spec;
            let _ = write!(text, "\n# {name}\n{description}\nInput: {input_schema}\n");
        }
        if !found.listed.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}In your list already: {}", list(&found.listed));
        }
        let names =
            |tools: &[&Searchable]| tools.iter().map(|tool| tool.spec.name.clone()).collect::<Vec<_>>();
        let loaded = names(&found.held_back);
        let output = json!({"query": query, "loaded": loaded, "listed": names(&found.listed)});
        let done = Done::new(text.trim_end()).output(output);
        Ok(if loaded.is_empty() { done } else { done.with(Effect::LoadTools { names: loaded }) })
    }
}

#[cfg(test)]
mod tests;
