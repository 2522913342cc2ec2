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

/// How an interpreter finds the script that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptLookup {
    /// It loads exactly the file of that path, or nothing.
    Exact,
    /// It loads the file of that path if there is one, and else looks under other names.
    IfFile,
    /// Options or its own configuration may lead it to other code.
    Open,
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
        let is_system =
            SYSTEM_PROGRAMS.iter().any(|folder| program.starts_with(folder)) && !program.contains("/../");
        // What git runs in a folder is looked at by itself.
        let is_code = |config: &FolderConfig| !matches!(config, FolderConfig::Git | FolderConfig::Ripgrep);
        match () {
            () if self.depends_on.iter().any(is_code) => CodeSource::Unnamed,
            () if program.contains('/') && !is_system => CodeSource::File(program),
            () if is_self_contained(self, program) => CodeSource::Own,
            () => CodeSource::Unnamed,
        }
    }

    /// How the interpreter that it starts finds its script. The default is that this is open: only what the table says about
    /// the interpreter and each of its options can make it otherwise.
    #[must_use]
    pub fn script_lookup(&self) -> ScriptLookup {
        let Some((program, language)) = self.program().and_then(|it| Some((it, language(it)?))) else {
            return ScriptLookup::Open;
        };
        let (name, words, lists) = (base_name(program), self.words.get(1..).unwrap_or(&[]), code_sources());
        let options = words.get(..script_index(words, language).unwrap_or(words.len())).unwrap_or(&[]);
        let listed = lists.harmless_options.get(name);
        let mut takes_name = false;
        let all_harmless = options.iter().all(|word| match word.literal() {
            Some(_) if std::mem::take(&mut takes_name) => true,
            Some("--") => true,
            Some(text) if language == Language::Shell => {
                takes_name = takes_option_name(text);
                is_harmless_cluster(text)
            }
            Some(text) => listed.is_some_and(|listed| listed.contains(text)),
            None => false,
        });
        match () {
            () if !all_harmless => ScriptLookup::Open,
            () if lists.exact.contains(name) => ScriptLookup::Exact,
            () if lists.if_file.contains(name) => ScriptLookup::IfFile,
            () => ScriptLookup::Open,
        }
    }

    /// Whether it is a program that loads code from the paths that it is given.
    #[must_use]
    pub fn loads_named_code(&self) -> bool {
        let named =
            |program| language(program).is_some() || code_sources().loaders.contains(base_name(program));
        self.program().is_some_and(named)
    }
}

/// `-eu`, `-eo pipefail`: options of a shell that load nothing.
fn is_harmless_cluster(text: &str) -> bool {
    let letters = text.strip_prefix('-').unwrap_or_default();
    !letters.is_empty() && letters.chars().all(|c| "ceuxvnflCo".contains(c))
}

/// Whether the word after an option of a shell is the name of a setting: `-o pipefail`.
fn takes_option_name(text: &str) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.ends_with('o')
}

/// Which of its arguments is the script of an interpreter.
fn script_index(words: &[Word], language: Language) -> Option<usize> {
    let mut takes_name = false;
    words.iter().position(|word| {
        let is_name = std::mem::take(&mut takes_name);
        takes_name = language == Language::Shell && takes_option_name(&word.text);
        !is_name && !word.text.starts_with('-')
    })
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
    let file = script_index(words, language).and_then(|at| words.get(at)).and_then(Word::literal);
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
            ("bash -eo pipefail x.sh a", script(Shell, "x.sh")),
            ("/usr/../p/git status", File("/usr/../p/git")),
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
    #[test]
    fn how_a_script_is_found() {
        use ScriptLookup::{Exact, IfFile, Open};
        for (line, expected) in [
            ("bash x.sh", Exact),
            ("bash -euo pipefail x.sh -r y", Exact),
            (". ./x", Exact),
            ("python3.12 -u x.py -r y", Exact),
            ("perl x.pl", Exact),
            ("node x", IfFile),
            ("node --no-warnings x", IfFile),
            ("node -r ./x y.js", Open),
            ("node --require=./x y.js", Open),
            ("perl -Ilib x.pl", Open),
            ("perl -S x.pl", Open),
            ("ruby -r./x y.rb", Open),
            ("python3 -W ignore x.py", Open),
            ("bash --rcfile x y.sh", Open),
            ("bash -ec ./x", Exact),
            ("bash -O extglob -c ./x", Open),
            ("bash \"$x\" y.sh", Exact),
            ("bash -s x", Open),
            ("bun x.ts", Open),
            ("tsx x.ts", Open),
            ("ls", Open),
        ] {
            let analysis = crate::analyse(line);
            assert_eq!(analysis.parts.last().unwrap().script_lookup(), expected, "{line}");
        }
    }
}
