//! Who runs what is tested: an ordinary user, whoever started the chore.
//!
//! People do not run Forelook as root, so its tests do not either. A run that an ordinary user starts is that user's. One
//! that root starts is built by root, and what was built runs as a user that nobody else is: a number that no account has,
//! and a home in the build folder. Everything else that this user needs exists in mounts of its own, which end with each
//! program: its name, and a way to what lies in folders that only root may enter (root's toolchain, mostly). Nothing is
//! copied, and nothing on the machine is changed.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::stat::{Mode, umask};

use crate::bind_mounts::{self, BindMounts};
use crate::run::{XtaskResult, cargo, output, root, target};

/// The user's name. It stands in the mounts of its own only.
const NAME: &str = "forelook-tests";
/// The first number that is tried: below those that systems give out by themselves, and mapped in most containers.
const FIRST_UID: u32 = 59_000;
/// What tests write in the build folder: whoever runs them must be able to.
const WRITABLE_FOLDERS: &[&str] = &["tmp", "wire"];

/// Who runs what is tested.
pub(crate) enum TestUser {
    /// Whoever started the chore.
    Invoker,
    /// A user of our own making, since root started it. The script runs a program as that user.
    Unprivileged { script: PathBuf, path: OsString },
}

/// Whether root started the chore.
pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0)
}

impl TestUser {
    /// Finds out who it is, and makes the user if there must be one.
    pub(crate) fn prepare() -> XtaskResult<Self> {
        if !is_root() {
            return Ok(TestUser::Invoker);
        }
        // What is built from now on is for others too.
        umask(Mode::from_bits_truncate(0o022));
        let folder = target().join("test-user");
        let account = Account { uid: free_uid(&read("/etc/passwd")?), home: folder.join("home") };
        let toolchain = PathBuf::from(
            output(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()))?.trim(),
        );
        let path = open_path(Some(&toolchain));
        create_files(&folder, &account)?;
        let mounts = BindMounts::to(&[root(), target(), toolchain.clone()])?;
        let script = folder.join("run");
        write(&script, &account.script(&folder, &mounts, &path))?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))
            .map_err(|error| setup_error(&script, &error))?;
        let user = TestUser::Unprivileged { script, path };
        user.check_access(&[&root(), &root().join("Cargo.toml"), &toolchain.join("bin/rustc"), &target()])?;
        Ok(user)
    }

    /// In a few words.
    pub(crate) fn name(&self) -> String {
        match self {
            TestUser::Invoker => "as you".to_owned(),
            TestUser::Unprivileged { script, .. } => {
                format!("as an unprivileged user: {}", script.display())
            }
        }
    }

    /// A command that runs a program as this user.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        match self {
            TestUser::Invoker => Command::new(program),
            TestUser::Unprivileged { script, .. } => {
                let mut command = Command::new(script);
                command.arg(program);
                command
            }
        }
    }

    /// `cargo test`, which builds as we are and runs what it built as this user.
    pub(crate) fn cargo_test(&self, arguments: &[&str]) -> Command {
        let mut command = cargo(&["test"]);
        if let TestUser::Unprivileged { script, .. } = self {
            // A list: a single text would be taken apart where there are blanks.
            command
                .arg("--config")
                .arg(format!("target.'cfg(all())'.runner=[{:?}]", script.display().to_string()));
        }
        command.args(arguments);
        command
    }

    /// A command of our own, for what is made for this user: it finds the programs that the user does.
    pub(crate) fn build_command(&self, program: &str) -> Command {
        match self {
            TestUser::Invoker => Command::new(program),
            TestUser::Unprivileged { path, .. } => {
                let mut command = Command::new(find_in_path(path, program).unwrap_or_else(|| program.into()));
                command.env("PATH", path);
                command
            }
        }
    }

    /// Whether the user can read these. What was opened is open; what is left is for a person to decide.
    fn check_access(&self, paths: &[&Path]) -> XtaskResult {
        const ALTERNATIVE: &str = "Or run the tests as an ordinary user, in a separate clone";
        output(&mut self.command("true")).map_err(|error| {
            format!(
                "When you start the tests as root, they run as an unprivileged user, but creating one failed: {error}\n\
                 Allow root to mount (a container needs --privileged)\n{ALTERNATIVE}"
            )
        })?;
        let is_closed = |path: &&&Path| output(self.command("test").arg("-r").arg(path)).is_err();
        let closed: Vec<String> =
            paths.iter().filter(is_closed).map(|path| bind_mounts::quoted(path)).collect();
        if closed.is_empty() {
            return Ok(());
        }
        Err(format!(
            "When you start the tests as root, they run as an unprivileged user, but that user cannot read the files they need\n\
             Make them readable by everyone: chmod -R o+rX {}\n{ALTERNATIVE}",
            closed.join(" ")
        ))
    }
}

