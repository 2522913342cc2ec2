//! How fast a journal of 100 MB loads: `cargo run --release -p forelook-sessions --example load_speed`.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it measures, and prints that")]

use std::error::Error;
use std::time::Instant;

use forelook_protocol::{
    AbsPath, CallId, CallStatus, Entry, EntryBody, EntryId, FORMAT, SessionHeader, SessionId, ToolFinished,
    ToolResult,
};
use forelook_sessions::SessionStore;
use uuid::Uuid;

fn main() -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let folder = AbsPath::new(home.path())?;
    let store = SessionStore::new(folder.clone());
    let session = SessionId(Uuid::from_u128(1));
    let header = SessionHeader {
        format: FORMAT,
        session,
        folder: folder.clone(),
        program: String::new(),
        forked_from: None,
    };
    let mut journal = store.create(&entry(1, EntryBody::SessionHeader(header)))?;
    // Results as sessions have them: mostly a few kilobytes of source text.
    let source = "    let answer = \"forty\\ntwo\"; // äöü\n".repeat(100);
    let mut megabytes = 0;
    for number in 2.. {
        let result = ToolResult::ok(CallId(format!("call-{number}")), source.clone());
        journal.append(&entry(
            number,
            EntryBody::ToolFinished(ToolFinished {
                result,
                status: CallStatus::Ran,
                effects: Vec::new(),
                output: None,
            }),
        ))?;
        megabytes = std::fs::metadata(journal.path())?.len() / 1_000_000;
        if megabytes >= 100 {
            break;
        }
    }
    drop(journal);
    println!("a journal of {megabytes} MB");
    timed("open", || store.open(session).map(drop))?;
    timed("list", || store.list(None).map(drop))?;
    timed("newest", || store.newest(&folder).map(drop))?;
    Ok(())
}

fn entry(number: u128, body: EntryBody) -> Entry {
    Entry {
        id: EntryId(Uuid::from_u128(number)),
        parent: None,
        time: jiff::Timestamp::UNIX_EPOCH,
        agent: None,
        body,
    }
}

fn timed<E>(what: &str, run: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    let began = Instant::now();
    run()?;
    println!("{what}: {:.1} ms", began.elapsed().as_secs_f64() * 1000.0);
    Ok(())
}
