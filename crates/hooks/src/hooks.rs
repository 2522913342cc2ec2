//! All hooks of a session: which of them an occasion concerns, and running those side by side.

use forelook_protocol::{AbsPath, HookListed};
use forelook_sandbox::{ChildEnv, Input, Output, Program, find_program_outside};
use futures::future::join_all;
use tokio_util::sync::CancellationToken;

use crate::merge::{Said, merge};
use crate::process::{self, Ran};
use crate::{Hook, HookEvent, Occasion, Outcome, answer};

/// All hooks of a session.
#[derive(Debug, Clone)]
pub struct Hooks {
    hooks: Vec<Hook>,
    env: ChildEnv,
    folder: AbsPath,
}

impl Hooks {
    /// These hooks, with this environment, in the project's folder.
    pub fn new(hooks: Vec<Hook>, env: ChildEnv, folder: AbsPath) -> Self {
        // Taken out here too, whoever made the environment: a hook gets no provider's key.
        let variables = env.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut env = ChildEnv::from_process_without_secrets(variables);
        // The second name is the one that scripts written for other agents ask for; PWD is the person's
        // and may name another folder.
        for name in ["FORELOOK_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "PWD"] {
            env.set(name, folder.as_path());
        }
        Self { hooks, env, folder }
    }

    /// Whether any hook waits for this event, so that nothing need be gathered for one that does not.
    pub fn listen_to(&self, event: HookEvent) -> bool {
        self.hooks.iter().any(|hook| hook.event == event)
    }

    /// All of them, for whoever asks which there are.
    pub fn listed(&self) -> Vec<HookListed> {
        let listed = |hook: &Hook| HookListed {
            event: hook.event,
            matcher: hook.matcher.text().to_owned(),
            command: hook.command.clone(),
            origin: hook.origin.clone(),
        };
        self.hooks.iter().map(listed).collect()
    }

    /// Runs every hook that the occasion concerns and gives their common word. They run side by side; none
    /// sees another's answer. Dropping it ends them.
    ///
    /// After a cancel they are ended, and where something waits for their word the word is `Deny`: a hook
    /// that was not heard to the end has not let anything pass.
    pub async fn run(&self, occasion: Occasion<'_>, cancel: CancellationToken) -> Outcome {
        let hooks = self.concerned(&occasion);
        if hooks.is_empty() {
            return Outcome::default();
        }
        let program = self.program(&occasion);
        let said = join_all(hooks.into_iter().map(|hook| run_one(hook, &program, &cancel))).await;
        merge(said)
    }

    /// The hooks for an occasion, in the order of the settings, each command once: the same one may stand in
    /// several files or under several matchers, and its effects should not double.
    fn concerned(&self, occasion: &Occasion<'_>) -> Vec<Hook> {
        let (event, subject) = (occasion.event(), occasion.subject());
        let mut found: Vec<Hook> = Vec::new();
        for hook in self.hooks.iter().filter(|hook| hook.event == event && hook.matcher.matches(subject)) {
            match found.iter_mut().find(|known| known.command == hook.command) {
                Some(known) => known.absorb(hook),
                None => found.push(hook.clone()),
            }
        }
        found
    }

    /// The shell that all of them run in, still without a command; or why there is none.
    fn program(&self, occasion: &Occasion<'_>) -> Result<Program, String> {
        let bash = find_program_outside("bash", &self.env, self.folder.as_path())
            .ok_or("there is no `bash` on this machine")?;
        let told = serde_json::to_vec(occasion).map_err(|error| error.to_string())?;
        let mut program = Program::new(bash, self.env.clone(), self.folder.as_path()).arg("-c");
        program.input = Input::Bytes(told);
        program.output = Output::Separate;
        Ok(program)
    }
}

async fn run_one(hook: Hook, program: &Result<Program, String>, cancel: &CancellationToken) -> Said {
    let ran = match program {
        Ok(program) => process::run(&program.clone().arg(&hook.command), hook.timeout, cancel).await,
        Err(why) => Ran::NotStarted(why.clone()),
    };
    Said { outcome: answer::read(&hook, ran), origin: hook.origin }
}

#[cfg(test)]
mod tests;
