//! Puts the parts of a session together and opens it.

use std::sync::Arc;
use std::time::Duration;

use forelook_disk::ProjectFiles;
use forelook_engine::{
    BasePrompt, Client, CompactionConfig, Config, Environment, Instructions, ModelCatalog, OpenError,
    ResolvedModel, SessionStart, SystemPrompt,
};
use forelook_fences::FenceSetup;
use forelook_permissions::{ModeConditions, ModeTrigger, TransitionError, transition};
use forelook_protocol::{FileRef, HostServices, Mode, ModeState, Notice};
use forelook_settings::{Env, Settings, SettingsPaths};
use forelook_tools::{BuiltinToolOptions, ToolRegistry, ToolServices, Toolbox, WebAccess};

use crate::agents::{self, AgentSources};
use crate::authority;
use crate::child_env::session_env;
use crate::failure::{Failure, FailureClass};
use crate::for_model;
use crate::model_selection::ModelSelection;
use crate::models::KnownModels;
use crate::planning::{PlanningSetup, planning_setup, value};
use crate::prepared_session::{PreparedSession, no_model, session_failure};
use crate::project_files::project_files;
use crate::services::{Services, SessionReport};
use crate::set_aside;
use crate::warning;

/// Files that were not read and are told one by one: a stranger's file must not fill the screen with them.
const MAX_UNREAD: usize = 20;

/// A session that is open.
pub struct OpenSession {
    /// Front ends attach here.
    pub client: Client,
    /// The person's machine, for front ends.
    pub services: Arc<dyn HostServices>,
    /// What the person should hear before anything else.
    pub notices: Vec<Notice>,
}

/// The models of a session that is being opened.
struct SessionModels {
    models: KnownModels,
    main: ResolvedModel,
    /// What is wrong with others.
    notices: Vec<Notice>,
}

impl PreparedSession {
    /// Opens the session. One that cannot begin leaves nothing behind, not even a journal.
    pub async fn open(self) -> Result<OpenSession, Failure> {
        let (config, notices) = self.config().await?;
        let services = Arc::clone(&config.services);
        let client = open(config).await?;
        Ok(OpenSession { client, services, notices })
    }

    /// Opens the session for front ends elsewhere: what there is to hear comes with the first one's events.
    pub async fn open_to_serve(self) -> Result<Client, Failure> {
        let (config, startup_notices) = self.config().await?;
        open(Config { startup_notices, ..config }).await
    }

    async fn config(self) -> Result<(Config, Vec<Notice>), Failure> {
        let search = authority::link_search(self.host.env(), &self.settings_paths, &self.loaded);
        // Not on this thread, on which the connection to the model is made meanwhile.
        let links = tokio::task::spawn_blocking(move || search.run());
        let models = self.models()?;
        let links = links.await.map_err(|error| Failure::of(FailureClass::Task, &error))?;
        self.config_with(models, links)
    }

    /// The models of the session; the connection to the main one begins.
    fn models(&self) -> Result<SessionModels, Failure> {
        let (env, settings) = (self.host.env(), self.settings());
        let (models, notices) = KnownModels::new(env, &settings.models, self.spec.folder.clone());
        let model = self.model.as_ref().ok_or_else(no_model)?.name();
        let main = models
            .main(model)
            .map_err(|why| Failure::new(FailureClass::Usage, format!("Cannot use model `{model}`: {why}")))?;
        // What the first request must wait for begins now, while the session is opened.
        main.provider.warm_up();
        Ok(SessionModels { models, main, notices })
    }

