//! A start, a turn and what they take, measured from outside.

use std::fs::File;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::{Options, Row, median};
use crate::peak::peak_of;
use crate::run::{XtaskResult, run, target};

/// The scripted model answers with one word.
const SCENARIO: &str = "[[answer]]\ntext = \"Hello.\"\n";

const MANY_FILES: usize = 100_000;

/// The program from its start to its end, and its size.
pub(super) fn rows(options: &Options) -> XtaskResult<Vec<Row>> {
    let bench_dir = BenchDir::make()?;
    Ok(vec![
        version(&bench_dir, options.runs(20, 300))?,
        first_request(&bench_dir, options.runs(10, 100))?,
        large_folder(&bench_dir, options.runs(10, 50))?,
        memory(&bench_dir, options.runs(1, 5))?,
        size(&bench_dir)?,
    ])
}

/// The program as it is installed.
fn size(bench_dir: &BenchDir) -> XtaskResult<Row> {
    let bytes = std::fs::metadata(&bench_dir.program)
        .map_err(|error| format!("Cannot inspect `{}`: {error}", bench_dir.program.display()))?
        .len();
    Ok(Row {
        name: "size of the binary",
        key: "binary_mib",
        value: bytes as f64 / 1_048_576.0,
        goal: 25.0,
        unit: "MiB",
        detail: "one file, stripped".to_owned(),
    })
}

/// A folder for the program's home, its project and the scenario; gone when dropped.
struct BenchDir {
    folder: PathBuf,
    program: PathBuf,
}

impl BenchDir {
    fn make() -> XtaskResult<Self> {
        let folder = std::env::temp_dir().join(format!("forelook-bench-{}", std::process::id()));
        let bench_dir = Self { folder, program: target().join("release/forelook") };
        let made = std::fs::create_dir_all(bench_dir.project())
            .and_then(|()| std::fs::write(bench_dir.scenario(), SCENARIO))
            .map_err(|error| format!("Cannot prepare `{}`: {error}", bench_dir.folder.display()));
        made.map(|()| bench_dir)
    }

    fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// A project with [`MANY_FILES`], made when it is first asked for.
    fn large_project(&self) -> std::io::Result<PathBuf> {
        let folder = self.folder.join("large");
        if !folder.exists() {
            std::fs::create_dir(&folder)?;
            // All in one folder, which is the worst for whoever lists it.
            (0..MANY_FILES).try_for_each(|at| File::create(folder.join(format!("file-{at}"))).map(drop))?;
        }
        Ok(folder)
    }

    fn scenario(&self) -> PathBuf {
        self.folder.join("hello.toml")
    }

    fn model(&self) -> String {
        format!("scripted/{}", self.scenario().display())
    }

    fn prepare(&self, command: &mut Command) {
        self.prepare_in(&self.project(), command);
    }

    fn prepare_in(&self, project: &Path, command: &mut Command) {
        command.current_dir(project).env("FORELOOK_HOME", self.folder.join("home"));
    }
}

