//! What is found is what `rg` finds.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};

use crate::search::testing::{lay, project};
use crate::testing::Bench;

/// A file, a line of it and its text.
type Line = (String, String, String);

/// What `rg` prints with these arguments, hidden files included.
fn rg(bench: &Bench, args: &[&str]) -> String {
    let ran = Command::new("rg")
        .args(["--no-config", "--hidden", "-g", "!.git", "--color=never"])
        .args(args)
        .current_dir(bench.cx.place.folder.as_path())
        .stdin(std::process::Stdio::null())
        .output()
        .expect("this test needs `rg`: install the package `ripgrep`");
    assert!(ran.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

fn project_for_rg() -> Bench {
    let bench = project();
    for (name, text) in [
        ("src/crlf.rs", "fn one() {}\r\nfn two() {}\r\n\r\nlet needle = one();\r\n"),
        ("src/unicode.rs", "// Größe, ΣΊΣΥΦΟΣ, naïve\nlet größe = 1;\n"),
        ("src/empty.rs", ""),
        ("src/no_end.rs", "let needle = 2;"),
        ("web/a.ts", "export const Needle = 1\nneedle needle\n"),
        ("web/node_modules/b.ts", "needle\n"),
        ("web/.gitignore", "node_modules\n!keep.log\n"),
        ("web/keep.log", "needle\n"),
        ("web/deep/er/c.py", "import needle\n\n\ndef needle():\n    return 'needle'\n"),
    ] {
        lay(&bench, name, text);
    }
    lay(&bench, "big.txt", "some line of text\nneedle here\nand another\n".repeat(5000));
    bench
}

/// The lines of our result; the names of files stand above theirs.
fn ours(text: &str) -> BTreeSet<Line> {
    let mut file = String::new();
    let mut lines = BTreeSet::new();
    for line in text.lines() {
        let digits = line.chars().take_while(char::is_ascii_digit).count();
        match line.split_at(digits) {
            (number, rest) if digits > 0 && rest.starts_with([':', '-']) => {
                lines.insert((file.clone(), number.to_owned(), rest.to_owned()));
            }
            _ if line.is_empty() || line == "--" => {}
            _ => file = line.to_owned(),
        }
    }
    lines
}

/// The lines of what `rg --heading` prints.
fn theirs(text: &str) -> BTreeSet<Line> {
    ours(&text.replace('\r', ""))
}

#[tokio::test]
async fn lines() {
    let mut bench = project_for_rg();
    for (input, args) in [
        (json!({"pattern": "needle"}), &["needle"][..]),
        (json!({"pattern": "needle", "-i": true}), &["-i", "needle"]),
        (json!({"pattern": "GRÖSSE|größe", "-i": true}), &["-i", "GRÖSSE|größe"]),
        (json!({"pattern": r"\bfn\s+\w+\("}), &[r"\bfn\s+\w+\("]),
        (json!({"pattern": r"\{\}$"}), &["--crlf", r"\{\}$"]),
        (json!({"pattern": "^$"}), &["--crlf", "^$"]),
        (json!({"pattern": "needle", "type": "rust"}), &["-trust", "needle"]),
        (json!({"pattern": "needle", "glob": "*.{ts,py}"}), &["-g", "*.{ts,py}", "needle"]),
        (json!({"pattern": "needle", "glob": "web/**/*.py"}), &["-g", "web/**/*.py", "needle"]),
        (json!({"pattern": "needle", "glob": "!*.rs"}), &["-g", "!*.rs", "needle"]),
        (json!({"pattern": "needle", "glob": "!web"}), &["-g", "!web", "needle"]),
        (json!({"pattern": "needle", "path": "web"}), &["needle", "web"]),
        (json!({"pattern": "needle", "path": "web/node_modules"}), &["needle", "web/node_modules"]),
        (json!({"pattern": "needle", "-A": 1}), &["-A1", "needle"]),
        (json!({"pattern": "needle", "-B": 2, "-A": 1, "path": "web"}), &["-B2", "-A1", "needle", "web"]),
        (json!({"pattern": "needle", "-C": 3, "path": "src"}), &["-C3", "needle", "src"]),
        (
            json!({"pattern": r"def needle.*return", "multiline": true}),
            &["-U", "--multiline-dotall", r"def needle.*return"],
        ),
        (json!({"pattern": r"one\n.*two", "multiline": true}), &["-U", "--multiline-dotall", r"one\n.*two"]),
        (json!({"pattern": "."}), &["."]),
        (json!({"pattern": "no such words"}), &["no such words"]),
    ] {
        // The large file has more lines than a result has room for.
        let mut asked = input.clone();
        asked["output_mode"] = json!("content");
        asked["head_limit"] = json!(0);
        if input.get("glob").is_none() && input.get("path").is_none() {
            asked["glob"] = json!("!big.txt");
        }
        let mut args: Vec<&str> = args.to_vec();
        args.splice(0..0, ["--heading", "-n", "-g", "!big.txt"]);
        if input["glob"] == "!*.rs" || input["glob"] == "!web" {
            asked["glob"] =
                json!(format!("!{{{},big.txt}}", input["glob"].as_str().unwrap().trim_start_matches('!')));
        }
        let (expected, found) = (theirs(&rg(&bench, &args)), ours(&bench.ok("Grep", asked).await));
        if input["pattern"] != "no such words" {
            assert!(!expected.is_empty(), "{input}");
            assert_eq!(found, expected, "{input}");
        }
    }
}

#[tokio::test]
async fn counts_and_files() {
    let mut bench = project_for_rg();
    let sorted = |text: &str| -> BTreeSet<String> {
        text.lines().take_while(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    for (input, args) in [
        (json!({"pattern": "needle", "output_mode": "count"}), &["-c", "needle"][..]),
        (json!({"pattern": "e", "-i": true, "output_mode": "count"}), &["-ci", "e"]),
        (json!({"pattern": r"needle\W", "multiline": true, "output_mode": "count"}), &["-cU", r"needle\W"]),
        (json!({"pattern": "needle"}), &["-l", "needle"]),
        (json!({"pattern": r"^\s+needle"}), &["-l", r"^\s+needle"]),
    ] {
        assert_eq!(sorted(&bench.ok("Grep", input.clone()).await), sorted(&rg(&bench, args)), "{input}");
    }
    for pattern in ["*.rs", "**/*.{ts,py}", "web/**/*.py", "src/*", "*", "c.py", "[a-c].*"] {
        let found: Value = json!({"pattern": pattern});
        // Of what `rg` lists without a glob: with one it lists what is ignored too.
        let listed = sorted(&rg(&bench, &["--files"]));
        let wanted = sorted(&rg(&bench, &["--files", "-g", pattern]));
        let expected: BTreeSet<String> = wanted.intersection(&listed).cloned().collect();
        assert_eq!(sorted(&bench.ok("Glob", found).await), expected, "{pattern}");
    }
}
