//! `ToolSearch`: finds tools whose schemas were held back, and has them sent along from then on.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use forelook_protocol::{Action, Effect, ToolSpec, nearest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use self::ranking::{Query, Terms};
use crate::context::ToolContext;
use crate::output::shorten;
use crate::tool::{BadInput, Place, Tool};
use crate::typed::{Described, Done, Failure, TypedTool};

/// Tools that one search by words gives.
const MAX_FOUND: usize = 5;
/// Tools that can be named at once.
const MAX_SELECTED: usize = 20;
/// Names that no tool has, of which each is told what may have been meant.
const MAX_GUESSED: usize = 10;
const MAX_QUERY: usize = 1000;
/// Characters of one tool's description and schema. Both may be a server's, which knows no measure.
const MAX_TOOL: usize = 20_000;
/// Characters of a list of names in the description, and in a result.
const MAX_TO_BE_FOUND: usize = 700;
const MAX_NAMES: usize = 5000;

/// Searches tools.
pub(crate) struct ToolSearch {
    tools: Vec<Searchable>,
    /// Whether tools of others can join, and there is a generic tool by which they are called.
    generic: bool,
}

/// A tool that can be found.
struct Searchable {
    tool: Arc<dyn Tool>,
    /// Somebody else's. Whether it is in the list depends on when it joined, so it is never said to be.
    guest: bool,
}

/// What to look for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Words that say what the tool should do, or `select:` and exact names with commas between them. A word with a `+`
    /// before it must be in the tool's name.
    query: String,
}

impl ToolSearch {
    /// Searches these.
    pub(crate) fn new(tools: &[Arc<dyn Tool>]) -> Self {
        let searchable = |tool: &Arc<dyn Tool>| Searchable { tool: Arc::clone(tool), guest: false };
        Self { tools: tools.iter().map(searchable).collect(), generic: false }
    }

    /// Searches these tools of others as well.
    pub(crate) fn with_guests<'a>(
        mut self,
        guests: impl Iterator<Item = &'a Arc<dyn Tool>>,
        generic: bool,
    ) -> Self {
        self.tools.extend(guests.map(|tool| Searchable { tool: Arc::clone(tool), guest: true }));
        Self { generic, ..self }
    }

    /// The tools of these names, and the names that no tool has.
    fn select<'a>(&'a self, names: &'a str) -> Found<'a> {
        let mut found = Found::default();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let exact = self.tools.iter().find(|tool| tool.spec().name == name);
            let tool =
                exact.or_else(|| self.tools.iter().find(|tool| tool.spec().name.eq_ignore_ascii_case(name)));
            match tool {
                Some(tool) if found.held_back.len() < MAX_SELECTED => found.add(tool),
                Some(tool) => found.left_out.push(&tool.spec().name),
                None => found.missing.push(name),
            }
        }
        found
    }

    /// The tools that fit these words best.
    fn search(&self, query: &str) -> Found<'_> {
        let query = Query::parse(query);
        let mut scored: Vec<(u32, &Searchable)> =
            self.tools.iter().filter_map(|tool| Some((tool.terms().score(&query)?, tool))).collect();
        // Stable: of equals the one that stands first in the list.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let mut found = Found::default();
        for (at, (_, tool)) in scored.into_iter().enumerate() {
            if at < MAX_FOUND { found.add(tool) } else { found.left_out.push(&tool.spec().name) }
        }
        found
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.spec().name.as_str())
    }

    fn missing(&self, name: &str) -> String {
        let meant = nearest(name, self.names()).map(|meant| format!("; did you mean `{meant}`?"));
        format!("There is no tool `{}`{}\n", shorten(name, 100), meant.unwrap_or_default())
    }
}

impl Searchable {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    /// Whether it comes with its schema when it is found.
    fn held_back(&self) -> bool {
        self.guest || self.tool.deferred().is_some()
    }

    /// Found out anew for each search: there are few of those, and every session begins with making this list.
    fn terms(&self) -> Terms {
        let ToolSpec { name, description, .. } = self.spec();
        Terms::new(name, self.tool.deferred().unwrap_or_default(), description)
    }
}

/// What a search came to.
#[derive(Default)]
struct Found<'a> {
    held_back: Vec<&'a Searchable>,
    listed: Vec<&'a Searchable>,
    missing: Vec<&'a str>,
    /// What fits as well, and was too much for once.
    left_out: Vec<&'a str>,
}

