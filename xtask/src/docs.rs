//! Pages of `docs/` that are made from the program's own tables.
//!
//! The settings crate prints them (an example of it): linking it here would make every chore wait
//! for its dependencies.

use std::path::PathBuf;

use crate::run::{Done, cargo, output, root};

/// Page names; each is a word that the example understands and a file in `docs/`.
const PAGES: &[&str] = &["settings", "environment"];

/// Writes the pages.
pub(crate) fn write() -> Done {
    for page in PAGES {
        let path = place(page);
        std::fs::write(&path, made(page)?)
            .map_err(|error| format!("Cannot write `docs/{page}.md`: {error}"))?;
        println!("wrote docs/{page}.md");
    }
    Ok(())
}

/// The pages that are not what the program would print now.
pub(crate) fn stale() -> Done<Vec<String>> {
    let mut stale = Vec::new();
    for page in PAGES {
        if std::fs::read_to_string(place(page)).ok() != Some(made(page)?) {
            stale.push(format!("`docs/{page}.md` is not fresh: run `cargo xtask docs`"));
        }
    }
    Ok(stale)
}

fn place(page: &str) -> PathBuf {
    root().join("docs").join(format!("{page}.md"))
}

fn made(page: &str) -> Done<String> {
    output(&mut cargo(&["run", "-q", "-p", "forelook-settings", "--example", "print_docs", "--", page]))
}
