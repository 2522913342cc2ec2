//! `/init`: has the model write down what an agent should know of the project.

use forelook_protocol::{Command, Delivery, Prompt, UserBlock};

use super::SlashCommand;
use crate::app::{App, UiEffect};

pub(super) const INIT: SlashCommand =
    SlashCommand { name: "init", usage: "[text]", about: "explore the project and write AGENTS.md", run };

const TASK: &str = "\
Explore this project, then write `AGENTS.md` in its top-level folder: what someone working on this code \
needs to know and cannot see at a glance.

Find out and write down:
- what the project does, in two or three sentences
- how to build it, run all tests, run a single test, and check style, as exact commands that you looked up in the \
project's files
- the architecture: the main parts, what each is for, and where to start reading
- conventions the code actually follows, and anything that would surprise a newcomer

Keep it short: one page, no generic advice, nothing you have not verified. If there is already an `AGENTS.md`, \
 or notes for other agents (`CLAUDE.md`, `.cursorrules`, `.github/copilot-instructions.md`), keep what is \
correct in them and say what you changed.";

fn run(_: &mut App, rest: &str) -> Vec<UiEffect> {
    let text = match rest {
        "" => TASK.to_owned(),
        rest => format!("{TASK}\n\n{rest}"),
    };
    let content = vec![UserBlock::text(text)];
    vec![UiEffect::Send(Command::Prompt(Prompt::person(content, Delivery::NextTurn)))]
}
