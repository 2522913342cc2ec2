//! What sessions there are, in a line each.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::SystemTime;

use forelook_protocol::{AbsPath, Body, Entry, Header, SessionId, UserBlock};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::lines::{self, Line};
use crate::load;
use crate::store::{Found, journals_in};
use crate::{Problem, SessionError, Store};

/// How long a title may be, in characters.
const TITLE: usize = 80;

/// What a person sees of a session in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The session.
    pub id: SessionId,
    /// The folder it works in.
    pub folder: AbsPath,
    /// The beginning of the first prompt, on one line; empty if there was none.
    pub title: String,
    /// When it began.
    pub started: Timestamp,
    /// When its file was written to last.
    pub last_written: Timestamp,
    /// How many prompts reached the main agent.
    pub prompts: usize,
    /// The session whose history it began with.
    pub forked_from: Option<SessionId>,
}

/// A list of sessions.
#[derive(Debug, Default)]
pub struct Listing {
    /// The last written first.
    pub sessions: Vec<Summary>,
    /// Files that could not be listed.
    pub problems: Vec<Problem>,
}

impl Store {
    /// The sessions of this folder, or all of them. A file that cannot be read is a problem in the list;
    /// only a list that cannot be made at all is an error.
    pub fn list(&self, folder: Option<&AbsPath>) -> Result<Listing, SessionError> {
        let folders = match folder {
            Some(folder) => vec![self.project_folder(folder).as_path().to_path_buf()],
            None => self.project_folders()?,
        };
        let mut listing = Listing::default();
        for folder in folders {
            match journals_in(&folder) {
                Ok(found) => found.iter().for_each(|found| listing.add(&found.path, summary(found))),
                Err(error) => listing.add(&folder, Err(error)),
            }
        }
        listing.sessions.sort_by_key(|one| std::cmp::Reverse((one.last_written, one.id)));
        Ok(listing)
    }
}

impl Listing {
    fn add(&mut self, path: &Path, summary: Result<Summary, SessionError>) {
        match summary {
            Ok(summary) => self.sessions.push(summary),
            Err(error) => {
                self.problems.push(Problem::LeftOut { path: path.to_path_buf(), why: error.to_string() });
            }
        }
    }
}

/// Reads a journal as far as a list needs it: the lines are gone through, only prompts are looked into.
/// It is streamed, since a list may go over gigabytes.
fn summary(found: &Found) -> Result<Summary, SessionError> {
    let path = &found.path;
    let unreadable = |source| SessionError::Unreadable { path: path.clone(), source };
    let mut lines = BufReader::with_capacity(256 * 1024, File::open(path).map_err(unreadable)?);
    let mut line = Vec::new();
    lines.read_until(b'\n', &mut line).map_err(unreadable)?;
    let first = Line { bytes: line.strip_suffix(b"\n").unwrap_or(&line), ended: true };
    let (entry, header) = load::header(path, first)?;
    let mut summary = begin(found, &entry, header);
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(unreadable)? == 0 {
            return Ok(summary);
        }
        if is_prompt(&line) {
            summary.prompts += 1;
            if summary.title.is_empty() {
                summary.title = lines::parse(&line).map(|entry| title(&entry)).unwrap_or_default();
            }
        }
    }
}

fn begin(found: &Found, entry: &Entry, header: Header) -> Summary {
    Summary {
        id: found.id,
        folder: header.folder,
        title: String::new(),
        started: entry.time,
        last_written: timestamp(found.written),
        prompts: 0,
        forked_from: header.forked_from,
    }
}

fn timestamp(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Whether a line is a prompt to the main agent; its data is skipped, not read.
fn is_prompt(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Sketch<'a> {
        #[serde(default)]
        agent: Option<IgnoredAny>,
        #[serde(borrow)]
        kind: Cow<'a, str>,
    }
    serde_json::from_slice(line).is_ok_and(|line: Sketch<'_>| line.agent.is_none() && line.kind == "prompt")
}

/// The words of a prompt on one line. Control characters go: a list is printed to terminals.
fn title(entry: &Entry) -> String {
    let Body::Prompt(taken) = &entry.body else { return String::new() };
    let words = taken.content.iter().filter_map(|block| match block {
        UserBlock::Text { text } => Some(text.as_str()),
        UserBlock::Image { .. } | UserBlock::ToolResult(_) => None,
    });
    let mut title = String::new();
    let mut length = 0;
    for word in
        words.flat_map(|text| text.split(|letter: char| letter.is_whitespace() || letter.is_control()))
    {
        if word.is_empty() {
            continue;
        }
        if !title.is_empty() {
            title.push(' ');
            length += 1;
        }
        title.push_str(word);
        length += word.chars().count();
        if length > TITLE {
            let kept: String = title.chars().take(TITLE - 1).collect();
            return format!("{}…", kept.trim_end());
        }
    }
    title
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, expected: &str) {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let content =
            json!([{"type": "image", "media_type": "image/png", "data": ""}, {"type": "text", "text": text}]);
        let line = json!({"id": id, "parent": null, "time": "2026-01-02T03:04:05Z", "kind": "prompt", "data": {"content": content, "origin": {"type": "person"}}});
        let line = line.to_string();
        assert!(is_prompt(line.as_bytes()));
        assert_eq!(title(&lines::parse(line.as_bytes()).unwrap()), expected);
    }

    #[test]
    fn a_title_is_one_line_of_eighty_characters() {
        check("", "");
        check("  Fix\n\tthe   test ", "Fix the test");
        check("red \x1b[31malert\x07", "red [31malert");
        check(&"ä".repeat(80), &"ä".repeat(80));
        check(&"ä".repeat(81), &format!("{}…", "ä".repeat(79)));
        check(&"word ".repeat(40), &format!("{}word…", "word ".repeat(15)));
    }
}