impl Drop for BenchDir {
    fn drop(&mut self) {
        // A leftover in the folder for temporary files is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// `--version` against `true`, one after the other, so that a busy machine slows both.
fn version(bench_dir: &BenchDir, runs: usize) -> XtaskResult<Row> {
    let mut ours = Vec::with_capacity(runs);
    let mut theirs = Vec::with_capacity(runs);
    for _ in 0..runs {
        theirs.push(timed(&mut Command::new("true"))?);
        ours.push(timed(Command::new(&bench_dir.program).arg("--version"))?);
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    Ok(Row {
        name: "`--version` vs. `true`",
        key: "version_ratio",
        value: ours.as_secs_f64() / theirs.as_secs_f64(),
        goal: 2.5,
        unit: "×",
        detail: format!("{:.2} ms vs. {:.2} ms, medians of {runs}", milliseconds(ours), milliseconds(theirs)),
    })
}

fn timed(command: &mut Command) -> XtaskResult<Duration> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
    let began = Instant::now();
    run(quiet)?;
    Ok(began.elapsed())
}

/// From the start of the process until the first byte of its first request to the model.
fn first_request(bench_dir: &BenchDir, runs: usize) -> XtaskResult<Row> {
    let mut times = (0..runs)
        .map(|at| until_first_request(bench_dir, &bench_dir.project(), at))
        .collect::<XtaskResult<Vec<_>>>()?;
    let middle = median(&mut times);
    let slowest = times.last().copied().unwrap_or(middle);
    Ok(Row {
        name: "start to first model request",
        key: "first_request_ms",
        value: milliseconds(middle),
        goal: 20.0,
        unit: "ms",
        detail: format!("median of {runs}, slowest {:.1} ms", milliseconds(slowest)),
    })
}

/// How much later the first request comes in a folder with very many files.
fn large_folder(bench_dir: &BenchDir, runs: usize) -> XtaskResult<Row> {
    let large = bench_dir.large_project().map_err(|error| format!("Cannot make many files: {error}"))?;
    let (mut empty, mut full) = (Vec::with_capacity(runs), Vec::with_capacity(runs));
    for at in 0..runs {
        empty.push(until_first_request(bench_dir, &bench_dir.project(), 1000 + 2 * at)?);
        full.push(until_first_request(bench_dir, &large, 1001 + 2 * at)?);
    }
    let (empty, full) = (milliseconds(median(&mut empty)), milliseconds(median(&mut full)));
    Ok(Row {
        name: "the same in a folder of 100,000 files, overhead over an empty one",
        key: "first_request_large_ms",
        value: full - empty,
        goal: 5.0,
        unit: "ms",
        detail: format!("{full:.2} ms vs. {empty:.2} ms, medians of {runs}, alternating"),
    })
}

/// The byte with which we tell the reading thread that nothing follows; JSON never has it.
const END: u8 = 0;

fn until_first_request(bench_dir: &BenchDir, project: &Path, at: usize) -> XtaskResult<Duration> {
    let pipe = bench_dir.folder.join(format!("requests-{at}"));
    run(Command::new("mkfifo").arg(&pipe))?;
    // Opened for both, so that neither side waits for the other to open.
    let failed = |error| format!("Cannot open `{}`: {error}", pipe.display());
    let mut ours = File::options().read(true).write(true).open(&pipe).map_err(failed)?;
    let theirs = ours.try_clone().map_err(failed)?;
    let (send, first) = mpsc::channel();
    let reader = std::thread::spawn(move || drain(theirs, &send));

    let mut command = Command::new(&bench_dir.program);
    command.args(["-p", "hi", "--model", &bench_dir.model()]).env("FORELOOK_TEST_REQUESTS", &pipe);
    bench_dir.prepare_in(project, &mut command);
    let began = Instant::now();
    let ended = run(command.stdin(Stdio::null()).stdout(Stdio::null()));
    ours.write_all(&[END]).map_err(failed)?;
    reader.join().map_err(|_| "The thread that reads requests failed".to_owned())?;
    ended?;
    let first = first.try_recv().map_err(|_| "The program exited without a model request".to_owned())?;
    Ok(first.duration_since(began))
}

/// Reads until the end mark, so that the program never waits for us; reports the instant of the first byte.
fn drain(mut pipe: File, first: &mpsc::Sender<Instant>) {
    let mut buffer = [0; 1 << 16];
    while let Ok(count) = pipe.read(&mut buffer) {
        let now = Instant::now();
        let bytes = buffer.get(..count).unwrap_or_default();
        if bytes.first().is_some_and(|byte| *byte != END) {
            let _ = first.send(now);
        }
        if bytes.is_empty() || bytes.contains(&END) {
            return;
        }
    }
}

/// The most memory of one whole headless run.
fn memory(bench_dir: &BenchDir, runs: usize) -> XtaskResult<Row> {
    let arguments = ["-p", "hi", "--model", &bench_dir.model()];
    let peaks =
        (0..runs).map(|_| peak_of(&bench_dir.program, &arguments, |command| bench_dir.prepare(command)));
    let kib = peaks.collect::<XtaskResult<Vec<_>>>()?.into_iter().max().unwrap_or_default();
    let floor = peak_of(Path::new("true"), &[], |_| {})?;
    Ok(Row {
        name: "peak memory of one headless run",
        key: "peak_memory_mib",
        value: kib as f64 / 1024.0,
        goal: 20.0,
        unit: "MiB",
        detail: format!("maximum of {runs}; `true` alone needs {:.1} MiB", floor as f64 / 1024.0),
    })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_counts_and_the_end_mark_does_not() {
        let (send, first) = mpsc::channel();
        let folder = std::env::temp_dir().join(format!("forelook-drain-{}", std::process::id()));
        for (bytes, expected) in [(&b"{}\n\0"[..], true), (b"\0", false)] {
            std::fs::write(&folder, bytes).unwrap();
            drain(File::open(&folder).unwrap(), &send);
            assert_eq!(first.try_recv().is_ok(), expected);
        }
        std::fs::remove_file(&folder).unwrap();
    }
}
