//! `python -m`: what follows the module is given to it. A few modules are programs that write.

use crate::judge::command::{self, Context};
use crate::judge::finding::Finding;
use crate::judge::operands::{self, below};
use crate::judge::{options, special};
use crate::table::{self, CommandSpec, ReadDepth};
use crate::types::{PathTarget, ShellEffect, Word};

pub(super) fn judge(name: &str, spec: &CommandSpec, args: &[Word], context: Context<'_>) -> Finding {
    let Some((before, module, rest)) = module(args) else {
        let mut finding = Finding::read_only();
        let scan = options::scan(name, spec, args, &mut finding);
        // Which module that is, is not known.
        finding.special_options.extend(scan.flags.iter().filter(|flag| *flag == "-m").cloned());
        special::input(name, spec, &scan, context, &mut finding);
        operands::conclude(name, spec, &scan, &mut finding);
        return finding;
    };
    let mut finding = Finding::unknown(format!("`{name} -m` runs a module that the folder may bring"));
    options::scan(name, spec, before, &mut finding);
    match module {
        "json.tool" | "pip" | "pytest" | "black" | "mypy" | "ruff" => {
            if let Some(spec) = table::command(module) {
                finding.merge(command::by_spec(module, spec, rest, context));
            }
        }
        "zipfile" | "tarfile" => archive(rest, &mut finding),
        "gzip" => {
            if let Some(spec) = table::command(module) {
                // It keeps what it packs.
                let kept = [&[Word::known("-k")], rest].concat();
                finding.merge(command::by_spec(module, spec, &kept, context));
            }
        }
        "venv" | "virtualenv" | "py_compile" | "lib2to3" | "autopep8" | "isort" => {
            write_operands(rest, &mut finding);
            options::scan(module, CommandSpec::of_stranger(), rest, &mut finding);
        }
        module if READERS.contains(&module) => {
            let scan = options::scan(module, CommandSpec::of_stranger(), rest, &mut finding);
            scan.operands.iter().for_each(|word| finding.read(word.target()));
        }
        module => program(module, rest, context, &mut finding),
    }
    finding
}

/// Modules that read what they are given. Any other is a program, and a rule for scripts does not cover it.
const READERS: &[&str] = &[
    "ast",
    "base64",
    "calendar",
    "dis",
    "mimetypes",
    "platform",
    "quopri",
    "site",
    "sysconfig",
    "tabnanny",
    "tokenize",
    "unittest",
    "uuid",
];

/// Modules that run what comes in through their input.
const PROMPTS: &[&str] = &["IPython", "asyncio", "bpython", "code", "ipdb", "pdb", "ptpython", "pudb"];

/// `timeit 'code'`, `pdb -c 'code'`, `cProfile f.py`, a module that the folder brings.
fn program(module: &str, args: &[Word], context: Context<'_>, finding: &mut Finding) {
    finding.special_options.push("-m".to_owned());
    finding.effects.push(ShellEffect::Run { program: module.to_owned() });
    if context.may_have_input && PROMPTS.contains(&module) {
        finding.special_options.push(special::INPUT.to_owned());
    }
    options::scan(module, CommandSpec::of_stranger(), args, finding);
}

/// What stands before the module, its name, and what it is given.
fn module(args: &[Word]) -> Option<(&[Word], &str, &[Word])> {
    let mut at = 0;
    while let Some(word) = args.get(at) {
        let letters = word.literal()?.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let Some(last) = letters.find(['m', 'c', 'W', 'X']) else {
            at += 1;
            continue;
        };
        let (flags, joined) = letters.split_at_checked(last + 1)?;
        match (flags.chars().next_back(), joined) {
            (Some('m'), "") => {
                return Some((args.get(..at)?, args.get(at + 1)?.literal()?, args.get(at + 2..)?));
            }
            (Some('m'), joined) => return Some((args.get(..at)?, joined, args.get(at + 1..)?)),
            // `-c` ends the options, `-W` and `-X` have a value.
            (Some('c'), _) => return None,
            (_, "") => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// `zipfile -e a.zip dir`, `tarfile -c a.tar f`.
fn archive(args: &[Word], finding: &mut Finding) {
    let mut words = args.iter().filter(|word| !word.literal().is_some_and(options::looks_like_option));
    let (first, last) = (words.next(), words.next_back());
    let has =
        |flags: &[&str]| args.iter().any(|word| word.literal().is_none_or(|text| flags.contains(&text)));
    if has(&["-e", "--extract"]) {
        let folder =
            last.map_or(PathTarget::Below(".".to_owned()), |word| below(word.target(), ReadDepth::Below));
        finding.effects.push(ShellEffect::Write { path: folder });
    }
    if has(&["-c", "--create"]) {
        finding.effects.extend(first.map(|word| ShellEffect::Write { path: word.target() }));
    }
    args.iter().for_each(|word| finding.read(word.target()));
}

fn write_operands(args: &[Word], finding: &mut Finding) {
    let files = args.iter().filter(|word| !word.literal().is_some_and(options::looks_like_option));
    finding.effects.extend(files.map(|word| ShellEffect::Write { path: word.target() }));
}
