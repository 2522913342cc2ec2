//! Pages of `docs/` that are made from the program's own tables.
//!
//! Examples of the crates print them: linking those crates here would make every chore wait
//! for their dependencies.

use std::path::PathBuf;

use crate::run::{XtaskResult, cargo, output, root};

/// A file in `docs/`, and what prints it.
struct Page {
    file: &'static str,
    package: &'static str,
    example: &'static str,
    arguments: &'static [&'static str],
}

const PAGES: &[Page] = &[
    Page {
        file: "settings.md",
        package: "forelook-settings",
        example: "print_docs",
        arguments: &["settings"],
    },
    Page {
        file: "environment.md",
        package: "forelook-settings",
        example: "print_docs",
        arguments: &["environment"],
    },
    Page {
        file: "mode-transitions.md",
        package: "forelook-permissions",
        example: "print_transitions",
        arguments: &[],
    },
    Page { file: "tools.md", package: "forelook-engine", example: "print_tools", arguments: &[] },
    Page {
        file: "protocol.schema.json",
        package: "forelook-protocol",
        example: "print_schema",
        arguments: &[],
    },
];

/// Writes the pages.
pub(crate) fn write() -> XtaskResult {
    for page in PAGES {
        let file = page.file;
        std::fs::write(page.place(), page.made()?)
            .map_err(|error| format!("Cannot write `docs/{file}`: {error}"))?;
        println!("wrote docs/{file}");
    }
    Ok(())
}

/// The pages that are not what the program would print now.
pub(crate) fn stale() -> XtaskResult<Vec<String>> {
    let mut stale = Vec::new();
    for page in PAGES {
        if std::fs::read_to_string(page.place()).ok() != Some(page.made()?) {
            stale.push(format!("`docs/{}` is out of date: run `cargo xtask docs`", page.file));
        }
    }
    Ok(stale)
}

impl Page {
    fn place(&self) -> PathBuf {
        root().join("docs").join(self.file)
    }

    fn made(&self) -> XtaskResult<String> {
        let run = ["run", "-q", "-p", self.package, "--example", self.example, "--"];
        // A page ends with one newline, whatever the last table printed.
        let text = output(cargo(&run).args(self.arguments))?;
        Ok(format!("{}\n", text.trim_end()))
    }
}
