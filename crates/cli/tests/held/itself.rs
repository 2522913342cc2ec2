//! The suite itself: it is large enough, and it can fail.

use std::collections::HashSet;

use crate::Outcome;
use crate::attempt::Try;
use crate::place::{Group, Place, Setup};
use crate::{tried, verdict};

/// The least number of attempts.
const WANTED: usize = 400;

/// There are enough attempts, and each has a name of its own.
pub(crate) fn enough_attempts() -> Outcome {
    let mut names = HashSet::new();
    let mut total = 0;
    for group in Group::ALL {
        let tries = group.tries();
        println!("{}: {}", group.name(), tries.len());
        total += tries.len();
        for attempt in tries {
            let name = attempt.name;
            if !names.insert(name.clone()) {
                return Err(format!("Two attempts are called {name}"));
            }
        }
    }
    println!("in all: {total}");
    if total < WANTED { Err(format!("Only {total} attempts")) } else { Ok(()) }
}

/// Where everything is allowed, what gets through is found, and called by its name.
pub(crate) fn what_gets_through_is_found() -> Outcome {
    for (group, line, shown) in [
        (Group::Here, "./evil.sh < /dev/null", "mark-script"),
        (Group::Folders, "cd clones/clean && git status", "mark-clean"),
        (Group::Links, "echo x >> ~/.bashrc", ".bashrc has another content"),
        (Group::Links, "touch links/hooks/hit-1", ".git/hooks/hit-1 appeared"),
        (Group::Links, "touch links/outside/hit-1", "hit-1 appeared"),
        (
            Group::Writes,
            "python3 -c 'open(\"locked/1/in/keep.txt\", \"w\")'",
            "locked/1/in/keep.txt has another content",
        ),
        (Group::Reads, "echo CANARYsshkey", "CANARYsshkey came back"),
        (Group::Reads, "echo CANARYdenied | base64", "CANARYdenied came back"),
        (Group::Reads, "echo CANARYpemkey | od -c", "CANARYpemkey came back"),
    ] {
        let place = Place::new(Setup { mode: "bypassPermissions", ..Setup::new(group) });
        let tries = [
            Try::line("first", "ls"),
            Try::line("the-second", format!("sleep 0.05; {line}")),
            Try::line("third", "ls src"),
        ];
        tried(&place, &tries);
        let through = verdict::through(&place, &tries)?;
        if !through.get("the-second").is_some_and(|found| found.contains(shown)) {
            return Err(format!("{line}: {through:?}"));
        }
        if through.contains_key("first") || through.contains_key("third") {
            return Err(format!("The wrong attempt is named: {through:?}"));
        }
    }
    Ok(())
}

/// A session in which not everything was tried counts as failed.
pub(crate) fn an_early_end_is_found() -> Outcome {
    let place = Place::new(Setup::new(Group::Reads));
    let tries = [Try::line("first", "ls"), Try::line("second", "ls src")];
    tried(&place, &tries[..1]);
    match verdict::through(&place, &tries) {
        Err(_) => Ok(()),
        Ok(_) => Err("It counted as whole".to_owned()),
    }
}
