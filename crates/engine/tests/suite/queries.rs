//! What front ends can ask: the project's files, all that was said, and how much the model can read.

use std::os::unix::fs::symlink;

use forelook_engine::{Responder, SessionStart};
use forelook_protocol::{Command, CommandError, Query, Reply, SessionId};

use crate::common::{Front, Home, SESSION, kinds, life};

const SAY: &str = "[[answer]]\nname = 'say'\ntext = 'Said.'\nnext = [{ goto = 'say' }]";

async fn files(front: &Front) -> Vec<String> {
    let Reply::Files(files) = front.query(Query::Files).await else { panic!("no files") };
    let mut files = files.to_vec();
    files.sort();
    files
}

async fn transcript(front: &Front) -> Vec<String> {
    let Reply::Transcript(entries) = front.query(Query::Transcript { until: None }).await else {
        panic!("no transcript")
    };
    kinds(entries.iter().map(|entry| &**entry)).into_iter().map(str::to_owned).collect()
}

#[test]
fn files_are_named_from_the_project_and_looked_for_once_in_a_while() {
    life(async {
        let home = Home::new();
        for folder in [".git", "src", "target"] {
            std::fs::create_dir(home.project.join(folder)).unwrap();
        }
        for name in [".gitignore", ".env", "src/main.rs", "target/out", ".git/HEAD"] {
            home.file(name, "target/\n");
        }
        symlink(&home.project, home.project.join("src/loop")).unwrap();
        let front = home.begin(SAY).await;
        let expected = [".env", ".gitignore", "src/", "src/main.rs"];
        let (first, second) = tokio::join!(files(&front), files(&front));
        assert_eq!(
            (first.as_slice(), second.as_slice()),
            (&expected.map(str::to_owned)[..], &expected.map(str::to_owned)[..])
        );
        // A moment later the same walk still counts.
        home.file("new.rs", "");
        assert_eq!(files(&front).await, expected);
        front.close().await;
    });
}

/// What `/export` offers when the home folder is gone must be true: all of it is there, from before and after.
#[test]
fn a_conversation_whose_journal_was_removed_can_still_be_saved() {
    let home = Home::new();
    life(async {
        let mut front = home.begin(SAY).await;
        front.say("Hello").await;
        front.turn_end().await;
        let before = transcript(&front).await;
        std::fs::remove_dir_all(home.root.join("home")).unwrap();
        front.say("Again").await;
        front.turn_end().await;
        let after = transcript(&front).await;
        assert_eq!(after[..before.len()], before);
        let second = ["turn_started", "prompt_accepted", "model_answered", "turn_ended"];
        assert_eq!(after[before.len()..], second);
        front.close().await;
    });
    assert!(!home.root.join("home").as_path().exists());
}

#[test]
fn the_transcript_is_what_stands_in_the_journal() {
    let home = Home::new();
    let first =
        ["session_header", "mode_changed", "turn_started", "prompt_accepted", "model_answered", "turn_ended"];
    life(async {
        let mut front = home.begin(SAY).await;
        front.say("Hello").await;
        front.turn_end().await;
        assert_eq!(transcript(&front).await, first);
        front.close().await;
    });
    // A broken line is passed over.
    let mut text = std::fs::read_to_string(home.journal()).unwrap();
    text.push_str("{\"no\": \"entry\"}\n");
    std::fs::write(home.journal(), text).unwrap();
    life(async {
        let mut front = home.resume(SAY, Responder::Person).await;
        front.say("Again").await;
        front.turn_end().await;
        let all = transcript(&front).await;
        assert_eq!(all[..6], first);
        assert_eq!(all[all.len() - 4..], ["turn_started", "prompt_accepted", "model_answered", "turn_ended"]);
        front.close().await;
        let front = Front::open(home.config(SessionStart::Fork(SESSION), SAY)).await;
        let forked = transcript(&front).await;
        assert_eq!(forked[..all.len()], all);
        assert_ne!(session(&front).await, SESSION);
        front.close().await;
    });
}

/// Another program wrote over it. That nothing was said and nothing changed would be a lie.
#[test]
fn a_journal_that_cannot_be_read_is_said() {
    life(async {
        let home = Home::new();
        let mut front = home.begin(SAY).await;
        front.say("Hello").await;
        front.turn_end().await;
        std::fs::write(home.journal(), "no journal\n").unwrap();
        for query in [Query::Changes, Query::Transcript { until: None }] {
            let refused = front.session.query(query).await;
            let Err(CommandError::Journal(why)) = refused else { panic!("{refused:?}") };
            assert!(why.contains("The journal of this session could not be read"), "{why}");
            assert!(why.contains(&home.journal().to_string()), "{why}");
        }
        front.close().await;
    });
}

async fn session(front: &Front) -> SessionId {
    let Reply::Status(status) = front.query(Query::Status).await else { panic!("no status") };
    status.session
}

#[test]
fn the_window_is_the_models() {
    life(async {
        let home = Home::new();
        let front = home.begin(SAY).await;
        for (model, window) in [("scripted/main", 400_000), ("scripted/other", 200_000)] {
            front.send(Command::SetModel(model.to_owned())).await.unwrap();
            let Reply::Status(status) = front.query(Query::Status).await else { panic!("no status") };
            assert_eq!((status.model.as_str(), status.window), (model, Some(window)));
        }
        front.close().await;
    });
}
