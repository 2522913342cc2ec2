//! The person's own status line: a command that is told how things stand.

use forelook_protocol::AbsPath;
use forelook_sandbox::{ChildEnv, ChildInput, Program, find_program_outside};
use forelook_settings::{BoundFiles, StatusLine};
use serde_json::Value;

use super::stdout;

/// One line is wanted.
const MAX_BYTES: usize = 64 * 1024;

/// A status line, and the files that it runs if it is a trusted project's.
#[derive(Debug, Clone)]
pub(super) struct CheckedStatusLine {
    pub(super) line: StatusLine,
    pub(super) bound: Option<BoundFiles>,
}

/// The first line that it prints; nothing if that is empty.
pub(super) async fn run(
    checked: &CheckedStatusLine,
    facts: &Value,
    env: &ChildEnv,
    folder: &AbsPath,
) -> Result<Option<String>, String> {
    let CheckedStatusLine { line, bound } = checked;
    if let Some(bound) = bound.clone() {
        let verified = super::run_blocking(move || bound.verify(), Err).await;
        verified.map_err(|why| format!("The status line command was not run: {why}"))?;
    }
    let shell = ["bash", "sh"]
        .into_iter()
        .find_map(|name| find_program_outside(name, env, folder.as_path()))
        .ok_or("no shell was found")?;
    let mut program = Program::new(shell, env.clone(), folder.as_path()).arg("-c").arg(&line.command);
    program.input = ChildInput::Bytes(format!("{facts}\n").into_bytes());
    let printed = stdout::of(program, line.time_limit, MAX_BYTES).await;
    let printed = printed.map_err(|why| format!("The status line command failed: {why}"))?;
    let text = String::from_utf8_lossy(&printed);
    Ok(text.lines().next().map(str::to_owned).filter(|first| !first.trim().is_empty()))
}
