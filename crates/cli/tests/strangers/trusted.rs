//! A yes to a folder, as the trust question records it.

use std::path::Path;

use forelook_disk::Owners;
use forelook_protocol::AbsPath;
use forelook_settings::{ProjectContents, SettingsPaths, TrustStore};

/// Records that somebody trusts this project with what it has now. `user` is who runs the program.
pub(crate) fn trust(home: &Path, project: &Path, user: Option<u32>) {
    let path = |path: &Path| AbsPath::new(path).unwrap();
    let owners = user.map_or_else(|| Owners::of_process(None), |user| Owners::Only(vec![0, user]));
    let settings_paths = SettingsPaths {
        home: path(home),
        user_home: None,
        project: path(project),
        working: path(project),
        flag: None,
        managed: path(&home.join("managed.json")),
        setting_sources: None,
        owners,
    };
    let contents = ProjectContents::read(&settings_paths);
    TrustStore::load(&path(home)).trust(&path(project), &contents).unwrap();
}
