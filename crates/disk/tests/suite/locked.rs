//! Locks between processes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::again::{child, given, own_binary};
use forelook_disk::{FileLock, LockError};

/// Not a test by itself: what the children below run. Waits for a word, tries to take the lock, says
/// how it went, and holds it until its input ends.
#[test]
fn helper_that_takes_the_lock() {
    let Some(path) = given() else { return };
    let mut word = String::new();
    std::io::stdin().read_line(&mut word).unwrap();
    let taken = FileLock::acquire(path);
    match &taken {
        Ok(_) => println!("\nheld"),
        Err(LockError::Held { pid, .. }) => println!("\nlost to {}", pid.unwrap_or_default()),
        Err(error) => println!("\nfailed {error}"),
    }
    std::io::stdin().read_to_string(&mut word).unwrap();
}

struct Taker {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Taker {
    fn new(path: &std::path::Path) -> Self {
        let mut command = child(&[], "locked::helper_that_takes_the_lock", path, &own_binary());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self { process, input, output: BufReader::new(output) }
    }

    fn go(&mut self) {
        self.input.write_all(b"go\n").unwrap();
    }

    fn says(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the child ended early");
            if ["held", "lost", "failed"].iter().any(|word| line.starts_with(word)) {
                return line.trim().to_owned();
            }
        }
    }

    fn end(self) {
        drop(self.input);
        let mut process = self.process;
        process.wait().unwrap();
    }
}

#[test]
fn a_killed_holder_is_succeeded() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("lock");
    let mut taker = Taker::new(&path);
    taker.go();
    assert_eq!(taker.says(), "held");
    let pid = taker.process.id();
    let error = FileLock::acquire(&path).unwrap_err();
    assert!(matches!(error, LockError::Held { pid: Some(holder), .. } if holder == pid), "{error:?}");
    taker.process.kill().unwrap();
    taker.process.wait().unwrap();
    assert!(path.exists(), "the file of a killed process stays");
    FileLock::acquire(&path).unwrap();
}

#[test]
fn of_many_at_once_exactly_one_wins() {
    for leftover in [false, true] {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lock");
        if leftover {
            std::fs::write(&path, "1 1\n").unwrap();
        }
        let mut takers: Vec<Taker> = (0..6).map(|_| Taker::new(&path)).collect();
        takers.iter_mut().for_each(Taker::go);
        let said: Vec<String> = takers.iter_mut().map(Taker::says).collect();
        let (held, lost) = (said.iter().filter(|word| *word == "held").count(), said.len() - 1);
        assert_eq!(held, 1, "{said:?}");
        assert_eq!(said.iter().filter(|word| word.starts_with("lost")).count(), lost, "{said:?}");
        takers.into_iter().for_each(Taker::end);
        FileLock::acquire(&path).unwrap();
    }
}
