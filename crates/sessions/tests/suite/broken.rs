//! Journals as they should not be: each loads as far as it can, or says why not and stays as it is.

use crate::make::{House, header, house, line, lines, mode, prompt, session};
use forelook_protocol::Entry;
use forelook_sessions::{SessionError, SessionProblem};

/// A journal of a header, these bytes as line 2 onwards, and one last good line.
fn with_middle(house: &House, middle: &[u8]) -> Vec<u8> {
    let first = line(&header(&house.folder, 1)) + "\n";
    let last = line(&mode(99)) + "\n";
    [first.as_bytes(), middle, last.as_bytes()].concat()
}

/// Opens it: the good lines are there, the file is unchanged, and it can be written to.
fn check_middle(middle: &[u8], expected: impl Fn(&[SessionProblem]) -> bool) {
    let house = house();
    let bytes = with_middle(&house, middle);
    let path = house.raw(1, &bytes);
    let mut opened = house.store.open(session(1)).unwrap();
    assert!(expected(&opened.problems), "{:?}", opened.problems);
    let last = opened.entries.last().map(line);
    assert_eq!(last, Some(line(&mode(99))));
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "nothing was taken out of the file");
    opened.journal.append(&mode(100)).unwrap();
    drop(opened);
    assert!(house.store.open(session(1)).is_ok());
    for problem in house.store.read(session(1)).unwrap().problems {
        assert!(problem.to_string().contains('\n'), "it says what to do: {problem}");
    }
}

fn is_line(problems: &[SessionProblem], wanted: usize, text: &str) -> bool {
    matches!(problems, [SessionProblem::BadLine { line, why, .. }] if *line == wanted && why.contains(text))
}

#[test]
fn a_bad_line_is_told_by_its_number_and_passed_over() {
    let bad = line(&mode(5)).replace("\"acceptEdits\"", "\"warp\"") + "\n";
    check_middle(bad.as_bytes(), |problems| is_line(problems, 2, "kind `mode_changed`"));
    check_middle(b"not json\n", |problems| is_line(problems, 2, "Not an entry"));
    check_middle(b"\n", |problems| is_line(problems, 2, "empty"));
    check_middle(b"{\"kind\":\"\xff\"}\n", |problems| is_line(problems, 2, "UTF-8"));
    check_middle(&[&[0; 5000], b"\n".as_slice()].concat(), |problems| is_line(problems, 2, "NUL"));
    let deep = "[".repeat(100_000) + "\n";
    check_middle(deep.as_bytes(), |problems| problems.len() == 1);
}

#[test]
fn unknown_kinds_are_kept_and_counted() {
    let unknown =
        |number| line(&mode(number)).replace("\"kind\":\"mode_changed\"", "\"kind\":\"telepathy\"") + "\n";
    check_middle(
        (unknown(5) + &unknown(6)).as_bytes(),
        |problems| matches!(problems, [SessionProblem::UnknownKinds { count: 2, kind, .. }] if kind == "telepathy"),
    );
}

#[test]
fn a_second_line_with_the_same_id_is_passed_over() {
    let twice = line(&mode(5)) + "\n" + &line(&prompt(5, "x")) + "\n";
    check_middle(twice.as_bytes(), |problems| {
        matches!(problems, [SessionProblem::Duplicate { line: 3, .. }])
    });
    let second = line(&header(&house().folder, 7)) + "\n";
    check_middle(second.as_bytes(), |problems| is_line(problems, 2, "one header"));
}

#[test]
fn a_flood_of_bad_lines_is_summed_up() {
    check_middle("x\n".repeat(1000).as_bytes(), |problems| {
        problems.len() == 21 && matches!(problems.last(), Some(SessionProblem::MoreLines { count: 980, .. }))
    });
}

