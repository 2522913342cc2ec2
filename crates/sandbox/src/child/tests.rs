//! Real children: what they write, how they end, and that nothing of them is left.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::*;
use crate::{Caller, ChildEnv, ChildOutput, OutputStream, find_program};

const LONG: Duration = Duration::from_secs(20);
const GRACE: Duration = Duration::from_millis(200);

fn shell(script: &str) -> Program {
    let mut env = ChildEnv::default();
    env.set("PATH", "/usr/bin:/bin");
    let bash = find_program("bash", &env).unwrap();
    Program::new(bash, env, "/").arg("-c").arg(script)
}

async fn finish(child: &mut Child) -> (String, String, ChildExit) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    loop {
        match timeout(LONG, child.next()).await.expect("the child hangs") {
            ChildEvent::Output(OutputChunk { stream: OutputStream::Stdout, bytes }) => out.extend(bytes),
            ChildEvent::Output(OutputChunk { stream: OutputStream::Stderr, bytes }) => err.extend(bytes),
            ChildEvent::Ended(ending) => {
                return (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap(), ending);
            }
        }
    }
}

async fn run(program: Program) -> (String, String, ChildExit) {
    finish(&mut Child::spawn(&program).unwrap()).await
}

/// The processes of a group that still run (zombies that wait for init are not ours to count).
fn alive_in_group(group: i32) -> Vec<String> {
    let mut alive = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        if fields[2] == group.to_string() && fields[0] != "Z" {
            alive.push(stat);
        }
    }
    alive
}

