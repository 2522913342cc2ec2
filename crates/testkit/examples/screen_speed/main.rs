//! What the terminal program feels like: `screen_speed PROGRAM [--quick]` runs it in a terminal of 80x24 against a server in
//! this process and prints figures as JSON; `cargo xtask bench screen` runs it.
//!
//! Whatever the program draws is read by a thread that does nothing else and notes when it came, so that what is measured
//! is the program.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a measurement starts processes, says what it found, or stops"
)]

mod answer;
mod journal;
mod process;
mod stream;
mod terminal;

use std::path::{Path, PathBuf};
use std::time::Duration;

use answer::Server;
use process::Process;
use serde_json::json;
use stream::stream;
use terminal::{Terminal, keys};

/// How often everything is done.
#[derive(Clone, Copy)]
struct Runs {
    starts: usize,
    keys: usize,
    streams: usize,
    idle: Duration,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let whole = Runs { starts: 51, keys: 300, streams: 5, idle: Duration::from_secs(5) };
    let quick = Runs { starts: 11, keys: 50, streams: 1, idle: Duration::from_secs(1) };
    match words[..] {
        [program] => measure(program, whole),
        [program, "--quick"] => measure(program, quick),
        _ => panic!("usage: screen_speed PROGRAM [--quick]"),
    }
}

/// A project and a home for the program, and a model.
struct BenchDir {
    program: PathBuf,
    runs: Runs,
    folder: tempfile::TempDir,
    server: Server,
}

impl BenchDir {
    fn make(program: &str, runs: Runs) -> Self {
        let program = Path::new(program).canonicalize().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        Self { program, runs, folder, server: Server::start() }
    }

    fn start(&self, arguments: &[&str]) -> Terminal {
        let folder = self.folder.path();
        let variables = [
            ("PATH", "/usr/bin:/bin".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("HOME", folder.display().to_string()),
            ("FORELOOK_HOME", folder.join("home").display().to_string()),
            ("ANTHROPIC_API_KEY", "sk-planted".to_owned()),
            ("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", self.server.port)),
        ];
        let words = ["--model", "anthropic/claude-sonnet-4-5"].iter().chain(arguments).copied();
        Terminal::start(&self.program, words, &folder.join("project"), variables)
    }
}

fn measure(program: &str, runs: Runs) {
    let bench_dir = BenchDir::make(program, runs);
    let (prompt, prompt_slowest) = until_prompt(&bench_dir, &[]);
    let (first_key, first_key_slowest) = until_first_key(&bench_dir);
    let echo = echo(&mut ready(&bench_dir, &[]), runs.keys);
    let still = idle(&bench_dir);
    let page = stream(&bench_dir, 4_000);
    let (small, large) = (stream(&bench_dir, 10_000), stream(&bench_dir, 100_000));
    let (short, long) = (resumed(&bench_dir, 50), resumed(&bench_dir, 5_000));
    let figures = json!({
        "prompt_ms": prompt, "prompt_slowest_ms": prompt_slowest, "starts": runs.starts,
        "first_key_ms": first_key, "first_key_slowest_ms": first_key_slowest,
        "echo_p50_ms": echo.p50, "echo_p99_ms": echo.p99, "keys": runs.keys,
        "idle_ticks": still.ticks, "idle_switches": still.switches, "idle_seconds": runs.idle.as_secs(),
        "memory_mib": still.memory, "memory_pss_mib": still.pss, "processes": still.processes,
        "page_ms": page.wall, "page_cpu_ms": page.cpu, "page_memory_mib": page.memory,
        "page_drawn_bytes": page.drawn,
        "small_ms": small.wall, "small_cpu_ms": small.cpu, "large_ms": large.wall, "large_cpu_ms": large.cpu,
        "large_memory_mib": large.memory, "tenfold_cpu": large.cpu / small.cpu,
        "busy_keys": large.echo.count, "busy_p50_ms": large.echo.p50, "busy_p99_ms": large.echo.p99,
        "short_prompt_ms": short.prompt, "short_p50_ms": short.echo.p50, "short_p99_ms": short.echo.p99,
        "long_prompt_ms": long.prompt, "long_p50_ms": long.echo.p50, "long_p99_ms": long.echo.p99,
        "long_echo": long.echo.p50 / short.echo.p50,
    });
    println!("{figures}");
}

