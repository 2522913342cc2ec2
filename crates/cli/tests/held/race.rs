//! A script that swaps a folder and a link, again and again, while files are written below that name.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::attempt::Try;
use crate::control::bash;
use crate::place::{Group, Place, Setup};
use crate::{Outcome, tried};

/// So many writes; without a guard about half of them would go through the link.
const WRITES: usize = 300;

/// Swaps until it is dropped.
struct Swapper {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Swapper {
    /// `swap` is a folder of the project, or a link to one outside.
    fn new(project: &Path, outside: &Path) -> Self {
        let (swap, link) = (project.join("swap"), project.join("swap-link"));
        std::fs::create_dir(&swap).unwrap();
        std::os::unix::fs::symlink(outside, &link).unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                renameat_with(CWD, &swap, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        Self { is_over, thread: Some(thread) }
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A place, and a folder outside of its project that must stay empty.
fn place() -> (Place, PathBuf) {
    let place = Place::new(Setup { mode: "acceptEdits", ..Setup::new(Group::Links) });
    let outside = place.lab.root().join("raced");
    std::fs::create_dir(&outside).unwrap();
    (place, outside)
}

fn count(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

/// No write of the tools ends up behind the link.
pub(crate) fn write() -> Outcome {
    let (place, outside) = place();
    let write = |at: usize| {
        let input = json!({"file_path": format!("swap/file-{at}"), "content": "x\n"});
        Try::tool(format!("race/{at}"), "Write", input, "")
    };
    let tries: Vec<Try> = (0..WRITES).map(write).collect();
    let swapper = Swapper::new(place.lab.project(), &outside);
    tried(&place, &tries);
    drop(swapper);
    match count(&outside) {
        0 => Ok(()),
        some => Err(format!("{some} of {WRITES} writes went through the link")),
    }
}

/// Without Forelook some do.
pub(crate) fn control() -> Outcome {
    let (place, outside) = place();
    let swapper = Swapper::new(place.lab.project(), &outside);
    bash(&place, &format!("for i in $(seq {WRITES}); do echo x > swap/file-$i; done"));
    drop(swapper);
    if count(&outside) > 0 { Ok(()) } else { Err("No write went through the link".to_owned()) }
}
