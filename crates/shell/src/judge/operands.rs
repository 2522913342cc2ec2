//! What a command does once its options are known: its operands, and what its table says.

use super::attached;
use super::finding::Finding;
use super::options::OptionScan;
use crate::table::{CommandEffect, CommandSpec, ReadDepth, WrittenOperands};
use crate::types::{PathTarget, ShellEffect, Word};

/// What a scanned command does, by its table.
pub(crate) fn conclude(name: &str, spec: &CommandSpec, scan: &OptionScan<'_>, finding: &mut Finding) {
    let listing = scan.flags.iter().any(|f| spec.lists_with(f)) && !spec.is_told_to_change(&scan.flags);
    operands(name, spec, scan, listing, finding);
    configuration(name, &spec.writes_config, finding);
    let first = scan.operands.first().and_then(|word| word.literal());
    let settings = first.and_then(|word| spec.config_operands.get(word));
    configuration(name, settings.map_or(&[][..], Vec::as_slice), finding);
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

/// The settings that a command changes, wherever they are kept.
pub(super) fn configuration(name: &str, files: &[String], finding: &mut Finding) {
    for file in files {
        finding.write(PathTarget::Path(file.clone()), format!("`{name}` changes settings"));
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
    for word in scan.operands.iter().filter(|word| spec.plus_runs && word.beginning().starts_with('+')) {
        if !word.literal().is_some_and(|text| text.bytes().skip(1).all(|b| b.is_ascii_digit())) {
            finding.special_options.push(word.text.clone());
            finding.effects.push(ShellEffect::Run { program: word.shown().to_owned() });
        }
    }
    let runner = scan.operands.first().and_then(|word| word.literal());
    if let Some(runner) = runner.filter(|word| spec.runners.iter().any(|listed| listed == word)) {
        let program = scan.operands.get(1).map_or(runner, |word| word.shown());
        finding.special_options.push(runner.to_owned());
        finding.effects.push(ShellEffect::Run { program: program.to_owned() });
    }
    if let Some(word) = scan.operands.first().filter(|_| spec.runs_operands) {
        finding.special_options.extend(name.rsplit(' ').next().map(str::to_owned));
        finding.effects.push(ShellEffect::Run { program: word.shown().to_owned() });
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
    files(spec, scan, listing, finding);
}

/// Which operands are read and which written.
fn files(spec: &CommandSpec, scan: &OptionScan<'_>, listing: bool, finding: &mut Finding) {
    let prints = listing || spec.only_prints(&scan.flags);
    let depth = spec.depth(&scan.flags);
    let skipped = skipped(spec, scan);
    for (index, word) in scan.operands.iter().enumerate() {
        let written = !prints && is_written(spec, scan, index);
        if written {
            written_operand(spec, scan, index, finding);
        }
        let copied = spec.moves_operands && !is_destination(spec, scan, index)
            || spec.unpacks
            || spec.packs().is_some();
        let may_be_read = !written || copied || is_open(spec, scan) && spec.written != WrittenOperands::All;
        if may_be_read && index >= skipped && !spec.no_files {
            let path = read(spec, scan, word).map(|path| below(path, depth));
            let looks = spec.shows_names_only(&scan.flags);
            let effect = |path| if looks { ShellEffect::Look { path } } else { ShellEffect::Read { path } };
            finding.effects.extend(path.map(effect));
        }
    }
    if spec.names_from(&scan.flags) {
        finding.read(PathTarget::Somewhere);
        if !prints && (spec.takes(&scan.flags) || spec.written == WrittenOperands::All) {
            finding.effects.push(ShellEffect::Write { path: PathTarget::Somewhere });
        }
    }
    if !prints {
        spread(spec, scan, finding);
    }
    finding.effects.extend(scan.operands.iter().filter_map(|word| file_url(word)));
    if spec.attached_operands {
        finding.effects.extend(scan.operands.iter().flat_map(|word| attached::fields(word)));
    }
    // Words that are not known may be the pattern and the files.
    if scan.operands.iter().take(skipped).any(|w| w.is_many()) && !spec.no_files {
        finding.read(PathTarget::Somewhere);
    }
    if scan.operands.len() == skipped && depth != ReadDepth::File && !spec.no_files {
        let folder = below(PathTarget::Path(".".to_owned()), depth);
        match spec.unless_piped {
            true => finding.unless_piped.push(folder),
            false => finding.read(folder),
        }
    }
}

fn skipped(spec: &CommandSpec, scan: &OptionScan<'_>) -> usize {
    scan.operands.len().min(spec.skipped_operands(&scan.flags))
}

/// Whether an operand may be the value of an option that is not listed, so that each of them may be the one that is
/// written.
fn is_open(spec: &CommandSpec, scan: &OptionScan<'_>) -> bool {
    scan.open && spec.written != WrittenOperands::None
}

/// The folder of `cp -t d a b`.
fn target_folder<'s>(scan: &'s OptionScan<'_>) -> Option<&'s Word> {
    let names = |flag: &str| matches!(flag, "-t" | "--target-directory");
    scan.values.iter().find(|(flag, _)| names(flag)).map(|(_, folder)| folder)
}

/// Whether an operand is where the others go.
fn is_destination(spec: &CommandSpec, scan: &OptionScan<'_>, index: usize) -> bool {
    match spec.written {
        WrittenOperands::First => index == skipped(spec, scan),
        _ => target_folder(scan).is_none() && index + 1 == scan.operands.len(),
    }
}

fn is_written(spec: &CommandSpec, scan: &OptionScan<'_>, index: usize) -> bool {
    let skipped = skipped(spec, scan);
    match spec.written {
        _ if spec.takes(&scan.flags) => index >= skipped,
        WrittenOperands::None => false,
        WrittenOperands::Last if target_folder(scan).is_some() => false,
        _ if scan.open => true,
        WrittenOperands::All | WrittenOperands::Downloads => index >= skipped,
        WrittenOperands::Last => index >= skipped && index + 1 == scan.operands.len(),
        WrittenOperands::First => index == skipped,
        WrittenOperands::Second => index == skipped + 1,
    }
}

/// What is written with this operand.
fn written_operand(spec: &CommandSpec, scan: &OptionScan<'_>, index: usize, finding: &mut Finding) {
    let Some(word) = scan.operands.get(index) else { return };
    let is_destination =
        spec.written == WrittenOperands::Last && (index + 1 == scan.operands.len() || scan.open);
    let whole = spec.writes_trees(&scan.flags) && !(is_destination && is_contents(word));
    let targets = write_targets(spec, word).into_iter().filter(|_| !spec.keeps(&scan.flags));
    targets.for_each(|path| write(spec, scan, if whole { tree(path) } else { path }, finding));
    finding.effects.extend(word.literal().filter(|_| spec.unpacks).and_then(unpacked));
    finding.effects.extend(packed(spec, word).map(|path| ShellEffect::Write { path }));
    if is_destination && target_folder(scan).is_none() {
        into_folder(spec, scan, word, index, finding);
    }
}

/// What is written below the last operand if that is a folder: `cp a/b c` writes `c/b` then.
fn into_folder(
    spec: &CommandSpec,
    scan: &OptionScan<'_>,
    folder: &Word,
    sources: usize,
    finding: &mut Finding,
) {
    if scan.open && sources > MAX_OPEN {
        return finding.effects.push(ShellEffect::Write { path: PathTarget::Somewhere });
    }
    let sources = scan.operands.iter().take(sources).skip(skipped(spec, scan));
    for path in sources.clone().filter_map(|source| in_folder(folder, source)) {
        write(spec, scan, if spec.writes_trees(&scan.flags) { tree(path) } else { path }, finding);
    }
    let copies = spec.depth(&scan.flags) != ReadDepth::File;
    if copies && sources.into_iter().any(|source| is_contents(source)) {
        write(spec, scan, below(folder.target(), ReadDepth::Below), finding);
    }
}

/// With more operands than this, it is not said for each pair what is written.
const MAX_OPEN: usize = 32;

/// What a program without a table rewrites in place, by the name of an option: formatters and fixers agree on these.
pub(super) fn rewritten(scan: &OptionScan<'_>, args: &[Word], finding: &mut Finding) {
    const IN_PLACE: &[&str] = &["--fix", "--in-place", "--inplace", "--overwrite", "--rewrite", "--write"];
    let in_place = |text: &str| IN_PLACE.contains(&text.split('=').next().unwrap_or(text));
    if args.iter().filter_map(Word::literal).any(in_place) {
        let files = scan.operands.iter().map(|word| tree(word.target()));
        finding.effects.extend(files.map(|path| ShellEffect::Write { path }));
    }
}

/// Files beside the operands.
fn spread(spec: &CommandSpec, scan: &OptionScan<'_>, finding: &mut Finding) {
    if let Some(folder) = target_folder(scan).filter(|_| spec.written == WrittenOperands::Last) {
        into_folder(spec, scan, folder, scan.operands.len(), finding);
    }
    let rewrites = spec.written == WrittenOperands::All || spec.takes(&scan.flags);
    if rewrites && spec.writes_trees(&scan.flags) && scan.operands.len() == skipped(spec, scan) {
        finding.effects.push(ShellEffect::Write { path: PathTarget::Tree(".".to_owned()) });
    }
    if spec.spreads(&scan.flags) {
        finding.effects.push(ShellEffect::Write { path: spec.spread_target() });
    }
}

/// A file that is written, and what its name becomes for a backup, which has what was in it.
fn write(spec: &CommandSpec, scan: &OptionScan<'_>, path: PathTarget, finding: &mut Finding) {
    let suffixes = scan.values.iter().filter(|(flag, _)| spec.adds_suffix(flag));
    let mut copies: Vec<_> = suffixes.map(|(_, suffix)| suffixed(&path, suffix)).collect();
    if copies.is_empty() && spec.backs_up(&scan.flags) {
        copies.push(suffixed(&path, &Word::known("~")));
        // `--backup=numbered`.
        copies.push(suffixed(&path, &Word::known(".~1~")));
    }
    if !copies.is_empty() {
        finding.read(path.clone());
    }
    finding.effects.push(ShellEffect::Write { path });
    finding.effects.extend(copies.into_iter().map(|path| ShellEffect::Write { path }));
}

/// A name with something added at its end. A star stands for the name itself, and a slash leads elsewhere.
pub(crate) fn suffixed(path: &PathTarget, suffix: &Word) -> PathTarget {
    match (path, suffix.literal()) {
        (_, Some(text)) if text.contains(['*', '/']) => PathTarget::Somewhere,
        (PathTarget::Path(path) | PathTarget::Tree(path), Some(text)) => {
            PathTarget::Path(format!("{path}{text}"))
        }
        (PathTarget::Path(path) | PathTarget::Tree(path), None) => PathTarget::Begins(path.clone()),
        (other, _) => other.clone(),
    }
}

/// A file, or a folder with all that may be in it.
pub(crate) fn tree(target: PathTarget) -> PathTarget {
    match target {
        // Go's `./...` is the folder and all below it.
        PathTarget::Path(path) => PathTarget::Tree(path.strip_suffix("/...").unwrap_or(&path).to_owned()),
        other => other,
    }
}

/// A file that is named by a URL.
pub(crate) fn file_url(word: &Word) -> Option<ShellEffect> {
    let begins = |text: &str| text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    // Curl makes several addresses of a pattern, and the scheme may be part of it.
    if word
        .literal()
        .and_then(|text| text.split(':').next())
        .is_some_and(|scheme| scheme.contains(['[', '{']))
    {
        return word.beginning().contains("://").then_some(ShellEffect::Read { path: PathTarget::Somewhere });
    }
    let word = &match word.literal().and_then(|text| text.strip_prefix("fileb:")) {
        Some(rest) => Word::known(&format!("file:{rest}")),
        None => word.clone(),
    };
    let path = match word.literal() {
        Some(text) if begins(text) => {
            let rest = text.get(5..)?;
            let rest = rest.strip_prefix("//").unwrap_or(rest);
            let path =
                ["localhost", "127.0.0.1"].iter().find_map(|host| rest.strip_prefix(host)).unwrap_or(rest);
            // Of `%2e` and patterns only the program knows what they stand for.
            match path.contains(['%', '[', '{', '?', '#']) {
                true => PathTarget::Somewhere,
                false => PathTarget::Path(path.to_owned()),
            }
        }
        None if begins(word.beginning()) => PathTarget::Somewhere,
        _ => return None,
    };
    Some(ShellEffect::Read { path })
}

/// What a written operand stands for. To git, a folder or a pattern stands for whatever it matches.
fn write_targets(spec: &CommandSpec, word: &Word) -> Vec<PathTarget> {
    let Some(text) = word.literal().filter(|_| spec.pathspecs) else {
        return match spec.written {
            // What is written begins so: `split in out`.
            WrittenOperands::Second => vec![begins(word.target())],
            WrittenOperands::Downloads => vec![downloaded(word)],
            _ => match word.literal().filter(|_| spec.formats).and_then(|text| text.split_once(':')) {
                // `txt:out`: the format of the file `out`.
                Some((_, file)) => vec![word.target(), PathTarget::Path(file.to_owned())],
                None => vec![word.target()],
            },
        };
    };
    let is_folder = text.ends_with('/') || matches!(text.rsplit('/').next(), Some("." | ".."));
    match () {
        () if is_folder || text.starts_with(':') || text.contains(['*', '?', '[']) => {
            vec![PathTarget::Tracked(".".to_owned())]
        }
        () => vec![tree(word.target())],
    }
}

/// The file in the folder that a download is written to.
fn downloaded(url: &Word) -> PathTarget {
    let name = url.literal().and_then(|url| url.split(['?', '#']).next()?.rsplit('/').next());
    match name {
        Some(name) if name.contains('%') => PathTarget::Below(".".to_owned()),
        Some("") => PathTarget::Path("index.html".to_owned()),
        Some(name) => PathTarget::Path(name.to_owned()),
        None => PathTarget::Below(".".to_owned()),
    }
}

/// Everything that begins like a path.
pub(crate) fn begins(target: PathTarget) -> PathTarget {
    match target {
        PathTarget::Path(path) => PathTarget::Begins(path),
        other => other,
    }
}

/// What is written besides a packed file that is unpacked.
fn unpacked(name: &str) -> Option<ShellEffect> {
    const PACKED: &[&str] = &[
        ".gz", "-gz", "_gz", ".z", "-z", "_z", ".Z", ".xz", ".lzma", ".bz2", ".bz", ".zst", ".lz4", ".lz",
        ".br",
    ];
    /// An archive that was packed keeps an ending.
    const ARCHIVES: &[&str] = &[".tgz", ".taz", ".txz", ".tlz", ".tbz2", ".tbz", ".tzst"];
    let archive = || ARCHIVES.iter().find_map(|ending| name.strip_suffix(ending)).map(|n| format!("{n}.tar"));
    let file = PACKED.iter().find_map(|ending| name.strip_suffix(ending)).map(str::to_owned);
    Some(ShellEffect::Write { path: PathTarget::Path(file.or_else(archive)?) })
}

/// What an operand is packed into.
fn packed(spec: &CommandSpec, word: &Word) -> Option<PathTarget> {
    let ending = spec.packs()?;
    match word.literal() {
        Some(name) if unpacked(name).is_some() => None,
        Some(name) => Some(PathTarget::Path(format!("{name}{ending}"))),
        None => Some(begins(word.target())),
    }
}

/// Whether a source stands for what is in a folder: `cp -r a/. b`, and to rsync `a/` as well.
fn is_contents(source: &Word) -> bool {
    source
        .literal()
        .is_some_and(|text| text.ends_with('/') || matches!(text.rsplit('/').next(), Some("." | "..")))
}

/// A source in a folder that it is copied to.
fn in_folder(folder: &Word, source: &Word) -> Option<PathTarget> {
    let (folder, source) = (folder.literal()?.trim_end_matches('/'), source.literal()?);
    let name = source.trim_end_matches('/').rsplit('/').next()?;
    let is_name = !matches!(name, "" | "." | "..");
    is_name.then(|| PathTarget::Path(format!("{folder}/{name}")))
}

/// What an operand that is read stands for, if for a file.
fn read(spec: &CommandSpec, scan: &OptionScan<'_>, word: &Word) -> Option<PathTarget> {
    let Some(text) = word.literal() else {
        let unknown = word.target() == PathTarget::Somewhere || spec.revisions && word.beginning().is_empty();
        // Two operands of `git diff` can be files outside of any repository.
        let files = spec.all_flags.contains_key("--no-index") && scan.operands.len() > 1;
        let no_content = spec.shows_names_only(&scan.flags) || spec.revisions && !files;
        return (!(unknown && no_content)).then(|| read_target(spec, scan, word));
    };
    match text.split_once(':') {
        _ if text == "-" => None,
        // `HEAD:src/lib.rs`.
        Some((_, file)) if spec.revisions && !file.is_empty() => Some(PathTarget::Path(file.to_owned())),
        _ => Some(word.target()),
    }
}

/// What git takes in by a pattern is no more than what it takes in by the folder, unless it is forced.
fn read_target(spec: &CommandSpec, scan: &OptionScan<'_>, word: &Word) -> PathTarget {
    match word.target() {
        PathTarget::Begins(prefix) if spec.pathspecs && spec.depth(&scan.flags) == ReadDepth::File => {
            PathTarget::Path(prefix.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned())
        }
        target => target,
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
