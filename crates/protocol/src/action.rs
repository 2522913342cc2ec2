//! What a tool would do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AbsPath;

/// What a call would do, as its tool states it: paths resolved, nothing done yet.
/// The decision sees this and never the tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Action {
    /// Looks at a file or a folder.
    Read {
        /// Which.
        file: FileRef,
    },
    /// Makes or changes a file.
    Edit {
        /// Which.
        file: FileRef,
    },
    /// Runs a line of a shell.
    Shell {
        /// Which shell.
        shell: Shell,
        /// The line as the model wrote it.
        command: String,
        /// Where it runs.
        folder: AbsPath,
    },
    /// Tries edits and a line of bash on a layer over the working folders, which is thrown away.
    Rehearse {
        /// Files that are edited first, in the layer.
        edits: Vec<FileRef>,
        /// The line, if there is one.
        command: Option<String>,
        /// Where it runs.
        folder: AbsPath,
    },
    /// Fetches a page.
    Fetch {
        /// The host.
        host: String,
    },
    /// Calls a foreign tool.
    Mcp {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What is known of it.
        hint: McpHint,
    },
    /// Starts a subagent.
    Agent {
        /// Which.
        kind: String,
        /// Whether it can only read, whatever its parent may.
        read_only: bool,
    },
    /// Uses a skill: its text, not its grants.
    Skill {
        /// Which.
        name: String,
    },
    /// Asks the person something.
    AskPerson,
    /// Begins to plan.
    EnterPlan,
    /// Asks for the approval of the plan.
    ExitPlan,
    /// Touches nothing outside the session (the todo list, the search for tools).
    Internal,
}

/// A file: as it was named, and where that leads when every link is followed.
///
/// Both count: an allow must cover the two, a deny holds for either.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct FileRef {
    /// As named, made absolute, links left alone.
    pub named: AbsPath,
    /// Where it leads.
    pub real: AbsPath,
}

impl FileRef {
    /// A file that is no link.
    pub fn plain(path: AbsPath) -> Self {
        Self { named: path.clone(), real: path }
    }

    /// Both paths, or the one if they are the same.
    pub fn both(&self) -> impl Iterator<Item = &AbsPath> {
        std::iter::once(&self.named).chain((self.real != self.named).then_some(&self.real))
    }
}

/// The shells that there are rules for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shell {
    /// bash, which is analysed.
    Bash,
    /// PowerShell, which is not yet.
    PowerShell,
}

/// What is known of a foreign tool: the server's own word (where it is trusted for that), or the person's mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpHint {
    /// It only reads.
    ReadOnly,
    /// It destroys.
    Destructive,
    /// Nobody can tell.
    Unknown,
}
