//! How the programs of one call are started: what confines them, and what their environment is.
//!
//! The code that decided on the call creates this. A tool that starts programs does so through it and does not know why: it
//! is told what the kernel confines the call to, never a mode, a rule or who approved it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use forelook_facts::git_config;
use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{Caller, ChildEnv, Fence};
use tokio::task::spawn_blocking;

use crate::notes::{CommandOutcome, NoteAudience, note};
use crate::{FenceInputs, FenceLook, Fences};

/// What was decided on about the programs of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchOptions {
    /// What the kernel holds them to.
    pub sandbox: Confinement,
    /// How often planning had begun when this was decided on: what comes late does not run.
    pub epoch: u64,
    /// Whether git in this call only reads, so that nothing of a repository's configuration need run.
    pub harden_git: bool,
    /// Whether the call shows processes, sockets or services of the machine, of which a fence shows only its own.
    pub shows_machine: bool,
    /// Whether nobody said yes to the call, neither now nor with a rule: it was let through for what its text does. Then
    /// that text must mean what it says.
    pub auto_allowed: bool,
    /// Who reads what is said when a fence came in the way.
    pub note_audience: NoteAudience,
    /// Who they run for.
    pub caller: Caller,
}

impl LaunchOptions {
    /// Nothing holds them, and the person wants them.
    pub const PLAIN: Self = Self {
        sandbox: Confinement::Off,
        epoch: 0,
        harden_git: false,
        shows_machine: false,
        auto_allowed: false,
        note_audience: NoteAudience::Other,
        caller: Caller::Person,
    };
}

/// How the programs of one call are started.
#[derive(Clone)]
pub struct Launch {
    fences: Arc<Fences>,
    inputs: Arc<FenceInputs>,
    options: LaunchOptions,
}

/// A program cannot be started as it must be.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The fence that it needs is not available.
    #[error("{0}")]
    Fence(io::Error),
    /// A task of ours failed.
    #[error("Starting the command failed inside Forelook, so it did not run")]
    Crashed,
}

/// A command that ran, for the notes on it.
#[derive(Debug, Clone, Copy)]
pub struct FencedCommand<'a> {
    /// The fence that it ran in.
    pub fence: Option<&'a Arc<Fence>>,
    /// The folder that it began in.
    pub folder: &'a Path,
    /// Its line.
    pub command: &'a str,
    /// What it wrote.
    pub output: &'a str,
    /// Whether it ended without success.
    pub failed: bool,
}

impl Launch {
    /// Programs are held by these fences, on this ground.
    pub fn new(fences: Arc<Fences>, inputs: Arc<FenceInputs>, options: LaunchOptions) -> Self {
        Self { fences, inputs, options }
    }

    /// What the kernel holds them to.
    pub fn sandbox(&self) -> Confinement {
        self.options.sandbox
    }

    /// Who they run for.
    pub fn caller(&self) -> Caller {
        self.options.caller
    }

    /// How often planning had begun when this was decided on.
    pub fn epoch(&self) -> u64 {
        self.options.epoch
    }

    /// Whether nobody said yes: the line was let through for what its text does.
    pub fn auto_allowed(&self) -> bool {
        self.options.auto_allowed
    }

    /// Whether a line's text must mean what it says. Where the kernel holds it to the working folders it need not.
    pub fn is_strict(&self) -> bool {
        self.options.auto_allowed && self.options.sandbox != Confinement::Workspace
    }

    /// Whether this lies in a working folder.
    pub fn is_in_working_folder(&self, path: &AbsPath) -> bool {
        self.inputs.folders.iter().any(|folder| path.is_inside(folder))
    }

    /// What holds a program; nothing where nothing is to be held. Raising it takes milliseconds, so that is done beside the
    /// runtime.
    pub async fn fence(&self) -> Result<Option<Arc<Fence>>, LaunchError> {
        let sandbox = self.options.sandbox;
        if sandbox.is_off() {
            return Ok(None);
        }
        let (fences, inputs) = (Arc::clone(&self.fences), Arc::clone(&self.inputs));
        let raised = spawn_blocking(move || fences.get(sandbox, &inputs)).await;
        raised.map_err(|_| LaunchError::Crashed)?.map_err(LaunchError::Fence)
    }

