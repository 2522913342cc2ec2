//! What a small program of the person's prints, within a time and up to a size.

use std::time::Duration;

use forelook_sandbox::{Caller, Child, ChildEvent, ChildOutput, OutputChunk, OutputStream, Program};
use tokio::time::sleep;

/// Between the polite signal and the last one: somebody waits.
const GRACE: Duration = Duration::from_millis(200);

/// All that it prints. An error says why there is nothing; of what it complains, the last line is told.
pub(super) async fn of(mut program: Program, time_limit: Duration, most: usize) -> Result<Vec<u8>, String> {
    program.output = ChildOutput::Separate;
    program.caller = Caller::Person;
    let mut child = Child::spawn(&program).map_err(|error| format!("it could not be started: {error}"))?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut over = std::pin::pin!(sleep(time_limit));
    let mut late = false;
    loop {
        tokio::select! {
            event = child.next() => match event {
                ChildEvent::Output(OutputChunk { stream: OutputStream::Stdout, bytes }) => keep(&mut stdout, &bytes, most.saturating_add(1)),
                ChildEvent::Output(OutputChunk { stream: OutputStream::Stderr, bytes }) => keep(&mut stderr, &bytes, 4096),
                ChildEvent::Ended(_) if late => return Err(format!("it timed out after {} ms", time_limit.as_millis())),
                ChildEvent::Ended(_) if stdout.len() > most => return Err("it printed too much".to_owned()),
                ChildEvent::Ended(ending) if ending.is_success() => return Ok(stdout),
                ChildEvent::Ended(ending) => {
                    let complaint = String::from_utf8_lossy(&stderr);
                    let last = complaint.lines().rfind(|line| !line.trim().is_empty());
                    return Err(last.map_or(ending.to_string(), |last| format!("{ending}: {}", last.trim())));
                }
            },
            () = &mut over, if !late => {
                late = true;
                child.terminate(GRACE);
            }
        }
    }
}

fn keep(kept: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let room = most.saturating_sub(kept.len()).min(bytes.len());
    kept.extend_from_slice(&bytes[..room]);
}
