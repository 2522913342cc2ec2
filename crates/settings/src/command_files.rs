//! Which files a command of a hook or a status line may run or read, as far as its text tells. Pure.
//!
//! Two readings are put together, because each finds what the other does not: the shell crate knows quotes, variables and
//! `cd`; and every word of the text, however it is meant, may be a path. A file too many costs one hash. A file too few
//! could be swapped after somebody trusted the command. Where the text does not tell, that is said.

use std::collections::BTreeSet;

use forelook_protocol::AbsPath;
use forelook_shell::{
    CodeSource, LinePart, PathTarget, ShellEffect, Verdict, Word, WordValue, WorkingFolder, analyse,
};

use crate::loaded_paths::{folder_of, loaded_paths};
use crate::part_check::{PartCheck, check};

/// What a hook's own variables are called; all of them mean the folder of the session.
const VARIABLES: [&str; 3] = ["FORELOOK_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "PWD"];

/// Where a command runs.
pub(crate) struct CommandPlace<'a> {
    /// The folder it starts in: that of the session.
    pub(crate) folder: &'a AbsPath,
    /// The person's home.
    pub(crate) home: Option<&'a AbsPath>,
}

/// What a command names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandFiles {
    /// Files that it may run or read, if they are there.
    pub(crate) named: BTreeSet<AbsPath>,
    /// Of those, the ones that it starts: one that is missing may come to be.
    pub(crate) started: BTreeSet<AbsPath>,
    /// Paths that, if they are folders, hold something that it runs.
    pub(crate) folders: BTreeSet<AbsPath>,
    /// What runs files that the text does not name.
    pub(crate) unchecked: BTreeSet<String>,
    /// Scripts, and what runs them: unchecked unless they are files.
    pub(crate) if_files: BTreeSet<(AbsPath, String)>,
    /// Files and folders that unchecked parts take code from, whether or not they are there.
    pub(crate) loaded: BTreeSet<AbsPath>,
}

/// What the command names.
pub(crate) fn command_files(command: &str, place: &CommandPlace<'_>) -> CommandFiles {
    let mut found = CommandFiles::default();
    found.add_words(command, place);
    let folder = place.folder.as_path().to_str().map(|folder| folder.replace('\'', r"'\''"));
    let known: Vec<String> =
        folder.iter().flat_map(|folder| VARIABLES.map(|name| format!("{name}='{folder}'"))).collect();
    let prefix: String = known.iter().map(|it| format!("{it}; ")).collect();
    let analysis = analyse(&(prefix + command));
    if !analysis.parsed {
        found.unchecked.insert(command.to_owned());
    }
    let entered: Vec<AbsPath> = analysis.parts.iter().filter_map(|part| entered(part, place)).collect();
    let is_ours = |part: &LinePart| part.words.is_empty() && known.contains(&part.text);
    for part in analysis.parts.iter().filter(|part| !is_ours(part)) {
        // Where wrappers (`env -C`) and its own options take it.
        let runs_in = place.folders(&part.config_folder, &entered);
        let check = check(part, &analysis.parts, place.is_start(&part.config_folder));
        for folder in &runs_in {
            found.add_check(part, check, folder, place);
        }
        for folder in runs_in.union(&place.folders(&part.folder, &entered)) {
            found.add_part(part, folder, place);
        }
    }
    if analysis.parts.iter().any(runs_unknown_word) {
        found.add_globs(command, place);
    }
    found
}

/// The folder that a part changes to.
fn entered(part: &LinePart, place: &CommandPlace<'_>) -> Option<AbsPath> {
    let is_change = matches!(part.program(), Some("cd" | "pushd"));
    match &part.words.get(1).filter(|_| is_change)?.value {
        WordValue::Literal(to) => Some(place.path(place.folder, to)),
        WordValue::One { .. } | WordValue::Many { .. } => None,
    }
}

