//! The kernel's fences, as settings, environment and machine say. What decides and what holds are made here together, so
//! that neither knows of a folder or a command that the other does not.

use forelook_fences::{FenceSetup, Fences, WorkspaceSetup};
use forelook_permissions::{Policy, Workspace, works_at_home};
use forelook_protocol::{AbsPath, Notice, NoticeLevel};
use forelook_sandbox::Layers;
use forelook_settings::keys::{SANDBOX_ENABLED, SANDBOX_WRITABLE};
use forelook_settings::{Env, SandboxSettings};

/// The fence of modes other than plan, as it is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fencing {
    /// What decisions know of it; nothing if it is not wanted.
    pub(crate) decided: Option<Workspace>,
    /// What holds it.
    held: Option<WorkspaceSetup>,
}

impl Fencing {
    /// As settings say, with what the person should hear about them.
    pub fn of(said: &SandboxSettings) -> (Self, Vec<Notice>) {
        let mut notices = Vec::new();
        if !said.enabled {
            return (Self::default(), notices);
        }
        let writable: Vec<AbsPath> =
            said.writable.iter().filter_map(|folder| real_folder(&folder.value, &mut notices)).collect();
        let domains: Vec<String> = said.network.iter().map(|said| said.value.clone()).collect();
        let decided = Workspace {
            outside: said.outside.iter().map(|said| said.value.clone()).collect(),
            writable: writable.clone(),
            online: !domains.is_empty(),
        };
        (Self { decided: Some(decided), held: Some(WorkspaceSetup { writable, domains }) }, notices)
    }

    /// What fences are made of.
    pub(crate) fn setup(&self, env: &Env, folder: AbsPath) -> FenceSetup {
        FenceSetup { layers: env.fence_layers, workspace: self.held.clone(), ..FenceSetup::plain(&folder) }
    }

    /// What the person should hear if the fence is wanted and cannot be held here. Nothing is tried where it is not wanted:
    /// that takes a moment.
    pub fn cannot_be_held(&self, env: &Env, folders: &[AbsPath]) -> Option<Notice> {
        self.decided.as_ref()?;
        let setting = SANDBOX_ENABLED.name;
        let text = match works_at_home(folders, env.user_home.as_ref()) {
            true => format!(
                "`{setting}` is set, but holds nothing with your home folder as a working folder: too much in there decides \
                 what runs later\nCommands are asked for instead; start in the folder of a project"
            ),
            false => {
                let available = Layers::available().limited(env.fence_layers);
                if available.layers().is_some_and(|layers| layers.namespaces) {
                    return None;
                }
                let why =
                    available.namespaces.err().unwrap_or_else(|| "It takes no filters (seccomp)".to_owned());
                format!(
                    "`{setting}` is set, but the kernel cannot hold it here: {why}\n\
                     Commands are asked for instead; `forelook doctor` says what to do"
                )
            }
        };
        Some(Notice { level: NoticeLevel::Warning, text })
    }

    /// What the machine makes of it, for who decides without a session.
    pub fn on_this_machine(&self, env: &Env) -> Holding {
        // Whether a layer can be kept is tried in the folder for a moment; nothing stays there.
        Holding { decided: self.decided.clone(), fences: Fences::new(self.setup(env, env.home.clone())) }
    }
}

/// What the kernel can hold here of what is wanted.
pub struct Holding {
    decided: Option<Workspace>,
    fences: Fences,
}

impl Holding {
    /// What a decision is made by, with that.
    pub fn hold(&self, policy: Policy) -> Policy {
        policy.held(self.decided.as_ref(), || self.fences.holds())
    }

    /// Whether what runs while planning is kept from changing anything.
    pub fn read_only(&self) -> bool {
        self.fences.holds().read_only
    }
}

/// A folder that is there, every link followed: the kernel knows folders only by where they are.
fn real_folder(folder: &AbsPath, notices: &mut Vec<Notice>) -> Option<AbsPath> {
    let real = folder.as_path().canonicalize().ok().filter(|real| real.is_dir());
    if real.is_none() {
        let text = format!(
            "`{folder}` is not a folder, so commands may not write there\nMake it, or correct `{}`",
            SANDBOX_WRITABLE.name
        );
        notices.push(Notice { level: NoticeLevel::Warning, text });
    }
    real.and_then(|real| AbsPath::new(real).ok())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out their files by hand")]
mod tests {
    use super::*;
    use crate::authority;
    use crate::spec::RuleSpec;

    fn said(settings: &str) -> (tempfile::TempDir, Fencing, Vec<Notice>) {
        let root = tempfile::tempdir().unwrap();
        let (home, folder) = (root.path().join("home"), AbsPath::new(root.path().join("project")).unwrap());
        for path in [&home, folder.as_path(), &root.path().join("build")] {
            std::fs::create_dir(path).unwrap();
        }
        std::os::unix::fs::symlink(root.path().join("build"), folder.as_path().join("out")).unwrap();
        std::fs::write(home.join("settings.json"), settings).unwrap();
        let env = Env::from_pairs([("FORELOOK_HOME", home.to_str().unwrap())]).unwrap();
        let places = authority::places(&env, &RuleSpec::default(), &folder).unwrap();
        let (fencing, notices) = Fencing::of(&authority::load(&env, &places).unwrap().settings.sandbox);
        (root, fencing, notices)
    }

    #[test]
    fn what_decides_and_what_holds_know_the_same() {
        let (root, fencing, notices) = said(
            r#"{"sandbox": {"enabled": true, "network": ["a.org"], "writable": ["out", "nowhere"], "outside": ["docker:*"]}}"#,
        );
        let build = AbsPath::new(root.path().canonicalize().unwrap().join("build")).unwrap();
        let decided = fencing.decided.unwrap();
        assert_eq!((decided.writable, decided.online), (vec![build.clone()], true));
        assert_eq!(decided.outside.len(), 1);
        let held = WorkspaceSetup { writable: vec![build], domains: vec!["a.org".to_owned()] };
        assert_eq!(fencing.held, Some(held));
        assert!(notices.len() == 1 && notices[0].text.contains("nowhere` is not a folder"), "{notices:?}");
    }

    #[test]
    fn what_is_not_wanted_is_not_there() {
        let (_root, fencing, notices) =
            said(r#"{"sandbox": {"network": ["a.org"], "writable": ["nowhere"]}}"#);
        assert_eq!((fencing, notices), (Fencing::default(), vec![]));
    }

    #[test]
    fn what_cannot_be_held_is_said_and_not_counted_on() {
        let env = |layers| Env::from_pairs([("HOME", "/h"), ("FORELOOK_FENCE_LAYERS", layers)]).unwrap();
        let (_root, fencing, _) = said(r#"{"sandbox": {"enabled": true}}"#);
        for (layers, read_only, workspace) in [
            ("namespaces,landlock,seccomp", true, true),
            ("landlock,seccomp", true, false),
            ("none", false, false),
        ] {
            let env = env(layers);
            assert_eq!(fencing.cannot_be_held(&env, &[]).is_none(), workspace, "{layers}");
            assert_eq!(fencing.on_this_machine(&env).read_only(), read_only, "{layers}");
        }
        let home = [AbsPath::new("/").unwrap()];
        let said = fencing.cannot_be_held(&env("namespaces,landlock,seccomp"), &home).unwrap().text;
        assert!(said.contains("home folder as a working folder"), "{said}");
        assert_eq!(Fencing::default().cannot_be_held(&env("none"), &home), None);
    }
}