    fn config_with(
        self,
        models: SessionModels,
        links: Vec<FileRef>,
    ) -> Result<(Config, Vec<Notice>), Failure> {
        let services = self.services();
        let Self { host, spec, settings_paths, loaded, model, notices: told, .. } = self;
        let (env, settings) = (host.env(), &loaded.settings);
        let mut notices = settings.problems.clone();
        let mut report = |wrong: Vec<Notice>| notices.extend(wrong);
        report(model.as_ref().and_then(ModelSelection::notice).into_iter().collect());
        report(told);
        let SessionModels { models, main, notices: wrong } = models;
        report(wrong);
        let (permissions, fence_config, wrong) =
            authority::permissions(env, &spec, &settings_paths, &loaded, links);
        report(wrong);
        let files = project_files(env, &settings_paths, &loaded, &permissions);
        // A session from before keeps its mode: only the command line may change it.
        let new = matches!(spec.start, SessionStart::New(_));
        let set = settings.default_mode.as_ref().map(|mode| mode.value).filter(|_| new);
        let (set, clamped) = for_model::clamp(set, env.runs_for_model);
        report(clamped.into_iter().collect());
        let (mode, wrong) = mode(spec.mode, set, &permissions.conditions)?;
        let (given, unread) = agents::from_flag(spec.agents.as_deref())?;
        let child = session_env(env, settings);
        let (hooks, unfit) = authority::hooks(&loaded, &child, &spec.folder);
        report(unfit);
        report(wrong.into_iter().collect());
        let (PlanningSetup { planning, eagerness }, wrong) =
            planning_setup(env, &settings_paths, &loaded, &models, &files);
        report(wrong);
        let sources = AgentSources {
            env,
            settings_paths: &settings_paths,
            trust: loaded.trust,
            files: &files,
            settings,
            models: &models,
        };
        let (catalog, wrong) = sources.catalog(given);
        report(wrong);
        report(unread);
        report(spec.notices);
        let scratch = env.home.join("scratch");
        forelook_disk::make_private(&scratch).map_err(|error| Failure::of(FailureClass::Task, &error))?;
        let tool_services = ToolServices::new(Arc::new(child), scratch.clone());
        let options = BuiltinToolOptions {
            eagerness,
            agents: catalog.kinds.iter().map(|kind| kind.listing()).collect(),
            channels: spec.channels.iter().any(|channel| !channel.trim().is_empty()),
            web: WebAccess { network: models.network(), allow_local: settings.web_local.clone() },
        };
        let tools = Toolbox::builtin(options, &tool_services);
        // The model is not offered what it could never run.
        let disallowed = authority::disallowed_tools(&spec.rules);
        let tools = ToolRegistry::new(tools).only(move |name| !disallowed.iter().any(|tool| tool == name));
        let (fallback, wrong) = fallback(spec.fallback_model.as_deref(), settings, &models, &main.id);
        report(wrong);
        let (instructions, unread) = instructions(env, &settings_paths, &files);
        report(unread);
        let system = SystemPrompt {
            base: spec.system_prompt.map_or(BasePrompt::BuiltIn, BasePrompt::Custom),
            environment: Environment::detect(
                &spec.folder,
                &*host.clock(),
                tool_services.env.get("SHELL"),
                &loaded.owners,
            ),
            instructions,
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
                set_aside: env.home.join(set_aside::FOLDER),
                ..fence_config.setup(env, scratch.join("fences"))
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
            max_turns: spec.max_turns.or(Some(u32::from(settings.models.max_answers))),
            planning,
            compaction: CompactionConfig {
                auto: settings.compaction.auto,
                threshold: settings.compaction.threshold,
            },
            agent_catalog: catalog,
            responder: spec.responder,
            reviewer: spec.reviewer,
            question_wait: Duration::from_secs(60 * u64::from(settings.question_wait)),
            // Auto mode is not built yet.
            classifier: None,
            startup_notices: Vec::new(),
            clock: host.clock(),
            ids: host.ids(),
        };
        Ok((config, notices))
    }

    /// The person's machine, as this session has it.
    fn services(&self) -> Arc<dyn HostServices> {
        let env = self.host.env();
        let report = SessionReport { settings: self.settings_report(), trust: self.trust_report() };
        Arc::new(Services::new(env, self.settings_paths.clone(), &self.loaded, self.terminal.clone(), report))
    }
}

/// The instruction files of the user and of the project, and what of them was left out.
fn instructions(
    env: &Env,
    settings_paths: &SettingsPaths,
    files: &ProjectFiles,
) -> (Instructions, Vec<Notice>) {
    let mut instructions = Instructions::default();
    // The user's own are wherever their links lead.
    instructions.add_own(&env.home, &files.clone().anywhere());
    instructions.add_project(&settings_paths.project, &settings_paths.working, files);
    let more = instructions.problems.len().saturating_sub(MAX_UNREAD);
    let unread = instructions.problems.iter().take(MAX_UNREAD).cloned();
    let more = (more > 0).then(|| format!("{more} more files that instruction files include were not read"));
    let unread = unread.chain(more).map(warning).collect();
    (instructions, unread)
}

async fn open(config: Config) -> Result<Client, Failure> {
    forelook_engine::open(config).await.map_err(|error| match &error {
        OpenError::Session(session) => session_failure(session),
        OpenError::Journal(_) => Failure::of(FailureClass::Task, &error),
        OpenError::Mode(_) => Failure::of(FailureClass::Usage, &error),
    })
}

/// Who is asked while the model has too much to do. One that cannot be used is told now, not when it is needed.
fn fallback(
    configured: Option<&str>,
    settings: &Settings,
    models: &KnownModels,
    main: &str,
) -> (Option<String>, Vec<Notice>) {
    let (named, by) = match (configured, value(&settings.models.fallback)) {
        (Some(flag), _) => (flag, "`--fallback-model`"),
        (None, Some(set)) => (set, "`model.fallback`"),
        (None, None) => return (None, Vec::new()),
    };
    match models.resolve(named) {
        Ok(choice) if choice.id == main => {
            let text =
                format!("{by} is the session's main model, `{main}`, and has no effect\nChoose another one");
            (None, vec![warning(text)])
        }
        Ok(choice) => (Some(choice.id), Vec::new()),
        Err(why) => {
            let text = format!("{by} is `{named}`, which cannot be used: {why}\nThere is no fallback model");
            (None, vec![warning(text)])
        }
    }
}

/// The mode to begin with. One that the command line names must be had; one that settings name is left, if it cannot be.
fn mode(
    named: Option<Mode>,
    set: Option<Mode>,
    conditions: &ModeConditions,
) -> Result<(Option<Mode>, Option<Notice>), Failure> {
    match (named, set) {
        (Some(mode), _) => {
            available(mode, conditions).map_err(|error| Failure::of(FailureClass::Usage, &error))?;
            Ok((named, None))
        }
        (None, Some(mode)) => Ok(match available(mode, conditions) {
            Ok(()) => (set, None),
            Err(why) => (None, Some(warning(format!("The mode from the settings was ignored: {why}")))),
        }),
        (None, None) => Ok((None, None)),
    }
}

/// Whether a session could begin in this mode.
fn available(mode: Mode, conditions: &ModeConditions) -> Result<(), TransitionError> {
    transition(&ModeState::default(), ModeTrigger::To(mode), conditions).map(drop)
}
