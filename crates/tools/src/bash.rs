//! `Bash`: a shell line, in the folder where the last one left off.

mod command;
mod exit_state;
mod exports;
mod hints;
mod input;
mod report;
mod user_shell;

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::{AbsPath, Action, BackgroundShell, Confinement, SessionEffect, Shell};
use forelook_sandbox::{Child, ChildEvent, ChildExit, Fence};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::time::{Instant, sleep_until};

use crate::context::ToolContext;
use crate::output::Collector;
use crate::services::ToolServices;
use crate::shells::{FenceWatch, ForegroundGuard, GRACE, INTERRUPT_GRACE, NewShell, TooManyShells};
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool};
use crate::{rehearse, seen};
use command::ShellCommand;
use exit_state::ShellExitState;
pub(crate) use exports::is_name;
use input::OnTimeout;
pub(crate) use input::{Input, check};
use report::{CommandReport, RunEnd, env_update_notes, fence_notes};
pub use user_shell::{ShellLineOutput, run_shell_line};

const DEFAULT_TIMEOUT: u64 = 120_000;

/// Runs a shell line.
pub(crate) struct Bash {
    pub(crate) services: ToolServices,
}

/// A call that runs a command, and what its tool was made with.
#[derive(Clone, Copy)]
pub(crate) struct CommandCall<'a> {
    pub(crate) services: &'a ToolServices,
    pub(crate) cx: &'a ToolContext,
}

impl ToolMetadata for Bash {
    type Input = Input;
    const NAME: &'static str = "Bash";

    fn description(&self) -> Cow<'static, str> {
        "Runs a command with bash. The working directory and exported variables persist between calls; \
         functions, aliases, and other variables do not. There is no terminal and no stdin: use flags instead \
         of prompts and editors. Stdout and stderr are merged in order, without colors. If the output is \
         very long, you get the beginning and the end, plus the path of a file with the full output. The command \
         and everything it started, including with `&`, end when the call ends or `timeout` expires. For a \
         server or another long-running process, set `run_in_background` (without `&`). In plan mode, \
         `rehearse` runs the command on an overlay of the working directories, so tests, builds, and other \
         commands can write there: later rehearsals see earlier changes, and the real files stay the same. \
         Quote paths that contain spaces. Use Glob to find files, Grep to search them, and Read, Edit, and Write to view \
         or change them."
            .into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        check(Some(&input.command), input.timeout)
    }
}

impl TypedTool for Bash {
    fn action(&self, input: &Input, place: &CallLocation) -> Result<Action, BadInput> {
        let command = input.command.clone();
        if input.rehearse {
            // It may be a folder that is on the layer only.
            let folder = place.folder.clone();
            return Ok(Action::Rehearse { edits: Vec::new(), command: Some(command), folder });
        }
        let folder = start_folder(place).unwrap_or(&place.folder).clone();
        Ok(Action::Shell { shell: Shell::Bash, command, folder })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        let call = CommandCall { services: &self.services, cx: &cx };
        if !input.rehearse {
            return run(&input, call, start_folder(&cx.place)).await;
        }
        rehearse::require_overlay(&cx)?;
        let ran = run_rehearsed(&input, call).await;
        if input.run_in_background { ran } else { rehearse::with_summary(ran, &cx).await }
    }
}

/// Runs a command on the layer.
pub(crate) async fn run_rehearsed(input: &Input, call: CommandCall<'_>) -> Result<ToolSuccess, ToolFailure> {
    let folders = [&call.cx.place.folder, &call.cx.place.project];
    run(input, call, folders.into_iter().find(|folder| call.cx.launch.shows_folder(folder))).await
}

async fn run(
    input: &Input,
    call: CommandCall<'_>,
    folder: Option<&AbsPath>,
) -> Result<ToolSuccess, ToolFailure> {
    let folder = folder.ok_or_else(|| {
        ToolFailure::new(format!(
            "The project directory `{}` no longer exists, so nothing can run",
            call.cx.place.project
        ))
    })?;
    let running =
        call.services.shells.begin(&input.command, call.cx.launch.sandbox(), call.cx.launch.epoch());
    match input.run_in_background {
        true => run_background(input, call, folder, &running).await,
        false => run_foreground(input, call, folder, &running).await,
    }
}

