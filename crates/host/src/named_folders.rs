//! The folders that settings and flags name beside the one that a session starts in: to work in, or to be written to by
//! commands.
//!
//! A link on the way to one of them is only followed if no command can have made it, and no `git pull` can have brought it,
//! after somebody said yes to the name. So none is followed that lies in a folder which is named here, in a folder that
//! commands could ever write to, or in a repository.

use std::path::Path;

use forelook_disk::{ReadError, find_link};
use forelook_fences::WrittenFolders;
use forelook_protocol::{AbsPath, Notice, NoticeLevel};
use forelook_settings::keys::SANDBOX_WRITABLE;
use forelook_settings::{Env, Settings, SettingsPaths};

use crate::spec::RuleSpec;

/// The folders, where they really are.
#[derive(Debug, Default)]
pub struct NamedFolders {
    /// To work in.
    pub working: Vec<AbsPath>,
    /// To be written to by commands in the workspace fence.
    pub writable: Vec<AbsPath>,
    /// What is wrong with others.
    pub notices: Vec<Notice>,
}

impl NamedFolders {
    /// Those of the settings and flags.
    pub fn find(
        env: &Env,
        rule_spec: &RuleSpec,
        settings_paths: &SettingsPaths,
        settings: &Settings,
    ) -> Self {
        let configured = settings.additional_directories.iter().map(|folder| folder.value.clone());
        let given = rule_spec.folders.iter().map(|folder| settings_paths.working.join(folder));
        let working: Vec<AbsPath> = configured.chain(given).collect();
        let sandbox = &settings.sandbox;
        let writable: Vec<AbsPath> = match sandbox.enabled {
            Some(false) => Vec::new(),
            Some(true) | None => sandbox.writable.iter().map(|folder| folder.value.clone()).collect(),
        };
        let mut named = Self::default();
        let own = [&settings_paths.working];
        let around = own.into_iter().chain(&working).chain(&writable);
        let around: Vec<AbsPath> = around
            .flat_map(|name| [Some(name.clone()), forelook_disk::resolve(name).ok()])
            .flatten()
            .collect();
        let record = WrittenFolders::of(&env.home);
        // Read once: each name has several links on its way.
        let written = record.read();
        let is_untrusted = |link: &Path| {
            around.iter().any(|folder| link.starts_with(folder))
                || is_in_repository(link)
                || written.as_ref().map_or(true, |written| written.contain(link))
        };
        named.working = named.real(&working, "Correct it in `--add-dir` or the settings", &is_untrusted);
        let advice = format!("Create it, or correct `{}`", SANDBOX_WRITABLE.name);
        named.writable = named.real(&writable, &advice, &is_untrusted);
        if let Err(why) = &written
            && !(working.is_empty() && writable.is_empty())
        {
            named.notices.push(unread_notice(&record, why));
        }
        named
    }

    fn real(
        &mut self,
        names: &[AbsPath],
        advice: &str,
        is_untrusted: &dyn Fn(&Path) -> bool,
    ) -> Vec<AbsPath> {
        let real = |name: &AbsPath| {
            let real = name.as_path().canonicalize().ok().filter(|real| real.is_dir());
            let Some(real) = real.and_then(|real| AbsPath::new(real).ok()) else {
                return Err(format!("`{name}` is not a folder and was ignored\n{advice}"));
            };
            match find_link(name, is_untrusted) {
                None => Ok(real),
                Some(link) => Err(format!(
                    "`{name}` was ignored: `{link}` is a link that a command or a `git pull` could have made\n\
                     If you want the folder that it leads to, give that folder's own path: `{real}`"
                )),
            }
        };
        let (found, wrong): (Vec<_>, Vec<_>) = names.iter().map(real).partition(Result::is_ok);
        let notice = |text| Notice { level: NoticeLevel::Warning, text };
        self.notices.extend(wrong.into_iter().filter_map(Result::err).map(notice));
        found.into_iter().flatten().collect()
    }
}

/// Why no link is followed at all.
fn unread_notice(record: &WrittenFolders, why: &ReadError) -> Notice {
    let text = format!(
        "`{}`, which records where commands could write, was not read: {why}\n\
         Give folders by their own paths, without links; to begin a new record, delete the file",
        record.path()
    );
    Notice { level: NoticeLevel::Warning, text }
}

/// Whether it lies in the files of a repository.
fn is_in_repository(link: &Path) -> bool {
    link.ancestors().skip(1).any(|folder| folder.join(".git").symlink_metadata().is_ok())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out their files by hand")]
mod tests {
    use super::*;
    use crate::authority;

    /// The folders that are found, and the notices, with this record.
    fn find(record: Option<&str>) -> (usize, usize) {
        let root = tempfile::tempdir().unwrap();
        let root = AbsPath::new(root.path().canonicalize().unwrap()).unwrap();
        for folder in ["home", "project", "build", "real/build"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        let home = root.join("home").to_string();
        let env = Env::from_pairs([("FORELOOK_HOME", home.as_str())]).unwrap();
        if let Some(record) = record {
            std::fs::write(WrittenFolders::of(&env.home).path(), record).unwrap();
        }
        let folders = vec![root.join("build").to_string(), root.join("link/build").to_string()];
        let rules = RuleSpec { folders, ..RuleSpec::default() };
        let settings_paths = authority::settings_paths(&env, &rules, &root.join("project")).unwrap();
        let settings = authority::load(&env, &settings_paths).unwrap().settings;
        let named = NamedFolders::find(&env, &rules, &settings_paths, &settings);
        (named.working.len(), named.notices.len())
    }

    #[test]
    fn no_link_is_followed_while_nobody_knows_where_commands_could_write() {
        assert_eq!(find(None), (2, 0));
        assert_eq!(find(Some("{\"Unix\":[47,120]}\n")), (2, 0));
        assert_eq!(find(Some("damaged\n")), (1, 2));
    }
}