impl CommandFiles {
    /// Every word of the text, whatever it means.
    fn add_words(&mut self, command: &str, place: &CommandPlace<'_>) {
        let text = with_variables(command, ".");
        let ends_word = |c: char| c.is_whitespace() || ";|&()<>\"'=`,{}".contains(c);
        let words = text.split(ends_word).filter(|word| !word.is_empty());
        self.named.extend(words.map(|word| place.folder.join(word)));
    }

    /// Where a loop may run each file of a folder, that is one that code is taken from.
    fn add_globs(&mut self, command: &str, place: &CommandPlace<'_>) {
        let text = with_variables(command, ".");
        let words = text.split(|c: char| c.is_whitespace() || ";|&()<>\"'=`".contains(c));
        let folders = words.filter_map(|word| folder_of(word.split_once(['*', '?', '['])?.0));
        self.loaded.extend(folders.map(|folder| place.path(place.folder, &folder)));
    }

    fn add_part(&mut self, part: &LinePart, folder: &AbsPath, place: &CommandPlace<'_>) {
        let redirected = part.redirects.iter().filter_map(|it| it.effect.as_ref());
        for effect in part.effects.iter().chain(redirected) {
            if let ShellEffect::Read { path: PathTarget::Path(path) } = effect {
                self.named.insert(place.path(folder, path));
            }
        }
        for text in part.words.iter().filter_map(Word::literal) {
            let value = text.split_once('=').map(|(_, value)| value);
            self.named.extend([Some(text), value].into_iter().flatten().map(|it| place.path(folder, it)));
        }
        if part.command_verdict != Verdict::ReadOnly {
            let arguments = part.words.iter().skip(1).filter_map(Word::literal).filter(|it| !it.is_empty());
            self.folders.extend(arguments.map(|it| place.path(folder, it)));
        }
    }

    /// What a part starts in the folder that it runs in, and what is not known of it.
    fn add_check(&mut self, part: &LinePart, check: PartCheck, folder: &AbsPath, place: &CommandPlace<'_>) {
        let scripts: Vec<AbsPath> = started(part).map(|text| place.path(folder, text)).collect();
        let mut unknown = unknown_words(part);
        if check == PartCheck::Unchecked {
            unknown.push(part.text.clone());
        }
        if check == PartCheck::IfFile {
            self.if_files.extend(scripts.iter().map(|script| (script.clone(), part.text.clone())));
        }
        if check == PartCheck::IfFile || !unknown.is_empty() {
            let text = with_variables(&part.text, &place.folder.to_string());
            let paths = loaded_paths(part, &text);
            self.loaded.extend(paths.iter().map(|path| place.path(folder, path)));
        }
        self.unchecked.extend(unknown);
        if part.command_verdict != Verdict::ReadOnly {
            self.started.extend(scripts);
        }
    }
}

/// Whether the program, or what an interpreter is given, is something that only the run tells.
fn runs_unknown_word(part: &LinePart) -> bool {
    let count = if interprets(part) { part.words.len() } else { 1 };
    part.words.iter().take(count).any(|word| word.literal().is_none())
}

/// Words that only the run tells, and that may be what runs.
fn unknown_words(part: &LinePart) -> Vec<String> {
    let is_read_only = part.command_verdict == Verdict::ReadOnly;
    let words = part.words.iter().enumerate().filter(|(_, word)| word.literal().is_none() && !is_read_only);
    let matters = |at: usize, word: &Word| at == 0 || interprets(part) || word.text.contains('/');
    words.filter(|(at, word)| matters(*at, word)).map(|(_, word)| word.text.clone()).collect()
}

/// The text with a folder in place of the variables that mean that of the session.
fn with_variables(text: &str, folder: &str) -> String {
    let mut text = text.to_owned();
    for name in VARIABLES {
        let spellings =
            [format!("\"${{{name}}}\""), format!("\"${name}\""), format!("${{{name}}}"), format!("${name}")];
        for spelled in spellings {
            text = text.replace(&spelled, folder);
        }
    }
    text
}

