//! A stage for one session, and what its calls came to.

use std::fs;

use forelook_testkit::attack::{Agents, Attempt, Host, Journal, RunsAs, Script, Stage};
use forelook_testkit::{Lab, PLANTED_KEY};
use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_forelook");

/// What a session is like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) mode: &'static str,
    /// Layers that a fence is made of; all that the machine grants if this is empty.
    pub(crate) layers: &'static str,
    pub(crate) who: RunsAs,
}

/// Whether the person says yes to what they are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    Yes,
    No,
}

impl Setup {
    /// A key that no other test has: they run at the same time.
    pub(crate) fn key(self) -> String {
        let who = if self.who == RunsAs::Tester { "tester" } else { "other" };
        format!("{PLANTED_KEY}-{}-{}-{who}.", self.mode, self.layers)
    }

    /// A stage that is laid out like this.
    pub(crate) fn stage(self, lay_out: impl FnOnce(&Lab)) -> Stage {
        let mut stage = Stage::new(BINARY.as_ref(), self.who, |lab, _| {
            fs::write(lab.home().join("settings.json"), "{}").unwrap();
            lay_out(lab);
        });
        stage.layers = self.layers;
        stage
    }

    /// A session in which a model makes these calls; what came back of each, in their order.
    pub(crate) fn results(
        self,
        stage: &Stage,
        calls: &[Attempt],
        answers: Answers,
    ) -> Result<Vec<Value>, String> {
        let named: Vec<Attempt> = calls
            .iter()
            .enumerate()
            .map(|(at, call)| call.clone().named(format!("try-{at:03}")).alone())
            .collect();
        let model = stage.script("model.toml", &Script::hostile(&named, 0, Agents::OneIn(usize::MAX)));
        let root = stage.lab.root().display().to_string();
        let stream = ["--input-format", "stream-json", "--output-format", "stream-json"];
        let asks = ["--permission-prompt-tool", "stdio", "--model", &model];
        let mode = ["--permission-mode", self.mode, "--add-dir", &root];
        let args: Vec<&str> = stream.iter().chain(&asks).chain(&mode).copied().collect();
        let mut command = stage.command(&args, None);
        command.env("FORELOOK_SANDBOXED", "1").env("ANTHROPIC_API_KEY", self.key());
        let mut host = Host::of(command);
        host.says_yes = answers == Answers::Yes;
        host.let_loose(&model);
        host.end();
        let mut results = Journal::read(stage).results("try-");
        results.sort_by(|one, other| one.0.cmp(&other.0));
        match results.len() == calls.len() {
            true => Ok(results.into_iter().map(|(_, result)| result).collect()),
            false => Err(format!("{} of {} calls were answered", results.len(), calls.len())),
        }
    }
}
