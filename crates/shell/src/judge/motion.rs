//! What a command can do to the shell that runs it, as far as folders go. Asked before a loop or a function is walked,
//! since what stands at its end runs before its beginning runs again.

use std::collections::HashSet;

use super::folder::Untrusted;
use crate::analysers::keeps_shell_state;
use crate::syntax::ast::{Command, CompoundKind, Script, Simple};
use crate::syntax::visit;
use crate::table;
use crate::types::Word;
use crate::words::value;
use crate::words::vars::Vars;

/// From harmless to hopeless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Motion {
    Stays,
    /// May change the folder.
    Moves,
    /// May change what commands mean.
    Loses,
}

/// What the commands of a line do, wherever they stand in it.
#[derive(Debug)]
pub(crate) struct Motions {
    /// Names of all functions, and what the worst of their bodies does.
    functions: HashSet<String>,
    of_functions: Motion,
    /// The worst of all commands, those in subshells included.
    pub anywhere: Motion,
    pub untrusted: Untrusted,
    /// A variable is set that a shell within the line would read when it starts.
    pub taints_shells: bool,
    /// A function has the name of a command: no command is what it says.
    pub hides_command: bool,
}

impl Motions {
    pub(crate) fn of(script: &Script, vars: &Vars, text: &str) -> Self {
        let mut motions = Self {
            functions: HashSet::new(),
            of_functions: Motion::Stays,
            anywhere: Motion::Stays,
            untrusted: Untrusted::default(),
            taints_shells: false,
            hides_command: false,
        };
        visit::commands(script, &mut |command| {
            if let Command::Function { name, .. } = command {
                motions.functions.insert(name.clone());
            }
        });
        motions.hides_command = motions.functions.iter().any(|name| table::command(name).is_some());
        let (mut worst, mut of_functions, mut wild) = (Motion::Stays, Motion::Stays, false);
        visit::commands(script, &mut |command| match command {
            Command::Simple(simple) => {
                worst = worst.max(motions.simple(simple, vars));
                wild |= assigns_anything(simple, vars);
            }
            Command::Function { body, .. } => of_functions = of_functions.max(motions.command(body, vars)),
            Command::Pipeline(_) | Command::Compound(_) => {}
        });
        motions.anywhere = worst.max(of_functions);
        motions.of_functions = of_functions;
        motions.untrusted = Untrusted {
            cdpath: wild || text.contains("CDPATH") || vars.assigns("CDPATH"),
            home: wild || vars.assigns("HOME"),
            oldpwd: wild || vars.assigns("PWD") || vars.assigns("OLDPWD"),
        };
        motions.taints_shells = wild || vars.assigns_any(is_read_by_shells);
        motions
    }

    /// What running the script does to the shell that runs it.
    pub(crate) fn script(&self, script: &Script, vars: &Vars) -> Motion {
        script
            .commands
            .iter()
            .zip(&script.links)
            .filter(|(_, link)| !link.background)
            .map(|(command, _)| self.command(command, vars))
            .max()
            .unwrap_or(Motion::Stays)
    }

    fn command(&self, command: &Command, vars: &Vars) -> Motion {
        match command {
            Command::Simple(simple) => self.simple(simple, vars),
            // Its body counts where it is called.
            Command::Pipeline(_) | Command::Function { .. } => Motion::Stays,
            Command::Compound(compound) => match &compound.kind {
                CompoundKind::Subshell(_) | CompoundKind::Arith { .. } | CompoundKind::Cond(_) => {
                    Motion::Stays
                }
                CompoundKind::Group(body)
                | CompoundKind::For { body, .. }
                | CompoundKind::ArithFor { body, .. } => self.script(body, vars),
                CompoundKind::If(all) | CompoundKind::While(all) => self.scripts(all, vars),
                CompoundKind::Case { bodies, .. } => self.scripts(bodies, vars),
            },
        }
    }

    pub(crate) fn scripts(&self, all: &[Script], vars: &Vars) -> Motion {
        all.iter().map(|script| self.script(script, vars)).max().unwrap_or(Motion::Stays)
    }

