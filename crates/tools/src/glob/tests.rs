//! Glob, on real files.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use forelook_protocol::Action;
use serde_json::json;

use crate::search::testing::{date, lay, project};
use crate::testing::{AllBut, Bench, parsed, passed_as_nobody, run};

/// The paths that a pattern lists, sorted.
async fn list(bench: &mut Bench, pattern: &str) -> Vec<String> {
    let text = bench.ok("Glob", json!({"pattern": pattern})).await;
    let mut paths: Vec<String> =
        text.lines().take_while(|line| !line.is_empty()).map(str::to_owned).collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn files_are_found_by_their_names() {
    let mut bench = project();
    for (pattern, expected) in [
        ("*.rs", &["src/deep/lib.rs", "src/main.rs"][..]),
        ("**/*.rs", &["src/deep/lib.rs", "src/main.rs"]),
        ("src/*.rs", &["src/main.rs"]),
        ("./src/*.rs", &["src/main.rs"]),
        ("src/**/*.{ts,tsx}", &["src/deep/page.tsx"]),
        ("src/deep/", &["src/deep/lib.rs", "src/deep/page.tsx"]),
        ("*/[l-m]*.rs", &["src/main.rs"]),
        ("??c/ma?n.rs", &["src/main.rs"]),
        ("lib.rs", &["src/deep/lib.rs"]),
        ("ci.yml", &[".github/ci.yml"]),
        (".e*", &[".env"]),
        ("../project/src/*.rs", &["src/main.rs"]),
        // Ignored, but named in full or in a folder that is.
        ("debug.log", &["debug.log"]),
        ("target/*", &["target/out.rs"]),
        (".git/config", &[".git/config"]),
    ] {
        assert_eq!(list(&mut bench, pattern).await, expected, "{pattern}");
    }
    let absolute = format!("{}/src/*.rs", bench.cx.place.folder);
    assert_eq!(list(&mut bench, &absolute).await, ["src/main.rs"]);
    let text = bench.ok("Glob", json!({"pattern": "*.rs", "path": "src/deep"})).await;
    assert_eq!(text, "src/deep/lib.rs\n");
    assert_eq!(bench.cx.output.progress().last().unwrap(), "1 files found");
}

#[tokio::test]
async fn what_is_ignored_stays_so_whatever_the_pattern() {
    let mut bench = project();
    let all = list(&mut bench, "**/*").await;
    let expected = [
        ".env",
        ".github/ci.yml",
        ".gitignore",
        ".ignore",
        "docs/.gitignore",
        "docs/a.md",
        "src/deep/lib.rs",
        "src/deep/page.tsx",
        "src/main.rs",
    ];
    assert_eq!(all, expected);
    assert_eq!(list(&mut bench, "*").await, expected);
}

#[tokio::test]
async fn the_newest_come_first() {
    let mut bench = Bench::new();
    for (name, seconds) in [("a", 20), ("b", 30), ("c", 10), ("d", 30)] {
        date(bench.file(name, ""), seconds);
    }
    assert_eq!(bench.ok("Glob", json!({"pattern": "*"})).await, "b\nd\na\nc\n");
}

#[tokio::test]
async fn what_is_elsewhere_has_its_whole_path() {
    let mut bench = project();
    let elsewhere = bench.cx.place.folder.parent().unwrap().join("other dir");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("x.rs"), "").unwrap();
    for input in [json!({"pattern": "*.rs", "path": "../other dir"}), json!({"pattern": "../other dir/*.rs"})]
    {
        assert_eq!(bench.ok("Glob", input).await, format!("{}/x.rs\n", elsewhere));
        assert!(matches!(&bench.cx.action, Action::Read { file } if file.real == elsewhere));
    }
    bench.cx.place.folder = bench.path("src");
    assert_eq!(bench.ok("Glob", json!({"pattern": "main.rs"})).await, "main.rs\n");
    let text = bench.ok("Glob", json!({"pattern": "*.md", "path": ".."})).await;
    assert_eq!(text, format!("{}\n", bench.path("docs/a.md")));
}

#[tokio::test]
async fn long_lists_end_with_a_note() {
    let mut bench = Bench::new();
    for at in 0..300 {
        date(bench.file(&format!("f{at}"), ""), at);
    }
    let text = bench.ok("Glob", json!({"pattern": "f*"})).await;
    assert!(
        text.starts_with("f299\nf298\n") && text.contains("\nf50\n") && !text.contains("\nf49\n"),
        "{text}"
    );
    assert!(
        text.contains("[Showing the newest 250 of 300 files. For the others, send a longer `pattern`"),
        "{text}"
    );
    let deep = "x".repeat(240);
    for at in 0..200 {
        lay(&bench, &format!("{deep}/{at}{deep}"), "");
    }
    let text = bench.ok("Glob", json!({"pattern": "*x"})).await;
    assert!(text.chars().count() < 31_000 && text.contains(" of 200 files"), "{}", text.len());
}

