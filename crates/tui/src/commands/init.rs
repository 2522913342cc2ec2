//! `/init`: has the model write down what an agent should know of the project.

use forelook_protocol::{Command, Delivery, Prompt, UserBlock};

use super::Slash;
use crate::app::{App, Wish};

pub(super) const INIT: Slash =
    Slash { name: "init", form: "[words]", about: "explore the project and write AGENTS.md", run };

const TASK: &str = "\
Explore this project, then write `AGENTS.md` in its top folder: what somebody who is going to work on the code here \
needs to know and cannot see at a glance.

Find out and write down:
- what the project does, in two or three sentences
- how to build it, run all tests, run a single test, and check style, as exact commands that you have looked up in the \
project's own files
- how it is put together: the parts, what each is for, and where to begin reading
- conventions that the code really follows, and anything that would surprise a newcomer

Keep it short: one page, no advice that holds everywhere, nothing that you have not seen. If there is an `AGENTS.md` \
already, or notes for other agents (`CLAUDE.md`, `.cursorrules`, `.github/copilot-instructions.md`), keep what is right \
in them and say what you changed.";

fn run(_: &mut App, rest: &str) -> Vec<Wish> {
    let text = match rest {
        "" => TASK.to_owned(),
        rest => format!("{TASK}\n\n{rest}"),
    };
    let content = vec![UserBlock::text(text)];
    vec![Wish::Send(Command::Prompt(Prompt::person(content, Delivery::NextTurn)))]
}
