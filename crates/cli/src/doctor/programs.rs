//! The programs that tools start.

use std::path::PathBuf;
use std::time::Duration;

use forelook_sandbox::{Child, ChildEnv, ChildEvent, OutputChunk, Program, find_program};
use forelook_settings::{Env, Settings};
use tokio::time::timeout;

use super::check::{Check, CheckState};

const AREA: &str = "Programs";

/// How long a program may take to say which version it is.
const TIMEOUT: Duration = Duration::from_secs(3);
/// More than the first line of a version.
const MAX_OUTPUT: usize = 4096;

/// Bash runs what the model asks for; git is what it asks for most.
pub(super) fn checks(env: &Env, settings: Option<&Settings>) -> Vec<Check> {
    let child = match settings {
        Some(settings) => forelook_host::probe_env(env, &settings.models),
        // Nobody knows which variables hold keys: none is passed on.
        None => env.all().iter().filter(|(name, _)| name == "PATH").fold(
            ChildEnv::default(),
            |mut child, (name, value)| {
                child.set(name, value);
                child
            },
        ),
    };
    let bash = check(&child, "bash", CheckState::Bad, "Install it: Forelook runs commands and hooks with it");
    let git = check(&child, "git", CheckState::Warning, "Install it: Forelook uses it to show what changed");
    vec![bash, git]
}

fn check(env: &ChildEnv, name: &'static str, missing: CheckState, advice: &str) -> Check {
    let Some(path) = find_program(name, env) else {
        return Check::new(AREA, name, missing, "Not found").advice(advice);
    };
    match version(env, path.clone()) {
        Ok(version) => Check::new(AREA, name, CheckState::Good, version),
        Err(why) => {
            let message = format!("`{} --version` failed: {why}", path.display());
            Check::new(AREA, name, missing, message)
                .advice("Repair it, or put a working one earlier in `PATH`")
        }
    }
}

/// The first line of what it says.
fn version(env: &ChildEnv, path: PathBuf) -> Result<String, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let program = Program::new(path, env.clone(), "/").arg("--version");
        let mut child = Child::spawn(&program).map_err(|error| error.to_string())?;
        let mut output = Vec::new();
        let reading = async {
            loop {
                match child.next().await {
                    ChildEvent::Output(OutputChunk { bytes, .. }) if output.len() < MAX_OUTPUT => {
                        output.extend(bytes)
                    }
                    ChildEvent::Output(_) => {}
                    ChildEvent::Ended(ending) => return ending,
                }
            }
        };
        let ending = timeout(TIMEOUT, reading).await.map_err(|_| "it timed out".to_owned())?;
        if !ending.is_success() {
            return Err(ending.to_string());
        }
        let text = String::from_utf8_lossy(&output);
        let line = text.lines().next().unwrap_or_default().chars().filter(|it| !it.is_control());
        Ok(line.take(80).collect())
    })
}
