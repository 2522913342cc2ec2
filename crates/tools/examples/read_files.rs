//! Reads files with `Read` and prints, as JSON, how long each took and how much came: `read_files [--text] FILE…`.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use forelook_protocol::{AbsPath, Action, CallId};
use forelook_tools::{ChildEnv, NoHost, Place, Progress, SeenFiles, ToolContext, Toolbox};
use serde_json::{Value, json};

fn context() -> Result<ToolContext, Box<dyn Error>> {
    let folder = AbsPath::new(std::env::current_dir()?)?;
    Ok(ToolContext {
        call: CallId("1".into()),
        action: Action::Internal,
        place: Place { project: folder.clone(), folder: folder.clone() },
        quiet_git: false,
        unasked: true,
        readable: Arc::new(|_| true),
        shells: Arc::default(),
        seen: SeenFiles::default(),
        answer: None,
        reviewed: None,
        plan_file: None,
        subagent: false,
        confined: None,
        host: Arc::new(NoHost),
        env: Arc::new(ChildEnv::from_process_without_secrets([])),
        scratch: folder,
        cancel: Default::default(),
        output: Arc::new(|_| {}),
        progress: Progress::default(),
    })
}

#[expect(clippy::print_stdout, reason = "a program of its own")]
fn main() -> Result<(), Box<dyn Error>> {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|it| it.starts_with("--"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tool = Toolbox::plain().get("Read").ok_or("no Read")?;
    for file in files {
        // `FILE:10000` reads from that line.
        let (path, offset) = match file.rsplit_once(':').map(|(path, line)| (path, line.parse::<u64>())) {
            Some((path, Ok(line))) => (path, line),
            _ => (file.as_str(), 1),
        };
        let input: Value = json!({"file_path": path, "offset": offset});
        let mut cx = context()?;
        cx.action = tool.action(&input, &cx.place)?;
        let begin = Instant::now();
        let outcome = runtime.block_on(tool.run(input, cx));
        let took = begin.elapsed();
        let text = outcome.result.text();
        println!(
            "{}",
            json!({
                "file": file, "ms": took.as_secs_f64() * 1000.0, "error": outcome.result.is_error,
                "characters": text.chars().count(), "parts": outcome.result.content.len(),
            })
        );
        if options.iter().any(|it| it == "--text") {
            println!("{text}");
        }
    }
    runtime.shutdown_background();
    Ok(())
}
