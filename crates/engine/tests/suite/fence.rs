//! The kernel holds what planning starts: unknown commands run unasked and change nothing; where it holds nothing they are
//! asked for.

use std::time::Duration;

use forelook_engine::{Config, Responder, SessionStart};
use forelook_fences::{FenceSetup, WorkspaceSetup};
use forelook_permissions::{WorkspaceModes, WorkspacePolicy};
use forelook_protocol::{
    CallStatus, Command, CommandError, Confinement, EndReason, EntryBody, Event, HostAnswer, HostAsk,
    LiveEvent, Mode, Query, Reply,
};
use forelook_tools::KernelLayers;

use crate::common::{Front, Home, SESSION, life, results};

/// Layers of a machine that holds nothing.
pub(crate) const NONE: KernelLayers = KernelLayers { namespaces: false, landlock: false, seccomp: false };
/// Layers of a machine that grants no namespaces.
const NO_NAMESPACES: KernelLayers = KernelLayers { namespaces: false, landlock: true, seccomp: true };

/// Nobody can tell what this does by its text.
const UNKNOWN: &str = r#"
[[answer]]
call = [{ tool = "Bash", input = { command = "sh ./change.sh" } }]
[[answer]]
name = "end"
text = "Done."
next = [{ goto = "end" }]
"#;

/// Where an agent of this kind runs it.
fn by_agent(kind: &str) -> String {
    format!(
        r#"
[[start]]
prompt = "TASK"
goto = "agent"
[[answer]]
call = [{{ tool = "Agent", input = {{ description = "Look", prompt = "TASK one", subagent_type = "{kind}" }} }}]
[[answer]]
name = "end"
text = "Done."
next = [{{ goto = "end" }}]
[[answer]]
name = "agent"
call = [{{ tool = "Bash", input = {{ command = "sh ./change.sh" }} }}]
[[answer]]
text = "I found it."
"#
    )
}

fn home() -> Home {
    let home = Home::new();
    home.file("kept.txt", "as it was\n");
    home.file("change.sh", "echo begun; echo other > kept.txt; touch made\n");
    home
}

fn unchanged(home: &Home) -> bool {
    home.text("kept.txt").as_deref() == Some("as it was\n") && home.text("made").is_none()
}

/// A session with these layers, in this mode.
fn config(home: &Home, layers: KernelLayers, mode: Mode, script: &str) -> Config {
    let config = home.config(SessionStart::New(Some(SESSION)), script);
    let fences = FenceSetup { layers, ..config.fences.clone() };
    Config { mode: Some(mode), fences, ..config }
}

fn within(home: &Home) -> Vec<Confinement> {
    let started = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::ToolStarted(started) => Some(started.sandbox),
        _ => None,
    });
    started.collect()
}

/// The warnings up to the end of the session.
async fn warnings(front: &mut Front) -> Vec<String> {
    front.send(Command::Close).await.unwrap();
    let mut all = Vec::new();
    loop {
        match front.event().await {
            Event::Live(LiveEvent::Notice(notice)) => all.push(notice.text),
            Event::Live(LiveEvent::Closed) => return all,
            _ => {}
        }
    }
}

#[test]
fn an_unknown_command_runs_unasked_while_planning_and_changes_nothing() {
    for layers in [KernelLayers::ALL, NO_NAMESPACES] {
        life(async {
            let home = home();
            let mut front = Front::open(config(&home, layers, Mode::Plan, UNKNOWN)).await;
            front.say("Look at it").await;
            assert_eq!(front.turn_end().await, EndReason::Done);
            let results = results(&home);
            assert!(results[0].1.contains("begun"), "it ran: {results:?}");
            assert!(results[0].1.to_lowercase().contains("read-only"), "and hears why: {results:?}");
            assert!(unchanged(&home), "{layers:?}");
            assert_eq!(within(&home), [Confinement::ReadOnly]);
            assert_eq!(warnings(&mut front).await, [""; 0]);
            assert!(!home.entries().iter().any(|entry| matches!(entry.body, EntryBody::QuestionOpened(_))));
        });
    }
}

#[test]
fn where_the_kernel_holds_nothing_it_is_asked_for_and_the_person_hears_that_once() {
    life(async {
        let home = home();
        let mut front = Front::open(config(&home, NONE, Mode::Default, UNKNOWN)).await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        front.send(Command::SetMode(Mode::Default)).await.unwrap();
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        front.say("Look at it").await;
        let mut told = Vec::new();
        let question = loop {
            match front.event().await {
                Event::Live(LiveEvent::Notice(notice)) => told.push(notice.text),
                Event::Recorded(entry) => {
                    if let EntryBody::QuestionOpened(opened) = &entry.body {
                        break opened.question.clone();
                    }
                }
                Event::Live(_) => {}
            }
        };
        assert!(matches!(question.ask, HostAsk::Permission { .. }), "{question:?}");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("enforces no sandbox") && told[0].contains("Namespaces: no"), "{told:?}");
        front.answer(&question, HostAnswer::Deny { message: None }).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(unchanged(&home));
        front.close().await;
    });
}

