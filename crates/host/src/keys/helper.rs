//! Keys that a command prints.

use std::time::Duration;

use forelook_providers::KeyRequest;
use forelook_sandbox::{
    Caller, Child, ChildEnv, ChildEvent, ChildOutput, OutputChunk, OutputStream, Program, find_program,
};
use forelook_settings::Env;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::KeySet;

/// How long a command may take: a person may have to touch a token, or to type a password somewhere.
const TIMEOUT: Duration = Duration::from_secs(60);

/// More than any key, or any word about one.
const MAX_OUTPUT: usize = 64 * 1024;

/// How much of what it complains about is told.
const MAX_SHOWN: usize = 300;

/// A command that prints keys. It runs when one is first needed.
pub(crate) struct KeyHelper {
    /// The setting that names it.
    setting: String,
    command: String,
    env: ChildEnv,
    folder: std::path::PathBuf,
    timeout_after: Duration,
    /// Locked while it runs, so that many who need a key at once start one command.
    key_set: Mutex<Option<KeySet>>,
}

impl KeyHelper {
    pub(crate) fn new(setting: &str, command: &str, child: ChildEnv, env: &Env) -> Self {
        // Not in the project: a relative name would run what lies there.
        let folder = env.user_home.as_ref().map_or_else(|| "/".into(), |home| home.as_path().to_owned());
        Self {
            setting: format!("`{setting}`"),
            command: command.to_owned(),
            env: child,
            folder,
            timeout_after: TIMEOUT,
            key_set: Mutex::default(),
        }
    }

    pub(super) fn setting(&self) -> &str {
        &self.setting
    }

    /// What it prints; it runs again if that was refused.
    pub(super) async fn key_set(&self, which: KeyRequest) -> Result<KeySet, String> {
        let mut key_set = self.key_set.lock().await;
        match &*key_set {
            Some(key_set) if which == KeyRequest::Cached => Ok(key_set.clone()),
            _ => {
                // The command itself is not repeated: a hasty person may have written a key into it.
                let printed =
                    self.run().await.map_err(|why| format!("{} printed no key: {why}", self.setting))?;
                *key_set = Some(printed.clone());
                Ok(printed)
            }
        }
    }

    async fn run(&self) -> Result<KeySet, String> {
        let shell = find_program("sh", &self.env).ok_or("`sh` was not found")?;
        let mut program = Program::new(shell, self.env.clone(), &self.folder).arg("-c").arg(&self.command);
        program.output = ChildOutput::Separate;
        program.caller = Caller::Person;
        let mut child =
            Child::spawn(&program).map_err(|error| format!("it could not be started: {error}"))?;
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let reading = async {
            loop {
                match child.next().await {
                    ChildEvent::Output(OutputChunk { stream: OutputStream::Stdout, bytes }) => {
                        append_bounded(&mut stdout, &bytes)
                    }
                    ChildEvent::Output(OutputChunk { stream: OutputStream::Stderr, bytes }) => {
                        append_bounded(&mut stderr, &bytes)
                    }
                    ChildEvent::Ended(ending) => return ending,
                }
            }
        };
        let ending = timeout(self.timeout_after, reading).await;
        let text = String::from_utf8(stdout).map_err(|_| "its output is not UTF-8 text")?;
        let stderr_note = stderr_note(&stderr, &text);
        match ending {
            Err(_) => Err(format!("it timed out after {} s{stderr_note}", self.timeout_after.as_secs_f32())),
            Ok(ending) if !ending.is_success() => Err(format!("{ending}{stderr_note}")),
            Ok(_) => KeySet::read(&text).map_err(|why| format!("its output {why}{stderr_note}")),
        }
    }
}

fn append_bounded(kept: &mut Vec<u8>, bytes: &[u8]) {
    let room = MAX_OUTPUT.saturating_sub(kept.len()).min(bytes.len());
    kept.extend_from_slice(&bytes[..room]);
}

