//! How fast Glob and Grep are beside `rg` and `fd` on the same tree, in the same run; prints JSON.
//!
//! `search_speed [--files N] [--runs N] [--rg PATH] [--fd PATH] [--tree FOLDER]`. A tree that is named is kept, and used again if it exists.
#![expect(
    clippy::disallowed_methods,
    reason = "a measurement: it lays out files and starts what it compares with"
)]
#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program for the terminal")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_protocol::AbsPath;
use forelook_tools::{ToolContext, ToolServices, Toolbox};
use serde_json::{Value, json};

/// The same tree every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

const WORDS: [&str; 32] = [
    "let", "fn", "return", "value", "match", "self", "error", "config", "Option", "result", "handler",
    "request", "parse", "stream", "token", "buffer", "index", "update", "render", "session", "the", "of",
    "to", "when", "string", "into", "iter", "map", "async", "await", "struct", "impl",
];
const ENDINGS: [&str; 10] = ["rs", "rs", "rs", "ts", "ts", "py", "md", "json", "toml", "html"];

/// Makes a project of so many files: nested folders, some of them ignored, sizes of 0.2 to 40 kB.
fn make_tree(root: &Path, files: usize) {
    fs::create_dir_all(root.join(".git")).expect("a folder");
    fs::write(root.join(".gitignore"), "target/\nnode_modules/\n*.log\n/build\n").expect("a file");
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut folders = vec![root.to_path_buf()];
    let mut text = String::new();
    for at in 0..files {
        if at % 12 == 0 {
            let above = folders[dice.roll(folders.len() as u64) as usize].clone();
            let name = match dice.roll(25) {
                0 => format!("target/d{at}"),
                1 => format!(".hidden{at}"),
                _ => format!("{}_{at}", WORDS[dice.roll(32) as usize]),
            };
            let folder = if above.components().count() > 14 { root.join(name) } else { above.join(name) };
            fs::create_dir_all(&folder).expect("a folder");
            folders.push(folder);
        }
        // Most files lie in newer folders.
        let last = folders.len() as u64 - 1;
        let folder = &folders[(last - dice.roll(last.min(20) + 1)) as usize];
        let ending = if dice.roll(40) == 0 { "log" } else { ENDINGS[dice.roll(10) as usize] };
        fill(&mut text, &mut dice, at);
        fs::write(folder.join(format!("{}{at}.{ending}", WORDS[dice.roll(32) as usize])), &text)
            .expect("a file");
    }
}

fn fill(text: &mut String, dice: &mut Dice, at: usize) {
    // Small files are many, large ones few.
    let size = 200 + dice.roll(40).pow(2) as usize * dice.roll(25) as usize + dice.roll(2000) as usize;
    text.clear();
    while text.len() < size.min(40_000) {
        for _ in 0..4 + dice.roll(9) {
            text.push_str(WORDS[dice.roll(32) as usize]);
            text.push([' ', ' ', '(', '.', '_', ' '][dice.roll(6) as usize]);
        }
        text.push('\n');
    }
    if at % 5000 == 7 {
        text.push_str("here is the rare_needle_in_hay\n");
    }
}

/// One call on a runtime of its own, so that the start of its threads counts for us.
fn call(tools: &Toolbox, name: &str, input: &Value, folder: &AbsPath) -> (Duration, String) {
    let mut cx = ToolContext::alone(folder);
    let tool = tools.get(name).expect("a tool");
    let call = tool.parse(input).expect("a call");
    cx.action = call.action(&cx.place).expect("an action");
    let call = call.runnable().expect("a call that a tool runs");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let began = Instant::now();
    let outcome = runtime.block_on(call.run(cx));
    let took = began.elapsed();
    assert!(!outcome.result.is_error, "{}", outcome.result.text());
    (took, outcome.result.text())
}

/// One run of a program, its output read to the end.
fn run(program: &Path, args: &[&str], folder: &AbsPath) -> (Duration, usize) {
    let began = Instant::now();
    let ran = Command::new(program)
        .args(args)
        .current_dir(folder.as_path())
        .stdin(Stdio::null())
        .output()
        .expect("the program that is compared with");
    let took = began.elapsed();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    (took, ran.stdout.iter().filter(|byte| **byte == b'\n').count())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

struct Case<'a> {
    tool: &'a str,
    input: Value,
    program: &'a Path,
    args: &'a [&'a str],
}

/// Both in turns; the medians in milliseconds: ours, theirs.
fn compare(case: &Case<'_>, tools: &Toolbox, folder: &AbsPath, runs: usize) -> (f64, f64) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // The first round fills the caches.
    for round in 0..=runs {
        let own = call(tools, case.tool, &case.input, folder).0;
        let other = run(case.program, case.args, folder).0;
        if round > 0 {
            ours.push(own);
            theirs.push(other);
        }
    }
    (median(ours), median(theirs))
}

