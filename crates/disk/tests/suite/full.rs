//! A disk that is full: the old file stays, lines stay whole, and it goes on when there is room again.

use crate::again::on_small_disk;
use forelook_disk::{Appender, DiskError, FileLock, Permissions, create_new, replace};

#[test]
fn replacing_keeps_the_old_file() {
    let Some(disk) = on_small_disk("full::replacing_keeps_the_old_file") else { return };
    let path = disk.join("file");
    replace(&path, b"old", Permissions::Keep).unwrap();
    let big = vec![b'x'; 100 * 1024];
    let error = replace(&path, &big, Permissions::Keep).unwrap_err();
    assert!(matches!(&error, DiskError::Full { .. }), "{error}");
    assert!(error.to_string().contains("Free some space"));
    assert!(create_new(disk.join("new"), &[&big], Permissions::Private).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(&disk).unwrap().count(), 1, "a temporary file was left");
    replace(&path, b"new", Permissions::Keep).unwrap();
}

#[test]
fn appending_keeps_whole_lines() {
    let Some(disk) = on_small_disk("full::appending_keeps_whole_lines") else { return };
    let path = disk.join("lines");
    let mut appender = Appender::create(&path).unwrap();
    let line = [b'x'; 3000];
    let mut written = 0;
    let error = loop {
        match appender.append_line(&line) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(&error, DiskError::Full { .. }), "{error}");
    assert!(written > 10);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), written * 3001);
    assert!(appender.append_line(&line).is_err());

    // A short line may still fit into the last page; nothing is torn either way.
    let _ = appender.append_line(b"short");
    let text = std::fs::read(&path).unwrap();
    assert_eq!((text.len() as u64, text.last()), (appender.length(), Some(&b'\n')));
    assert_eq!(Appender::open(&path).unwrap().1, None);
}

#[test]
fn lines_that_belong_together_are_added_together_or_not_at_all() {
    let Some(disk) = on_small_disk("full::lines_that_belong_together_are_added_together_or_not_at_all")
    else {
        return;
    };
    let path = disk.join("lines");
    let mut appender = Appender::create(&path).unwrap();
    appender.append_lines(&["one", "two"]).unwrap();
    let big = "x".repeat(300 * 1024);
    assert!(appender.append_lines(&["three", &big]).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\n");
    assert!(appender.append_lines(&["three", "fo\nur"]).is_err());
    appender.append_lines(&["three"]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\nthree\n");
}

#[test]
fn room_again_lets_lines_through() {
    let Some(disk) = on_small_disk("full::room_again_lets_lines_through") else { return };
    let mut appender = Appender::create(disk.join("lines")).unwrap();
    std::fs::write(disk.join("other"), vec![0; 40 * 1024]).unwrap();
    assert!(appender.append_line(&vec![b'x'; 40 * 1024]).is_err());
    assert_eq!(appender.length(), 0);
    std::fs::remove_file(disk.join("other")).unwrap();
    appender.append_line(&vec![b'x'; 40 * 1024]).unwrap();
    assert_eq!(std::fs::metadata(disk.join("lines")).unwrap().len(), 40 * 1024 + 1);
    // A lock needs a few bytes; without them it is an error, not a lock.
    let rest = vec![0; 64 * 1024];
    let _ = std::fs::write(disk.join("other"), rest);
    assert!(FileLock::acquire(disk.join("lock")).is_err());
}
