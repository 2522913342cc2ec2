//! Puts the parts of a session together and opens it.

use std::sync::Arc;
use std::time::Duration;

use forelook_engine::{
    Client, Conduct, Config, Environment, Instructions, Models, OpenError, Start, SystemPrompt,
};
use forelook_fences::FenceSetup;
use forelook_permissions::{Change, Conditions, NotChanged, transition};
use forelook_protocol::{AbsPath, HostServices, Mode, Notice, Standing};
use forelook_sandbox::ChildEnv;
use forelook_settings::{Env, Settings};
use forelook_tools::{BuiltTools, ToolRegistry, ToolServices, Toolbox, Web};

use crate::authority;
use crate::crew::{self, Sources};
use crate::failure::{Failure, Kind};
use crate::fencing::Fencing;
use crate::models::KnownModels;
use crate::planning::{HowToPlan, how_to_plan, value};
use crate::prepared::{Prepared, no_model, session_failure};
use crate::servers::Servers;
use crate::services::Services;
use crate::warning;

/// A session that is open.
pub struct Opened {
    /// Front ends attach here.
    pub client: Client,
    /// The person's machine, for front ends.
    pub services: Arc<dyn HostServices>,
    /// What the person should hear before anything else.
    pub notices: Vec<Notice>,
}

impl Prepared {
    /// Opens the session. One that cannot begin leaves nothing behind, not even a journal.
    pub async fn open(self) -> Result<Opened, Failure> {
        let (config, notices) = self.config()?;
        let services = Arc::clone(&config.services);
        let client = open(config).await?;
        Ok(Opened { client, services, notices })
    }

    /// Opens the session for front ends elsewhere: what there is to hear comes with the first one's events.
    pub async fn open_to_serve(self) -> Result<Client, Failure> {
        let (config, opening) = self.config()?;
        open(Config { opening, ..config }).await
    }

    fn config(self) -> Result<(Config, Vec<Notice>), Failure> {
        let services = self.services();
        let Self { host, spec, places, loaded, model, mut notices, .. } = self;
        let (env, settings) = (host.env(), &loaded.settings);
        let mut hear = |wrong: Vec<Notice>| notices.extend(wrong);
        let (models, wrong) = KnownModels::new(env, &settings.models, spec.folder.clone());
        hear(wrong);
        let model = model.ok_or_else(no_model)?;
        let main = models
            .main(&model)
            .map_err(|why| Failure::new(Kind::Usage, format!("Model `{model}` cannot be used: {why}")))?;
        // What the first request must wait for begins now, while the session is opened.
        main.provider.warm_up();
        let (fencing, wrong) = Fencing::of(&settings.sandbox);
        hear(wrong);
        let (permissions, unfit) = authority::permissions(env, &spec, &places, &loaded, &fencing);
        let folders: Vec<AbsPath> = permissions.folders.iter().chain([&spec.folder]).cloned().collect();
        hear(fencing.cannot_be_held(env, &folders).into_iter().collect());
        hear(unfit);
        // A session from before keeps its mode: only the command line may change it.
        let new = matches!(spec.start, Start::New(_));
        let set = settings.default_mode.as_ref().map(|mode| mode.value).filter(|_| new);
        let (mode, wrong) = mode(spec.mode, set, &permissions.conditions)?;
        let (given, unread) = crew::given(spec.agents.as_deref())?;
        let child = child_env(env, settings);
        let (hooks, unfit) = authority::hooks(settings, &child, &spec.folder);
        hear(unfit);
        hear(wrong.into_iter().collect());
        let (HowToPlan { planning, eagerness }, wrong) = how_to_plan(env, &places, settings, &models);
        hear(wrong);
        let sources = Sources { env, places: &places, trust: loaded.trust, settings, models: &models };
        let (crew, wrong) = sources.crew(given);
        hear(wrong);
        hear(unread);
        hear(spec.notices);
        let scratch = env.home.join("scratch");
        forelook_disk::make_private(&scratch).map_err(|error| Failure::of(Kind::Task, &error))?;
        let tool_services = ToolServices::new(Arc::new(child), scratch.clone());
        let options = BuiltTools {
            eagerness,
            agents: crew.kinds.iter().map(|kind| kind.listing()).collect(),
            channels: spec.channels.iter().any(|channel| !channel.trim().is_empty()),
            web: Web { network: models.network(), allow_local: settings.web_local.clone() },
        };
        let tools = Toolbox::built(options, &tool_services);
        // The model is not offered what it could never run.
        let disallowed = authority::disallowed_tools(&spec.rules);
        let tools = ToolRegistry::new(tools).only(move |name| !disallowed.iter().any(|tool| tool == name));
        let (fallback, wrong) = fallback(spec.fallback_model.as_deref(), settings, &models, &main.id);
        hear(wrong);
        let system = SystemPrompt {
            conduct: spec.system_prompt.map_or(Conduct::Ours, Conduct::Replaced),
            environment: Environment::look(&spec.folder, &*host.clock()),
            instructions: Instructions::load(Some(&env.home), &spec.folder),
            append: spec.append_system_prompt,
        };
        let config = Config {
            start: spec.start,
            services,
            folder: spec.folder,
            store: host.store(),
            // A folder of each session, below.
            fences: FenceSetup {
                network: (*models.network()).clone(),
                ..fencing.setup(env, scratch.join("fences"))
            },
            mode,
            permissions,
            hooks: Arc::new(hooks),
            model: main.id,
            model_named: spec.model.is_some(),
            fallback,
            models: Arc::new(models),
            tools,
            tool_services,
            system,
            max_turns: spec.max_turns,
            planning,
            crew,
            answerer: spec.answerer,
            reviewer: spec.reviewer,
            question_wait: Duration::from_secs(60 * u64::from(settings.question_wait)),
            // Auto mode is not built yet.
            judge: None,
            opening: Vec::new(),
            clock: host.clock(),
            ids: host.ids(),
        };
        Ok((config, notices))
    }

