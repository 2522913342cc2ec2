//! `Bash`: a shell line, in the folder where the last one left off.

mod exports;
mod hints;
mod input;
mod left;
mod own;
mod report;
mod start;

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use forelook_protocol::{AbsPath, Action, Confinement, Shell};
use forelook_sandbox::{Child, Ending, Event};
use tokio::time::{Instant, sleep_until};

use crate::context::ToolContext;
use crate::output::Collector;
use crate::services::ToolServices;
use crate::shells::{GRACE, NoRoom, Running, Shells};
use crate::tool::{BadInput, Place};
use crate::typed::{Described, Done, Failure, TypedTool};
use crate::{rehearse, seen};
pub(crate) use exports::is_name;
use input::OnTimeout;
pub(crate) use input::{Input, check};
use left::Left;
pub use own::{LineRan, run_line};
use report::{Ran, Why, fence_notes, learnt_notes};
use start::Start;

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

impl Described for Bash {
    type Input = Input;
    const NAME: &'static str = "Bash";

    fn description(&self) -> Cow<'static, str> {
        "Runs a command with bash. The working folder and exported variables are kept between calls; \
        functions, aliases and other variables are not. There is no terminal and no input: use flags instead of prompts \
        and editors. Standard output and standard error come together in their order, without colours; of a very \
        long output you get the beginning and the end, and the path of a file with all of it. The command and \
        everything it started, also with `&`, end with the call, at the latest after `timeout`. For a server or anything \
        that should go on meanwhile send `run_in_background` (and no `&`). While planning, `rehearse` lets tests, builds and \
        anything else that writes run for real on a layer over the working folders: later rehearsals see what earlier ones \
        changed, nothing else does. Put paths with spaces in \
        quotes. To find files use Glob, to search in them Grep, to look at them or change them Read, Edit and Write.".into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        check(Some(&input.command), input.timeout)
    }
}

impl TypedTool for Bash {
    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        let command = input.command.clone();
        if input.rehearse {
            // It may be a folder that is on the layer only.
            let folder = place.folder.clone();
            return Ok(Action::Rehearse { edits: Vec::new(), command: Some(command), folder });
        }
        let folder = start_folder(place).unwrap_or(&place.folder).clone();
        Ok(Action::Shell { shell: Shell::Bash, command, folder })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        let call = CommandCall { services: &self.services, cx: &cx };
        if !input.rehearse {
            return run(&input, call, start_folder(&cx.place)).await;
        }
        rehearse::must_be_held(&cx)?;
        let ran = rehearsed(&input, call).await;
        if input.run_in_background { ran } else { rehearse::with_summary(ran, &cx).await }
    }
}

/// Runs a command on the layer.
pub(crate) async fn rehearsed(input: &Input, call: CommandCall<'_>) -> Result<Done, Failure> {
    let folders = [&call.cx.place.folder, &call.cx.place.project];
    run(input, call, folders.into_iter().find(|folder| call.cx.launch.shows_folder(folder))).await
}

async fn run(input: &Input, call: CommandCall<'_>, folder: Option<&AbsPath>) -> Result<Done, Failure> {
    let folder = folder.ok_or_else(|| {
        Failure::new(format!("The project's folder `{}` is gone, so nothing can run", call.cx.place.project))
    })?;
    let running = call.services.shells.begin(&input.command, call.cx.launch.within(), call.cx.launch.epoch());
    match input.run_in_background {
        true => run_beside(input, call, folder, &running).await,
        false => run_here(input, call, folder, &running).await,
    }
}

/// The current folder, or the project's if that one is gone.
fn start_folder(place: &Place) -> Option<&AbsPath> {
    [&place.folder, &place.project].into_iter().find(|folder| folder.as_path().is_dir())
}

/// Runs a command to its end, or to its time.
async fn run_here(
    input: &Input,
    call: CommandCall<'_>,
    folder: &AbsPath,
    running: &Running,
) -> Result<Done, Failure> {
    let start = Start::new(&input.command, call, folder, true).await?;
    if running.is_stopped() {
        return stopped(input, call, folder);
    }
    let child = spawn(&start, folder)?;
    let Watched { output, why, left } = watch(child, input, call, running).await;
    let learnt = left.variables.map(|variables| start.learn(call, &variables)).unwrap_or_default();
    let mut notes = start.notes;
    notes.extend(learnt_notes(&learnt));
    notes.extend(fence_notes(call.cx, &start.program, &input.command, &output, &why));
    let moved = left.folder.filter(|to| may_move(call, &why, to));
    let now = moved.as_ref().unwrap_or(folder);
    Ran { command: &input.command, output, why, notes, then: folder, now }.report(&call.cx.place)
}

/// Whether the next command may begin where this one says that it left off. What is held may say anything on the descriptor
/// that tells, and the next command may be held by nothing.
fn may_move(call: CommandCall<'_>, why: &Why, to: &AbsPath) -> bool {
    let ended = matches!(why, Why::Itself(Ending::Exited(_)));
    call.cx.launch.within().is_off() || (ended && call.cx.launch.is_in_working_folder(to))
}

