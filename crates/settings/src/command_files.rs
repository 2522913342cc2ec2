//! Which files a command of a hook or a status line may run or read, as far as its text tells. Pure.
//!
//! Two readings are put together, because each finds what the other does not: the shell crate knows quotes, variables and
//! `cd`; and every word of the text, however it is meant, may be a path. A file too many costs one hash. A file too few
//! could be swapped after somebody trusted the command. Where the text does not tell, that is said.

use std::collections::BTreeSet;

use forelook_protocol::AbsPath;
use forelook_shell::{
    CodeSource, Language, LinePart, PathTarget, ShellEffect, Verdict, Word, WordValue, WorkingFolder, analyse,
};

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
}

/// What the command names.
pub(crate) fn command_files(command: &str, place: &CommandPlace<'_>) -> CommandFiles {
    let mut found = CommandFiles::default();
    found.add_words(command, place);
    let folder = place.folder.as_path().to_str().map(|folder| folder.replace('\'', r"'\''"));
    let known = folder.iter().flat_map(|folder| VARIABLES.map(|name| format!("{name}='{folder}'; ")));
    let analysis = analyse(&(known.collect::<String>() + command));
    if !analysis.parsed {
        found.unchecked.insert(command.to_owned());
    }
    let entered: Vec<AbsPath> = analysis.parts.iter().filter_map(|part| entered(part, place)).collect();
    for part in analysis.parts.iter().filter(|part| !part.words.is_empty()) {
        match &part.folder {
            WorkingFolder::Start => found.add_part(part, place.folder, place),
            WorkingFolder::Moved(to) => found.add_part(part, &place.path(place.folder, to), place),
            // After a `cd` that may fail it is one of these, most likely.
            WorkingFolder::OneOf(_) | WorkingFolder::Elsewhere => {
                let folders = entered.iter().chain([place.folder]);
                folders.for_each(|folder| found.add_part(part, folder, place));
            }
        }
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
        let mut text = command.to_owned();
        for name in VARIABLES {
            for spelled in [
                format!("\"${{{name}}}\""),
                format!("\"${name}\""),
                format!("${{{name}}}"),
                format!("${name}"),
            ] {
                text = text.replace(&spelled, ".");
            }
        }
        let ends_word = |c: char| c.is_whitespace() || ";|&()<>\"'=`,{}".contains(c);
        let words = text.split(ends_word).filter(|word| !word.is_empty());
        self.named.extend(words.map(|word| place.folder.join(word)));
    }

    fn add_part(&mut self, part: &LinePart, folder: &AbsPath, place: &CommandPlace<'_>) {
        let redirected = part.redirects.iter().filter_map(|it| it.effect.as_ref());
        for effect in part.effects.iter().chain(redirected) {
            if let ShellEffect::Read { path: PathTarget::Path(path) } = effect {
                self.named.insert(place.path(folder, path));
            }
        }
        let literal = |word: &Word| match &word.value {
            WordValue::Literal(text) => Some(text.clone()),
            WordValue::One { .. } | WordValue::Many { .. } => None,
        };
        for text in part.words.iter().filter_map(literal) {
            let value = text.split_once('=').map(|(_, value)| value.to_owned());
            self.named.extend([Some(text), value].into_iter().flatten().map(|it| place.path(folder, &it)));
        }
        self.add_unchecked(part);
        if part.command_verdict == Verdict::ReadOnly {
            return;
        }
        let arguments = part.words.iter().skip(1).filter_map(literal);
        self.folders.extend(arguments.filter(|it| !it.is_empty()).map(|it| place.path(folder, &it)));
        self.started.extend(started(part).map(|text| place.path(folder, text)));
    }

    /// What is not known to run only files that were found counts as unchecked.
    fn add_unchecked(&mut self, part: &LinePart) {
        let moved = matches!(part.folder, WorkingFolder::OneOf(_) | WorkingFolder::Elsewhere);
        if moved || !runs_known_files(part) {
            self.unchecked.insert(part.text.clone());
        }
        for (at, word) in part.words.iter().enumerate() {
            let is_known =
                matches!(word.value, WordValue::Literal(_)) || part.command_verdict == Verdict::ReadOnly;
            if !is_known && (at == 0 || interprets(part) || word.text.contains('/')) {
                self.unchecked.insert(word.text.clone());
            }
        }
    }
}

/// Whether a part runs no files but those that its text names.
fn runs_known_files(part: &LinePart) -> bool {
    match part.code_source() {
        // The commands of a shell's text are looked at themselves.
        CodeSource::Own
        | CodeSource::File(_)
        | CodeSource::Script { .. }
        | CodeSource::Text(Language::Shell)
        | CodeSource::Input(_) => true,
        CodeSource::Text(Language::Other) | CodeSource::Unnamed => false,
    }
}

impl CommandPlace<'_> {
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
            ("A=1 python3 tools/check.sh", "/p/tools/check.sh"),
            ("/p/tools/check.sh", "/p/tools/check.sh"),
            ("echo $(tools/check.sh)", "/p/tools/check.sh"),
            ("cd \"$CLAUDE_PROJECT_DIR\"/tools && ./check.sh", "/p/tools/check.sh"),
            ("\"my tools/check.sh\"", "/p/my tools/check.sh"),
            ("my\\ tools/check.sh", "/p/my tools/check.sh"),
            ("D=tools; sh $D/check.sh", "/p/tools/check.sh"),
            ("node --require=tools/check.js", "/p/tools/check.js"),
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
            "bun tools/check.ts",
            "date +%s > .last",
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
}
