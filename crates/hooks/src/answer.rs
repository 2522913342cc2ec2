//! What a hook's ending and its output mean. Pure.
//!
//! Exit 0: the output is JSON if it begins with `{`. Exit 2: a block, and the error output is the reason.
//! All else is a failure: reported, and a block only if the hook is marked `failClosed`. An answer that
//! cannot be read in full is a failure as a whole, since half of it is not what its author meant; only a no
//! in it is heard.

mod json;

use forelook_protocol::HookSays;
use forelook_sandbox::Ending;

use crate::process::{Finished, Kept, MAX_STDOUT, Ran};
use crate::report::{cannot_block, excerpt, plain, problem, reason, seconds};
use crate::{Hook, Outcome};

const RUN_IT: &str = "Run the command by hand to see why; it should exit with 0 to go on or with 2 to block";
const LOOK: &str = "Check the command: it runs with bash in the project's folder";
const BLOCKED: &str = "Blocked without a reason";

/// What a hook says.
pub(crate) fn read(hook: &Hook, ran: Ran) -> Outcome {
    let Finished { ending, stdout, stderr } = match ran {
        Ran::Ended(finished) => finished,
        Ran::NotStarted(why) => return failed(hook, &format!("could not be started: {why}"), LOOK),
        Ran::TimedOut => {
            let what = format!("was ended after {}", seconds(hook.timeout));
            return failed(hook, &what, "Make it faster, or give it a longer `timeout` (in seconds)");
        }
        Ran::Interrupted => return interrupted(hook),
    };
    let complaint = String::from_utf8_lossy(&stderr.bytes);
    match ending {
        Ending::Exited(0) => succeeded(hook, &stdout),
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

fn succeeded(hook: &Hook, stdout: &Kept) -> Outcome {
    if stdout.bytes.trim_ascii_start().starts_with(b"{") {
        return json::read(hook, stdout).unwrap_or_else(|unreadable| failed_answer(hook, &unreadable));
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

fn failed_answer(hook: &Hook, unreadable: &json::Unreadable) -> Outcome {
    let what = format!("gave an answer that cannot be read: {}", unreadable.why);
    let hint = "Write one JSON object and nothing else to standard output, and logs to standard error";
    let mut outcome = failed(hook, &what, hint);
    if unreadable.says_no && hook.event.can_block() && outcome.says.is_none() {
        let why = "The answer says no, and the rest of it cannot be read";
        outcome.says = Some(HookSays::Deny(reason(hook, why, BLOCKED)));
    }
    outcome
}

#[cfg(test)]
mod tests;
