//! Variables that later calls find.

use super::run;
use crate::testing::Bench;

async fn says(bench: &mut Bench, command: &str, expected: &str) {
    assert_eq!(bench.ok("Bash", run(command)).await, expected, "{command}");
}

#[tokio::test]
async fn exported_variables_are_kept_and_unset_ones_go() {
    let mut bench = Bench::new();
    says(&mut bench, "export A=1 B=\"it's\n\\\"two\\\" \\$x é\"; C=3", "(no output)").await;
    says(&mut bench, "echo \"$A|$B|${C-none}\"; printenv A", "1|it's\n\"two\" $x é|none\n1").await;
    says(&mut bench, "unset A; export B=b", "(no output)").await;
    says(&mut bench, "echo \"${A-none} $B\"; unset B", "none b").await;
    says(&mut bench, "echo \"${A-none} ${B-none}\"", "none none").await;
    // One that the session began with.
    says(&mut bench, "unset GIT_PAGER", "(no output)").await;
    says(&mut bench, "echo \"${GIT_PAGER-none}\"", "none").await;
}

#[tokio::test]
async fn a_virtual_environment_stays_active() {
    let mut bench = Bench::new();
    bench.file("tool", "#!/bin/sh\necho mine\n");
    bench
        .file("activate", "export VIRTUAL_ENV=\"$PWD/venv\"\nPATH=\"$VIRTUAL_ENV/bin:$PATH\"\nexport PATH\n");
    says(
        &mut bench,
        "mkdir -p venv/bin && chmod +x tool && mv tool venv/bin && source ./activate",
        "(no output)",
    )
    .await;
    says(&mut bench, "cd /; tool; echo ${VIRTUAL_ENV##*/}", "mine\nvenv").await;
}

#[tokio::test]
async fn however_a_shell_ends() {
    let mut bench = Bench::new();
    for (command, kept) in [
        ("export V=a; exit 3", "a"),
        ("set -eu; export V=b; false; export V=no", "b"),
        ("set -u; export V=c; echo $none", "c"),
        ("f() { export V=d; exit 1; }; f", "d"),
        ("readonly V=e; export V", "e"),
        ("export V=f; trap 'echo mine' EXIT", "f"),
        ("set -o posix; export V=g", "g"),
        ("set -x; export V=h", "h"),
        ("set -C; set -f; set -a; V=i", "i"),
        ("export V=j; cd /; (export V=no); bash -c 'export V=no'", "j"),
        ("pwd() { echo no; }; printf() { echo no; }; export V=k", "k"),
        // These tell nothing, so nothing changes.
        ("export V=no; trap 'echo mine' EXIT; exit 0", "k"),
        ("export V=no; exec true", "k"),
        ("export V=no; kill -KILL $$", "k"),
        ("export V=no; exec 199>&-", "k"),
        ("trap 'echo dbg' DEBUG; export V=no", "k"),
        ("export V=no; if then", "k"),
    ] {
        bench.call("Bash", run(command)).await;
        says(&mut bench, "echo $V", kept).await;
        bench.cx.place.folder = bench.cx.place.project.clone();
    }
}

#[tokio::test]
async fn a_time_out_changes_nothing_and_too_much_is_told() {
    let mut bench = Bench::new();
    let command = serde_json::json!({"command": "export V=1; sleep 100", "timeout": 300});
    bench.failure("Bash", command).await;
    says(&mut bench, "echo ${V-none}", "none").await;
    let text = bench.ok("Bash", run("W=$(head -c 70000 /dev/zero | tr '\\0' x); export V=1 W X=$W")).await;
    assert!(text.contains("too large to keep"), "{text}");
    says(&mut bench, "echo ${V-none}", "none").await;
    let many = "for i in {1..30}; do export V$i=$(head -c 100000 /dev/zero | tr '\\0' x); done";
    bench.ok("Bash", run(many)).await;
    says(&mut bench, "echo ${V1-none}", "none").await;
}

#[tokio::test]
async fn what_gives_a_line_another_meaning_is_not_kept() {
    let mut bench = Bench::new();
    let text = bench.ok("Bash", run("export HOME=/nowhere CDPATH=/ IFS=x BASH_ENV=evil")).await;
    assert_eq!(text, "(no output)\n[Not kept for the next call: `BASH_ENV`, `CDPATH`, `HOME`, `IFS`]");
    let home = std::env::var("HOME").unwrap();
    says(&mut bench, "echo ~ \"${CDPATH-none}\" \"${BASH_ENV-none}\"", &format!("{home} none none")).await;
    // Functions and aliases are not variables.
    says(
        &mut bench,
        "ls() { echo evil; }; export -f ls; shopt -s expand_aliases; alias cat='echo evil'",
        "(no output)",
    )
    .await;
    assert_eq!(
        bench.failure("Bash", run("ls; echo fine | cat; env | grep -c FUNC_ls")).await,
        "fine\n0\nExit code 1"
    );
}

#[tokio::test]
async fn calls_beside_each_other_keep_each_others_changes() {
    let mut bench = Bench::new();
    let cx = bench.cx.clone();
    let call = |line| bench.parsed("Bash", &run(line));
    let (slow, quick) = (call("export A=1; sleep 0.3"), call("export B=2"));
    let slow = crate::testing::run(&slow, cx.clone());
    let quick = crate::testing::run(&quick, cx);
    let (slow, quick) = tokio::join!(slow, quick);
    assert!(!slow.result.is_error && !quick.result.is_error);
    says(&mut bench, "echo $A $B", "1 2").await;
}
