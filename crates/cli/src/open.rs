//! Puts the parts of a session together and opens it.

use std::sync::Arc;
use std::time::Duration;

use forelook_engine::{
    Client, Conduct, Config, Environment, Instructions, Models, OpenError, Start, SystemPrompt,
};
use forelook_permissions::{Change, Conditions, NotChanged, transition};
use forelook_protocol::{AbsPath, Clock, Ids, Mode, Notice, Standing};
use forelook_sandbox::ChildEnv;
use forelook_settings::{Env, Settings};
use forelook_tools::{BuiltTools, FenceSetup, Toolbox, Web};

use crate::args::SessionArgs;
use crate::authority;
use crate::crew::{self, Sources};
use crate::editor::PersonsEditor;
use crate::failure::{Failure, Kind};
use crate::fencing::Fencing;
use crate::models::KnownModels;
use crate::planning::{HowToPlan, how_to_plan, value};
use crate::run::{Task, no_model, session_failure, warning};
use crate::servers::Servers;

/// A session that is open.
pub(crate) struct Opened {
    pub(crate) client: Client,
    /// What the person should hear before anything else.
    pub(crate) notices: Vec<Notice>,
}

impl Task<'_> {
    /// Opens the session. A run that cannot begin leaves nothing behind, not even a journal.
    pub(crate) async fn open(self, ids: &Arc<dyn Ids>, clock: &Arc<dyn Clock>) -> Result<Opened, Failure> {
        let (config, notices) = self.config(ids, clock)?;
        let client = open(config).await?;
        Ok(Opened { client, notices })
    }

    /// Opens the session for front ends elsewhere: what there is to hear comes with the first one's events.
    pub(crate) async fn open_to_serve(
        self,
        ids: &Arc<dyn Ids>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Client, Failure> {
        let (config, opening) = self.config(ids, clock)?;
        open(Config { opening, ..config }).await
    }

    fn config(self, ids: &Arc<dyn Ids>, clock: &Arc<dyn Clock>) -> Result<(Config, Vec<Notice>), Failure> {
        let (env, settings) = (self.env, &self.loaded.settings);
        let mut notices = self.notices;
        let mut hear = |wrong: Vec<Notice>| notices.extend(wrong);
        let (models, wrong) = KnownModels::new(env, &settings.models, self.folder.clone());
        hear(wrong);
        let model = self.model.ok_or_else(no_model)?;
        let main = models
            .main(&model)
            .map_err(|why| Failure::new(Kind::Usage, format!("Model `{model}` cannot be used: {why}")))?;
        // What the first request must wait for begins now, while the session is opened.
        main.provider.warm_up();
        let (fencing, wrong) = Fencing::of(&settings.sandbox);
        hear(wrong);
        let (permissions, unfit) =
            authority::permissions(env, &self.args, &self.places, &self.loaded, &fencing);
        let folders: Vec<AbsPath> = permissions.folders.iter().chain([&self.folder]).cloned().collect();
        hear(fencing.cannot_be_held(env, &folders).into_iter().collect());
        hear(unfit);
        // A session from before keeps its mode: only the command line may change it.
        let new = matches!(self.start, Start::New(_));
        let set = settings.default_mode.as_ref().map(|mode| mode.value).filter(|_| new);
        let (mode, wrong) = mode(self.args.permission_mode, set, &permissions.conditions)?;
        let (given, unread) = crew::given(self.args.session.agents.as_deref())?;
        let child = child_env(env, settings);
        let (hooks, unfit) = authority::hooks(settings, &child, &self.folder);
        hear(unfit);
        hear(wrong.into_iter().collect());
        let (HowToPlan { planning, eagerness }, wrong) = how_to_plan(env, &self.places, settings, &models);
        hear(wrong);
        let sources =
            Sources { env, places: &self.places, trust: self.loaded.trust, settings, models: &models };
        let (crew, wrong) = sources.crew(given);
        hear(wrong);
        hear(unread);
        hear(self.audience.notice.into_iter().collect());
        let tools = Toolbox::built(BuiltTools {
            eagerness,
            agents: crew.kinds.iter().map(|kind| kind.listing()).collect(),
            channels: self.args.channels.iter().any(|channel| !channel.trim().is_empty()),
            web: Web { network: models.network(), allow_local: settings.web_local.clone() },
        });
        // The model is not offered what it could never run.
        let disallowed = authority::disallowed_tools(&self.args.session.rules);
        let tools = tools.only(|name| !disallowed.iter().any(|tool| tool == name));
        let (fallback, wrong) = fallback(&self.args.session, settings, &models, &main.id);
        hear(wrong);
        let scratch = env.home.join("scratch");
        forelook_disk::make_private(&scratch).map_err(|error| Failure::of(Kind::Task, &error))?;
        let said = self.args.session;
        let system = SystemPrompt {
            conduct: said.system_prompt.map_or(Conduct::Ours, Conduct::Replaced),
            environment: Environment::look(&self.folder, &**clock),
            instructions: Instructions::load(Some(&env.home), &self.folder),
            append: said.append_system_prompt,
        };
        let mut editor = PersonsEditor::find(env, &self.folder);
        if let Some(borrower) = self.borrower {
            editor = editor.borrowing(borrower);
        }
        let config = Config {
            start: self.start,
            editor: Arc::new(editor),
            folder: self.folder,
            store: self.store,
            // A folder of each session, below.
            fences: FenceSetup {
                network: (*models.network()).clone(),
                ..fencing.setup(env, scratch.join("fences"))
            },
            scratch,
            mode,
            permissions,
            hooks: Arc::new(hooks),
            model: main.id,
            model_named: said.model.is_some(),
            fallback,
            models: Arc::new(models),
            tools,
            env: Arc::new(child),
            system,
            max_turns: said.max_turns,
            planning,
            crew,
            answerer: self.audience.answerer,
            reviewer: self.audience.reviewer,
            question_wait: Duration::from_secs(60 * u64::from(settings.question_wait)),
            // Auto mode is not built yet.
            judge: None,
            opening: Vec::new(),
            clock: Arc::clone(clock),
            ids: Arc::clone(ids),
        };
        Ok((config, notices))
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
    said: &SessionArgs,
    settings: &Settings,
    models: &KnownModels,
    main: &str,
) -> (Option<String>, Vec<Notice>) {
    let (named, by) = match (&said.fallback_model, value(&settings.models.fallback)) {
        (Some(flag), _) => (flag.as_str(), "`--fallback-model`"),
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
