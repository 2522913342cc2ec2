//! Where the code comes from that a part of a line runs: the one answer for all who must see code before it runs.

use crate::table::code_sources;
use crate::types::{FolderConfig, LinePart, ShellEffect, Verdict, Word};

/// Where the code comes from that a part runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeSource<'a> {
    /// It brings its own, and takes none from the folder that it works in.
    Own,
    /// It is this file, which the system did not install.
    File(&'a str),
    /// This file, which an interpreter is given.
    Script {
        /// What the interpreter reads.
        language: Language,
        /// The file, as written.
        file: &'a str,
    },
    /// A text that an interpreter is given. The commands of a shell's text are parts of the line, too.
    Text(Language),
    /// The input of an interpreter, or a file that only a variable tells.
    Input(Language),
    /// Files that nothing here names: configuration, plugins, modules, tasks, or whatever an unknown program takes.
    Unnamed,
}

/// What an interpreter reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Lines for a shell, which this crate reads, too.
    Shell,
    /// Anything else.
    Other,
}

/// Where programs of the system are.
const SYSTEM_PROGRAMS: &[&str] = &["/bin/", "/sbin/", "/usr/", "/opt/"];

impl LinePart {
    /// Where the code comes from that it runs.
    #[must_use]
    pub fn code_source(&self) -> CodeSource<'_> {
        let Some(program) = self.program() else {
            return if self.words.is_empty() { CodeSource::Own } else { CodeSource::Unnamed };
        };
        if let Some(language) = language(program) {
            return given(self, language);
        }
        let is_system = SYSTEM_PROGRAMS.iter().any(|folder| program.starts_with(folder));
        // What git runs in a folder is looked at by itself.
        let is_code = |config: &FolderConfig| !matches!(config, FolderConfig::Git | FolderConfig::Ripgrep);
        match () {
            () if self.depends_on.iter().any(is_code) => CodeSource::Unnamed,
            () if program.contains('/') && !is_system => CodeSource::File(program),
            () if is_self_contained(self, program) => CodeSource::Own,
            () => CodeSource::Unnamed,
        }
    }
}

/// What a program reads, if it runs what it is given.
pub(super) fn language(program: &str) -> Option<Language> {
    let name = base_name(program);
    let lists = code_sources();
    match () {
        () if lists.shells.contains(name) => Some(Language::Shell),
        () if lists.interpreters.contains(name) => Some(Language::Other),
        () => None,
    }
}

/// Whether everything is known that it does, and it runs nothing else. A table that does not tell all says that something
/// is unknown.
fn is_self_contained(part: &LinePart, program: &str) -> bool {
    let runs = |effect: &ShellEffect| matches!(effect, ShellEffect::Run { .. } | ShellEffect::Unknown { .. });
    match part.command_verdict {
        Verdict::ReadOnly => true,
        Verdict::Changes if !part.effects.iter().any(runs) => true,
        Verdict::Changes | Verdict::Unknown => code_sources().self_contained.contains(base_name(program)),
    }
}

/// What an interpreter is given.
fn given(part: &LinePart, language: Language) -> CodeSource<'_> {
    let lists = code_sources();
    let name = part.program().map_or("", base_name);
    let words = part.words.get(1..).unwrap_or(&[]);
    let is_inline = |word: &Word| match language {
        Language::Shell => {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('c')
        }
        Language::Other => lists.inline.contains(&word.text),
    };
    let is_module = |word: &Word| language == Language::Other && lists.modules.contains(&word.text);
    let file = words.iter().find(|word| !word.text.starts_with('-')).and_then(Word::literal);
    match file {
        _ if words.iter().any(is_module) => CodeSource::Unnamed,
        _ if name == "eval" || words.iter().any(is_inline) => CodeSource::Text(language),
        file if lists.task_runners.contains(name) && !file.is_some_and(|file| file.contains(['.', '/'])) => {
            CodeSource::Unnamed
        }
        Some(file) => CodeSource::Script { language, file },
        None => CodeSource::Input(language),
    }
}

fn base_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    crate::table::unversioned(name).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_code_comes_from() {
        use CodeSource::{File, Input, Own, Script, Text, Unnamed};
        use Language::{Other, Shell};
        let script = |language, file| Script { language, file };
        for (line, expected) in [
            ("bash x.sh", script(Shell, "x.sh")),
            ("/bin/sh -e x.sh a", script(Shell, "x.sh")),
            (". ./x", script(Shell, "./x")),
            ("python3.12 -u x.py", script(Other, "x.py")),
            ("bun x.ts", script(Other, "x.ts")),
            ("tsx x.ts", script(Other, "x.ts")),
            ("bun run lint", Unnamed),
            ("deno", Unnamed),
            ("bash -ec \"$x\"", Text(Shell)),
            ("eval \"$x\"", Text(Shell)),
            ("node -e 1", Text(Other)),
            ("python3 -m x", Unnamed),
            ("sh", Input(Shell)),
            ("sh -s", Input(Shell)),
            ("bash -e \"$x\"", Input(Shell)),
            ("./tool x", File("./tool")),
            ("tools/make x", File("tools/make")),
            ("/usr/bin/make x", Unnamed),
            ("/usr/bin/frob", Unnamed),
            ("make x", Unnamed),
            ("npx x", Unnamed),
            ("ruff check", Unnamed),
            ("frob", Unnamed),
            ("\"$x\"", Unnamed),
            ("x=1", Own),
            ("ls", Own),
            ("rm x", Own),
            ("git push", Own),
            ("sed -i s/a/b/ f", Own),
            ("sed -i 's/a/b/e' f", Unnamed),
            ("awk 'BEGIN { system(\"./x\") }'", Unnamed),
            ("notify-send done", Own),
            ("trap ./x EXIT", Unnamed),
            ("set -e", Own),
            ("exit 2", Own),
        ] {
            let analysis = crate::analyse(line);
            assert_eq!(analysis.parts.last().unwrap().code_source(), expected, "{line}");
        }
    }
}
