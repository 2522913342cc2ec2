//! A line of the person's own: the same shell, folder and variables as the model's, but nobody judges it and no time ends
//! it.

use forelook_protocol::AbsPath;
use forelook_sandbox::{Child, ChildEvent, ChildExit};

use super::command::ShellCommand;
use super::exit_state::ShellExitState;
use super::{CommandCall, output_path, spawn, start_folder};
use crate::context::ToolContext;
use crate::output::Collector;
use crate::services::ToolServices;
use crate::shells::INTERRUPT_GRACE;
use crate::typed::ToolFailure;

/// What came of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellLineOutput {
    /// What it wrote, cut as a tool's result is.
    pub output: String,
    /// How it ended, in a few words, where it was not with success.
    pub failed: Option<String>,
    /// Where the shell left off, if that is another folder than the one it began in.
    pub folder: Option<AbsPath>,
}

/// Runs a line as typed. It ends soon after `cx.cancel` is cancelled.
pub async fn run_shell_line(line: &str, services: &ToolServices, cx: &ToolContext) -> ShellLineOutput {
    match run(line, CommandCall { services, cx }).await {
        Ok(ran) => ran,
        Err(failure) => {
            let failed = Some(failure.text);
            ShellLineOutput { output: String::new(), failed, folder: None }
        }
    }
}

async fn run(line: &str, call: CommandCall<'_>) -> Result<ShellLineOutput, ToolFailure> {
    let CommandCall { services, cx } = call;
    let folder = start_folder(&cx.place).ok_or_else(|| {
        ToolFailure::new(format!("the project directory `{}` no longer exists", cx.place.project))
    })?;
    let start = ShellCommand::new(line, call, folder, true).await?;
    let (output, ending, exit_state) = follow(spawn(&start, folder)?, call).await;
    if let Some(variables) = exit_state.variables {
        services.shells.record_env(start.env(), &variables);
    }
    let failed = match ending {
        None => Some("interrupted".to_owned()),
        Some(ending) => (!ending.is_success()).then(|| ending.to_string()),
    };
    // `pwd -P` speaks of the folder without links; that alone is no change.
    let same = |now: &AbsPath| forelook_disk::resolve(&cx.place.folder).is_ok_and(|real| real == *now);
    let moved = exit_state.folder.filter(|now| *now != cx.place.folder && !same(now));
    Ok(ShellLineOutput { output: output.trim_end().to_owned(), failed, folder: moved })
}

/// Its output, how it ended unless it was interrupted, and how it left things.
async fn follow(mut child: Child, call: CommandCall<'_>) -> (String, Option<ChildExit>, ShellExitState) {
    let mut output = Collector::new(&output_path(call));
    let mut asked = false;
    loop {
        tokio::select! {
            event = child.next() => match event {
                ChildEvent::Output(chunk) => call.cx.output.push(&output.push(&chunk.bytes)),
                ChildEvent::Ended(_) if asked => return (output.finish(), None, ShellExitState::default()),
                ChildEvent::Ended(ending) => {
                    let exit_state = child.side_output().map(ShellExitState::read).unwrap_or_default();
                    return (output.finish(), Some(ending), exit_state);
                }
            },
            () = call.cx.cancel.cancelled(), if !asked => {
                asked = true;
                child.terminate(INTERRUPT_GRACE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;

    #[tokio::test]
    async fn a_line_runs_as_typed_and_leaves_folder_and_variables() {
        let bench = Bench::new();
        std::fs::create_dir(bench.path("sub")).unwrap();
        for (line, output, failed, folder) in [
            ("echo one; echo two >&2", "one\ntwo", None, None),
            ("echo no; exit 3", "no", Some("exit code 3"), None),
            ("kill -KILL $$", "", Some("ended by signal SIGKILL"), None),
            ("true", "", None, None),
            ("cd sub && export KEPT='a b'", "", None, Some("sub")),
            ("echo \"$KEPT\"", "a b", None, None),
        ] {
            let ran = run_shell_line(line, &bench.services, &bench.cx).await;
            assert_eq!(ran.output, output, "{line}");
            assert_eq!(ran.failed.as_deref(), failed, "{line}");
            assert_eq!(ran.folder, folder.map(|name| bench.path(name)), "{line}");
        }
        assert_eq!(*bench.shown.lock().unwrap(), "one\ntwo\nno\na b\n");
    }

    #[tokio::test]
    async fn an_interrupt_ends_it_with_all_it_started() {
        let bench = Bench::new();
        let (services, cx) = (bench.services.clone(), bench.cx.clone());
        let line =
            tokio::spawn(async move { run_shell_line("sleep 600 & echo $!; wait", &services, &cx).await });
        let pid = loop {
            if let Ok(pid) = bench.shown.lock().unwrap().trim().parse::<u32>() {
                break pid;
            }
            tokio::task::yield_now().await;
        };
        bench.cx.cancel.cancel();
        let ran = line.await.unwrap();
        assert_eq!((ran.output, ran.failed.as_deref()), (pid.to_string(), Some("interrupted")));
        // It has its signal; the kernel may still be at it.
        let lives = || {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z")
        };
        while lives() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_folder_that_is_gone_is_told() {
        let mut bench = Bench::new();
        bench.cx.place.folder = bench.path("gone");
        assert_eq!(run_shell_line("echo here", &bench.services, &bench.cx).await.output, "here");
        std::fs::remove_dir(&bench.cx.place.project).unwrap();
        let failed = run_shell_line("echo here", &bench.services, &bench.cx).await.failed.unwrap();
        assert!(failed.ends_with("no longer exists"), "{failed}");
    }

    #[tokio::test]
    async fn a_long_output_is_cut_as_a_result_is() {
        let bench = Bench::new();
        let ran = run_shell_line("seq 200000", &bench.services, &bench.cx).await;
        assert!(ran.output.chars().count() < 32_000, "{}", ran.output.len());
        assert!(ran.output.starts_with("1\n2\n") && ran.output.ends_with("\n200000"));
    }
}
