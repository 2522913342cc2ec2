//! What to say of a command that wanted a terminal: by what it wrote, and by which program it is.

/// Programs that a command is run through.
const THROUGH: &[&str] = &["sudo", "env", "command", "exec", "time", "nice", "nohup", "builtin"];

/// How a command came out, as far as a hint depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Came {
    /// It succeeded and wrote nothing.
    ToNothing,
    /// It succeeded and wrote something.
    Well,
    /// It failed, or did not end.
    ToGrief,
}

const TERMINAL: &str = "There is no terminal and no input here: use flags so that it asks nothing (such as `-y` or `--batch`), or give it \
     its input with a pipe or a here-document";
const EDITOR: &str = "No editor can be used here: give git the message with `-m` or `-F`, or keep the one there is with `--no-edit` or \
     `GIT_EDITOR=true`; for `git rebase -i` set GIT_SEQUENCE_EDITOR to a command that changes the list";
const PASSWORD: &str =
    "Nobody can type a password here: ask the person to run it, or to make it work without one";
const HOST_KEY: &str = "Nobody can confirm the key of a host here: ask the person to connect to it once";
const LOGIN: &str = "Nobody can log in here: ask the person to set up the credentials";
const CONTAINER: &str = "There is no terminal here: leave `-t` out";
const EDIT: &str = "Editors need a terminal: change files with Edit and Write";
const PAGER: &str = "Pagers need a terminal: look at files with Read";
const SCREEN: &str = "It draws on a terminal, and there is none: use `ps`, or `top -b -n 1`";
const PROMPT: &str =
    "It found no input and ended: give it a script, a flag such as `-c` or `-e`, or a here-document";
const PATCH: &str =
    "Nobody can choose parts here: name the files, or apply a patch with `git apply --cached`";
const DEBUGGER: &str =
    "There is no terminal and no input here: give the debugger its commands with flags, such as `-batch -ex`";

/// What a program writes, in lower case, when it misses a terminal. The first that fits counts.
const WRITTEN: &[(&str, &str)] = &[
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
pub(crate) fn hint(command: &str, output: &str, came: Came) -> Option<&'static str> {
    let written = || {
        let output = output.to_lowercase();
        WRITTEN.iter().find(|(text, _)| output.contains(text)).map(|(_, hint)| *hint)
    };
    match came {
        Came::Well => None,
        Came::ToNothing => parts(command).find_map(|part| part.by_name(came)),
        Came::ToGrief => parts(command).find_map(|part| part.by_name(came)).or_else(written),
    }
}

/// One program of a line and its words, roughly.
struct Part<'a> {
    name: &'a str,
    words: Vec<&'a str>,
    /// It reads something: from the one before, or a file.
    has_input: bool,
}

fn parts(command: &str) -> impl Iterator<Item = Part<'_>> {
    let mut before = None;
    command.split_inclusive(['|', ';', '&', '\n', '(', ')']).filter_map(move |text| {
        let piped = before.replace(text).is_some_and(|before: &str| before.ends_with('|'));
        let text = text.trim_end_matches(['|', ';', '&', '\n', '(', ')']);
        let mut words =
            text.split_whitespace().skip_while(|word| THROUGH.contains(word) || word.contains('='));
        let name = words.next()?.rsplit('/').next()?;
        Some(Part { name, words: words.collect(), has_input: piped || text.contains('<') })
    })
}

impl Part<'_> {
    fn has(&self, any: &[&str]) -> bool {
        self.words.iter().any(|word| any.contains(word))
    }

    fn by_name(&self, came: Came) -> Option<&'static str> {
        let failed = came == Came::ToGrief;
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
        use Came::{ToGrief, ToNothing, Well};
        for (command, output, came, expected) in [
            ("ls", "", ToNothing, None),
            ("true && false", "", ToGrief, None),
            ("cargo test", "error: test failed", ToGrief, None),
            ("vim a.rs", "", ToGrief, Some(EDIT)),
            ("cd a && nano b", "", ToNothing, Some(EDIT)),
            ("emacs --batch -l x", "", ToGrief, None),
            ("less f", "text", Well, None),
            ("less nothing", "no such file", ToGrief, Some(PAGER)),
            ("top", "", ToGrief, Some(SCREEN)),
            ("top -bn1", "", ToGrief, None),
            ("python", "", ToNothing, Some(PROMPT)),
            ("FOO=1 /usr/bin/python3", "", ToNothing, Some(PROMPT)),
            ("python x.py", "", ToNothing, None),
            ("echo 1 | python", "", ToNothing, None),
            ("python <<< 'x=1'", "", ToNothing, None),
            ("git rebase -i HEAD~2", "", ToGrief, Some(EDITOR)),
            ("git commit", "Aborting commit", ToGrief, Some(EDITOR)),
            ("git commit -am x", "nothing to commit", ToGrief, None),
            ("git commit --amend --no-edit", "hook failed", ToGrief, None),
            ("git add -p", "", ToNothing, Some(PATCH)),
            ("sudo ls", "sudo: a terminal is required to read the password", ToGrief, Some(PASSWORD)),
            ("sudo -n ls", "sudo: a password is required", ToGrief, Some(PASSWORD)),
            ("x.py", "EOFError: EOF when reading a line", ToGrief, Some(TERMINAL)),
            ("tput cols", "stdin: is not a tty", ToGrief, Some(TERMINAL)),
            ("stty size", "stty: 'standard input': Inappropriate ioctl for device", ToGrief, Some(TERMINAL)),
            ("ssh h", "Host key verification failed.", ToGrief, Some(HOST_KEY)),
            ("git push", "fatal: could not read Username for 'https://h'", ToGrief, Some(LOGIN)),
            ("git merge x", "error: There was a problem with the editor 'false'.", ToGrief, Some(EDITOR)),
            ("docker run -it x", "the input device is not a TTY", ToGrief, Some(CONTAINER)),
        ] {
            assert_eq!(hint(command, output, came), expected, "{command}");
        }
    }
}