    /// What a simple command does to the shell.
    pub(crate) fn simple(&self, simple: &Simple, vars: &Vars) -> Motion {
        let resolve =
            |vars: &Vars| simple.words.iter().flat_map(|w| value::resolve(w, vars)).collect::<Vec<Word>>();
        let words = resolve(vars);
        // `for c in git node; do $c --version; done`.
        let open = words.first().is_some_and(|w| w.literal().is_none());
        match vars.one_of_few(simple.words.get(..1).unwrap_or(&[])).filter(|_| open) {
            Some((name, texts)) => {
                let mut vars = vars.narrowed(&simple.words);
                let motions = texts.into_iter().map(|text| {
                    vars.fix(name, text);
                    self.words(&resolve(&vars))
                });
                motions.max().unwrap_or(Motion::Stays)
            }
            None => self.words(&words),
        }
    }

    fn words(&self, words: &[Word]) -> Motion {
        let mut rest = words;
        // `command cd a` and `builtin cd a` are `cd a`.
        while let Some((first, after)) = rest.split_first() {
            match first.literal() {
                Some("command" | "builtin" | "--" | "-p") => rest = after,
                _ => break,
            }
        }
        let Some((first, args)) = rest.split_first() else { return Motion::Stays };
        let Some(program) = first.literal() else { return Motion::Loses };
        let listed = |known: &[&str]| args.iter().all(|w| w.literal().is_some_and(|t| known.contains(&t)));
        let harmless = match program {
            _ if self.functions.contains(program) => return self.of_functions,
            "cd" | "pushd" | "popd" => return Motion::Moves,
            "source" | "." | "trap" | "unalias" => false,
            "eval" => self.eval_stays(args),
            "alias" | "enable" => args.is_empty(),
            "set" => listed(HARMLESS_SET),
            "shopt" => listed(HARMLESS_SHOPT),
            _ => true,
        };
        if harmless { Motion::Stays } else { Motion::Loses }
    }

    /// `eval` of one plain command that leaves the shell as it is.
    fn eval_stays(&self, args: &[Word]) -> bool {
        let texts: Option<Vec<&str>> = args.iter().map(Word::literal).collect();
        let Some(text) = texts.map(|all| all.join(" ")) else { return false };
        let program = text.split_whitespace().next().unwrap_or(":");
        let plain = !text.contains(['=', '{', '(', '$', '`', '\n', ';', '&', '|', '\'', '"', '\\']);
        let known = table::command(program).is_some_and(|spec| !spec.wraps);
        plain && known && !self.functions.contains(program) && keeps_shell_state(Some(program))
    }

    /// Is `exit` what it says?
    pub(crate) fn knows(&self, program: &str) -> bool {
        !self.functions.contains(program)
    }
}

/// Arguments of `set` that say nothing about folders.
const HARMLESS_SET: &[&str] = &[
    "-e", "-u", "-x", "-eu", "-ex", "-ux", "-eux", "-euo", "-eo", "-euxo", "-o", "+e", "+u", "+x", "+o",
    "-v", "+v", "pipefail", "errexit", "nounset", "xtrace",
];

/// Arguments of `shopt` that say nothing about folders. `lastpipe` and `cdable_vars` do.
const HARMLESS_SHOPT: &[&str] =
    &["-s", "-u", "-q", "-p", "nullglob", "dotglob", "globstar", "failglob", "nocaseglob", "nocasematch"];

/// Variables that make a shell run a file or follow other rules when it starts, or another program start in its place.
fn is_read_by_shells(name: &str) -> bool {
    name.starts_with("BASH")
        || name.starts_with("LD_")
        || matches!(name, "ENV" | "SHELLOPTS" | "PATH" | "POSIXLY_CORRECT")
}

/// Does the command assign a variable whose name is not known?
fn assigns_anything(simple: &Simple, vars: &Vars) -> bool {
    const NAMES: &[&str] = &[
        "export",
        "declare",
        "typeset",
        "local",
        "readonly",
        "read",
        "mapfile",
        "readarray",
        "unset",
        "getopts",
        "let",
        "eval",
        "source",
        ".",
    ];
    let words: Vec<Word> = simple.words.iter().flat_map(|w| value::resolve(w, vars)).collect();
    let mut names = words.iter().skip_while(|w| matches!(w.literal(), Some("command" | "builtin")));
    let Some(program) = names.next().and_then(Word::literal) else { return false };
    let open = |w: &Word| w.literal().is_none();
    match program {
        "printf" => names.next().is_some_and(|first| open(first) || first.literal() == Some("-v")),
        // `declare -n` makes another name for a variable.
        program => {
            NAMES.contains(&program)
                && names
                    .any(|w| open(w) || w.literal().is_some_and(|t| t.starts_with('-') && t.contains('n')))
        }
    }
}
