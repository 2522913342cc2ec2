//! What a hook's exit code and output, or its host's answer, mean. Pure.
//!
//! Exit 0: the output is JSON if it begins with `{`. Exit 2: a block, and standard error is the reason. Everything else is
//! a failure: it is reported, and blocks only if the hook is marked `failClosed`. An answer that cannot be read completely
//! is a failure as a whole, since half of it is not what its author meant; only a denial in it counts.
//!
//! A host's answer is read like the JSON of a command that exits with 0. If the host is not connected, whatever waits for
//! its answer is blocked, even if the hook is not marked.

mod json;

use forelook_protocol::HookDecision;
use forelook_sandbox::ChildExit;

use crate::process::{CapturedOutput, MAX_STDOUT, ProcessOutput};
use crate::report::{cannot_block, excerpt, plain, problem, reason, seconds};
use crate::run_result::RunResult;
use crate::{Hook, HookHandler, HookHostError, HookOutcome};

const HINT_EXIT_CODE: &str =
    "Run the command yourself to see why; it must exit with 0 to continue or 2 to block";
const HINT_COMMAND: &str = "Check the command: it runs with bash in the project folder";
const HINT_OUTPUT: &str = "Print a single JSON object to standard output, and logs to standard error";
const HINT_HOST: &str = "Check the host for the cause; its callback must return a JSON object";
const HINT_REFUSED: &str = "Start Forelook again to see what changed and to trust it";
const NO_REASON: &str = "Blocked without a reason";

/// What a hook says.
pub(crate) fn interpret(hook: &Hook, run_result: RunResult) -> HookOutcome {
    match run_result {
        RunResult::Ended(output) => process_ended(hook, &output),
        RunResult::Answered(value) => or_invalid(hook, json::from_host(hook, &value)),
        RunResult::NotStarted(why) => {
            failed(hook, &format!("could not be started: {why}"), hint(hook, HINT_COMMAND))
        }
        RunResult::Refused(why) => failed(hook, &format!("was not run: {why}"), HINT_REFUSED),
        RunResult::Failed(why) => failed(hook, &with_detail("failed", &why), HINT_HOST),
        RunResult::Gone => host_gone(hook),
        RunResult::TimedOut => {
            let what = format!("timed out after {}", seconds(hook.timeout));
            failed(hook, &what, "Make it faster, or set a longer `timeout` (in seconds)")
        }
        RunResult::Interrupted => interrupted(hook),
    }
}

fn process_ended(hook: &Hook, output: &ProcessOutput) -> HookOutcome {
    let ProcessOutput { ending, stdout, stderr } = output;
    let detail = String::from_utf8_lossy(&stderr.bytes);
    match *ending {
        ChildExit::Exited(0) => succeeded(hook, stdout),
        ChildExit::Exited(2) => blocked(hook, &detail),
        ChildExit::Exited(126 | 127) => failed(hook, &with_detail("could not be run", &detail), HINT_COMMAND),
        ChildExit::Exited(code) => {
            failed(hook, &with_detail(&format!("failed with exit code {code}"), &detail), HINT_EXIT_CODE)
        }
        ChildExit::Signalled(_) | ChildExit::Unknown => {
            failed(hook, &with_detail(&format!("failed: {ending}"), &detail), HINT_EXIT_CODE)
        }
    }
}

/// What to do: this for a command; a callback can be mended only where it is.
fn hint(hook: &Hook, for_a_command: &'static str) -> &'static str {
    match hook.handler {
        HookHandler::Command(_) => for_a_command,
        HookHandler::Callback { .. } => HINT_HOST,
    }
}

fn with_detail(what: &str, detail: &str) -> String {
    let detail = excerpt(detail);
    if detail.is_empty() { what.to_owned() } else { format!("{what}: {detail}") }
}

fn failed(hook: &Hook, what: &str, hint: &str) -> HookOutcome {
    let closed = hook.fail_closed && hook.event.can_block();
    let why = format!("A `failClosed` hook {what}");
    HookOutcome {
        decision: closed.then(|| HookDecision::Deny(reason(hook, &why, ""))),
        problems: vec![problem(hook, what, hint)],
        ..HookOutcome::default()
    }
}

fn blocked(hook: &Hook, why: &str) -> HookOutcome {
    if hook.event.can_block() {
        let decision = Some(HookDecision::Deny(reason(hook, why, NO_REASON)));
        return HookOutcome { decision, ..HookOutcome::default() };
    }
    HookOutcome { problems: vec![cannot_block(hook, why)], ..HookOutcome::default() }
}

/// No problem is told of: the person knows.
fn interrupted(hook: &Hook) -> HookOutcome {
    let words = "Interrupted before the hook answered";
    let decision = hook.event.is_gate().then(|| HookDecision::Deny(reason(hook, words, "")));
    HookOutcome { decision, ..HookOutcome::default() }
}

/// Stricter than a failure: a host must never be less protected than it was told, and who is gone cannot
/// notice.
fn host_gone(hook: &Hook) -> HookOutcome {
    let hint = "Restart the session from its host";
    let mut outcome = failed(hook, "could not run: its host is not connected", hint);
    if hook.event.is_gate() {
        outcome.decision = Some(HookDecision::Deny(reason(hook, &HookHostError::Gone.to_string(), "")));
    }
    outcome
}

fn succeeded(hook: &Hook, stdout: &CapturedOutput) -> HookOutcome {
    if stdout.bytes.trim_ascii_start().starts_with(b"{") {
        return or_invalid(hook, json::from_stdout(hook, stdout));
    }
    if !hook.event.takes_plain_context() {
        return HookOutcome::default();
    }
    let text = plain(&String::from_utf8_lossy(&stdout.bytes));
    let context = if text.is_empty() { Vec::new() } else { vec![text] };
    let mut outcome = HookOutcome { context, ..HookOutcome::default() };
    if stdout.truncated {
        let hint = "The model sees only the beginning; print less";
        outcome.problems.push(problem(hook, &format!("wrote more than {MAX_STDOUT} bytes"), hint));
    }
    outcome
}

fn or_invalid(hook: &Hook, answer: Result<HookOutcome, json::InvalidResponse>) -> HookOutcome {
    answer.unwrap_or_else(|invalid| invalid_response(hook, &invalid))
}

fn invalid_response(hook: &Hook, invalid: &json::InvalidResponse) -> HookOutcome {
    let what = format!("returned an invalid response: {}", invalid.why);
    let mut outcome = failed(hook, &what, hint(hook, HINT_OUTPUT));
    if invalid.denies && hook.event.can_block() && outcome.decision.is_none() {
        let why = "The hook denied this, but the rest of its response is invalid";
        outcome.decision = Some(HookDecision::Deny(reason(hook, why, NO_REASON)));
    }
    outcome
}

#[cfg(test)]
mod tests;
