//! A fuzzer for a stable compiler: mutates lines of the corpus with a seeded generator for a given time.
//!
//! `cargo run --release --example fuzz -- --seconds 600 [--seed N]`. Reports, and at the end fails for, every input
//! that panics, takes longer than 20 ms three times in a row, or is read-only although `brush-parser` cannot parse it
//! or sees a command in it that we do not.

#![expect(clippy::print_stdout, reason = "it prints what it finds")]
#![expect(clippy::disallowed_methods, reason = "its own file for the line in hand")]

#[path = "../tests/common/brush.rs"]
mod brush;
#[path = "../tests/common/mod.rs"]
#[expect(dead_code, reason = "what a line needs to be run is no matter here")]
mod common;

use std::io::{Seek as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use forelook_shell::{Verdict, analyse};

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

/// SplitMix64: a generator of a few lines, so that a seed gives the same run everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// The line in hand, in a file: a crash in the C grammar ends the process, and then nobody else could name the line.
struct InHand(std::path::PathBuf, Option<std::fs::File>);

impl InHand {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("forelook-fuzz-{}", std::process::id()));
        let file = std::fs::File::create(&path).ok();
        println!("the line in hand is in {}", path.display());
        Self(path, file)
    }

    fn keep(&mut self, line: &str) {
        let Some(file) = &mut self.1 else { return };
        let kept =
            file.rewind().and_then(|()| file.set_len(0)).and_then(|()| file.write_all(line.as_bytes()));
        if kept.is_err() {
            self.1 = None;
        }
    }

    fn forget(self) {
        drop(std::fs::remove_file(self.0));
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).and_then(|v| v.parse::<u64>().ok())
    };
    let (seconds, seed) = (value("--seconds").unwrap_or(10), value("--seed").unwrap_or(1));
    let mut random = Random(seed);
    if let Some(count) = value("--emit") {
        return emit(count, &mut random);
    }
    let mut in_hand = InHand::new();
    let corpus: Vec<String> =
        common::read_only().into_iter().chain(common::nasty()).map(|l| l.text).collect();
    let (start, mut count, mut read_only, mut findings) = (Instant::now(), 0u64, 0u64, Vec::<String>::new());
    std::panic::set_hook(Box::new(|_| {}));
    while start.elapsed() < Duration::from_secs(seconds) && findings.len() < 50 {
        let line = mutate(&corpus, &mut random);
        count += 1;
        in_hand.keep(&line);
        match check(&line) {
            Ok(verdict) => read_only += u64::from(verdict == Verdict::ReadOnly),
            Err(why) => {
                println!("{why}: {line:?}");
                findings.push(why);
            }
        }
    }
    in_hand.forget();
    println!(
        "{count} lines in {:?}, {read_only} of them read-only, seed {seed}, {} findings",
        start.elapsed(),
        findings.len()
    );
    std::process::exit(i32::from(!findings.is_empty()));
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

fn check(line: &str) -> Result<Verdict, String> {
    let mut quickest = Duration::MAX;
    let mut analysis = None;
    for _ in 0..3 {
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| analyse(line))).map_err(|_| "panics".to_owned())?;
        quickest = quickest.min(start.elapsed());
        analysis = Some(result);
        if quickest < LIMIT {
            break;
        }
    }
    let Some(analysis) = analysis else { return Err("no answer".to_owned()) };
    if quickest > LIMIT {
        return Err(format!("takes {quickest:?}"));
    }
    if analysis.verdict == Verdict::ReadOnly {
        let theirs = catch_unwind(|| brush::names(line)).unwrap_or_else(|_| Err("brush panics".to_owned()));
        match theirs {
            Err(why) => {
                return Err(format!(
                    "read-only, but brush does not parse it ({})",
                    why.chars().take(60).collect::<String>()
                ));
            }
            Ok(theirs) if !brush::covers(&brush::our_names(&analysis), &theirs) => {
                return Err(format!("read-only, but brush sees {theirs:?}"));
            }
            Ok(_) => {}
        }
    }
    Ok(analysis.verdict)
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