/// A program that shows its prompt.
fn ready(bench_dir: &BenchDir, arguments: &[&str]) -> Terminal {
    let mut terminal = bench_dir.start(arguments);
    terminal.prompt();
    // What it does behind the first frame is over.
    std::thread::sleep(Duration::from_millis(200));
    terminal
}

/// From the start of the process to the prompt: the median, and the slowest.
fn until_prompt(bench_dir: &BenchDir, arguments: &[&str]) -> (f64, f64) {
    let one = |_| {
        let mut terminal = bench_dir.start(arguments);
        terminal.prompt() - terminal.began
    };
    middle_and_last((0..bench_dir.runs.starts).map(one).collect())
}

/// From the start of the process, with a key pressed at once, to the key on the screen.
fn until_first_key(bench_dir: &BenchDir) -> (f64, f64) {
    let one = |_| {
        let mut terminal = bench_dir.start(&[]);
        let key = keys(0);
        terminal.write(&key);
        terminal.seen(key.as_bytes()) - terminal.began
    };
    middle_and_last((0..bench_dir.runs.starts).map(one).collect())
}

fn middle_and_last(mut times: Vec<Duration>) -> (f64, f64) {
    (milliseconds(quantile(&mut times, 0.5)), milliseconds(quantile(&mut times, 1.0)))
}

/// From a key to the screen.
struct Echo {
    count: usize,
    p50: f64,
    p99: f64,
}

impl Echo {
    fn of(mut times: Vec<Duration>) -> Self {
        let (p50, p99) = (quantile(&mut times, 0.5), quantile(&mut times, 0.99));
        Self { count: times.len(), p50: milliseconds(p50), p99: milliseconds(p99) }
    }
}

fn echo(terminal: &mut Terminal, count: usize) -> Echo {
    let one = |at| {
        let key = keys(at);
        let pressed = terminal.press(&key);
        let seen = terminal.seen(key.as_bytes());
        std::thread::sleep(Duration::from_millis(10));
        seen - pressed
    };
    Echo::of((0..count).map(one).collect())
}

/// A program that has nothing to do.
struct IdleUsage {
    ticks: u64,
    switches: u64,
    memory: f64,
    pss: f64,
    processes: usize,
}

fn idle(bench_dir: &BenchDir) -> IdleUsage {
    let terminal = ready(bench_dir, &[]);
    std::thread::sleep(Duration::from_millis(500));
    let before = Process::look(terminal.id);
    std::thread::sleep(bench_dir.runs.idle);
    let after = Process::look(terminal.id);
    IdleUsage {
        ticks: after.ticks.saturating_sub(before.ticks),
        switches: after.switches.saturating_sub(before.switches),
        memory: after.resident,
        pss: after.proportional,
        processes: 1 + after.children,
    }
}

/// A session from before.
struct Resumed {
    prompt: f64,
    echo: Echo,
}

fn resumed(bench_dir: &BenchDir, messages: usize) -> Resumed {
    let id = journal::write(bench_dir.folder.path(), messages);
    let arguments = ["--resume", &id];
    let (prompt, _) = until_prompt(bench_dir, &arguments);
    let echo = echo(&mut ready(bench_dir, &arguments), bench_dir.runs.keys);
    Resumed { prompt, echo }
}

/// Nothing, of nothing: an answer may be over before a key is pressed.
fn quantile(times: &mut [Duration], at: f64) -> Duration {
    times.sort_unstable();
    let at = (times.len().saturating_sub(1) as f64 * at) as usize;
    times.get(at).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
