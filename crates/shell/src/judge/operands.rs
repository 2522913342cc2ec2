//! What a command does once its options are known: its operands, and what its table says.

use super::finding::Finding;
use super::options::OptionScan;
use crate::table::{CommandEffect, CommandSpec, ReadDepth, WrittenOperands};
use crate::types::{PathTarget, ShellEffect, Word};

/// What a scanned command does, by its table.
pub(crate) fn conclude(name: &str, spec: &CommandSpec, scan: &OptionScan<'_>, finding: &mut Finding) {
    let listing = scan.flags.iter().any(|f| spec.lists_with(f));
    operands(name, spec, scan, listing, finding);
    if let Some((one, other)) = spec.clash(&scan.flags) {
        finding.mark_unknown(format!("The options `{one}` and `{other}` of `{name}` conflict"));
    }
    let mut needs = spec.needs().peekable();
    let given = |flag: &str| scan.flags.iter().any(|f| f == flag);
    if needs.peek().is_some() && !needs.any(|n| n.split('&').all(given)) {
        finding.mark_unknown(sentence(name, spec, "is known to be read-only only with specific options"));
    }
    match spec.does {
        CommandEffect::Reads => {}
        CommandEffect::Changes if !listing => finding.mark_changes(sentence(name, spec, "makes changes")),
        CommandEffect::Changes => {}
        CommandEffect::Fetches => {
            finding.effects.push(ShellEffect::Network);
            finding.mark_changes(sentence(name, spec, "makes changes"));
        }
        CommandEffect::Sends => {
            finding.effects.extend([ShellEffect::Network, ShellEffect::Send]);
            finding.mark_changes(sentence(name, spec, "makes changes on another machine"));
        }
        CommandEffect::Unknown => {
            finding.mark_unknown(sentence(name, spec, "can do anything, depending on its input"))
        }
        CommandEffect::Hidden => {
            finding.effects.push(ShellEffect::Machine);
            finding.mark_unknown(sentence(name, spec, "shows what the read-only sandbox hides"))
        }
        CommandEffect::Network => {
            finding.effects.push(ShellEffect::Network);
            finding.mark_unknown(sentence(name, spec, "uses the network"));
        }
    }
}

fn sentence(name: &str, spec: &CommandSpec, default: &str) -> String {
    format!("`{name}` {}", spec.why.as_deref().unwrap_or(default))
}

fn operands(name: &str, spec: &CommandSpec, scan: &OptionScan<'_>, listing: bool, finding: &mut Finding) {
    let many = scan.operands.iter().any(|w| w.is_many());
    if let Some(max) = spec.max.filter(|_| !listing)
        && (scan.operands.len() > max || many)
    {
        let last = scan.operands.last().map_or("", |w| w.text.as_str());
        finding.mark_unknown(format!("`{name}` may make changes with `{last}`"));
        if spec.extra_written {
            // Any of several words that are not known may be the one.
            let first = if many { 0 } else { max };
            for word in scan.operands.iter().skip(first) {
                finding.special_options.push(word.text.clone());
                finding.write(word.target(), format!("`{name}` writes to `{}`", word.shown()));
            }
        }
    }
    if scan.operands.len() < spec.min {
        finding.mark_unknown(format!("`{name}` is missing an argument"));
    }
    for word in &scan.operands {
        if spec.literal && word.literal().is_none() {
            finding.mark_unknown(format!("`{}` is unknown until it runs", word.text));
        }
        let begins = spec.begins.as_deref().is_none_or(|b| word.beginning().starts_with(b));
        let listed = spec.only.is_empty() || word.literal().is_some_and(|t| spec.only.iter().any(|o| o == t));
        if !begins || !listed {
            finding.mark_unknown(format!("`{name} {}` is not known to be read-only", word.text));
        }
    }
    files(spec, scan, finding);
}

/// Which operands are read and which written.
fn files(spec: &CommandSpec, scan: &OptionScan<'_>, finding: &mut Finding) {
    let count = scan.operands.len();
    let skipped = scan.operands.len().min(spec.skipped_operands(&scan.flags));
    let depth = spec.depth(&scan.flags);
    // `cp -t d a b`.
    let into_folder = scan.flags.iter().any(|f| matches!(f.as_str(), "-t" | "--target-directory"));
    for (index, word) in scan.operands.iter().enumerate().skip(skipped) {
        let written = match spec.written {
            WrittenOperands::None => false,
            WrittenOperands::All => true,
            WrittenOperands::Last => index + 1 == count && !into_folder,
            WrittenOperands::Rest => index > 0,
        };
        if written {
            finding.effects.push(ShellEffect::Write { path: word.target() });
            if spec.written == WrittenOperands::Last {
                let sources = scan.operands.iter().skip(skipped).take(index.saturating_sub(skipped));
                finding.effects.extend(sources.filter_map(|source| in_folder(word, source)));
            }
        } else if !spec.no_files && spec.written != WrittenOperands::Rest {
            finding
                .effects
                .extend(read(spec, scan, word).map(|path| ShellEffect::Read { path: below(path, depth) }));
        }
    }
    let urls = scan.operands.iter().filter_map(|w| w.literal()?.strip_prefix("file://"));
    finding.effects.extend(urls.map(|path| ShellEffect::Read { path: PathTarget::Path(path.to_owned()) }));
    // Words that are not known may be the pattern and the files.
    if scan.operands.iter().take(skipped).any(|w| w.is_many()) && !spec.no_files {
        finding.read(PathTarget::Somewhere);
    }
    if count == skipped && depth != ReadDepth::File && !spec.no_files {
        let folder = below(PathTarget::Path(".".to_owned()), depth);
        match spec.unless_piped {
            true => finding.unless_piped.push(folder),
            false => finding.read(folder),
        }
    }
}

/// What is written if the last operand is a folder: `cp a/b c` writes `c/b` then.
fn in_folder(folder: &Word, source: &Word) -> Option<ShellEffect> {
    let (folder, source) = (folder.literal()?.trim_end_matches('/'), source.literal()?);
    let name = source.trim_end_matches('/').rsplit('/').next()?;
    let is_name = !matches!(name, "" | "." | "..");
    is_name.then(|| ShellEffect::Write { path: PathTarget::Path(format!("{folder}/{name}")) })
}

/// What an operand that is read stands for, if for a file.
fn read(spec: &CommandSpec, scan: &OptionScan<'_>, word: &Word) -> Option<PathTarget> {
    let Some(text) = word.literal() else {
        let unknown = word.target() == PathTarget::Somewhere || spec.revisions && word.beginning().is_empty();
        // Two operands of `git diff` can be files outside of any repository.
        let files = spec.all_flags.contains_key("--no-index") && scan.operands.len() > 1;
        let no_content = spec.names_only || spec.revisions && !files;
        return (!(unknown && no_content)).then(|| word.target());
    };
    match text.split_once(':') {
        _ if text == "-" => None,
        // `HEAD:src/lib.rs`.
        Some((_, file)) if spec.revisions && !file.is_empty() => Some(PathTarget::Path(file.to_owned())),
        _ => Some(word.target()),
    }
}

/// A file, or everything that is read if it is a folder.
pub(crate) fn below(target: PathTarget, depth: ReadDepth) -> PathTarget {
    match (depth, target) {
        (ReadDepth::File, target) => target,
        (ReadDepth::ThroughLinks, _) => PathTarget::Somewhere,
        (ReadDepth::Below, PathTarget::Path(path)) => PathTarget::Below(path),
        (ReadDepth::Below, target) => target,
    }
}
