//! Measurements of the release binary against the goals.

mod wire;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::peak::peak_of;
use crate::run::{Done, cargo, output, root, run, target};

/// What the developer asked for.
pub(crate) struct Options {
    /// Fewer runs: to see whether it works, not to compare.
    quick: bool,
    /// Put the table into the documentation.
    write: bool,
}

impl Options {
    /// Reads the words after `bench`.
    pub(crate) fn parse(words: &[&str]) -> Done<Self> {
        let mut options = Self { quick: false, write: false };
        for word in words {
            match *word {
                "--quick" => options.quick = true,
                "--write" => options.write = true,
                other => return Err(format!("Unknown option `{other}` of `cargo xtask bench`")),
            }
        }
        Ok(options)
    }
}

/// One measured quantity.
struct Row {
    name: &'static str,
    /// The name in `target/bench.json`.
    key: &'static str,
    value: f64,
    goal: f64,
    unit: &'static str,
    /// How it came about: the figures behind it.
    detail: String,
}

/// The scripted model answers with one word.
const SCENARIO: &str = "[[answer]]\ntext = \"Hello.\"\n";

/// Builds, measures, prints.
pub(crate) fn bench(options: &Options) -> Done {
    run(&mut cargo(&["build", "--release", "-p", "forelook-cli"]))?;
    let place = Place::make()?;
    let mut rows = vec![
        version(&place, if options.quick { 20 } else { 300 })?,
        first_request(&place, if options.quick { 10 } else { 100 })?,
        memory(&place, if options.quick { 1 } else { 5 })?,
    ];
    rows.extend(decisions()?);
    rows.extend(planning()?);
    rows.extend(wire::rows()?);
    let table = table(&rows);
    println!("\n{table}");
    let target = target();
    std::fs::write(target.join("bench.json"), json(&rows))
        .map_err(|error| format!("Cannot write bench.json: {error}"))?;
    if options.write {
        let page = format!("{PAGE}{table}\n{}\n", circumstances());
        std::fs::write(root().join("docs/benchmarks.md"), page)
            .map_err(|error| format!("Cannot write `docs/benchmarks.md`: {error}"))?;
    }
    let missed: Vec<&str> = rows.iter().filter(|row| row.value > row.goal).map(|row| row.name).collect();
    if missed.is_empty() { Ok(()) } else { Err(format!("Goals missed: {}", missed.join(", "))) }
}

/// Figures that an example prints, which measures what it links or starts.
struct Figures {
    example: &'static str,
    figures: serde_json::Value,
}

impl Figures {
    fn of(package: &str, example: &'static str) -> Done<Self> {
        let words = ["run", "--quiet", "--release", "-p", package, "--example", example];
        Self::parse(example, &output(&mut cargo(&words))?)
    }

    fn parse(example: &'static str, text: &str) -> Done<Self> {
        let figures =
            serde_json::from_str(text).map_err(|error| format!("`{example}` printed no figures: {error}"))?;
        Ok(Self { example, figures })
    }

    fn get(&self, name: &str) -> Done<f64> {
        self.figures[name].as_f64().ok_or_else(|| format!("`{}` did not print `{name}`", self.example))
    }
}

/// Entering plan mode, leaving it, and a reminder, without what the disk takes.
fn planning() -> Done<[Row; 4]> {
    let figures = Figures::of("forelook-engine", "plan_speed")?;
    let figure = |name| figures.get(name);
    let row = |name, key, detail: String| -> Done<Row> {
        Ok(Row { name, key, value: figure(key)?, goal: 100.0, unit: "µs", detail })
    };
    let forced = figure("forced_us")?;
    let apart =
        |count| format!("median of {count}; forcing the journal to the disk, {forced} µs here, is taken off");
    Ok([
        row("entering plan mode the first time, with a name for the plan", "first_enter_us", apart(60))?,
        row("entering plan mode again", "enter_us", apart(180))?,
        row("leaving plan mode", "leave_us", apart(240))?,
        row(
            "the full reminder in a turn",
            "reminder_us",
            "a turn with it less a turn without, medians of 240".to_owned(),
        )?,
    ])
}

