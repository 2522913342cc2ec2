//! Agents of the person and of the project, one Markdown file each.
//!
//! A project's agents are a stranger's words: they count only when the person trusts its folder, and a link that leads out
//! of the project is not followed, or a cloned project could have the person's keys read to a model.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use forelook_disk::{Owners, ProjectFiles, ReadError};
use forelook_protocol::{AbsPath, Notice, NoticeLevel};

use super::definition::{AgentDefinition, RawDefinition, unknown_fields};
use super::front_matter::{self, Field, ParseError, Value};
use super::json::split_names;
use super::merge_agents;

/// A longer file is no description of an agent.
const MAX_FILE: u64 = 256 * 1024;
/// Files that are read in one folder.
const MAX_FILES: usize = 200;
/// Names that are looked at in one folder.
const MAX_NAMES: usize = 10_000;
/// Names that are told when they wait for trust.
const MAX_NAMED: usize = 5;

/// A project's agents: where its folder is, how its files are read, and whether the person trusts it.
#[derive(Debug, Clone, Copy)]
pub struct ProjectAgents<'a> {
    /// The project's folder.
    pub project: &'a AbsPath,
    /// Its files.
    pub files: &'a ProjectFiles,
    /// Whether they count.
    pub trusted: bool,
}

/// The agents of the person (`home` is the folder of the program) and of the project, which win. What was left out, and what
/// waits until the folder is trusted, is told.
pub fn load(home: Option<&AbsPath>, theirs: ProjectAgents<'_>) -> (Vec<AgentDefinition>, Vec<Notice>) {
    let mut notices = Vec::new();
    let ProjectAgents { project, files, trusted } = theirs;
    let own = home.map(|home| home.join("agents"));
    // Started in the folder above the program's own, the person's agents would be a project's.
    let theirs = [".claude/agents", ".forelook/agents"]
        .map(|name| project.join(name))
        .into_iter()
        .filter(|folder| Some(folder) != own.as_ref());
    let mut layers = Vec::new();
    if let Some(own) = &own {
        // The person's own may lie behind links of theirs.
        let files = ProjectFiles::new(own, Owners::Anyone).anywhere();
        layers.push(AgentFolder { path: own, files: &files }.read(&mut notices));
    }
    let theirs: Vec<AbsPath> = theirs.collect();
    let folders = theirs.iter().map(|path| AgentFolder { path, files });
    if trusted {
        layers.extend(folders.map(|folder| folder.read(&mut notices)));
    } else {
        notices.extend(untrusted_notice(folders));
    }
    (merge_agents(layers), notices)
}

/// A folder of agents.
struct AgentFolder<'a> {
    path: &'a AbsPath,
    files: &'a ProjectFiles,
}

impl AgentFolder<'_> {
    fn read(&self, notices: &mut Vec<Notice>) -> Vec<AgentDefinition> {
        let mut agents: Vec<AgentDefinition> = Vec::new();
        for path in self.files(notices) {
            let read = self.contents(&path).and_then(|text| agent(&text).map_err(LoadError::Line));
            match read {
                Ok((agent, _)) if agents.iter().any(|known| known.name == agent.name) => {
                    notices.push(warning(format!(
                        "Agent file `{path}` was skipped: another file in the same folder uses the name `{}`",
                        agent.name
                    )))
                }
                Ok((agent, unknown)) => {
                    notices.extend(
                        unknown.map(|(line, what)| warning(format!("Agent file `{path}:{line}`: {what}"))),
                    );
                    agents.push(agent);
                }
                Err(LoadError::Line(ParseError { line, what })) => {
                    notices.push(warning(format!("Agent file `{path}:{line}` was skipped: {what}")));
                }
                Err(LoadError::File(what)) => {
                    notices.push(warning(format!("Agent file `{path}` was skipped: {what}")));
                }
            }
        }
        agents
    }

    /// The Markdown files, by name.
    fn files(&self, notices: &mut Vec<Notice>) -> Vec<AbsPath> {
        let mut names = match self.names() {
            Ok(names) => names,
            Err(error) => {
                notices.push(warning(format!("The agent folder `{}` was skipped: {error}", self.path)));
                return Vec::new();
            }
        };
        if names.len() > MAX_FILES {
            notices.push(warning(format!(
                "`{}` has {} agent files; only the first {MAX_FILES} by name are used\n\
                 Remove the ones you do not use",
                self.path,
                names.len()
            )));
            names.truncate(MAX_FILES);
        }
        names.into_iter().map(|name| self.path.join(name)).collect()
    }

    fn contents(&self, path: &AbsPath) -> Result<String, LoadError> {
        self.files.text(path, MAX_FILE).map_err(|error| LoadError::File(error.to_string()))
    }

    /// The names of the Markdown files, sorted; none if there is no folder.
    fn names(&self) -> Result<Vec<OsString>, ReadError> {
        match self.files.check_folder(self.path) {
            // A folder that is not there has no agents, which is nothing to tell.
            Err(ReadError::Missing) => return Ok(Vec::new()),
            checked => checked?,
        }
        let entries = fs::read_dir(self.path)?;
        let mut names: Vec<OsString> = entries
            .take(MAX_NAMES)
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<io::Result<_>>()?;
        names.retain(|name| Path::new(name).extension().is_some_and(|ending| ending == "md"));
        names.sort_unstable();
        Ok(names)
    }
}