/// The current folder, or the project's if that one is gone.
fn start_folder(place: &CallLocation) -> Option<&AbsPath> {
    [&place.folder, &place.project].into_iter().find(|folder| folder.as_path().is_dir())
}

/// Runs a command to its end, or to its time.
async fn run_foreground(
    input: &Input,
    call: CommandCall<'_>,
    folder: &AbsPath,
    running: &ForegroundGuard,
) -> Result<ToolSuccess, ToolFailure> {
    let start = ShellCommand::new(&input.command, call, folder, true).await?;
    if running.is_stopped() {
        return stopped(input, call, folder);
    }
    let child = spawn(&start, folder)?;
    let fence = start.program.fence.clone();
    let WatchOutcome { output, end, exit_state } = watch((child, fence.as_ref()), input, call, running).await;
    let set_aside = settle(call, fence.as_ref()).await;
    let env_update =
        exit_state.variables.map(|variables| start.record_env(call, &variables)).unwrap_or_default();
    let mut notes = start.notes;
    notes.extend(set_aside);
    notes.extend(env_update_notes(&env_update));
    notes.extend(fence_notes(call.cx, &start.program, &input.command, &output, &end));
    let moved = exit_state.folder.filter(|to| may_change_folder(call, &end, to));
    let ended_in = moved.as_ref().unwrap_or(folder);
    CommandReport { command: &input.command, output, end, notes, started_in: folder, ended_in }
        .report(&call.cx.place)
}

/// What the command made that decides what runs later is moved out of the project; what to say of it.
async fn settle(call: CommandCall<'_>, fence: Option<&Arc<Fence>>) -> Vec<String> {
    match fence.filter(|_| call.cx.launch.sandbox() == Confinement::Workspace) {
        Some(fence) => call.cx.launch.look(fence).await.notes,
        None => Vec::new(),
    }
}

/// Whether the next command may begin where this one says that it left off. What is held may say anything on the descriptor
/// that tells, and the next command may be held by nothing.
fn may_change_folder(call: CommandCall<'_>, end: &RunEnd, to: &AbsPath) -> bool {
    let ended = matches!(end, RunEnd::Exited(ChildExit::Exited(_)));
    call.cx.launch.sandbox().is_unconfined() || (ended && call.cx.launch.is_in_working_folder(to))
}

/// Starts a command in the background.
async fn run_background(
    input: &Input,
    call: CommandCall<'_>,
    folder: &AbsPath,
    running: &ForegroundGuard,
) -> Result<ToolSuccess, ToolFailure> {
    let agent = call.cx.place.agent.as_ref();
    call.services.shells.check_capacity(agent).map_err(|TooManyShells(why)| ToolFailure::new(why))?;
    let start = ShellCommand::new(&input.command, call, folder, false).await?;
    if running.is_stopped() {
        return stopped(input, call, folder);
    }
    let child = spawn(&start, folder)?;
    let path = output_path(call);
    let shell = hand_to_background(input, call, (child, start.program.fence.as_ref()), Collector::new(&path))
        .map_err(|TooManyShells(why)| ToolFailure::new(why))?;
    if running.is_stopped() {
        // Planning began between the two, and may have looked for shells before this was one.
        call.services.shells.stop(&[shell.id]).await;
        return stopped(input, call, folder);
    }
    let id = &shell.id;
    let mut parts = vec![format!(
        "Started in the background as `{id}`\nRead its output with BashOutput {{\"bash_id\": \"{id}\"}}, \
         which can also wait for a line; stop it with KillShell {{\"shell_id\": \"{id}\"}}. Full output: \
         `{path}`"
    )];
    if *folder != call.cx.place.folder {
        parts.insert(0, format!("[`{}` no longer exists; this runs in `{folder}`]", call.cx.place.folder));
    }
    parts.extend(start.notes);
    Ok(ToolSuccess::new(parts.join("\n")).with(SessionEffect::ShellStarted(shell)))
}

/// Planning began before the command did.
fn stopped(input: &Input, call: CommandCall<'_>, folder: &AbsPath) -> Result<ToolSuccess, ToolFailure> {
    let (command, output, notes) = (&input.command, String::new(), Vec::new());
    CommandReport {
        command,
        output,
        end: RunEnd::StoppedForPlan,
        notes,
        started_in: folder,
        ended_in: &call.cx.place.folder,
    }
    .report(&call.cx.place)
}