/// The folders in which programs are found: all of ours that everybody may enter, the compiler's first. An ordinary user has
/// them as they are.
pub(crate) fn open_path(toolchain: Option<&Path>) -> OsString {
    let ours = std::env::var_os("PATH").unwrap_or_default();
    if !is_root() {
        return ours;
    }
    let open = std::env::split_paths(&ours).filter(|folder| bind_mounts::is_reachable(folder));
    let all = toolchain.map(|folder| folder.join("bin")).into_iter().chain(open);
    std::env::join_paths(all).unwrap_or(ours)
}

/// Where a program is that the user of the tests may start, by the folders of a search path.
pub(crate) fn find_in_path(path: &OsStr, program: &str) -> Option<PathBuf> {
    let candidates = std::env::split_paths(path).map(|folder| folder.join(program));
    // By where it really lies: a link may lead into a folder that only root may enter.
    candidates.into_iter().find(|it| it.is_file() && (!is_root() || bind_mounts::is_reachable(it)))
}

struct Account {
    uid: u32,
    home: PathBuf,
}

impl Account {
    /// Runs a program as this user. By hand it is useful too.
    fn script(&self, folder: &Path, mounts: &BindMounts, path: &OsStr) -> String {
        let Self { uid, home } = self;
        let quoted = |path: &Path| bind_mounts::quoted(path);
        let (home, folder) = (quoted(home), quoted(folder));
        format!(
            "#!/bin/sh\n\
             # Runs a program as the user of the tests. Made by `cargo xtask test`; see xtask/src/test_user.rs.\n\
             set -eu\n\
             [ \"${{1-}}\" = --in-mounts ] || exec unshare --mount --propagation private sh \"$0\" --in-mounts \"$@\"\n\
             shift\n\
             umask 022\n\
             here=$PWD\n\
             mount --bind {folder}/passwd /etc/passwd\n\
             mount --bind {folder}/group /etc/group\n\
             {mounts}cd \"$here\"\n\
             unset XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME\n\
             export HOME={home} CARGO_HOME={home}/.cargo USER={NAME} LOGNAME={NAME} PATH={path}\n\
             exec setpriv --reuid={uid} --regid={uid} --clear-groups --inh-caps=-all -- \"$@\"\n",
            mounts = mounts.script(),
            path = quoted(Path::new(path)),
        )
    }
}

/// The user's home, its name, and the folders that tests write to.
fn create_files(folder: &Path, account: &Account) -> XtaskResult {
    let owned = |path: &Path| {
        fs::create_dir_all(path)
            .and_then(|()| std::os::unix::fs::chown(path, Some(account.uid), Some(account.uid)))
            .map_err(|error| setup_error(path, &error))
    };
    owned(&account.home)?;
    // Made anew by the tests, and perhaps left by somebody else.
    let wire = target().join("wire");
    if wire.exists() {
        fs::remove_dir_all(&wire).map_err(|error| setup_error(&wire, &error))?;
    }
    WRITABLE_FOLDERS.iter().try_for_each(|name| owned(&target().join(name)))?;
    let uid = account.uid;
    let line = format!("{NAME}:x:{uid}:{uid}::{}:/bin/sh\n", account.home.display());
    write(&folder.join("passwd"), &format!("{}{line}", read("/etc/passwd")?))?;
    write(&folder.join("group"), &format!("{}{NAME}:x:{uid}:\n", read("/etc/group")?))
}

/// The first number that no account has.
fn free_uid(accounts: &str) -> u32 {
    let taken = |uid: &u32| accounts.lines().any(|line| line.split(':').nth(2) == Some(&uid.to_string()));
    (FIRST_UID..).find(|uid| !taken(uid)).unwrap_or(FIRST_UID)
}

fn read(path: &str) -> XtaskResult<String> {
    let mut text = fs::read_to_string(path).map_err(|error| setup_error(Path::new(path), &error))?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn write(path: &Path, text: &str) -> XtaskResult {
    let made = fs::File::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
    made.map_err(|error| setup_error(path, &error))
}

fn setup_error(path: &Path, error: &std::io::Error) -> String {
    format!("Cannot prepare `{}` for the tests: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_nobody_elses() {
        assert_eq!(free_uid(""), FIRST_UID);
        assert_eq!(free_uid("root:x:0:0::/root:/bin/sh\na:x:59000:1::/:/bin/sh\n"), FIRST_UID + 1);
        // The group's number is no account's.
        assert_eq!(free_uid("a:x:1:59000::/:/bin/sh\n"), FIRST_UID);
    }

    #[test]
    fn the_script_quotes_what_it_is_given() {
        let account = Account { uid: 7, home: "/it's here/home".into() };
        let script = account.script(Path::new("/a b"), &BindMounts::default(), OsStr::new("/bin:/usr/bin"));
        assert!(script.contains(r"HOME='/it'\''s here/home' "), "{script}");
        assert!(script.contains("mount --bind '/a b'/passwd /etc/passwd"), "{script}");
        assert!(script.contains("--reuid=7 --regid=7 --clear-groups"), "{script}");
    }
}
