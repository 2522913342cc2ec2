//! The person's editor: found once, opened when a plan is to be edited by hand.
//!
//! `VISUAL` counts, then `EDITOR`, then the editor in whose terminal we are. No other is guessed: who never named an
//! editor might not know how to leave one.

mod known;
mod words;

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use forelook_engine::{Editor, EditorKind};
use forelook_protocol::{AbsPath, Boxed};
use forelook_sandbox::{ChildEnv, Ending, Program, find_program, run_in_terminal, start_detached};
use forelook_settings::Env;

use known::Place;

/// The person's editor, if there is one.
pub(crate) struct PersonsEditor {
    choice: Option<Choice>,
    env: ChildEnv,
    folder: AbsPath,
}

/// An editor, or what stands where one should be named.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Command { program: OsString, args: Vec<OsString>, place: Place },
    Unreadable { variable: &'static str, why: &'static str },
}

impl PersonsEditor {
    /// Looks for it. Child processes of it run in `folder`.
    pub(crate) fn find(env: &Env, folder: &AbsPath) -> Self {
        // With its terminal: unlike what the model runs, it is for a person's eyes.
        let child = ChildEnv::without_secrets(env.all().iter().cloned());
        let named = [("VISUAL", env.visual.as_deref()), ("EDITOR", env.editor.as_deref())];
        Self { choice: choose(named, &child), env: child, folder: folder.clone() }
    }

    fn program(&self, program: &OsStr) -> Result<PathBuf, String> {
        let path = Path::new(program);
        if path.components().count() > 1 {
            return Ok(self.folder.join(path).as_path().to_path_buf());
        }
        let found = program.to_str().and_then(|name| find_program(name, &self.env));
        found.ok_or_else(|| format!("there is no program `{}` on the PATH", path.display()))
    }

    async fn run(&self, path: AbsPath) -> Result<(), String> {
        let (program, args, place) = match &self.choice {
            Some(Choice::Command { program, args, place }) => (program, args, *place),
            Some(Choice::Unreadable { variable, why }) => {
                return Err(format!("`{variable}` cannot be used: {why}"));
            }
            None => return Err("no editor is known; set `VISUAL` or `EDITOR`".to_owned()),
        };
        let mut command = Program::new(self.program(program)?, self.env.clone(), self.folder.as_path());
        command.args.extend(args.iter().cloned());
        command.args.push(path.as_path().into());
        let ending = match place {
            Place::Window => start_detached(&command).await,
            Place::Terminal if !at_terminal() => {
                return Err("it needs the terminal, and standard input or output is none".to_owned());
            }
            Place::Terminal => run_in_terminal(&command).await.map(Some),
        };
        match ending {
            Ok(None | Some(Ending::Exited(0))) => Ok(()),
            Ok(Some(ending)) => Err(ending.to_string()),
            Err(error) => Err(format!("`{}` could not be started: {error}", command.path.display())),
        }
    }
}

impl Editor for PersonsEditor {
    fn known(&self) -> Option<EditorKind> {
        Some(match self.choice.as_ref()? {
            Choice::Command { program, place, .. } => EditorKind {
                name: known::name(&file_name(program)).to_owned(),
                in_terminal: *place == Place::Terminal,
            },
            Choice::Unreadable { variable, .. } => {
                EditorKind { name: format!("the editor of {variable}"), in_terminal: false }
            }
        })
    }

    fn open(&self, path: AbsPath) -> Boxed<'_, Result<(), String>> {
        Box::pin(self.run(path))
    }
}

