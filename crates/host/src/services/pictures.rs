//! Pictures that the person names or has copied, made as small as Read makes them.

use std::time::Duration;

use forelook_disk::read_bounded;
use forelook_protocol::{AbsPath, UserBlock};
use forelook_sandbox::{ChildEnv, Program, find_program};

use super::stdout;

/// A larger file is no picture that a model should see.
const MAX_BYTES: u64 = 50 * 1024 * 1024;
/// How long whoever has what was copied may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Who gives what was copied, and the variable without which there is nobody to ask.
const CLIPBOARD_PROGRAMS: [(&str, &[&str], Option<&str>); 3] = [
    ("wl-paste", &["--no-newline", "--type", "image/png"], Some("WAYLAND_DISPLAY")),
    ("xclip", &["-selection", "clipboard", "-t", "image/png", "-o"], Some("DISPLAY")),
    ("pngpaste", &["-"], None),
];

/// The picture in a file. What is in it counts, not its name.
pub(super) fn in_file(path: &AbsPath) -> Option<UserBlock> {
    forelook_tools::picture(&read_bounded(path, MAX_BYTES).ok()?).ok()
}

/// The picture that the person copied; nothing if there is none, or nobody who could give it.
pub(super) async fn copied(env: &ChildEnv, folder: &AbsPath) -> Option<UserBlock> {
    for (name, args, variable) in CLIPBOARD_PROGRAMS {
        if variable.is_some_and(|variable| env.get(variable).is_none_or(|value| value.is_empty())) {
            continue;
        }
        let Some(path) = find_program(name, env) else { continue };
        let mut program = Program::new(path, env.clone(), folder.as_path());
        program.args.extend(args.iter().map(Into::into));
        let most = usize::try_from(MAX_BYTES).unwrap_or(usize::MAX);
        let Ok(bytes) = stdout::of(program, TIMEOUT, most).await else { continue };
        let picture = tokio::task::spawn_blocking(move || forelook_tools::picture(&bytes)).await;
        if let Ok(Ok(picture)) = picture {
            return Some(picture);
        }
    }
    None
}
