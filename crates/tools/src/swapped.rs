//! Attacks on files: a folder is swapped for a link, over and over, while tools read and write below it.
//!
//! A call is decided on by its real path, and runs only if that is inside the project, as the permissions would have it.
//! Then nothing outside may change, and nothing from there may be shown, however the swaps fall.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use forelook_protocol::Action;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use crate::testing::{Bench, passed_as_nobody, run};

const ROUNDS: usize = 1500;
const SECRET: &str = "SECRET";

/// A project with `dir/`, and beside the project a folder of the same layout that nobody may touch.
struct Scene {
    bench: Bench,
    outside: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let bench = Bench::new();
        let outside = bench.cx.place.project.parent().unwrap().join("outside").as_path().to_path_buf();
        std::fs::create_dir(bench.path("dir")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        bench.file("dir/file", "inside\n");
        bench.file("dir/book.ipynb", NOTEBOOK);
        std::fs::write(outside.join("file"), SECRET).unwrap();
        std::fs::write(outside.join("book.ipynb"), NOTEBOOK.replace("inside", SECRET)).unwrap();
        symlink(&outside, bench.path("swap")).unwrap();
        Self { bench, outside }
    }

    /// Everything outside, by name.
    fn outside(&self) -> Vec<(String, Vec<u8>)> {
        let mut all: Vec<_> = std::fs::read_dir(&self.outside)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                let bytes = std::fs::read(entry.path()).unwrap_or_default();
                (entry.file_name().into_string().unwrap(), bytes)
            })
            .collect();
        all.sort();
        all
    }

    /// Runs a call if it is decided to be inside. What it showed, if it succeeded.
    async fn attempt(&mut self, tool: &str, input: Value) -> Attempt {
        let parsed = self.bench.parsed(tool, &input);
        let Ok(action) = parsed.action(&self.bench.cx.place) else { return Attempt::Refused };
        let real = match &action {
            Action::Read { file } | Action::Edit { file } => file.real.clone(),
            _ => panic!("{action:?}"),
        };
        if !real.is_inside(&self.bench.cx.place.project) {
            return Attempt::Refused;
        }
        self.bench.cx.action = action;
        let outcome = run(&parsed, self.bench.cx.clone()).await;
        match outcome.result.is_error {
            true => Attempt::Failed(outcome.result.text()),
            false => Attempt::Done(outcome.result.text()),
        }
    }
}

#[derive(Debug)]
enum Attempt {
    Refused,
    Failed(String),
    Done(String),
}

const NOTEBOOK: &str = r##"{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["inside"]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
"##;

/// Swaps until it is dropped, and leaves the folder as a folder.
struct Swapper(Arc<AtomicBool>, Option<std::thread::JoinHandle<()>>);

impl Swapper {
    fn start(scene: &Scene) -> Self {
        let (dir, link) = (scene.bench.path("dir"), scene.bench.path("swap"));
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let swap = || renameat_with(CWD, dir.as_path(), CWD, link.as_path(), RenameFlags::EXCHANGE);
            while !until.load(Ordering::Relaxed) {
                swap().unwrap();
                swap().unwrap();
            }
        });
        Self(stop, Some(thread))
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        let _ = self.1.take().map(std::thread::JoinHandle::join);
    }
}

/// Plays every call of a round so often; nothing outside changes or is shown.
async fn attack(calls: impl Fn(usize) -> Vec<(&'static str, Value)>) {
    let mut scene = Scene::new();
    let before = scene.outside();
    // What the model has seen, so that an edit gets as far as the write.
    for (name, bytes) in [("dir/file", "inside\n"), ("dir/book.ipynb", NOTEBOOK), ("dir/file", SECRET)] {
        scene.bench.saw(name, bytes);
    }
    let (mut done, mut stopped) = (0, 0);
    let swapper = Swapper::start(&scene);
    for round in 0..ROUNDS {
        for (tool, input) in calls(round) {
            match scene.attempt(tool, input).await {
                Attempt::Done(text) | Attempt::Failed(text) if text.contains(SECRET) => {
                    panic!("{tool} showed what is outside: {text}")
                }
                Attempt::Done(_) => done += 1,
                Attempt::Failed(_) | Attempt::Refused => stopped += 1,
            }
        }
    }
    drop(swapper);
    assert_eq!(scene.outside(), before);
    assert!(done > 0 && stopped > 0, "the race was not run: {done} done, {stopped} stopped");
}

fn edits(round: usize) -> Vec<(&'static str, Value)> {
    let (old, new) = if round.is_multiple_of(2) { ("inside", "changed") } else { ("changed", "inside") };
    vec![
        ("Write", json!({"file_path": format!("dir/new-{round}"), "content": "written"})),
        ("Write", json!({"file_path": format!("dir/deep-{round}/a/b"), "content": "written"})),
        ("Edit", json!({"file_path": "dir/file", "old_string": old, "new_string": new})),
        ("Edit", json!({"file_path": "dir/file", "old_string": SECRET, "new_string": "changed"})),
        ("Write", json!({"file_path": "dir/file", "content": "inside\n"})),
        (
            "NotebookEdit",
            json!({"notebook_path": "dir/book.ipynb", "cell_id": "cell-0", "new_source": format!("{round}")}),
        ),
    ]
}

fn reads(_: usize) -> Vec<(&'static str, Value)> {
    vec![
        ("Read", json!({"file_path": "dir/file"})),
        ("Read", json!({"file_path": "dir/book.ipynb"})),
        ("Grep", json!({"pattern": "SEC|ins", "path": "dir/file", "output_mode": "content"})),
        ("Grep", json!({"pattern": "SEC|ins", "path": "dir", "output_mode": "content"})),
    ]
}

#[tokio::test]
async fn nothing_is_written_outside_while_a_folder_and_a_link_are_swapped() {
    attack(edits).await;
}

#[tokio::test]
async fn nothing_outside_is_shown_while_a_folder_and_a_link_are_swapped() {
    attack(reads).await;
}

#[tokio::test]
async fn nothing_is_written_outside_as_nobody() {
    if passed_as_nobody("swapped::nothing_is_written_outside_as_nobody") {
        return;
    }
    attack(edits).await;
}
