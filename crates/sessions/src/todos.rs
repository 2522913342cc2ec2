//! Todo lists, one file for each agent of a session.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use forelook_disk::Permissions;
use forelook_protocol::{AbsPath, AgentId, SessionId, Todo, to_hex};
use sha2::{Digest as _, Sha256};

use crate::{SessionError, SessionProblem, SessionStore};

/// The maximum length of the agent's part of a file name: with the session ID it must fit into 255 bytes.
const MAX_NAME: usize = 180;

impl SessionStore {
    /// Writes the complete list.
    pub fn write_todos(
        &self,
        session: SessionId,
        agent: &AgentId,
        todos: &[Todo],
    ) -> Result<(), SessionError> {
        forelook_disk::make_private(self.todos_folder())?;
        let text = serde_json::to_vec_pretty(todos)?;
        Ok(forelook_disk::replace(self.todos_path(session, agent), &text, Permissions::Private)?)
    }

    /// Reads the list. A file that is not a list counts as empty and is reported.
    pub fn read_todos(&self, session: SessionId, agent: &AgentId) -> (Vec<Todo>, Option<SessionProblem>) {
        let path = self.todos_path(session, agent);
        match read_file(path.as_path()) {
            Ok(todos) => (todos, None),
            Err(problem) => (Vec::new(), Some(problem)),
        }
    }

    /// Copies the lists of an old session to a new one; the old main agent's list goes to the new main agent.
    pub(crate) fn copy_todos(
        &self,
        from: SessionId,
        to: SessionId,
    ) -> Result<Vec<SessionProblem>, SessionError> {
        let mut problems = Vec::new();
        for (path, agent) in self.agents_of(from)? {
            let agent = if agent == encode(&from.to_string()) { encode(&to.to_string()) } else { agent };
            match read_file(&path) {
                Ok(todos) => {
                    let text = serde_json::to_vec_pretty(&todos)?;
                    let path = self.todos_folder().join(file_name(to, &agent));
                    forelook_disk::replace(path, &text, Permissions::Private)?;
                }
                Err(problem) => problems.push(problem),
            }
        }
        Ok(problems)
    }

    /// The todo files of a session, each with the agent's part of its name. That part is used as is, never decoded: a
    /// file name is trusted only as a name.
    fn agents_of(&self, session: SessionId) -> Result<Vec<(PathBuf, String)>, SessionError> {
        let folder = self.todos_folder();
        let unreadable = |source| SessionError::Unreadable { path: folder.as_path().to_path_buf(), source };
        let names = match std::fs::read_dir(folder.as_path()) {
            Ok(names) => names,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let prefix = format!("{session}-agent-");
        let mut found = Vec::new();
        for name in names {
            let name = name.map_err(unreadable)?;
            let file = name.file_name();
            let agent = file.to_str().and_then(|text| text.strip_prefix(&prefix)?.strip_suffix(".json"));
            if let Some(agent) =
                agent.filter(|agent| agent.bytes().all(|byte| is_plain(byte) || byte == b'%'))
            {
                found.push((name.path(), agent.to_owned()));
            }
        }
        Ok(found)
    }

    fn todos_folder(&self) -> AbsPath {
        self.home.join("todos")
    }

    fn todos_path(&self, session: SessionId, agent: &AgentId) -> AbsPath {
        self.todos_folder().join(file_name(session, &encode(&agent.0)))
    }
}

fn file_name(session: SessionId, encoded: &str) -> String {
    format!("{session}-agent-{encoded}.json")
}

fn read_file(path: &Path) -> Result<Vec<Todo>, SessionProblem> {
    let problem = |why: String| SessionProblem::BadTodos { path: path.to_path_buf(), why };
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| problem(error.to_string())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(problem(error.to_string())),
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// Encodes an agent ID for a file name, different for every ID. Other bytes become `%` and two hex digits. An encoding
/// that is too long becomes its start, `%-` (which no other encoding has), and a hash.
fn encode(agent: &str) -> String {
    let mut name = String::new();
    for byte in agent.bytes() {
        match byte {
            byte if is_plain(byte) => name.push(byte as char),
            byte => name.push_str(&format!("%{byte:02x}")),
        }
    }
    if name.len() > MAX_NAME {
        name.truncate(MAX_NAME / 2);
        name.push_str("%-");
        name.push_str(&to_hex(&Sha256::digest(agent)));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_a_name_of_its_own() {
        let long = "x".repeat(1000);
        let ids =
            ["", "a", "A", "a/b", "a%2fb", "../../etc/passwd", ".", "a b", "a\nb", "a\0b", "ä", "a_b", &long];
        let mut names: Vec<String> = ids.iter().map(|id| encode(id)).collect();
        names.push(encode(&format!("{long}y")));
        names.push(encode(&encode(&long)));
        for name in &names {
            assert!(
                name.bytes().all(|byte| is_plain(byte) || byte == b'%') && name.len() <= MAX_NAME,
                "{name}"
            );
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(encode("01890a5d-ac96"), "01890a5d-ac96");
        assert_eq!(encode("a/b"), "a%2fb");
    }
}
