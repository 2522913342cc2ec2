//! Files as they are on the layer, read and written by small programs inside: to write to the kernel's own folders while it
//! shows them would confuse it.

use std::path::PathBuf;
use std::sync::Arc;

use forelook_fences::{LaunchError, belongs_to_another};
use forelook_protocol::AbsPath;
use forelook_sandbox::{Child, ChildEnv, Ending, Event, Fence, Input, Output, Program, Stream, find_program};
use tokio_util::sync::CancellationToken;

use crate::bash::CommandCall;
use crate::file::MAX_FILE;
use crate::output::shorten;
use crate::services::ToolServices;
use crate::typed::Failure;

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
pub(super) struct Inside {
    shell: PathBuf,
    env: ChildEnv,
    fence: Option<Arc<Fence>>,
    cancel: CancellationToken,
}

/// What a program came to.
struct Ran {
    ending: Ending,
    output: Vec<u8>,
    complaint: String,
}

impl Inside {
    pub(super) async fn new(call: CommandCall<'_>) -> Result<Self, Failure> {
        let CommandCall { services: ToolServices { env, .. }, cx } = call;
        let shell =
            find_program("sh", env).ok_or_else(|| Failure::new("There is no `sh` on this machine"))?;
        let fence = cx.launch.fence().await.map_err(|error| match error {
            LaunchError::Fence(error) => {
                Failure::new(format!("Not run: the layer to rehearse on could not be made: {error}"))
            }
            LaunchError::Crashed => Failure::new(error.to_string()),
        })?;
        let mut env = (**env).clone();
        // What programs complain of is looked for in their words.
        env.set("LC_ALL", "C");
        Ok(Self { shell, env, fence, cancel: cx.cancel.clone() })
    }

    /// All bytes of a file, or nothing when there is none.
    pub(super) async fn read(&self, path: &AbsPath) -> Result<Option<Vec<u8>>, Failure> {
        let program = self.program(READ, path).arg((MAX_FILE + 1).to_string());
        let ran = self.run(&program).await?;
        match ran.ending {
            Ending::Exited(0) if ran.output.len() as u64 > MAX_FILE => Err(Failure::new(format!(
                "`{path}` is larger than {} MiB\nChange it with a command",
                MAX_FILE >> 20
            ))),
            Ending::Exited(0) => Ok(Some(ran.output)),
            Ending::Exited(NOTHING) => Ok(None),
            Ending::Exited(NO_FILE) => Err(Failure::new(format!("`{path}` is not a regular file"))),
            _ => Err(Failure::new(format!("`{path}` could not be read on the layer: {}", ran.complaint()))),
        }
    }

    /// Writes a whole file.
    pub(super) async fn write(&self, path: &AbsPath, bytes: &[u8]) -> Result<(), Failure> {
        let mut program = self.program(WRITE, path);
        program.input = Input::Bytes(bytes.to_vec());
        let ran = self.run(&program).await?;
        match ran.ending {
            Ending::Exited(0) => Ok(()),
            _ if belongs_to_another(&ran.complaint) => Err(Failure::new(format!(
                "`{path}` or its folder belongs to another user: the layer cannot take it\nLeave this edit out"
            ))),
            _ => {
                Err(Failure::new(format!("`{path}` could not be written on the layer: {}", ran.complaint())))
            }
        }
    }

    fn program(&self, script: &str, path: &AbsPath) -> Program {
        let mut program = Program::new(&self.shell, self.env.clone(), "/");
        program = program.arg("-c").arg(script).arg("sh").arg(path.as_path());
        program.output = Output::Separate;
        program.fence = self.fence.clone();
        program
    }

    async fn run(&self, program: &Program) -> Result<Ran, Failure> {
        let failed =
            |error: std::io::Error| Failure::new(format!("Nothing could be started on the layer: {error}"));
        let mut child = Child::spawn(program).map_err(failed)?;
        let (mut output, mut complaint) = (Vec::new(), Vec::new());
        loop {
            let event = tokio::select! {
                event = child.next() => event,
                () = self.cancel.cancelled() => return Err(Failure::new("Interrupted: the rehearsal may be half done")),
            };
            match event {
                Event::Output(chunk) if chunk.stream == Stream::Stdout => output.extend(chunk.bytes),
                Event::Output(chunk) => complaint.extend(chunk.bytes),
                Event::Ended(ending) => {
                    let complaint = String::from_utf8_lossy(&complaint).into_owned();
                    return Ok(Ran { ending, output, complaint });
                }
            }
        }
    }
}

impl Ran {
    fn complaint(&self) -> String {
        match self.complaint.trim() {
            "" => self.ending.to_string(),
            words => shorten(words, 500),
        }
    }
}
