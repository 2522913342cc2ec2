//! Files in a folder of their own.

use std::ffi::OsString;
use std::fs;

use forelook_protocol::AbsPath;
use forelook_settings::{Settings, SettingsPaths, Trust, load};

pub(crate) const USER: &str = "home/settings.json";
pub(crate) const PROJECT: &str = "project/.forelook/settings.json";
pub(crate) const LOCAL: &str = "project/.forelook/settings.local.json";
pub(crate) const MANAGED: &str = "etc/managed-settings.json";

pub(crate) struct TestWorld {
    folder: tempfile::TempDir,
}

impl TestWorld {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.at("project")).unwrap();
        for (name, text) in files {
            world.write(name, text.as_bytes());
        }
        world
    }

    pub(crate) fn at(&self, name: &str) -> AbsPath {
        AbsPath::new(self.folder.path().join(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap()
    }

    pub(crate) fn settings_paths(&self, flag: Option<&str>) -> SettingsPaths {
        SettingsPaths {
            home: self.at("home"),
            user_home: Some(self.at("person")),
            project: self.at("project"),
            working: self.at("project"),
            flag: flag.map(OsString::from),
            managed: self.at(MANAGED),
            setting_sources: None,
            owners: forelook_disk::Owners::of_process(None),
        }
    }

    pub(crate) fn load(&self) -> Settings {
        load(&self.settings_paths(None), Trust::NotYet).unwrap()
    }

    pub(crate) fn trusted(&self) -> Settings {
        load(&self.settings_paths(None), Trust::Trusted).unwrap()
    }
}
