//! What a hook's ending and its output, or its host's answer, mean. Pure.
//!
//! Exit 0: the output is JSON if it begins with `{`. Exit 2: a block, and the error output is the reason.
//! All else is a failure: reported, and a block only if the hook is marked `failClosed`. An answer that
//! cannot be read in full is a failure as a whole, since half of it is not what its author meant; only a no
//! in it is heard.
//!
//! A host's answer is read as the JSON of a command that exits with 0. A host that is gone blocks what waits
//! for its word, even if the hook is not marked.

mod json;

use forelook_protocol::HookSays;
use forelook_sandbox::Ending;

use crate::process::{Finished, Kept, MAX_STDOUT};
use crate::ran::Ran;
use crate::report::{cannot_block, excerpt, plain, problem, reason, seconds};
use crate::{Hook, HookHostError, HookRun, Outcome};

const RUN_IT: &str = "Run the command by hand to see why; it should exit with 0 to go on or with 2 to block";
const LOOK: &str = "Check the command: it runs with bash in the project's folder";
const WRITE: &str = "Write one JSON object and nothing else to standard output, and logs to standard error";
const LOOK_HOST: &str = "Look into the host for the cause; its callback should answer with a JSON object";
const BLOCKED: &str = "Blocked without a reason";

/// What a hook says.
pub(crate) fn read(hook: &Hook, ran: Ran) -> Outcome {
    match ran {
        Ran::Ended(finished) => ended(hook, &finished),
        Ran::Answered(value) => heard(hook, json::of_host(hook, &value)),
        Ran::NotStarted(why) => failed(hook, &format!("could not be started: {why}"), hint(hook, LOOK)),
        Ran::Failed(why) => failed(hook, &told("failed", &why), LOOK_HOST),
        Ran::Gone => gone(hook),
        Ran::TimedOut => {
            let what = format!("was ended after {}", seconds(hook.timeout));
            failed(hook, &what, "Make it faster, or give it a longer `timeout` (in seconds)")
        }
        Ran::Interrupted => interrupted(hook),
    }
}

fn ended(hook: &Hook, finished: &Finished) -> Outcome {
    let Finished { ending, stdout, stderr } = finished;
    let complaint = String::from_utf8_lossy(&stderr.bytes);
    match *ending {
        Ending::Exited(0) => succeeded(hook, stdout),
        Ending::Exited(2) => blocked(hook, &complaint),
        Ending::Exited(126 | 127) => failed(hook, &told("could not be run", &complaint), LOOK),
        Ending::Exited(code) => {
            failed(hook, &told(&format!("failed with exit code {code}"), &complaint), RUN_IT)
        }
        Ending::Signalled(_) | Ending::Unknown => {
            failed(hook, &told(&format!("failed: {ending}"), &complaint), RUN_IT)
        }
    }
}

/// What to do: this for a command; a callback can be mended only where it is.
fn hint(hook: &Hook, for_a_command: &'static str) -> &'static str {
    match hook.run {
        HookRun::Command(_) => for_a_command,
        HookRun::Callback { .. } => LOOK_HOST,
    }
}

fn told(what: &str, complaint: &str) -> String {
    let complaint = excerpt(complaint);
    if complaint.is_empty() { what.to_owned() } else { format!("{what}: {complaint}") }
}

fn failed(hook: &Hook, what: &str, hint: &str) -> Outcome {
    let closed = hook.fail_closed && hook.event.can_block();
    let why = format!("A hook that must not fail {what}");
    Outcome {
        says: closed.then(|| HookSays::Deny(reason(hook, &why, ""))),
        problems: vec![problem(hook, what, hint)],
        ..Outcome::default()
    }
}

fn blocked(hook: &Hook, why: &str) -> Outcome {
    if hook.event.can_block() {
        let says = Some(HookSays::Deny(reason(hook, why, BLOCKED)));
        return Outcome { says, ..Outcome::default() };
    }
    Outcome { problems: vec![cannot_block(hook, why)], ..Outcome::default() }
}

/// No problem is told of: the person knows.
fn interrupted(hook: &Hook) -> Outcome {
    let words = "Interrupted before the hook had answered";
    let says = hook.event.is_gate().then(|| HookSays::Deny(reason(hook, words, "")));
    Outcome { says, ..Outcome::default() }
}

/// Stricter than a failure: a host must never be less protected than it was told, and who is gone cannot
/// notice.
fn gone(hook: &Hook) -> Outcome {
    let hint = "Start the session again from its host";
    let mut outcome = failed(hook, "could not be carried out: its host is gone", hint);
    if hook.event.is_gate() {
        outcome.says = Some(HookSays::Deny(reason(hook, &HookHostError::Gone.to_string(), "")));
    }
    outcome
}

fn succeeded(hook: &Hook, stdout: &Kept) -> Outcome {
    if stdout.bytes.trim_ascii_start().starts_with(b"{") {
        return heard(hook, json::of_output(hook, stdout));
    }
    if !hook.event.takes_plain_context() {
        return Outcome::default();
    }
    let text = plain(&String::from_utf8_lossy(&stdout.bytes));
    let context = if text.is_empty() { Vec::new() } else { vec![text] };
    let mut outcome = Outcome { context, ..Outcome::default() };
    if stdout.cut {
        let hint = "The model is given the beginning; write less";
        outcome.problems.push(problem(hook, &format!("wrote more than {MAX_STDOUT} bytes"), hint));
    }
    outcome
}

fn heard(hook: &Hook, answer: Result<Outcome, json::Unreadable>) -> Outcome {
    answer.unwrap_or_else(|unreadable| failed_answer(hook, &unreadable))
}

fn failed_answer(hook: &Hook, unreadable: &json::Unreadable) -> Outcome {
    let what = format!("gave an answer that cannot be read: {}", unreadable.why);
    let mut outcome = failed(hook, &what, hint(hook, WRITE));
    if unreadable.says_no && hook.event.can_block() && outcome.says.is_none() {
        let why = "The answer says no, and the rest of it cannot be read";
        outcome.says = Some(HookSays::Deny(reason(hook, why, BLOCKED)));
    }
    outcome
}

#[cfg(test)]
mod tests;
