//! Two sessions of one host at the same time: each has its folder, its settings, its mode, its rules and its fence, and
//! neither notices the other.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a failure here is a failed test, which lays out its files by hand"
)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use forelook_host::{Client, Host, OpenSession, PlanPolicy, Responder, SessionSpec};
use forelook_protocol::{
    AbsPath, Command, Confinement, Decision, Delivery, Entry, EntryBody, Event, FrontEnd, Mode, Prompt,
    ResultBlock, SessionConnection, SessionId, UserBlock,
};
use forelook_sandbox::KernelLayers;
use forelook_settings::Env;
use serde_json::json;
use tempfile::TempDir;

/// No turn of these takes so long.
const LONG: Duration = Duration::from_secs(60);

/// Reads its own files and waits until the other session has written: its turn lasts as long as the other's. Then it tries
/// to write, which planning does not let it do.
const PLANS: &str = r#"
[[answer]]
[[answer.call]]
tool = "Read"
input = { file_path = "notes.txt" }
[[answer.call]]
tool = "Read"
input = { file_path = "denied.txt" }

[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "n=0; while [ ! -e ../edits/made.txt ] && [ $n -lt 400 ]; do sleep 0.05; n=$((n+1)); done; cat ../edits/made.txt" }
[[answer.call]]
tool = "Bash"
input = { command = "echo plans > tried.txt" }

[[answer]]
text = "Planned."
"#;

/// Writes a file, tries to write into the other's folder, and to read what its own settings deny. Then once more.
const EDITS: &str = r#"
[[answer]]
[[answer.call]]
tool = "Read"
input = { file_path = "notes.txt" }
[[answer.call]]
tool = "Read"
input = { file_path = "denied.txt" }

[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "pwd > where.txt; echo edits > ../plans/stolen.txt" }

[[answer]]
[[answer.call]]
tool = "Write"
input = { file_path = "made.txt", content = "made by edits\n" }

[[answer]]
text = "Edited."

[[answer]]
[[answer.call]]
tool = "Write"
input = { file_path = "after.txt", content = "still there\n" }

[[answer]]
text = "Again."
"#;

/// A folder for each session, and one home for both. Not below the folder for temporary files: a fence has one of its own.
struct Lab {
    root: TempDir,
}

impl Lab {
    fn new() -> Self {
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let lab = Self { root };
        for (name, script) in [("plans", PLANS), ("edits", EDITS)] {
            std::fs::create_dir_all(lab.at(name)).unwrap();
            std::fs::write(lab.at(&format!("{name}/script.toml")), script).unwrap();
            std::fs::write(lab.at(&format!("{name}/notes.txt")), format!("notes of {name}\n")).unwrap();
            std::fs::write(lab.at(&format!("{name}/denied.txt")), format!("secret of {name}\n")).unwrap();
        }
        std::fs::create_dir(lab.at("home")).unwrap();
        lab
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    fn host(&self) -> Host {
        let (home, path) = (self.at("home"), std::env::var("PATH").unwrap());
        let home = home.to_str().unwrap();
        Host::new(
            Env::from_pairs([("FORELOOK_HOME", home), ("HOME", home), ("PATH", path.as_str())]).unwrap(),
        )
    }

    /// A session in the folder of this name, with settings of its own.
    fn spec(&self, name: &str, settings: &serde_json::Value) -> SessionSpec {
        let mut spec = SessionSpec::new(AbsPath::new(self.at(name)).unwrap());
        spec.model = Some("scripted/script.toml".to_owned());
        spec.rules.settings = Some(settings.to_string().into());
        spec.unattended(Responder::Policy(PlanPolicy::Exit))
    }
}

/// A session with a front end, and everything that was recorded since.
struct ClientSeat {
    client: Client,
    attached: SessionConnection,
    entries: Vec<Entry>,
}

impl ClientSeat {
    async fn take(host: &Host, spec: SessionSpec) -> Self {
        let OpenSession { client, .. } = host.open(spec).await.unwrap();
        let attached = client.attach(FrontEnd::watching("test")).await.unwrap();
        Self { client, attached, entries: Vec::new() }
    }

    fn id(&self) -> SessionId {
        self.attached.snapshot.status.session
    }

