//! Measurements of the release binary against the goals.

mod rules;
mod sandbox;
mod screen;
mod start;
mod tools;
mod wire;

use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use crate::requirements;
use crate::run::{XtaskResult, cargo, output, root, run, target};

/// What the developer asked for.
pub(crate) struct Options {
    /// Fewer runs: to see whether it works, not to compare.
    quick: bool,
    /// Put the table into the documentation.
    write: bool,
    /// Only this part; all of them if there is none.
    part: Option<Part>,
}

/// What is measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Start,
    Screen,
    Rules,
    Wire,
    Tools,
    Sandbox,
}

impl Part {
    const ALL: [Self; 6] = [Part::Start, Part::Screen, Part::Rules, Part::Wire, Part::Tools, Part::Sandbox];

    fn named(name: &str) -> Option<Self> {
        match name {
            "start" => Some(Part::Start),
            "screen" => Some(Part::Screen),
            "rules" => Some(Part::Rules),
            "wire" => Some(Part::Wire),
            "tools" => Some(Part::Tools),
            "sandbox" => Some(Part::Sandbox),
            _ => None,
        }
    }

    fn rows(self, options: &Options) -> XtaskResult<Vec<Row>> {
        match self {
            Part::Start => start::rows(options),
            Part::Screen => screen::rows(options),
            Part::Rules => rules::rows(),
            Part::Wire => wire::rows(options),
            Part::Tools => tools::rows(options),
            Part::Sandbox => sandbox::rows(options),
        }
    }
}

impl Options {
    /// Reads the words after `bench`.
    pub(crate) fn parse(words: &[&str]) -> XtaskResult<Self> {
        let mut options = Self { quick: false, write: false, part: None };
        for word in words {
            match (*word, Part::named(word)) {
                ("--quick", _) => options.quick = true,
                ("--write", _) => options.write = true,
                (_, Some(part)) => options.part = Some(part),
                (other, None) => return Err(format!("Unknown option `{other}` of `cargo xtask bench`")),
            }
        }
        if options.write && options.part.is_some() {
            return Err("`--write` writes the whole page; omit the name of the part".to_owned());
        }
        Ok(options)
    }

    /// What examples are told.
    fn words(&self) -> &'static [&'static str] {
        if self.quick { &["--quick"] } else { &[] }
    }

    fn runs(&self, quick: usize, whole: usize) -> usize {
        if self.quick { quick } else { whole }
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

/// Builds, measures, prints.
pub(crate) fn bench(options: &Options) -> XtaskResult {
    requirements::install_requirements()?;
    run(&mut cargo(&["build", "--release", "-p", "forelook-cli"]))?;
    let mut rows = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| options.part.is_none_or(|only| only == *part)) {
        rows.extend(part.rows(options)?);
    }
    let table = table(&rows);
    println!("\n{table}");
    let target = target();
    std::fs::write(target.join("bench.json"), json(&rows))
        .map_err(|error| format!("Cannot write bench.json: {error}"))?;
    if options.write {
        let page = format!("{PAGE}{table}\n{}\n{}", circumstances(), screen::PEERS);
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
    fn of(package: &str, example: &'static str, arguments: &[&str]) -> XtaskResult<Self> {
        run(&mut cargo(&["build", "--quiet", "--release", "-p", package, "--example", example]))?;
        let mut program = Command::new(target().join("release/examples").join(example));
        let text = output(program.args(arguments))?;
        let figures = serde_json::from_str(&text)
            .map_err(|error| format!("`{example}` printed no results: {error}"))?;
        Ok(Self { example, figures })
    }

    /// The row of the figure with this key; `goal` is a number and its unit.
    fn row(
        &self,
        name: &'static str,
        key: &'static str,
        (goal, unit): (f64, &'static str),
        detail: String,
    ) -> XtaskResult<Row> {
        Ok(Row { name, key, value: self.get(key)?, goal, unit, detail })
    }

    fn get(&self, name: &str) -> XtaskResult<f64> {
        self.figures[name].as_f64().ok_or_else(|| format!("`{}` did not print `{name}`", self.example))
    }
}

const PAGE: &str = "\
<!-- Made by `cargo xtask bench --write`. -->

# Benchmarks

To measure Forelook on your machine, run `cargo xtask bench`. To measure only one part, add `start`, `screen`, `rules`,
`wire`, `tools`, or `sandbox`.

`cargo xtask bench` measures the release binary from the outside. Rows with × are ratios within one run, so you can
compare them between machines; the other rows depend on the machine.

";

/// How busy the machine was: a figure means little without it.
fn circumstances() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown");
    format!("Measured on {cores} cores, with a load average of {load}.")
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
        assert_eq!(Options::parse(&["screen", "--quick"]).unwrap().part, Some(Part::Screen));
        assert_eq!(Options::parse(&["sandbox"]).unwrap().part, Some(Part::Sandbox));
        assert!(Options::parse(&["--fast"]).is_err());
        assert!(Options::parse(&["screen", "--write"]).is_err());
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
}