/// The words on its standard error, as one line, without what it printed on the other: that may be half a key.
fn stderr_note(stderr: &[u8], stdout: &str) -> String {
    let mut words = String::from_utf8_lossy(stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    for secret in stdout.split_whitespace().filter(|word| word.len() >= 4) {
        words = words.replace(secret, "[secret]");
    }
    words.retain(|letter| !letter.is_control());
    let shown = &words[..words.floor_char_boundary(MAX_SHOWN)];
    if shown.is_empty() { String::new() } else { format!("; its error output: {shown}") }
}

#[cfg(test)]
mod tests {
    use forelook_protocol::Secret;

    use super::super::SingleKeyOwner;
    use super::*;

    fn helper(command: &str) -> KeyHelper {
        let folder = std::env::temp_dir();
        let env = Env::from_pairs([
            ("HOME", folder.to_str().unwrap()),
            ("PATH", "/usr/bin:/bin"),
            ("OPENAI_API_KEY", "sk-planted"),
        ])
        .unwrap();
        let child = ChildEnv::without_secrets(env.all().iter().cloned());
        KeyHelper::new("keyHelper", command, child, &env)
    }

    async fn key(helper: &KeyHelper, which: KeyRequest) -> Result<Option<Secret>, String> {
        helper.key_set(which).await.map(|key_set| key_set.of("anthropic", SingleKeyOwner::ThisProvider))
    }

    #[tokio::test]
    async fn what_it_prints_is_the_key() {
        for (command, expected) in [
            ("echo sk-1", Some("sk-1")),
            ("printf sk-1; echo warning >&2", Some("sk-1")),
            (r#"echo '{"anthropic": "sk-2"}'"#, Some("sk-2")),
            (r#"echo '{"openai": "sk-2"}'"#, None),
            // No key of the environment gets there.
            ("echo \"sk-3$OPENAI_API_KEY\"", Some("sk-3")),
        ] {
            assert_eq!(
                key(&helper(command), KeyRequest::Cached).await,
                Ok(expected.map(Secret::new)),
                "{command}"
            );
        }
    }

    #[tokio::test]
    async fn what_goes_wrong_is_said_and_its_output_never() {
        let slow = KeyHelper {
            timeout_after: Duration::from_millis(200),
            ..helper("printf sk-planted-9; sleep 60")
        };
        for (helper, part) in [
            (helper("echo sk-planted-9; echo no luck >&2; exit 3"), "exit code 3; its error output: no luck"),
            (
                helper("echo sk-planted-9; echo bad sk-planted-9 >&2; exit 3"),
                "its error output: bad [secret]",
            ),
            (helper("true"), "its output is empty"),
            (helper("echo sk-planted-9; echo sk-planted-8"), "several lines"),
            (helper("echo sk planted-9"), "spaces"),
            (helper("printf '\\377'"), "not UTF-8"),
            (helper("/no/such/helper"), "exit code 127; its error output:"),
            (slow, "timed out after 0.2 s"),
        ] {
            let why = key(&helper, KeyRequest::Cached).await.unwrap_err();
            assert!(why.starts_with("`keyHelper` printed no key: ") && why.contains(part), "{why}");
            assert!(!why.contains("planted-"), "{why}");
        }
    }

    #[tokio::test]
    async fn it_runs_once_and_again_when_its_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let helper = helper(&format!("echo x >> {0}; wc -l < {0} | tr -d ' '", count.display()));
        let (first, second) =
            tokio::join!(key(&helper, KeyRequest::Cached), key(&helper, KeyRequest::Cached));
        assert_eq!((first, second), (Ok(Some(Secret::new("1"))), Ok(Some(Secret::new("1")))));
        assert_eq!(key(&helper, KeyRequest::Refreshed).await, Ok(Some(Secret::new("2"))));
        assert_eq!(key(&helper, KeyRequest::Cached).await, Ok(Some(Secret::new("2"))));
    }
}
