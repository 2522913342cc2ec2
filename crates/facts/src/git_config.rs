//! What a repository's own configuration could make git run, and how to prevent that.
//!
//! Some of it is always turned off (`ChildEnv::harden_git`). The rest depends on names that the repository chooses (filters,
//! textconv, drivers, aliases, tools). We look for it here without starting git, since git is what must not start yet. For a
//! command that should be known to be read-only, such a setting is a hazard ([`hazard`]); a command inside a fence runs with
//! each of these settings replaced by a harmless one ([`neutralize`]).

mod configuration;
mod files;
mod keys;
mod parse;
mod runs;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use forelook_protocol::AbsPath;
use forelook_sandbox::ChildEnv;

use configuration::{ConfigGap, Configuration};
use files::Repository;
pub use files::{are_names_of_git_folder, exists, git_folder_of, is_git_folder};
use keys::Replacement;
use parse::Setting;
pub use runs::{GitPart, GitPartKind, GitReach, GitRuns, Unchecked, git_runs};

/// What in the repository of this folder could run code, if anything.
pub fn hazard(folder: &AbsPath) -> Option<String> {
    let (found, _) = runs::candidates::of(folder.as_path());
    let mut files = found.iter().flat_map(|candidate| candidate.repository.files());
    files.find_map(|file| match configuration::settings(&file) {
        Err(gap) => Some(gap.to_string()),
        Ok(settings) => settings.iter().find(|it| keys::is_hazard(it)).map(|setting| {
            let key = String::from_utf8_lossy(&setting.key).into_owned();
            format!("`{}` sets `{key}`, which git can run", file.display())
        }),
    })
}

/// Names of what makes git run something, in the folder of a repository.
pub const GIT_RUNS: [&str; 5] = ["commondir", "config", "config.worktree", "hooks", "modules"];

/// What decides what git runs in the repositories that begin in a folder.
#[derive(Debug, Default)]
pub struct GoverningFiles {
    /// Files and folders, wherever they lie. They need not be there.
    pub files: BTreeSet<AbsPath>,
    /// A file of configuration that may include more of them: it says more than we follow.
    pub more: Option<PathBuf>,
}

/// All files and folders, wherever they lie, that decide what git runs in the repositories that begin in this folder: in a
/// folder that `.git` or `commondir` names, and what the configuration includes.
pub fn governing_files(folder: &Path, home: Option<&OsStr>) -> GoverningFiles {
    let (candidates, _) = runs::candidates::at(folder);
    let (mut found, mut add) = (GoverningFiles::default(), BTreeSet::new());
    for repository in candidates.iter().map(|candidate| &candidate.repository) {
        let folders = [repository.git.clone(), repository.shared()];
        add.extend(folders.into_iter().flat_map(|git| GIT_RUNS.map(|name| git.join(name))));
        for file in repository.files() {
            let configuration = Configuration::read(file, home);
            let too_much = configuration.gap.filter(ConfigGap::is_too_much);
            found.more = found.more.or(too_much.map(|gap| gap.file().to_path_buf()));
            add.extend(configuration.files);
        }
    }
    found.files = add.into_iter().filter_map(|file| forelook_disk::resolve(file).ok()).collect();
    found
}

/// Whether this decides what git runs in a repository that begins in a folder above it, or lies in a repository's folder,
/// whatever that is called. Where that is not known it does. It reads the disk.
pub fn governs(path: &AbsPath, home: Option<&OsStr>) -> bool {
    git_folder_of(path.as_path(), &exists).is_some()
        || path.as_path().ancestors().skip(1).any(|folder| {
            let governing = governing_files(folder, home);
            governing.more.is_some() || governing.files.iter().any(|file| path.is_inside(file))
        })
}

/// What in the folder of a new repository (`.git`) would run something, or lead git to such a thing elsewhere: hooks that are
/// no samples, and files of configuration with more in them than git writes itself. Relative to the folder.
pub fn running_parts(git: &Path) -> Vec<PathBuf> {
    let mut parts = own_running_parts(git, GitFolderKind::Own);
    match Repository::below(git.join("modules")) {
        Ok(submodules) => parts.extend(submodules.iter().flat_map(|inner| {
            let at = inner.git.strip_prefix(git).unwrap_or(&inner.git).to_owned();
            let inner = own_running_parts(&inner.git, GitFolderKind::Submodule);
            inner.into_iter().map(move |part| at.join(part))
        })),
        Err(_) => parts.push("modules".into()),
    }
    parts.sort();
    parts
}

