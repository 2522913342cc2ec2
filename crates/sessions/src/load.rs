//! A journal's bytes, judged line by line.
//!
//! The lines are not copied. A line that cannot be read is reported and passed over: what comes
//! after it is as good as before, since each line stands for itself.

use std::collections::HashSet;
use std::path::Path;

use forelook_protocol::{Body, Entry, EntryId, FORMAT, Header, SessionId};
use serde::Deserialize;

use crate::lines::{Line, Lines, Parsed, parse, parse_all};
use crate::{Problem, SessionError};

/// How many bad lines are told one by one; a file that is no journal any more could have a million.
const TOLD: usize = 20;

/// Everything that a journal's bytes have to say.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) entries: Vec<Entry>,
    pub(crate) problems: Vec<Problem>,
}

/// Reads a journal. The first line must be a header of a format that we know; anything after it may be
/// as broken as it likes.
pub(crate) fn load(path: &Path, id: SessionId, bytes: &[u8]) -> Result<Loaded, SessionError> {
    let mut lines = Lines::new(bytes);
    let first = lines.next().unwrap_or_default();
    let (first, header) = header(path, first)?;
    let mut loader = Loader::new(path, first.id);
    if header.session != id {
        loader.problems.push(Problem::OtherSession { path: path.into(), session: header.session });
    }
    let mut entries = vec![first];
    for (at, parsed) in parse_all(lines.rest()).into_iter().enumerate() {
        entries.extend(loader.line(at + 2, parsed));
    }
    Ok(Loaded { entries, problems: loader.finish() })
}

/// Reads the first line.
pub(crate) fn header(path: &Path, line: Line<'_>) -> Result<(Entry, Header), SessionError> {
    // The format first, and leniently: a later one may have a header that we cannot read as ours.
    if let Ok(Sketch { data: Some(Format { format }), kind }) = serde_json::from_slice(line.bytes)
        && kind == "session"
        && format > FORMAT
    {
        return Err(SessionError::Newer { path: path.into(), format });
    }
    let no_header = |why: String| SessionError::NoHeader { path: path.into(), why };
    if line.bytes.is_empty() {
        return Err(no_header("it is empty".to_owned()));
    }
    let entry = parse(line.bytes).map_err(no_header)?;
    match &entry.body {
        Body::Session(header) => {
            let header = header.clone();
            Ok((entry, header))
        }
        body => Err(no_header(format!("it is of kind `{}`", body.kind()))),
    }
}

#[derive(Deserialize)]
struct Sketch<'a> {
    #[serde(borrow)]
    kind: std::borrow::Cow<'a, str>,
    data: Option<Format>,
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

struct Loader<'a> {
    path: &'a Path,
    seen: HashSet<EntryId>,
    problems: Vec<Problem>,
    /// Bad lines beyond those that are told.
    more: usize,
    unknown: usize,
    first_unknown: Option<String>,
}

impl<'a> Loader<'a> {
    fn new(path: &'a Path, header: EntryId) -> Self {
        let seen = HashSet::from([header]);
        Self { path, seen, problems: Vec::new(), more: 0, unknown: 0, first_unknown: None }
    }

    fn line(&mut self, line: usize, found: Parsed<'_>) -> Option<Entry> {
        match self.judge(line, found) {
            Ok(entry) => Some(entry),
            Err(problem) if self.problems.len() < TOLD => {
                self.problems.push(problem);
                None
            }
            Err(_) => {
                self.more += 1;
                None
            }
        }
    }

    fn judge(&mut self, line: usize, (found, parsed): Parsed<'_>) -> Result<Entry, Problem> {
        let path = || self.path.to_path_buf();
        let entry = parsed.map_err(|why| match found.ended {
            true => Problem::Line { path: path(), line, why },
            // It was being written. (One that is whole and only lost its newline does not come here.)
            false => Problem::Torn { path: path(), bytes: found.bytes.len() },
        })?;
        if let Body::Session(_) = entry.body {
            let why = "a session has one header, at its beginning".to_owned();
            return Err(Problem::Line { path: path(), line, why });
        }
        if !self.seen.insert(entry.id) {
            return Err(Problem::Duplicate { path: path(), line, id: entry.id });
        }
        if let Body::Unknown { kind, .. } = &entry.body {
            self.unknown += 1;
            self.first_unknown.get_or_insert_with(|| kind.clone());
        }
        Ok(entry)
    }

    fn finish(mut self) -> Vec<Problem> {
        let path = self.path.to_path_buf();
        if self.more > 0 {
            self.problems.push(Problem::MoreLines { path: path.clone(), count: self.more });
        }
        if let Some(kind) = self.first_unknown {
            self.problems.push(Problem::UnknownKinds { path, count: self.unknown, kind });
        }
        self.problems
    }
}