fn hand_to_background(
    input: &Input,
    call: CommandCall<'_>,
    (child, fence): (Child, Option<&Arc<Fence>>),
    mut output: Collector,
) -> Result<BackgroundShell, TooManyShells> {
    output.save_to_file();
    let (launch, agent) = (&call.cx.launch, call.cx.place.agent.as_ref());
    let shell = NewShell { command: &input.command, sandbox: launch.sandbox(), agent };
    call.services.shells.add(shell, (child, FenceWatch::new(launch, fence)), output)
}

fn spawn(start: &ShellCommand, folder: &AbsPath) -> Result<Child, ToolFailure> {
    Child::spawn(&start.program).map_err(|error| ToolFailure::new(start_failure(folder, &error)))
}

fn start_failure(folder: &AbsPath, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ArgumentListTooLong => {
            "The command is too long to start\nWrite it to a file with Write and run that file".to_owned()
        }
        io::ErrorKind::PermissionDenied => format!("Permission denied: cannot run a command in `{folder}`"),
        _ => format!("The command could not be started in `{folder}`: {error}"),
    }
}

/// Where the whole output goes, if it is needed.
fn output_path(call: CommandCall<'_>) -> AbsPath {
    // The id is the model's and may be any text; its hash is always a name.
    call.services.outputs().join(format!("bash-{}.txt", &seen::hash(call.cx.call.0.as_bytes())[..16]))
}

/// What came of a command.
struct WatchOutcome {
    output: String,
    end: RunEnd,
    exit_state: ShellExitState,
}

/// Follows the child to its end, or until it is given to the background.
async fn watch(
    (mut child, fence): (Child, Option<&Arc<Fence>>),
    input: &Input,
    call: CommandCall<'_>,
    running: &ForegroundGuard,
) -> WatchOutcome {
    let timeout = Duration::from_millis(input.timeout.unwrap_or(DEFAULT_TIMEOUT));
    let deadline = Instant::now() + timeout;
    // A command that ended by itself while we were stopped did not time out, whatever the clock says when we go on.
    let mut has_exited = false;
    let mut output = Collector::new(&output_path(call));
    let mut early: Option<RunEnd> = None;
    loop {
        tokio::select! {
            event = child.next() => match event {
                ChildEvent::Output(chunk) => call.cx.output.push(&output.push(&chunk.bytes)),
                ChildEvent::Ended(ending) => {
                    let exit_state = child.side_output().filter(|_| early.is_none()).map(ShellExitState::read).unwrap_or_default();
                    return WatchOutcome { output: output.finish(), end: early.unwrap_or(RunEnd::Exited(ending)), exit_state };
                }
            },
            () = call.cx.cancel.cancelled(), if early.is_none() => {
                early = Some(RunEnd::Interrupted);
                child.terminate(INTERRUPT_GRACE);
            }
            () = running.stopped(), if early.is_none() => {
                early = Some(RunEnd::StoppedForPlan);
                child.terminate(GRACE);
            }
            () = sleep_until(deadline), if early.is_none() && !has_exited => {
                has_exited = exited(child.id());
                if has_exited {
                    continue;
                }
                early = Some(match (input.on_timeout, call.services.shells.check_capacity(call.cx.place.agent.as_ref())) {
                    (OnTimeout::Kill, _) => RunEnd::TimedOut(timeout),
                    (OnTimeout::Background, Err(TooManyShells(why))) => RunEnd::TooManyShells(timeout, why),
                    (OnTimeout::Background, Ok(())) => {
                        output.save_to_file();
                        let text = output.take_new();
                        let end = match hand_to_background(input, call, (child, fence), output) {
                            Ok(shell) if running.is_stopped() => {
                                call.services.shells.stop(&[shell.id]).await;
                                RunEnd::StoppedForPlan
                            }
                            Ok(shell) => RunEnd::Backgrounded(timeout, shell),
                            Err(TooManyShells(why)) => RunEnd::TooManyShells(timeout, why),
                        };
                        return WatchOutcome { output: text, end, exit_state: ShellExitState::default() };
                    }
                });
                child.terminate(GRACE);
            }
        }
    }
}

/// Whether a child has ended; it stays as it is for whoever waits for it.
fn exited(id: i32) -> bool {
    let Some(pid) = Pid::from_raw(id) else { return false };
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(waitid(WaitId::Pid(pid), look), Ok(Some(_)))
}

#[cfg(test)]
pub(crate) mod tests;
