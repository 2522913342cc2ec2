//! `sed`: its options, then its program.

use super::sed_program::{self, Act};
use crate::judge::finding::Finding;
use crate::judge::options::{self, Scan};
use crate::table::Spec;
use crate::types::{Effect, Target, Word};

pub(super) fn judge(name: &str, spec: &Spec, args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let scan = options::scan(name, spec, args, &mut finding);
    let in_place = scan.flags.iter().any(|f| matches!(f.as_str(), "-i" | "--in-place"));
    let informs = scan.flags.iter().any(|f| matches!(f.as_str(), "--version" | "--help"));
    let scripts = scripts(&scan);
    let own = usize::from(scripts.is_empty());
    for file in scan.operands.iter().skip(own) {
        if in_place {
            finding.effects.push(Effect::Write { path: file.target() });
        } else {
            finding.read(file.target());
        }
    }
    let program =
        if scripts.is_empty() { scan.operands.first().map(|w| vec![Word::clone(w)]) } else { Some(scripts) };
    match program {
        Some(words) => program_of(&words, &mut finding),
        None if informs => {}
        None => finding.doubt("`sed` has no program"),
    }
    finding
}

fn scripts(scan: &Scan<'_>) -> Vec<Word> {
    scan.values
        .iter()
        .filter(|(flag, _)| matches!(flag.as_str(), "-e" | "--expression"))
        .map(|(_, w)| w.clone())
        .collect()
}

fn program_of(words: &[Word], finding: &mut Finding) {
    let texts: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    let Some(texts) = texts else {
        return finding.doubt("The program of `sed` is not known");
    };
    match sed_program::acts(&texts.join("\n")) {
        Ok(acts) => acts.into_iter().for_each(|act| note(act, finding)),
        Err(why) => finding.doubt(why),
    }
}

fn note(act: Act, finding: &mut Finding) {
    match act {
        Act::Reads(path) => finding.read(Target::Path(path)),
        Act::Writes(path) if matches!(path.as_str(), "/dev/stdout" | "/dev/stderr") => {}
        Act::Writes(path) => {
            finding.write(Target::Path(path.clone()), format!("The program of `sed` writes to `{path}`"))
        }
        Act::Runs => finding.doubt("The program of `sed` runs commands"),
    }
}
