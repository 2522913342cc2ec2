//! What decides without a session: about calls from before, or about one that a person writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use forelook_engine::{built_in, layered, load_agents};
use forelook_facts::FactProbe;
use forelook_plan::Eagerness;
use forelook_protocol::{AbsPath, Action, Fact, Facts, ToolCall};
use forelook_sandbox::ChildEnv;
use forelook_settings::{Env, Places, Trust};
use forelook_tools::{BuiltTools, Place, ToolServices, Toolbox, Web};
use tokio::runtime::{Builder, Runtime};

use crate::failure::{Failure, Kind};

/// Finds out the facts that a decision asks for.
pub struct FactFinder {
    probe: FactProbe,
    runtime: Runtime,
}

impl FactFinder {
    /// One that looks at this machine.
    pub fn new(env: &Env) -> Result<Self, Failure> {
        let probe = FactProbe {
            env: Arc::new(ChildEnv::from_process_without_secrets(env.all().iter().cloned())),
            home: env.user_home.clone(),
            fence: None,
        };
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Self { probe, runtime: runtime.map_err(|error| Failure::of(Kind::Task, &error))? })
    }

    /// Finds out what is missing.
    pub fn find_out(&self, missing: BTreeSet<Fact>, facts: &mut Facts) {
        self.runtime.block_on(self.probe.probe(missing, facts));
    }
}

/// Reads calls as the tools do.
pub struct CallReader(Toolbox);

impl CallReader {
    /// With the agents that there are; what tools would say to a model does not matter here.
    pub fn new(env: &Env, places: &Places, trust: Trust) -> Self {
        let (own, _) = load_agents(Some(&env.home), &places.project, trust == Trust::Trusted);
        let options = BuiltTools {
            eagerness: Eagerness::default(),
            agents: layered([built_in(), own]).iter().map(|kind| kind.listing()).collect(),
            channels: false,
            web: Web::default(),
        };
        // Nothing is run here.
        Self(Toolbox::built(options, &ToolServices::new(Arc::default(), env.home.clone())))
    }

    /// What a call would do for an agent that works in `folder` of `project`; nothing if it is no call of ours.
    pub fn action(&self, call: &ToolCall, project: AbsPath, folder: AbsPath) -> Option<Action> {
        self.0.get(&call.name)?.parse(&call.input).ok()?.action(&Place { project, folder }).ok()
    }
}
