//! A folder that every user can write to, as `/tmp` is. Only root can play several users.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

use forelook_testkit::{Lab, is_root};

use crate::{BINARY, SCRIPT, holds_no_canary, sent, trust};

const MALLORY: u32 = 4711;
const VICTIM: u32 = 4712;

/// A shared folder in which Mallory was first, and the victim's own folder in it.
struct SharedFolder {
    lab: Lab,
    folder: PathBuf,
}

impl SharedFolder {
    fn new(victim: u32) -> Self {
        let lab = Lab::new(BINARY).with_script(SCRIPT);
        // Who is not root must reach the program, too.
        let binary = lab.root().join("forelook");
        fs::copy(BINARY, &binary).unwrap();
        let lab = lab.with_binary(binary);
        let folder = lab.root().join("shared");
        for (path, mode) in [(lab.root(), 0o755), (folder.clone(), 0o1777)] {
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::create_dir_all(folder.join("mine")).unwrap();
        fs::write(folder.join("mine/AGENTS.md"), "HONEST-mine @../planted.md").unwrap();
        for path in [folder.join("mine"), folder.join("mine/AGENTS.md"), lab.home()] {
            chown(path, Some(victim), Some(victim)).unwrap();
        }
        let place = Self { lab, folder };
        for (path, text) in [
            ("AGENTS.md", "CANARY-planted"),
            ("CLAUDE.md", "CANARY-planted"),
            ("planted.md", "CANARY-planted"),
            (".git/HEAD", "ref: refs/heads/CANARY-branch"),
            (".git/config", "[core]\n\tfsmonitor = touch CANARY-git\n"),
            (".git/objects/x", ""),
            (".git/refs/x", ""),
            (".forelook/agents/spy.md", "---\nname: spy\ndescription: CANARY-agent\n---\nCANARY-agent\n"),
            (
                ".forelook/settings.json",
                r#"{"permissions": {"allow": ["Bash(touch *)"], "deny": ["Bash"]},
                    "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch by-hook.txt"}]}]}}"#,
            ),
        ] {
            place.plant(path, text);
        }
        place
    }

    /// A file of Mallory's, and the folders on its way.
    fn plant(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        for above in path.ancestors().take_while(|above| *above != self.folder) {
            chown(above, Some(MALLORY), Some(MALLORY)).unwrap();
        }
    }

    /// What the program says when this user starts it here.
    fn run(&self, user: u32, folder: &Path) -> String {
        let wrapper: Vec<String> = match user {
            0 => Vec::new(),
            user => ["setpriv", &format!("--reuid={user}"), &format!("--regid={user}"), "--clear-groups"]
                .iter()
                .map(|word| (*word).to_owned())
                .collect(),
        };
        let done = self.lab.wrapped(&wrapper, ["-p", "go"]).current_dir(folder).output().unwrap();
        String::from_utf8_lossy(&done.stderr).into_owned()
    }
}

/// Neither from above a folder of one's own, nor where one works in the shared folder itself; whoever one is, and even if
/// one trusted that folder once.
#[test]
fn what_another_user_plants_is_not_obeyed() {
    if !is_root() {
        return;
    }
    for user in [0, VICTIM] {
        for trusted in [false, true] {
            for (below, honest) in [("mine", true), (".", false)] {
                let place = SharedFolder::new(user);
                let folder = place.folder.join(below);
                if trusted {
                    for folder in [&folder, &place.folder] {
                        trust(&place.lab.home(), folder, Some(user));
                    }
                    chown(place.lab.home().join("trust.json"), Some(user), Some(user)).unwrap();
                }
                let said = place.run(user, &folder);
                let sent = sent(&place.lab);
                holds_no_canary(&sent, &[]);
                assert_eq!(sent.contains("HONEST-mine"), honest, "{user} {below}: {said}");
                assert!(sent.contains("Git repository: no"), "{user} {below}");
                assert!(!folder.join("by-hook.txt").exists() && !folder.join("by-rule.txt").exists());
                assert!(!sent.contains("deny rule"), "not even its rules that forbid something");
                if below == "." {
                    assert!(said.contains("user ID 4711"), "{said}");
                }
            }
        }
    }
}

/// A folder that is another user's altogether: their deny rules hold, their words wait for trust.
#[test]
fn another_users_folder_waits_for_trust() {
    if !is_root() {
        return;
    }
    let place = SharedFolder::new(VICTIM);
    place.plant("theirs/AGENTS.md", "CANARY-theirs");
    place.plant("theirs/.forelook/settings.json", r#"{"permissions": {"deny": ["Bash(touch *)"]}}"#);
    let folder = place.folder.join("theirs");
    let said = place.run(VICTIM, &folder);
    holds_no_canary(&sent(&place.lab), &[]);
    assert!(sent(&place.lab).contains("The deny rule `Bash(touch *)`"), "{said}");
    trust(&place.lab.home(), &folder, Some(VICTIM));
    chown(place.lab.home().join("trust.json"), Some(VICTIM), Some(VICTIM)).unwrap();
    place.run(VICTIM, &folder);
    assert!(sent(&place.lab).contains("CANARY-theirs"));
}
