//! The words of the answer: verdicts, parts, effects, dangers.

use serde::{Deserialize, Serialize};

/// The three answers, in the order in which they win when a line has several parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every part is known and only reads.
    ReadOnly,
    /// Something in the line cannot be judged from its text (network access is also here: it writes nothing locally,
    /// and what it does elsewhere cannot be seen).
    Unknown,
    /// It is sure that something changes, and [`LinePart::why`] says what.
    Changes,
}

/// What one line would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Analysis {
    /// The strictest verdict of all parts.
    pub verdict: Verdict,
    /// Which part decided and why, as a sentence for the model; empty for a read-only line.
    pub why: String,
    /// Every simple command of the line, wherever it stands: lists, pipelines, substitutions, function bodies,
    /// `bash -c`, `find -exec`. Empty when the text could not be parsed.
    pub parts: Vec<LinePart>,
    /// False when the text was not understood as a whole: no rule that allows may match it then.
    pub parsed: bool,
}

impl Analysis {
    /// The configuration in the folder that the commands of this line would read, without repetition.
    #[must_use]
    pub fn depends_on(&self) -> Vec<FolderConfig> {
        let mut all: Vec<FolderConfig> =
            self.parts.iter().flat_map(|p| p.depends_on.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Every file that some part writes.
    pub fn writes(&self) -> impl Iterator<Item = &PathTarget> {
        self.parts.iter().flat_map(LinePart::writes)
    }

    /// Every file that some part names for reading.
    pub fn reads(&self) -> impl Iterator<Item = &PathTarget> {
        self.parts.iter().flat_map(LinePart::reads)
    }
}

/// One simple command of the line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinePart {
    /// The command as written, words joined by one space, with its assignments and wrappers, without redirections.
    pub text: String,
    /// The words after assignments and wrappers; the first is the program.
    pub words: Vec<Word>,
    /// Words of a command that does more than read which may be paths, although what it does with them is not known.
    pub mentions: Vec<String>,
    /// Patterns for names of files among these words, which the shell replaces by what they match.
    pub mentioned_patterns: Vec<String>,
    /// `NAME=value` before the command.
    pub assignments: Vec<Assignment>,
    /// What its redirections open, in order.
    pub redirects: Vec<Redirect>,
    /// `env`, `timeout`, `xargs`… that were looked through, outermost first.
    pub wrappers: Vec<Wrapper>,
    /// Where the shell runs the command: exactly where bash would, or [`WorkingFolder::Elsewhere`]. All paths in its
    /// effects are relative to this folder.
    pub folder: WorkingFolder,
    /// Where the program looks for configuration: the folder after options such as `git -C` and `env -C`.
    pub config_folder: WorkingFolder,
    /// Everything that it is known to do.
    pub effects: Vec<ShellEffect>,
    /// The given options that write, run a program, use the network or read elsewhere, and those of a reading command that
    /// its table does not list (or words that could be such options). An allow rule covers the part only if its own text
    /// names each of them. In the table's spelling, or as written where the table has none.
    pub special_options: Vec<String>,
    /// What must be asked about whatever the mode.
    pub dangers: Vec<Danger>,
    /// Configuration in [`LinePart::config_folder`] that this command reads.
    pub depends_on: Vec<FolderConfig>,
    /// The verdict with everything that its redirections do.
    pub verdict: Verdict,
    /// The verdict without the files that redirections open for writing: those are edits, and judged as such.
    pub command_verdict: Verdict,
    /// Why it is not read-only.
    pub why: Option<String>,
    /// Every text that a deny or ask rule is matched against: as written, unquoted, and with assignments and each
    /// wrapper peeled off.
    pub deny_forms: Vec<String>,
    /// Every text that an allow rule may match: as written, and peeled as far as assignments and wrappers are
    /// harmless themselves.
    pub allow_forms: Vec<String>,
}

impl LinePart {
    /// The files that it writes.
    pub fn writes(&self) -> impl Iterator<Item = &PathTarget> {
        self.effects
            .iter()
            .filter_map(|e| if let ShellEffect::Write { path } = e { Some(path) } else { None })
    }

    /// The files that it names for reading.
    pub fn reads(&self) -> impl Iterator<Item = &PathTarget> {
        self.effects.iter().filter_map(|e| if let ShellEffect::Read { path } = e { Some(path) } else { None })
    }

    /// The files that it names without reading what is in them.
    pub fn looks(&self) -> impl Iterator<Item = &PathTarget> {
        self.effects.iter().filter_map(|e| if let ShellEffect::Look { path } = e { Some(path) } else { None })
    }

    /// The names of the variables that it exports, and of some more where a value has blanks.
    #[must_use]
    pub fn exported(&self) -> Vec<&str> {
        let exports = self.program() == Some("export");
        let words =
            self.text.split_whitespace().filter(|_| exports).skip_while(|word| *word != "export").skip(1);
        words
            .filter(|word| !word.starts_with('-'))
            .map(|word| word.split('=').next().unwrap_or(word))
            .collect()
    }

    /// Whether it runs what comes in through its input, which no rule speaks for.
    #[must_use]
    pub fn runs_input(&self) -> bool {
        self.special_options.iter().any(|option| option == crate::judge::special::INPUT)
    }