/// Why a file does not count.
enum LoadError {
    Line(ParseError),
    File(String),
}

/// What of an untrusted project is not used, by the names of its files alone.
fn untrusted_notice<'a>(folders: impl Iterator<Item = AgentFolder<'a>>) -> Option<Notice> {
    let all = folders.flat_map(|folder| folder.names().unwrap_or_default());
    let mut stems: Vec<String> = all
        .filter_map(|name| Some(Path::new(&name).file_stem()?.to_string_lossy().escape_debug().to_string()))
        .collect();
    stems.sort_unstable();
    stems.dedup();
    let named: Vec<String> = stems.iter().take(MAX_NAMED).map(|stem| format!("`{stem}`")).collect();
    let text = match (stems.len(), stems.len().saturating_sub(MAX_NAMED)) {
        (0, _) => return None,
        (1, _) => {
            format!("Until you trust this folder, Forelook ignores this project's agent {}", named.join(""))
        }
        (count, 0) => {
            format!(
                "Until you trust this folder, Forelook ignores this project's {count} agents: {}",
                named.join(", ")
            )
        }
        (count, more) => format!(
            "Until you trust this folder, Forelook ignores this project's {count} agents: {} and {more} more",
            named.join(", ")
        ),
    };
    Some(Notice { level: NoticeLevel::Info, text })
}

fn warning(text: String) -> Notice {
    Notice { level: NoticeLevel::Warning, text }
}

/// Reads the text of an agent file. The second is what is told of fields that are not known, with the line of the first.
fn agent(text: &str) -> Result<(AgentDefinition, Option<(usize, String)>), ParseError> {
    let matter = front_matter::parse(text)?;
    let mut raw = RawDefinition { prompt: matter.body, ..RawDefinition::default() };
    let mut unknown: Vec<&Field> = Vec::new();
    for field in &matter.fields {
        match field.key.as_str() {
            "name" => raw.name = text_value(field)?,
            "description" => raw.description = text_value(field)?,
            "tools" => raw.tools = Some(name_list(field)?),
            "disallowedTools" => raw.disallowed_tools = name_list(field)?,
            "model" => raw.model = Some(text_value(field)?),
            "permissionMode" => raw.mode = Some(text_value(field)?),
            _ => unknown.push(field),
        }
    }
    let agent = raw.check().map_err(|mistake| {
        let field = matter.fields.iter().find(|field| field.key == mistake.field);
        match (field, mistake.field) {
            (Some(field), _) => ParseError { line: field.line, what: mistake.what },
            (None, "prompt") => ParseError {
                line: matter.body_line,
                what: "there is no text below the fields; the agent's prompt goes there".to_owned(),
            },
            (None, _) => ParseError { line: 1, what: mistake.what },
        }
    })?;
    let names: Vec<&str> = unknown.iter().map(|field| field.key.as_str()).collect();
    Ok((agent, unknown.first().map(|first| (first.line, unknown_fields(&names)))))
}

fn text_value(field: &Field) -> Result<String, ParseError> {
    match &field.value {
        Value::Text(text) if !text.is_empty() => Ok(text.clone()),
        Value::Text(_) | Value::Empty => invalid(field, "is empty: set a value, or leave it out"),
        Value::List(_) | Value::Other => invalid(field, "must be text"),
    }
}

/// Names as a list, or with commas between them.
fn name_list(field: &Field) -> Result<Vec<String>, ParseError> {
    match &field.value {
        Value::List(names) => Ok(names.clone()),
        Value::Text(names) if !names.is_empty() => Ok(split_names(names)),
        Value::Text(_) | Value::Empty => invalid(field, "is empty: leave it out, or write `[]` for no tools"),
        Value::Other => invalid(field, "must be a list of names"),
    }
}

fn invalid<T>(field: &Field, what: &str) -> Result<T, ParseError> {
    Err(ParseError { line: field.line, what: format!("`{}` {what}", field.key) })
}

#[cfg(test)]
mod tests;
