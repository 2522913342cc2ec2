//! Planning begins while a command is about to.

use std::sync::{Arc, Barrier};

use forelook_protocol::Confinement;
use serde_json::json;

use crate::testing::Bench;

/// A command counts as running before anything is started for it, and is not started if it was stopped meanwhile.
#[tokio::test]
async fn a_command_that_is_about_to_begin_is_stopped_too() {
    for beside in [false, true] {
        let mut bench = Bench::new();
        bench.options.sandbox = Confinement::Workspace;
        // The fence is being raised for as long as this says.
        let (reached, go) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let (there, on) = (Arc::clone(&reached), Arc::clone(&go));
        bench.inputs.search.places = Arc::new(move || {
            there.wait();
            on.wait();
            Vec::new()
        });
        let shells = Arc::clone(&bench.services.shells);
        let call = tokio::spawn(async move {
            let input = json!({"command": "touch ran", "run_in_background": beside});
            let outcome = bench.call("Bash", input).await;
            (bench, outcome)
        });
        tokio::task::spawn_blocking(move || reached.wait()).await.unwrap();
        let listed = shells.pre_plan_processes();
        let stopping = shells.stop_pre_plan_processes();
        let release = tokio::task::spawn_blocking(move || go.wait());
        let ((), _) = tokio::join!(stopping, release);
        let (bench, outcome) = call.await.unwrap();
        assert_eq!(listed.len(), 1, "{beside}: {listed:?}");
        assert_eq!(listed[0].command, "touch ran");
        let text = outcome.result.text();
        assert!(outcome.result.is_error && text.starts_with("Stopped because planning started"), "{text}");
        assert!(!bench.path("ran").as_path().exists());
        assert!(super::running(&shells).is_empty() && shells.pre_plan_processes().is_empty());
    }
}