/// Decisions and shell analysis, in processor time.
fn decisions() -> Done<[Row; 3]> {
    let figures = Figures::of("forelook-permissions", "decide_speed")?;
    let figure = |name| figures.get(name);
    Ok([
        Row {
            name: "a decision: ten parts, 1,000 rules, p99",
            key: "decide_p99_us",
            value: figure("decide_p99_us")?,
            goal: 200.0,
            unit: "µs",
            detail: format!(
                "20,000 decisions, the quietest of five runs, median {} µs; with the analysis of the line",
                figure("decide_median_us")?
            ),
        },
        Row {
            name: "analysis of a typical shell line, median",
            key: "line_median_us",
            value: figure("line_median_us")?,
            goal: 100.0,
            unit: "µs",
            detail: format!("ten kinds of lines, 20,000 times, p99 {} µs", figure("line_p99_us")?),
        },
        Row {
            name: "the slowest of the lines made to be slow",
            key: "worst_line_ms",
            value: figure("worst_ms")?,
            goal: 20.0,
            unit: "ms",
            detail: "up to 16 kB of nesting and lists, and a line of 5 MB; median of 5 each".to_owned(),
        },
    ])
}

const PAGE: &str = "\
<!-- Made by `cargo xtask bench --write`. -->

# Benchmarks

The release binary, measured from outside by `cargo xtask bench`. Rows with × are ratios within the same run, so that
they mean the same everywhere; the others are what the machine gave.

";

/// How busy the machine was: a figure means little without it.
fn circumstances() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown");
    format!("Measured on {cores} cores, with a load of {load} from this and other work.")
}

/// A folder for the program's home, its project and the scenario; gone when dropped.
struct Place {
    folder: PathBuf,
    program: PathBuf,
}

impl Place {
    fn make() -> Done<Self> {
        let folder = std::env::temp_dir().join(format!("forelook-bench-{}", std::process::id()));
        let place = Self { folder, program: target().join("release/forelook") };
        let made = std::fs::create_dir_all(place.project())
            .and_then(|()| std::fs::write(place.scenario(), SCENARIO))
            .map_err(|error| format!("Cannot prepare `{}`: {error}", place.folder.display()));
        made.map(|()| place)
    }

    fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    fn scenario(&self) -> PathBuf {
        self.folder.join("hello.toml")
    }

    fn model(&self) -> String {
        format!("scripted/{}", self.scenario().display())
    }

