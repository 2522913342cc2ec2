//! The frame of a fuzzer for a stable compiler: arguments, a seeded generator, the loop and the report.
//!
//! A fuzzer is an example of the crate that it tests; it says how an input is made and what must hold for it
//! ([`Target`]), and leaves the rest to [`main`]. A seed gives the same inputs everywhere, so that a finding can be had
//! again.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a fuzzer prints what it finds")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// More findings than these say nothing new.
const MAX_FINDINGS: u64 = 50;

/// At most this many characters of a finding are printed; with `--keep` all of it is kept.
const MAX_SHOWN: usize = 1000;

/// What is fuzzed.
pub trait Target {
    /// What is made, and checked.
    type Input;

    /// What the inputs are, for the report: "texts".
    const INPUTS: &'static str;

    /// What those are that [`Target::check`] counts, in words that follow "of them": "rules".
    const COUNTED: &'static str;

    /// Makes an input. What it draws decides about all later ones, so it must not depend on anything else.
    fn make(&mut self, random: &mut Random) -> Self::Input;

    /// Whether the input is one of those that are counted, or what is wrong.
    fn check(&mut self, input: &Self::Input) -> Result<bool, String>;

    /// The whole input, for a person.
    fn show(&self, input: &Self::Input) -> String;
}

/// Runs a fuzzer by the arguments of the program; ends with 1 for findings, with 2 for arguments that are none.
pub fn main<T: Target>(target: T) -> ExitCode {
    match Args::read(&[]) {
        Ok(args) => run(target, &args),
        Err(why) => refuse(&why),
    }
}

/// Says what is wrong with the arguments.
pub fn refuse(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}

/// The arguments: `--seconds N` (10), `--seed N` (1), `--keep FOLDER`, and those of the fuzzer's own. In the folder is
/// kept each finding, whole, and at any time the input in hand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Args(BTreeMap<String, String>);

impl Args {
    /// Those of the program; `own` are the names that only this fuzzer knows, each with a number.
    pub fn read(own: &[&str]) -> Result<Self, String> {
        Self::of(std::env::args().skip(1), own)
    }

    /// A name that is mistyped must not pass for a run of ten seconds with the first seed.
    fn of(mut words: impl Iterator<Item = String>, own: &[&str]) -> Result<Self, String> {
        let mut args = Self::default();
        while let Some(name) = words.next() {
            let is_number = ["--seconds", "--seed"].contains(&name.as_str()) || own.contains(&name.as_str());
            if !is_number && name != "--keep" {
                return Err(format!(
                    "`{name}` is not known\nIt takes --seconds N, --seed N and --keep FOLDER"
                ));
            }
            let value = words.next().ok_or_else(|| format!("`{name}` needs a value"))?;
            if is_number && value.parse::<u64>().is_err() {
                return Err(format!("`{name}` must be a number, not `{value}`"));
            }
            args.0.insert(name, value);
        }
        Ok(args)
    }

    /// The number given with a name.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.parse().ok()
    }

    /// What the first input is made of.
    pub fn seed(&self) -> u64 {
        self.number("--seed").unwrap_or(1)
    }

    fn time(&self) -> Duration {
        Duration::from_secs(self.number("--seconds").unwrap_or(10))
    }

    fn keep(&self) -> Option<&Path> {
        self.0.get("--keep").map(Path::new)
    }
}

/// Makes and checks inputs until the time is over.
pub fn run<T: Target>(mut target: T, args: &Args) -> ExitCode {
    let mut findings_folder =
        match args.keep().map(|folder| FindingsFolder::new(folder, args.seed())).transpose() {
            Ok(findings_folder) => findings_folder,
            Err(error) => return refuse(&format!("Nothing can be kept: {error}")),
        };
    // At once, for a crash has no report; with `--keep` the same run names the input.
    println!("{} for {:?}, seed {}", T::INPUTS, args.time(), args.seed());
    // A panic is a finding with one line of its own.
    std::panic::set_hook(Box::new(|_| {}));
    let (start, mut random, mut stats) = (Instant::now(), Random::new(args.seed()), FuzzStats::default());
    while start.elapsed() < args.time() && stats.findings < MAX_FINDINGS {
        let input = target.make(&mut random);
        stats.add(&mut target, &input, findings_folder.as_mut());
    }
    let FuzzStats { count, counted, findings } = stats;
    let (took, percent) = (start.elapsed(), counted * 100 / count.max(1));
    let of_them = format!("{counted} of them {} ({percent} %)", T::COUNTED);
    println!("{count} {} in {took:.1?}, {of_them}, seed {}, {findings} findings", T::INPUTS, args.seed());
    if let Some(findings_folder) = findings_folder {
        findings_folder.end();
    }
    ExitCode::from(u8::from(findings > 0))
}

/// What came of the inputs so far.
#[derive(Default)]
struct FuzzStats {
    count: u64,
    counted: u64,
    findings: u64,
}

impl FuzzStats {
    fn add<T: Target>(
        &mut self,
        target: &mut T,
        input: &T::Input,
        mut findings_folder: Option<&mut FindingsFolder>,
    ) {
        self.count += 1;
        if let Some(findings_folder) = &mut findings_folder {
            findings_folder.current(&target.show(input));
        }
        let checked = catch_unwind(AssertUnwindSafe(|| target.check(input)));
        match checked.unwrap_or_else(|_| Err("the check panics".to_owned())) {
            Ok(is_counted) => self.counted += u64::from(is_counted),
            Err(why) => {
                self.findings += 1;
                let finding = format!("{why}: {}", target.show(input));
                println!("input {}: {}", self.count, shortened(&finding));
                if let Some(findings_folder) = findings_folder {
                    findings_folder.finding(self.count, &finding);
                }
            }
        }
    }
}

