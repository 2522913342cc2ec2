//! Entries and a store to put them in.

use std::path::PathBuf;

use forelook_protocol::{
    AbsPath, Delivery, Entry, EntryBody, EntryId, FORMAT, Mode, ModeChanged, ModeState, Prompt,
    PromptAccepted, PromptQueued, SessionHeader, SessionId, UserBlock,
};
use forelook_sessions::SessionStore;
use uuid::Uuid;

/// A store in a folder that goes with it.
pub(crate) struct House {
    pub(crate) store: SessionStore,
    pub(crate) folder: AbsPath,
    pub(crate) home: PathBuf,
    _temporary: tempfile::TempDir,
}

pub(crate) fn house() -> House {
    let temporary = tempfile::tempdir().unwrap();
    let home = temporary.path().join("home");
    let store = SessionStore::new(AbsPath::new(&home).unwrap());
    House { store, folder: AbsPath::new("/home/ann/project").unwrap(), home, _temporary: temporary }
}

impl House {
    /// A session with these entries after its header, closed again.
    pub(crate) fn session(&self, number: u128, entries: &[Entry]) -> PathBuf {
        let mut journal = self.store.create(&header(&self.folder, number)).unwrap();
        for entry in entries {
            journal.append(entry).unwrap();
        }
        journal.path().as_path().to_path_buf()
    }

    /// A session whose file holds exactly these bytes.
    pub(crate) fn raw(&self, number: u128, bytes: &[u8]) -> PathBuf {
        let path = self.session(number, &[]);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

pub(crate) fn session(number: u128) -> SessionId {
    SessionId(Uuid::from_u128(number))
}

pub(crate) fn entry(number: u128, body: EntryBody) -> Entry {
    let time = "2026-01-02T03:04:05Z".parse().unwrap();
    Entry { id: EntryId(Uuid::from_u128(number)), parent: None, time, agent: None, body }
}

pub(crate) fn header(folder: &AbsPath, number: u128) -> Entry {
    let header = SessionHeader {
        format: FORMAT,
        session: session(number),
        folder: folder.clone(),
        program: "0.1.0".to_owned(),
        forked_from: None,
    };
    entry(number << 64, EntryBody::SessionHeader(header))
}

pub(crate) fn prompt(number: u128, text: &str) -> Entry {
    entry(number, EntryBody::PromptAccepted(PromptAccepted::person(vec![UserBlock::text(text)])))
}

pub(crate) fn queued(number: u128, text: &str) -> Entry {
    let prompt = Prompt::person(vec![UserBlock::text(text)], Delivery::Steer);
    entry(number, EntryBody::PromptQueued(PromptQueued { prompt }))
}

pub(crate) fn mode(number: u128) -> Entry {
    let mode_state = ModeState::new(Mode::AcceptEdits);
    entry(number, EntryBody::ModeChanged(ModeChanged { mode_state, why: None }))
}

pub(crate) fn line(entry: &Entry) -> String {
    serde_json::to_string(entry).unwrap()
}

pub(crate) fn lines(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(line).collect()
}
