//! A rule that allows git commands is about the person's own repository, and about what that ran when the session began.
//! Whatever another one brings, or a command in the fence put into it, does not run outside of the fence unasked.

use std::fs;
use std::process::Command;

use forelook_testkit::{Lab, RunOutput};

use crate::{BINARY, trust};

/// Fills `$D/.git` with all that runs, for a mark in the home folder.
const EVIL: &str = r#"
printf '#!/bin/sh\ntouch "$HOME/mark-hook"\n' > "$G/hooks/pre-commit"; chmod +x "$G/hooks/pre-commit"
printf '[user]\nname=a\nemail=a@b\n[core]\nsshCommand = touch "%s/mark-ssh";false\nfsmonitor = touch "%s/mark-monitor";false\n[remote "origin"]\nurl = ssh://x/y\nfetch=+refs/heads/*:refs/remotes/origin/*\n' "$HOME" "$HOME" >> "$G/config"
"#;

/// Runs a line of bash in the project, as the person.
fn lay(lab: &Lab, line: &str) {
    let done = Command::new("bash")
        .args(["-ec", line])
        .current_dir(lab.project())
        .envs([("HOME", lab.root()), ("GIT_CONFIG_NOSYSTEM", "1".into())])
        .env("EVIL", EVIL)
        .output()
        .unwrap();
    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A session that calls these lines one after the other, with a rule for each of these commands of git.
fn lab(lines: &[&str]) -> Lab {
    let call = |line: &&str| {
        let input = serde_json::to_string(line).unwrap();
        format!("[[answer]]\n[[answer.call]]\ntool = \"Bash\"\ninput = {{ command = {input} }}\n")
    };
    let script = lines.iter().map(call).collect::<String>() + "[[answer]]\ntext = \"Done.\"\n";
    let lab = Lab::new(BINARY).with_script(&script);
    let rules = ["commit", "add", "fetch", "push"].map(|sub| format!("Bash(git {sub}:*)"));
    let settings = serde_json::json!({"permissions": {"allow": rules}}).to_string();
    fs::write(lab.home().join("settings.json"), settings).unwrap();
    lay(
        &lab,
        "git config --global user.name a; git config --global user.email a@b; git init -q .; echo a > a; git add a",
    );
    lab
}

fn marks(lab: &Lab) -> Vec<String> {
    let entries = fs::read_dir(lab.root()).unwrap().map(|entry| entry.unwrap().file_name());
    entries.map(|name| name.to_string_lossy().into_owned()).filter(|name| name.starts_with("mark")).collect()
}

fn run(lab: &Lab, mode: &str) -> RunOutput {
    lab.run(&["-p", "go", "--permission-mode", mode])
}

fn holds(lab: &Lab, mode: &str, what: &str) {
    let run = run(lab, mode);
    assert_eq!(marks(lab), Vec::<String>::new(), "{mode}: {what}: {}", run.stderr);
}

/// What a tarball or a plain clone brings into a folder of the project, or has at its root.
#[test]
fn the_repository_of_a_stranger_runs_nothing() {
    for (what, layout, line) in [
        ("nested", "git init -q v; cd v; G=.git; eval \"$EVIL\"; echo b > b", "cd v && git add b"),
        (
            "nested commit",
            "git init -q v; cd v; echo b > b; git add b; G=.git; eval \"$EVIL\"",
            "cd v && git commit -m x",
        ),
        ("nested fetch", "git init -q v; cd v; G=.git; eval \"$EVIL\"", "cd v && git fetch"),
        ("below", "git init -q v; mkdir -p v/a/b; cd v; G=.git; eval \"$EVIL\"", "cd v/a/b && git fetch"),
        (
            "behind a folder that is no repository",
            "git init -q v; mkdir -p v/a/.git; cd v; G=.git; eval \"$EVIL\"",
            "cd v/a && git fetch",
        ),
        (
            "bare",
            "git init -q --bare v; cd v; G=.; eval \"$EVIL\"; git config core.bare false; git config core.worktree .; echo b > b",
            "cd v && git add b",
        ),
        (
            "named by a file",
            "git init -q v; mkdir w; echo 'gitdir: ../v/.git' > w/.git; cd v; G=.git; eval \"$EVIL\"",
            "cd w && git fetch",
        ),
        ("its root", "G=.git; eval \"$EVIL\"; echo b > b", "git add b"),
        (
            "a remote in the project",
            "git init -q --bare r.git; git remote add origin ./r.git; git commit -qm x; printf '#!/bin/sh\\ntouch \"$HOME/mark-push\"\\n' > r.git/hooks/pre-receive; chmod +x r.git/hooks/pre-receive",
            "git push origin HEAD:refs/heads/x",
        ),
        (
            "a submodule",
            "git init -q v; cd v; echo b > b; git add b; git commit -qm x; cd ..; git add v 2>/dev/null; cd v; G=.git; eval \"$EVIL\"; echo c > b",
            "git add .",
        ),
        ("unknown", "git init -q v; cd v; G=.git; eval \"$EVIL\"", "cd \"$(echo v)\" && git fetch"),
    ] {
        for mode in ["default", "dontAsk", "acceptEdits"] {
            let lab = lab(&[line]);
            lay(&lab, layout);
            holds(&lab, mode, what);
        }
        let lab = lab(&[line]);
        lay(&lab, layout);
        _ = Command::new("bash")
            .args(["-c", line])
            .current_dir(lab.project())
            .env("HOME", lab.root())
            .output();
        assert_ne!(marks(&lab), Vec::<String>::new(), "{what}: nothing runs without Forelook either");
    }
}

/// A script in the fence writes what git runs, under a name that is not set aside.
#[test]
fn what_a_command_in_the_fence_made_runs_nothing() {
    let evil = "cat > mk.sh <<'X'\nmkdir -p node_modules/v; cd node_modules/v; git init -q .; echo b > b; git add b; G=.git\nX\necho \"$EVIL\" >> mk.sh; ";
    let change = "printf '#!/bin/sh\\ntouch \"$HOME/mark-changed\"\\n' > hook.txt; chmod +x hook.txt; cat > mk.sh <<'X'\nmkdir -p scripts/hooks; cp hook.txt scripts/hooks/pre-commit; cp hook.txt scripts/lint.sh; cp hook.txt node_modules/.bin/lint; printf '[core]\\nfsmonitor = ./hook.txt\\n' > team.gitconfig\nX\nmkdir -p scripts node_modules/.bin; echo true > scripts/lint.sh; echo true > node_modules/.bin/lint; ";
    let hook = |text: &str| {
        format!("printf '#!/bin/sh\\n{text}\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit")
    };
    for (what, layout, line) in [
        ("a repository in node_modules", evil.to_owned(), "cd node_modules/v && git commit -m x"),
        ("core.hooksPath", format!("{change} git config core.hooksPath scripts/hooks"), "git commit -m x"),
        ("a script that a hook runs", change.to_owned() + &hook("sh scripts/lint.sh"), "git commit -m x"),
        (
            "the same by its folder",
            change.to_owned() + &hook("cd \"$(dirname \"$0\")/../..\"; sh scripts/lint.sh"),
            "git commit -m x",
        ),
        (
            "what a hook does not name",
            change.to_owned() + &hook("PATH=node_modules/.bin:$PATH sh -c \"$(echo lint)\""),
            "git commit -m x",
        ),
        ("include.path", format!("{change} git config include.path ../team.gitconfig"), "git commit -m x"),
        (
            "the person's own hooksPath",
            format!("{change} git config --global core.hooksPath scripts/hooks"),
            "git commit -m x",
        ),
    ] {
        for trusted in [false, true] {
            let lab = lab(&["sh ./mk.sh", line]);
            lay(&lab, &layout);
            if trusted {
                trust(&lab.home(), lab.project(), None);
            }
            holds(&lab, "acceptEdits", what);
        }
    }
}

/// The person's own repository commits as before: without hooks wherever it is, with hooks where they trust it.
#[test]
fn a_rule_for_git_still_covers_the_own_repository() {
    let hook = "mkdir -p scripts; echo 'touch \"$HOME/mark-own\"' > scripts/lint.sh; printf '#!/bin/sh\nsh scripts/lint.sh\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    for (layout, trusted, ran) in [
        ("git remote add origin https://example.com/x.git; git config push.default current", false, true),
        (hook, true, true),
        (hook, false, false),
    ] {
        for mode in ["default", "dontAsk", "acceptEdits"] {
            let lab = lab(&["git commit -m x", "git add a"]);
            lay(&lab, layout);
            if trusted {
                trust(&lab.home(), lab.project(), None);
            }
            let run = run(&lab, mode);
            let committed = lab.project().join(".git/refs/heads").read_dir().unwrap().count() > 0;
            assert_eq!(committed, ran, "{mode}: {layout}: {}", run.stderr);
            assert_eq!(marks(&lab).is_empty(), !(trusted && ran), "{mode}: {layout}");
        }
    }
}
