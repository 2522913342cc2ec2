//! What a session is to be: plain data, whoever asks for it and however it was said.

use std::ffi::OsString;

use forelook_engine::{Responder, SessionStart};
use forelook_protocol::{AbsPath, Mode, Notice};

/// What a session is to be.
#[derive(Debug, Clone)]
pub struct SessionSpec {
    /// The folder it works in. A session from before goes on in its own, whatever stands here; a fork begins here.
    pub folder: AbsPath,
    /// A new one, or one from before.
    pub start: SessionStart,
    /// The mode to begin with; nothing: that of the settings or of the session.
    pub mode: Option<Mode>,
    /// Whether the mode `bypassPermissions` can be had, even if the session does not begin in it.
    pub allow_bypass: bool,
    /// The model, as `provider/name`; nothing: the one that environment or settings name, or that is found.
    pub model: Option<String>,
    /// Who is asked while the model has too much to do.
    pub fallback_model: Option<String>,
    /// Words for the model in place of our own.
    pub system_prompt: Option<String>,
    /// Words for the model beside our own.
    pub append_system_prompt: Option<String>,
    /// More agents, as JSON; they win over those in files.
    pub agents: Option<String>,
    /// How many answers a turn may take.
    pub max_turns: Option<u32>,
    /// Rules, folders and settings of this session alone.
    pub rules: RuleSpec,
    /// Who answers questions.
    pub responder: Responder,
    /// Who answers for plans.
    pub reviewer: Responder,
    /// The chat bridges through which the person is reached. Nobody can read and approve a plan there, so the model is
    /// not offered to begin one.
    pub channels: Vec<String>,
    /// What whoever asks for the session has to say about it, for the person to hear.
    pub notices: Vec<Notice>,
}

/// Rules and settings of one session.
#[derive(Debug, Clone, Default)]
pub struct RuleSpec {
    /// Rules that allow; a text may hold several, separated by commas or spaces.
    pub allowed: Vec<String>,
    /// Rules that forbid, written the same way.
    pub denied: Vec<String>,
    /// More folders to work in, relative to the session's own.
    pub folders: Vec<String>,
    /// More settings: a file, or JSON itself.
    pub settings: Option<OsString>,
    /// Which settings files are read, such as `user,project`; nothing: all of them.
    pub sources: Option<String>,
}

impl SessionSpec {
    /// A new session in this folder, with all else as settings say. A person answers its questions.
    pub fn new(folder: AbsPath) -> Self {
        Self {
            folder,
            start: SessionStart::New(None),
            mode: None,
            allow_bypass: false,
            model: None,
            fallback_model: None,
            system_prompt: None,
            append_system_prompt: None,
            agents: None,
            max_turns: None,
            rules: RuleSpec::default(),
            responder: Responder::Person,
            reviewer: Responder::Person,
            channels: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// The same with nobody there: a question is closed at once, and a plan is handled as was said beforehand.
    pub fn unattended(self, reviewer: Responder) -> Self {
        Self { responder: Responder::Nobody, reviewer, ..self }
    }

    /// The same with the demo's scripted model, and the one command that the demo runs. Only for a sample project: a new
    /// one, or one that a session goes on in ([`crate::PreparedSession::continues_demo`]).
    pub fn with_demo_model(mut self) -> Self {
        self.model = Some(crate::demo::MODEL.to_owned());
        self.rules.allowed.push(crate::demo::COMMAND.to_owned());
        self
    }
}
