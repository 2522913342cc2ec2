//! Lists sessions, one line each.

use std::borrow::Cow;
use std::path::Path;
use std::time::SystemTime;

use forelook_protocol::{AbsPath, Entry, EntryBody, SessionHeader, SessionId, UserBlock};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::lines;
use crate::load;
use crate::reading;
use crate::store::{JournalFile, journals_in};
use crate::{SessionError, SessionProblem, SessionStore};

/// The maximum length of a title, in characters.
const MAX_TITLE: usize = 80;

/// A session, as shown in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSummary {
    /// The session.
    pub id: SessionId,
    /// The working directory.
    pub folder: AbsPath,
    /// The start of the first prompt, on one line; empty if there was no prompt.
    pub title: String,
    /// When it started.
    pub started: Timestamp,
    /// When its file was last written.
    pub last_written: Timestamp,
    /// The number of prompts to the main agent.
    pub prompts: usize,
    /// The session that it was forked from.
    pub forked_from: Option<SessionId>,
}

impl SessionSummary {
    /// Whether anything was said in it. A program that was started and stopped leaves a session without a word, which nobody
    /// looks for.
    pub fn has_conversation(&self) -> bool {
        self.prompts > 0
    }
}

/// A list of sessions.
#[derive(Debug, Default)]
pub struct SessionList {
    /// The sessions, last written first.
    pub sessions: Vec<SessionSummary>,
    /// Files that could not be listed.
    pub problems: Vec<SessionProblem>,
}

impl SessionStore {
    /// Lists the sessions of this folder, or all sessions. A file that cannot be read becomes a problem in the list; it
    /// is an error only if there can be no list at all.
    pub fn list(&self, folder: Option<&AbsPath>) -> Result<SessionList, SessionError> {
        let folders = match folder {
            Some(folder) => vec![self.project_folder(folder).as_path().to_path_buf()],
            None => self.project_folders()?,
        };
        let mut listing = SessionList::default();
        for folder in folders {
            match journals_in(&folder) {
                Ok(journal) => {
                    journal.iter().for_each(|journal| listing.add(&journal.path, summary(journal)))
                }
                Err(error) => listing.add(&folder, Err(error)),
            }
        }
        listing.sessions.sort_by_key(|one| std::cmp::Reverse((one.last_written, one.id)));
        Ok(listing)
    }
}

impl SessionList {
    fn add(&mut self, path: &Path, summary: Result<SessionSummary, SessionError>) {
        match summary {
            Ok(summary) => self.sessions.push(summary),
            Err(error) => {
                self.problems
                    .push(SessionProblem::Skipped { path: path.to_path_buf(), why: error.to_string() });
            }
        }
    }
}

/// Reads only as much of a journal as a list needs: it scans all lines but parses only prompts. It streams the file,
/// because a list can cover gigabytes.
fn summary(journal: &JournalFile) -> Result<SessionSummary, SessionError> {
    let path = &journal.path;
    let mut lines = reading::buffered(path)?;
    let mut line = Vec::new();
    reading::read_line(&mut lines, &mut line).map_err(SessionError::unreadable(path))?;
    let (entry, header) = load::header(path, &line)?;
    let mut summary = begin(journal, &entry, header);
    loop {
        line.clear();
        if reading::read_line(&mut lines, &mut line).map_err(SessionError::unreadable(path))?.is_none() {
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

fn begin(journal: &JournalFile, entry: &Entry, header: SessionHeader) -> SessionSummary {
    SessionSummary {
        id: journal.id,
        folder: header.folder,
        title: String::new(),
        started: entry.time,
        last_written: timestamp(journal.modified),
        prompts: 0,
        forked_from: header.forked_from,
    }
}

fn timestamp(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Whether a line is a prompt to the main agent. Its data is skipped, not parsed.
fn is_prompt(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct EntryProbe<'a> {
        #[serde(default)]
        agent: Option<IgnoredAny>,
        #[serde(borrow)]
        kind: Cow<'a, str>,
    }
    serde_json::from_slice(line)
        .is_ok_and(|line: EntryProbe<'_>| line.agent.is_none() && line.kind == "prompt_accepted")
}

/// The text of a prompt on one line. Control characters are removed, because lists are printed to terminals.
fn title(entry: &Entry) -> String {
    let EntryBody::PromptAccepted(accepted) = &entry.body else { return String::new() };
    let words = accepted.content.iter().filter_map(|block| match block {
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
        if length > MAX_TITLE {
            let kept: String = title.chars().take(MAX_TITLE - 1).collect();
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
        let line = json!({"id": id, "parent": null, "time": "2026-01-02T03:04:05Z", "kind": "prompt_accepted", "data": {"content": content, "origin": {"type": "person"}}});
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
