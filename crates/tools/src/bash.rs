//! `Bash`: a shell line, in the folder where the last one left off.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use forelook_protocol::{AbsPath, Action, Effect, Shell};
use forelook_sandbox::{Child, Ending, Event, Program, find_program};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::{Instant, sleep_until};

use crate::output::Collector;
use crate::seen;
use crate::tool::{BadInput, Place, ToolContext};
use crate::typed::{Done, Failure, TypedTool};

const DEFAULT_TIMEOUT: u64 = 120_000;
const MAX_TIMEOUT: u64 = 600_000;
/// Between the polite signal and the last one.
const GRACE: Duration = Duration::from_secs(2);

/// Runs the command and tells at the exit where it left off. One line, so that the line numbers in the
/// shell's messages are the command's; the command is an argument, never spliced in; `%q` makes any path
/// safe inside the trap; `>|` writes even under `set -C`. A command with an EXIT trap of its own replaces
/// ours: then the folder stays as it was.
const WRAPPER: &str = r#"printf -v forelook %q "$2"; trap "builtin pwd -P >|$forelook 2>/dev/null" EXIT; forelook=$1; set --; eval "$forelook""#;

/// Runs a shell line.
pub(crate) struct Bash;

/// What to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The command, as for `bash -c`.
    command: String,
    /// Milliseconds until it is ended; 120000 if left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600_000))]
    timeout: Option<u64>,
    /// What it does, in five to ten words, for the person who watches.
    #[serde(default)]
    #[expect(dead_code, reason = "shown by front ends, which read it from the call")]
    description: Option<String>,
}

impl TypedTool for Bash {
    type Input = Input;
    const NAME: &'static str = "Bash";

    fn description(&self) -> Cow<'static, str> {
        "Runs a command with bash. The working folder is kept between calls; \
        variables and functions are not. There is no terminal and no input: use flags instead of prompts and \
        editors. Standard output and standard error come together in their order, without colours; of a very \
        long output you get the beginning and the end, and the path of a file with all of it. The command and \
        everything it started end with the call, at the latest after `timeout`. Put paths with spaces in \
        quotes. To look at files or change them use Read, Edit and Write.".into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.timeout.is_some_and(|timeout| !(1..=MAX_TIMEOUT).contains(&timeout)) {
            return Err(BadInput(format!("`timeout` is in milliseconds: send 1 to {MAX_TIMEOUT}")));
        }
        if input.command.contains('\0') {
            return Err(BadInput("`command` has a NUL character in it: send it without".to_owned()));
        }
        if input.command.trim().is_empty() {
            return Err(BadInput("`command` is empty: send a command".to_owned()));
        }
        Ok(())
    }

    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        let folder = start_folder(place).unwrap_or(&place.folder).clone();
        Ok(Action::Shell { shell: Shell::Bash, command: input.command.clone(), folder })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        let folder = start_folder(&cx.place).ok_or_else(|| {
            Failure::new(format!("The project's folder `{}` is gone, so nothing can run", cx.place.project))
        })?;
        let files = Files::new(&cx)?;
        let mut child = Child::spawn(&program(&input, &cx, folder, &files)?)
            .map_err(|error| Failure::new(start_failure(folder, &error)))?;
        let timeout = Duration::from_millis(input.timeout.unwrap_or(DEFAULT_TIMEOUT));
        let ran = watch(&mut child, &cx, timeout, Collector::new(&files.output)).await;
        let end_folder = files.end_folder();
        Ran { folder_now: end_folder.as_ref().unwrap_or(folder), ..ran.at(folder) }.report(&cx.place, timeout)
    }
}

/// The current folder, or the project's if that one is gone.
fn start_folder(place: &Place) -> Option<&AbsPath> {
    [&place.folder, &place.project].into_iter().find(|folder| folder.as_path().is_dir())
}