    fn prepare(&self, command: &mut Command) {
        command.current_dir(self.project()).env("FORELOOK_HOME", self.folder.join("home"));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A leftover in the folder for temporary files is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// `--version` against `true`, one after the other, so that a busy machine slows both.
fn version(place: &Place, runs: usize) -> Done<Row> {
    let mut ours = Vec::with_capacity(runs);
    let mut theirs = Vec::with_capacity(runs);
    for _ in 0..runs {
        theirs.push(timed(&mut Command::new("true"))?);
        ours.push(timed(Command::new(&place.program).arg("--version"))?);
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    Ok(Row {
        name: "`--version` against `true`",
        key: "version_ratio",
        value: ours.as_secs_f64() / theirs.as_secs_f64(),
        goal: 2.5,
        unit: "×",
        detail: format!(
            "{:.2} ms against {:.2} ms, medians of {runs}",
            milliseconds(ours),
            milliseconds(theirs)
        ),
    })
}

fn timed(command: &mut Command) -> Done<Duration> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
    let began = Instant::now();
    run(quiet)?;
    Ok(began.elapsed())
}

/// From the start of the process until the first byte of its first request to the model.
fn first_request(place: &Place, runs: usize) -> Done<Row> {
    let mut times = (0..runs).map(|at| until_first_request(place, at)).collect::<Done<Vec<_>>>()?;
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

/// The byte with which we tell the reading thread that nothing follows; JSON never has it.
const END: u8 = 0;

fn until_first_request(place: &Place, at: usize) -> Done<Duration> {
    let pipe = place.folder.join(format!("requests-{at}"));
    run(Command::new("mkfifo").arg(&pipe))?;
    // Opened for both, so that neither side waits for the other to open.
    let failed = |error| format!("Cannot open `{}`: {error}", pipe.display());
    let mut ours = File::options().read(true).write(true).open(&pipe).map_err(failed)?;
    let theirs = ours.try_clone().map_err(failed)?;
    let (send, first) = mpsc::channel();
    let reader = std::thread::spawn(move || drain(theirs, &send));

    let mut command = Command::new(&place.program);
    command.args(["-p", "hi", "--model", &place.model()]).env("FORELOOK_TEST_REQUESTS", &pipe);
    place.prepare(&mut command);
    let began = Instant::now();
    let ended = run(command.stdin(Stdio::null()).stdout(Stdio::null()));
    ours.write_all(&[END]).map_err(failed)?;
    reader.join().map_err(|_| "The thread that reads requests failed".to_owned())?;
    ended?;
    let first =
        first.try_recv().map_err(|_| "The program ended without a request to the model".to_owned())?;
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
fn memory(place: &Place, runs: usize) -> Done<Row> {
    let arguments = ["-p", "hi", "--model", &place.model()];
    let peaks = (0..runs).map(|_| peak_of(&place.program, &arguments, |command| place.prepare(command)));
    let kib = peaks.collect::<Done<Vec<_>>>()?.into_iter().max().unwrap_or_default();
    let floor = peak_of(Path::new("true"), &[], |_| {})?;
    Ok(Row {
        name: "peak memory of one headless run",
        key: "peak_memory_mib",
        value: kib as f64 / 1024.0,
        goal: 20.0,
        unit: "MiB",
        detail: format!("greatest of {runs}; `true` measures {:.1} MiB here", floor as f64 / 1024.0),
    })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Sorts, and gives the middle one.
fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn table(rows: &[Row]) -> String {
    let mut table = String::from("| what | measured | goal | met | how |\n|---|---|---|---|---|\n");
    for Row { name, value, goal, unit, detail, .. } in rows {
        let met = if value <= goal { "yes" } else { "**no**" };
        let _ = writeln!(table, "| {name} | {value:.2} {unit} | at most {goal} {unit} | {met} | {detail} |");
    }
    table
}

fn json(rows: &[Row]) -> String {
    let fields: Vec<String> = rows
        .iter()
        .map(|row| format!("  \"{}\": {{\"value\": {:.4}, \"goal\": {}}}", row.key, row.value, row.goal))
        .collect();
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_words_we_know() {
        let options = Options::parse(&["--quick", "--write"]).unwrap();
        assert!(options.quick && options.write);
        assert!(Options::parse(&["--fast"]).is_err());
    }

    #[test]
    fn the_median_is_the_middle_of_the_sorted() {
        let mut times = [3, 1, 2].map(Duration::from_millis);
        assert_eq!(median(&mut times), Duration::from_millis(2));
        assert_eq!(median(&mut []), Duration::ZERO);
    }

    #[test]
    fn the_table_says_whether_a_goal_is_met() {
        let row = |value| Row { name: "n", key: "k", value, goal: 2.5, unit: "×", detail: "d".into() };
        let both = table(&[row(2.5), row(2.6)]);
        assert!(both.contains("| n | 2.50 × | at most 2.5 × | yes | d |"), "{both}");
        assert!(both.contains("| n | 2.60 × | at most 2.5 × | **no** | d |"), "{both}");
        assert_eq!(json(&[row(1.0)]), "{\n  \"k\": {\"value\": 1.0000, \"goal\": 2.5}\n}\n");
    }

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