#[test]
fn agents_that_only_read_are_held_in_every_mode() {
    for (layers, kind) in
        [(KernelLayers::ALL, "Explore"), (NO_NAMESPACES, "Explore"), (KernelLayers::ALL, "Plan")]
    {
        for mode in [Mode::Default, Mode::BypassPermissions] {
            life(async {
                let home = home();
                let config = config(&home, layers, mode, &by_agent(kind));
                let mut front = Front::open(Config { responder: Responder::Nobody, ..config }).await;
                front.say("Go").await;
                assert_eq!(front.turn_end().await, EndReason::Done);
                let results = results(&home);
                assert!(results[0].1.contains("begun"), "{kind} in {mode}: {results:?}");
                assert!(unchanged(&home), "{kind} in {mode}");
                front.close().await;
            });
        }
    }
}

#[test]
fn an_agent_that_works_is_held_as_soon_as_its_parent_plans() {
    life(async {
        let home = home();
        let script = by_agent("general-purpose").replace("sh ./change.sh", "sh ./wait.sh");
        let script = script.replace(
            "[[answer]]\ntext = \"I found it.\"",
            "[[answer]]\ncall = [{ tool = \"Bash\", input = { command = \"sh ./change.sh\" } }]\n\
             [[answer]]\ntext = \"I found it.\"",
        );
        home.file("wait.sh", "touch waits; until [ -e go ]; do sleep 0.01; done\n");
        let config = config(&home, KernelLayers::ALL, Mode::BypassPermissions, &script);
        let mut front = Front::open(config).await;
        front.say("Go").await;
        while home.text("waits").is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        let question = front.question().await;
        let HostAsk::Running { shells } = &question.ask else { panic!("{question:?}") };
        assert_eq!(shells[0].command, "sh ./wait.sh", "the agent's command is in the list");
        front.answer(&question, HostAnswer::yes()).await.unwrap();
        home.file("go", "");
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert!(unchanged(&home), "its next command is held");
        assert_eq!(within(&home).last(), Some(&Confinement::ReadOnly));
        front.close().await;
    });
}

#[test]
fn a_call_that_waits_for_its_siblings_is_decided_on_again_when_planning_began() {
    life(async {
        let home = home();
        // The two run together, so the first waits until the second is answered.
        let script = r#"
[[answer]]
call = [
    { tool = "WebFetch", input = { url = "http://127.0.0.1:9/", prompt = "x" } },
    { tool = "EnterPlanMode" },
]
[[answer]]
name = "end"
text = "Done."
next = [{ goto = "end" }]
"#;
        let mut front = Front::open(config(&home, KernelLayers::ALL, Mode::BypassPermissions, script)).await;
        front.say("Go").await;
        let question = front.question().await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        // The new mode may have answered it already.
        let late = front.answer(&question, HostAnswer::Dismissed).await;
        assert!(matches!(late, Ok(_) | Err(CommandError::NotOpen { .. })), "{late:?}");
        assert_eq!(front.turn_end().await, EndReason::Done);
        let results = results(&home);
        let fetched = results.iter().find(|(_, text)| text.contains("127.0.0.1")).unwrap();
        assert_eq!(
            fetched.0,
            CallStatus::Denied,
            "what was let through before is not while planning: {results:?}"
        );
        front.close().await;
    });
}

#[test]
fn two_sessions_share_no_folder_and_the_report_can_be_had() {
    life(async {
        let home = home();
        let front = Front::open(config(&home, KernelLayers::ALL, Mode::Plan, UNKNOWN)).await;
        let Reply::Fence { report, outside } = front.query(Query::Fence).await else { panic!("no report") };
        assert!(report.enforced && outside.is_empty(), "{report:?}");
        front.close().await;
    });
}

/// What hides from the list, having left its session, ends with its fence: also if nothing of the list runs any more when the
/// answer comes.
#[test]
fn what_a_listed_command_left_behind_ends_with_the_answer() {
    life(async {
        let home = home();
        let script = UNKNOWN.replace("./change.sh", "./leave.sh");
        let lasting = "setsid sh -c 'while :; do echo x >> log; sleep 0.02; done' > /dev/null 2>&1 &";
        home.file("leave.sh", &format!("{lasting}\ntouch waits; until [ -e go ]; do sleep 0.01; done\n"));
        let mut config = config(&home, KernelLayers::ALL, Mode::Default, &script);
        config.permissions.workspace =
            Some(WorkspacePolicy { modes: WorkspaceModes::All, ..WorkspacePolicy::default() });
        config.fences.workspace = Some(WorkspaceSetup::default());
        let mut front = Front::open(config).await;
        front.say("Go").await;
        while home.text("waits").is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        let question = front.question().await;
        assert!(matches!(question.ask, HostAsk::Running { .. }), "{question:?}");
        home.file("go", "");
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(within(&home), [Confinement::Workspace]);
        front.answer(&question, HostAnswer::Deny { message: None }).await.unwrap();
        let mut seen = (home.text("log").unwrap().len(), 0);
        // It writes fifty times a second.
        while seen.1 < 20 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let now = home.text("log").unwrap().len();
            seen = (now, if now == seen.0 { seen.1 + 1 } else { 0 });
        }
        front.close().await;
    });
}
