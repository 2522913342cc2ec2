//! What is started for a command: bash, a line around the command, and the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use forelook_fences::LaunchError;
use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{ChildEnv, Program, find_program_outside};

use super::CommandCall;
use crate::services::ToolServices;
use crate::shells::EnvUpdate;
use crate::typed::ToolFailure;

/// The descriptor on which the shell tells how it left things. What it starts inherits it, since bash cannot keep one for
/// itself; the number is high so that nobody writes to it by mistake, and whoever keeps it open holds nobody up.
const STATE_FD: i32 = 199;

/// Tells the folder and the variables.
macro_rules! report_state {
    () => {
        r#"{ builtin pwd -P; builtin printf "\0"; builtin export -p; builtin printf "\0."; } >&199"#
    };
}

/// Takes the command out of the arguments; what is left of them are variables for the shell alone, by twos.
const UNPACK: &str = r#"forelook=$1; shift; while [ $# -gt 1 ]; do printf -v "$1" %s "$2"; shift 2; done; "#;

/// Tells at the exit how the shell leaves things. All of it is one line, so that the line numbers in the shell's messages
/// are the command's. The messages of the telling go nowhere, nor does what `set -x` shows of it.
const BEFORE: &str = concat!(r#"trap '{ "#, report_state!(), r#"; } 2>/dev/null || :' EXIT; "#);

/// The command is an argument, never spliced in.
const RUN: &str = r#"eval "$forelook""#;

/// A command with an EXIT trap of its own has replaced ours: so it is told here too, before that one runs. If such a
/// command calls `exit`, everything stays as it was.
const AFTER: &str =
    concat!(r#"; { forelook=$?; "#, report_state!(), r#" || :; builtin exit "$forelook"; } 2>/dev/null"#);

/// A command, ready to be started.
pub(crate) struct ShellCommand {
    pub(crate) program: Program,
    /// What the person or the model should know of the environment.
    pub(crate) notes: Vec<String>,
}

impl ShellCommand {
    /// `reports_state`: whether it should tell how it left things.
    pub(crate) async fn new(
        command: &str,
        call: CommandCall<'_>,
        folder: &AbsPath,
        reports_state: bool,
    ) -> Result<Self, ToolFailure> {
        let CommandCall { services: ToolServices { shells, env, .. }, cx } = call;
        // Never by a PATH that a command set, and never one that a command may have put into the project: what runs is this
        // machine's bash.
        let bash = find_program_outside("bash", env, cx.place.project.as_path()).ok_or_else(|| {
            ToolFailure::new("`bash` is not installed on this machine\nTell the user that it is needed")
        })?;
        let fence = cx.launch.fence().await.map_err(launch_failure)?;
        let mut env = (**env).clone();
        let strict = cx.launch.is_strict();
        if !strict {
            shells.env_changes().apply(&mut env);
        }
        if cx.launch.sandbox() == Confinement::Workspace {
            shells.fenced_env_changes().apply(&mut env);
        }
        match strict {
            true => env.harden_shell(|folder| {
                // By where it leads: a link elsewhere may lead into the project.
                let real = folder.canonicalize().ok();
                let inside =
                    |path: &Path| AbsPath::new(path).is_ok_and(|path| cx.launch.is_in_working_folder(&path));
                inside(folder) || real.is_some_and(|real| inside(&real))
            }),
            // Decisions follow `cd` by names.
            false => env.remove("CDPATH"),
        }
        // The person's variable names another folder, and `pwd` would believe it.
        env.set("PWD", folder.as_path());
        let env = cx.launch.harden(env, folder, fence.as_ref()).await.map_err(launch_failure)?;
        let (mut seen, mut notes) = (Vec::new(), Vec::new());
        let env_changes = shells.env_changes();
        if strict && !env_changes.is_empty() {
            seen = env_changes.visible(command, &env);
            notes.extend(unseen_note(&env_changes.missed(command, &seen)));
            notes.extend(env_changes.other_programs(command, &env).iter().map(other_program));
        }
        let script =
            if reports_state { [BEFORE, UNPACK, RUN, AFTER].concat() } else { [UNPACK, RUN].concat() };
        let mut program =
            Program::new(bash, env, folder.as_path()).arg("-c").arg(script).arg("bash").arg(command);
        for (name, value) in seen {
            program = program.arg(name).arg(value);
        }
        program.side = reports_state.then_some(STATE_FD);
        program.fence = fence;
        program.caller = cx.launch.caller();
        Ok(Self { program, notes })
    }

    /// Takes over what it changed in its environment: it ended with these variables.
    pub(crate) fn record_env(&self, call: CommandCall<'_>, end: &BTreeMap<OsString, OsString>) -> EnvUpdate {
        let CommandCall { services: ToolServices { shells, .. }, cx } = call;
        match (cx.launch.sandbox(), cx.launch.auto_allowed()) {
            (Confinement::Off | Confinement::Masked, false) => shells.record_env(self.env(), end),
            // A line that only reads began with another environment than the kept one.
            (Confinement::Off | Confinement::Masked, true) => EnvUpdate::default(),
            (Confinement::Workspace, _) => shells.fenced_env_changes().record_env(self.env(), end),
            // Whatever runs inside can say what it likes on the descriptor that tells, also after a person's yes; and a PATH
            // from in there would choose what runs outside.
            (
                Confinement::ReadOnly
                | Confinement::ReadOnlyOnline
                | Confinement::Inspect
                | Confinement::InspectSecrets
                | Confinement::Rehearsal,
                _,
            ) => EnvUpdate::default(),
        }
    }

    /// The environment it begins with.
    pub(crate) fn env(&self) -> &ChildEnv {
        &self.program.env
    }
}

/// What cannot be held does not run.
fn launch_failure(error: LaunchError) -> ToolFailure {
    ToolFailure::new(match error {
        LaunchError::Fence(error) => format!(
            "Not run: the fence for this command could not be set up: {error}\n\
             Tell the user; `forelook doctor` shows what this machine supports"
        ),
        LaunchError::Crashed => error.to_string(),
    })
}

fn unseen_note(missed: &[String]) -> Option<String> {
    let names: Vec<_> = missed.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| {
        format!(
            "[This command ran without approval because its text is known to be safe, so changes that earlier \
             commands made to {} were ignored: use the value itself]",
            names.join(", ")
        )
    })
}

fn other_program((name, path): &(String, String)) -> String {
    format!(
        "[This command ran without approval because its text is known to be safe, so the PATH set by an \
         earlier command was ignored: `{name}` was not `{path}`. Use the full path if you mean that one]"
    )
}