    /// The person's machine, as this session has it.
    fn services(&self) -> Arc<dyn HostServices> {
        let (env, settings) = (self.host.env(), &self.loaded.settings);
        Arc::new(Services::new(env, self.places.clone(), settings, self.terminal.clone()))
    }
}

async fn open(config: Config) -> Result<Client, Failure> {
    forelook_engine::open(config).await.map_err(|error| match &error {
        OpenError::Session(session) => session_failure(session),
        OpenError::NotRecorded(_) => Failure::of(Kind::Task, &error),
        OpenError::Mode(_) => Failure::of(Kind::Usage, &error),
    })
}

/// Who is asked while the model has too much to do. One that cannot be used is told now, not when it is needed.
fn fallback(
    said: Option<&str>,
    settings: &Settings,
    models: &KnownModels,
    main: &str,
) -> (Option<String>, Vec<Notice>) {
    let (named, by) = match (said, value(&settings.models.fallback)) {
        (Some(flag), _) => (flag, "`--fallback-model`"),
        (None, Some(set)) => (set, "`model.fallback`"),
        (None, None) => return (None, Vec::new()),
    };
    match models.find(named) {
        Ok(choice) if choice.id == main => {
            let text =
                format!("{by} is the session's own model, `{main}`, and does nothing\nName another one");
            (None, vec![warning(text)])
        }
        Ok(choice) => (Some(choice.id), Vec::new()),
        Err(why) => {
            let text =
                format!("{by} is `{named}`, which cannot be used: {why}\nThere is no model to fall back to");
            (None, vec![warning(text)])
        }
    }
}

/// The mode to begin with. One that the command line names must be had; one that settings name is left, if it cannot be.
fn mode(
    named: Option<Mode>,
    set: Option<Mode>,
    conditions: &Conditions,
) -> Result<(Option<Mode>, Option<Notice>), Failure> {
    match (named, set) {
        (Some(mode), _) => {
            available(mode, conditions).map_err(|error| Failure::of(Kind::Usage, &error))?;
            Ok((named, None))
        }
        (None, Some(mode)) => Ok(match available(mode, conditions) {
            Ok(()) => (set, None),
            Err(why) => (None, Some(warning(format!("The settings' mode is not used: {why}")))),
        }),
        (None, None) => Ok((None, None)),
    }
}

/// Whether a session could begin in this mode.
fn available(mode: Mode, conditions: &Conditions) -> Result<(), NotChanged> {
    transition(&Standing::default(), Change::To(mode), conditions).map(drop)
}

fn child_env(env: &Env, settings: &Settings) -> ChildEnv {
    let mut child = ChildEnv::from_process_without_secrets(env.all().iter().cloned());
    // Without these, npm writes a log and looks for updates even where it is only asked what is installed.
    for (name, value) in [("npm_config_logs_max", "0"), ("npm_config_update_notifier", "false")] {
        if child.get(name).is_none() {
            child.set(name, value);
        }
    }
    for name in Servers::own_variables(&settings.models) {
        child.forget(name);
    }
    for (name, said) in &settings.env {
        child.set(name, &said.value);
    }
    child
}
