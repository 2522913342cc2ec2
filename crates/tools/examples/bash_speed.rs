//! Measures how much longer `Bash true` takes than `bash -c true`, also when the process holds 100 MiB, and how much longer
//! in the fence for commands that only read. Prints JSON.

#![expect(clippy::print_stdout, reason = "it prints what it measures")]
#![expect(clippy::disallowed_methods, reason = "a plain process is what is compared with")]

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_fences::{FenceInputs, FenceSetup, Fences, GuardSearch, Launch, LaunchOptions, PathGuard};
use forelook_protocol::{AbsPath, Confinement};
use forelook_tools::{ChildEnv, Tool, ToolContext, ToolServices, Toolbox};
use serde_json::json;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const MANY: usize = 100 * 1024 * 1024;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let rounds = if std::env::args().any(|word| word == "--quick") { 20 } else { 200 };
    let folder = tempfile::tempdir()?;
    let root = AbsPath::new(folder.path().canonicalize()?)?;
    let cx = ToolContext::alone(&root);
    let env = ChildEnv::from_process_without_secrets(std::env::vars_os());
    let services = ToolServices::new(Arc::new(env), root.join("scratch"));
    let bash = Toolbox::plain(&services).get("Bash").ok_or("there is no Bash")?;
    let small = measure(&bash, &cx, rounds).await?;
    let fenced = measure(&bash, &fenced(&cx, &root), rounds).await?;
    // Written to, so that it is really there.
    let ballast: Vec<u8> = (0..MANY).map(|at| at as u8).collect();
    let large = measure(&bash, &cx, rounds).await?;
    assert_eq!(std::hint::black_box(&ballast).len(), MANY);
    println!(
        "{}",
        json!({
            "bash_more_ms": small.more(),
            "bash_ms": small.bash,
            "plain_ms": small.plain,
            "bash_more_100mib_ms": large.more(),
            "bash_fenced_more_ms": fenced.more() - small.more(),
        })
    );
    Ok(())
}

/// The same, where nothing can be changed, as for a command that only reads.
fn fenced(cx: &ToolContext, root: &AbsPath) -> ToolContext {
    let inputs = FenceInputs {
        folders: vec![root.clone()],
        home: None,
        guards: Arc::new(|_: &AbsPath| PathGuard::Unguarded),
        search: GuardSearch::default(),
    };
    let fences = Arc::new(Fences::new(FenceSetup::plain(&root.join("fences"))));
    let options = LaunchOptions { sandbox: Confinement::Inspect, auto_allowed: true, ..LaunchOptions::PLAIN };
    ToolContext { launch: Launch::new(fences, Arc::new(inputs), options), ..cx.clone() }
}

/// Medians in milliseconds.
struct Measured {
    bash: f64,
    plain: f64,
}

impl Measured {
    fn more(&self) -> f64 {
        self.bash - self.plain
    }
}

async fn measure(bash: &Arc<dyn Tool>, cx: &ToolContext, rounds: usize) -> Outcome<Measured> {
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let begin = Instant::now();
        let status = Command::new("bash").args(["-c", "true"]).status()?;
        plain.push(begin.elapsed());
        assert!(status.success());
        let begin = Instant::now();
        let call = Arc::clone(bash).parse(&json!({"command": "true"}))?;
        let outcome = call.runnable().ok_or("not a call that a tool runs")?.run(cx.clone()).await;
        ours.push(begin.elapsed());
        assert!(!outcome.result.is_error, "{}", outcome.result.text());
    }
    Ok(Measured { bash: median(ours), plain: median(plain) })
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}
