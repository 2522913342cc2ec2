//! All tools, by name.

use std::sync::Arc;

use forelook_plan::Eagerness;
use forelook_protocol::ToolSpec;

use crate::agent::{Agent, AgentListing};
use crate::ask_user_question::AskUserQuestion;
use crate::bash::Bash;
use crate::bash_output::BashOutput;
use crate::call_tool::CallTool;
use crate::edit::Edit;
use crate::enter_plan_mode::EnterPlanMode;
use crate::exit_plan_mode::ExitPlanMode;
use crate::external::{ExternalTool, ExternalTools};
use crate::glob::Glob;
use crate::grep::Grep;
use crate::kill_shell::KillShell;
use crate::notebook_edit::NotebookEdit;
use crate::read::Read;
use crate::registry::RegistryChange;
use crate::rehearse::Rehearse;
use crate::services::ToolServices;
use crate::todo_write::TodoWrite;
use crate::tool::Tool;
use crate::tool_search::ToolSearch;
use crate::typed::{Adapter, EngineAdapter, ToolMetadata};
use crate::web_fetch::{WebAccess, WebFetch};
use crate::write::Write;

/// Tools in a stable order: a request that repeats the former one's prefix is cheaper. Nothing changes in it; what there
/// is in a session now is a snapshot of its [`ToolRegistry`](crate::ToolRegistry).
#[derive(Clone)]
pub struct Toolbox {
    /// Our own.
    tools: Vec<Arc<dyn Tool>>,
    externals: ExternalTools,
    /// Of all, guests after our own.
    specs: Vec<ToolSpec>,
    version: u64,
}

/// What the tools that are built in depend on.
#[derive(Debug, Clone)]
pub struct BuiltinToolOptions {
    /// How much the model is invited to plan.
    pub eagerness: Eagerness,
    /// The agents that can be started; without any there is no `Agent`.
    pub agents: Vec<AgentListing>,
    /// Whether the person is in a chat application. They could not approve a plan there, so the model is not offered to
    /// begin one.
    pub channels: bool,
    /// How the web is reached.
    pub web: WebAccess,
}

impl Toolbox {
    /// The tools that are built in.
    pub fn builtin(options: BuiltinToolOptions, services: &ToolServices) -> Self {
        let BuiltinToolOptions { eagerness, agents, channels, web } = options;
        let mut tools = Self::plain(services).tools;
        tools.push(Arc::new(Adapter::new(WebFetch::new(web))));
        if !channels {
            tools.push(Arc::new(EngineAdapter::new(EnterPlanMode { eagerness })));
        }
        tools.push(Arc::new(EngineAdapter::new(ExitPlanMode)));
        if !agents.is_empty() {
            tools.push(Arc::new(EngineAdapter::new(Agent::new(agents))));
        }
        tools.push(search(&tools, &ExternalTools::default()));
        Self::new(tools)
    }

    /// The same tools with these agents to start, if there is a tool that starts any.
    pub(crate) fn with_agents(&self, agents: Vec<AgentListing>) -> Self {
        let mut tools = self.tools.clone();
        if let Some(agent) = tools.iter_mut().find(|tool| tool.spec().name == Agent::NAME) {
            *agent = Arc::new(EngineAdapter::new(Agent::new(agents)));
        }
        Self::assemble(tools, self.externals.clone(), self.version + 1)
    }

    /// The same tools and the one by which guests are called.
    pub(crate) fn with_generic_tool(mut self) -> Self {
        if !self.has_generic_tool() {
            self.tools.push(Arc::new(EngineAdapter::new(CallTool)));
        }
        Self::assemble(self.tools, self.externals, self.version)
    }

    pub(crate) fn has_generic_tool(&self) -> bool {
        self.tools.iter().any(|tool| tool.spec().name == CallTool::NAME)
    }

    /// The next version, in which these are the owner's tools.
    pub(crate) fn with_tools_of(
        &self,
        owner: &Arc<str>,
        coming: Vec<ExternalTool>,
    ) -> (Self, RegistryChange) {
        let own = |name: &str| self.tools.iter().any(|tool| tool.spec().name == name);
        let (externals, change) = self.externals.with_tools_of(owner, coming, own);
        let version = self.version + 1;
        (Self::assemble(self.tools.clone(), externals, version), RegistryChange { version, ..change })
    }

