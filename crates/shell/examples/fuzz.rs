//! A fuzzer for a stable compiler: mutates lines of the corpus with a seeded generator for a given time.
//!
//! `cargo run --release --example fuzz -- --seconds 600 [--seed N] [--keep FOLDER]`. Reports, and at the end fails for, every input
//! that panics, takes longer than 20 ms three times in a row, or is read-only although neither `brush-parser` nor bash
//! can parse it, or `brush-parser` sees a command in it that we do not.

#![expect(clippy::print_stdout, reason = "`--emit` prints lines")]

#[path = "../tests/common/brush.rs"]
mod brush;
#[path = "../tests/common/mod.rs"]
#[expect(dead_code, reason = "what a line needs to be run is no matter here")]
mod common;

use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use forelook_shell::{Analysis, Verdict, analyse};
use forelook_testkit::fuzz::{self, Args, Random, Target};

const LIMIT: Duration = Duration::from_millis(20);

/// What is put into lines: everything that means something to a shell.
const TOKENS: &[&str] = &[
    "$(",
    ")",
    "`",
    "\"",
    "'",
    "\\",
    "\n",
    " ",
    ";",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    ">",
    ">>",
    "<",
    "<<",
    "<<<",
    "<(",
    ">(",
    "&>",
    "2>&1",
    "{",
    "}",
    "${",
    "$((",
    "))",
    "((",
    "[[",
    "]]",
    "[",
    "]",
    "#",
    "!",
    "=",
    "+=",
    "*",
    "?",
    "~",
    "$x",
    "$'",
    "$\"",
    "@P}",
    "if ",
    "then ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "case x in ",
    "esac",
    "x) ",
    ";;",
    "function f ",
    "f() ",
    "time ",
    "coproc ",
    "EOF",
    "\nEOF\n",
    "<<EOF\n",
    "<<'EOF'\n",
    "<<-EOF\n",
    "touch c",
    "rm f",
    "ls",
    "cat ",
    "echo ",
    "eval ",
    "bash -c ",
    "-o ",
    "--output=f ",
    "-i ",
    "-exec ",
    "-delete ",
    "x=1 ",
    "PATH=. ",
    "\t",
    "\\\n",
    "$#",
    "$@",
    "{a,b}",
    "{1..3}",
    "select x in ",
    "until ",
    "while ",
    "é",
    "@(a|b)",
    "!(x)",
    "<>",
    ">|",
    "-",
    "--",
    "0",
    "1",
];

/// What is put into lines besides: text that is wider than its looks, that joins with its neighbour, that is blank to
/// some readers and a letter to others, or that ends a line for some. A grammar in C once crashed on `{日`.
const ODD: &[&str] = &[
    "日",
    "日本語",
    "{日",
    "ö",
    "ß",
    "ﬁ",
    "ı",
    "Ａ",
    "＄（",
    "；",
    "｜",
    "’",
    "“",
    "–",
    "e\u{301}",
    "\u{301}",
    "\u{20dd}",
    "🦀",
    "👩\u{200d}💻",
    "🇩🇪",
    "\u{fe0f}",
    "عربي",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{a0}",
    "\u{3000}",
    "\u{2003}",
    "\u{1680}",
    "\u{200b}",
    "\u{200e}",
    "\u{202e}",
    "\u{2060}",
    "\u{ad}",
    "\u{feff}",
    "\u{fffd}",
    "\u{ffff}",
    "\u{e000}",
    "\u{10ffff}",
    "\u{0}",
    "\u{1}",
    "\u{7}",
    "\u{8}",
    "\u{b}",
    "\u{c}",
    "\r",
    "\r\n",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{80}",
    "\u{9b}",
    "$'\\x'",
    "$'\\xff'",
    "$'\\u'",
    "$'\\ud800'",
    "$'\\U110000'",
    "$'\\c'",
    "$'\\400'",
    "$'\\0'",
    "\\日",
    "$日",
    "${日}",
    "<<日\n",
    "\n日\n",
];