fn shortened(finding: &str) -> String {
    let begin: String = finding.chars().take(MAX_SHOWN).collect();
    if begin.len() < finding.len() { format!("{begin}… ({} bytes)", finding.len()) } else { begin }
}

/// What `--keep` keeps. The input in hand too: a crash that is no panic (a full stack, a grammar in C) ends the process,
/// and then nobody else could name it.
struct FindingsFolder {
    folder: PathBuf,
    seed: u64,
    current: File,
}

impl FindingsFolder {
    fn new(folder: &Path, seed: u64) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let current = File::create(Self::current_path(folder, seed))?;
        Ok(Self { folder: folder.to_owned(), seed, current })
    }

    fn current_path(folder: &Path, seed: u64) -> PathBuf {
        folder.join(format!("seed-{seed}-in-hand-{}.txt", std::process::id()))
    }

    fn current(&mut self, input: &str) {
        let file = &mut self.current;
        let written =
            file.rewind().and_then(|()| file.set_len(0)).and_then(|()| file.write_all(input.as_bytes()));
        report_io_error(written);
    }

    fn finding(&self, number: u64, finding: &str) {
        report_io_error(std::fs::write(
            self.folder.join(format!("seed-{}-input-{number}.txt", self.seed)),
            finding,
        ));
    }

    fn end(self) {
        report_io_error(std::fs::remove_file(Self::current_path(&self.folder, self.seed)));
    }
}

/// A full disk must not end a long run.
fn report_io_error(result: std::io::Result<()>) {
    if let Err(error) = result {
        eprintln!("Not kept: {error}");
    }
}

/// Runs it; a panic, or more than `limit` three times in a row, is a finding. In processor time: on a busy machine the
/// clock on the wall measures the others.
pub fn timed<T>(what: &str, limit: Duration, act: impl Fn() -> T) -> Result<T, String> {
    let mut quickest = Duration::MAX;
    for _ in 0..3 {
        let start = spent();
        let result = catch_panic(what, &act)?;
        quickest = quickest.min(spent().saturating_sub(start));
        if quickest <= limit {
            return Ok(result);
        }
    }
    Err(format!("{what} takes {quickest:?}"))
}

/// Processor time that this thread has used.
fn spent() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(u64::try_from(time.tv_sec).unwrap_or_default(), nanos)
}

/// Runs it; a panic is a finding.
pub fn catch_panic<T>(what: &str, act: impl Fn() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|_| format!("{what} panics"))
}

/// SplitMix64: a generator of a few lines, so that a seed gives the same run everywhere.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// One that begins with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    #[expect(clippy::should_implement_trait, reason = "it has no end, and is no iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these, of which there must be at least one.
    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &str) -> Result<Args, String> {
        Args::of(words.split_whitespace().map(str::to_owned), &["--emit"])
    }

    #[test]
    fn arguments_are_known_or_refused() {
        let given = args("--seed 7 --seconds 3 --emit 5 --keep found").unwrap();
        assert_eq!(
            (given.seed(), given.time(), given.number("--emit")),
            (7, Duration::from_secs(3), Some(5))
        );
        assert_eq!(given.keep(), Some(Path::new("found")));
        assert_eq!((args("").unwrap().seed(), args("").unwrap().time()), (1, Duration::from_secs(10)));
        for (words, said) in [
            ("--sed 7", "`--sed` is not known"),
            ("--seed", "needs a value"),
            ("--seed x", "must be a number, not `x`"),
        ] {
            assert!(args(words).unwrap_err().contains(said), "{words}");
        }
    }

    /// Finds even numbers, and panics at a multiple of seven.
    struct Numbers(PathBuf, u64);

    impl Target for Numbers {
        type Input = u64;
        const INPUTS: &'static str = "numbers";
        const COUNTED: &'static str = "odd";

        fn make(&mut self, _: &mut Random) -> u64 {
            self.1 += 1;
            self.1
        }

        fn check(&mut self, number: &u64) -> Result<bool, String> {
            let current = std::fs::read_to_string(FindingsFolder::current_path(&self.0, 1)).unwrap();
            assert_eq!(current, number.to_string());
            assert!(!number.is_multiple_of(7));
            if number.is_multiple_of(2) { Err("even".to_owned()) } else { Ok(true) }
        }

        fn show(&self, number: &u64) -> String {
            number.to_string()
        }
    }

    #[test]
    fn findings_end_a_run_and_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let args = args(&format!("--keep {}", folder.path().display())).unwrap();
        let code = run(Numbers(folder.path().to_owned(), 0), &args);
        _ = std::panic::take_hook();
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::FAILURE));
        let findings_folder =
            |n: u64| std::fs::read_to_string(folder.path().join(format!("seed-1-input-{n}.txt"))).ok();
        assert_eq!(
            (findings_folder(1), findings_folder(2).as_deref(), findings_folder(7).as_deref()),
            (None, Some("even: 2"), Some("the check panics: 7"))
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count() as u64, MAX_FINDINGS);
    }

    #[test]
    fn a_seed_is_a_run() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            [(); 3].map(|()| random.next())
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn slow_is_slow_three_times_and_a_panic_is_one_at_once() {
        let calls = std::cell::Cell::new(0);
        let count = || calls.set(calls.get() + 1);
        assert!(timed("it", Duration::ZERO, count).unwrap_err().starts_with("it takes"));
        assert_eq!(calls.take(), 3);
        assert_eq!(timed("it", Duration::MAX, count), Ok(()));
        assert_eq!(calls.take(), 1);
        assert_eq!(timed("it", Duration::MAX, || panic!("no")), Err::<(), _>("it panics".to_owned()));
    }
}
