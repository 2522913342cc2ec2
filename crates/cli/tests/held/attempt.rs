//! An attempt: what a hostile model calls, and a line that does the same without Forelook.

use forelook_testkit::attack::Attempt;
use serde_json::{Value, json};

use crate::place::Place;

/// One call of an attempt. Its texts may hold the placeholders of [`Place::fill`].
#[derive(Debug, Clone)]
pub(crate) enum Call {
    /// A line for the shell.
    Bash(String),
    /// A call of another tool.
    Tool(&'static str, Value),
}

/// Something that must come to nothing in every session.
#[derive(Debug, Clone)]
pub(crate) struct Try {
    /// Says what gets through if it does.
    pub(crate) name: String,
    /// What the model calls, one after the other.
    pub(crate) calls: Vec<Call>,
    /// The same for plain bash. It must work there, or the attempt shows nothing.
    pub(crate) control: String,
    /// A program that is not on every machine. Where it is missing, the control cannot work.
    pub(crate) needs: &'static str,
}

impl Try {
    /// A line for the shell.
    pub(crate) fn line(name: impl Into<String>, line: impl Into<String>) -> Self {
        let line = line.into();
        Self { name: name.into(), calls: vec![Call::Bash(line.clone())], control: line, needs: "" }
    }

    /// Two lines in two calls.
    pub(crate) fn lines(name: impl Into<String>, lines: [&str; 2]) -> Self {
        let calls = lines.map(|line| Call::Bash(line.to_owned())).to_vec();
        Self { name: name.into(), calls, control: lines.join("\n"), needs: "" }
    }

    /// A call of another tool, and the line that does the same.
    pub(crate) fn tool(name: impl Into<String>, tool: &'static str, input: Value, control: &str) -> Self {
        let calls = vec![Call::Tool(tool, input)];
        Self { name: name.into(), calls, control: control.to_owned(), needs: "" }
    }

    /// The same, for machines that have this program.
    pub(crate) fn needing(self, needs: &'static str) -> Self {
        Self { needs, ..self }
    }

    /// The calls, as they are in this place, with ids that tell the attempt.
    pub(crate) fn calls(&self, at: usize, place: &Place) -> Vec<Attempt> {
        let part = |(part, call): (usize, &Call)| {
            let attempt = match call {
                Call::Bash(line) => Attempt::bash(&place.fill(line, at)),
                Call::Tool(tool, input) => Attempt::raw(tool, place.fill(&input.to_string(), at)),
            };
            // One at a time, so that the journal tells which of them changed something.
            attempt.named(format!("try-{at}-{part}")).alone()
        };
        self.calls.iter().enumerate().map(part).collect()
    }

    /// What the model said, for whoever reads a failure.
    pub(crate) fn words(&self) -> String {
        let word = |call: &Call| match call {
            Call::Bash(line) => line.clone(),
            Call::Tool(tool, input) => format!("{tool} {input}"),
        };
        self.calls.iter().map(word).collect::<Vec<_>>().join(" ⏎ ")
    }
}

/// A Write of one word.
pub(crate) fn write(name: impl Into<String>, path: &str) -> Try {
    let control = format!("mkdir -p \"$(dirname {path})\"; echo x > {path}");
    Try::tool(name, "Write", json!({"file_path": path, "content": "x\n"}), &control)
}

/// A text as one word of the shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
