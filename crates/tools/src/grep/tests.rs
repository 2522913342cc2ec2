//! Grep, on real files.

mod as_rg;
mod strange;

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use forelook_protocol::Action;
use serde_json::{Value, json};

use crate::search::testing::{date, lay, project};
use crate::testing::{AllBut, Bench};

/// Paths of a list, sorted.
async fn files(bench: &mut Bench, input: Value) -> Vec<String> {
    let text = bench.ok("Grep", input).await;
    let mut paths: Vec<String> =
        text.lines().take_while(|line| !line.is_empty()).map(str::to_owned).collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn files_that_match_are_listed() {
    let mut bench = project();
    let all = [".env", ".github/ci.yml", "src/deep/lib.rs", "src/deep/page.tsx", "src/main.rs"];
    for (input, expected) in [
        (json!({"pattern": "needle"}), &all[..]),
        (json!({"pattern": "needle", "path": "."}), &all),
        (json!({"pattern": "NEEDLE", "-i": true, "output_mode": "files_with_matches"}), &all),
        (json!({"pattern": "needle", "glob": "*.rs"}), &["src/deep/lib.rs", "src/main.rs"]),
        (json!({"pattern": "needle", "glob": "!*.{rs,tsx}"}), &[".env", ".github/ci.yml"]),
        (json!({"pattern": "needle", "glob": "src/*.rs", "path": "src"}), &["src/main.rs"]),
        (
            json!({"pattern": "needle", "glob": "*", "path": "docs"}),
            &["No match for `needle` in `docs` (2 files)"],
        ),
        (json!({"pattern": "needle", "type": "rust"}), &["src/deep/lib.rs", "src/main.rs"]),
        (json!({"pattern": "needle", "path": "src/deep"}), &["src/deep/lib.rs", "src/deep/page.tsx"]),
        // Ignored, but named.
        (json!({"pattern": "needle", "path": "debug.log"}), &["debug.log"]),
        (json!({"pattern": "needle", "path": "target"}), &["target/out.rs"]),
        (json!({"pattern": "needle", "path": ".git"}), &[".git/config"]),
        // The end of a line, whatever it is.
        (json!({"pattern": "2;$"}), &["src/deep/page.tsx"]),
    ] {
        assert_eq!(files(&mut bench, input.clone()).await, expected, "{input}");
    }
    assert!(matches!(&bench.cx.action, Action::Read { file } if file.real == bench.cx.place.folder));
    assert!(bench.cx.output.progress().last().unwrap().ends_with(" files searched"));
}

#[tokio::test]
async fn lines_come_under_their_file() {
    let mut bench = project();
    let content = |mut input: Value| {
        input["output_mode"] = json!("content");
        input
    };
    for (input, expected) in [
        (
            json!({"pattern": "needle", "path": "src"}),
            "src/deep/lib.rs\n5:// needle five\n\nsrc/deep/page.tsx\n1:const needle = 1;\n\nsrc/main.rs\n2:    needle();\n",
        ),
        (json!({"pattern": "needle", "path": "src/main.rs", "-n": false}), "src/main.rs\n    needle();\n"),
        (
            json!({"pattern": "two|five", "path": "src/deep", "-A": 1, "-B": 0}),
            "src/deep/lib.rs\n2:// Needle two\n3-// three\n--\n5:// needle five\n",
        ),
        (
            json!({"pattern": "two", "path": "src", "-C": 1}),
            "src/deep/lib.rs\n1-// one\n2:// Needle two\n3-// three\n",
        ),
        (
            json!({"pattern": "two", "path": "src", "-C": 1, "-B": 0}),
            "src/deep/lib.rs\n2:// Needle two\n3-// three\n",
        ),
        (
            json!({"pattern": "main.*needle", "path": "src", "multiline": true}),
            "src/main.rs\n1:fn main() {\n2:    needle();\n",
        ),
    ] {
        assert_eq!(bench.ok("Grep", content(input.clone())).await, expected, "{input}");
    }
    // Who asks for lines around matches need not say that lines are wanted.
    assert_eq!(
        bench.ok("Grep", json!({"pattern": "three", "-B": 1})).await,
        "src/deep/lib.rs\n2-// Needle two\n3:// three\n"
    );
}

#[tokio::test]
async fn matches_are_counted() {
    let mut bench = project();
    let text = bench.ok("Grep", json!({"pattern": "//", "path": "src", "output_mode": "count"})).await;
    assert_eq!(text, "src/deep/lib.rs:5\n");
    let text = bench.ok("Grep", json!({"pattern": "e", "path": "src", "output_mode": "count"})).await;
    assert_eq!(
        text,
        "src/deep/lib.rs:4\nsrc/deep/page.tsx:2\nsrc/main.rs:1\n\n[7 matching lines in 3 files]\n"
    );
    bench.file("twice", "aXa aXa\naXa\n");
    let count = json!({"pattern": "X", "path": "twice", "output_mode": "count", "multiline": true});
    assert_eq!(bench.ok("Grep", count).await, "twice:3\n");
}

#[tokio::test]
async fn the_newest_come_first() {
    let mut bench = Bench::new();
    for (name, seconds) in [("a", 20), ("b", 30), ("c", 10)] {
        date(bench.file(name, "x"), seconds);
    }
    assert_eq!(bench.ok("Grep", json!({"pattern": "x"})).await, "b\na\nc\n");
}

#[tokio::test]
async fn long_results_end_with_a_note() {
    let mut bench = Bench::new();
    for at in 0..30 {
        date(bench.file(&format!("f{at:02}"), "x\n".repeat(20)), at);
    }
    for (input, begin, note) in [
        (
            json!({"pattern": "x", "head_limit": 3}),
            "f29\nf28\nf27\n\n",
            "[Showing the newest 3 of 30 files. For the rest, raise `head_limit`",
        ),
        (
            json!({"pattern": "x", "head_limit": 2, "output_mode": "count"}),
            "f00:20\nf01:20\n\n",
            "[Showing the first 2 files of 600 matching lines in 30 files. ",
        ),
        (
            json!({"pattern": "x", "head_limit": 2, "output_mode": "content"}),
            "f00\n1:x\n2:x\n\n",
            "[Showing the first 2 of 600 matching lines in 30 files. ",
        ),
        (
            json!({"pattern": "x", "head_limit": 1, "-C": 1}),
            "f00\n1:x\n\n",
            "[Showing the first 1 of 600 matching lines",
        ),
        (
            json!({"pattern": "x", "output_mode": "content"}),
            "f00\n1:x\n",
            "[Showing the first 250 of 600 matching lines",
        ),
    ] {
        let text = bench.ok("Grep", input.clone()).await;
        assert!(text.starts_with(begin) && text.contains(note), "{input}: {text}");
    }
    let text = bench.ok("Grep", json!({"pattern": "x", "output_mode": "content", "head_limit": 0})).await;
    assert!(text.ends_with("\nf29\n".to_owned().as_str()) || text.contains("20:x\n"), "{text}");
    assert!(!text.contains('['), "{text}");
    bench.file("long", format!("{}\n", "x".repeat(400)).repeat(200));
    let text = bench.ok("Grep", json!({"pattern": "xx", "output_mode": "content", "head_limit": 0})).await;
    assert!(text.chars().count() < 31_000 && text.contains("of 200 matching lines in 1 file"), "{text}");
    assert!(!text.contains("head_limit"), "{text}");
    let text = bench.ok("Grep", json!({"pattern": "xx.*xx", "-A": 0, "multiline": true})).await;
    assert!(text.chars().count() < 31_000, "{}", text.len());
}

#[tokio::test]
async fn bad_input_says_what_to_send() {
    let mut bench = project();
    for (input, parts) in [
        (json!({"pattern": "interface{"}), ["repetition", r"`interface\{`"]),
        (json!({"pattern": r"a\nb"}), ["spans lines", "Set `multiline` to true"]),
        (json!({"pattern": "a{1000}{1000}{1000}"}), ["size limit", "smaller numbers"]),
        (json!({"pattern": "x".repeat(100_000)}), ["too long", "shorter"]),
        (json!({"pattern": ""}), ["`pattern` is empty", "Glob"]),
        (json!({"pattern": "x", "type": "rustt"}), ["no file type `rustt`", "Did you mean `rust`?"]),
        (json!({"pattern": "x", "type": "zzzzz"}), ["no file type", "use `glob`, such as `*.zzzzz`"]),
        (json!({"pattern": "x", "glob": "[a"}), ["is not a valid name pattern", "`\\[`"]),
        (json!({"pattern": "x", "path": "scr"}), ["There is no file or directory", "Did you mean"]),
        (json!({"pattern": "x", "-C": 5000}), ["`-C` can be at most 1000", "Read"]),
        (json!({"pattern": "x", "-i": "yes"}), ["`-i`", "`head_limit` (integer, optional)"]),
        (json!({"pattern": "x", "output_mode": "lines"}), ["`output_mode`", "files_with_matches"]),
        (json!({"pattern": "x", "include": "*.rs"}), ["unknown field `include`", "`glob`"]),
    ] {
        let text = bench.failure("Grep", input).await;
        assert!(text.len() < 4000 && parts.iter().all(|part| text.contains(part)), "{text}");
    }
    let text = bench.ok("Grep", json!({"pattern": "needle", "glob": "*.rs,*.ts"})).await;
    assert!(text.contains("(0 files)") && text.contains("`glob` *.rs,*.ts; write several"), "{text}");
}

/// Whoever could learn that a secret file matches could guess it letter by letter.
#[tokio::test]
async fn what_may_not_be_read_shows_in_nothing() {
    let mut bench = project();
    let secret = bench.path(".env");
    bench.cx.files.readable = Arc::new(AllBut(secret));
    for mode in ["content", "files_with_matches", "count"] {
        let ask = |pattern: &str| json!({"pattern": pattern, "output_mode": mode});
        let hit = bench.ok("Grep", ask("^KEY=n")).await;
        let miss = bench.ok("Grep", ask("^KEY=m")).await;
        assert_eq!(hit.replace("=n", "=m"), miss);
        let some = bench.ok("Grep", ask("needle")).await;
        assert!(!some.contains(".env") && some.contains("src/main.rs"), "{some}");
    }
    // The one file that was asked for was decided on.
    assert_eq!(bench.ok("Grep", json!({"pattern": "KEY", "path": ".env"})).await, ".env\n");
}

#[tokio::test]
async fn links_are_not_followed_unless_named() {
    let mut bench = project();
    let elsewhere = bench.cx.place.folder.parent().unwrap().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("x"), "needle").unwrap();
    symlink(&elsewhere, bench.path("docs/link")).unwrap();
    symlink(elsewhere.join("x"), bench.path("docs/file")).unwrap();
    let text = bench.ok("Grep", json!({"pattern": "needle", "path": "docs"})).await;
    assert!(text.starts_with("No match"), "{text}");
    for path in ["docs/link", "docs/file"] {
        let text = bench.ok("Grep", json!({"pattern": "needle", "path": path})).await;
        assert_eq!(text, format!("{}\n", elsewhere.join("x")));
    }
    lay(&bench, "docs/.hg/x", "needle");
    let text = bench.ok("Grep", json!({"pattern": "needle", "path": "docs"})).await;
    assert!(text.starts_with("No match"), "{text}");
}