    /// One turn, from its prompt to its end.
    async fn turn(&mut self) {
        let prompt = Prompt::person(vec![UserBlock::text("go")], Delivery::NextTurn);
        self.attached.session.send(Command::Prompt(prompt)).await.unwrap();
        loop {
            let event = tokio::time::timeout(LONG, self.attached.events.next()).await.unwrap();
            let Event::Recorded(entry) = event else { continue };
            self.entries.push((*entry).clone());
            if let EntryBody::TurnEnded(_) = &entry.body {
                return;
            }
        }
    }

    /// Whether the model read these words in a result.
    fn read(&self, words: &str) -> bool {
        self.results().iter().any(|result| result.contains(words))
    }

    /// The results of its calls so far, as the model read them.
    fn results(&self) -> Vec<String> {
        let parts = |entry: &Entry| match &entry.body {
            EntryBody::ToolFinished(finished) => Some(
                finished
                    .result
                    .content
                    .iter()
                    .map(|part| if let ResultBlock::Text { text } = part { text } else { "" })
                    .collect(),
            ),
            _ => None,
        };
        self.entries.iter().filter_map(parts).collect()
    }

    /// What its shell lines were held to.
    fn held(&self) -> Vec<Confinement> {
        let within = |entry: &Entry| match &entry.body {
            EntryBody::PermissionDecided(decided) if decided.tool == "Bash" => match &decided.decision {
                Decision::Allow(reason) => Some(reason.sandbox),
                _ => None,
            },
            _ => None,
        };
        self.entries.iter().filter_map(within).collect()
    }

    async fn close(self) {
        self.attached.session.send(Command::Close).await.unwrap();
        drop(self.attached);
        self.client.closed().await;
    }
}

fn is(path: &Path, text: &str) -> bool {
    std::fs::read_to_string(path).is_ok_and(|found| found == text)
}

#[tokio::test]
async fn two_sessions_live_side_by_side() {
    let lab = Lab::new();
    let (host, before) = (lab.host(), (std::env::current_dir().unwrap(), std::env::vars_os().count()));
    let plans = SessionSpec { mode: Some(Mode::Plan), ..lab.spec("plans", &json!({})) };
    let own = json!({
        "permissions": {"defaultMode": "acceptEdits", "allow": ["Bash"], "deny": ["Read(denied.txt)"]},
        "sandbox": {"enabled": true},
    });
    let mut plans = ClientSeat::take(&host, plans).await;
    let mut edits = ClientSeat::take(&host, lab.spec("edits", &own)).await;
    assert_ne!(plans.id(), edits.id());
    assert_eq!(plans.attached.snapshot.status.mode, Mode::Plan);
    assert_eq!(edits.attached.snapshot.status.mode, Mode::AcceptEdits);

    tokio::join!(plans.turn(), edits.turn());

    // Each read its own notes; what one's settings deny the other's do not know of.
    assert!(plans.read("notes of plans") && plans.read("secret of plans"), "{:?}", plans.results());
    assert!(edits.read("notes of edits"), "{:?}", edits.results());
    assert!(!edits.read("secret") && !plans.read("of edits"), "{:?}", edits.results());
    // One wrote where it works. The other planned, and wrote nothing.
    let place = lab.at("edits");
    assert!(is(&place.join("made.txt"), "made by edits\n"), "{:?}", edits.results());
    assert!(is(&place.join("where.txt"), &format!("{}\n", place.display())), "{:?}", edits.results());
    assert!(!lab.at("plans/tried.txt").exists());
    if KernelLayers::available().layers().is_some_and(|layers| layers.namespaces) {
        // Each has its own fence, and both stood at the same time.
        assert_eq!((plans.held(), edits.held()), (vec![Confinement::ReadOnly], vec![Confinement::Workspace]));
        assert!(plans.read("made by edits"), "{:?}", plans.results());
        assert!(!lab.at("plans/stolen.txt").exists());
    }

    // The one that goes takes nothing of the other's with it.
    plans.close().await;
    edits.turn().await;
    assert!(is(&place.join("after.txt"), "still there\n"), "{:?}", edits.results());
    edits.close().await;
    assert_eq!((std::env::current_dir().unwrap(), std::env::vars_os().count()), before);
}
