//! Files that are too large to be read whole.

use std::fs::File;
use std::io::{BufWriter, Write};

use serde_json::json;

use crate::testing::Bench;

/// A log of about 70 MB: numbered lines, and one that is very long.
fn log(bench: &Bench, ending: &str) -> usize {
    let mut file = BufWriter::new(File::create(bench.path("log")).unwrap());
    let filler = "x".repeat(1000);
    let lines = 70_000;
    for number in 1..lines {
        write!(file, "{number} {filler}{ending}").unwrap();
    }
    // The last one, without an ending.
    write!(file, "{lines} é{}", "w".repeat(10_000)).unwrap();
    file.flush().unwrap();
    lines
}

#[tokio::test]
async fn a_part_is_read_and_the_file_does_not_count_as_seen() {
    let mut bench = Bench::new();
    let lines = log(&bench, "\r\n");
    for (offset, limit) in [(1, 2), (35_000, 1), (69_998, 2)] {
        let input = json!({"file_path": "log", "offset": offset, "limit": limit});
        let outcome = bench.call("Read", input).await;
        let text = outcome.result.text();
        assert!(!outcome.result.is_error && outcome.effects.is_empty(), "{text}");
        let wanted: String = (offset..offset + limit)
            .map(|number| format!("{number:>6}\t{number} {}\n", "x".repeat(1000)))
            .collect();
        let next = offset + limit;
        let note =
            format!("\n[Lines {offset} to {} of a file of 67 MiB. Continue with `offset` {next}. ", next - 1);
        assert!(text.starts_with(&format!("{wanted}{note}")), "{text}");
        assert!(text.ends_with("Edit and Write do not accept files over 64 MiB: change them with Bash.]\n"));
    }
    // Without a range the beginning comes, and no more than fits.
    let text = bench.ok("Read", json!({"file_path": "log"})).await;
    assert!(text.starts_with("     1\t1 xxx") && text.len() < 258 * 1024, "{}", text.len());
    let text = bench.ok("Read", json!({"file_path": "log", "offset": lines})).await;
    assert!(text.starts_with(&format!(" 70000\t70000 é{}… [+8007 bytes]\n", "w".repeat(1993))), "{text}");
    assert!(
        text.contains("sed -n '70000{p;q}' '") && text.contains("This is the end of the file."),
        "{text}"
    );
    let text = bench.failure("Read", json!({"file_path": "log", "offset": lines + 1})).await;
    assert!(text.contains("has only 70000 lines\n`offset` 70001 is past the end"), "{text}");
    let text = bench.failure("Edit", json!({"file_path": "log", "old_string": "1", "new_string": "2"})).await;
    assert!(text.contains("larger than 64 MiB"), "{text}");
}

#[tokio::test]
async fn old_line_endings_count_too() {
    let mut bench = Bench::new();
    log(&bench, "\r");
    let text = bench.ok("Read", json!({"file_path": "log", "offset": 60_000, "limit": 1})).await;
    assert!(text.starts_with(&format!(" 60000\t60000 {}\n\n", "x".repeat(1000))), "{text}");
}

/// Holes, so that nothing is written: zeros as far as the eye reaches.
#[tokio::test]
async fn what_is_no_text_is_refused_by_its_beginning() {
    let mut bench = Bench::new();
    for (start, part) in [
        (&b""[..], "is a binary file (1099511627776 bytes)"),
        (b"\xFF\xFEa\0", "is UTF-16 and has 1048576 MiB"),
        (b"%PDF-1.7\n", "is a PDF of over 64 MiB"),
        (b"\x89PNG\r\n\x1a\n", "is an image of over 64 MiB"),
    ] {
        let file = File::create(bench.path("large")).unwrap();
        (&file).write_all(start).unwrap();
        file.set_len(1 << 40).unwrap();
        let text = bench.failure("Read", json!({"file_path": "large"})).await;
        assert!(text.contains(part), "{text}");
    }
}

/// A line of many zeros after a readable start: it is searched for its end until the interrupt comes.
#[tokio::test]
async fn an_endless_search_ends_with_the_interrupt() {
    let mut bench = Bench::new();
    let file = File::create(bench.path("large")).unwrap();
    (&file).write_all(&b"text\n".repeat(4096)).unwrap();
    file.set_len(1 << 40).unwrap();
    let cancel = bench.cx.cancel.clone();
    let progress = bench.cx.output.progress().clone();
    let interrupt = tokio::spawn(async move {
        while progress.last().is_none() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
        progress.last()
    });
    let text = bench.failure("Read", json!({"file_path": "large", "offset": 1_000_000})).await;
    assert!(text.contains("Interrupted"), "{text}");
    assert!(interrupt.await.unwrap().unwrap().ends_with("MiB read"));
}