    /// The tools for files, commands, todos and questions: those that are the same in every session.
    pub fn plain(services: &ToolServices) -> Self {
        let ToolServices { shells, .. } = services;
        Self::new(vec![
            Arc::new(Adapter::new(Read)),
            Arc::new(Adapter::new(Edit)),
            Arc::new(Adapter::new(Write)),
            Arc::new(Adapter::new(NotebookEdit)),
            Arc::new(Adapter::new(Glob)),
            Arc::new(Adapter::new(Grep)),
            Arc::new(Adapter::new(Bash { services: services.clone() })),
            Arc::new(Adapter::new(BashOutput { shells: Arc::clone(shells) })),
            Arc::new(Adapter::new(KillShell { shells: Arc::clone(shells) })),
            Arc::new(Adapter::new(Rehearse { services: services.clone() })),
            Arc::new(Adapter::new(TodoWrite)),
            Arc::new(EngineAdapter::new(AskUserQuestion)),
        ])
    }

    /// These tools, in this order; of two with one name the first counts.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let specs = tools.iter().map(|tool| tool.spec().clone()).collect();
        Self { tools, externals: ExternalTools::default(), specs, version: 0 }
    }

    /// `ToolSearch` finds these and no others.
    fn assemble(mut tools: Vec<Arc<dyn Tool>>, externals: ExternalTools, version: u64) -> Self {
        if let Some(at) = tools.iter().position(|tool| tool.spec().name == ToolSearch::NAME) {
            tools.remove(at);
            tools.insert(at, search(&tools, &externals));
        }
        let all = tools.iter().chain(externals.iter().map(|external| &external.tool));
        let specs = all.map(|tool| tool.spec().clone()).collect();
        Self { tools, externals, specs, version }
    }

    /// Those whose names are to be kept, as for a subagent. `ToolSearch` then finds no others either.
    pub fn only(&self, keep: impl Fn(&str) -> bool) -> Self {
        let mut tools = self.tools.clone();
        tools.retain(|tool| keep(&tool.spec().name));
        Self::assemble(tools, self.externals.only(keep), self.version)
    }

    /// Counts the changes of a registry: of two snapshots the larger one is the newer.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The tools of others.
    pub fn external_tools(&self) -> impl Iterator<Item = &ExternalTool> {
        self.externals.iter()
    }

    /// The guest of this name.
    pub fn external_tool(&self, name: &str) -> Option<&ExternalTool> {
        self.externals.get(name)
    }

    /// Whose tool of this name was, if it was there and has gone.
    pub fn gone(&self, name: &str) -> Option<&str> {
        self.externals.gone(name).filter(|_| !self.has(name))
    }

    /// Whether the tool of this name is one of ours.
    pub fn is_builtin(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.spec().name == name)
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let own = self.tools.iter().find(|tool| tool.spec().name == name);
        own.or_else(|| self.externals.get(name).map(|external| &external.tool)).cloned()
    }

    /// Whether there is a tool of this name.
    pub fn has(&self, name: &str) -> bool {
        self.specs.iter().any(|spec| spec.name == name)
    }

    /// What the model is told of all of them, in order.
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// The tools whose schemas can be held back. Without a `ToolSearch` nobody could find them, so then there are none.
    pub fn deferred_names(&self) -> Vec<&str> {
        match self.has(ToolSearch::NAME) {
            false => Vec::new(),
            true => self.deferred().map(|tool| tool.spec().name.as_str()).collect(),
        }
    }

    /// What the model is told with a request. With `defer`: those that are never held back, in order, and after them
    /// the `loaded` ones in the order in which they were loaded, so that loading one only adds to the end. Without:
    /// all of them, in order, but for guests that want to be held back and can be called all the same.
    pub fn specs_with(&self, defer: bool, loaded: &[String]) -> Vec<ToolSpec> {
        let held_back = self.deferred_names();
        let generic = self.has_generic_tool();
        let holds = |name: &str| {
            held_back.contains(&name) && (defer || (generic && self.externals.get(name).is_some()))
        };
        let mut specs = self.specs.clone();
        specs.retain(|spec| !holds(&spec.name));
        if defer {
            self.load_onto(&mut specs, loaded);
        }
        specs
    }

    /// Adds the tools of these names that are there and not in the list yet to its end; whether there were any.
    pub fn load_onto(&self, specs: &mut Vec<ToolSpec>, loaded: &[String]) -> bool {
        let before = specs.len();
        for name in loaded {
            let spec = self.specs.iter().find(|spec| spec.name == *name);
            if let Some(spec) = spec.filter(|spec| !specs.iter().any(|it| it.name == spec.name)) {
                specs.push(spec.clone());
            }
        }
        specs.len() > before
    }

    fn deferred(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        let all = self.tools.iter().chain(self.externals.iter().map(|external| &external.tool));
        all.filter(|tool| tool.deferred().is_some())
    }
}