impl<'a> Found<'a> {
    fn add(&mut self, tool: &'a Searchable) {
        let kind = if tool.held_back() { &mut self.held_back } else { &mut self.listed };
        if !kind.iter().any(|known| known.spec().name == tool.spec().name) {
            kind.push(tool);
        }
    }
}

/// Names with commas between them, as many as there is room for.
fn list<'a>(names: impl IntoIterator<Item = &'a str>, max_chars: usize) -> String {
    let mut text = String::new();
    let mut left = 0;
    for name in names {
        let gap = if text.is_empty() { "" } else { ", " };
        // Once one was left out the rest is, so that what stands there is the beginning.
        if left > 0 || text.len() + name.len() > max_chars {
            left += 1;
        } else {
            let _ = write!(text, "{gap}`{name}`");
        }
    }
    match left {
        0 => text,
        left => format!("{text} and {left} more"),
    }
}

fn names<'a>(tools: &[&'a Searchable]) -> Vec<&'a str> {
    tools.iter().map(|tool| tool.spec().name.as_str()).collect()
}

impl Described for ToolSearch {
    type Input = Input;
    const NAME: &'static str = "ToolSearch";
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        let held: Vec<&Searchable> =
            self.tools.iter().filter(|tool| tool.tool.deferred().is_some()).collect();
        let mut text = String::from(
            "Finds tools that are not in your list yet. Not every tool is described from the start; what this finds \
             comes with its description and schema, and can be called from then on. `query` is words that say what \
             the tool should do, such as `leave plan mode` (`+plan leave`: the name must have `plan`), or `select:` \
             and exact names, such as `select:ExitPlanMode`.",
        );
        if self.generic {
            text.push_str(
                " Tools of others join and leave while you work; one that is not in your list is called with `CallTool`.",
            );
        }
        if !held.is_empty() {
            let _ = write!(text, " To be found: {}.", list(names(&held), MAX_TO_BE_FOUND));
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
}

impl TypedTool for ToolSearch {
    fn action(&self, _: &Input, _: &Place) -> Result<Action, BadInput> {
        Ok(Action::Internal)
    }

    async fn run(&self, input: Input, _: ToolContext) -> Result<Done, Failure> {
        let query = input.query.trim();
        let found = match query.strip_prefix("select:") {
            Some(names) => self.select(names),
            None => self.search(query),
        };
        // A guess looks at every name there is, so not everybody's is guessed.
        let (guessed, rest) = found.missing.split_at(found.missing.len().min(MAX_GUESSED));
        let mut text: String = guessed.iter().map(|name| self.missing(name)).collect();
        if !rest.is_empty() {
            let _ = writeln!(text, "Nor is there any of {}", list(rest.iter().copied(), MAX_TO_BE_FOUND));
        }
        if found.held_back.is_empty() && found.listed.is_empty() {
            let _ = write!(text, "Nothing was found. By name there are: {}", list(self.names(), MAX_NAMES));
            return Ok(Done::new(text).output(json!({"query": query, "loaded": [], "listed": []})));
        }
        if !found.held_back.is_empty() {
            text.push_str("Can be called from now on:\n");
        }
        if self.generic && found.held_back.iter().any(|tool| tool.guest) {
            text.push_str("(What is not in your list of tools is called with `CallTool`.)\n");
        }
        for tool in &found.held_back {
            let ToolSpec { name, description, input_schema } = tool.spec();
            let about = shorten(&format!("{description}\nInput: {input_schema}"), MAX_TOOL);
            let _ = write!(text, "\n# {name}\n{about}\n");
        }
        if !found.listed.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}In your list already: {}", list(names(&found.listed), MAX_NAMES));
        }
        if !found.left_out.is_empty() {
            let others = list(found.left_out.iter().copied(), MAX_TO_BE_FOUND);
            let _ = writeln!(text, "\nLeft out, because it is enough for once: {others}");
        }
        let loaded: Vec<String> = names(&found.held_back).into_iter().map(str::to_owned).collect();
        let output = json!({"query": query, "loaded": loaded, "listed": names(&found.listed)});
        let done = Done::new(text.trim_end()).output(output);
        Ok(if loaded.is_empty() { done } else { done.with(Effect::LoadTools { names: loaded }) })
    }
}

mod ranking;
#[cfg(test)]
mod tests;