async fn assert_group_gone(group: i32) {
    let start = Instant::now();
    while !alive_in_group(group).is_empty() {
        assert!(start.elapsed() < LONG, "still there: {:?}", alive_in_group(group));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn output_and_endings() {
    for (script, output, ending) in [
        ("true", "", ChildExit::Exited(0)),
        ("exit 3", "", ChildExit::Exited(3)),
        ("echo a; echo b >&2; echo c", "a\nb\nc\n", ChildExit::Exited(0)),
        ("cat; echo end", "end\n", ChildExit::Exited(0)),
        ("kill -KILL $$", "", ChildExit::Signalled(9)),
        ("exec >&- 2>&-; exit 4", "", ChildExit::Exited(4)),
        (
            "pwd; env | sort | grep -v -e ^_= -e ^SHLVL= -e ^PWD=",
            "/\nFORELOOK_IN_TOOL=1\nPATH=/usr/bin:/bin\n",
            ChildExit::Exited(0),
        ),
    ] {
        assert_eq!(run(shell(script)).await, (output.into(), String::new(), ending), "{script}");
    }
}

#[tokio::test]
async fn outputs_apart_and_input_given() {
    let mut program = shell("cat; echo e >&2");
    program.output = ChildOutput::Separate;
    program.input = ChildInput::Bytes(vec![b'x'; 300_000]);
    let (out, err, ending) = run(program).await;
    assert_eq!((out.len(), err.as_str(), ending), (300_000, "e\n", ChildExit::Exited(0)));
    let mut unread = shell("exit 0");
    unread.input = ChildInput::Bytes(vec![b'x'; 300_000]);
    assert_eq!(run(unread).await.2, ChildExit::Exited(0));
}

#[tokio::test]
async fn a_bare_name_or_a_missing_folder_is_an_error() {
    let bare = Program::new("bash", ChildEnv::default(), "/");
    assert!(Child::spawn(&bare).is_err());
    let mut nowhere = shell("true");
    nowhere.folder = "/no/such/folder".into();
    assert!(Child::spawn(&nowhere).is_err());
}

#[tokio::test]
async fn a_grandchild_that_keeps_the_pipe_does_not_hold_the_call() {
    for script in ["sleep 1000 & echo now", "sleep 1000 >/dev/null 2>&1 & echo now"] {
        let mut child = Child::spawn(&shell(script)).unwrap();
        let start = Instant::now();
        assert_eq!(finish(&mut child).await, ("now\n".into(), String::new(), ChildExit::Exited(0)));
        assert!(start.elapsed() < Duration::from_secs(5), "{script}");
        assert_group_gone(child.id()).await;
    }
}

#[tokio::test]
async fn a_grandchild_that_never_stops_talking_is_cut_off() {
    let mut child = Child::spawn(&shell("while :; do echo y; sleep 0.01; done & exit 5")).unwrap();
    assert_eq!(finish(&mut child).await.2, ChildExit::Exited(5));
    assert_group_gone(child.id()).await;
}

#[tokio::test]
async fn the_last_line_of_a_slower_part_is_taken() {
    let (out, ..) = run(shell("exec > >(cat); echo late")).await;
    assert_eq!(out, "late\n");
}

#[tokio::test]
async fn terminate_ends_the_whole_group() {
    for (script, ending) in [
        ("echo up; sleep 1000 & sleep 1000", ChildExit::Signalled(15)),
        ("trap 'echo bye; exit 7' TERM; echo up; sleep 1000 & wait", ChildExit::Exited(7)),
        ("trap '' TERM; echo up; while :; do sleep 0.05; done", ChildExit::Signalled(9)),
        ("echo up; kill -STOP $$", ChildExit::Signalled(15)),
    ] {
        let mut child = Child::spawn(&shell(script)).unwrap();
        assert!(matches!(child.next().await, ChildEvent::Output(_)), "{script}");
        child.terminate(GRACE);
        let (rest, _, ended) = finish(&mut child).await;
        assert_eq!(ended, ending, "{script}");
        assert_eq!(rest.contains("bye"), script.contains("bye"), "{script}");
        assert_group_gone(child.id()).await;
        assert_eq!(child.ended().await, ending);
    }
}

#[tokio::test]
async fn what_is_written_beside_comes_apart() {
    async fn beside(script: &str) -> (String, Option<Vec<u8>>) {
        let mut child = Child::spawn(&Program { side: Some(199), ..shell(script) }).unwrap();
        let (out, _, ending) = finish(&mut child).await;
        assert_eq!(ending, ChildExit::Exited(0), "{script}");
        (out, child.side_output().map(<[u8]>::to_vec))
    }
    for (script, out, side) in [
        ("echo a; echo b >&2; echo side >&199", "a\nb\n", "side\n"),
        ("exec >&- 2>&-; sleep 0.1; echo side >&199", "", "side\n"),
        // Who holds it does not hold the end.
        ("echo side >&199; setsid sleep 30 >/dev/null 2>&1 & sleep 0.05; echo now", "now\n", "side\n"),
        ("{ sleep 30 >/dev/null 2>&1 & } ; echo side >&199", "", "side\n"),
    ] {
        assert_eq!(beside(script).await, (out.into(), Some(side.into())), "{script}");
    }
    // More than a pipe holds, when the outputs are closed already; and more than is kept.
    let many = |count: usize| format!("exec >&- 2>&-; head -c {count} /dev/zero >&199");
    assert_eq!(beside(&many(300_000)).await.1, Some(vec![0; 300_000]));
    assert_eq!(beside(&many(3_000_000)).await.1, None);
}

#[tokio::test]
async fn there_is_no_terminal_to_wait_at() {
    let (out, ..) =
        run(shell("(: </dev/tty) 2>/dev/null || echo none; ps -o pgid= -p $$ | tr -d ' '; echo $$")).await;
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "none");
    assert_eq!(lines[1], lines[2], "it leads a group");
}

#[tokio::test]
async fn what_kills_from_elsewhere_does_so_once() {
    let mut child = Child::spawn(&shell("trap '' TERM; echo up; sleep 1000 & sleep 1000")).unwrap();
    assert!(matches!(child.next().await, ChildEvent::Output(_)));
    let kill_handle = child.kill_handle();
    kill_handle.kill();
    assert_eq!(finish(&mut child).await.2, ChildExit::Signalled(9));
    assert_group_gone(child.id()).await;
    kill_handle.kill();
}

#[tokio::test]
async fn who_left_the_group_does_not_hold_the_end() {
    let script = "setsid sleep 3 & trap '' TERM; echo up; while :; do sleep 0.05; done";
    let mut child = Child::spawn(&shell(script)).unwrap();
    assert!(matches!(child.next().await, ChildEvent::Output(_)));
    let start = Instant::now();
    child.terminate(GRACE);
    assert_eq!(finish(&mut child).await.2, ChildExit::Signalled(9));
    assert!(start.elapsed() < Duration::from_secs(2));
}

/// As `timeout` and shells with job control do. The mark is only in the command lines of these.
#[tokio::test]
async fn who_made_a_group_of_its_own_ends_too() {
    // One that runs for long is searched for on another thread.
    for (name, way) in [
        ("ended", "; true"),
        ("asked", "; wait"),
        ("killed", "; wait"),
        ("dropped", "; wait"),
        ("ended late", "; sleep 1.2"),
        ("asked late", "; wait"),
        ("dropped late", "; wait"),
    ] {
        let mark = format!("7{}{}", std::process::id(), name.len());
        let script = format!(
            "timeout 1000 sleep {mark} >/dev/null 2>&1 & bash -c 'set -m; sleep {mark} >/dev/null 2>&1 & true'; \
             until [ $(pgrep -cf '^sleep {mark}$') = 2 ]; do sleep 0.01; done; echo up{way}"
        );
        let mut child = Child::spawn(&shell(&script)).unwrap();
        assert!(matches!(child.next().await, ChildEvent::Output(_)), "{name}");
        if matches!(name, "asked late" | "dropped late") {
            tokio::time::sleep(NUMBERS_REPEAT + Duration::from_millis(100)).await;
        }
        match name {
            "asked" | "asked late" => child.terminate(GRACE),
            "killed" => child.kill_handle().kill(),
            _ => {}
        }
        if name.starts_with("dropped") {
            drop(child);
        } else {
            finish(&mut child).await;
        }
        let left = || std::process::Command::new("pgrep").args(["-f", &format!("^sleep {mark}$")]).output();
        let start = Instant::now();
        while !left().unwrap().stdout.is_empty() {
            assert!(start.elapsed() < LONG, "{name}: still running");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn dropping_kills_the_group_and_leaves_no_zombie() {
    let mut child = Child::spawn(&shell("trap '' TERM; echo up; sleep 1000 & sleep 1000")).unwrap();
    assert!(matches!(child.next().await, ChildEvent::Output(_)));
    let id = child.id();
    drop(child);
    assert_group_gone(id).await;
    let start = Instant::now();
    while Path::new(&format!("/proc/{id}")).exists() {
        assert!(start.elapsed() < LONG, "a zombie is left");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_all_end() {
    let mut running = tokio::task::JoinSet::new();
    for number in 0..50 {
        running.spawn(async move { (number, run(shell(&format!("echo {number}; exit {number}"))).await) });
    }
    while let Some(done) = running.join_next().await {
        let (number, (out, _, ending)) = done.unwrap();
        assert_eq!((out, ending), (format!("{number}\n"), ChildExit::Exited(number)));
    }
}

/// Whoever made the environment.
#[tokio::test]
async fn what_runs_for_a_model_is_told_so() {
    for (caller, given, expected) in [
        (Caller::Model, None, "1"),
        (Caller::Model, Some("0"), "1"),
        (Caller::FreeModel, None, "1"),
        (Caller::Person, None, "none"),
        // We run for a model ourselves.
        (Caller::Person, Some("1"), "1"),
    ] {
        let mut program = shell("echo ${FORELOOK_IN_TOOL-none}").run_for(caller);
        if let Some(given) = given {
            program.env.set(crate::MODEL_MARK, given);
        }
        assert_eq!(run(program).await.0.trim(), expected, "{caller:?} {given:?}");
    }
}

/// What a model starts is marked for good, and as root cannot look into others. What the person starts is not.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_runs_for_a_model_is_marked() {
    let line = "ulimit -Hx; (ulimit -Hx unlimited; ulimit -Hx) 2> /dev/null | tail -n 1; env -i setsid bash -c 'ulimit -Hx'; \
                grep CapBnd /proc/self/status | cut -f 2";
    let mut all = Vec::new();
    for caller in [Caller::Model, Caller::FreeModel, Caller::Person] {
        let (said, ..) = run(shell(line).run_for(caller)).await;
        all.push(said.lines().map(str::to_owned).collect::<Vec<_>>());
    }
    let [model, free, person] = &all[..] else { panic!("{all:?}") };
    assert!(!crate::runs_for_model(), "this test runs for nobody");
    let mark = &model[0];
    assert_eq!(model[..3], [mark.clone(), mark.clone(), mark.clone()], "it cannot be lifted");
    assert_ne!(mark, "unlimited");
    assert_eq!((&free[0], &person[0]), (mark, &"unlimited".to_owned()));
    let bounding = |said: &[String]| u64::from_str_radix(said.last().unwrap(), 16).unwrap();
    assert_eq!(bounding(free), bounding(person));
    let lost = if crate::is_root() { bounding(person) & (1 << 17 | 1 << 19 | 1 << 24) } else { 0 };
    assert_eq!(bounding(person) & !bounding(model), lost);
}
