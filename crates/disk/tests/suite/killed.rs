//! A process killed while it writes leaves whole files and whole lines.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::again::{child, given, own_binary};
use forelook_disk::{Appender, Permissions, replace};

const KILLS: u64 = 25;
const SIZE: usize = 200_000;

/// Not a test by itself: writes as fast as it can until it is killed.
#[test]
fn helper_that_writes() {
    let Some(folder) = given() else { return };
    let (mut lines, _) = Appender::open(folder.join("lines")).unwrap();
    for turn in 0u32.. {
        let letter = b'a' + (turn % 26) as u8;
        lines.append_line(&vec![letter; SIZE]).unwrap();
        if turn == 0 {
            println!("\nbegun");
        }
        replace(folder.join("file"), &vec![letter; SIZE], Permissions::Private).unwrap();
    }
}

fn is_one_letter(text: &[u8]) -> bool {
    text.len() == SIZE && text.iter().all(|letter| *letter == text[0])
}

fn check(folder: &Path) -> usize {
    assert!(is_one_letter(&std::fs::read(folder.join("file")).unwrap()));
    drop(Appender::open(folder.join("lines")).unwrap());
    let text = std::fs::read(folder.join("lines")).unwrap();
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    assert!(lines.iter().all(|line| line.strip_suffix(b"\n").is_some_and(is_one_letter)));
    lines.len()
}

#[test]
fn everything_is_whole_after_any_kill() {
    let home = tempfile::tempdir().unwrap();
    replace(home.path().join("file"), &vec![b'-'; SIZE], Permissions::Private).unwrap();
    let mut lines = 0;
    for kill in 0..KILLS {
        forelook_disk::remove_file(home.path().join("lines")).unwrap();
        Appender::create(home.path().join("lines")).unwrap();
        let mut command = child(&[], "killed::helper_that_writes", home.path(), &own_binary());
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert_eq!(said.filter(|line| line == "begun").take(1).count(), 1);
        // Not a wait for something to have happened: the instant of the kill is what varies.
        std::thread::sleep(Duration::from_micros(kill * 777));
        process.kill().unwrap();
        process.wait().unwrap();
        lines += check(home.path());
    }
    assert!(lines >= KILLS as usize);
}
