//! Kills, full disks, and users who may not.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::again::{as_nobody, child, given, on_small_disk, own_binary};
use crate::make::{header, mode, prompt, session};
use forelook_disk::DiskError;
use forelook_protocol::{AbsPath, AgentId, Entry, Todo, TodoStatus};
use forelook_sessions::{SessionError, SessionProblem, SessionStore};

fn store_in(path: &Path) -> (SessionStore, AbsPath) {
    (SessionStore::new(AbsPath::new(path).unwrap()), AbsPath::new("/home/ann/project").unwrap())
}

/// Not a test by itself: goes on with session 1 until it is killed, and says what it has written.
#[test]
fn helper_that_writes() {
    let Some(home) = given() else { return };
    let (store, folder) = store_in(&home);
    let mut opened = store.open(session(1)).unwrap();
    for number in opened.entries.len() as u128.. {
        opened.journal.append(&prompt(number, &"x".repeat(10_000))).unwrap();
        println!("\nwritten {number}");
        if number % 16 == 0 {
            let fork = Entry { id: header(&folder, 1).id, ..header(&folder, 1_000_000 + number) };
            // The same number may have been forked before the last kill.
            let _ = store.fork(session(1), &fork);
        }
    }
}

#[test]
fn what_was_said_to_be_written_is_there_after_a_kill() {
    let home = tempfile::tempdir().unwrap();
    let (store, folder) = store_in(home.path());
    drop(store.create(&header(&folder, 1)).unwrap());
    for kill in 0..12 {
        let mut command = child(&[], "hostile::helper_that_writes", home.path(), &own_binary());
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut said = lines.filter_map(|line| line.strip_prefix("written ")?.parse::<usize>().ok());
        let first = said.next().unwrap();
        let reader = std::thread::spawn(move || said.last().unwrap_or(first));
        // The instant of the kill is what varies; nothing is waited for.
        std::thread::sleep(Duration::from_micros(kill * 1_234));
        process.kill().unwrap();
        process.wait().unwrap();
        let last = reader.join().unwrap();
        let opened = store.open(session(1)).unwrap();
        assert!(opened.entries.len() > last, "{} of {last}", opened.entries.len());
        assert!(
            matches!(opened.problems[..], [] | [SessionProblem::TornLine { .. }]),
            "{:?}",
            opened.problems
        );
    }
    let listing = store.list(None).unwrap();
    assert_eq!(listing.problems, [], "a fork is there whole or not at all");
}

#[test]
fn a_full_disk_loses_no_line_and_leaves_no_half_session() {
    let Some(disk) = on_small_disk("hostile::a_full_disk_loses_no_line_and_leaves_no_half_session") else {
        return;
    };
    let (store, folder) = store_in(&disk);
    let mut journal = store.create(&header(&folder, 1)).unwrap();
    let mut written = 0;
    let error = loop {
        match journal.append(&prompt(written + 1, &"x".repeat(2000))) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, SessionError::Disk(DiskError::Full { .. })), "{error}");
    assert!(error.to_string().contains("Free some space"));
    drop(journal);
    let fork = store.fork(session(1), &header(&folder, 2));
    assert!(matches!(fork, Err(SessionError::Disk(DiskError::Full { .. }))), "{fork:?}");
    let new = store.create(&header(&folder, 3));
    assert!(matches!(new, Err(SessionError::Disk(DiskError::Full { .. }))), "{new:?}");
    let todo = Todo { content: "x".repeat(9000), status: TodoStatus::Pending, active_form: String::new() };
    let todos = store.write_todos(session(1), &AgentId::from(session(1)), &[todo]);
    assert!(matches!(todos, Err(SessionError::Disk(DiskError::Full { .. }))), "{todos:?}");
    let listing = store.list(None).unwrap();
    assert_eq!((listing.sessions.len(), listing.problems.len()), (1, 0));
    let read = store.read(session(1)).unwrap();
    assert_eq!((read.entries.len() as u128, read.problems.len()), (written + 1, 0));
}

#[test]
fn a_home_that_may_not_be_written_can_still_be_read() {
    let test = "hostile::a_home_that_may_not_be_written_can_still_be_read";
    let Some((_home, path)) = as_nobody(test) else { return };
    let (store, folder) = store_in(&path);
    let mut journal = store.create(&header(&folder, 1)).unwrap();
    journal.append(&mode(2)).unwrap();
    let file = journal.path().as_path().to_path_buf();
    drop(journal);
    drop(store.create(&header(&folder, 3)).unwrap());
    let project = file.parent().unwrap();
    let chmod = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };

    chmod(project, 0o500);
    let not_allowed =
        |error: &SessionError| matches!(error, SessionError::Disk(DiskError::NotAllowed { .. }));
    assert!(not_allowed(&store.open(session(1)).unwrap_err()));
    assert!(not_allowed(&store.create(&header(&folder, 2)).unwrap_err()));
    assert!(not_allowed(&store.fork(session(1), &header(&folder, 2)).unwrap_err()));
    assert_eq!(store.read(session(1)).unwrap().entries.len(), 2);
    chmod(project, 0o700);

    chmod(&file, 0o000);
    let listing = store.list(None).unwrap();
    assert_eq!((listing.sessions.len(), listing.problems.len()), (1, 1));
    let error = store.open(session(1)).unwrap_err();
    assert!(error.to_string().contains("Check the permissions"), "{error}");

    // A folder that cannot be looked into hides only itself.
    chmod(project, 0o000);
    let other = AbsPath::new("/home/ann/other").unwrap();
    drop(store.create(&header(&other, 4)).unwrap());
    store.open(session(4)).unwrap();
    assert!(matches!(store.open(session(1)), Err(SessionError::Unreadable { .. })));
    assert_eq!(store.list(None).unwrap().problems.len(), 1);
    chmod(project, 0o700);
}
