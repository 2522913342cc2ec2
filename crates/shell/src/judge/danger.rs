//! What is asked about in every mode: removing roots, throwing away work that git cannot give back.

use super::finding::Finding;
use super::options;
use crate::table;
use crate::types::{Danger, Verdict, Word, WordValue};

/// Commands that remove or overwrite their operands.
const REMOVERS: &[&str] =
    &["rm", "rmdir", "shred", "unlink", "mv", "chmod", "chown", "chgrp", "truncate", "find", "rsync"];

/// Commands that run others, and may remove with them.
const RUNNERS: &[&str] = &["sh", "bash", "dash", "zsh", "env", "xargs", "sudo", "perl", "python3", "python"];

/// The dangers of a command that its table judged so. What is known to only read is none, so that nothing here has to know
/// which options make a command tell what it would do (`git clean -n`).
pub(crate) fn of(program: &str, args: &[Word], verdict: Verdict) -> Vec<Danger> {
    let mut dangers = Vec::new();
    if verdict == Verdict::ReadOnly {
        return dangers;
    }
    if REMOVERS.contains(&program) && (program != "find" || deletes(args)) {
        dangers
            .extend(args.iter().filter(|w| is_root(w)).map(|w| Danger::Root { path: w.shown().to_owned() }));
    }
    if program == "git" {
        dangers.extend(irreversible(args).map(|what| Danger::IrreversibleGit { what }));
    }
    dangers.extend(device(program, args));
    dangers
}

/// Whether `find` removes what it finds: by itself, or with a command that removes, or that is not known.
fn deletes(args: &[Word]) -> bool {
    let runs = |w: &Word| matches!(w.literal(), Some("-exec" | "-execdir" | "-ok" | "-okdir"));
    let removes = |program: Option<&Word>| match program.map(Word::literal) {
        Some(Some(name)) => {
            REMOVERS.contains(&name.rsplit('/').next().unwrap_or(name)) || RUNNERS.contains(&name)
        }
        Some(None) => true,
        None => false,
    };
    let programs = args.iter().zip(args.iter().skip(1).map(Some).chain([None]));
    args.iter().any(|w| w.literal() == Some("-delete"))
        || programs.filter(|(w, _)| runs(w)).any(|(_, program)| removes(program))
}

/// `/`, `/usr`, `~`, `.`, `..`, `*`, `/*`, `"$VAR"/*`, and the same with `./` or a trailing `/`.
fn is_root(word: &Word) -> bool {
    let (text, open) = match &word.value {
        WordValue::Literal(text) => (text.as_str(), false),
        WordValue::One { prefix, .. } | WordValue::Many { prefix, .. } => (prefix.as_str(), true),
    };
    if text.starts_with('-') {
        return false;
    }
    // A variable or a pattern right at a root: everything there may be meant.
    if open && (text.is_empty() || text.ends_with('/')) && whole_folder(&word.text) {
        return is_root_path(text.trim_end_matches('/')) || text.is_empty() || text == "/";
    }
    !open && is_root_path(text.trim_end_matches('/'))
}

/// The rest of the word after the known prefix takes in a whole folder.
fn whole_folder(text: &str) -> bool {
    let bare = text.trim_matches('"');
    bare.ends_with('*') || bare.ends_with('/')
}

fn is_root_path(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    match parts.as_slice() {
        [] => true,
        [one] if path.starts_with('/') => !one.is_empty(),
        [one] => one.starts_with('~') || *one == "..",
        many => many.iter().all(|p| *p == ".."),
    }
}

/// The git commands whose effect cannot be taken back.
fn irreversible(args: &[Word]) -> Option<String> {
    let sub = sub_command(args)?;
    let words: Vec<&str> = args.get(sub..)?.iter().map(Word::shown).collect();
    let (name, rest) = words.split_first()?;
    let has = |flags: &[&str]| rest.iter().any(|w| flags.iter().any(|flag| is_flag(w, flag)));
    let short =
        |letter: char| rest.iter().any(|w| w.starts_with('-') && !w.starts_with("--") && w.contains(letter));
    let hit = match *name {
        "reset" => has(&["--hard", "--merge", "--keep"]),
        // Without `-f` too: a setting can say that it needs none.
        "clean" => true,
        "checkout" => has(&["--", ".", "--force"]) || short('f') || checks_out_files(args.get(sub + 1..)?),
        "restore" => !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]),
        "stash" => has(&["drop", "clear"]),
        "push" => {
            // `+main` is forced, `:main` removes.
            rest.iter()
                .any(|w| w.starts_with("--force") || w.starts_with('+') || w.starts_with(':') && w.len() > 1)
                || has(&["--mirror", "--delete", "--force", "--prune"])
                || short('f')
                || short('d')
        }
        "branch" => short('D') || (has(&["--delete"]) && has(&["--force"])) || (short('d') && short('f')),
        "switch" => has(&["--force", "--discard-changes"]) || short('f'),
        "reflog" => has(&["expire", "delete", "drop"]),
        "gc" => has(&["--prune"]),
        "filter-branch" | "filter-repo" => true,
        "worktree" => has(&["remove"]) && (has(&["--force"]) || short('f')),
        "update-ref" => short('d'),
        _ => false,
    };
    hit.then(|| format!("git {}", words.join(" ")))
}

/// Where the sub-command is: options before it may have a value (`git -C sub push`).
fn sub_command(args: &[Word]) -> Option<usize> {
    let spec = table::command("git")?;
    options::scan("git", spec, args, &mut Finding::read_only()).first_operand
}

/// Whether a word is this flag, which git lets be abbreviated.
fn is_flag(word: &str, flag: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    word == flag || name.len() > 2 && name.starts_with("--") && flag.starts_with(name)
}

/// `git checkout HEAD a`, or one word that is called like a file: it replaces files, whatever was changed in them.
fn checks_out_files(args: &[Word]) -> bool {
    let Some(spec) = table::command("git").and_then(|git| git.sub.get("checkout")) else { return true };
    let scan = options::scan("git checkout", spec, args, &mut Finding::read_only());
    let creates = scan.flags.iter().any(|f| matches!(f.as_str(), "-b" | "-B" | "--orphan"));
    let is_file = |word: &&Word| {
        let name = word.shown().rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').is_some_and(|(_, ending)| ending.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    !creates && (scan.operands.len() > 1 || scan.operands.iter().any(is_file))
        || scan.flags.iter().any(|f| f == "--pathspec-from-file")
}

fn device(program: &str, args: &[Word]) -> Option<Danger> {
    let path = if program == "dd" {
        args.iter()
            .filter_map(Word::literal)
            .find_map(|t| t.strip_prefix("of=/dev/"))
            .filter(|t| *t != "null")?
    } else if program.starts_with("mkfs") || matches!(program, "wipefs" | "fdisk" | "parted" | "sgdisk") {
        args.iter().filter_map(Word::literal).find_map(|t| t.strip_prefix("/dev/")).unwrap_or("")
    } else {
        return None;
    };
    Some(Danger::Device { path: format!("/dev/{path}") })
}
