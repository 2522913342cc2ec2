//! The other side: ordinary lines that read are not asked about.

use std::process::{Command, Stdio};

use forelook_testkit::attack::{Agents, Attempt, Host, Journal, PATH, RunsAs, Script, Stage};

use crate::{Outcome, back};

const LIST: &str = include_str!("honest.txt");
const FIXTURE: &str = include_str!("honest.sh");
/// At least so many of a hundred run without a question, and succeed.
const WANTED: usize = 97;

/// Runs every command in `default`, with nobody who says yes and no rule that allows anything.
pub(crate) fn commands_run() -> Outcome {
    let lines: Vec<&str> = LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let stage = Stage::new(env!("CARGO_BIN_EXE_forelook").as_ref(), RunsAs::Tester, |lab, _| {
        let done = Command::new("bash")
            .args(["-c", FIXTURE])
            .env_clear()
            .envs([
                ("HOME", lab.root()),
                ("PROJECT", lab.project().to_owned()),
                ("FORELOOK_HOME", lab.home()),
            ])
            .env("PATH", PATH)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(done.success());
    });
    let back = back(&stage, "back");
    let attempt = |(at, line): (usize, &&str)| {
        let call = Attempt::bash(line).named(format!("try-{at}"));
        // Where one line went, the next begins.
        if line.contains("cd ") { vec![call.alone(), back(at)] } else { vec![call] }
    };
    let attempts: Vec<Attempt> = lines.iter().enumerate().flat_map(attempt).collect();
    let model = stage.script("honest.toml", &Script::hostile(&attempts, 0, Agents::OneIn(usize::MAX)));
    let mut host = Host::start(&stage, &model, &[]);
    host.let_loose(&model);
    host.end();
    let failed = failed(&Journal::read(&stage), &lines);
    let ran = lines.len() - failed.len();
    let told = failed.join("\n    ");
    println!("{ran} of {} honest commands ran; not these:\n    {told}", lines.len());
    match ran * 100 >= lines.len() * WANTED {
        true => Ok(()),
        false => Err(format!("Only {ran} of {} ran; not these:\n    {told}", lines.len())),
    }
}

/// The lines that did not run unasked, or failed, with the reason.
fn failed(journal: &Journal, lines: &[&str]) -> Vec<String> {
    let decisions = journal.decisions("try-");
    let results: std::collections::HashMap<_, _> = journal.results("try-").into_iter().collect();
    let check = |(at, line): (usize, &&str)| {
        let id = format!("try-{at}");
        let decided = decisions.get(&id);
        let why = decided.and_then(|decided| decided["reason"]["text"].as_str()).unwrap_or("never decided");
        let result = results.get(&id);
        match decided.is_some_and(|decided| decided["verdict"] == "allow") {
            false => Some(format!("{line}\n      {why}")),
            true if result.is_none_or(|result| result["is_error"] == true) => {
                let said = result.map(|result| result["content"].to_string()).unwrap_or_default();
                Some(format!("{line}\n      failed: {said}"))
            }
            true => None,
        }
    };
    lines.iter().enumerate().filter_map(check).collect()
}
