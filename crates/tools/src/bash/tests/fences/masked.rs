//! Commands that are not confined, except that they do not see what rules deny reading.

use std::sync::Arc;

use forelook_fences::{NoteAudience, PathGuard};
use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::KernelLayers;
use serde_json::json;

use super::held;
use crate::testing::Bench;

/// What is denied is called `denied`, and secrets are called `.env`.
fn masked() -> Bench {
    let mut bench = held(Confinement::Masked, KernelLayers::ALL);
    bench.options.note_audience = NoteAudience::Other;
    bench.inputs.guards = Arc::new(|path: &AbsPath| match path.as_path().file_name() {
        Some(name) if name == "denied" => PathGuard::Denied,
        Some(name) if name == ".env" => PathGuard::Masked,
        _ => PathGuard::Unguarded,
    });
    bench.file("denied", "planted");
    bench.file(".env", "KEY=1");
    bench
}

#[tokio::test]
async fn a_denied_file_is_not_seen_and_the_model_is_told_why() {
    let mut bench = masked();
    assert_eq!(bench.ok("Bash", json!({"command": "cat .env"})).await, "KEY=1");
    for command in ["cat denied", "cp denied copy", "python3 -c 'open(\"denied\").read()'"] {
        let said = bench.failure("Bash", json!({"command": command})).await;
        assert!(said.contains("[A rule denies reading `denied`"), "{command}: {said}");
        assert!(!said.contains("planted"), "{command}: {said}");
    }
    bench.ok("Bash", json!({"command": "echo new > made && rm .env"})).await;
    assert_eq!(bench.bytes("made"), b"new\n");
    assert_eq!(bench.bytes("denied"), b"planted");
}

/// As after any command that is not confined.
#[tokio::test]
async fn the_next_command_goes_on_where_it_left_off() {
    let mut bench = masked();
    bench.call("Bash", json!({"command": "export LEFT=x; mkdir ../elsewhere; cd ../elsewhere"})).await;
    for sandbox in [Confinement::Masked, Confinement::Off] {
        bench.options.sandbox = sandbox;
        let after = bench.ok("Bash", json!({"command": "basename \"$PWD\"; echo \"${LEFT-none}\""})).await;
        assert!(after.starts_with("elsewhere\nx"), "{sandbox:?}: {after}");
    }
}
