//! What is kept of an output.

use std::ops::ControlFlow;

use super::window::{HEAD, TAIL};
use super::*;

struct TempOutput {
    _folder: tempfile::TempDir,
    path: AbsPath,
}

impl TempOutput {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = AbsPath::new(folder.path()).unwrap().join("made/whole");
        Self { _folder: folder, path }
    }

    fn file(&self) -> Option<String> {
        std::fs::read_to_string(&self.path).ok()
    }
}

fn collect(pieces: &[&str]) -> (String, Option<String>) {
    let place = TempOutput::new();
    let mut collector = Collector::new(&place.path);
    for piece in pieces {
        collector.push(piece.as_bytes());
    }
    (collector.finish(), place.file())
}

#[test]
fn short_output_is_whole_and_makes_no_file() {
    let exact = "é".repeat(HEAD + TAIL);
    for pieces in [&["a", "b\n"][..], &[], &[&exact]] {
        assert_eq!(collect(pieces), (pieces.concat(), None));
    }
}

#[test]
fn long_output_keeps_head_and_tail_and_is_whole_in_its_file() {
    let line = "é123456789\n";
    let all = line.repeat(50_000);
    for pieces in [vec![all.as_str()], vec![line; 50_000]] {
        let (text, file) = collect(&pieces);
        assert_eq!(file.as_deref(), Some(all.as_str()));
        assert!(text.starts_with(line) && text.ends_with(line));
        assert!(text.contains("520000 characters left out here"), "{text}");
        assert!(text.chars().count() < HEAD + TAIL + 300);
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told() {
    // No folder can be made there, not even by root; and a disk that is full.
    let place = TempOutput::new();
    let full = AbsPath::new(place._folder.path()).unwrap().join("full");
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    for path in [AbsPath::new("/dev/null/at/all").unwrap(), full] {
        let mut collector = Collector::new(&path);
        collector.push(&vec![b'x'; 100_000]);
        collector.push(&vec![b'y'; 100_000]);
        let text = collector.finish();
        assert!(text.contains("could not be saved") && text.ends_with('y'), "{text}");
    }
}

#[test]
fn every_look_gives_what_is_new() {
    let place = TempOutput::new();
    let mut collector = Collector::new(&place.path);
    collector.push(b"one\ntw");
    collector.save_to_file();
    assert_eq!(collector.take_new(), "one\ntw");
    collector.push(b"o\n10%\r");
    collector.push(b"20%");
    assert_eq!(collector.unread(), UnreadOutput::Text("o\n20%".into()));
    assert_eq!(collector.take_new(), "o\n20%");
    collector.push(b"\r30%\r40%\n");
    assert_eq!(collector.take_new(), "\n40%\n");
    assert_eq!(collector.take_new(), "");
    let many = "0123456789\n".repeat(10_000);
    collector.push(many.as_bytes());
    let mut lines = 0;
    collector
        .unread()
        .lines(|line| {
            assert_eq!(line, "0123456789");
            lines += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(lines, 10_000);
    let text = collector.take_new();
    assert!(text.starts_with("0123") && text.contains("left out here; the full output is in"), "{text}");
    collector.push(b"end");
    collector.end();
    assert_eq!(collector.take_new(), "end");
    assert_eq!(place.file().unwrap(), format!("one\ntwo\n20%\n40%\n{many}end"));
}

#[test]
fn who_watches_sees_every_drawing() {
    let mut collector = Collector::new(&TempOutput::new().path);
    assert_eq!(collector.push(b"10%\r20%\x08\x08x\n"), "10%\n20%x\n");
    assert_eq!(collector.finish(), "2x\n");
}

#[test]
fn what_is_held_is_bounded() {
    for piece in ["y\n".repeat(32_768), "é".repeat(32_768), "\r1%".repeat(20_000), "x".repeat(65_536)] {
        let mut collector = Collector::new(&TempOutput::new().path);
        for _ in 0..20 {
            collector.push(piece.as_bytes());
            assert!(collector.buffered_bytes() < 700_000, "{}", collector.buffered_bytes());
        }
    }
}
