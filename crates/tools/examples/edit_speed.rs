//! How long Edit and Write take in a file of 20 MB, beside a plain write of as many bytes: prints JSON.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "it lays out its own files, writes the floor by hand, and prints what it measured"
)]

use std::error::Error;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use forelook_protocol::{AbsPath, SessionEffect};
use forelook_tools::{ToolContext, ToolServices, Toolbox};
use serde_json::{Value, json};

const SIZE: usize = 20 * 1024 * 1024;

type Failed = Box<dyn Error>;

fn main() -> Result<(), Failed> {
    // The folder to measure in may be named: disks differ.
    let quick = std::env::args().any(|word| word == "--quick");
    let folder = match std::env::args_os().skip(1).find(|word| word != "--quick") {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let measured = runtime.block_on(measure(&folder.path().canonicalize()?, if quick { 3 } else { 11 }))?;
    println!("{measured}");
    Ok(())
}

async fn measure(folder: &Path, runs: usize) -> Result<Value, Failed> {
    let mut session = Session::new(folder)?;
    let text = source();
    let (mut edits, mut crlf, mut misses, mut writes, mut floors) = (vec![], vec![], vec![], vec![], vec![]);
    for run in 0..runs {
        // In turn, so that a busy moment of the machine falls on all of them.
        floors.push(floor(folder, text.as_bytes())?);
        edits.push(session.edit(&text, run).await?);
        crlf.push(session.edit(&text.replace('\n', "\r\n"), run).await?);
        misses.push(session.miss().await?);
        writes.push(session.call("Write", json!({"content": text.replace("line 7 ", "line seven ")})).await?);
    }
    Ok(json!({
        "edit_20mb_ms": median(edits),
        "edit_20mb_crlf_ms": median(crlf),
        "edit_20mb_not_found_ms": median(misses),
        "write_20mb_ms": median(writes),
        "floor_ms": median(floors),
        "runs": runs,
    }))
}

/// Lines of code, no two alike.
fn source() -> String {
    let mut text = String::with_capacity(SIZE + 100);
    let mut line = 0;
    while text.len() < SIZE {
        line += 1;
        text.push_str(&format!(
            "    let value_{line} = compute(\"line {line} of the file\", {});\n",
            line * 7
        ));
    }
    text
}

/// What the disk alone takes: written, brought to the disk, renamed.
fn floor(folder: &Path, bytes: &[u8]) -> Result<f64, Failed> {
    let (new, old) = (folder.join("floor.tmp"), folder.join("floor"));
    let begin = Instant::now();
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, &old)?;
    File::open(folder)?.sync_all()?;
    Ok(millis(begin))
}

/// As much of a session as an edit needs: what was seen.
struct Session {
    tools: Toolbox,
    cx: ToolContext,
    file: AbsPath,
}

impl Session {
    fn new(folder: &Path) -> Result<Self, Failed> {
        let folder = AbsPath::new(folder)?;
        let services = ToolServices::new(Arc::default(), folder.join("scratch"));
        let cx = ToolContext::alone(&folder);
        Ok(Self { tools: Toolbox::plain(&services), cx, file: folder.join("big.rs") })
    }

    /// An edit in the middle of the file.
    async fn edit(&mut self, text: &str, run: usize) -> Result<f64, Failed> {
        fs::write(&self.file, text)?;
        File::open(&self.file)?.sync_all()?;
        self.call("Read", json!({"limit": 1})).await?;
        let line = 150_000 + run;
        let old = format!("compute(\"line {line} of the file\"");
        self.call("Edit", json!({"old_string": old, "new_string": "computed(\"another line\""})).await
    }

    async fn miss(&mut self) -> Result<f64, Failed> {
        let old = "    let value_150000 = compute(\"line 150000 of the files\", 1050000);\n    other();\n";
        let begin = Instant::now();
        match self.call("Edit", json!({"old_string": old, "new_string": ""})).await {
            Ok(_) => Err("found what is not there".into()),
            Err(error) if error.to_string().contains("The closest match") => Ok(millis(begin)),
            Err(error) => Err(error),
        }
    }

    /// Makes a call as the engine does, and returns how long it took.
    async fn call(&mut self, name: &str, mut input: Value) -> Result<f64, Failed> {
        let tool = self.tools.get(name).ok_or("no such tool")?;
        input["file_path"] = json!(self.file.as_path());
        let begin = Instant::now();
        let call = tool.parse(&input)?;
        self.cx.action = call.action(&self.cx.place)?;
        let outcome = call.runnable().ok_or("not a call that a tool runs")?.run(self.cx.clone()).await;
        let took = millis(begin);
        if outcome.result.is_error {
            return Err(outcome.result.text().into());
        }
        for effect in outcome.effects {
            if let SessionEffect::FileSeen(seen) = effect {
                self.cx.files.seen.add(&seen);
            }
        }
        Ok(took)
    }
}

fn millis(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64() * 1000.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).map_or(0.0, |value| (value * 10.0).round() / 10.0)
}
