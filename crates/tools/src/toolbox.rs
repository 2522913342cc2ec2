//! All tools, by name.

use std::sync::Arc;

use forelook_protocol::ToolSpec;

use crate::ask_user_question::AskUserQuestion;
use crate::bash::Bash;
use crate::edit::Edit;
use crate::read::Read;
use crate::todo_write::TodoWrite;
use crate::tool::Tool;
use crate::typed::Adapter;
use crate::write::Write;

/// Tools in a stable order: a request that repeats the former one's prefix is cheaper.
#[derive(Clone)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    specs: Vec<ToolSpec>,
}

impl Toolbox {
    /// The tools that are built in.
    pub fn built() -> Self {
        Self::new(vec![
            Arc::new(Adapter::new(Read)),
            Arc::new(Adapter::new(Edit)),
            Arc::new(Adapter::new(Write)),
            Arc::new(Adapter::new(Bash)),
            Arc::new(Adapter::new(TodoWrite)),
            Arc::new(Adapter::new(AskUserQuestion)),
        ])
    }

    /// These tools, in this order; of two with one name the first counts.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let specs = tools.iter().map(|tool| tool.spec().clone()).collect();
        Self { tools, specs }
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name).cloned()
    }

    /// What the model is told of them, in order.
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole text that every request begins with: a change here is a change of what models read.
    #[test]
    fn what_the_model_is_told() {
        // Sorted, because another crate's features can make JSON objects keep their order.
        insta::with_settings!({sort_maps => true}, {
            insta::assert_json_snapshot!(Toolbox::built().specs());
        });
    }

    #[test]
    fn tools_are_found_by_their_name() {
        let tools = Toolbox::built();
        assert!(tools.specs().iter().all(|spec| tools.get(&spec.name).is_some()));
        assert!(tools.get("read").is_none());
    }
}
