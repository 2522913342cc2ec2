//! `ToolSearch`: finds tools whose schemas were held back, and has them sent along from then on.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use forelook_protocol::{Action, SessionEffect, ToolSpec, nearest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use self::ranking::{Query, Terms};
use crate::context::ToolContext;
use crate::output::shorten;
use crate::tool::{BadInput, CallLocation, Tool};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool};

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
    external: bool,
}

/// What to look for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Words that describe what the tool should do, or `select:` and exact names separated by commas. A word with a
    /// leading `+` must be in the tool's name.
    query: String,
}

impl ToolSearch {
    /// Searches these.
    pub(crate) fn new(tools: &[Arc<dyn Tool>]) -> Self {
        let searchable = |tool: &Arc<dyn Tool>| Searchable { tool: Arc::clone(tool), external: false };
        Self { tools: tools.iter().map(searchable).collect(), generic: false }
    }

    /// Searches these tools of others as well.
    pub(crate) fn with_external<'a>(
        mut self,
        externals: impl Iterator<Item = &'a Arc<dyn Tool>>,
        generic: bool,
    ) -> Self {
        self.tools.extend(externals.map(|tool| Searchable { tool: Arc::clone(tool), external: true }));
        Self { generic, ..self }
    }

    /// The tools of these names, and the names that no tool has.
    fn select<'a>(&'a self, names: &'a str) -> ToolMatches<'a> {
        let mut found = ToolMatches::default();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let exact = self.tools.iter().find(|tool| tool.spec().name == name);
            let tool =
                exact.or_else(|| self.tools.iter().find(|tool| tool.spec().name.eq_ignore_ascii_case(name)));
            match tool {
                Some(tool) if found.deferred.len() < MAX_SELECTED => found.add(tool),
                Some(tool) => found.left_out.push(&tool.spec().name),
                None => found.missing.push(name),
            }
        }
        found
    }

    /// The tools that fit these words best.
    fn search(&self, query: &str) -> ToolMatches<'_> {
        let query = Query::parse(query);
        let mut scored: Vec<(u32, &Searchable)> =
            self.tools.iter().filter_map(|tool| Some((tool.terms().score(&query)?, tool))).collect();
        // Stable: of equals the one that stands first in the list.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let mut found = ToolMatches::default();
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
    fn is_deferred(&self) -> bool {
        self.external || self.tool.deferred().is_some()
    }

    /// Found out anew for each search: there are few of those, and every session begins with making this list.
    fn terms(&self) -> Terms {
        let ToolSpec { name, description, .. } = self.spec();
        Terms::new(name, self.tool.deferred().unwrap_or_default(), description)
    }
}

/// What a search came to.
#[derive(Default)]
struct ToolMatches<'a> {
    deferred: Vec<&'a Searchable>,
    listed: Vec<&'a Searchable>,
    missing: Vec<&'a str>,
    /// What fits as well, and was too much for once.
    left_out: Vec<&'a str>,
}

impl<'a> ToolMatches<'a> {
    fn add(&mut self, tool: &'a Searchable) {
        let kind = if tool.is_deferred() { &mut self.deferred } else { &mut self.listed };
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

impl ToolMetadata for ToolSearch {
    type Input = Input;
    const NAME: &'static str = "ToolSearch";
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        let held: Vec<&Searchable> =
            self.tools.iter().filter(|tool| tool.tool.deferred().is_some()).collect();
        let mut text = String::from(
            "Finds tools that are not in your list yet. Some tools are not described at the start; the tools found \
             come with their description and schema, and you can call them from then on. `query` is either words \
             that describe what the tool should do, such as `leave plan mode` (`+plan leave`: the name must contain \
             `plan`), or `select:` and exact names, such as `select:ExitPlanMode`.",
        );
        if self.generic {
            text.push_str(
                " External tools may be added and removed while you work; call one that is not in your list with \
                 `CallTool`.",
            );
        }
        if !held.is_empty() {
            let _ = write!(text, " Tools you can find: {}.", list(names(&held), MAX_TO_BE_FOUND));
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
                "`query` must have 1 to {MAX_QUERY} characters: search words, or `select:` and exact names"
            )));
        }
        Ok(())
    }
}

impl TypedTool for ToolSearch {
    fn action(&self, _: &Input, _: &CallLocation) -> Result<Action, BadInput> {
        Ok(Action::Internal)
    }

    async fn run(&self, input: Input, _: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        let query = input.query.trim();
        let found = match query.strip_prefix("select:") {
            Some(names) => self.select(names),
            None => self.search(query),
        };
        // A guess looks at every name there is, so not everybody's is guessed.
        let (guessed, rest) = found.missing.split_at(found.missing.len().min(MAX_GUESSED));
        let mut text: String = guessed.iter().map(|name| self.missing(name)).collect();
        if !rest.is_empty() {
            let _ =
                writeln!(text, "These do not exist either: {}", list(rest.iter().copied(), MAX_TO_BE_FOUND));
        }
        if found.deferred.is_empty() && found.listed.is_empty() {
            let _ = write!(text, "No tool was found. Available tools: {}", list(self.names(), MAX_NAMES));
            return Ok(ToolSuccess::new(text).output(json!({"query": query, "loaded": [], "listed": []})));
        }
        if !found.deferred.is_empty() {
            text.push_str("You can call these now:\n");
        }
        if self.generic && found.deferred.iter().any(|tool| tool.external) {
            text.push_str("(Call those that are not in your tool list with `CallTool`.)\n");
        }
        for tool in &found.deferred {
            let ToolSpec { name, description, input_schema } = tool.spec();
            let about = shorten(&format!("{description}\nInput: {input_schema}"), MAX_TOOL);
            let _ = write!(text, "\n# {name}\n{about}\n");
        }
        if !found.listed.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}Already in your list: {}", list(names(&found.listed), MAX_NAMES));
        }
        if !found.left_out.is_empty() {
            let others = list(found.left_out.iter().copied(), MAX_TO_BE_FOUND);
            let _ = writeln!(text, "\nLeft out to keep this short: {others}");
        }
        let loaded: Vec<String> = names(&found.deferred).into_iter().map(str::to_owned).collect();
        let output = json!({"query": query, "loaded": loaded, "listed": names(&found.listed)});
        let done = ToolSuccess::new(text.trim_end()).output(output);
        Ok(if loaded.is_empty() { done } else { done.with(SessionEffect::LoadTools { names: loaded }) })
    }
}

mod ranking;
#[cfg(test)]
mod tests;
