//! All hooks of a session: which ones match an event, and running those in parallel.

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use forelook_protocol::{AbsPath, HookInfo};
use forelook_sandbox::{Caller, ChildEnv, ChildInput, ChildOutput, Program, find_program_outside};
use futures::future::join_all;
use tokio_util::sync::CancellationToken;

use crate::merge::{AttributedOutcome, merge};
use crate::run_result::RunResult;
use crate::{Hook, HookCall, HookEvent, HookHandler, HookInput, HookOutcome, host, process, response};

/// Says why a command must not run now; nothing if it may. It may read files.
type Check = dyn Fn(&str) -> Result<(), String> + Send + Sync;

/// Looks at each command right before it runs.
#[derive(Clone)]
pub struct CommandCheck(Arc<Check>);

impl CommandCheck {
    /// One that asks this.
    pub fn new(check: impl Fn(&str) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(check))
    }

    async fn ask(&self, command: &str) -> Result<(), String> {
        let (check, command) = (Arc::clone(&self.0), command.to_owned());
        // On another thread: it may wait for a disk.
        let asked = tokio::task::spawn_blocking(move || check(&command)).await;
        asked.unwrap_or_else(|error| Err(error.to_string()))
    }
}

impl fmt::Debug for CommandCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CommandCheck")
    }
}

/// All hooks of a session.
#[derive(Debug, Clone)]
pub struct Hooks {
    hooks: Vec<Hook>,
    env: ChildEnv,
    folder: AbsPath,
    check: Option<CommandCheck>,
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
        Self { hooks, env, folder, check: None }
    }

    /// The same, and each command is looked at right before it runs.
    pub fn checked(self, check: CommandCheck) -> Self {
        Self { check: Some(check), ..self }
    }

    /// The same with these hooks after its own.
    pub fn with(&self, more: Vec<Hook>) -> Self {
        let mut all = self.clone();
        all.hooks.extend(more);
        all
    }

    /// Whether any hook waits for this event, so that nothing need be gathered for one that does not.
    pub fn has_hook_for(&self, event: HookEvent) -> bool {
        self.hooks.iter().any(|hook| hook.event == event)
    }

    /// All of them, for whoever asks which there are.
    pub fn list(&self) -> Vec<HookInfo> {
        let listed = |hook: &Hook| HookInfo {
            event: hook.event,
            matcher: hook.matcher.text().to_owned(),
            command: hook.handler.to_string(),
            origin: hook.origin.clone(),
        };
        self.hooks.iter().map(listed).collect()
    }

    /// Runs every hook that the occasion concerns and gives their common word. They run side by side; none
    /// sees another's answer. Dropping it ends them.
    ///
    /// After a cancel they are ended, and where something waits for their word the word is `Deny`: a hook
    /// that was not heard to the end has not let anything pass.
    pub async fn run(&self, input: HookInput<'_>, cancel: CancellationToken) -> HookOutcome {
        let hooks = self.matching(&input);
        if hooks.is_empty() {
            return HookOutcome::default();
        }
        // Only if there is a command: callbacks need no bash, and a machine may have none.
        let program = LazyLock::new(|| self.program(&input));
        let run_one = async |hook: &Hook| {
            let run_result = match &hook.handler {
                HookHandler::Command(command) => match &*program {
                    Ok(program) => self.run_command(program, command, hook.timeout, &cancel).await,
                    Err(why) => RunResult::NotStarted(why.clone()),
                },
                HookHandler::Callback { id, host } => match call(id, &input) {
                    Ok(call) => host::run(host.as_ref(), call, hook.timeout, &cancel).await,
                    Err(error) => RunResult::NotStarted(error.to_string()),
                },
            };
            AttributedOutcome { outcome: response::interpret(hook, run_result), origin: hook.origin.clone() }
        };
        merge(join_all(hooks.iter().map(run_one)).await)
    }

    async fn run_command(
        &self,
        program: &Program,
        command: &str,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> RunResult {
        if let Some(check) = &self.check
            && let Err(why) = check.ask(command).await
        {
            return RunResult::Refused(why);
        }
        process::run(&program.clone().arg(command), timeout, cancel).await
    }

    /// The hooks for an occasion, in the order of the settings, each one once: the same may stand in
    /// several files or under several matchers, and its effects should not double.
    fn matching(&self, input: &HookInput<'_>) -> Vec<Hook> {
        let (event, subject) = (input.event(), input.subject());
        let mut found: Vec<Hook> = Vec::new();
        for hook in self.hooks.iter().filter(|hook| hook.event == event && hook.matcher.matches(subject)) {
            match found.iter_mut().find(|known| known.handler.same(&hook.handler)) {
                Some(known) => known.absorb(hook),
                None => found.push(hook.clone()),
            }
        }
        found
    }

    /// The shell that all commands run in, still without a command; or why there is none.
    fn program(&self, input: &HookInput<'_>) -> Result<Program, String> {
        let bash =
            find_program_outside("bash", &self.env, self.folder.as_path()).ok_or("`bash` was not found")?;
        let json = serde_json::to_vec(input).map_err(|error| error.to_string())?;
        let mut program =
            Program::new(bash, self.env.clone(), self.folder.as_path()).arg("-c").run_for(Caller::Person);
        program.input = ChildInput::Bytes(json);
        program.output = ChildOutput::Separate;
        Ok(program)
    }
}

/// What a host is asked to carry out.
fn call(id: &str, input: &HookInput<'_>) -> Result<HookCall, serde_json::Error> {
    let call = input.call().map(|call| call.tool_use_id.clone());
    Ok(HookCall { callback: id.to_owned(), input: serde_json::to_value(input)?, call })
}

#[cfg(test)]
mod tests;
