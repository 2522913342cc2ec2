//! What to say of a command that wanted a terminal: by what it wrote, and by which program it is.

/// Programs that a command is run through.
const WRAPPERS: &[&str] = &["sudo", "env", "command", "exec", "time", "nice", "nohup", "builtin"];

/// How a command came out, as far as a hint depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandResult {
    /// It succeeded and wrote nothing.
    SilentSuccess,
    /// It succeeded and wrote something.
    Success,
    /// It failed, or did not end.
    Failed,
}

const TERMINAL: &str = "There is no terminal and no stdin here: use flags that avoid prompts (such as `-y` or \
                        `--batch`), or pass the input with a pipe or a here-document";
const EDITOR: &str = "No editor is available here: give git the message with `-m` or `-F`, or keep the existing one \
                      with `--no-edit` or `GIT_EDITOR=true`; for `git rebase -i`, set GIT_SEQUENCE_EDITOR to a \
                      command that edits the list";
const PASSWORD: &str =
    "Nobody can type a password here: ask the user to run this, or to make it work without one";
const HOST_KEY: &str = "Nobody can confirm a host key here: ask the user to connect to the host once";
const LOGIN: &str = "Nobody can log in here: ask the user to set up the credentials";
const CONTAINER: &str = "There is no terminal here: leave out `-t`";
const EDIT: &str = "Editors need a terminal: change files with Edit and Write";
const PAGER: &str = "Pagers need a terminal: view files with Read";
const SCREEN: &str = "This program needs a terminal: use `ps`, or `top -b -n 1`";
const PROMPT: &str =
    "It got no input and exited: pass a script, a flag such as `-c` or `-e`, or a here-document";
const PATCH: &str =
    "Nobody can select hunks here: name the files, or apply a patch with `git apply --cached`";
const DEBUGGER: &str =
    "There is no terminal and no stdin here: pass the debugger its commands with flags, such as `-batch -ex`";

/// What a program writes, in lower case, when it misses a terminal. The first that fits counts.
const OUTPUT_HINTS: &[(&str, &str)] = &[
    ("terminal is dumb, but editor unset", EDITOR),
    ("there was a problem with the editor", EDITOR),
    ("please supply the message using either -m or -f", EDITOR),
    ("host key verification failed", HOST_KEY),
    ("could not read username", LOGIN),
    ("could not read password", LOGIN),
    ("terminal prompts disabled", LOGIN),
    ("a terminal is required", PASSWORD),
    ("a password is required", PASSWORD),
    ("no tty present", PASSWORD),
    ("unable to read askpass", PASSWORD),
    ("must be run from a terminal", PASSWORD),
    ("the input device is not a tty", CONTAINER),
    ("not a terminal", TERMINAL),
    ("not a tty", TERMINAL),
    ("not from a terminal", TERMINAL),
    ("error opening terminal", TERMINAL),
    ("inappropriate ioctl for device", TERMINAL),
    ("eof when reading a line", TERMINAL),
    ("/dev/tty", TERMINAL),
    ("failed tty get", SCREEN),
    ("terminal unknown", TERMINAL),
    ("raw mode is not supported", TERMINAL),
    ("setrawmode", TERMINAL),
];

/// What to use instead, if the command seems to have wanted a terminal.
pub(crate) fn hint(command: &str, output: &str, result: CommandResult) -> Option<&'static str> {
    let written = || {
        let output = output.to_lowercase();
        OUTPUT_HINTS.iter().find(|(text, _)| output.contains(text)).map(|(_, hint)| *hint)
    };
    match result {
        CommandResult::Success => None,
        CommandResult::SilentSuccess => parts(command).find_map(|part| part.by_name(result)),
        CommandResult::Failed => parts(command).find_map(|part| part.by_name(result)).or_else(written),
    }
}

/// One program of a line and its words, roughly.
struct PipelinePart<'a> {
    name: &'a str,
    words: Vec<&'a str>,
    /// It reads something: from the one before, or a file.
    has_input: bool,
}

fn parts(command: &str) -> impl Iterator<Item = PipelinePart<'_>> {
    let mut before = None;
    command.split_inclusive(['|', ';', '&', '\n', '(', ')']).filter_map(move |text| {
        let piped = before.replace(text).is_some_and(|before: &str| before.ends_with('|'));
        let text = text.trim_end_matches(['|', ';', '&', '\n', '(', ')']);
        let mut words =
            text.split_whitespace().skip_while(|word| WRAPPERS.contains(word) || word.contains('='));
        let name = words.next()?.rsplit('/').next()?;
        Some(PipelinePart { name, words: words.collect(), has_input: piped || text.contains('<') })
    })
}

