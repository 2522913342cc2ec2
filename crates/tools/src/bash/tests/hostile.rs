//! Commands that misbehave: nothing hangs, nothing is lost, nothing is left.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::{assert_ends, is_running, run};
use crate::OutputSink;
use crate::testing::Bench;

#[tokio::test]
async fn a_gigabyte() {
    let mut bench = Bench::new();
    // The bench would keep all that it is shown.
    bench.cx.output = OutputSink::default();
    let text = bench.ok("Bash", json!({"command": "yes | head -c 1G; echo end", "timeout": 600_000})).await;
    assert!(text.starts_with("y\ny\n") && text.ends_with("y\nend"));
    assert!(text.contains("characters left out here; the first 64 MiB are in"), "{}", &text[..200]);
    assert!(text.len() < 31_000, "{}", text.len());
}

#[tokio::test]
async fn who_closes_the_output_and_lives_on_is_waited_for() {
    let mut bench = Bench::new();
    let file = bench.path("late");
    bench.ok("Bash", run(&format!("exec >&- 2>&-; sleep 0.5; echo late >'{file}'"))).await;
    assert_eq!(bench.bytes("late"), b"late\n");
}

#[tokio::test]
async fn who_ignores_the_polite_signal_is_killed() {
    let mut bench = Bench::new();
    let marker = format!("1000.{}5", std::process::id());
    let command = format!("trap '' TERM; echo begun; sleep {marker}; sleep {marker}");
    let text = bench.failure("Bash", json!({"command": command, "timeout": 1500})).await;
    assert!(text.starts_with("begun\nTimed out"), "{text}");
    assert_ends(&marker).await;
}

/// Whoever interrupts waits for the end, perhaps of the whole program.
#[tokio::test]
async fn who_ignores_an_interrupt_is_killed_within_a_second() {
    let mut bench = Bench::new();
    let marker = format!("1000.{}7", std::process::id());
    let (cancel, asked) = (bench.cx.cancel.clone(), Arc::new(OnceLock::new()));
    let at = Arc::clone(&asked);
    bench.cx.output = OutputSink::new(move |_: &str| {
        at.get_or_init(Instant::now);
        cancel.cancel();
    });
    // One that nobody's signal reaches holds the output as well.
    let command = format!(
        "trap '' TERM INT HUP; setsid sleep 5 & sleep 0.2; echo begun; sleep {marker}; sleep {marker}"
    );
    let text = bench.failure("Bash", run(&command)).await;
    assert!(text.starts_with("begun\nInterrupted"), "{text}");
    let took = asked.get().unwrap().elapsed();
    // The kills themselves take their time on a machine that is busy.
    assert!(took < Duration::from_millis(1500), "{took:?}");
    assert_ends(&marker).await;
}

#[tokio::test]
async fn a_daemon_does_not_hold_the_call() {
    let mut bench = Bench::new();
    let marker = format!("1000.{}6", std::process::id());
    // It has a session of its own, and holds every descriptor it was given.
    let command = format!("setsid sleep {marker} & sleep 0.2; cd /; export V=1; echo $!");
    let daemon = bench.ok("Bash", run(&command)).await;
    assert_eq!(bench.ok("Bash", run("pwd; echo $V")).await, "/\n1");
    assert!(is_running(&marker), "what leaves on purpose is left alone");
    bench.ok("Bash", run(&format!("kill {daemon}"))).await;
    assert_ends(&marker).await;
}

#[tokio::test]
async fn a_full_disk_is_told() {
    let mut bench = Bench::new();
    let name = format!("bash-{}.txt", &crate::seen::hash(bench.cx.call.0.as_bytes())[..16]);
    std::fs::create_dir_all(&bench.services.scratch).unwrap();
    std::os::unix::fs::symlink("/dev/full", bench.services.scratch.join(name)).unwrap();
    let text = bench.ok("Bash", run("seq 1 100000")).await;
    assert!(
        text.contains("the full output could not be saved") && text.ends_with("100000"),
        "{}",
        &text[..300]
    );
}

#[tokio::test]
async fn bytes_of_any_kind_become_text() {
    let mut bench = Bench::new();
    let text = bench.ok("Bash", run("head -c 20000 /dev/urandom; echo; echo end")).await;
    assert!(text.ends_with("\nend") && !text.contains(['\x1b', '\0', '\x08', '\r']));
}

#[tokio::test]
async fn no_zombie_is_left() {
    let mut bench = Bench::new();
    for _ in 0..20 {
        bench.ok("Bash", run("true & sleep 0 & (true &) ; true")).await;
    }
    let me = std::process::id().to_string();
    let zombies = || {
        let stats = std::fs::read_dir("/proc").unwrap().flatten();
        stats
            .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
            .filter(|stat| {
                let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
                // Other tests of this program may have one for a moment; ours are called bash.
                fields[0] == "Z" && fields[1] == me && stat.contains("(bash)")
            })
            .count()
    };
    for _ in 0..200 {
        if zombies() == 0 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{} zombies are left", zombies());
}