fn option(name: &str) -> Option<String> {
    let mut args = std::env::args().skip_while(|arg| arg != name);
    args.next()?;
    args.next()
}

fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|dir| names.iter().map(move |name| dir.join(name)))
        .find(|it| it.is_file())
}

fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

fn main() {
    let quick = std::env::args().any(|word| word == "--quick");
    let (most, often) = if quick { (10_000, 3) } else { (50_000, 11) };
    let files = option("--files").map_or(most, |text| text.parse().expect("a number of files"));
    let runs = option("--runs").map_or(often, |text| text.parse().expect("a number of runs"));
    let rg =
        option("--rg").map(PathBuf::from).or_else(|| on_path(&["rg"])).expect("`rg` (package `ripgrep`)");
    let fd = option("--fd").map(PathBuf::from).or_else(|| on_path(&["fd", "fdfind"]));
    let temp = tempfile::tempdir().expect("a folder");
    let tree = option("--tree").map_or_else(|| temp.path().join("project"), PathBuf::from);
    if !tree.exists() {
        make_tree(&tree, files);
    }
    let folder = AbsPath::new(tree.canonicalize().expect("a path")).expect("an absolute path");
    let tools = Toolbox::plain(&ToolServices::new(Arc::default(), folder.join("scratch")));

    let hidden = ["--hidden", "-g", "!.git"];
    let greps: [(&str, Value, Vec<&str>); 4] = [
        (
            "rare literal, lines",
            json!({"pattern": "rare_needle_in_hay", "output_mode": "content"}),
            vec!["-n", "rare_needle_in_hay"],
        ),
        ("common word, files", json!({"pattern": "handler"}), vec!["-l", "handler"]),
        (
            "regex, any case, count",
            json!({"pattern": r"HANDLER\(\w+_(update|token)", "-i": true, "output_mode": "count"}),
            vec!["-c", "-i", r"HANDLER\(\w+_(update|token)"],
        ),
        (
            "regex, lines",
            json!({"pattern": r"session\.\w+ error\(", "output_mode": "content"}),
            vec!["-n", r"session\.\w+ error\("],
        ),
    ];
    let mut report = serde_json::Map::new();
    let mut cases = Vec::new();
    let mut worst = (0.0, 0.0, 0.0);
    for (name, input, args) in greps {
        let args: Vec<&str> = hidden.into_iter().chain(args).collect();
        let case = Case { tool: "Grep", input, program: &rg, args: &args };
        let (ours, theirs) = compare(&case, &tools, &folder, runs);
        let ratio = ours / theirs;
        cases.push(json!({"case": name, "ms": round(ours), "rg_ms": round(theirs), "ratio": round(ratio)}));
        if ratio > worst.0 {
            worst = (ratio, ours, theirs);
        }
    }
    report.insert("files".into(), json!(files));
    report.insert("grep_ratio".into(), json!(round(worst.0)));
    report.insert("grep_ms".into(), json!(round(worst.1)));
    report.insert("rg_ms".into(), json!(round(worst.2)));

    let mut worst = (0.0, 0.0, 0.0);
    for pattern in ["**/*.rs", "**/*.{ts,md}", "**/*"] {
        // Without a glob `rg` is quickest; one that matches everything would make it search what is ignored.
        let glob = ["-g", pattern];
        let glob = if pattern == "**/*" { &[][..] } else { &glob };
        let args: Vec<&str> = ["--files"].into_iter().chain(hidden).chain(glob.iter().copied()).collect();
        let case = Case { tool: "Glob", input: json!({"pattern": pattern}), program: &rg, args: &args };
        let (ours, theirs) = compare(&case, &tools, &folder, runs);
        let ratio = ours / theirs;
        cases.push(json!({"case": format!("files {pattern}"), "ms": round(ours), "rg_ms": round(theirs), "ratio": round(ratio)}));
        if ratio > worst.0 {
            worst = (ratio, ours, theirs);
        }
    }
    report.insert("glob_ratio".into(), json!(round(worst.0)));
    report.insert("glob_ms".into(), json!(round(worst.1)));
    report.insert("rg_files_ms".into(), json!(round(worst.2)));
    if let Some(fd) = fd {
        let args = ["--hidden", "--type", "f", "--exclude", ".git", "--glob", "*.rs"];
        let case = Case { tool: "Glob", input: json!({"pattern": "**/*.rs"}), program: &fd, args: &args };
        let (ours, theirs) = compare(&case, &tools, &folder, runs);
        report.insert("fd_ratio".into(), json!(round(ours / theirs)));
        report.insert("glob_rs_ms".into(), json!(round(ours)));
        report.insert("fd_ms".into(), json!(round(theirs)));
    }
    report.insert("cases".into(), Value::Array(cases));
    println!("{:#}", Value::Object(report));
}
