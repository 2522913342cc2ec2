//! `sed`: its options, then its program.

use super::sed_program::{self, SedAction};
use crate::judge::finding::Finding;
use crate::judge::operands;
use crate::judge::options::{self, OptionScan};
use crate::table::CommandSpec;
use crate::types::{PathTarget, ShellEffect, Word};

pub(super) fn judge(name: &str, spec: &CommandSpec, args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let scan = options::scan(name, spec, args, &mut finding);
    let in_place = scan.flags.iter().any(|f| matches!(f.as_str(), "-i" | "--in-place"));
    let informs = scan.flags.iter().any(|f| matches!(f.as_str(), "--version" | "--help"));
    let scripts = scripts(&scan);
    let in_file = scan.flags.iter().any(|f| matches!(f.as_str(), "-f" | "--file"));
    let own = usize::from(scripts.is_empty() && !in_file);
    for file in scan.operands.iter().skip(own) {
        if in_place {
            finding.effects.push(ShellEffect::Write { path: file.target() });
            let suffixes =
                scan.values.iter().filter(|(flag, _)| matches!(flag.as_str(), "-i" | "--in-place"));
            let copies = suffixes.map(|(_, suffix)| operands::suffixed(&file.target(), suffix));
            finding.effects.extend(copies.map(|path| ShellEffect::Write { path }));
        } else {
            finding.read(file.target());
        }
    }
    let program =
        if scripts.is_empty() { scan.operands.first().map(|w| vec![Word::clone(w)]) } else { Some(scripts) };
    match program {
        _ if in_file
            && own == 0
            && scan.values.iter().all(|(flag, _)| !matches!(flag.as_str(), "-e" | "--expression")) => {}
        Some(words) => program_of(&words, &mut finding),
        None if informs => {}
        None => finding.mark_unknown("`sed` has no script"),
    }
    finding
}

fn scripts(scan: &OptionScan<'_>) -> Vec<Word> {
    scan.values
        .iter()
        .filter(|(flag, _)| matches!(flag.as_str(), "-e" | "--expression"))
        .map(|(_, w)| w.clone())
        .collect()
}

fn program_of(words: &[Word], finding: &mut Finding) {
    let texts: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    let Some(texts) = texts else {
        finding.read(PathTarget::Somewhere);
        return finding.mark_unknown("The `sed` script is unknown until it runs");
    };
    let before = finding.verdict;
    match sed_program::actions(&texts.join("\n")) {
        Ok(actions) => actions.into_iter().for_each(|act| record_action(act, finding)),
        Err(why) => finding.mark_unknown(why),
    }
    if finding.verdict > before {
        finding.special_options.extend(texts.iter().map(|t| (*t).to_owned()));
    }
}

fn record_action(act: SedAction, finding: &mut Finding) {
    match act {
        SedAction::Reads(path) => finding.read(PathTarget::Path(path)),
        SedAction::Writes(path) if matches!(path.as_str(), "/dev/stdout" | "/dev/stderr") => {}
        SedAction::Writes(path) => {
            finding.write(PathTarget::Path(path.clone()), format!("The `sed` script writes to `{path}`"))
        }
        SedAction::Runs => finding.mark_unknown("The `sed` script runs commands"),
    }
}
