//! What a tool call would do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AbsPath, Confinement};

/// What a call would do, as stated by its tool: paths are resolved, and nothing has run yet. The permission decision is
/// based on this alone, never on the tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Action {
    /// Reads a file or directory.
    Read {
        /// The file or directory.
        file: FileRef,
    },
    /// Creates or changes a file.
    Edit {
        /// The file.
        file: FileRef,
    },
    /// Runs a shell command.
    Shell {
        /// The shell.
        shell: Shell,
        /// The command, as the model wrote it.
        command: String,
        /// The working directory.
        folder: AbsPath,
    },
    /// Tries out edits and a bash command in an overlay on the working directories, which is then discarded.
    Rehearse {
        /// The files to edit first, in the layer.
        edits: Vec<FileRef>,
        /// The command, if there is one.
        command: Option<String>,
        /// The working directory.
        folder: AbsPath,
    },
    /// Fetches a web page.
    Fetch {
        /// The host.
        host: String,
    },
    /// Calls a tool of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What is known about the tool.
        hint: McpHint,
    },
    /// Starts a subagent.
    Agent {
        /// The kind of subagent.
        kind: String,
        /// Whether it is read-only, regardless of what its parent may do.
        read_only: bool,
    },
    /// Uses the text of a skill; this does not grant what the skill asks for.
    Skill {
        /// The skill.
        name: String,
    },
    /// Ends a background shell of its own.
    EndShell {
        /// The shell, such as `shell_1`.
        shell: String,
        /// How the kernel has confined it since it started.
        sandbox: Confinement,
    },
    /// Asks the user a question.
    AskPerson,
    /// Enters plan mode.
    EnterPlan,
    /// Asks the user to approve the plan.
    ExitPlan,
    /// Touches nothing outside the session (the todo list, tool search).
    Internal,
}

/// A file: the path as given, and the path after resolving all links.
///
/// Both paths count: an allow rule must cover both, and a deny rule applies if it matches either.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct FileRef {
    /// The path as given, made absolute; links are not resolved.
    pub named: AbsPath,
    /// The path with all links resolved.
    pub real: AbsPath,
}

impl FileRef {
    /// A file that is not a link.
    pub fn plain(path: AbsPath) -> Self {
        Self { named: path.clone(), real: path }
    }

    /// Both paths, or just one if they are the same.
    pub fn paths(&self) -> impl Iterator<Item = &AbsPath> {
        std::iter::once(&self.named).chain((self.real != self.named).then_some(&self.real))
    }
}

/// The shells that rules can apply to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shell {
    /// Bash; its commands are analyzed.
    Bash,
    /// PowerShell; its commands are not analyzed yet.
    PowerShell,
}

/// What is known about an MCP tool: from the server, if the user trusts it for that, or from the user's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpHint {
    /// It only reads.
    ReadOnly,
    /// It is destructive.
    Destructive,
    /// Unknown.
    Unknown,
}