fn program(input: &Input, cx: &ToolContext, folder: &AbsPath, files: &Files) -> Result<Program, Failure> {
    let bash = find_program("bash", &cx.env).ok_or_else(|| {
        Failure::new("There is no `bash` on this machine\nTell the person that it is needed")
    })?;
    let mut env = (*cx.env).clone();
    // The person's variable names another folder, and `pwd` would believe it.
    env.set("PWD", folder.as_path());
    if cx.quiet_git {
        env.quiet_git();
    }
    Ok(Program::new(bash, env, folder.as_path())
        .arg("-c")
        .arg(WRAPPER)
        .arg("bash")
        .arg(&input.command)
        .arg(files.folder.as_path()))
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

/// The files of one call in the session's private folder.
struct Files {
    /// The whole output, if it is long.
    output: AbsPath,
    /// Where the shell writes the folder it left off in.
    folder: AbsPath,
}

impl Files {
    fn new(cx: &ToolContext) -> Result<Self, Failure> {
        let fail = |error: forelook_disk::DiskError| Failure::new(error.to_string());
        forelook_disk::make_private(&cx.scratch).map_err(fail)?;
        // The id is the model's and may be any text; its hash is always a name.
        let name = &seen::hash(cx.call.0.as_bytes())[..16];
        let folder = cx.scratch.join(format!("bash-{name}.folder"));
        forelook_disk::remove_file(&folder).map_err(fail)?;
        Ok(Self { output: cx.scratch.join(format!("bash-{name}.txt")), folder })
    }

    /// Where the shell left off, if it said so.
    fn end_folder(&self) -> Option<AbsPath> {
        let mut bytes = std::fs::read(&self.folder).ok()?;
        // It has done its work; should it stay, the session's folder goes as a whole anyway.
        let _ = forelook_disk::remove_file(&self.folder);
        // Exactly one newline is `pwd`'s; any other belongs to the name.
        bytes.pop_if(|last| *last == b'\n')?;
        AbsPath::new(OsString::from_vec(bytes)).ok()
    }
}

/// Why a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Itself,
    TimedOut,
    Interrupted,
}

/// What came of a command before it is known where.
struct Watched {
    output: String,
    ending: Ending,
    why: Why,
}

impl Watched {
    fn at(self, folder: &AbsPath) -> Ran<'_> {
        Ran { watched: self, folder_then: folder, folder_now: folder }
    }
}

/// Follows the child to its end.
async fn watch(child: &mut Child, cx: &ToolContext, timeout: Duration, mut output: Collector) -> Watched {
    let deadline = Instant::now() + timeout;
    let mut why = Why::Itself;
    let ending = loop {
        tokio::select! {
            event = child.next() => match event {
                Event::Output(chunk) => (cx.output)(&output.push(&chunk.bytes)),
                Event::Ended(ending) => break ending,
            },
            () = cx.cancel.cancelled(), if why == Why::Itself => {
                why = Why::Interrupted;
                child.terminate(GRACE);
            }
            () = sleep_until(deadline), if why == Why::Itself => {
                why = Why::TimedOut;
                child.terminate(GRACE);
            }
        }
    };
    Watched { output: output.finish(), ending, why }
}

/// A command that ran.
struct Ran<'a> {
    watched: Watched,
    folder_then: &'a AbsPath,
    folder_now: &'a AbsPath,
}

impl Ran<'_> {
    fn report(self, place: &Place, timeout: Duration) -> Result<Done, Failure> {
        let Watched { output, ending, why } = &self.watched;
        let mut parts = Vec::new();
        if *self.folder_then != place.folder {
            parts.push(format!("[`{}` is gone; this ran in `{}`]", place.folder, self.folder_then));
        }
        let output = output.trim_end();
        if !output.is_empty() {
            parts.push(output.to_owned());
        }
        match (why, ending) {
            (Why::Itself, Ending::Exited(0)) if output.is_empty() => parts.push("(no output)".to_owned()),
            (Why::Itself, Ending::Exited(0)) => {}
            (Why::Itself, ending) => parts.push(capital(&ending.to_string())),
            (Why::TimedOut, _) => parts.push(format!(
                "Timed out after {} ms: the command and everything it started were ended\n\
                 Send a longer `timeout`, or do less at once",
                timeout.as_millis()
            )),
            (Why::Interrupted, _) => parts.push(
                "Interrupted: the command and everything it started were ended; it may have done a part of its work"
                    .to_owned(),
            ),
        }
        let (text, effects) = (parts.join("\n"), self.effects(place));
        match *why == Why::Itself && ending.is_success() {
            true => Ok(Done { effects, ..Done::new(text) }),
            false => Err(Failure { text, effects, output: None }),
        }
    }

    fn effects(&self, place: &Place) -> Vec<Effect> {
        // `pwd -P` speaks of the folder without links; that alone is no change.
        let same = *self.folder_now == place.folder
            || forelook_disk::resolve(&place.folder).is_ok_and(|real| real == *self.folder_now);
        match same {
            true => Vec::new(),
            false => vec![Effect::SetFolder { folder: self.folder_now.clone() }],
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