    /// The program's name, where it is known.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        match &self.words.first()?.value {
            WordValue::Literal(name) => Some(name),
            WordValue::One { .. } | WordValue::Many { .. } => None,
        }
    }
}

/// A word as it stands in the line, and what it can become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Word {
    /// As written, with its quotes.
    pub text: String,
    /// What the shell would make of it.
    pub value: WordValue,
}

/// What a word can expand to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WordValue {
    /// Exactly this text. A home folder stays `~/…`; a file that is really called `~` is `./~`.
    Literal(String),
    /// One word that begins so; `plain` says that it cannot begin with a dash.
    One {
        /// How it begins; empty where nothing is known.
        prefix: String,
        /// It cannot begin with a dash.
        plain: bool,
        /// What follows the prefix cannot lead out of it: no `..`, and no root if nothing stands before it.
        contained: bool,
    },
    /// Any number of words, each beginning so (a pattern, an unquoted variable).
    Many {
        /// How each begins; empty where nothing is known.
        prefix: String,
        /// None can begin with a dash.
        plain: bool,
        /// What follows the prefix cannot lead out of it: no `..`, and no root if nothing stands before it.
        contained: bool,
    },
}

/// `NAME=value` before a command or alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assignment {
    /// The variable's name.
    pub name: String,
    /// The whole assignment as written.
    pub text: String,
    /// Known not to change how commands run.
    pub harmless: bool,
}

/// A redirection of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Redirect {
    /// As written, operator and word.
    pub text: String,
    /// What it opens; nothing for what harms nobody, such as `2>&1`.
    pub effect: Option<ShellEffect>,
}

/// A command that runs the command after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wrapper {
    /// The program's name.
    pub name: String,
    /// An allow rule for the inner command also holds for the wrapped one.
    pub harmless: bool,
    /// As whom the inner command runs, if not as the person.
    pub runs_as: Option<RunsAs>,
}

/// Another user, as whom a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunsAs {
    /// The one who may do everything.
    Root,
    /// Somebody else, or somebody whom the text does not tell.
    Other,
}

/// The folder in which a part runs, relative to where the line starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkingFolder {
    /// Where the line starts.
    Start,
    /// After `cd` with known texts, joined in order.
    Moved(String),
    /// One of these, which are of the two kinds above: after a `cd` that can fail (`cd a; ls`).
    OneOf(Vec<WorkingFolder>),
    /// After a `cd` to somewhere that the text does not tell.
    Elsewhere,
}

impl WorkingFolder {
    /// Every folder that it can be; none if the text does not tell.
    #[must_use]
    pub fn possible(&self) -> &[WorkingFolder] {
        match self {
            WorkingFolder::Start | WorkingFolder::Moved(_) => std::slice::from_ref(self),
            WorkingFolder::OneOf(folders) => folders,
            WorkingFolder::Elsewhere => &[],
        }
    }
}

/// A file that is named, as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PathTarget {
    /// Relative to the part's [`WorkingFolder`].
    Path(String),
    /// Paths that begin so (a pattern). None leads out by `..`, but one of them may be a link.
    Begins(String),
    /// This folder and everything below it, or this file. Links below it are not followed.
    Below(String),
    /// This file, or this folder with all that may be in it: removed, moved or replaced as a whole.
    Tree(String),
    /// Files of which git has versions, in the repository that this folder is in.
    Tracked(String),
    /// Some path that the text does not tell.
    Somewhere,
}

/// One thing that a part does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellEffect {
    /// Reads a file.
    Read {
        /// Which one.
        path: PathTarget,
    },
    /// Tells whether a file is there, its name, size or times, but nothing that is in it.
    Look {
        /// Which one.
        path: PathTarget,
    },
    /// Makes, changes or removes a file.
    Write {
        /// Which one.
        path: PathTarget,
    },
    /// Starts a program that the tables do not know, or that runs what it is given.
    Run {
        /// Its name as written.
        program: String,
    },
    /// Talks to other machines.
    Network,
    /// Changes something on another machine.
    Send,
    /// Signals or changes processes.
    Process,
    /// Shows processes, sockets or services of the machine, which a fence hides.
    Machine,
    /// Something that the text does not tell.
    Unknown {
        /// What is not known, as a sentence.
        why: String,
    },
}

/// Configuration that a command takes from the folder it runs in: a stranger's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderConfig {
    /// A repository's `.git/config` and attributes.
    Git,
    /// `Cargo.toml` and `.cargo`.
    Cargo,
    /// `package.json` and `.npmrc`.
    Npm,
    /// `go.mod` and the environment that go keeps.
    Go,
    /// What Python imports or reads from the folder.
    Python,
    /// A makefile.
    Make,
    /// A compose file or a Dockerfile.
    Docker,
    /// The file that `RIPGREP_CONFIG_PATH` names, if that is relative.
    Ripgrep,
}

/// What should be asked about in every mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Danger {
    /// Removes or overwrites `/`, a top-level folder, the home folder, the working folder or its parents, or
    /// whatever `"$VAR"/*` turns out to be.
    Root {
        /// What would be removed, as written.
        path: String,
    },
    /// Throws away work that git cannot give back.
    IrreversibleGit {
        /// The command that does it.
        what: String,
    },
    /// Writes to a block device or makes a file system.
    Device {
        /// The device, as written.
        path: String,
    },
}
