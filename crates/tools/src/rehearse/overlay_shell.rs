//! Files as they are on the layer, read and written by small programs inside: to write to the kernel's own folders while it
//! shows them would confuse it.

use std::path::PathBuf;
use std::sync::Arc;

use forelook_fences::{LaunchError, is_foreign_owner_error};
use forelook_protocol::AbsPath;
use forelook_sandbox::{
    Child, ChildEnv, ChildEvent, ChildExit, ChildInput, ChildOutput, Fence, OutputStream, Program,
    find_program,
};
use tokio_util::sync::CancellationToken;

use crate::bash::CommandCall;
use crate::file::MAX_FILE;
use crate::output::shorten;
use crate::services::ToolServices;
use crate::typed::ToolFailure;

/// Tells a file's bytes, up to as many as `$2`. What it says of others is its exit code.
const READ: &str = r#"if [ -f "$1" ]; then exec head -c "$2" -- "$1"; elif [ -e "$1" ] || [ -L "$1" ]; then exit 91; else exit 92; fi"#;
const NO_FILE: i32 = 91;
const NOTHING: i32 = 92;

/// Writes a file in its place, so that its rights stay; one that nobody may write is opened for that while. Where the
/// kernel cannot take the file to the layer, since it is another user's, a new one takes its place. Folders above it are
/// made.
const WRITE: &str = r#"mkdir -p -- "${1%/*}" || exit
m=; [ ! -f "$1" ] || m=$(stat -c %a -- "$1") || exit
[ -z "$m" ] || [ -w "$1" ] || chmod u+w -- "$1" || exit
if true >> "$1"; then cat > "$1" || exit
else n=$1.$$.new; cat > "$n" && mv -f -- "$n" "$1" || exit; fi
[ -z "$m" ] || chmod "$m" -- "$1""#;

/// Who reads and writes on the layer.
pub(super) struct OverlayShell {
    shell: PathBuf,
    env: ChildEnv,
    fence: Option<Arc<Fence>>,
    cancel: CancellationToken,
}

/// What a program came to.
struct ScriptOutput {
    ending: ChildExit,
    output: Vec<u8>,
    stderr: String,
}

impl OverlayShell {
    pub(super) async fn new(call: CommandCall<'_>) -> Result<Self, ToolFailure> {
        let CommandCall { services: ToolServices { env, .. }, cx } = call;
        let shell = find_program("sh", env)
            .ok_or_else(|| ToolFailure::new("`sh` is not installed on this machine"))?;
        let fence = cx.launch.fence().await.map_err(|error| match error {
            LaunchError::Fence(error) => {
                ToolFailure::new(format!("Not run: the overlay for rehearsals could not be created: {error}"))
            }
            LaunchError::Crashed => ToolFailure::new(error.to_string()),
        })?;
        let mut env = (**env).clone();
        // What programs complain of is looked for in their words.
        env.set("LC_ALL", "C");
        Ok(Self { shell, env, fence, cancel: cx.cancel.clone() })
    }

    /// All bytes of a file, or nothing when there is none.
    pub(super) async fn read(&self, path: &AbsPath) -> Result<Option<Vec<u8>>, ToolFailure> {
        let program = self.program(READ, path).arg((MAX_FILE + 1).to_string());
        let ran = self.run(&program).await?;
        match ran.ending {
            ChildExit::Exited(0) if ran.output.len() as u64 > MAX_FILE => Err(ToolFailure::new(format!(
                "`{path}` is larger than {} MiB\nChange it with a command",
                MAX_FILE >> 20
            ))),
            ChildExit::Exited(0) => Ok(Some(ran.output)),
            ChildExit::Exited(NOTHING) => Ok(None),
            ChildExit::Exited(NO_FILE) => Err(ToolFailure::new(format!("`{path}` is not a regular file"))),
            _ => {
                Err(ToolFailure::new(format!("`{path}` could not be read on the overlay: {}", ran.stderr())))
            }
        }
    }

    /// Writes a whole file.
    pub(super) async fn write(&self, path: &AbsPath, bytes: &[u8]) -> Result<(), ToolFailure> {
        let mut program = self.program(WRITE, path);
        program.input = ChildInput::Bytes(bytes.to_vec());
        let ran = self.run(&program).await?;
        match ran.ending {
            ChildExit::Exited(0) => Ok(()),
            _ if is_foreign_owner_error(&ran.stderr) => Err(ToolFailure::new(format!(
                "`{path}` or its directory belongs to another user: the overlay cannot change it\n\
                 Leave this edit out"
            ))),
            _ => Err(ToolFailure::new(format!(
                "`{path}` could not be written on the overlay: {}",
                ran.stderr()
            ))),
        }
    }

    fn program(&self, script: &str, path: &AbsPath) -> Program {
        let mut program = Program::new(&self.shell, self.env.clone(), "/");
        program = program.arg("-c").arg(script).arg("sh").arg(path.as_path());
        program.output = ChildOutput::Separate;
        program.fence = self.fence.clone();
        program
    }

    async fn run(&self, program: &Program) -> Result<ScriptOutput, ToolFailure> {
        let failed = |error: std::io::Error| {
            ToolFailure::new(format!("Nothing could be started on the overlay: {error}"))
        };
        let mut child = Child::spawn(program).map_err(failed)?;
        let (mut output, mut stderr) = (Vec::new(), Vec::new());
        loop {
            let event = tokio::select! {
                event = child.next() => event,
                () = self.cancel.cancelled() => return Err(ToolFailure::new("Interrupted: the rehearsal may be \
                                                                             incomplete")),
            };
            match event {
                ChildEvent::Output(chunk) if chunk.stream == OutputStream::Stdout => {
                    output.extend(chunk.bytes)
                }
                ChildEvent::Output(chunk) => stderr.extend(chunk.bytes),
                ChildEvent::Ended(ending) => {
                    let stderr = String::from_utf8_lossy(&stderr).into_owned();
                    return Ok(ScriptOutput { ending, output, stderr });
                }
            }
        }
    }
}

impl ScriptOutput {
    fn stderr(&self) -> String {
        match self.stderr.trim() {
            "" => self.ending.to_string(),
            words => shorten(words, 500),
        }
    }
}