    /// Makes an environment one for a program that begins in this folder and fence: git runs nothing that it need not, and
    /// scratch takes the place of what cannot be written.
    pub async fn harden(
        &self,
        mut env: ChildEnv,
        folder: &AbsPath,
        fence: Option<&Arc<Fence>>,
    ) -> Result<ChildEnv, LaunchError> {
        let sandbox = self.options.sandbox;
        // Where nothing may be changed git runs nothing that a repository names: it is a stranger, and what runs unjudged
        // may ask git for anything.
        let held = !sandbox.can_change();
        if held || self.options.harden_git {
            env.harden_git();
        }
        if held {
            // It reads the configuration of the repository and of all its submodules.
            let folder = folder.clone();
            let neutralize = move || {
                git_config::neutralize(&folder, &mut env);
                env
            };
            env = spawn_blocking(neutralize).await.map_err(|_| LaunchError::Crashed)?;
        }
        if sandbox == Confinement::ReadOnlyOnline {
            env.harden_git_online();
        }
        if let Some(fence) = fence {
            self.fences.prepare(sandbox, fence, &self.inputs, &mut env);
        }
        Ok(env)
    }

    /// Looks at what the commands in this fence made, and at what they could read by now. It reads the disk, beside the
    /// runtime.
    pub async fn look(&self, fence: &Arc<Fence>) -> FenceLook {
        let (fences, fence, inputs) = (Arc::clone(&self.fences), Arc::clone(fence), Arc::clone(&self.inputs));
        let look = move || {
            let found = fences.look(&fence, &inputs);
            fences.watch_orphans();
            found
        };
        let looked = spawn_blocking(look).await;
        looked.unwrap_or_else(|_| FenceLook { notes: Vec::new(), exposes_secret: true })
    }

    /// Whether what goes on in this fence must be looked at.
    pub fn is_watched(&self) -> bool {
        match self.options.sandbox {
            Confinement::Workspace
            | Confinement::ReadOnly
            | Confinement::ReadOnlyOnline
            | Confinement::Inspect
            | Confinement::InspectSecrets => true,
            Confinement::Off | Confinement::Masked | Confinement::Rehearsal => false,
        }
    }

    /// What to say of the fence that a command ran in, if that came in its way.
    pub fn notes(&self, ran: FencedCommand<'_>) -> Vec<String> {
        let sandbox = self.options.sandbox;
        if sandbox.is_off() {
            return Vec::new();
        }
        let FencedCommand { fence, folder, command, output, failed } = ran;
        let masked = fence.and_then(|fence| self.fences.masked(fence, command, folder));
        note(&CommandOutcome {
            sandbox,
            note_audience: self.options.note_audience,
            command,
            output,
            failed,
            can_rehearse: self.can_rehearse(),
            refused: &self.fences.refused(),
            masked: masked.as_ref(),
            shows_machine: self.options.shows_machine,
        })
    }

    /// Whether the reader of a note can rehearse. Finding that out takes a try on the disk, and only planning comes to it.
    fn can_rehearse(&self) -> bool {
        match self.options.note_audience {
            NoteAudience::Planner | NoteAudience::PlanningAgent => self.fences.capabilities().rehearsal,
            NoteAudience::JudgedReadOnly | NoteAudience::Other => false,
        }
    }

    /// Whether there is such a folder for who looks through the layer of a rehearsal.
    pub fn shows_folder(&self, folder: &AbsPath) -> bool {
        self.fences.shows_folder(folder)
    }

    /// What would change after a rehearsed call, in a line for the model. It reads the disk, beside the runtime.
    pub async fn rehearsal_summary(&self, base: &AbsPath) -> Result<String, LaunchError> {
        let (fences, base) = (Arc::clone(&self.fences), base.clone());
        spawn_blocking(move || fences.rehearsal_summary(&base)).await.map_err(|_| LaunchError::Crashed)
    }
}
