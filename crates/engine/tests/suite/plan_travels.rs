//! The plan survives: a resume, a fork, a file that is gone.

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{
    AbsPath, Entry, EntryBody, EntryId, FileSnapshot, LiveEvent, Mode, Origin, PLAN_KEY, PlanNamed,
    PromptAccepted, Reminder, ReminderKind, SessionId, UserBlock,
};
use uuid::Uuid;

use crate::common::{Front, Home, SESSION, life};

const SAYS: &str = "[[answer]]\nname = \"end\"\ntext = \"Done.\"\nnext = [{ goto = \"end\" }]\n";

fn named(home: &Home, session: SessionId) -> Vec<AbsPath> {
    let entries = home.store().read(session).unwrap().entries;
    let paths = entries.into_iter().filter_map(|entry| match entry.body {
        EntryBody::PlanNamed(named) => Some(named.path),
        _ => None,
    });
    paths.collect()
}

/// A session in plan mode whose plan file says this.
async fn planned(home: &Home, plan: &str) -> AbsPath {
    let config = home.config(SessionStart::New(Some(SESSION)), SAYS);
    let front = Front::open(Config { mode: Some(Mode::Plan), ..config }).await;
    let path = named(home, SESSION).remove(0);
    std::fs::write(&path, plan).unwrap();
    front.close().await;
    path
}

/// Adds an entry to the journal, as another process could have.
fn add(home: &Home, number: u128, body: EntryBody) {
    use std::io::Write;
    let last = home.entries().last().unwrap().id;
    let entry = Entry {
        id: EntryId(Uuid::from_u128(number)),
        parent: Some(last),
        time: "2026-01-02T03:04:05Z".parse().unwrap(),
        agent: None,
        body,
    };
    let mut file = std::fs::OpenOptions::new().append(true).open(home.journal()).unwrap();
    writeln!(file, "{}", serde_json::to_string(&entry).unwrap()).unwrap();
}

#[test]
fn a_resumed_session_has_the_same_plan() {
    life(async {
        let home = Home::new();
        let path = planned(&home, "# Plan\n").await;
        let front =
            Front::open(Config { mode: None, ..home.config(SessionStart::Resume(SESSION), SAYS) }).await;
        assert_eq!(named(&home, SESSION), std::slice::from_ref(&path));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "# Plan\n");
        front.close().await;
    });
}

#[test]
fn a_lost_plan_comes_back_from_each_place_in_order() {
    life(async {
        let home = Home::new();
        let path = planned(&home, "").await;
        let reminder =
            ReminderKind::PlanFileReference { path: path.clone(), contents: "from a reminder\n".into() };
        let bodies = [
            ("from a reminder\n", EntryBody::Reminder(Reminder { kind: reminder, text: "x".into() })),
            (
                "from a message\n",
                EntryBody::PromptAccepted(PromptAccepted {
                    content: vec![UserBlock::text("x")],
                    origin: Origin::Plan { plan: "from a message\n".into() },
                    ..PromptAccepted::person(Vec::new())
                }),
            ),
            (
                "from a call\n",
                EntryBody::ModelAnswered(forelook_protocol::ModelAnswered {
                    message: "m".into(),
                    model: "m".into(),
                    wrapped: Vec::new(),
                    blocks: vec![forelook_protocol::AnswerBlock::ToolUse(forelook_protocol::ToolCall {
                        id: forelook_protocol::CallId("c".into()),
                        name: "ExitPlanMode".into(),
                        input: serde_json::json!({ "plan": "from a call\n" }),
                    })],
                    stop: forelook_protocol::StopReason::ToolUse,
                    usage: Default::default(),
                    cost: None,
                    took_ms: 0,
                }),
            ),
            (
                "from a snapshot\n",
                EntryBody::FileSnapshot(FileSnapshot {
                    key: PLAN_KEY.into(),
                    path: path.clone(),
                    text: "from a snapshot\n".into(),
                    revision: None,
                }),
            ),
        ];
        // The empty plan that was there was kept nowhere; each place is stronger than the ones before it.
        for (number, (expected, body)) in bodies.into_iter().enumerate() {
            std::fs::remove_file(&path).unwrap();
            // What the resume before wrote down would be the strongest: taken out again.
            let text = std::fs::read_to_string(home.journal()).unwrap();
            let kept = text.lines().filter(|line| !line.contains("\"kind\":\"file_snapshot\""));
            std::fs::write(home.journal(), kept.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
            add_with_parents(&home, 0x1000 + number as u128, body);
            let mut front =
                Front::open(Config { mode: None, ..home.config(SessionStart::Resume(SESSION), SAYS) }).await;
            assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
            let told = loop {
                if let forelook_protocol::Event::Live(LiveEvent::Notice(notice)) = front.event().await {
                    break notice.text;
                }
            };
            assert!(told.contains("was restored from"), "{told}");
            front.close().await;
        }
    });
}

/// Lines were taken out, so parents are set anew.
fn add_with_parents(home: &Home, number: u128, body: EntryBody) {
    let text = std::fs::read_to_string(home.journal()).unwrap();
    let mut last = serde_json::Value::Null;
    let mut lines = String::new();
    for line in text.lines() {
        let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
        entry["parent"] = last.clone();
        last = entry["id"].clone();
        lines.push_str(&format!("{entry}\n"));
    }
    std::fs::write(home.journal(), lines).unwrap();
    add(home, number, body);
}

#[test]
fn a_fork_has_a_plan_of_its_own() {
    life(async {
        let home = Home::new();
        let path = planned(&home, "# Plan\n").await;
        let front =
            Front::open(Config { mode: None, ..home.config(SessionStart::Fork(SESSION), SAYS) }).await;
        let forelook_protocol::Reply::Status(status) = front.query(forelook_protocol::Query::Status).await
        else {
            panic!("no status")
        };
        let copy = status.plan.unwrap();
        assert_ne!(copy, path);
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), "# Plan\n");
        assert_eq!(status.mode, Mode::Plan);
        front.close().await;
        std::fs::write(&copy, "# Fork\n").unwrap();
        let front = home.resume(SAYS, Responder::Person).await;
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "# Plan\n");
        front.close().await;
    });
}

