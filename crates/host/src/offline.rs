//! What decides without a session: about calls from before, or about one that a person writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use forelook_engine::{ProjectAgents, built_in_agents, load_agents, merge_agents};
use forelook_facts::{FactProbe, KernelProbe, ProjectGit};
use forelook_plan::Eagerness;
use forelook_protocol::{AbsPath, Action, Fact, Facts, ToolCall};
use forelook_settings::{Env, SettingsPaths, Trust};
use forelook_tools::{BuiltinToolOptions, CallLocation, ToolServices, Toolbox, WebAccess};
use tokio::runtime::{Builder, Runtime};

use crate::authority::LoadedSettings;
use crate::child_env::probe_env;
use crate::failure::{Failure, FailureClass};
use crate::project_files::bound_files;

/// A `FactProbe` for whoever is not a task.
pub struct BlockingProbe {
    probe: FactProbe,
    runtime: Runtime,
}

impl BlockingProbe {
    /// One that looks at this machine, whose kernel enforces this.
    pub fn new(
        env: &Env,
        folder: &AbsPath,
        loaded: &LoadedSettings,
        kernel: Arc<dyn KernelProbe>,
    ) -> Result<Self, Failure> {
        let (home, trusted) = (env.user_home.clone(), loaded.trust == Trust::Trusted);
        let probe = FactProbe {
            env: Arc::new(probe_env(env, &loaded.settings.models)),
            git: ProjectGit::new(folder.clone(), home.clone(), trusted),
            home,
            kernel: Some(kernel),
        };
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Self { probe, runtime: runtime.map_err(|error| Failure::of(FailureClass::Task, &error))? })
    }

    /// Finds out what is missing.
    pub fn probe(&self, missing: BTreeSet<Fact>, facts: &mut Facts) {
        self.runtime.block_on(self.probe.probe(missing, facts));
    }
}

/// Reads calls as the tools do.
pub struct CallReader(Toolbox);

impl CallReader {
    /// With the agents that there are; what tools would say to a model does not matter here.
    pub fn new(env: &Env, settings_paths: &SettingsPaths, loaded: &LoadedSettings) -> Self {
        let files = bound_files(settings_paths, loaded);
        let project = &settings_paths.project;
        let theirs = ProjectAgents { project, files: &files, trusted: loaded.trust == Trust::Trusted };
        let (own, _) = load_agents(Some(&env.home), theirs);
        let options = BuiltinToolOptions {
            eagerness: Eagerness::default(),
            agents: merge_agents([built_in_agents(), own]).iter().map(|kind| kind.listing()).collect(),
            channels: false,
            web: WebAccess::default(),
        };
        // Nothing is run here.
        Self(Toolbox::builtin(options, &ToolServices::new(Arc::default(), env.home.clone())))
    }

    /// What a call would do for an agent that works in `folder` of `project`; nothing if it is no call of ours.
    pub fn action(&self, call: &ToolCall, project: AbsPath, folder: AbsPath) -> Option<Action> {
        self.0
            .get(&call.name)?
            .parse(&call.input)
            .ok()?
            .action(&CallLocation { project, folder, agent: None })
            .ok()
    }
}
