//! Editors that are programs of the test's own.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

struct TestServices {
    root: tempfile::TempDir,
}

impl TestServices {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    fn program(&self, name: &str, line: &str) -> PathBuf {
        let path = self.root.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{line}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn editor(&self, pairs: &[(&str, &str)]) -> UserEditor {
        let own =
            [("HOME", "/h"), ("PATH", self.root.path().to_str().unwrap()), ("OPENAI_API_KEY", "sk-planted")];
        let env = Env::from_pairs(own.into_iter().chain(pairs.iter().copied())).unwrap();
        let child = ChildEnv::without_secrets(env.all().iter().cloned());
        UserEditor::find(&env, child, &AbsPath::new(self.root.path()).unwrap(), None)
    }
}

#[test]
fn which_one() {
    let services = TestServices::new();
    // Machines have editors of their own, which come behind these.
    for name in ["code", "zed", "nano"] {
        services.program(name, "");
    }
    for (pairs, name) in [
        (&[][..], Some(("nano", true))),
        (&[("VISUAL", "zed -n"), ("EDITOR", "vi")], Some(("Zed", false))),
        (&[("VISUAL", "  "), ("EDITOR", "/usr/bin/vi")], Some(("vi", true))),
        (&[("EDITOR", "vi"), ("TERM_PROGRAM", "vscode")], Some(("vi", true))),
        (&[("TERM_PROGRAM", "vscode")], Some(("VS Code", false))),
        (&[("TERMINAL_EMULATOR", "JetBrains-JediTerm")], Some(("nano", true))),
        (&[("VISUAL", "'half")], Some(("$VISUAL", false))),
    ] {
        let expected = name.map(|(name, in_terminal)| EditorInfo { name: name.into(), in_terminal });
        assert_eq!(services.editor(pairs).known(), expected, "{pairs:?}");
    }
}

/// What says how to leave it comes first.
#[test]
fn without_a_name_a_usual_one_is_found() {
    let services = TestServices::new();
    services.program("vi", "");
    let editor = services.editor(&[]);
    let name = if find_program("nano", &editor.env).is_some() { "nano" } else { "vi" };
    assert_eq!(editor.known(), Some(EditorInfo { name: name.into(), in_terminal: true }));
    services.program("nano", "");
    assert_eq!(services.editor(&[]).known().map(|it| it.name), Some("nano".to_owned()));
}

#[tokio::test]
async fn a_window_is_opened_with_flags_and_without_keys() {
    let services = TestServices::new();
    services.program("code", r#"{ printf '%s|' "$@"; echo "key=$OPENAI_API_KEY term=$TERM"; } > heard"#);
    let editor = services.editor(&[("VISUAL", "code 'a b' -r"), ("TERM", "xterm")]);
    editor.open(AbsPath::new("/plans/x.md").unwrap()).await.unwrap();
    let heard = std::fs::read_to_string(services.root.path().join("heard")).unwrap();
    assert_eq!(heard, "a b|-r|/plans/x.md|key= term=xterm\n");
}

#[tokio::test]
async fn what_went_wrong_is_told() {
    let services = TestServices::new();
    services.program("code", "exit 3");
    services.program("zed", "kill -TERM $$");
    for (visual, part) in [
        ("code", "exit code 3"),
        ("zed", "ended by signal SIGTERM"),
        ("no-such-editor -w", "`no-such-editor` was not found on the PATH\nSet `VISUAL` or `EDITOR`"),
        ("./code", "exit code 3"),
        ("'code", "`VISUAL` is invalid: a quote"),
    ] {
        let error =
            services.editor(&[("VISUAL", visual)]).open(AbsPath::new("/x.md").unwrap()).await.unwrap_err();
        assert!(error.contains(part), "{visual}: {error}");
    }
    let error =
        services.editor(&[("VISUAL", "./gone/code")]).open(AbsPath::new("/x.md").unwrap()).await.unwrap_err();
    assert!(error.contains("cannot start"), "{error}");
}

#[tokio::test]
async fn a_terminal_is_needed_for_an_editor_that_runs_in_one() {
    // Tests may be run at a terminal; then there is nothing to refuse.
    if at_terminal() {
        return;
    }
    let services = TestServices::new();
    services.program("vi", "touch ran");
    let error = services.editor(&[("EDITOR", "vi")]).open(AbsPath::new("/x.md").unwrap()).await.unwrap_err();
    assert!(error.contains("needs a terminal"), "{error}");
    assert!(!services.root.path().join("ran").exists());
}

/// What is waited for is what the person leaves; an editor that would not wait is told how it can.
#[tokio::test]
async fn an_editor_is_waited_for_until_it_ends() {
    let services = TestServices::new();
    for name in ["code", "gvim", "xdg-open", "kate"] {
        services.program(name, "for last; do :; done; sleep 0.1; echo edited > $last");
    }
    let file = AbsPath::new(services.root.path().join("prompt.md")).unwrap();
    for (visual, error) in [
        ("code --wait", None),
        ("code -w -r", None),
        ("gvim -f", None),
        ("code", Some("\nSet `VISUAL` to `code --wait`")),
        ("gvim", Some("\nSet `VISUAL` to `gvim -f`")),
        ("kate", Some("`kate --block`")),
        ("xdg-open", Some("to an editor that does")),
        ("'half", Some("is invalid")),
    ] {
        let _ = std::fs::remove_file(&file);
        let told = services.editor(&[("VISUAL", visual)]).edit(file.clone()).await;
        match error {
            None => {
                assert_eq!(told, Ok(()), "{visual}");
                assert_eq!(std::fs::read_to_string(&file).unwrap(), "edited\n", "{visual}");
            }
            Some(part) => {
                assert!(told.as_ref().is_err_and(|told| told.contains(part)), "{visual}: {told:?}");
                assert!(!file.as_path().exists(), "{visual}");
            }
        }
    }
}
