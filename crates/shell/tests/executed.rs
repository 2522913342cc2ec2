//! Proof by running: every nasty line changes the folder, every harmless one leaves it alone.
//!
//! Runs in namespaces of its own (mounts, network, processes) on a tmpfs, with everything else read-only. Without the
//! right to make namespaces the test says so and passes, unless `FORELOOK_REQUIRE_NAMESPACES` is set.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::Line;

/// More than cores: lines sleep and wait for time-outs.
const WORKERS: usize = 4;

#[test]
fn labels_are_proven() {
    if !namespaces_work() {
        assert!(std::env::var_os("FORELOOK_REQUIRE_NAMESPACES").is_none(), "no namespaces here");
        println!("no namespaces here: nothing was run");
        return;
    }
    let mut skipped = Vec::new();
    let mut cases: Vec<(Line, bool)> = Vec::new();
    let all = common::nasty()
        .into_iter()
        .map(|l| (l, true))
        .chain(common::read_only().into_iter().map(|l| (l, false)));
    for (line, changes) in all {
        match (&line.unproven, &line.needs) {
            (Some(why), _) => skipped.push(format!("{:?} ({why})", line.text)),
            (None, Some(tool)) if !installed(tool) => skipped.push(format!("{:?} (no {tool})", line.text)),
            _ => cases.push((line, changes)),
        }
    }
    println!("{} lines not run:\n{}", skipped.len(), skipped.join("\n"));
    let results = run_all(&cases);
    let mut wrong = Vec::new();
    for (index, (line, changes)) in cases.iter().enumerate() {
        match results.get(&index) {
            Some(Ok(())) if *changes => {
                wrong.push(format!("labelled nasty, changed nothing: {:?}", line.text))
            }
            Some(Err(what)) if !changes => {
                wrong.push(format!("labelled read-only, changed: {:?}: {what}", line.text))
            }
            Some(_) => {}
            None => wrong.push(format!("no result: {:?}", line.text)),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What each case did: `Ok` for nothing.
fn run_all(cases: &[(Line, bool)]) -> BTreeMap<usize, Result<(), String>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let workers: Vec<_> = (0..WORKERS)
        .map(|worker| {
            let mine: Vec<(usize, String)> = cases
                .iter()
                .enumerate()
                .filter(|(i, _)| i % WORKERS == worker)
                .map(|(i, (l, _))| (i, l.text.clone()))
                .collect();
            let base = folder.join(format!("run-{}-{worker}", std::process::id()));
            std::thread::spawn(move || run_some(&base, &mine))
        })
        .collect();
    workers.into_iter().flat_map(|w| w.join().unwrap()).collect()
}

fn run_some(base: &Path, lines: &[(usize, String)]) -> Vec<(usize, Result<(), String>)> {
    std::fs::create_dir_all(base).unwrap();
    let list = base.with_extension("list");
    std::fs::write(&list, lines.iter().flat_map(|(_, l)| [l.as_bytes(), &[0]].concat()).collect::<Vec<u8>>())
        .unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let home = std::env::var("HOME").unwrap_or_default();
    let output = namespace()
        .args([
            "bash".as_ref(),
            corpus.join("drive.sh").as_os_str(),
            corpus.as_os_str(),
            base.as_os_str(),
            list.as_os_str(),
        ])
        .env("CARGO_HOME", std::env::var("CARGO_HOME").unwrap_or(format!("{home}/.cargo")))
        .env("RUSTUP_HOME", std::env::var("RUSTUP_HOME").unwrap_or(format!("{home}/.rustup")))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let _ = std::fs::remove_dir_all(base);
    let _ = std::fs::remove_file(&list);
    text.lines()
        .filter_map(|row| {
            let mut fields = row.splitn(3, '\t');
            let index: usize = fields.next()?.parse().ok()?;
            let same = fields.next()? == "same";
            let what = fields.next().unwrap_or("").to_owned();
            Some((lines.get(index)?.0, if same { Ok(()) } else { Err(what) }))
        })
        .collect()
}

fn namespace() -> Command {
    let mut command = Command::new("unshare");
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.starts_with(b"0"));
    if !root {
        command.arg("-r");
    }
    command.args(["-mnp", "--fork", "--kill-child", "--mount-proc"]);
    command
}

fn namespaces_work() -> bool {
    namespace()
        .args(["mount", "-t", "tmpfs", "tmpfs", env!("CARGO_TARGET_TMPDIR")])
        .output()
        .is_ok_and(|o| o.status.success())
}

fn installed(tool: &str) -> bool {
    Command::new("sh").args(["-c", &format!("command -v {tool}")]).output().is_ok_and(|o| o.status.success())
}