fn at_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// The first of these that names something; else the editor that the environment tells of, if it can be started.
fn choose(named: [(&'static str, Option<&OsStr>); 2], env: &ChildEnv) -> Option<Choice> {
    for (variable, command) in named {
        match command.map(|command| words::split(command.as_bytes())) {
            Some(Err(why)) => return Some(Choice::Unreadable { variable, why }),
            Some(Ok(words)) => match command_of(words, env) {
                None => {}
                choice => return choice,
            },
            None => {}
        }
    }
    let found = known::hinted(env).find(|name| find_program(name, env).is_some())?;
    command_of(vec![found.into()], env)
}

fn command_of(words: Vec<OsString>, env: &ChildEnv) -> Option<Choice> {
    let mut words = words.into_iter();
    let program = words.next().filter(|program| !program.is_empty())?;
    let args: Vec<OsString> = words.collect();
    let place = known::place(&file_name(&program), &args, env);
    Some(Choice::Command { program, args, place })
}

fn file_name(program: &OsStr) -> String {
    Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out their programs by hand")]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    struct Desk {
        root: tempfile::TempDir,
    }

    impl Desk {
        fn new() -> Self {
            Self { root: tempfile::tempdir().unwrap() }
        }

        fn program(&self, name: &str, line: &str) -> PathBuf {
            let path = self.root.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{line}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        }

        fn editor(&self, pairs: &[(&str, &str)]) -> PersonsEditor {
            let own = [
                ("HOME", "/h"),
                ("PATH", self.root.path().to_str().unwrap()),
                ("OPENAI_API_KEY", "sk-planted"),
            ];
            let env = Env::from_pairs(own.into_iter().chain(pairs.iter().copied())).unwrap();
            PersonsEditor::find(&env, &AbsPath::new(self.root.path()).unwrap())
        }
    }

    #[test]
    fn which_one() {
        let desk = Desk::new();
        for name in ["code", "zed"] {
            desk.program(name, "");
        }
        for (pairs, name) in [
            (&[][..], None),
            (&[("VISUAL", "zed -n"), ("EDITOR", "vi")], Some(("Zed", false))),
            (&[("VISUAL", "  "), ("EDITOR", "/usr/bin/vi")], Some(("vi", true))),
            (&[("EDITOR", "vi"), ("TERM_PROGRAM", "vscode")], Some(("vi", true))),
            (&[("TERM_PROGRAM", "vscode")], Some(("VS Code", false))),
            (&[("TERMINAL_EMULATOR", "JetBrains-JediTerm")], None),
            (&[("VISUAL", "'half")], Some(("the editor of VISUAL", false))),
        ] {
            let expected = name.map(|(name, in_terminal)| EditorKind { name: name.into(), in_terminal });
            assert_eq!(desk.editor(pairs).known(), expected, "{pairs:?}");
        }
    }

    #[tokio::test]
    async fn a_window_is_opened_with_flags_and_without_keys() {
        let desk = Desk::new();
        desk.program("code", r#"{ printf '%s|' "$@"; echo "key=$OPENAI_API_KEY term=$TERM"; } > heard"#);
        let editor = desk.editor(&[("VISUAL", "code 'a b' -r"), ("TERM", "xterm")]);
        editor.open(AbsPath::new("/plans/x.md").unwrap()).await.unwrap();
        let heard = std::fs::read_to_string(desk.root.path().join("heard")).unwrap();
        assert_eq!(heard, "a b|-r|/plans/x.md|key= term=xterm\n");
    }

    #[tokio::test]
    async fn what_went_wrong_is_told() {
        let desk = Desk::new();
        desk.program("code", "exit 3");
        desk.program("zed", "kill -TERM $$");
        for (visual, part) in [
            ("code", "exit code 3"),
            ("zed", "ended by signal SIGTERM"),
            ("no-such-editor -w", "no program `no-such-editor` on the PATH"),
            ("./code", "exit code 3"),
            ("'code", "`VISUAL` cannot be used: a quote"),
        ] {
            let error =
                desk.editor(&[("VISUAL", visual)]).open(AbsPath::new("/x.md").unwrap()).await.unwrap_err();
            assert!(error.contains(part), "{visual}: {error}");
        }
        let error =
            desk.editor(&[("VISUAL", "./gone/code")]).open(AbsPath::new("/x.md").unwrap()).await.unwrap_err();
        assert!(error.contains("could not be started"), "{error}");
        let error = desk.editor(&[]).open(AbsPath::new("/x.md").unwrap()).await.unwrap_err();
        assert!(error.contains("EDITOR"), "{error}");
    }

    #[tokio::test]
    async fn a_terminal_is_needed_for_an_editor_that_runs_in_one() {
        // Tests may be run at a terminal; then there is nothing to refuse.
        if at_terminal() {
            return;
        }
        let desk = Desk::new();
        desk.program("vi", "touch ran");
        let error = desk.editor(&[("EDITOR", "vi")]).open(AbsPath::new("/x.md").unwrap()).await.unwrap_err();
        assert!(error.contains("needs the terminal"), "{error}");
        assert!(!desk.root.path().join("ran").exists());
    }
}