fn main() -> ExitCode {
    let args = match Args::read(&["--emit"]) {
        Ok(args) => args,
        Err(why) => return fuzz::refuse(&why),
    };
    if let Some(count) = args.number("--emit") {
        emit(count, &mut Random::new(args.seed()));
        return ExitCode::SUCCESS;
    }
    let corpus = common::read_only().into_iter().chain(common::nasty()).map(|l| l.text).collect();
    fuzz::run(Lines { corpus }, &args)
}

/// Lines of the corpus, changed a little.
struct Lines {
    corpus: Vec<String>,
}

impl Target for Lines {
    type Input = String;
    const INPUTS: &'static str = "lines";
    const COUNTED: &'static str = "read-only";

    fn make(&mut self, random: &mut Random) -> String {
        mutate(&self.corpus, random)
    }

    fn check(&mut self, line: &String) -> Result<bool, String> {
        let analysis = fuzz::timed("the analysis", LIMIT, || analyse(line))?;
        let read_only = analysis.verdict == Verdict::ReadOnly;
        if read_only {
            second_opinion(line, &analysis)?;
        }
        Ok(read_only)
    }

    fn show(&self, line: &String) -> String {
        format!("{line:?}")
    }
}

/// What another parser has to say against a line that is judged read-only.
fn second_opinion(line: &str, analysis: &Analysis) -> Result<(), String> {
    let theirs = fuzz::catch_panic("brush", || brush::names(line)).and_then(|names| names);
    match theirs {
        // It does not know all of bash: a `#` in a regex, an open bracket in a pattern, `\$'` before a quote.
        Err(_) if bash_parses(line) => Ok(()),
        Err(why) => {
            let why: String = why.chars().take(60).collect();
            Err(format!("read-only, but neither brush nor bash parses it ({why})"))
        }
        Ok(theirs) if !brush::covers(&brush::our_names(analysis), &theirs) => {
            Err(format!("read-only, but brush sees {theirs:?}"))
        }
        Ok(_) => Ok(()),
    }
}

/// Whether bash reads the line to its end; nothing in it is run.
#[expect(clippy::disallowed_methods, reason = "a fuzzer is no part of the program")]
fn bash_parses(line: &str) -> bool {
    let mut bash = Command::new("bash");
    let checked = bash.args(["-n", "-c", line]).stdin(Stdio::null()).stderr(Stdio::piped()).output();
    // An open here-document is only a warning.
    checked.is_ok_and(|it| it.status.success() && it.stderr.is_empty())
}

/// Prints mutated lines that are judged read-only, each followed by NUL: input for `tests/corpus/drive.sh`, which runs
/// them and says whether anything changed. Lines that come from nasty ones only, since those are the interesting ones.
fn emit(count: u64, random: &mut Random) {
    let corpus: Vec<String> =
        common::nasty().into_iter().filter(|l| l.unproven.is_none()).map(|l| l.text).collect();
    let mut left = count;
    while left > 0 {
        let line = mutate(&corpus, random);
        if analyse(&line).verdict == Verdict::ReadOnly {
            print!("{line}\0");
            left -= 1;
        }
    }
}

fn mutate(corpus: &[String], random: &mut Random) -> String {
    let mut line: Vec<char> = corpus[random.below(corpus.len())].chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(line.len() + 1);
        let tokens = if random.below(3) == 0 { ODD } else { TOKENS };
        match random.below(6) {
            0 => drop(line.splice(at..at, tokens[random.below(tokens.len())].chars())),
            1 => {
                let end = (at + random.below(6)).min(line.len());
                line.drain(at..end);
            }
            2 => {
                let other: Vec<char> = corpus[random.below(corpus.len())].chars().collect();
                let from = random.below(other.len() + 1);
                let to = (from + random.below(20)).min(other.len());
                line.splice(at..at, other[from..to].iter().copied());
            }
            3 => {
                let end = (at + random.below(12)).min(line.len());
                let copy = line[at..end].to_vec();
                line.splice(at..at, copy);
            }
            4 if at < line.len() => {
                line[at] = tokens[random.below(tokens.len())].chars().next().unwrap_or(' ')
            }
            _ => {
                let other = &corpus[random.below(corpus.len())];
                line.extend(tokens[random.below(tokens.len())].chars().chain(other.chars()));
            }
        }
    }
    line.into_iter().collect()
}