#[tokio::test]
async fn nothing_found_says_why() {
    let mut bench = project();
    for (input, parts) in [
        (json!({"pattern": "*.java"}), ["No file in `.` matches `*.java`", ".gitignore"]),
        (json!({"pattern": "src"}), ["`src` is a directory", "`src/**`"]),
    ] {
        let text = bench.ok("Glob", input).await;
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    for (input, parts) in [
        (json!({"pattern": "*.rs", "path": "scr"}), ["There is no file or directory", "Did you mean"]),
        (json!({"pattern": "no/such/*.rs"}), ["There is no file or directory", "is the last directory"]),
        (json!({"pattern": "*.rs", "path": "src/main.rs"}), ["is a file", "use Read"]),
        (json!({"pattern": ""}), ["`pattern` is empty", "**/*.rs"]),
        (json!({"pattern": "*/../x"}), ["`..` after a `*`", "start with"]),
        (json!({"pattern": "{a"}), ["`{` has no `}`", "`\\{`"]),
        (json!({"pattern": "{a,b}".repeat(5000)}), ["too long", "shorter"]),
        (json!({"pattern": "*", "glob": "x"}), ["unknown field `glob`", "`pattern` (string)"]),
    ] {
        let text = bench.failure("Glob", input).await;
        assert!(parts.iter().all(|part| text.contains(part)) && text.len() < 3000, "{text}");
    }
}

#[tokio::test]
async fn names_that_look_like_patterns_are_found() {
    let mut bench = Bench::new();
    lay(&bench, "app/[id]/page.tsx", "");
    lay(&bench, "app/i/page.tsx", "");
    assert_eq!(list(&mut bench, "app/[id]/page.tsx").await, ["app/[id]/page.tsx"]);
    assert_eq!(list(&mut bench, "app/[id]/*.tsx").await, ["app/[id]/page.tsx"]);
    assert_eq!(list(&mut bench, "app/[hij]/*.tsx").await, ["app/i/page.tsx"]);
    lay(&bench, "notes [old].md", "");
    assert_eq!(list(&mut bench, "notes [old].md").await, ["notes [old].md"]);
}

#[tokio::test]
async fn strange_files_are_harmless() {
    let mut bench = Bench::new();
    bench.file("plain", "");
    bench.file("two\nlines", "");
    fs::write(bench.cx.place.folder.as_path().join(OsStr::from_bytes(b"caf\xe9")), "").unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe").as_path(), 0o600.into()).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    symlink("loop", bench.path("loop")).unwrap();
    symlink(".", bench.path("here")).unwrap();
    symlink("plain", bench.path("link")).unwrap();
    assert_eq!(list(&mut bench, "**/*").await, [r#""caf\351""#, r#""two\nlines""#, "plain"]);
    assert_eq!(list(&mut bench, "link").await, ["link"]);
    for (path, part) in [("pipe", "a named pipe"), ("socket", "a socket"), ("/dev/null", "a device")] {
        let text = bench.failure("Glob", json!({"pattern": "*", "path": path})).await;
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test]
async fn what_may_not_be_read_is_not_listed() {
    let mut bench = project();
    let secret = bench.path(".env");
    bench.cx.files.readable = Arc::new(AllBut(secret));
    symlink(".env", bench.path("innocent")).unwrap();
    for pattern in [".e*", ".env", "innocent"] {
        let text = bench.ok("Glob", json!({"pattern": pattern})).await;
        assert!(text.contains("[1 file is not listed because reading needs approval"), "{text}");
        assert!(!text.starts_with(".env") && !text.starts_with("innocent"), "{text}");
    }
}

#[test]
fn a_folder_without_permission_is_told() {
    if passed_as_nobody("glob::tests::a_folder_without_permission_is_told") {
        return;
    }
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let mut bench = project();
        let shut = |name: &str| fs::set_permissions(bench.path(name), Permissions::from_mode(0o000)).unwrap();
        shut("docs");
        shut("src/deep");
        let text = bench.ok("Glob", json!({"pattern": "*.{rs,md}"})).await;
        assert_eq!(text, "src/main.rs\n\n[2 folders could not be read]\n");
        let text = bench.failure("Glob", json!({"pattern": "*", "path": "docs/below"})).await;
        assert!(text.contains("docs/below"), "{text}");
        for name in ["docs", "src/deep"] {
            fs::set_permissions(bench.path(name), Permissions::from_mode(0o755)).unwrap();
        }
    });
}

/// The folder becomes a link between the decision and the search.
#[tokio::test]
async fn what_leads_elsewhere_by_now_is_not_searched() {
    let bench = project();
    let call = parsed("Glob", &json!({"pattern": "*", "path": "src"}));
    let mut cx = bench.cx.clone();
    cx.action = call.action(&cx.place).unwrap();
    fs::rename(bench.path("src"), bench.path("moved")).unwrap();
    symlink(Path::new("docs"), bench.path("src")).unwrap();
    let outcome = run(&call, cx).await;
    assert!(outcome.result.is_error && outcome.result.text().contains("points somewhere else"));
}