impl CommandPlace<'_> {
    /// The folders that this may be.
    fn folders(&self, folder: &WorkingFolder, entered: &[AbsPath]) -> BTreeSet<AbsPath> {
        match folder {
            WorkingFolder::Start => [self.folder.clone()].into(),
            WorkingFolder::Moved(to) => [self.path(self.folder, to)].into(),
            // After a `cd` that may fail it is one of these, most likely.
            WorkingFolder::OneOf(_) | WorkingFolder::Elsewhere => {
                entered.iter().chain([self.folder]).cloned().collect()
            }
        }
    }

    /// Whether this is the folder of the session.
    fn is_start(&self, folder: &WorkingFolder) -> bool {
        match folder {
            WorkingFolder::Start => true,
            WorkingFolder::Moved(to) => self.path(self.folder, to) == *self.folder,
            WorkingFolder::OneOf(_) | WorkingFolder::Elsewhere => false,
        }
    }

    fn path(&self, folder: &AbsPath, text: &str) -> AbsPath {
        match (text.strip_prefix("~/"), self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => folder.join(text),
        }
    }
}

fn interprets(part: &LinePart) -> bool {
    matches!(part.code_source(), CodeSource::Script { .. } | CodeSource::Text(_) | CodeSource::Input(_))
}

/// The file that a part starts: itself, if it has a path, or what its interpreter is given.
fn started(part: &LinePart) -> impl Iterator<Item = &str> {
    let program = part.program().filter(|program| program.contains('/'));
    let script = match part.code_source() {
        CodeSource::Script { file, .. } => Some(file),
        _ => None,
    };
    program.into_iter().chain(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(command: &str) -> CommandFiles {
        let (folder, home) = (AbsPath::new("/p").unwrap(), AbsPath::new("/h").unwrap());
        command_files(command, &CommandPlace { folder: &folder, home: Some(&home) })
    }

    #[test]
    fn a_script_is_found_however_it_is_started() {
        for (command, path) in [
            ("tools/check.sh", "/p/tools/check.sh"),
            ("./tools/check.sh --all", "/p/tools/check.sh"),
            ("bash tools/check.sh", "/p/tools/check.sh"),
            ("sh -c 'tools/check.sh; true'", "/p/tools/check.sh"),
            ("\"$FORELOOK_PROJECT_DIR\"/tools/check.sh", "/p/tools/check.sh"),
            ("\"$FORELOOK_PROJECT_DIR/tools/check.sh\"", "/p/tools/check.sh"),
            ("${CLAUDE_PROJECT_DIR}/tools/check.sh", "/p/tools/check.sh"),
            ("cat x|tools/check.sh", "/p/tools/check.sh"),
            ("LC_ALL=C python3 tools/check.sh", "/p/tools/check.sh"),
            ("env -C tools ./check.sh", "/p/tools/check.sh"),
            ("env -C tools sh -e check.sh", "/p/tools/check.sh"),
            ("bash -eo pipefail tools/check.sh", "/p/tools/check.sh"),
            ("exec tools/check.sh", "/p/tools/check.sh"),
            ("/p/tools/check.sh", "/p/tools/check.sh"),
            ("echo $(tools/check.sh)", "/p/tools/check.sh"),
            ("cd \"$CLAUDE_PROJECT_DIR\"/tools && ./check.sh", "/p/tools/check.sh"),
            ("\"my tools/check.sh\"", "/p/my tools/check.sh"),
            ("my\\ tools/check.sh", "/p/my tools/check.sh"),
            ("D=tools; sh $D/check.sh", "/p/tools/check.sh"),
            ("node tools/check.js", "/p/tools/check.js"),
            ("sh < tools/check.sh", "/p/tools/check.sh"),
            ("~/check.sh", "/h/check.sh"),
            ("python3.12 tools/check.py", "/p/tools/check.py"),
            ("sed -i s/a/b/ tools/check.sh", "/p/tools/check.sh"),
            (&format!("echo {} && tools/check.sh", "a ".repeat(400)), "/p/tools/check.sh"),
        ] {
            let found = found(command);
            assert!(found.named.contains(&AbsPath::new(path).unwrap()), "{command}: {found:?}");
            assert!(found.unchecked.is_empty(), "{command}: {found:?}");
        }
    }

    #[test]
    fn what_the_text_does_not_tell_is_said() {
        for (command, unchecked) in [
            ("$(git rev-parse --show-toplevel)/tools/x.sh", "$(git rev-parse --show-toplevel)/tools/x.sh"),
            ("cd \"$(git rev-parse --show-toplevel)\" && ./x.sh", "./x.sh"),
            ("for x in a b; do sh tools/$x.sh; done", "tools/$x.sh"),
            ("eval \"$CHECK\"", "\"$CHECK\""),
            ("$CHECK", "$CHECK"),
            ("make check", "make check"),
            ("npm run lint", "npm run lint"),
            ("python3 -m tools.check", "python3 -m tools.check"),
            ("sh -c 'unclosed", "sh -c 'unclosed"),
            // What nobody knows may run anything.
            ("npx prettier --check src", "npx prettier --check src"),
            ("ruff check", "ruff check"),
            ("pre-commit run", "pre-commit run"),
            ("just lint", "just lint"),
            ("/usr/bin/make check", "/usr/bin/make check"),
            ("python3 -c 'import check'", "python3 -c 'import check'"),
            ("node -e 'require(\"./check\")'", "node -e 'require(\"./check\")'"),
            ("bun run lint", "bun run lint"),
            ("deno task lint", "deno task lint"),
            ("cargo metadata", "cargo metadata"),
            // It loads what configuration in the folder names.
            ("bun tools/check.ts", "bun tools/check.ts"),
            // A variable, an option, or a folder leads to other code.
            ("A=1 python3 tools/check.sh", "A=1 python3 tools/check.sh"),
            ("node --require=tools/check.js", "node --require=tools/check.js"),
            ("node -r ./lib/tools/check main.js", "node -r ./lib/tools/check main.js"),
            (
                "NODE_OPTIONS=--require=./lib/tools/check node main.js",
                "NODE_OPTIONS=--require=./lib/tools/check node main.js",
            ),
            ("PYTHONPATH=lib/tools python3 lib/a.py", "PYTHONPATH=lib/tools python3 lib/a.py"),
            ("export PYTHONPATH=lib/tools; python3 lib/a.py", "export PYTHONPATH=lib/tools"),
            ("PYTHONPATH=lib/tools python3 -c 'import a'", "PYTHONPATH=lib/tools python3 -c 'import a'"),
            ("perl -Ilib/tools lib/p.pl", "perl -Ilib/tools lib/p.pl"),
            ("perl -Mx lib/p.pl", "perl -Mx lib/p.pl"),
            ("PERL5LIB=lib/tools perl lib/p.pl", "PERL5LIB=lib/tools perl lib/p.pl"),
            ("git -C lib/sub status --short", "git -C lib/sub status --short"),
            ("cd lib/sub && git status --short", "git status --short"),
            ("git --git-dir=lib/gd status", "git --git-dir=lib/gd status"),
            ("GIT_DIR=lib/gd git status", "GIT_DIR=lib/gd git status"),
            ("HOME=$PWD/lib git status", "HOME=$PWD/lib git status"),
            (
                "XDG_CONFIG_HOME=$PWD/lib/conf HOME=/nonexistent git status",
                "XDG_CONFIG_HOME=$PWD/lib/conf HOME=/nonexistent git status",
            ),
            (
                "PATH=\"$FORELOOK_PROJECT_DIR/lib/tools:$PATH\" check.sh",
                "PATH=\"$FORELOOK_PROJECT_DIR/lib/tools:$PATH\" check.sh",
            ),
            ("for f in lib/tools/*.sh; do sh $f; done", "$f"),
            ("run-parts lib/tools", "run-parts lib/tools"),
            ("awk -f lib/x.awk", "awk -f lib/x.awk"),
            ("make -f lib/x.mk", "make -f lib/x.mk"),
            ("bash --rcfile lib/x -c ls", "bash --rcfile lib/x -c ls"),
            ("zsh -c 'lib/x'", "zsh -c 'lib/x'"),
            ("cat lib/x | sh", "sh"),
            ("git fetch ../x", "git fetch ../x"),
        ] {
            assert!(found(command).unchecked.contains(unchecked), "{command}: {:?}", found(command));
        }
        for plain in [
            "jq -r .a",
            "echo done",
            "notify-send \"$TITLE\"",
            "f=$(jq -r .x); notify-send \"$f\"",
            "cat >> log.txt",
            "git status --short | wc -l",
            "date +%s > .last",
            "git add -A",
            "set -eu; cd \"$CLAUDE_PROJECT_DIR\" && git diff --name-only",
        ] {
            assert!(found(plain).unchecked.is_empty(), "{plain}: {:?}", found(plain));
        }
    }

    #[test]
    fn a_script_that_is_not_there_yet_is_known_too() {
        let path = |text: &str| AbsPath::new(text).unwrap();
        assert!(found("[ -x tools/more.sh ] && tools/more.sh").started.contains(&path("/p/tools/more.sh")));
        assert!(found("bash tools/more.sh || true").started.contains(&path("/p/tools/more.sh")));
        assert!(found("bash -e tools/more.sh").started.contains(&path("/p/tools/more.sh")));
        assert!(found("npx prettier --write src").started.is_empty());
        assert!(found("python3 tools").folders.contains(&path("/p/tools")));
        assert!(found("make -C tools").folders.contains(&path("/p/tools")));
        assert!(found("ls tools").folders.is_empty());
        let unsure = found("cd tools; sh check.sh");
        assert!(
            unsure.started.contains(&path("/p/tools/check.sh")) && unsure.unchecked.contains("sh check.sh")
        );
    }

    #[test]
    fn a_script_that_may_have_another_name_must_be_a_file() {
        let path = |text: &str| AbsPath::new(text).unwrap();
        for command in [
            "node lib/tools/check",
            "cd lib && node tools/check",
            "sh -c \"exec node lib/tools/check\"",
            "env -C lib node tools/check",
        ] {
            let found = found(command);
            assert!(found.unchecked.is_empty(), "{command}: {found:?}");
            let scripts: Vec<&AbsPath> = found.if_files.iter().map(|(script, _)| script).collect();
            assert_eq!(scripts, [&path("/p/lib/tools/check")], "{command}");
            assert!(found.loaded.contains(&path("/p/lib/tools/check.js")), "{command}: {found:?}");
        }
    }

    #[test]
    fn where_unchecked_commands_take_code_from_is_known() {
        for (command, path) in [
            ("PYTHONPATH=lib/tools python3 lib/a.py", "/p/lib/tools"),
            ("export PYTHONPATH=lib/tools; python3 lib/a.py", "/p/lib/tools"),
            ("perl -Ilib/tools lib/p.pl", "/p/lib/tools"),
            ("HOME=$PWD/lib git status", "/p/lib"),
            ("PATH=\"$FORELOOK_PROJECT_DIR/lib/tools:$PATH\" check.sh", "/p/lib/tools"),
            ("for f in lib/tools/*.sh; do sh $f; done", "/p/lib/tools"),
            ("node -r ./lib/tools/check main.js", "/p/lib/tools/check.js"),
            ("run-parts lib/tools", "/p/lib/tools"),
        ] {
            let found = found(command);
            assert!(found.loaded.contains(&AbsPath::new(path).unwrap()), "{command}: {found:?}");
        }
        for command in ["npx prettier --write src/ src/*.ts", "ruff check src/a.py", "sh lib/x.sh src"] {
            assert!(found(command).loaded.is_empty(), "{command}: {:?}", found(command));
        }
    }
}