#[test]
fn a_name_from_a_journal_leads_nowhere_else() {
    life(async {
        let home = Home::new();
        planned(&home, "# Plan\n").await;
        let evil = home.project.join("evil.md");
        add(
            &home,
            0x2000,
            EntryBody::PlanNamed(PlanNamed { slug: "../../project/evil".into(), path: evil.clone() }),
        );
        let front =
            Front::open(Config { mode: None, ..home.config(SessionStart::Resume(SESSION), SAYS) }).await;
        let forelook_protocol::Reply::Status(status) = front.query(forelook_protocol::Query::Status).await
        else {
            panic!("no status")
        };
        let path = status.plan.unwrap();
        assert!(path.is_inside(home.plans().folder()), "{path}");
        assert!(!evil.as_path().exists());
        front.close().await;
    });
}

#[test]
fn what_is_no_plan_in_its_place_is_told_and_stays() {
    life(async {
        for kind in ["folder", "link", "pipe", "bytes"] {
            let home = Home::new();
            let path = planned(&home, "# Plan\n").await;
            let snapshot = EntryBody::FileSnapshot(FileSnapshot {
                key: PLAN_KEY.into(),
                path: path.clone(),
                text: "# Plan\n".into(),
                revision: None,
            });
            add(&home, 0x1000, snapshot);
            std::fs::remove_file(&path).unwrap();
            match kind {
                "folder" => std::fs::create_dir(&path).unwrap(),
                "link" => std::os::unix::fs::symlink(home.journal(), &path).unwrap(),
                "pipe" => {
                    let made = std::process::Command::new("mkfifo").arg(path.as_path()).status();
                    assert!(made.unwrap().success());
                }
                _ => std::fs::write(&path, b"\xff\xfe").unwrap(),
            }
            let found = std::fs::symlink_metadata(&path).unwrap().file_type();
            let config = home.config(SessionStart::Resume(SESSION), SAYS);
            let mut front = Front::open(Config { mode: None, ..config }).await;
            let told = loop {
                if let forelook_protocol::Event::Live(LiveEvent::Notice(notice)) = front.event().await {
                    break notice.text;
                }
            };
            assert!(told.starts_with("The plan of this session cannot be read: "), "{kind}: {told}");
            assert_eq!(std::fs::symlink_metadata(&path).unwrap().file_type(), found, "{kind}");
            let refused = front.plan("diff").await.unwrap_err().to_string();
            assert!(refused.contains(&path.to_string()), "{kind}: {refused}");
            front.close().await;
        }
    });
}
