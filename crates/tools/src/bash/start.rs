//! What is started for a command: bash, a line around the command, and the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{ChildEnv, Fence, Program, find_program_outside};

use crate::git_config;
use crate::shells::Learnt;
use crate::tool::ToolContext;
use crate::typed::{Failure, blocking};

/// The descriptor on which the shell tells how it left things. What it starts inherits it, since bash cannot keep one for
/// itself; the number is high so that nobody writes to it by mistake, and whoever keeps it open holds nobody up.
const SIDE: i32 = 199;

/// Tells the folder and the variables.
macro_rules! telling {
    () => {
        r#"{ builtin pwd -P; builtin printf "\0"; builtin export -p; builtin printf "\0."; } >&199"#
    };
}

/// Takes the command out of the arguments; what is left of them are variables for the shell alone, by twos.
const TAKE: &str = r#"forelook=$1; shift; while [ $# -gt 1 ]; do printf -v "$1" %s "$2"; shift 2; done; "#;

/// Tells at the exit how the shell leaves things. All of it is one line, so that the line numbers in the shell's messages
/// are the command's. The messages of the telling go nowhere, nor does what `set -x` shows of it.
const BEFORE: &str = concat!(r#"trap '{ "#, telling!(), r#"; } 2>/dev/null || :' EXIT; "#);

/// The command is an argument, never spliced in.
const RUN: &str = r#"eval "$forelook""#;

/// A command with an EXIT trap of its own has replaced ours: so it is told here too, before that one runs. If such a
/// command calls `exit`, everything stays as it was.
const AFTER: &str =
    concat!(r#"; { forelook=$?; "#, telling!(), r#" || :; builtin exit "$forelook"; } 2>/dev/null"#);

/// A command, ready to be started.
pub(crate) struct Start {
    pub(crate) program: Program,
    /// What the person or the model should know of the environment.
    pub(crate) notes: Vec<String>,
}

impl Start {
    /// `tells`: whether it should tell how it left things.
    pub(crate) async fn new(
        command: &str,
        cx: &ToolContext,
        folder: &AbsPath,
        tells: bool,
    ) -> Result<Self, Failure> {
        // Never by a PATH that a command set, and never one that a command may have put into the project: what runs is this
        // machine's bash.
        let bash = find_program_outside("bash", &cx.env, cx.place.project.as_path()).ok_or_else(|| {
            Failure::new("There is no `bash` on this machine\nTell the person that it is needed")
        })?;
        let fence = fence(cx).await?;
        let mut env = (*cx.env).clone();
        // Where the kernel holds a line to the working folders its text need not mean what it says.
        let held = cx.within == Confinement::Workspace;
        let strict = cx.unasked && !held;
        if !strict {
            cx.shells.kept().apply(&mut env);
        }
        if held {
            cx.shells.kept_inside().apply(&mut env);
        }
        // The person's variable names another folder, and `pwd` would believe it.
        env.set("PWD", folder.as_path());
        let mut env = quiet_git(cx, folder, env).await?;
        if let Some(fence) = &fence {
            cx.fences.prepare(cx.within, fence, &cx.ground, &mut env);
        }
        let (mut seen, mut notes) = (Vec::new(), Vec::new());
        let kept = cx.shells.kept();
        if strict && !kept.is_empty() {
            seen = kept.visible(command, &env);
            notes.extend(unseen_note(&kept.missed(command, &seen)));
            notes.extend(kept.other_programs(command, &env).iter().map(other_program));
        }
        let script = if tells { [BEFORE, TAKE, RUN, AFTER].concat() } else { [TAKE, RUN].concat() };
        let mut program =
            Program::new(bash, env, folder.as_path()).arg("-c").arg(script).arg("bash").arg(command);
        for (name, value) in seen {
            program = program.arg(name).arg(value);
        }
        program.side = tells.then_some(SIDE);
        program.fence = fence;
        Ok(Self { program, notes })
    }

    /// Takes over what it changed in its environment: it ended with these variables.
    pub(crate) fn learn(&self, cx: &ToolContext, end: &BTreeMap<OsString, OsString>) -> Learnt {
        match (cx.within, cx.unasked) {
            (Confinement::Off, false) => cx.shells.learn(self.env(), end),
            // A line that only reads began with another environment than the kept one.
            (Confinement::Off, true) => Learnt::default(),
            (Confinement::Workspace, _) => cx.shells.kept_inside().learn(self.env(), end),
            // Whatever runs inside can say what it likes on the descriptor that tells, also after a person's yes; and a PATH
            // from in there would choose what runs outside.
            (Confinement::ReadOnly | Confinement::ReadOnlyOnline | Confinement::Rehearsal, _) => {
                Learnt::default()
            }
        }
    }

    /// The environment it begins with.
    pub(crate) fn env(&self) -> &ChildEnv {
        &self.program.env
    }
}

/// Where nothing may be changed git runs nothing that a repository names: it is a stranger, and what runs unjudged may ask
/// git for anything.
async fn quiet_git(cx: &ToolContext, folder: &AbsPath, mut env: ChildEnv) -> Result<ChildEnv, Failure> {
    let held = !cx.within.can_change();
    if held || cx.quiet_git {
        env.quiet_git();
    }
    if held {
        // It reads the configuration of the repository and of all its submodules.
        let folder = folder.clone();
        let silence = move || {
            git_config::silenced(&folder, &mut env);
            Ok(env)
        };
        env = blocking(silence).await?;
    }
    if cx.within == Confinement::ReadOnlyOnline {
        env.quiet_git_online();
    }
    Ok(env)
}

/// What holds it; raising that takes milliseconds, so not here but beside the runtime.
async fn fence(cx: &ToolContext) -> Result<Option<Arc<Fence>>, Failure> {
    if cx.within.is_off() {
        return Ok(None);
    }
    let (fences, within, ground) = (Arc::clone(&cx.fences), cx.within, cx.ground.clone());
    let raise = move || {
        fences.get(within, &ground).map_err(|error| {
            Failure::new(format!(
                "Not run: the fence that should hold this command could not be raised: {error}\nTell the person; \
                 `forelook doctor` says what this machine can hold"
            ))
        })
    };
    blocking(raise).await
}

fn unseen_note(missed: &[String]) -> Option<String> {
    let names: Vec<_> = missed.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| {
        format!(
            "[This line ran without a question, for what its text does; so what an earlier command did to {} did not count: write \
             the value itself]",
            names.join(", ")
        )
    })
}

fn other_program((name, path): &(String, String)) -> String {
    format!(
        "[This line ran without a question, for what its text does; so the PATH that an earlier command set did not count: `{name}` \
         was not `{path}`. Name it by its whole path if you mean that one]"
    )
}