/// The search among these.
fn search(tools: &[Arc<dyn Tool>], externals: &ExternalTools) -> Arc<dyn Tool> {
    let generic = tools.iter().any(|tool| tool.spec().name == CallTool::NAME);
    let externals = externals.iter().map(|external| &external.tool);
    Arc::new(Adapter::new(ToolSearch::new(tools).with_external(externals, generic)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{built, idle};

    fn options() -> BuiltinToolOptions {
        let listing = |name: &str, description: &str, read_only| AgentListing {
            name: name.to_owned(),
            description: description.to_owned(),
            read_only,
        };
        BuiltinToolOptions {
            eagerness: Eagerness::Eager,
            agents: vec![
                listing("Explore", "Finds files and searches code.", true),
                listing("general-purpose", "Anything else.", false),
            ],
            channels: false,
            web: WebAccess::default(),
        }
    }

    fn names(specs: &[ToolSpec]) -> Vec<&str> {
        specs.iter().map(|spec| spec.name.as_str()).collect()
    }

    const PLAIN: [&str; 12] = [
        "Read",
        "Edit",
        "Write",
        "NotebookEdit",
        "Glob",
        "Grep",
        "Bash",
        "BashOutput",
        "KillShell",
        "Rehearse",
        "TodoWrite",
        "AskUserQuestion",
    ];

    /// The whole text that every request begins with: a change here is a change of what models read.
    #[test]
    fn what_the_model_is_told() {
        // Sorted, because another crate's features can make JSON objects keep their order.
        insta::with_settings!({sort_maps => true}, {
            insta::assert_json_snapshot!(built(options()).specs());
        });
    }

    #[test]
    fn what_the_model_is_told_when_planning_is_reserved() {
        let tools = built(BuiltinToolOptions { eagerness: Eagerness::Reserved, ..options() });
        insta::assert_snapshot!(tools.get("EnterPlanMode").unwrap().spec().description);
    }

    #[test]
    fn tools_are_found_by_their_name() {
        let tools = built(options());
        assert!(tools.specs().iter().all(|spec| tools.has(&spec.name) && tools.get(&spec.name).is_some()));
        assert!(tools.get("read").is_none() && !tools.has("read"));
    }

    #[test]
    fn what_is_offered_and_in_which_order() {
        let offered = |options: BuiltinToolOptions| names(built(options).specs())[PLAIN.len()..].join(" ");
        assert_eq!(names(Toolbox::plain(&idle()).specs()), PLAIN);
        assert_eq!(names(&built(options()).specs()[..PLAIN.len()]), PLAIN);
        assert_eq!(offered(options()), "WebFetch EnterPlanMode ExitPlanMode Agent ToolSearch");
        assert_eq!(
            offered(BuiltinToolOptions { channels: true, ..options() }),
            "WebFetch ExitPlanMode Agent ToolSearch"
        );
        assert_eq!(
            offered(BuiltinToolOptions { agents: vec![], ..options() }),
            "WebFetch EnterPlanMode ExitPlanMode ToolSearch"
        );
    }

    #[test]
    fn loading_a_tool_only_adds_to_the_end() {
        let tools = built(options());
        assert_eq!(tools.deferred_names(), ["Rehearse", "EnterPlanMode", "ExitPlanMode"]);
        let with = |defer, loaded: &[&str]| {
            let loaded: Vec<String> = loaded.iter().map(|name| (*name).to_owned()).collect();
            tools.specs_with(defer, &loaded)
        };
        let begin = with(true, &[]);
        assert_eq!(names(&begin)[PLAIN.len() - 1..], ["WebFetch", "Agent", "ToolSearch"]);
        let loaded = with(true, &["ExitPlanMode", "Read", "gone", "EnterPlanMode", "ExitPlanMode"]);
        assert_eq!(names(&loaded)[begin.len()..], ["ExitPlanMode", "EnterPlanMode"]);
        assert_eq!(loaded[..begin.len()], begin);
        assert_eq!(with(false, &["ExitPlanMode"]), tools.specs());
    }

    #[test]
    fn a_subagent_gets_its_part() {
        let part = built(options()).only(|name| !["Agent", "EnterPlanMode", "Write"].contains(&name));
        assert_eq!(
            names(part.specs()),
            PLAIN
                .into_iter()
                .filter(|name| *name != "Write")
                .chain(["WebFetch", "ExitPlanMode", "ToolSearch"])
                .collect::<Vec<_>>()
        );
        let search = part.get("ToolSearch").unwrap().spec().description.clone();
        assert!(search.contains("`ExitPlanMode`") && !search.contains("EnterPlanMode"), "{search}");
        // Who cannot search is told everything from the start.
        let mute = built(options()).only(|name| name != "ToolSearch");
        assert_eq!(mute.deferred_names(), [""; 0]);
        assert_eq!(mute.specs_with(true, &[]), mute.specs());
    }
}
