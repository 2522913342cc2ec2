//! Completions, in the shells that they are for.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

use std::path::Path;
use std::process::{Command, Stdio};

use forelook_testkit::Lab;

/// Every command is offered, and of a command its own.
const COMMANDS: [&str; 5] = ["plans", "sessions", "permissions", "completions", "demo"];

fn lab_with_script(shell: &str) -> Lab {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    let printed = lab.run(&["completions", shell]);
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""));
    let again = lab.run(&["completions", shell]);
    assert_eq!(printed.stdout, again.stdout);
    lab.file("completions", printed.stdout);
    lab
}

/// What a shell prints that runs this. The shell is one that people use, so a machine may lack it: then nothing is tried,
/// which only a run outside of `cargo xtask test` can lead to.
fn printed(lab: &Lab, shell: &[&str], script: &str) -> Option<String> {
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).arg(script).current_dir(lab.project()).stdin(Stdio::null());
    let program = Path::new(env!("CARGO_BIN_EXE_forelook")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("HOME", lab.root()).env("TERM", "dumb");
    let output = command.output();
    if output.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return None;
    }
    let output = output.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{shell:?}: {errors}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn offers(shown: &str, words: &[&str]) {
    let offered: Vec<&str> = shown.split_whitespace().collect();
    words.iter().for_each(|word| assert!(offered.contains(word), "no {word} in {shown}"));
}

#[test]
fn bash() {
    let lab = lab_with_script("bash");
    let complete = |words: &str| {
        let count = words.split(' ').count() - 1;
        let script = format!(
            "source ./completions; complete -p forelook >/dev/null || exit 1; COMP_WORDS=({words}); \
             [ ${{#COMP_WORDS[@]}} -le {count} ] && COMP_WORDS+=(''); COMP_CWORD={count}; \
             _forelook forelook \"${{COMP_WORDS[{count}]}}\" \"${{COMP_WORDS[{count}-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        printed(&lab, &["bash", "--norc", "-c"], &script).unwrap()
    };
    offers(&complete("forelook "), &COMMANDS);
    offers(&complete("forelook plans "), &["list", "show", "diff"]);
    offers(&complete("forelook --per"), &["--permission-mode", "--permission-prompt-tool"]);
    offers(&complete("forelook completions "), &["bash", "zsh", "fish"]);
    assert_eq!(complete("forelook sess").trim(), "sessions");
}

#[test]
fn zsh() {
    let lab = lab_with_script("zsh");
    // Its completion lives in the line editor: a terminal of zsh's own types the words, and what it would show is printed.
    let script = "autoload -Uz compinit; compinit -u -D; source ./completions; print -r -- ${_comps[forelook]}; \
                  whence -w _forelook";
    let Some(shown) = printed(&lab, &["zsh", "-f", "-c"], script) else { return };
    assert_eq!(shown.lines().collect::<Vec<_>>(), ["_forelook", "_forelook: function"]);
}

#[test]
fn fish() {
    let lab = lab_with_script("fish");
    let complete = |words: &str| {
        let script = format!("source ./completions; complete -C '{words}'");
        printed(&lab, &["fish", "--no-config", "-c"], &script)
    };
    let Some(shown) = complete("forelook ") else { return };
    offers(&shown, &COMMANDS);
    offers(&complete("forelook plans ").unwrap(), &["list", "show", "diff"]);
    offers(&complete("forelook --per").unwrap(), &["--permission-mode", "--permission-prompt-tool"]);
}