/// Starts a command in the background.
async fn run_beside(
    input: &Input,
    call: CommandCall<'_>,
    folder: &AbsPath,
    running: &Running,
) -> Result<Done, Failure> {
    call.services.shells.has_room().map_err(|NoRoom(why)| Failure::new(why))?;
    let start = Start::new(&input.command, call, folder, false).await?;
    if running.is_stopped() {
        return stopped(input, call, folder);
    }
    let child = spawn(&start, folder)?;
    let path = output_path(call);
    let id = beside(&call.services.shells, input, call.cx.launch.within(), child, Collector::new(&path))
        .map_err(|NoRoom(why)| Failure::new(why))?;
    if running.is_stopped() {
        // Planning began between the two, and may have looked for shells before this was one.
        call.services.shells.stop(&[id]).await;
        return stopped(input, call, folder);
    }
    let mut parts = vec![format!(
        "Started in the background as `{id}`\nRead what it writes with BashOutput {{\"bash_id\": \"{id}\"}}, which can \
         wait for a text; end it with KillShell {{\"shell_id\": \"{id}\"}}. All of its output goes to `{path}`"
    )];
    if *folder != call.cx.place.folder {
        parts.insert(0, format!("[`{}` is gone; this runs in `{folder}`]", call.cx.place.folder));
    }
    parts.extend(start.notes);
    Ok(Done::new(parts.join("\n")))
}

/// Planning began before the command did.
fn stopped(input: &Input, call: CommandCall<'_>, folder: &AbsPath) -> Result<Done, Failure> {
    let (command, output, notes) = (&input.command, String::new(), Vec::new());
    Ran { command, output, why: Why::Stopped, notes, then: folder, now: &call.cx.place.folder }
        .report(&call.cx.place)
}

fn beside(
    shells: &Shells,
    input: &Input,
    within: Confinement,
    child: Child,
    mut output: Collector,
) -> Result<String, NoRoom> {
    output.keep_whole();
    shells.add(&input.command, within, child, output)
}

fn spawn(start: &Start, folder: &AbsPath) -> Result<Child, Failure> {
    Child::spawn(&start.program).map_err(|error| Failure::new(start_failure(folder, &error)))
}

fn start_failure(folder: &AbsPath, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ArgumentListTooLong => {
            "The command is too long to be started\nWrite it to a file with Write and run that".to_owned()
        }
        io::ErrorKind::PermissionDenied => format!("Not allowed to run a command in `{folder}`"),
        _ => format!("The command could not be started in `{folder}`: {error}"),
    }
}

/// Where the whole output goes, if it is needed.
fn output_path(call: CommandCall<'_>) -> AbsPath {
    // The id is the model's and may be any text; its hash is always a name.
    call.services.scratch.join(format!("bash-{}.txt", &seen::hash(call.cx.call.0.as_bytes())[..16]))
}

/// What came of a command.
struct Watched {
    output: String,
    why: Why,
    left: Left,
}

/// Follows the child to its end, or until it is given to the background.
async fn watch(mut child: Child, input: &Input, call: CommandCall<'_>, running: &Running) -> Watched {
    let timeout = Duration::from_millis(input.timeout.unwrap_or(DEFAULT_TIMEOUT));
    let deadline = Instant::now() + timeout;
    let mut output = Collector::new(&output_path(call));
    let mut early: Option<Why> = None;
    loop {
        tokio::select! {
            event = child.next() => match event {
                Event::Output(chunk) => call.cx.output.push(&output.push(&chunk.bytes)),
                Event::Ended(ending) => {
                    let left = child.beside().filter(|_| early.is_none()).map(Left::read).unwrap_or_default();
                    return Watched { output: output.finish(), why: early.unwrap_or(Why::Itself(ending)), left };
                }
            },
            () = call.cx.cancel.cancelled(), if early.is_none() => {
                early = Some(Why::Interrupted);
                child.terminate(GRACE);
            }
            () = running.stopped(), if early.is_none() => {
                early = Some(Why::Stopped);
                child.terminate(GRACE);
            }
            () = sleep_until(deadline), if early.is_none() => {
                early = Some(match (input.on_timeout, call.services.shells.has_room()) {
                    (OnTimeout::Kill, _) => Why::TimedOut(timeout),
                    (OnTimeout::Background, Err(NoRoom(why))) => Why::NoRoom(timeout, why),
                    (OnTimeout::Background, Ok(())) => {
                        output.keep_whole();
                        let text = output.look();
                        let why = match beside(&call.services.shells, input, call.cx.launch.within(), child, output) {
                            Ok(id) if running.is_stopped() => {
                                call.services.shells.stop(&[id]).await;
                                Why::Stopped
                            }
                            Ok(id) => Why::Moved(timeout, id),
                            Err(NoRoom(why)) => Why::NoRoom(timeout, why),
                        };
                        return Watched { output: text, why, left: Left::default() };
                    }
                });
                child.terminate(GRACE);
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
