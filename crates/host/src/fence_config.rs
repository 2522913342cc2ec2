//! The kernel's fences, as settings, environment and machine say. What decides and what holds are made here together, so
//! that neither knows of a folder or a command that the other does not.

use std::sync::Arc;

use forelook_fences::{FenceSetup, Fences, WorkspaceSetup, WrittenFolders};
use forelook_permissions::{WorkspaceModes, WorkspacePolicy, includes_home};
use forelook_protocol::{AbsPath, Notice, NoticeLevel};
use forelook_sandbox::KernelLayers;
use forelook_settings::keys::SANDBOX_ENABLED;
use forelook_settings::{Env, SandboxSettings};

/// The fence of modes other than plan, as it is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FenceConfig {
    /// What decisions know of it; nothing if it is not wanted.
    pub(crate) policy_view: Option<WorkspacePolicy>,
    /// What holds it.
    enforcement: Option<WorkspaceSetup>,
}

impl FenceConfig {
    /// As settings say. `writable` are the folders that they name, where they really are.
    pub fn new(sandbox: &SandboxSettings, writable: Vec<AbsPath>, env: &Env) -> Self {
        let modes = match sandbox.enabled {
            Some(false) => return Self::default(),
            Some(true) => WorkspaceModes::All,
            None => WorkspaceModes::AcceptEdits,
        };
        let domains: Vec<String> = sandbox.network.iter().map(|layered| layered.value.clone()).collect();
        let policy_view = WorkspacePolicy {
            modes,
            outside: sandbox.outside.iter().map(|layered| layered.value.clone()).collect(),
            writable: writable.clone(),
            online: !domains.is_empty(),
        };
        let record = Some(WrittenFolders::of(&env.home));
        let enforcement = WorkspaceSetup { writable, domains, record };
        Self { policy_view: Some(policy_view), enforcement: Some(enforcement) }
    }

    /// What fences are made of.
    pub(crate) fn setup(&self, env: &Env, folder: AbsPath) -> FenceSetup {
        FenceSetup {
            layers: env.fence_layers,
            workspace: self.enforcement.clone(),
            ..FenceSetup::plain(&folder)
        }
    }

    /// What the person should hear if the settings turn the fence on and it cannot be held here. Nothing is tried where
    /// they do not: that takes a moment.
    pub fn unenforceable_notice(&self, env: &Env, folders: &[AbsPath]) -> Option<Notice> {
        self.policy_view.as_ref().filter(|workspace| workspace.modes == WorkspaceModes::All)?;
        let setting = SANDBOX_ENABLED.name;
        let text = match includes_home(folders, env.user_home.as_ref()) {
            true => format!(
                "`{setting}` is on, but has no effect with your home folder as a working directory: too many files there \
                 control what runs later\nForelook asks before running commands instead; start it in a project folder"
            ),
            false => {
                let available = KernelLayers::available().limited_to(env.fence_layers);
                if available.layers().is_some_and(|layers| layers.namespaces) {
                    return None;
                }
                let why = available
                    .namespaces
                    .err()
                    .unwrap_or_else(|| "it does not support seccomp filters".to_owned());
                format!(
                    "`{setting}` is on, but the kernel cannot enforce it here: {why}\n\
                     Forelook asks before running commands instead; see `forelook doctor`"
                )
            }
        };
        Some(Notice { level: NoticeLevel::Warning, text })
    }

    /// What decisions know of it.
    pub fn workspace(&self) -> Option<WorkspacePolicy> {
        self.policy_view.clone()
    }