/// Whose folder it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GitFolderKind {
    Own,
    /// Its configuration says where its files are.
    Submodule,
}

fn own_running_parts(git: &Path, kind: GitFolderKind) -> Vec<PathBuf> {
    let mut parts = Vec::new();
    let hooks = git.join("hooks");
    match hooks.symlink_metadata() {
        Ok(about) if about.is_dir() => match names_in(&hooks) {
            Ok(names) => {
                let runs = names.into_iter().filter(|name| !name.as_bytes().ends_with(b".sample"));
                parts.extend(runs.map(|name| Path::new("hooks").join(name)));
            }
            // Who may not list it may still run what is in it.
            Err(_) => parts.push("hooks".into()),
        },
        Ok(_) => parts.push("hooks".into()),
        Err(_) => {}
    }
    for name in ["config", "config.worktree"] {
        let file = git.join(name);
        let Ok(about) = file.symlink_metadata() else { continue };
        let is_plain = |settings: Vec<Setting>| {
            let worktree =
                |setting: &Setting| kind == GitFolderKind::Submodule && setting.key == b"core.worktree";
            settings.iter().all(|setting| keys::is_plain(setting) || worktree(setting))
        };
        if !about.is_file() || !configuration::settings(&file).is_ok_and(is_plain) {
            parts.push(name.into());
        }
    }
    if git.join("commondir").symlink_metadata().is_ok() {
        parts.push("commondir".into());
    }
    parts
}

fn names_in(folder: &Path) -> std::io::Result<Vec<OsString>> {
    std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
}

/// Sets an environment, in which [`ChildEnv::harden_git`] is in force, so that git runs nothing that the configuration of
/// this folder's repository names, nor that of its submodules. What the person's own configuration names stays theirs.
/// Where that cannot be reached, git does not run at all.
///
/// A repository elsewhere that a line goes into by itself (`cd`, `git -C`) is not looked at: its text is not judged here,
/// and the fence holds whatever runs.
pub fn neutralize(folder: &AbsPath, env: &mut ChildEnv) {
    let by_name = env.get("GIT_DIR").map(|git| folder.as_path().join(git));
    let by_name = by_name.map(|git| Repository { git, bare: false });
    let (found, _) = runs::candidates::of(folder.as_path());
    let here: Vec<Repository> = found.into_iter().map(|candidate| candidate.repository).collect();
    // A folder that looks like a repository and lies among the files came with them.
    if here.first().is_none_or(|here| !here.bare) {
        env.git_config("safe.bareRepository", "explicit");
    }
    // Whichever `core.gitProxy` fits first counts, so another one behind it would not.
    env.set("GIT_PROXY_COMMAND", "");
    for repository in here.into_iter().chain(by_name) {
        match overrides(&repository, env.get("HOME")) {
            Ok(all) => all.into_iter().for_each(|(key, value)| env.git_config(key, value)),
            Err(why) => return disable_git(&why, env),
        }
    }
}

/// What has to be set, by key.
fn overrides(
    repository: &Repository,
    home: Option<&OsStr>,
) -> Result<BTreeMap<OsString, &'static str>, String> {
    let mut all = BTreeMap::new();
    let submodules = repository.submodules()?;
    for file in submodules.iter().chain([repository]).flat_map(Repository::files).collect::<Vec<PathBuf>>() {
        for setting in Configuration::read(file, home).whole().map_err(|gap| gap.to_string())? {
            add(&setting, &mut all)?;
        }
    }
    Ok(all)
}

fn add(setting: &Setting, all: &mut BTreeMap<OsString, &'static str>) -> Result<(), String> {
    let key = OsStr::from_bytes(&setting.key);
    match keys::replacement(setting) {
        Replacement::Keep => {}
        Replacement::Value(value) => {
            all.insert(key.to_owned(), value);
        }
        Replacement::Set(names) => {
            let (_, _, name) = setting.parts();
            let section = setting.key.strip_suffix(name).unwrap_or_default();
            for (name, value) in names {
                all.insert(OsString::from_vec([section, name.as_bytes()].concat()), value);
            }
        }
        Replacement::Impossible => {
            return Err(format!("The repository sets `{}`, which cannot be turned off", key.display()));
        }
    }
    Ok(())
}

/// Git does not run at all with a number of settings that is none, whatever its arguments are.
fn disable_git(why: &str, env: &mut ChildEnv) {
    env.set("GIT_CONFIG_COUNT", format!("git is disabled here: {why}"));
}
