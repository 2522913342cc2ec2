//! Loads a journal from its bytes, line by line.
//!
//! The lines are not copied. A line that cannot be read is reported and skipped. The lines after it are still good,
//! because each line is independent.

use std::collections::HashSet;
use std::path::Path;

use forelook_protocol::{Entry, EntryBody, EntryId, FORMAT, SessionHeader, SessionId};
use serde::Deserialize;

use crate::lines::{LineIter, ParsedLine, changes_permissions, is_torn, parse, parse_all};
use crate::reading::{Cut, JournalText, LineEnd, MAX_LINE};
use crate::{SessionError, SessionProblem};

/// How many bad lines are reported one by one. A damaged file could have a million of them.
const MAX_REPORTED: usize = 20;

/// The contents of a journal.
#[derive(Debug)]
pub(crate) struct LoadedJournal {
    pub(crate) entries: Vec<Entry>,
    /// Where entries are missing or of an unknown kind: before the entry with this index, or after the last one.
    pub(crate) gaps: Vec<usize>,
    pub(crate) problems: Vec<SessionProblem>,
}

/// Loads a journal. The first line must be a header with a supported format; any line after it may be broken.
pub(crate) fn load(path: &Path, id: SessionId, text: &JournalText) -> Result<LoadedJournal, SessionError> {
    let mut lines = LineIter::new(&text.bytes);
    let (first, header) = header(path, lines.next().unwrap_or_default().bytes)?;
    let mut loader = Loader::new(path, text, first);
    if header.session != id {
        loader.problems.push(SessionProblem::OtherSession { path: path.into(), session: header.session });
    }
    for (at, parsed) in parse_all(lines.rest()).into_iter().enumerate() {
        loader.line(at + 2, parsed);
    }
    Ok(loader.finish())
}

/// Parses the first line.
pub(crate) fn header(path: &Path, line: &[u8]) -> Result<(Entry, SessionHeader), SessionError> {
    // Check the format first, and leniently: the header of a later format may not parse as ours.
    if let Ok(HeaderProbe { data: Some(FormatProbe { format }), kind }) = serde_json::from_slice(line)
        && kind == "session_header"
        && format > FORMAT
    {
        return Err(SessionError::NewerFormat { path: path.into(), format });
    }
    let no_header = |why: String| SessionError::NoHeader { path: path.into(), why };
    if line.is_empty() {
        return Err(no_header("it is empty".to_owned()));
    }
    let entry = parse(line).map_err(no_header)?;
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
    text: &'a JournalText,
    entries: Vec<Entry>,
    /// The newest of them.
    last: EntryId,
    seen: HashSet<EntryId>,
    gaps: Vec<usize>,
    problems: Vec<SessionProblem>,
    /// The number of bad lines beyond those that are reported.
    more: usize,
    unknown: usize,
    first_unknown: Option<String>,
}

impl<'a> Loader<'a> {
    fn new(path: &'a Path, text: &'a JournalText, header: Entry) -> Self {
        Self {
            path,
            text,
            last: header.id,
            seen: HashSet::from([header.id]),
            entries: vec![header],
            gaps: Vec::new(),
            problems: Vec::new(),
            more: 0,
            unknown: 0,
            first_unknown: None,
        }
    }

    fn line(&mut self, line: usize, (found, parsed): ParsedLine<'_>) {
        match self.check(line, (found, parsed)) {
            Ok(entry) => self.entry(entry),
            // It was not written before its writer stopped, so nothing followed from it. But one that changes permissions is
            // on the disk before anybody sees it: if its end was lost there, somebody may have relied on it.
            Err(problem) => {
                if !matches!(problem, SessionProblem::TornLine { .. }) || changes_permissions(found.bytes) {
                    self.gap();
                }
                self.problem(problem);
            }
        }
    }

    fn entry(&mut self, entry: Entry) {
        // A line that was removed without a trace is missing in the chain of parents.
        let follows = entry.parent.is_none_or(|parent| parent == self.last);
        if !follows || matches!(entry.body, EntryBody::Unknown { .. }) {
            self.gap();
        }
        self.last = entry.id;
        self.entries.push(entry);
    }

    fn gap(&mut self) {
        let at = self.entries.len();
        if self.gaps.last() != Some(&at) {
            self.gaps.push(at);
        }
    }

    fn problem(&mut self, problem: SessionProblem) {
        match self.problems.len() < MAX_REPORTED {
            true => self.problems.push(problem),
            false => self.more += 1,
        }
    }

    fn check(&mut self, line: usize, (found, parsed): ParsedLine<'_>) -> Result<Entry, SessionProblem> {
        let path = || self.path.to_path_buf();
        let cut = self.text.cut.get(&line);
        // A complete line that only lost its newline is not an error.
        let entry = parsed.map_err(|why| match (found.terminated, cut) {
            (false, None) if is_torn(found.bytes) => {
                SessionProblem::TornLine { path: path(), bytes: found.bytes.len() }
            }
            (false, cut) => {
                let bytes = cut.map_or(found.bytes.len() as u64, |cut| cut.length);
                SessionProblem::LostTail { path: path(), bytes }
            }
            (true, Some(LineEnd { cut: Some(Cut::TooLong), length, .. })) => {
                let why = format!("it has {length} bytes; the limit is {MAX_LINE}");
                SessionProblem::BadLine { path: path(), line, why }
            }
            (true, _) => SessionProblem::BadLine { path: path(), line, why },
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

    fn finish(mut self) -> LoadedJournal {
        let path = self.path.to_path_buf();
        if self.more > 0 {
            self.problems.push(SessionProblem::MoreLines { path: path.clone(), count: self.more });
        }
        if let Some(kind) = self.first_unknown {
            self.problems.push(SessionProblem::UnknownKinds { path, count: self.unknown, kind });
        }
        LoadedJournal { entries: self.entries, gaps: self.gaps, problems: self.problems }
    }
}
