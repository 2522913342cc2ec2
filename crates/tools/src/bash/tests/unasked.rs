//! A line that was let through without a question, for what its text does: what earlier commands set must not reach its programs.

use std::os::unix::fs::PermissionsExt;

use super::run;
use crate::testing::Bench;

/// A bench in which every program that is hit leaves a mark.
async fn bench() -> Bench {
    let mut bench = Bench::new();
    for name in ["ls", "git", "cat", "evil", "pager"] {
        let path = bench.file(name, format!("#!/bin/sh\necho hit >>'{}'\n", bench.path("mark")));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    bench.file("rc", format!("echo hit >>'{}'\n", bench.path("mark")));
    let git = "-c user.name=t -c user.email=t@example.com";
    bench.ok("Bash", run(&format!("mkdir bin; mv ls git cat bin; /usr/bin/git init -q . && /usr/bin/git {git} commit -q --allow-empty -m first"))).await;
    bench
}

async fn attack(bench: &mut Bench, command: &str) {
    bench.options.auto_allowed = false;
    bench.options.harden_git = false;
    let outcome = bench.call("Bash", run(command)).await;
    assert!(!outcome.result.is_error, "{command}: {}", outcome.result.text());
    bench.options.auto_allowed = true;
}

#[tokio::test]
async fn nothing_that_was_set_takes_effect() {
    for command in [
        "export PATH=$PWD/bin:$PATH",
        "export PATH=$PWD/bin",
        "export LD_PRELOAD=$PWD/evil LD_AUDIT=$PWD/evil",
        "export GIT_PAGER=$PWD/pager PAGER=$PWD/pager GIT_EXTERNAL_DIFF=$PWD/evil GIT_SSH_COMMAND=$PWD/evil",
        "export GIT_DIR=/nowhere GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=$PWD/evil",
        "export GIT_CONFIG_GLOBAL=$PWD/evil GIT_EXEC_PATH=$PWD/bin",
        "export BASH_ENV=$PWD/rc ENV=$PWD/rc",
        "export PROMPT_COMMAND=$PWD/evil PS4='$(./evil)' SHELLOPTS BASHOPTS; set -x",
        "ls() { ./evil; }; git() { ./evil; }; export -f ls git",
        "export IFS=/ GLOBIGNORE='*' CDPATH=/ POSIXLY_CORRECT=1 FUNCNEST=1",
        "shopt -s expand_aliases; alias ls=$PWD/evil git=$PWD/evil",
        "export 'x=a[$(./evil)]' y='`./evil`'",
        "trap ./evil DEBUG; trap - DEBUG; hash -p $PWD/bin/ls ls; enable -n echo; export HOME=$PWD TMPDIR=$PWD LC_ALL=zz",
        "env 'BASH_FUNC_ls%%=() { ./evil; }' true; export BASH_FUNC_ls='() { ./evil; }'",
    ] {
        let mut bench = bench().await;
        attack(&mut bench, command).await;
        std::fs::remove_file(bench.path("mark")).ok();
        for (line, expected) in [
            ("ls bin", "cat\ngit\nls"),
            ("git log --format=%s", "first"),
            ("git diff HEAD", "(no output)"),
            ("echo $x", ""),
            ("cat rc | wc -l", "1"),
        ] {
            for quiet in [true, false] {
                bench.options.harden_git = quiet;
                let text = bench.ok("Bash", run(line)).await;
                let own: Vec<&str> = text.lines().filter(|line| !line.starts_with('[')).collect();
                let fits = expected.is_empty() || own.join("\n") == expected;
                assert!(fits, "after {command}: {line}: {text}");
            }
        }
        // And the shell's own way of reading.
        let text =
            bench.ok("Bash", run("v='a/b c'; for w in $v; do echo $w; done; echo *rc; echo $((1+1))")).await;
        assert_eq!(text, "a/b\nc\nrc\n2", "after {command}");
        assert!(!bench.path("mark").as_path().exists(), "hit after {command}");
    }
}

#[tokio::test]
async fn programs_get_the_environment_that_the_session_began_with() {
    let mut bench = bench().await;
    bench.options.auto_allowed = true;
    let before = bench.ok("Bash", run("env | grep -v ^_= | sort")).await;
    attack(&mut bench, "export x=1 dir=/tmp PATH=$PWD/bin:$PATH TERM=xterm; unset PAGER").await;
    assert_eq!(bench.ok("Bash", run("env | grep -v ^_= | sort")).await, before);
    // The shell alone may see them, as long as it cannot hand them on.
    assert_eq!(bench.ok("Bash", run("echo $x $dir; printenv x dir; true")).await, "1 /tmp");
    let text = bench.ok("Bash", run("export x; printenv x; true; echo $x")).await;
    assert!(text.contains("made to `x` were ignored"), "{text}");
    assert!(!text.contains("\n1"), "{text}");
    // What it misses is told.
    let text = bench.ok("Bash", run("echo $TERM")).await;
    assert!(
        text.starts_with("dumb\n[This command ran without approval") && text.contains("`TERM`"),
        "{text}"
    );
    let text = bench.ok("Bash", run("git --version")).await;
    assert!(text.starts_with("git version") && text.contains("`git` was not `"), "{text}");
}

#[tokio::test]
async fn a_line_that_only_reads_leaves_nothing_but_its_folder() {
    let mut bench = bench().await;
    attack(&mut bench, "export x=1").await;
    bench.ok("Bash", run("x=2; y=3; cd bin")).await;
    bench.options.auto_allowed = false;
    assert_eq!(bench.ok("Bash", run("echo $x ${y-none} ${PWD##*/}")).await, "1 none bin");
}