impl PipelinePart<'_> {
    fn has(&self, any: &[&str]) -> bool {
        self.words.iter().any(|word| any.contains(word))
    }

    fn by_name(&self, result: CommandResult) -> Option<&'static str> {
        let failed = result == CommandResult::Failed;
        match self.name {
            "vi" | "vim" | "nvim" | "nano" | "pico" | "micro" | "joe" | "mcedit" => Some(EDIT),
            "emacs" if !self.has(&["-batch", "--batch", "--script"]) => Some(EDIT),
            "less" | "more" | "most" if failed => Some(PAGER),
            "htop" | "btop" | "atop" | "iotop" => Some(SCREEN),
            "top" if !self.words.iter().any(|word| word.starts_with('-') && word.contains('b')) => {
                Some(SCREEN)
            }
            "gdb" | "lldb" if !self.has(&["-batch", "--batch"]) => Some(DEBUGGER),
            "git" => self.git(failed),
            _ if self.is_prompt() && !failed => Some(PROMPT),
            _ => None,
        }
    }

    /// A program that would talk with somebody: without words there is nothing else for it to do.
    fn is_prompt(&self) -> bool {
        let talks = matches!(
            self.name,
            "python"
                | "python3"
                | "ipython"
                | "node"
                | "irb"
                | "ghci"
                | "lua"
                | "php"
                | "psql"
                | "mysql"
                | "sqlite3"
                | "bash"
                | "sh"
                | "zsh"
        );
        talks && self.words.is_empty() && !self.has_input
    }

    fn git(&self, failed: bool) -> Option<&'static str> {
        let interactive = self.has(&["-i", "--interactive"]);
        match *self.words.iter().find(|word| !word.starts_with('-'))? {
            "rebase" if failed && interactive => Some(EDITOR),
            "commit" if failed => {
                let given = |word: &&str| {
                    word.starts_with("-m")
                        || word.starts_with("-F")
                        || word.starts_with("--message")
                        || word.starts_with("--file")
                        || (word.starts_with('-') && !word.starts_with("--") && word.contains('m'))
                        || ["-C", "--no-edit", "--fixup"].iter().any(|flag| word.starts_with(flag))
                };
                // With a message given it failed for another reason.
                (!self.words.iter().any(given)).then_some(EDITOR)
            }
            "add" | "checkout" | "restore" | "reset" | "stash" if self.has(&["-p", "--patch"]) => Some(PATCH),
            "add" if interactive => Some(PATCH),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wanted_a_terminal_is_told_what_to_use() {
        use CommandResult::{Failed, SilentSuccess, Success};
        for (command, output, result, expected) in [
            ("ls", "", SilentSuccess, None),
            ("true && false", "", Failed, None),
            ("cargo test", "error: test failed", Failed, None),
            ("vim a.rs", "", Failed, Some(EDIT)),
            ("cd a && nano b", "", SilentSuccess, Some(EDIT)),
            ("emacs --batch -l x", "", Failed, None),
            ("less f", "text", Success, None),
            ("less nothing", "no such file", Failed, Some(PAGER)),
            ("top", "", Failed, Some(SCREEN)),
            ("top -bn1", "", Failed, None),
            ("python", "", SilentSuccess, Some(PROMPT)),
            ("FOO=1 /usr/bin/python3", "", SilentSuccess, Some(PROMPT)),
            ("python x.py", "", SilentSuccess, None),
            ("echo 1 | python", "", SilentSuccess, None),
            ("python <<< 'x=1'", "", SilentSuccess, None),
            ("git rebase -i HEAD~2", "", Failed, Some(EDITOR)),
            ("git commit", "Aborting commit", Failed, Some(EDITOR)),
            ("git commit -am x", "nothing to commit", Failed, None),
            ("git commit --amend --no-edit", "hook failed", Failed, None),
            ("git add -p", "", SilentSuccess, Some(PATCH)),
            ("sudo ls", "sudo: a terminal is required to read the password", Failed, Some(PASSWORD)),
            ("sudo -n ls", "sudo: a password is required", Failed, Some(PASSWORD)),
            ("x.py", "EOFError: EOF when reading a line", Failed, Some(TERMINAL)),
            ("tput cols", "stdin: is not a tty", Failed, Some(TERMINAL)),
            ("stty size", "stty: 'standard input': Inappropriate ioctl for device", Failed, Some(TERMINAL)),
            ("ssh h", "Host key verification failed.", Failed, Some(HOST_KEY)),
            ("git push", "fatal: could not read Username for 'https://h'", Failed, Some(LOGIN)),
            ("git merge x", "error: There was a problem with the editor 'false'.", Failed, Some(EDITOR)),
            ("docker run -it x", "the input device is not a TTY", Failed, Some(CONTAINER)),
        ] {
            assert_eq!(hint(command, output, result), expected, "{command}");
        }
    }
}
