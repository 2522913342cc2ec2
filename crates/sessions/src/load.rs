//! Loads a journal from its bytes, line by line.
//!
//! The lines are not copied. A line that cannot be read is reported and skipped. The lines after it are still good,
//! because each line is independent.

use std::collections::HashSet;
use std::path::Path;

use forelook_protocol::{Entry, EntryBody, EntryId, FORMAT, SessionHeader, SessionId};
use serde::Deserialize;

use crate::lines::{JournalLine, LineIter, ParsedLine, parse, parse_all};
use crate::{SessionError, SessionProblem};

/// How many bad lines are reported one by one. A damaged file could have a million of them.
const MAX_REPORTED: usize = 20;

/// The contents of a journal.
#[derive(Debug)]
pub(crate) struct LoadedJournal {
    pub(crate) entries: Vec<Entry>,
    pub(crate) problems: Vec<SessionProblem>,
}

/// Loads a journal. The first line must be a header with a supported format; any line after it may be broken.
pub(crate) fn load(path: &Path, id: SessionId, bytes: &[u8]) -> Result<LoadedJournal, SessionError> {
    let mut lines = LineIter::new(bytes);
    let first = lines.next().unwrap_or_default();
    let (first, header) = header(path, first)?;
    let mut loader = Loader::new(path, first.id);
    if header.session != id {
        loader.problems.push(SessionProblem::OtherSession { path: path.into(), session: header.session });
    }
    let mut entries = vec![first];
    for (at, parsed) in parse_all(lines.rest()).into_iter().enumerate() {
        entries.extend(loader.line(at + 2, parsed));
    }
    Ok(LoadedJournal { entries, problems: loader.finish() })
}

/// Parses the first line.
pub(crate) fn header(path: &Path, line: JournalLine<'_>) -> Result<(Entry, SessionHeader), SessionError> {
    // Check the format first, and leniently: the header of a later format may not parse as ours.
    if let Ok(HeaderProbe { data: Some(FormatProbe { format }), kind }) = serde_json::from_slice(line.bytes)
        && kind == "session_header"
        && format > FORMAT
    {
        return Err(SessionError::NewerFormat { path: path.into(), format });
    }
    let no_header = |why: String| SessionError::NoHeader { path: path.into(), why };
    if line.bytes.is_empty() {
        return Err(no_header("it is empty".to_owned()));
    }
    let entry = parse(line.bytes).map_err(no_header)?;
    match &entry.body {
        EntryBody::SessionHeader(header) => {
            let header = header.clone();
            Ok((entry, header))
        }
        body => Err(no_header(format!("its first line is of kind `{}`", body.kind()))),
    }
}

#[derive(Deserialize)]
struct HeaderProbe<'a> {
    #[serde(borrow)]
    kind: std::borrow::Cow<'a, str>,
    data: Option<FormatProbe>,
}

#[derive(Deserialize)]
struct FormatProbe {
    format: u32,
}

struct Loader<'a> {
    path: &'a Path,
    seen: HashSet<EntryId>,
    problems: Vec<SessionProblem>,
    /// The number of bad lines beyond those that are reported.
    more: usize,
    unknown: usize,
    first_unknown: Option<String>,
}

impl<'a> Loader<'a> {
    fn new(path: &'a Path, header: EntryId) -> Self {
        let seen = HashSet::from([header]);
        Self { path, seen, problems: Vec::new(), more: 0, unknown: 0, first_unknown: None }
    }

    fn line(&mut self, line: usize, found: ParsedLine<'_>) -> Option<Entry> {
        match self.check(line, found) {
            Ok(entry) => Some(entry),
            Err(problem) if self.problems.len() < MAX_REPORTED => {
                self.problems.push(problem);
                None
            }
            Err(_) => {
                self.more += 1;
                None
            }
        }
    }

    fn check(&mut self, line: usize, (found, parsed): ParsedLine<'_>) -> Result<Entry, SessionProblem> {
        let path = || self.path.to_path_buf();
        let entry = parsed.map_err(|why| match found.terminated {
            true => SessionProblem::BadLine { path: path(), line, why },
            // It was being written. (A complete line that only lost its newline is not an error.)
            false => SessionProblem::TornLine { path: path(), bytes: found.bytes.len() },
        })?;
        if let EntryBody::SessionHeader(_) = entry.body {
            let why = "a session has only one header, at the start".to_owned();
            return Err(SessionProblem::BadLine { path: path(), line, why });
        }
        if !self.seen.insert(entry.id) {
            return Err(SessionProblem::Duplicate { path: path(), line, id: entry.id });
        }
        if let EntryBody::Unknown { kind, .. } = &entry.body {
            self.unknown += 1;
            self.first_unknown.get_or_insert_with(|| kind.clone());
        }
        Ok(entry)
    }

    fn finish(mut self) -> Vec<SessionProblem> {
        let path = self.path.to_path_buf();
        if self.more > 0 {
            self.problems.push(SessionProblem::MoreLines { path: path.clone(), count: self.more });
        }
        if let Some(kind) = self.first_unknown {
            self.problems.push(SessionProblem::UnknownKinds { path, count: self.unknown, kind });
        }
        self.problems
    }
}
