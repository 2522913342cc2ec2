//! What happens every day: begin, go on, list, fork.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use crate::make::{entry, header, house, line, lines, mode, prompt, queued, session};
use forelook_protocol::{AbsPath, AgentId, Entry, EntryBody};
use forelook_sessions::{SessionError, SessionProblem, SessionStore};
use rustix::fs::{CWD, FileType, Mode, mknodat};

fn set_written(path: &std::path::Path, seconds: u64) {
    let file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

#[test]
fn a_session_goes_on_where_it_ended() {
    let house = house();
    let path = house.session(1, &[prompt(10, "Hello"), mode(11)]);
    assert_eq!(path, house.store.path_of(&house.folder, session(1)).as_path());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let mut opened = house.store.open(session(1)).unwrap();
    assert_eq!(lines(&opened.entries), lines(&[header(&house.folder, 1), prompt(10, "Hello"), mode(11)]));
    assert_eq!(opened.problems, []);
    opened.journal.append(&mode(12)).unwrap();
    opened.journal.syncer().sync_data().unwrap();
    assert_eq!(house.store.read(session(1)).unwrap().entries.len(), 4);
}

#[test]
fn a_session_begins_once_and_with_a_header() {
    let house = house();
    assert!(matches!(house.store.create(&mode(1)), Err(SessionError::NotAHeader { .. })));
    let first = house.store.create(&header(&house.folder, 1)).unwrap();
    assert!(matches!(house.store.create(&header(&house.folder, 1)), Err(SessionError::InUse { .. })));
    drop(first);
    assert!(matches!(house.store.create(&header(&house.folder, 1)), Err(SessionError::Disk(_))));
    assert_eq!(house.store.read(session(1)).unwrap().entries.len(), 1);
}

#[test]
fn only_one_process_writes() {
    let house = house();
    house.session(1, &[]);
    let opened = house.store.open(session(1)).unwrap();
    let error = house.store.open(session(1)).unwrap_err();
    assert!(matches!(error, SessionError::InUse { pid: Some(pid), .. } if pid == std::process::id()));
    assert!(error.to_string().contains("--fork-session"), "{error}");
    house.store.read(session(1)).unwrap();
    drop(opened);
    house.store.open(session(1)).unwrap();
}

#[test]
fn what_is_not_there_is_said() {
    let house = house();
    assert!(matches!(house.store.open(session(1)), Err(SessionError::NotFound { .. })));
    assert!(matches!(house.store.read(session(1)), Err(SessionError::NotFound { .. })));
    assert_eq!(house.store.newest(&house.folder).unwrap().id, None);
    assert!(house.store.list(None).unwrap().sessions.is_empty());
    assert!(!house.home.exists(), "looking makes nothing");
}

#[test]
fn newest_goes_by_the_last_write_in_this_folder() {
    let house = house();
    for (number, written) in [(1, 300), (2, 200), (3, 100)] {
        set_written(&house.session(number, &[]), written);
    }
    assert_eq!(house.store.newest(&house.folder).unwrap().id, Some(session(1)));
    set_written(house.store.path_of(&house.folder, session(2)).as_path(), 400);
    assert_eq!(house.store.newest(&house.folder).unwrap().id, Some(session(2)));
    let other = AbsPath::new("/home/ann-project").unwrap();
    assert_eq!(house.store.newest(&other).unwrap().id, None);
    // What a kill in the first instant leaves is no session to go on with.
    house.raw(4, b"");
    house.raw(5, b"{\"id\":");
    let newest = house.store.newest(&house.folder).unwrap();
    assert_eq!(newest.id, Some(session(2)));
    // Nor is it passed over in silence: it may have been one.
    assert!(matches!(
        newest.passed_over[..],
        [SessionProblem::NotBegun { .. }, SessionProblem::NotBegun { .. }]
    ));
}

#[test]
fn an_older_session_does_not_take_the_place_of_a_damaged_one() {
    let whole = line(&header(&house().folder, 2));
    let cut = &whole.as_bytes()[..40];
    let long = format!("{{\"id\":\"{}", "x".repeat(1 << 20));
    for bytes in [
        &[0u8; 5000][..],
        &[cut, &[0; 20]].concat(),
        &[cut, b"\n"].concat(),
        b"\n",
        b"other words",
        long.as_bytes(),
    ] {
        let house = house();
        set_written(&house.session(1, &[]), 100);
        let path = house.raw(2, bytes);
        let error = house.store.newest(&house.folder).unwrap_err().to_string();
        assert!(error.contains(&path.display().to_string()) && error.contains("forelook -r"), "{error}");
    }
    for kind in [FileType::Directory, FileType::Fifo] {
        let house = house();
        set_written(&house.session(1, &[]), 100);
        let path = house.store.path_of(&house.folder, session(2));
        match kind {
            FileType::Fifo => mknodat(CWD, path.as_path(), kind, Mode::from_raw_mode(0o600), 0).unwrap(),
            _ => std::fs::create_dir(path.as_path()).unwrap(),
        }
        let error = house.store.newest(&house.folder).unwrap_err().to_string();
        assert!(error.contains("is not a file") && error.contains("forelook -r"), "{error}");
        assert!(matches!(house.store.open(session(2)), Err(SessionError::NotRegular { .. })));
        let listing = house.store.list(None).unwrap();
        assert_eq!((listing.sessions.len(), listing.problems.len()), (1, 1));
    }
}

#[test]
fn a_list_tells_what_a_person_wants_to_know() {
    let house = house();
    let words = "Fix the\n  failing test, ".to_owned() + &"please ".repeat(30);
    let of_agent = Entry { agent: Some(AgentId("helper".to_owned())), ..prompt(12, "Not this") };
    let path = house.session(1, &[queued(9, "Not this"), of_agent, prompt(10, &words), prompt(11, "Second")]);
    set_written(&path, 1000);
    set_written(&house.session(2, &[]), 2000);
    let listing = house.store.list(Some(&house.folder)).unwrap();
    assert_eq!(listing.problems, []);
    let ids: Vec<_> = listing.sessions.iter().map(|one| one.id).collect();
    assert_eq!(ids, [session(2), session(1)]);
    let one = &listing.sessions[1];
    assert!(
        one.title.starts_with("Fix the failing test, please") && one.title.ends_with('…'),
        "{}",
        one.title
    );
    assert!(one.title.chars().count() <= 80);
    assert_eq!((one.prompts, one.folder.clone(), one.forked_from), (2, house.folder.clone(), None));
    assert_eq!((one.started.as_second(), one.last_written.as_second()), (1_767_323_045, 1000));
    assert_eq!(listing.sessions[0].title, "");
    assert_eq!(house.store.list(None).unwrap().sessions.len(), 2);
}

#[test]
fn odd_folders_are_folders() {
    let house = house();
    let long = [b"/".as_slice(), &[b'x'; 3999]].concat();
    let names = [b"/with space".as_slice(), b"/new\nline", b"/\xff\xfe", &long, b"/a/b", b"/a-b"];
    for (number, name) in (1..).zip(names) {
        let folder = AbsPath::new(OsStr::from_bytes(name)).unwrap();
        house.store.create(&header(&folder, number)).unwrap();
        assert_eq!(house.store.newest(&folder).unwrap().id, Some(session(number)));
        let listing = house.store.list(Some(&folder)).unwrap();
        assert_eq!(listing.sessions[0].folder, folder);
        house.store.open(session(number)).unwrap();
    }
    assert_eq!(house.store.list(None).unwrap().sessions.len(), names.len());
}

fn fork_header(store_folder: &AbsPath, from: u128, to: u128) -> Entry {
    let mut first = header(store_folder, to);
    first.id = header(store_folder, from).id;
    if let EntryBody::SessionHeader(header) = &mut first.body {
        header.forked_from = Some(session(from));
    }
    first
}

#[test]
fn a_fork_has_the_old_lines_to_the_letter() {
    let house = house();
    let path = house.session(1, &[prompt(10, "Hello")]);
    let odd = "{\"id\" : \"00000000-0000-0000-0000-00000000000b\",\"parent\":null,\"mood\":1,\"time\":\"2026-01-02T03:04:05Z\",\"kind\":\"telepathy\",\"data\":[1,  2]}\nbroken\n";
    let old = std::fs::read_to_string(&path).unwrap() + odd;
    let torn = old.clone() + "{\"id\"";
    std::fs::write(&path, &torn).unwrap();

    // While another process has it, which is what forks are for.
    let lock = forelook_disk::FileLock::acquire(path.with_extension("lock")).unwrap();
    let first = fork_header(&house.folder, 1, 2);
    let mut fork = house.store.fork(session(1), &first).unwrap();
    drop(lock);
    let history = old.split_once('\n').unwrap().1;
    let expected = line(&first) + "\n" + history;
    assert_eq!(std::fs::read_to_string(fork.journal.path()).unwrap(), expected);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), torn, "the old one is not touched");
    assert_eq!(fork.entries.len(), 3);
    assert!(matches!(
        fork.problems[..],
        [SessionProblem::BadLine { line: 4, .. }, SessionProblem::UnknownKinds { count: 1, .. }]
    ));
    assert!(matches!(house.store.open(session(2)), Err(SessionError::InUse { .. })));
    fork.journal.append(&mode(20)).unwrap();
    drop(fork);
    assert_eq!(house.store.list(None).unwrap().sessions[0].forked_from, Some(session(1)));
    assert_eq!(house.store.open(session(2)).unwrap().entries.len(), 4);
    let again = house.store.fork(session(1), &first);
    assert!(matches!(again, Err(SessionError::Disk(_))), "{again:?}");
}

#[test]
fn a_fork_can_lie_in_another_folder_and_home_can_be_a_link() {
    let house = house();
    house.session(1, &[prompt(10, "Hello")]);
    let link = house.home.with_file_name("link");
    std::os::unix::fs::symlink(&house.home, &link).unwrap();
    let store = SessionStore::new(AbsPath::new(&link).unwrap());
    let other = AbsPath::new("/elsewhere").unwrap();
    store.fork(session(1), &fork_header(&other, 1, 2)).unwrap();
    assert_eq!(store.newest(&other).unwrap().id, Some(session(2)));
    assert!(matches!(store.fork(session(1), &entry(1, mode(1).body)), Err(SessionError::NotAHeader { .. })));
}