    /// The fences of nobody's session, for who asks what the kernel can enforce here.
    pub fn probe_machine(&self, env: &Env) -> Arc<Fences> {
        // Whether a layer can be kept is tried in the folder for a moment; nothing stays there.
        Arc::new(Fences::new(self.setup(env, env.home.clone())))
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out their files by hand")]
mod tests {
    use super::*;
    use crate::authority;
    use crate::named_folders::NamedFolders;
    use crate::spec::RuleSpec;

    fn said(settings: &str) -> (tempfile::TempDir, FenceConfig, Vec<Notice>) {
        let root = tempfile::tempdir().unwrap();
        let (home, folder) = (root.path().join("home"), AbsPath::new(root.path().join("project")).unwrap());
        for path in [&home, folder.as_path(), &root.path().join("build")] {
            std::fs::create_dir(path).unwrap();
        }
        std::os::unix::fs::symlink(root.path().join("build"), folder.as_path().join("out")).unwrap();
        std::fs::write(home.join("settings.json"), settings).unwrap();
        let env = Env::from_pairs([("FORELOOK_HOME", home.to_str().unwrap())]).unwrap();
        let settings_paths = authority::settings_paths(&env, &RuleSpec::default(), &folder).unwrap();
        let settings = authority::load(&env, &settings_paths).unwrap().settings;
        let named = NamedFolders::find(&env, &RuleSpec::default(), &settings_paths, &settings);
        (root, FenceConfig::new(&settings.sandbox, named.writable, &env), named.notices)
    }

    #[test]
    fn what_decides_and_what_holds_know_the_same() {
        let (root, fence_config, notices) = said(
            r#"{"sandbox": {"enabled": true, "network": ["a.org"], "writable": ["../build", "out", "nowhere"], "outside": ["docker:*"]}}"#,
        );
        let build = AbsPath::new(root.path().canonicalize().unwrap().join("build")).unwrap();
        let policy_view = fence_config.policy_view.unwrap();
        assert_eq!((policy_view.writable, policy_view.online), (vec![build.clone()], true));
        assert_eq!(policy_view.outside.len(), 1);
        let record = AbsPath::new(root.path().join("home")).map(|home| WrittenFolders::of(&home)).ok();
        let domains = vec!["a.org".to_owned()];
        let enforcement = WorkspaceSetup { writable: vec![build], domains, record };
        assert_eq!(fence_config.enforcement, Some(enforcement));
        assert_eq!(notices.len(), 2, "{notices:?}");
        assert!(
            notices[0].text.contains("project/out` is a link that a command or a `git pull` could have made"),
            "{notices:?}"
        );
        assert!(notices[1].text.contains("nowhere` is not a folder"), "{notices:?}");
    }

    #[test]
    fn what_is_not_wanted_is_not_there() {
        let (_root, fence_config, notices) =
            said(r#"{"sandbox": {"enabled": false, "network": ["a.org"], "writable": ["nowhere"]}}"#);
        assert_eq!((fence_config, notices), (FenceConfig::default(), vec![]));
    }

    #[test]
    fn without_a_word_in_the_settings_it_is_for_accepted_edits() {
        let (_root, unset, _) = said(r#"{"sandbox": {"network": ["a.org"]}}"#);
        let workspace = unset.workspace().unwrap();
        assert_eq!((workspace.modes, workspace.online), (WorkspaceModes::AcceptEdits, true));
        let home = [AbsPath::new("/").unwrap()];
        let env = Env::from_pairs([("HOME", "/h"), ("FORELOOK_FENCE_LAYERS", "none")]).unwrap();
        assert_eq!(unset.unenforceable_notice(&env, &home), None, "nobody asked for it");
    }

    #[test]
    fn what_cannot_be_held_is_said_and_not_counted_on() {
        let env = |layers| Env::from_pairs([("HOME", "/h"), ("FORELOOK_FENCE_LAYERS", layers)]).unwrap();
        let (_root, fence_config, _) = said(r#"{"sandbox": {"enabled": true}}"#);
        for (layers, read_only, workspace) in [
            ("namespaces,landlock,seccomp", true, true),
            ("landlock,seccomp", true, false),
            ("none", false, false),
        ] {
            let env = env(layers);
            assert_eq!(fence_config.unenforceable_notice(&env, &[]).is_none(), workspace, "{layers}");
            assert_eq!(fence_config.probe_machine(&env).capabilities().read_only, read_only, "{layers}");
        }
        let home = [AbsPath::new("/").unwrap()];
        let said =
            fence_config.unenforceable_notice(&env("namespaces,landlock,seccomp"), &home).unwrap().text;
        assert!(said.contains("home folder as a working directory"), "{said}");
        assert_eq!(FenceConfig::default().unenforceable_notice(&env("none"), &home), None);
    }
}
