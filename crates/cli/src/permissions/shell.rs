//! `forelook permissions shell`: what a shell line would do.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use forelook_host::{Failure, FailureClass, FenceConfig};
use forelook_settings::Env;
use forelook_shell::{Analysis, LinePart, PathTarget, ShellEffect, Verdict, analyse};
use serde_json::{Value, json};

use crate::out::say;

/// Prints what a line would do, or, without one, reads many.
pub(crate) fn run(env: &Env, line: Option<&str>, as_json: bool) -> Result<ExitCode, Failure> {
    match (line, as_json) {
        (Some(line), true) => say!("{}", object(&analyse(line))),
        (Some(line), false) => print(env, &analyse(line)),
        (None, true) => return bulk(),
        (None, false) => {
            return Err(Failure::new(FailureClass::Usage, "No command given")
                .hint("Give one: forelook permissions shell 'ls -l', or pipe in JSON strings with --json"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One JSON string a line in, one object a line out, in the same order. A line that is no JSON string gets an object with
/// `error`, so that the others still line up.
fn bulk() -> Result<ExitCode, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(FailureClass::Usage, format!("Cannot read standard input: {error}"))
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut wrong = false;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(failed)?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str::<String>(&line) {
            Ok(command) => object(&analyse(&command)),
            Err(error) => {
                wrong = true;
                json!({ "error": format!("Not a JSON string: {error}") })
            }
        };
        // Whoever closes the pipe has read enough.
        if writeln!(out, "{answer}").is_err() {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let _ = out.flush();
    Ok(if wrong { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn object(analysis: &Analysis) -> Value {
    json!({
        "verdict": analysis.verdict,
        "parts": analysis.parts.iter().map(part).collect::<Vec<_>>(),
        "writes": analysis.writes().map(target).collect::<Vec<_>>(),
        "why": analysis.why,
    })
}

fn part(part: &LinePart) -> Value {
    json!({ "text": part.text, "verdict": part.verdict, "why": part.why, "effects": part.effects })
}

fn target(target: &PathTarget) -> String {
    match target {
        PathTarget::Path(path) | PathTarget::Tree(path) => path.clone(),
        PathTarget::Begins(prefix) => format!("{prefix}*"),
        PathTarget::Below(folder) | PathTarget::Tracked(folder) => format!("{folder}/**"),
        PathTarget::Somewhere => "?".to_owned(),
    }
}

fn path_words(path: &PathTarget) -> String {
    match path {
        PathTarget::Somewhere => "an unknown path".to_owned(),
        PathTarget::Tree(folder) => format!("{folder} and all that is in it"),
        PathTarget::Path(_) | PathTarget::Begins(_) | PathTarget::Below(_) | PathTarget::Tracked(_) => {
            target(path)
        }
    }
}

fn print(env: &Env, analysis: &Analysis) {
    say!("{}", words(analysis.verdict));
    if !analysis.why.is_empty() {
        say!("  {}", analysis.why);
    }
    if analysis.verdict == Verdict::Unknown {
        say!("  In plan mode, it {}", planned(env));
    }
    for part in &analysis.parts {
        say!("{}  {}", mark(part.verdict), part.text);
        for effect in &part.effects {
            say!("     {}", effect_words(effect));
        }
    }
}

/// What becomes of a line that nobody can judge: that depends on what the kernel can hold here.
fn planned(env: &Env) -> &'static str {
    match FenceConfig::default().probe_machine(env).capabilities().read_only {
        true => "runs read-only: the kernel prevents changes",
        false => "needs your approval: the kernel provides no fence here (see `forelook doctor`)",
    }
}

fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::ReadOnly => "Read-only",
        Verdict::Changes => "Makes changes",
        Verdict::Unknown => "Cannot tell from the text",
    }
}

fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::ReadOnly => "ok",
        Verdict::Changes => "!!",
        Verdict::Unknown => "??",
    }
}

fn effect_words(effect: &ShellEffect) -> String {
    match effect {
        ShellEffect::Read { path } => format!("reads {}", path_words(path)),
        ShellEffect::Look { path } => format!("looks at {}", path_words(path)),
        ShellEffect::Write { path } => format!("writes {}", path_words(path)),
        ShellEffect::Run { program } => format!("runs {program}"),
        ShellEffect::Network => "uses the network".to_owned(),
        ShellEffect::Send => "changes something on another machine".to_owned(),
        ShellEffect::Process => "changes processes".to_owned(),
        ShellEffect::Machine => "shows what a fence hides".to_owned(),
        ShellEffect::Unknown { why } => why.clone(),
    }
}
