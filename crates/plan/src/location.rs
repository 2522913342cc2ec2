//! Where plans are.

use std::path::{Path, PathBuf};

use forelook_disk::{ConfinedDir, DiskError, Permissions, confine, make_private, resolve};
use forelook_protocol::{AbsPath, AgentId, IdGenerator};

use crate::{PlanError, slug};

/// The folder of plans of this session. Found once: it is asked for at every decision.
///
/// The path is the real one, all links resolved. Everything in it is opened without following any link at all, so a
/// folder or file that is swapped for a link later leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStore {
    /// A folder that is there, or is the program's own: nothing above it is made or looked at.
    root: AbsPath,
    /// The folder of plans, by its path from the root.
    subpath: PathBuf,
    folder: AbsPath,
    owner: Owner,
}

/// Whose folder it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The program's: nobody else reads it, and every Markdown file in it is a plan.
    Program,
    /// The project's: as open as its other files, which may lie beside the plans.
    Project,
}

impl PlanStore {
    /// The folder that the setting `plansDirectory` names, or else `plans` under the program's home.
    ///
    /// The setting is relative to the project's root, and must lie inside it or be it when every `..` and every link
    /// is resolved. If it does not, the default is used, and the error is to be logged and shown once. A folder that
    /// is not there yet is made when it is needed.
    pub fn resolve(home: &AbsPath, project: &AbsPath, setting: Option<&str>) -> (Self, Option<PlanError>) {
        let (default, error) = match Self::in_home(home) {
            Ok(plans) => (plans, None),
            Err(error) => (Self::at(home.clone(), home.join(FOLDER), Owner::Program), Some(error.into())),
        };
        let Some(setting) = setting.map(str::trim).filter(|setting| !setting.is_empty()) else {
            return (default, error);
        };
        let (used, setting) = (default.folder.clone(), setting.to_owned());
        match Self::in_project(project, &setting) {
            Ok(plans) => (plans, None),
            Err(DiskError::Outside { .. }) => {
                (default, Some(PlanError::OutsideProject { setting, project: project.clone(), used }))
            }
            Err(source) => (default, Some(PlanError::InvalidSetting { setting, used, source })),
        }
    }

    /// A link that the person put in the place of the folder, or of the home, is followed here, and only here.
    fn in_home(home: &AbsPath) -> Result<Self, DiskError> {
        let home = resolve(home)?;
        let folder = resolve(home.join(FOLDER))?;
        let root = if folder.is_inside(&home) { home } else { folder.clone() };
        Ok(Self::at(root, folder, Owner::Program))
    }

    fn in_project(project: &AbsPath, setting: &str) -> Result<Self, DiskError> {
        // A shell would have made the person's home of it; a folder called `~` is nobody's wish.
        if setting == "~" || setting.starts_with("~/") {
            let (path, root) = (setting.into(), project.as_path().to_path_buf());
            return Err(DiskError::Outside { path, root });
        }
        let folder = confine(project, setting)?;
        match std::fs::symlink_metadata(&folder) {
            Ok(found) if !found.is_dir() => {
                Err(DiskError::NotAFolder { path: folder.as_path().to_path_buf() })
            }
            _ => Ok(Self::at(resolve(project)?, folder, Owner::Project)),
        }
    }

    fn at(root: AbsPath, folder: AbsPath, owner: Owner) -> Self {
        let subpath = folder.as_path().strip_prefix(&root).unwrap_or(Path::new("")).to_path_buf();
        Self { root, subpath, folder, owner }
    }

    /// The folder.
    pub fn folder(&self) -> &AbsPath {
        &self.folder
    }

    /// The file of the plan with this name. What is no name ([`crate::is_slug`]) gives a path in the folder too, of
    /// a file that is no other plan's.
    pub fn path_of(&self, slug: &str) -> AbsPath {
        self.folder.join(format!("{}.md", slug::stem(slug)))
    }

    /// The file of an agent's own plan beside the plan with this name.
    pub fn agent_path(&self, slug: &str, agent: &AgentId) -> AbsPath {
        self.folder.join(format!("{}{}{}.md", slug::stem(slug), slug::AGENT, slug::file_part(&agent.0)))
    }

    /// A name that neither a plan nor a history has.
    pub fn fresh_slug(&self, ids: &dyn IdGenerator) -> String {
        // Anything counts, be it a dead link or a folder: what is there is somebody's.
        let is_there = |name: String| std::fs::symlink_metadata(self.folder.join(name)).is_ok();
        slug::generate(ids, |slug| is_there(format!("{slug}.md")) || is_there(history_name(slug)))
    }

    /// Makes the folder if it is missing: for its owner alone under the program's home, as any other in a project.
    pub fn ensure_folder(&self) -> Result<(), PlanError> {
        // Almost always it is there; a link in its place is not it, and is refused below.
        if std::fs::symlink_metadata(&self.folder).is_ok_and(|found| found.is_dir()) {
            return Ok(());
        }
        if self.owner == Owner::Program {
            make_private(&self.root)?;
        }
        self.create_folder(&self.open_root()?, &self.subpath)
    }

    /// Holds the root open, no link followed.
    pub(crate) fn open_root(&self) -> Result<ConfinedDir, PlanError> {
        Ok(ConfinedDir::open_without_links(&self.root)?)
    }

    /// Makes a folder below the root.
    pub(crate) fn create_folder(&self, root: &ConfinedDir, path: &Path) -> Result<(), PlanError> {
        let made = match self.owner {
            Owner::Program => root.make_private_beneath(path),
            Owner::Project => root.make_folders_beneath(path),
        };
        Ok(made?)
    }

    /// The path from the root of something in the folder.
    pub(crate) fn subpath(&self, name: impl AsRef<Path>) -> PathBuf {
        self.subpath.join(name)
    }

    /// The folder with a plan's history, from the root.
    pub(crate) fn history_subpath(&self, slug: &str) -> PathBuf {
        self.subpath(history_name(slug))
    }

    /// The folder with a plan's history.
    pub(crate) fn history_folder(&self, slug: &str) -> AbsPath {
        self.folder.join(history_name(slug))
    }

    pub(crate) fn owner(&self) -> Owner {
        self.owner
    }

    /// What new files are.
    pub(crate) fn permissions(&self) -> Permissions {
        match self.owner {
            Owner::Program => Permissions::Private,
            Owner::Project => Permissions::Keep,
        }
    }
}

/// The folder of plans under the program's home.
const FOLDER: &str = "plans";

fn history_name(slug: &str) -> String {
    format!("{}.history", slug::stem(slug))
}

#[cfg(test)]
mod tests;