#[test]
fn a_torn_last_line_is_cut_and_told() {
    for torn in [b"{\"id\":\"0000".as_slice(), b"{", b"{\"id\":\"\xc3"] {
        let house = house();
        let whole = with_middle(&house, b"");
        let path = house.raw(1, &[&whole, torn].concat());
        // Reading alone changes nothing.
        assert_eq!(house.store.read(session(1)).unwrap().problems.len(), 1);
        assert_ne!(std::fs::read(&path).unwrap(), whole);
        let opened = house.store.open(session(1)).unwrap();
        assert!(
            matches!(opened.problems[..], [SessionProblem::TornLine { bytes, .. }] if bytes == torn.len())
        );
        assert!(!opened.problems[0].to_string().contains("Nothing"), "it promises nothing");
        assert_eq!((opened.entries.len(), opened.gaps), (2, vec![]));
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
}

/// The start of a line that changes the mode: it is on the disk before anything follows from it.
fn half_mode() -> Vec<u8> {
    let mut line = line(&mode(5)).into_bytes();
    line.truncate(line.len() - 10);
    line
}

/// It is cut off like any other, but somebody may have relied on it.
#[test]
fn a_torn_line_that_changes_the_mode_leaves_a_gap() {
    let house = house();
    let whole = with_middle(&house, b"");
    let path = house.raw(1, &[whole.as_slice(), &half_mode()].concat());
    let opened = house.store.open(session(1)).unwrap();
    assert!(matches!(opened.problems[..], [SessionProblem::TornLine { .. }]), "{:?}", opened.problems);
    assert_eq!((opened.entries.len(), opened.gaps), (2, vec![2]));
    drop(opened.journal);
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

#[test]
fn an_end_that_was_not_being_written_is_told_and_stays() {
    let nul_in_line = [half_mode(), vec![0; 600_000]].concat();
    for lost in [&b"\0\0\0\0\0\0\0\0"[..], b"\xff", b"x", &nul_in_line] {
        let house = house();
        let whole = with_middle(&house, b"");
        let path = house.raw(1, &[&whole, lost].concat());
        let opened = house.store.open(session(1)).unwrap();
        let length = lost.len() as u64;
        assert!(
            matches!(opened.problems[..], [SessionProblem::LostTail { bytes, .. }] if bytes == length),
            "{:?}",
            opened.problems
        );
        assert!(opened.problems[0].to_string().contains("more than the last line may be missing"));
        assert_eq!((opened.entries.len(), opened.gaps), (2, vec![2]));
        drop(opened.journal);
        assert_eq!(
            std::fs::read(&path).unwrap(),
            [whole.as_slice(), lost, b"\n"].concat(),
            "it is the only trace"
        );
        // The gap is known from now on, in copies as well.
        let fork = Entry { id: header(&house.folder, 1).id, ..header(&house.folder, 2) };
        assert_eq!(house.store.fork(session(1), &fork).unwrap().gaps, [2]);
        assert_eq!(house.store.open(session(1)).unwrap().gaps, [2]);
    }
}

#[test]
fn what_is_missing_in_the_middle_leaves_a_gap() {
    let child = |entry: Entry, of: &Entry| Entry { parent: Some(of.id), ..entry };
    let first = header(&house().folder, 1);
    let second = child(prompt(5, "x"), &first);
    let third = child(mode(6), &second);
    let fourth = child(prompt(7, "y"), &third);
    let damaged = line(&third).replace("acceptEdits", "warp");
    let nul = line(&third).replace("acceptEdits", "accept\0\0\0\0\0");
    let unknown = line(&third).replace("mode_changed", "mode_chanqed");
    let again = line(&third).replace(&third.id.to_string(), &second.id.to_string());
    for (lines, gaps) in [
        (vec![line(&second), line(&third), line(&fourth)], vec![]),
        (vec![line(&second), damaged, line(&fourth)], vec![2]),
        (vec![line(&second), nul, line(&fourth)], vec![2]),
        (vec![line(&second), again, line(&fourth)], vec![2]),
        (vec![line(&second), unknown, line(&fourth)], vec![2]),
        (vec![line(&second), line(&fourth)], vec![2]),
        (vec!["x".to_owned(), line(&third), "x".to_owned()], vec![1, 2]),
    ] {
        let house = house();
        let text = lines.join("\n");
        house.raw(1, format!("{}\n{text}\n", line(&first)).as_bytes());
        assert_eq!(house.store.open(session(1)).unwrap().gaps, gaps, "{text}");
    }
}

#[test]
fn a_hole_in_a_journal_is_read_over() {
    let house = house();
    let whole = with_middle(&house, b"");
    let path = house.raw(1, &whole);
    let file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.set_len(whole.len() as u64 + (64 << 20)).unwrap();
    assert_eq!(house.store.list(None).unwrap().sessions.len(), 1);
    assert!(matches!(house.store.read(session(1)).unwrap().problems[..], [SessionProblem::LostTail { .. }]));
    file.set_len(0).unwrap();
    file.set_len(64 << 20).unwrap();
    assert!(matches!(house.store.header(session(1)), Err(SessionError::NoHeader { .. })));
}

#[test]
fn a_last_line_that_only_lacks_its_newline_is_kept() {
    let house = house();
    let whole = with_middle(&house, b"");
    let path = house.raw(1, whole.strip_suffix(b"\n").unwrap());
    let mut opened = house.store.open(session(1)).unwrap();
    assert_eq!((opened.entries.len(), opened.problems.len()), (2, 0));
    opened.journal.append(&mode(100)).unwrap();
    let expected = [whole, (line(&mode(100)) + "\n").into_bytes()].concat();
    assert_eq!(std::fs::read(&path).unwrap(), expected);
}

#[test]
fn a_later_format_is_left_alone() {
    let house = house();
    let ours = line(&header(&house.folder, 1));
    let later = ours.replace("\"format\":1", "\"format\":2");
    let stranger = "{\"kind\":\"session_header\",\"when\":0,\"data\":{\"format\":2}}".to_owned();
    for first in [later, stranger] {
        let bytes = first + "\n{\"torn";
        let path = house.raw(1, bytes.as_bytes());
        let error = house.store.open(session(1)).unwrap_err();
        assert!(matches!(error, SessionError::NewerFormat { format: 2, .. }), "{error}");
        assert!(error.to_string().contains("Update Forelook"), "{error}");
        assert!(matches!(house.store.read(session(1)), Err(SessionError::NewerFormat { .. })));
        let fork = house.store.fork(session(1), &header(&house.folder, 2));
        assert!(matches!(fork, Err(SessionError::NewerFormat { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), bytes.as_bytes());
        assert_eq!(house.store.list(None).unwrap().problems.len(), 1);
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn without_a_header_it_is_no_journal() {
    let first = line(&mode(5)) + "\n";
    for (bytes, text) in [
        (b"".as_slice(), "empty"),
        (b"\n", "empty"),
        (b"nonsense\n", "Not an entry"),
        (first.as_bytes(), "kind `mode_changed`"),
        (b"\0\0\0\0", "NUL"),
        (b"\xff\xff\n", "UTF-8"),
    ] {
        let house = house();
        let path = house.raw(1, bytes);
        let error = house.store.open(session(1)).unwrap_err();
        assert!(matches!(error, SessionError::NoHeader { .. }), "{error}");
        assert!(
            error.to_string().contains(text) && error.to_string().contains("start a new session"),
            "{error}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        let listing = house.store.list(None).unwrap();
        assert_eq!((listing.sessions.len(), listing.problems.len()), (0, 1));
    }
}

#[test]
fn a_renamed_journal_is_told() {
    let house = house();
    house.raw(1, (line(&header(&house.folder, 2)) + "\n").as_bytes());
    let opened = house.store.open(session(1)).unwrap();
    assert!(
        matches!(&opened.problems[..], [SessionProblem::OtherSession { session: found, .. }] if *found == session(2))
    );
}

#[test]
fn ten_megabytes_in_one_line_are_one_line() {
    let house = house();
    let big: Vec<Entry> = vec![prompt(10, &"x".repeat(10_000_000)), mode(11)];
    house.session(1, &big);
    let opened = house.store.open(session(1)).unwrap();
    assert_eq!(lines(&opened.entries[1..]), lines(&big));
    assert_eq!(house.store.list(None).unwrap().sessions[0].prompts, 1);
}
